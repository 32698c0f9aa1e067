//! Options of the Monte-Carlo search: memory, threads, tree reuse, leaves, limits.

use crate::mcts::{proofs_hold, simulations, value};
use crate::support::{MIDDLE, assert_near, encloses, exact_positions, moves_of, position, schwarz};
use crate::toy_games::{Field, HashEvaluator, HashGame, Totals};
use engine::core::{
    chance_bounds::Bounds,
    game::{Game, MAX_SEATS, Payoffs, win_for},
    oracle::Oracle,
    random::RandomStream,
};
use engine::games::einstein::{Position, Standard};
use engine::search::{
    Search,
    expectiminimax::{Expectiminimax, Form},
    limits::TimeLimit,
    mcts::{
        Blend, BlendedLeaf, Budget, EvaluatorLeaf, FirstPlay, Leaf, Mcts, MctsOptions,
        MoveStatistics, PlayoutLeaf, SearchLeaf, best_move,
    },
    playout_policies::FnLeaf,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

fn visits<M>(found: &[MoveStatistics<M>]) -> u32 {
    found.iter().map(|statistics| statistics.visits).sum()
}

fn on_threads(threads: usize, options: MctsOptions, seed: u64) -> Mcts<Standard, PlayoutLeaf> {
    Mcts::with_leaves(
        Standard::default(),
        vec![PlayoutLeaf; threads],
        options,
        seed,
    )
}

fn with_prior(
    threads: usize,
    options: MctsOptions,
    count: u64,
    seed: u64,
) -> Mcts<Standard, PlayoutLeaf> {
    let budget = Budget::Simulations(count);
    on_threads(threads, MctsOptions { budget, ..options }, seed)
        .with_prior(Some(schwarz(&Standard::default())))
}

fn variants() -> impl Iterator<Item = MctsOptions> {
    let changes: [fn(&mut MctsOptions); 13] = [
        |_| (),
        |options| options.first_play = FirstPlay::Value(1.2),
        |options| options.rave = 50.0,
        |options| options.bias = 2.0,
        |options| options.solver = false,
        |options| options.graph = false,
        |options| options.reuse_tree = true,
        |options| options.virtual_loss = 0,
        |options| options.virtual_loss = 3,
        |options| options.batch = 8,
        |options| options.expand_visits = 8,
        |options| {
            (options.rave, options.blend) = (0.05, Blend::Silver);
            (options.virtual_visits, options.reselect_interval) = ((4, 6, 5.0), 0.02);
        },
        |options| {
            (options.virtual_visits, options.virtual_visits_in_rave) = ((4, 6, 5.0), false);
            options.expand_visits = 12;
        },
    ];
    changes.into_iter().map(|change| {
        let mut options = simulations(20_000);
        change(&mut options);
        options
    })
}

#[test]
fn every_variant_comes_close_to_exact_values_and_proves_only_what_is_true() {
    for options in variants() {
        let mut search = with_prior(1, options, 20_000, 5);
        let mean_error = exact_positions().into_iter().step_by(4).map(|exact| {
            let found = search.search(&exact.position, None);
            proofs_hold(&exact, &found, options);
            (f64::from(value(&exact.position, &found)) - exact.value).abs()
        });
        let mean_error: Vec<f64> = mean_error.collect();
        let mean_error = mean_error.iter().sum::<f64>() / mean_error.len() as f64;
        assert!(
            mean_error < 0.02,
            "{options:?}: off by {mean_error} on average"
        );
    }
}

#[test]
fn every_variant_is_right_on_other_games() {
    let totals = Totals {
        modulus: 5,
        length: 3,
    };
    let field = Field::new(80, 2, 3, 2);
    for options in variants() {
        let mut mean_error = (0.0, 0);
        let mut search = Mcts::new(totals.clone(), PlayoutLeaf, options, 1)
            .with_prior(Some(Arc::new(HashEvaluator)));
        for statistics in search.search(&Totals::START, None) {
            let exact = 1.0 - totals.value(&totals.play(&Totals::START, statistics.mv));
            encloses(statistics.proven, exact, 1e-6, (options, &statistics));
            if statistics.visits > 500 || statistics.proven.lower >= statistics.proven.upper {
                let value = f64::from(statistics.value.unwrap());
                mean_error = (mean_error.0 + (value - exact).abs(), mean_error.1 + 1);
            }
        }
        assert!(
            mean_error.1 > 0 && mean_error.0 / f64::from(mean_error.1) < 0.03,
            "{options:?}: off by {mean_error:?}"
        );
        let mut search = Mcts::new(field.clone(), PlayoutLeaf, options, 1)
            .with_prior(Some(Arc::new(HashEvaluator)));
        let found = search.search(&Field::START, None);
        for statistics in &found {
            let exact = 1.0 - field.value(&field.play(&Field::START, statistics.mv));
            encloses(statistics.proven, exact.into(), 1e-6, (options, statistics));
        }
        let best = field.play(&Field::START, best_move(&found).mv);
        assert_eq!(
            1.0 - field.value(&best),
            field.value(&Field::START),
            "{options:?}"
        );
    }
}

#[test]
fn the_solver_proves_draws_to_the_last_digit() {
    let totals = Totals {
        modulus: 1,
        length: 3,
    };
    let mut search = Mcts::new(totals, PlayoutLeaf, simulations(100_000), 1);
    for statistics in search.search(&Totals::START, None) {
        assert_eq!((statistics.proven, statistics.value), (HALF, Some(0.5)));
    }
    assert!(search.report().simulations < 100_000);
    let mut field = Field::new(6, 2, 2, 1);
    field.points = vec![1, 3, 0, 2, 3, 1];
    let mut search = Mcts::new(field, PlayoutLeaf, simulations(100_000), 1);
    let found = search.search(&Field::START, None);
    for statistics in &found {
        let exact = if [1, 4].contains(&statistics.mv) {
            0.5
        } else {
            0.0
        };
        encloses(statistics.proven, exact, 1e-6, statistics);
    }
    assert_eq!(best_move(&found).proven, HALF);
}

const HALF: Bounds = Bounds {
    lower: 0.5,
    upper: 0.5,
};

#[test]
fn thousands_of_moves_have_room_and_the_winning_one_is_found() {
    let mut field = Field::new(2500, 0, 2, 3);
    field.points[1700] = 1;
    let run = |options| {
        let mut search = Mcts::new(field.clone(), PlayoutLeaf, options, 1);
        let found = search.search(&Field::START, None);
        (found, search.report())
    };
    for rave in [0.0, 50.0] {
        let (found, report) = run(MctsOptions {
            rave,
            ..simulations(3_000)
        });
        assert!(found.iter().all(|statistics| statistics.visits > 0));
        assert!(!report.full && report.positions > 100, "{report:?}");
        assert_eq!(report.simulations, 3_000);
        let (found, _) = run(MctsOptions {
            rave,
            exploration: 0.1,
            ..simulations(6_000)
        });
        let best = best_move(&found);
        assert_eq!((best.mv, best.proven), (1700, Bounds::exact(1.0)));
    }
}

#[test]
fn every_number_of_seats_gets_the_mean_of_its_own_payoffs() {
    for seats in 2..=MAX_SEATS {
        let game = HashGame {
            seats,
            seed: 7,
            length: 1,
            chance: false,
        };
        let start = game.start();
        let leaf = EvaluatorLeaf::new(HashEvaluator);
        let mut search = Mcts::new(game.clone(), leaf, simulations(100), 1);
        for statistics in search.search(&start, None) {
            let payoffs = game.payoffs(&game.play(&start, statistics.mv));
            let own = payoffs.unwrap()[game.to_move(&start)];
            assert_near(statistics.value.unwrap(), own, 1e-6, statistics);
        }
    }
}

#[test]
fn one_thread_is_a_pure_function_of_its_seed_whatever_the_options() {
    for options in variants() {
        let run = |seed| {
            let mut search = with_prior(1, options, 3_000, seed);
            let start = position(MIDDLE);
            [search.search(&start, None), search.search(&start, None)]
        };
        assert_eq!(run(3), run(3), "{options:?}");
        assert_ne!(run(3), run(4), "{options:?}");
    }
}

#[test]
fn several_threads_find_what_one_finds_and_make_no_simulation_too_many() {
    let start = position(MIDDLE);
    for options in variants() {
        let mut alone = with_prior(1, options, 60_001, 1);
        let mut together = with_prior(3, options, 60_001, 1);
        let (one, three) = (alone.search(&start, None), together.search(&start, None));
        assert_near(value(&start, &one), value(&start, &three), 0.02, options);
        let visits = visits(&three);
        assert_eq!(together.report().simulations, 60_001, "{options:?}");
        // An unvisited move begins with four to ten virtual visits.
        let unmade = match options.virtual_visits_in_rave {
            true => 0..=0,
            false => 4 * three.len() as u32..=10 * three.len() as u32,
        };
        assert!(unmade.contains(&(visits - 60_001)), "{options:?}: {visits}");
    }
    let mut search = on_threads(3, simulations(2_000), 2);
    for exact in exact_positions() {
        let found = search.search(&exact.position, None);
        proofs_hold(&exact, &found, "three threads");
    }
}

fn payoffs_of_red(red: f32) -> Payoffs {
    std::array::from_fn(|seat| [red, 1.0 - red].get(seat).copied().unwrap_or(0.0))
}

#[test]
fn several_threads_lose_no_visit_and_no_payoff() {
    let game = Standard::default();
    // The goal is seven plies away, out of reach.
    let start = position("123../45.../6...a/...bc/..def b -");
    for (batch, virtual_loss) in [(1, 1), (8, 1), (200, 0), (200, 1), (200, 3)] {
        let options = MctsOptions {
            batch,
            virtual_loss,
            solver: false,
            ..simulations(10_007)
        };
        let leaf = |_| FnLeaf(|_: &_, _: &_, _: &mut _| payoffs_of_red(0.25));
        let leaves = (0..3).map(leaf).collect();
        let mut search = Mcts::with_leaves(game.clone(), leaves, options, 1);
        let found = search.search(&start, None);
        assert_eq!(visits(&found), 10_007);
        assert!(search.report().depth < 7);
        let value = [0.25, 0.75][game.to_move(&start)];
        assert!(
            found
                .iter()
                .all(|statistics| statistics.value == Some(value)),
            "batch {batch}, virtual loss {virtual_loss}: {found:?}"
        );
    }
}

/// Leaf evaluation: Blue wins if no stone f is on d2, else Red.
fn has_left(game: &Standard, position: &Position, _: &mut RandomStream) -> Payoffs {
    let text = game.format_position(position, None);
    let row = text.split(['/', ' ']).nth(3).unwrap();
    win_for(usize::from(row.chars().nth(3) != Some('f')))
}

#[test]
fn every_simulation_of_a_batch_gets_the_answer_to_its_own_position() {
    let game = Standard::default();
    for batch in [1, 3, 8, 64] {
        let options = MctsOptions {
            batch,
            solver: false,
            ..simulations(20_000)
        };
        let mut search = Mcts::new(game.clone(), FnLeaf(has_left), options, 1);
        let found = search.search(&position(MIDDLE), None);
        let moved: Vec<_> = found
            .iter()
            .filter(|statistics| {
                game.format_move(&position(MIDDLE), statistics.mv)
                    .starts_with("d2")
            })
            .collect();
        assert_eq!(moved.len(), 3);
        assert!(
            moved
                .iter()
                .all(|statistics| statistics.visits > 100 && statistics.value == Some(1.0)),
            "batch {batch}: {moved:?}"
        );
        assert!(found.iter().any(|statistics| statistics.value < Some(0.9)));
    }
}

#[test]
fn memory_stays_within_its_limit_and_the_search_goes_on_without_growing() {
    let variants = [(false, 1), (true, 1), (true, 2)];
    for (keep, threads) in variants {
        let options = MctsOptions {
            memory: 1,
            reuse_tree: keep,
            ..simulations(200_000)
        };
        let mut search = on_threads(threads, options, 1);
        for _ in 0..3 {
            let found = search.search(&position(MIDDLE), None);
            let report = search.report();
            assert!(
                report.full && report.bytes <= 1 << 20 && report.fill <= 1.0,
                "{report:?}"
            );
            assert_eq!(report.simulations, 200_000);
            let value = value(&position(MIDDLE), &found);
            assert!((0.4..0.6).contains(&value), "{value}");
        }
    }
}

#[test]
fn the_tree_is_reused_from_move_to_move() {
    let game = Standard::default();
    let run = |keep| {
        let options = MctsOptions {
            reuse_tree: keep,
            ..simulations(5_000)
        };
        let mut search = on_threads(1, options, 1);
        let start = position(MIDDLE);
        let found = search.choose(&start, &game.legal_moves(&start, 1));
        let next = game.play(&start, best_move(&found).mv);
        visits(&search.search(&next, None))
    };
    assert_eq!(run(false), 5_000);
    assert!(run(true) > 5_500, "{}", run(true));
    for threads in [1, 2, 3] {
        let options = MctsOptions {
            reuse_tree: true,
            memory: 4,
            ..simulations(40_000)
        };
        let mut search = on_threads(threads, options, 1);
        let mut random = RandomStream::new(1);
        for _ in 0..3 {
            search.reseed(1);
            let mut now = position(MIDDLE);
            while game.payoffs(&now).is_none() {
                let legal = game.legal_moves(&now, 1 + random.below(6) as u8);
                let found = search.choose(&now, &legal);
                assert!(found.len() == legal.len() && search.report().bytes <= 4 << 20);
                now = game.play(&now, best_move(&found).mv);
            }
        }
    }
}

#[test]
fn pondering_ends_at_the_stop_flag_and_helps_the_next_search() {
    let options = MctsOptions {
        reuse_tree: true,
        ponder: true,
        ..simulations(1_000)
    };
    let mut search = on_threads(1, options, 1);
    let mut pondered = 0;
    while pondered <= 1_000 {
        let stop = Arc::new(AtomicBool::new(false));
        let stop_setter = Arc::clone(&stop);
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            stop_setter.store(true, Ordering::Relaxed);
        });
        search.ponder(&position(MIDDLE), &stop);
        stopper.join().unwrap();
        pondered += search.report().simulations;
    }
    let found = search.search(&position(MIDDLE), None);
    assert!(visits(&found) > 2_000);
}

