//! Players stopped at random times soon make a legal move; a stop flag never set changes nothing.

use crate::reversixt::vector_game;
use crate::support::{MIDDLE, moves_of, player, position, random_game};
use engine::core::{evaluator::Evaluator, game::Game, random::RandomStream};
use engine::games::{
    einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt,
};
use engine::play::{build::player_names, playable::Playable, player::Player};
use engine::search::{Search, deepening::DeepeningSearch, limits::Limits};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

const INTERRUPTIONS: usize = 50;

const LATEST: usize = 10_000;

const SOON: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 500 });

fn measure_stop_delay<R: Send>(
    random: &mut RandomStream,
    query: impl FnOnce(&Limits) -> R,
) -> (R, Duration) {
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits::from(&stop);
    let moment = Duration::from_micros(random.below(LATEST) as u64);
    if random.below(10) == 0 {
        stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        return (query(&limits), began.elapsed());
    }
    thread::scope(|scope| {
        let stopped = scope.spawn(move || {
            thread::sleep(moment);
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let answer = query(&limits);
        let answered = Instant::now();
        let stopped = stopped.join().expect("it only sleeps");
        (answer, answered.saturating_duration_since(stopped))
    })
}

fn ends_soon<G: Playable>(game: &G, position: &G::Position, players: &[&str]) {
    let moves = moves_of(game, position);
    let mut random = RandomStream::new(7);
    for text in players {
        let mut player = player(text, game);
        let mut delays: Vec<Duration> = Vec::with_capacity(INTERRUPTIONS);
        for number in 0..INTERRUPTIONS {
            if number % 10 == 0 {
                player.new_game(number as u64);
            }
            let took = match number % 4 {
                0 => {
                    let query = |limits: &Limits| player.decide(position, &moves, limits).unwrap();
                    let (decision, took) = measure_stop_delay(&mut random, query);
                    assert!(
                        moves.contains(&decision.best),
                        "{text}: {:?}",
                        decision.best
                    );
                    took
                }
                1 => {
                    let query = |limits: &Limits| player.analyse(position, None, limits).unwrap();
                    let (analysis, took) = measure_stop_delay(&mut random, query);
                    let valued = analysis.moves.iter().filter_map(|rated| rated.value);
                    assert!(valued.clone().all(|value| (0.0..=1.0).contains(&value)));
                    assert_eq!(analysis.moves.len(), moves.len(), "{text}");
                    took
                }
                2 => {
                    let query = |limits: &Limits| {
                        let best = player.decide(position, &moves, limits).unwrap().best;
                        player.exact_scores(position, &[best], limits)
                    };
                    measure_stop_delay(&mut random, query).1
                }
                _ => measure_stop_delay(&mut random, |limits| player.value(position, limits)).1,
            };
            delays.push(took);
        }
        delays.sort_unstable();
        assert!(delays[INTERRUPTIONS / 2] < SOON, "{text}: {delays:?}");
    }
}

fn all_have_a_row<G: Playable>(players: &[&str]) {
    let name = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
    let rows: Vec<String> = players.iter().map(|text| name(text)).collect();
    let listed = player_names::<G>();
    let outside = listed.split(')').map(name).collect::<String>();
    let names: Vec<&str> = outside
        .split(", ")
        .flat_map(|name| name.split(" and "))
        .collect();
    assert!(names.contains(&"random"), "{names:?}");
    for &name in &names {
        assert!(
            rows.iter().any(|row| row == name),
            "{name} has no row: {names:?}"
        );
    }
}

#[test]
fn searches_with_chance_end_when_they_are_stopped() {
    let players = [
        "star0(depth=12)",
        "star0.5(depth=14)",
        "star1(depth=16)",
        "star1(ms=600000)",
        "star2(depth=16, threads=2)",
        "star2(nodes=1000000000000)",
        "star1(depth=12, form=outcomes)",
        "star1(depth=12, eval=mrmonte)",
        "textbook(depth=8)",
        "unified(depth=10)",
        "MrBlack(14)",
        "FarmerBoy(14)",
        "MrMonte(12)",
        "abseval(ms=600000)",
        "monte_alpha(sims=1000000000)",
        "monte_alpha_v2(sims=1000000000)",
        "uctcut(ms=600000)",
        "MrRandom",
        "greedy",
        "random",
        "mcts(sims=1000000000)",
        "mcts(sims=1000000000, threads=2)",
        "mcts(ms=600000, leaf=schwarz, keep=on)",
        "mcts(sims=1000000000, leaf=mrmonte)",
        "rollout(games=1000000, eval=schwarz)",
        "softmax(star2(depth=16, threads=2))",
        "rollout(games=1000000, eval=mrmonte)",
    ];
    all_have_a_row::<Standard>(&players);
    ends_soon(&Standard::default(), &position(MIDDLE), &players);
}

const WITHOUT_CHANCE: [&str; 14] = [
    "star0(depth=20)",
    "star0.5(depth=20)",
    "star1(ms=600000)",
    "star2(depth=30)",
    "minimax(depth=20)",
    "alphabeta(depth=30)",
    "bestreply(depth=20)",
    "maxn(depth=20)",
    "unified(depth=20)",
    "textbook(depth=20)",
    "mcts(sims=1000000000)",
    "rollout(games=1000000)",
    "softmax(mcts(sims=1000000000))",
    "random",
];

#[test]
fn searches_without_chance_end_when_they_are_stopped() {
    let game = Reversi::EIGHT;
    let players = [&WITHOUT_CHANCE[..], &["endgame(empties=60)"]].concat();
    all_have_a_row::<Reversi>(&players);
    ends_soon(&game, &game.start(), &players);
    let game = Havannah::new(10, false);
    let own = ["lajkonik(ms=600000)", "alphabeta(depth=9, mates=deep)"];
    let players = [&WITHOUT_CHANCE[..], &own].concat();
    all_have_a_row::<Havannah>(&players);
    ends_soon(&game, &game.start(), &players);
}

#[test]
fn what_is_solved_on_the_way_ends_too() {
    let game = Reversi::EIGHT;
    let mut random = RandomStream::new(11);
    let mut played = random_game(&game, game.start(), &mut random);
    let far = played
        .find(|position| game.empties(position) == 26)
        .unwrap();
    let players = [
        "alphabeta(depth=30, endgame=20)",
        "star2(ms=600000, endgame=20)",
        "star1(depth=30, endgame=20, threads=2)",
        "mcts(sims=1000000000, endgame=20)",
        "mcts(ms=600000, endgame=20, threads=2)",
        "mcts(sims=1000000000, endgame=20, noise=tries(4, 10, 5))",
        "rollout(games=1000000, endgame=20)",
        "endgame(empties=26)",
    ];
    ends_soon(&game, &far, &players);
    let assert_near = played
        .find(|position| game.empties(position) == 21)
        .unwrap();
    ends_soon(&game, &assert_near, &players);
}

#[test]
fn searches_of_many_seats_end_when_they_are_stopped() {
    let game = vector_game("four_cross");
    all_have_a_row::<ReversiXt>(&WITHOUT_CHANCE);
    ends_soon(&game, &game.start(), &WITHOUT_CHANCE);
}

/// Sets a stop flag at one of its evaluations, and counts those that follow.
#[derive(Clone)]
struct StoppingEvaluator {
    stop: Arc<AtomicBool>,
    evaluations: Arc<AtomicUsize>,
    last: usize,
}

impl Evaluator<Havannah> for StoppingEvaluator {
    type Cache = ();

    fn value(&self, _: &Havannah, _: &<Havannah as Game>::Position, _: &()) -> f32 {
        if self.evaluations.fetch_add(1, Ordering::Relaxed) >= self.last {
            self.stop.store(true, Ordering::Relaxed);
        }
        // Longer than searches go without a look at their limits.
        thread::sleep(Duration::from_millis(1));
        0.5
    }
}

#[test]
fn few_leaves_of_many_moves_are_evaluated_after_a_stop() {
    let game = Havannah::new(8, false);
    let (start, last) = (game.start(), 40);
    let moves = moves_of(&game, &start);
    for query in 0..3 {
        for depth in [1, 3] {
            let evaluator = StoppingEvaluator {
                stop: Arc::default(),
                evaluations: Arc::default(),
                last,
            };
            let count = Arc::clone(&evaluator.evaluations);
            let limits = Limits::from(&evaluator.stop);
            let mut search = DeepeningSearch::to_depth(game, evaluator, depth);
            search.set_limits(&limits);
            match query {
                0 => drop(search.best_move(&start, &moves)),
                1 => drop(search.move_values(&start, &moves)),
                _ => drop(search.value(&start)),
            }
            // A few before the stop is seen, and those of the last resort in 20 ms.
            let after = count.load(Ordering::Relaxed) - last;
            assert!(after <= 40, "{after} of {} moves", moves.len());
        }
    }
}

fn all_equal<G: Playable>(game: &G, start: G::Position, players: &[&str]) {
    let mut random = RandomStream::new(3);
    let positions: Vec<G::Position> = random_game(game, start, &mut random).collect();
    let never = Limits::from(&Arc::new(AtomicBool::new(false)));
    for text in players {
        let mut pair = [player(text, game), player(text, game)];
        for position in positions.iter().filter(|at| game.payoffs(at).is_none()) {
            let moves = moves_of(game, position);
            let query = |player: &mut Box<dyn Player<G>>, limits: &Limits| {
                let decision = player.decide(position, &moves, limits).unwrap();
                let values = player.analyse(position, None, limits).unwrap().moves;
                let value = player.value(position, limits).value;
                let mut stats = decision.stats;
                stats.time = Duration::ZERO;
                format!(
                    "{:?} {:?} {stats:?} {values:?} {value:?}",
                    decision.best, decision.value
                )
            };
            let [one, other] = &mut pair;
            assert_eq!(query(one, &never), query(other, &Limits::NONE), "{text}");
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
