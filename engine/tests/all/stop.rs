//! Searches that are stopped at random moments: each ends soon, whichever it is, and answers with
//! a legal move; and a flag that nobody sets changes nothing.

use crate::reversixt::vector_game;
use crate::support::{MIDDLE, moves_of, player, position, random_game};
use engine::core::random::RandomStream;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use engine::play::{playable::Playable, player::Player};
use engine::search::limits::Limits;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Interruptions of each player.
const INTERRUPTIONS: usize = 50;

/// The latest of them, in microseconds after the search began.
const LATEST: usize = 10_000;

/// Within this time an answer is there, but for the few that a busy machine holds up; the slowest
/// evaluator takes longer in a build that is not optimised.
const SOON: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 100 });

/// Sets a flag at a random moment, or before the search begins; how long the answer then took.
fn interrupted<R: Send>(
    random: &mut RandomStream,
    ask: impl FnOnce(&Limits) -> R,
) -> (R, Duration) {
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits::from(&stop);
    let moment = Duration::from_micros(random.below(LATEST) as u64);
    if random.below(10) == 0 {
        stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        return (ask(&limits), began.elapsed());
    }
    thread::scope(|scope| {
        let stopped = scope.spawn(move || {
            thread::sleep(moment);
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let answer = ask(&limits);
        let answered = Instant::now();
        let stopped = stopped.join().expect("it only sleeps");
        (answer, answered.saturating_duration_since(stopped))
    })
}

/// Interrupts players that would think for minutes, in whatever they are asked.
fn ends_soon<G: Playable>(game: &G, position: &G::Position, players: &[&str]) {
    let moves = moves_of(game, position);
    let mut random = RandomStream::new(7);
    for text in players {
        let mut player = player(text, game);
        let mut taken: Vec<Duration> = Vec::with_capacity(INTERRUPTIONS);
        for number in 0..INTERRUPTIONS {
            if number % 10 == 0 {
                player.new_game(number as u64);
            }
            let took = match number % 3 {
                0 => {
                    let ask = |limits: &Limits| player.decide(position, &moves, limits);
                    let (decision, took) = interrupted(&mut random, ask);
                    assert!(
                        moves.contains(&decision.best),
                        "{text}: {:?}",
                        decision.best
                    );
                    took
                }
                1 => {
                    let ask = |limits: &Limits| player.analyse(position, None, limits);
                    let (analysis, took) = interrupted(&mut random, ask);
                    let valued = analysis.moves.iter().filter_map(|rated| rated.1);
                    assert!(valued.clone().all(|value| (0.0..=1.0).contains(&value)));
                    assert_eq!(analysis.moves.len(), moves.len(), "{text}");
                    took
                }
                _ => interrupted(&mut random, |limits| player.value(position, limits)).1,
            };
            taken.push(took);
        }
        taken.sort_unstable();
        assert!(taken[INTERRUPTIONS * 9 / 10] < SOON, "{text}: {taken:?}");
    }
}

#[test]
fn searches_with_chance_end_when_they_are_stopped() {
    ends_soon(
        &Standard::default(),
        &position(MIDDLE),
        &[
            "star0(depth=12)",
            "star1(depth=16)",
            "star1(ms=600000)",
            "star2(depth=16, threads=2)",
            "star2(nodes=1000000000000)",
            "star1(depth=12, form=outcomes)",
            "star1(depth=12, eval=mrmonte)",
            "textbook(depth=8)",
            "unified(depth=10)",
            "MrBlack(14)",
            "mcts(sims=1000000000)",
            "mcts(sims=1000000000, threads=2)",
            "mcts(ms=600000, leaf=schwarz, keep=on)",
            "mcts(sims=1000000000, leaf=mrmonte)",
            "rollout(games=1000000, eval=schwarz)",
            "rollout(games=1000000, eval=mrmonte)",
        ],
    );
}

#[test]
fn searches_without_chance_end_when_they_are_stopped() {
    let game = Reversi::EIGHT;
    ends_soon(
        &game,
        &game.start(),
        &[
            "alphabeta(depth=30)",
            "minimax(depth=20)",
            "star1(ms=600000)",
            "mcts(sims=1000000000)",
            "rollout(games=1000000)",
            "endgame(empties=60)",
        ],
    );
    let game = Havannah::new(10, false);
    let lajkonik = "lajkonik(ms=600000)";
    ends_soon(
        &game,
        &game.start(),
        &["star1(depth=9)", "mcts(sims=1000000000)", lajkonik],
    );
}

#[test]
fn searches_of_many_seats_end_when_they_are_stopped() {
    let game = vector_game("four_cross");
    let players = [
        "maxn(depth=20)",
        "bestreply(depth=20)",
        "star1(depth=20)",
        "mcts(sims=1000000000)",
    ];
    ends_soon(&game, &game.start(), &players);
}

/// Decisions of a game with a flag that is never set, and without one.
fn all_equal<G: Playable>(game: &G, start: G::Position, players: &[&str]) {
    let mut random = RandomStream::new(3);
    let positions: Vec<G::Position> = random_game(game, start, &mut random).collect();
    let never = Limits::from(&Arc::new(AtomicBool::new(false)));
    for text in players {
        let mut pair = [player(text, game), player(text, game)];
        for position in positions.iter().filter(|at| game.payoffs(at).is_none()) {
            let moves = moves_of(game, position);
            let ask = |player: &mut Box<dyn Player<G>>, limits: &Limits| {
                let decision = player.decide(position, &moves, limits);
                let values = player.analyse(position, None, limits).moves;
                let value = player.value(position, limits).value;
                let mut stats = decision.stats;
                stats.time = Duration::ZERO;
                format!(
                    "{:?} {:?} {stats:?} {values:?} {value:?}",
                    decision.best, decision.value
                )
            };
            let [one, other] = &mut pair;
            assert_eq!(ask(one, &never), ask(other, &Limits::NONE), "{text}");
        }
    }
}

#[test]
fn a_flag_that_nobody_sets_changes_nothing() {
    let game = Standard::default();
    let players = [
        "star1(depth=3)",
        "star2(depth=4)",
        "mcts(sims=500)",
        "rollout(games=64)",
    ];
    all_equal(&game, position(MIDDLE), &players);
    all_equal(
        &game,
        position(MIDDLE),
        &["star1(depth=3, form=outcomes)", "unified(depth=2)"],
    );
    let game = Reversi::SIX;
    all_equal(
        &game,
        game.start(),
        &["alphabeta(depth=4)", "endgame(empties=10)"],
    );
}