#[test]
fn time_limits_hold() {
    let start = position(MIDDLE);
    let legal = Standard::default().legal_moves(&start, 1);
    let clock = Budget::Time(TimeLimit::Game {
        total: Duration::from_millis(800),
        increment: Duration::ZERO,
    });
    for threads in [1, 2] {
        for budget in [TimeLimit::Move, TimeLimit::Processor]
            .map(|limit| Budget::Time(limit(Duration::from_millis(80))))
            .into_iter()
            .chain([clock])
        {
            let options = MctsOptions {
                budget,
                smart_pruning: false,
                ..MctsOptions::default()
            };
            let mut search = on_threads(threads, options, 1);
            let began = Instant::now();
            search.choose(&start, &legal);
            let spent = began.elapsed();
            assert!(
                search.report().simulations > 50,
                "{budget:?} on {threads} threads: {:?} after {spent:?}",
                search.report()
            );
            assert!(
                (Duration::from_millis(60)..Duration::from_secs(60)).contains(&spent),
                "{budget:?}: {spent:?}"
            );
        }
    }
}

#[test]
fn a_choice_ends_when_no_other_move_can_catch_up() {
    let game = Standard::default();
    let start = position(MIDDLE);
    let run = |early, die| {
        let options = MctsOptions {
            smart_pruning: early,
            ..simulations(20_000)
        };
        let mut search = on_threads(1, options, 1);
        let found = search.choose(&start, &game.legal_moves(&start, die));
        (best_move(&found).mv, search.report().simulations)
    };
    for die in 1..=6 {
        let (all, some) = (run(false, die), run(true, die));
        assert_eq!(all.0, some.0);
        assert!(
            all.1 == 20_000 && (10_000..=20_000).contains(&some.1),
            "{some:?}"
        );
    }
}

