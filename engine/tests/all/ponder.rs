//! Pondering: the time of others is used, what was found then counts, and it ends when they have
//! decided.

use engine::core::game::Game;
use engine::games::einstein::{
    Move, Position, Standard,
    dice::{Die, DuplicateDice},
};
use engine::play::{
    build::PlayerRecipe,
    game_loop::play_game,
    player::{Analysis, Decision, Player},
};
use engine::search::SearchStats;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

const MIDDLE: &str = "215../64.../3...e/...fb/..acd b -";

fn player(text: &str) -> Box<dyn Player<Standard>> {
    let mut player = PlayerRecipe::parse(text, &Standard::default())
        .expect("a player")
        .make();
    player.new_game(1);
    player
}

/// Takes its time, then makes the first move, or panics.
struct Slow {
    panics: bool,
    decisions: usize,
}

impl Player<Standard> for Slow {
    engine::player_never!(Standard: ponders, fails, counts, values);

    fn new_game(&mut self, _seed: u64) {}

    fn decide(&mut self, _position: &Position, legal: &[Move]) -> Decision<Move> {
        std::thread::sleep(Duration::from_millis(3));
        assert!(!self.panics, "as it was told to");
        self.decisions += 1;
        Decision {
            best: legal[0],
            value: None,
            stats: SearchStats::default(),
        }
    }

    fn analyse(&mut self, _position: &Position, legal: Option<&[Move]>) -> Analysis<Move> {
        let moves = legal.into_iter().flatten().map(|&mv| (mv, None)).collect();
        Analysis {
            moves,
            line: Vec::new(),
            stats: SearchStats::default(),
            tree: None,
        }
    }
}

/// Counts what is asked of a player.
struct Counted {
    player: Box<dyn Player<Standard>>,
    pondered: usize,
    decisions: usize,
}

impl Player<Standard> for Counted {
    engine::player_never!(Standard: fails, counts, values);

    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn ponders(&self) -> bool {
        self.player.ponders()
    }

    fn ponder(&mut self, position: &Position, stop: &Arc<AtomicBool>) {
        self.pondered += 1;
        self.player.ponder(position, stop);
    }

    fn decide(&mut self, position: &Position, legal: &[Move]) -> Decision<Move> {
        self.decisions += 1;
        let decision = self.player.decide(position, legal);
        assert!(legal.contains(&decision.best));
        decision
    }

    fn analyse(&mut self, position: &Position, legal: Option<&[Move]>) -> Analysis<Move> {
        self.player.analyse(position, legal)
    }
}

#[test]
fn what_was_found_on_the_time_of_others_counts() {
    let game = Standard::default();
    let (position, _) = game.parse_position(MIDDLE).expect("a position");
    let visits = |ponders: bool| {
        let mut player = player("mcts(sims=64, ponder=on, solver=off)");
        assert!(player.ponders());
        if ponders {
            let stop = Arc::new(AtomicBool::new(false));
            std::thread::scope(|scope| {
                scope.spawn(|| player.ponder(&position, &stop));
                std::thread::sleep(Duration::from_millis(200));
                stop.store(true, Ordering::Relaxed);
            });
        }
        // Whatever others rolled and did.
        let next = game.play(&position, game.legal_moves(&position, 3)[1]);
        let legal = game.legal_moves(&next, 5);
        let analysis = player.analyse(&next, Some(&legal));
        assert!(legal.contains(&analysis.line[0]));
        let tree = analysis.tree.expect("a tree");
        assert_eq!(tree.simulations, 64);
        tree.moves.iter().map(|found| found.visits).sum::<u32>()
    };
    assert_eq!(visits(false), 64);
    assert!(visits(true) > 128);
}

#[test]
fn the_game_loop_lets_ponder_who_wants_to_and_nobody_else() {
    let game = Standard::default();
    let (start, _) = game.parse_position(MIDDLE).expect("a position");
    for (text, ponders) in [
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
        let mut dice = DuplicateDice::new(3, Die::fair());
        let record = play_game(
            &game,
            start,
            &mut [&mut counted, &mut slow],
            &mut dice,
            None,
            None,
        );
        assert_eq!(
            record.plies.len(),
            counted.decisions + slow.decisions,
            "{text}"
        );
        assert!(slow.decisions > 2 && counted.decisions > 2);
        assert_eq!(
            counted.pondered,
            if ponders { slow.decisions } else { 0 },
            "{text}"
        );
    }
}

#[test]
fn who_ponders_is_stopped_when_the_other_fails() {
    let game = Standard::default();
    let (start, _) = game.parse_position(MIDDLE).expect("a position");
    let mut ponders = player("mcts(sims=50, ponder=on)");
    let mut slow = Slow {
        panics: true,
        decisions: 0,
    };
    let mut dice = DuplicateDice::new(3, Die::fair());
    let play = || {
        play_game(
            &game,
            start,
            &mut [&mut *ponders, &mut slow],
            &mut dice,
            None,
            None,
        )
    };
    assert!(catch_unwind(AssertUnwindSafe(play)).is_err());
}
