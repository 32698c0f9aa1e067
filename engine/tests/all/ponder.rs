//! Pondering runs in opponents' time, helps the next search, and ends with the opponent's decision.

use crate::support::{MIDDLE, player as player_of, position};
use engine::core::game::Game;
use engine::games::einstein::{
    Move, Position, Standard,
    dice::{Die, DuplicateDice},
};
use engine::play::{
    game_loop::play_game,
    player::{Analysis, Decision, Failure, Player},
};
use engine::search::limits::Limits;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

fn player(text: &str) -> Box<dyn Player<Standard>> {
    player_of(text, &Standard::default())
}

struct Slow {
    panics: bool,
    decisions: usize,
}

impl Player<Standard> for Slow {
    fn new_game(&mut self, _seed: u64) {}

    fn decide(
        &mut self,
        _position: &Position,
        legal: &[Move],
        _limits: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        std::thread::sleep(Duration::from_millis(3));
        assert!(!self.panics, "as it was told to");
        self.decisions += 1;
        Ok(Decision::without_values(legal[0]))
    }

    fn analyse(
        &mut self,
        position: &Position,
        legal: Option<&[Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        Ok(Analysis::without_values(
            &Standard::default(),
            position,
            legal,
        ))
    }
}

struct Counted {
    player: Box<dyn Player<Standard>>,
    pondered: usize,
    decisions: usize,
}

impl Player<Standard> for Counted {
    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn can_ponder(&self) -> bool {
        self.player.can_ponder()
    }

    fn ponder(&mut self, position: &Position, stop: &Arc<AtomicBool>) {
        self.pondered += 1;
        self.player.ponder(position, stop);
    }

    fn decide(
        &mut self,
        position: &Position,
        legal: &[Move],
        limits: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        self.decisions += 1;
        let decision = self.player.decide(position, legal, limits)?;
        assert!(legal.contains(&decision.best));
        Ok(decision)
    }

    fn analyse(
        &mut self,
        position: &Position,
        legal: Option<&[Move]>,
        limits: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        self.player.analyse(position, legal, limits)
    }
}

#[test]
fn what_was_found_on_the_time_of_others_counts() {
    let game = Standard::default();
    let position = position(MIDDLE);
    let visits = |pondered: Duration| {
        let mut player = player("mcts(sims=64, ponder=on, solver=off)");
        assert!(player.can_ponder());
        if !pondered.is_zero() {
            let stop = Arc::new(AtomicBool::new(false));
            std::thread::scope(|scope| {
                scope.spawn(|| player.ponder(&position, &stop));
                std::thread::sleep(pondered);
                stop.store(true, Ordering::Relaxed);
            });
        }
        let next = game.play(&position, game.legal_moves(&position, 3)[1]);
        let legal = game.legal_moves(&next, 5);
        let analysis = player.analyse(&next, Some(&legal), &Limits::NONE).unwrap();
        assert!(legal.contains(&analysis.line[0]));
        assert_eq!(analysis.tree.unwrap().simulations, 64);
        let visits = analysis
            .moves
            .iter()
            .map(|rated| rated.tree.unwrap().visits);
        visits.sum::<u32>()
    };
    assert_eq!(visits(Duration::ZERO), 64);
    let mut times = [200, 2_000, 20_000].map(Duration::from_millis).into_iter();
    assert!(times.any(|pondered| visits(pondered) > 128));
}

fn play(players: &mut [&mut dyn Player<Standard>]) -> usize {
    let game = Standard::default();
    let mut dice = DuplicateDice::new(3, Die::fair());
    let record = play_game(&game, position(MIDDLE), players, &mut dice, None, None);
    record.unwrap().plies.len()
}

#[test]
fn the_game_loop_lets_ponder_who_wants_to_and_nobody_else() {
    for (text, can_ponder) in [
        ("mcts(sims=50, ponder=1)", true),
        ("mcts(sims=50, keep=on)", false),
    ] {
        let mut counted = Counted {
            player: player(text),
            pondered: 0,
            decisions: 0,
        };
        let mut slow = Slow {
            panics: false,
            decisions: 0,
        };
        let plies = play(&mut [&mut counted, &mut slow]);
        assert_eq!(plies, counted.decisions + slow.decisions, "{text}");
        assert!(slow.decisions > 2 && counted.decisions > 2);
        let expected = if can_ponder { slow.decisions } else { 0 };
        assert_eq!(counted.pondered, expected, "{text}");
    }
}

#[test]
fn who_ponders_is_stopped_when_the_other_fails() {
    let mut pondering = player("mcts(sims=50, ponder=on)");
    let mut slow = Slow {
        panics: true,
        decisions: 0,
    };
    let play = || play(&mut [&mut *pondering, &mut slow]);
    assert!(catch_unwind(AssertUnwindSafe(play)).is_err());
}