/// Oracle that searches positions of at most this many stones to the end.
#[derive(Debug)]
struct StoneCountOracle(u32);

impl Oracle<Standard> for StoneCountOracle {
    fn value(&self, game: &Standard, position: &Position) -> Option<f32> {
        if position.num_stones() > self.0 {
            return None;
        }
        let mut search = Expectiminimax::new(game.clone(), schwarz(game), 60, Form::Unified);
        Some(Search::value(&mut search, position))
    }

    fn max_error(&self) -> f32 {
        1e-6
    }
}

#[test]
fn an_oracle_settles_what_it_knows() {
    let mut simulated = [0; 2];
    for exact in exact_positions() {
        let position = exact.position;
        if position.num_stones() != 3 {
            continue;
        }
        let oracles = [
            None,
            Some(Arc::new(StoneCountOracle(2)) as Arc<dyn Oracle<Standard>>),
        ];
        for (oracle, simulated) in oracles.into_iter().zip(&mut simulated) {
            let mut search = on_threads(1, simulations(1_000_000), 1).with_oracle(oracle);
            let found = search.search(&position, None);
            assert_near(value(&position, &found), exact.value, 1e-5, position);
            *simulated += search.report().simulations;
        }
    }
    assert!(
        simulated[1] < simulated[0],
        "simulations without an oracle and with one: {simulated:?}"
    );
}

#[test]
fn leaves_answer_alike_one_by_one_and_together() {
    let game = Standard::default();
    let mut random = RandomStream::new(3);
    let exact = exact_positions().into_iter().map(|exact| exact.position);
    let open = exact.filter(|position| game.payoffs(position).is_none());
    let positions: Vec<Position> = open.collect();
    let star = || SearchLeaf::new(game.clone(), schwarz(&game), 1);
    let evaluator = || EvaluatorLeaf::new(schwarz(&game));
    let leaves: Vec<Box<dyn Leaf<Standard>>> = vec![
        Box::new(evaluator()),
        Box::new(star()),
        Box::new(BlendedLeaf::new(0.25, evaluator(), star())),
    ];
    let mut answers = vec![vec![[0.0; MAX_SEATS]; positions.len()]; leaves.len()];
    for (mut leaf, answers) in leaves.into_iter().zip(&mut answers) {
        leaf.payoffs_batch(&game, &positions, &mut random, answers);
        for (position, answer) in positions.iter().zip(answers) {
            assert_eq!(leaf.payoffs(&game, position, &mut random, None), *answer);
            assert_near(answer[0] + answer[1], 1.0, 1e-6, position);
        }
    }
    let mut reference = Expectiminimax::new(game.clone(), schwarz(&game), 1, Form::Textbook);
    for (number, position) in positions.iter().enumerate() {
        let [valued, searched, mixed] = [0, 1, 2].map(|leaf| answers[leaf][number]);
        let expected = Search::value(&mut reference, position);
        assert_near(searched[game.to_move(position)], expected, 1e-5, position);
        for seat in 0..MAX_SEATS {
            let expected = 0.25 * valued[seat] + 0.75 * searched[seat];
            assert_near(mixed[seat], expected, 1e-6, position);
        }
    }
}

#[test]
fn the_report_describes_the_search() {
    let game = Standard::default();
    let start = position(MIDDLE);
    let mut search = on_threads(1, simulations(100), 1);
    search.search(&start, None);
    let small = search.report();
    let mut search = Mcts::new(game.clone(), PlayoutLeaf, simulations(20_000), 1);
    let legal = game.legal_moves(&start, 1);
    let found = search.search(&start, Some(&legal));
    let report = search.report();
    assert_eq!((small.simulations, report.simulations), (100, 20_000));
    assert!(report.positions > 10 * small.positions && report.depth > small.depth && !report.full);
    assert!(report.pv.len() > 2 && report.pv[0] == best_move(&found).mv);
    let mut now = start;
    for &mv in &report.pv {
        assert!(moves_of(&game, &now).contains(&mv));
        now = game.play(&now, mv);
    }
}
