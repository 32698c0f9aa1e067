//! Every option of the Monte-Carlo search keeps what it promises: memory, threads, what is kept,
//! leaves, limits.

use crate::games::{Field, HashEvaluator, HashGame, Totals};
use engine::core::{
    chance::{Bounds, expectation},
    game::{Game, MAX_SEATS, Payoffs},
    leaf::MoveKinds,
    oracle::Oracle,
    random::RandomStream,
};
use engine::games::einstein::{Move, Position, Standard, evaluators::schwarz_odds::SchwarzOdds};
use engine::search::{
    Search,
    expectiminimax::{Expectiminimax, Form},
    limits::TimeLimit,
    mcts::{
        Backup, Blend, Budget, EvaluatorLeaf, FirstPlay, Leaf, Mcts, MctsOptions, Mix,
        MoveStatistics, Playout, Prior, Selection, StarLeaf, best_move,
    },
};
use serde_json::Value;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

const MIDDLE: &str = "215../64.../3...e/...fb/..acd b -";

fn position(text: &str) -> Position {
    Standard::default()
        .parse_position(text)
        .expect("a position")
        .0
}

fn simulations(simulations: u64) -> MctsOptions {
    MctsOptions {
        budget: Budget::Simulations(simulations),
        ..MctsOptions::default()
    }
}

fn exact_lines() -> Vec<(Position, Value)> {
    let lines = include_str!("../vectors/exact.jsonl").lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"))
        .map(|line| (position(line["position"].as_str().expect("text")), line))
        .collect()
}

/// The value of a position before the roll, from what was found about its moves.
fn value(position: &Position, found: &[MoveStatistics<Move>]) -> f32 {
    let moves: Vec<Move> = found.iter().map(|statistics| statistics.mv).collect();
    let values: Vec<f32> = found
        .iter()
        .map(|statistics| statistics.value.unwrap_or(0.0))
        .collect();
    let outcomes = Standard::default().outcomes(position, &moves);
    expectation(&outcomes, &values)
}

fn schwarz() -> Arc<SchwarzOdds> {
    Arc::new(SchwarzOdds::fitted(&Standard::default()))
}

/// Every setting that changes how a search goes, each by itself.
fn variants() -> Vec<(&'static str, MctsOptions)> {
    let base = simulations(20_000);
    vec![
        ("default", base),
        (
            "tuned",
            MctsOptions {
                selection: Selection::Tuned,
                exploration: 1.0,
                ..base
            },
        ),
        (
            "puct",
            MctsOptions {
                selection: Selection::Puct,
                exploration: 1.0,
                first_play: FirstPlay::Parent,
                ..base
            },
        ),
        (
            "fpu",
            MctsOptions {
                first_play: FirstPlay::Value(1.2),
                ..base
            },
        ),
        ("rave", MctsOptions { rave: 50.0, ..base }),
        ("bias", MctsOptions { bias: 2.0, ..base }),
        (
            "expected",
            MctsOptions {
                backup: Backup::Expected,
                ..base
            },
        ),
        (
            "no solver",
            MctsOptions {
                solver: false,
                ..base
            },
        ),
        (
            "tree",
            MctsOptions {
                graph: false,
                ..base
            },
        ),
        ("keep", MctsOptions { keep: true, ..base }),
        (
            "no virtual loss",
            MctsOptions {
                virtual_loss: 0,
                ..base
            },
        ),
        (
            "virtual loss of 3",
            MctsOptions {
                virtual_loss: 3,
                ..base
            },
        ),
        ("batch", MctsOptions { batch: 8, ..base }),
        ("expand", MctsOptions { expand: 8, ..base }),
        (
            "rave blended otherwise",
            MctsOptions {
                rave: 0.05,
                blend: Blend::Silver,
                noise: (4, 6, 5.0),
                again: 0.02,
                ..base
            },
        ),
        (
            "tries that nobody made",
            MctsOptions {
                noise: (4, 6, 5.0),
                noise_by_rave: false,
                expand: 12,
                ..base
            },
        ),
    ]
}

#[test]
fn every_variant_comes_close_to_exact_values_and_proves_only_what_is_true() {
    let game = Standard::default();
    for (name, options) in variants() {
        let mut off = (0.0f64, 0);
        let mut search = Mcts::new(game.clone(), Playout, options, 5)
            .with_prior(Some(schwarz() as Arc<dyn Prior<Standard>>));
        for (position, line) in exact_lines().iter().step_by(4) {
            let found = search.search(position, None);
            off.0 += (f64::from(value(position, &found))
                - line["value"].as_f64().expect("a number"))
            .abs();
            off.1 += 1;
            for statistics in &found {
                let expected = line["moves"][&game.format_move(position, statistics.mv)]
                    .as_f64()
                    .expect("a number");
                let Bounds { lower, upper } = statistics.proven;
                assert!(
                    f64::from(lower) - 1e-6 < expected && expected < f64::from(upper) + 1e-6,
                    "{name}: {statistics:?}, exactly {expected}"
                );
            }
        }
        let off = off.0 / f64::from(off.1);
        assert!(off < 0.02, "{name}: off by {off} on average");
    }
}

/// With 21 outcomes and draws, and without chance but with many moves.
#[test]
fn every_variant_is_right_on_other_games() {
    let totals = Totals {
        modulus: 5,
        length: 3,
    };
    let field = Field::new(80, 2, 3, 2);
    for (name, options) in variants() {
        let mut off = (0.0, 0);
        let mut search = Mcts::new(totals.clone(), Playout, options, 1)
            .with_prior(Some(Arc::new(HashEvaluator) as Arc<dyn Prior<Totals>>));
        for statistics in search.search(&Totals::START, None) {
            let exact = 1.0 - totals.value(&totals.play(&Totals::START, statistics.mv));
            encloses(name, &statistics, exact);
            if statistics.visits > 500 || statistics.proven.lower >= statistics.proven.upper {
                let value = f64::from(statistics.value.expect("a value"));
                off = (off.0 + (value - exact).abs(), off.1 + 1);
            }
        }
        assert!(
            off.1 > 0 && off.0 / f64::from(off.1) < 0.03,
            "{name}: off by {off:?}"
        );
        let mut search = Mcts::new(field.clone(), Playout, options, 1)
            .with_prior(Some(Arc::new(HashEvaluator) as Arc<dyn Prior<Field>>));
        let found = search.search(&Field::START, None);
        for statistics in &found {
            let exact = 1.0 - field.value(&field.play(&Field::START, statistics.mv));
            encloses(name, statistics, f64::from(exact));
        }
        let best = field.play(&Field::START, best_move(&found).mv);
        assert_eq!(
            1.0 - field.value(&best),
            field.value(&Field::START),
            "{name}"
        );
    }
}

/// What is proven must be true.
fn encloses<M: std::fmt::Debug>(name: &str, statistics: &MoveStatistics<M>, exact: f64) {
    let Bounds { lower, upper } = statistics.proven;
    assert!(
        f64::from(lower) - 1e-6 < exact && exact < f64::from(upper) + 1e-6,
        "{name}: {statistics:?}, exactly {exact}"
    );
}

#[test]
fn the_solver_proves_draws_to_the_last_digit() {
    // Whatever the dice say, nobody gets anything.
    let totals = Totals {
        modulus: 1,
        length: 3,
    };
    let mut search = Mcts::new(totals, Playout, simulations(100_000), 1);
    for statistics in search.search(&Totals::START, None) {
        assert_eq!((statistics.proven, statistics.value), (HALF, Some(0.5)));
    }
    assert!(search.report().simulations < 100_000);
    // Two cells are worth most: whoever takes neither loses, and with one of them it is a draw.
    let mut field = Field::new(6, 2, 2, 1);
    field.points = vec![1, 3, 0, 2, 3, 1];
    let mut search = Mcts::new(field, Playout, simulations(100_000), 1);
    let found = search.search(&Field::START, None);
    for statistics in &found {
        let exact = if [1, 4].contains(&statistics.mv) {
            0.5
        } else {
            0.0
        };
        encloses("a draw", statistics, exact);
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
        let mut search = Mcts::new(field.clone(), Playout, options, 1);
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
            let own = payoffs.expect("over")[game.to_move(&start)];
            assert!((statistics.value.expect("tried") - own).abs() < 1e-6);
        }
    }
}

#[test]
fn one_thread_is_a_pure_function_of_its_seed_whatever_the_options() {
    for (name, options) in variants() {
        let run = |seed| {
            let mut search = Mcts::new(
                Standard::default(),
                Playout,
                MctsOptions {
                    budget: Budget::Simulations(3_000),
                    ..options
                },
                seed,
            )
            .with_prior(Some(schwarz() as Arc<dyn Prior<Standard>>));
            [
                search.search(&position(MIDDLE), None),
                search.search(&position(MIDDLE), None),
            ]
        };
        assert_eq!(run(3), run(3), "{name}");
        assert_ne!(run(3), run(4), "{name}");
    }
}

#[test]
fn several_threads_find_what_one_finds_and_make_no_simulation_too_many() {
    let game = Standard::default();
    for (name, options) in variants() {
        let options = MctsOptions {
            budget: Budget::Simulations(60_001),
            ..options
        };
        let prior = || Some(schwarz() as Arc<dyn Prior<Standard>>);
        let mut alone = Mcts::new(game.clone(), Playout, options, 1).with_prior(prior());
        let mut together =
            Mcts::with_leaves(game.clone(), vec![Playout; 3], options, 1).with_prior(prior());
        let (one, three) = (
            alone.search(&position(MIDDLE), None),
            together.search(&position(MIDDLE), None),
        );
        let off = (value(&position(MIDDLE), &one) - value(&position(MIDDLE), &three)).abs();
        assert!(off < 0.02, "{name}: off by {off}");
        let visits: u32 = three.iter().map(|statistics| statistics.visits).sum();
        assert_eq!(together.report().simulations, 60_001, "{name}");
        // Four to ten tries a move that nobody made.
        let unmade = match options.noise_by_rave {
            true => 0..=0,
            false => 4 * three.len() as u32..=10 * three.len() as u32,
        };
        assert!(unmade.contains(&(visits - 60_001)), "{name}: {visits}");
    }
    // What three threads prove together is true.
    let mut search = Mcts::with_leaves(game.clone(), vec![Playout; 3], simulations(2_000), 2);
    for (position, line) in exact_lines() {
        for statistics in search.search(&position, None) {
            let expected = line["moves"][&game.format_move(&position, statistics.mv)]
                .as_f64()
                .expect("a number");
            let Bounds { lower, upper } = statistics.proven;
            assert!(
                f64::from(lower) - 1e-6 < expected && expected < f64::from(upper) + 1e-6,
                "{position:?}: {statistics:?}"
            );
        }
    }
}

/// Says one thing of every position.
#[derive(Clone)]
struct Constant(f32);

impl Leaf<Standard> for Constant {
    fn payoffs(
        &mut self,
        _: &Standard,
        _: &Position,
        _: &mut RandomStream,
        _: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut payoffs = [0.0; MAX_SEATS];
        (payoffs[0], payoffs[1]) = (self.0, 1.0 - self.0);
        payoffs
    }
}

#[test]
fn several_threads_lose_no_visit_and_no_payoff() {
    let game = Standard::default();
    // Nobody arrives before the seventh ply, and these simulations see fewer.
    let start = position("123../45.../6...a/...bc/..def b -");
    for (batch, virtual_loss) in [(1, 1), (8, 1), (200, 0), (200, 1), (200, 3)] {
        let options = MctsOptions {
            batch,
            virtual_loss,
            solver: false,
            ..simulations(10_007)
        };
        let mut search = Mcts::with_leaves(game.clone(), vec![Constant(0.25); 3], options, 1);
        let found = search.search(&start, None);
        assert_eq!(
            found
                .iter()
                .map(|statistics| statistics.visits)
                .sum::<u32>(),
            10_007
        );
        assert!(search.report().depth < 7);
        let value = if game.to_move(&start) == 0 {
            0.25
        } else {
            0.75
        };
        assert!(
            found
                .iter()
                .all(|statistics| statistics.value == Some(value)),
            "batch {batch}, virtual loss {virtual_loss}: {found:?}"
        );
    }
}

/// Blue wins wherever its stone f has left d2.
#[derive(Clone)]
struct HasLeft;

impl Leaf<Standard> for HasLeft {
    fn payoffs(
        &mut self,
        game: &Standard,
        position: &Position,
        _: &mut RandomStream,
        _: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let text = game.format_position(position, None);
        let row = text.split(['/', ' ']).nth(3).expect("row 2");
        let blue = if row.chars().nth(3) == Some('f') {
            0.0
        } else {
            1.0
        };
        let mut payoffs = [0.0; MAX_SEATS];
        (payoffs[0], payoffs[1]) = (1.0 - blue, blue);
        payoffs
    }
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
        let mut search = Mcts::new(game.clone(), HasLeft, options, 1);
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
    let variants = [
        (Selection::Ucb1, false, 1),
        (Selection::Tuned, false, 1),
        (Selection::Ucb1, true, 1),
        (Selection::Ucb1, true, 2),
    ];
    for (selection, keep, threads) in variants {
        let options = MctsOptions {
            memory: 1,
            selection,
            keep,
            ..simulations(200_000)
        };
        let mut search = Mcts::with_leaves(Standard::default(), vec![Playout; threads], options, 1);
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
fn what_was_learned_is_kept_from_move_to_move() {
    let game = Standard::default();
    let run = |keep| {
        let mut search = Mcts::new(
            game.clone(),
            Playout,
            MctsOptions {
                keep,
                ..simulations(5_000)
            },
            1,
        );
        let start = position(MIDDLE);
        let found = search.choose(&start, &game.legal_moves(&start, 1));
        let next = game.play(&start, best_move(&found).mv);
        let found = search.search(&next, None);
        found
            .iter()
            .map(|statistics| statistics.visits)
            .sum::<u32>()
    };
    assert_eq!(run(false), 5_000);
    assert!(run(true) > 5_500, "{}", run(true));
    // Through whole games in little memory: what is out of reach makes room.
    for threads in [1, 2, 3] {
        let options = MctsOptions {
            keep: true,
            memory: 4,
            ..simulations(40_000)
        };
        let mut search = Mcts::with_leaves(game.clone(), vec![Playout; threads], options, 1);
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
fn pondering_ends_when_told_and_helps_the_next_search() {
    let mut search = Mcts::new(
        Standard::default(),
        Playout,
        MctsOptions {
            keep: true,
            ponder: true,
            ..simulations(1_000)
        },
        1,
    );
    let mut pondered = 0;
    // Once is enough, unless the machine lets others work meanwhile.
    while pondered <= 1_000 {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let teller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            told.store(true, Ordering::Relaxed);
        });
        search.ponder(&position(MIDDLE), &stop);
        teller.join().expect("a thread");
        pondered += search.report().simulations;
    }
    let found = search.search(&position(MIDDLE), None);
    assert!(
        found
            .iter()
            .map(|statistics| statistics.visits)
            .sum::<u32>()
            > 2_000
    );
}

#[test]
fn time_is_kept() {
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
                early: false,
                ..MctsOptions::default()
            };
            let mut search =
                Mcts::with_leaves(Standard::default(), vec![Playout; threads], options, 1);
            let began = Instant::now();
            search.choose(&start, &legal);
            let spent = began.elapsed();
            assert!(
                search.report().simulations > 50,
                "{budget:?} on {threads} threads: {:?} after {spent:?}",
                search.report()
            );
            // Generous above, for other programs may run.
            assert!(
                (Duration::from_millis(60)..Duration::from_millis(900)).contains(&spent),
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
        let mut search = Mcts::new(
            game.clone(),
            Playout,
            MctsOptions {
                early,
                ..simulations(20_000)
            },
            1,
        );
        let legal = game.legal_moves(&start, die);
        (
            best_move(&search.choose(&start, &legal)).mv,
            search.report().simulations,
        )
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

/// Knows positions with at most so many stones, from a search to the end.
#[derive(Debug)]
struct Known(u32);

impl Oracle<Standard> for Known {
    fn value(&self, game: &Standard, position: &Position) -> Option<f32> {
        if position.stones() > self.0 {
            return None;
        }
        let mut search = Expectiminimax::new(game.clone(), schwarz(), 60, Form::Unified);
        Some(Search::value(&mut search, position))
    }

    fn error(&self) -> f32 {
        1e-6
    }
}

#[test]
fn an_oracle_settles_what_it_knows() {
    let game = Standard::default();
    let (mut asked, mut alone) = (0, 0);
    for (position, line) in exact_lines()
        .iter()
        .filter(|(position, _)| position.stones() == 3)
    {
        let expected = line["value"].as_f64().expect("a number");
        for oracle in [None, Some(Arc::new(Known(2)) as Arc<dyn Oracle<Standard>>)] {
            let with = oracle.is_some();
            let mut search =
                Mcts::new(game.clone(), Playout, simulations(1_000_000), 1).with_oracle(oracle);
            let found = search.search(position, None);
            assert!(
                (f64::from(value(position, &found)) - expected).abs() < 1e-5,
                "{position:?}"
            );
            *(if with { &mut asked } else { &mut alone }) += search.report().simulations;
        }
    }
    assert!(
        asked < alone,
        "{asked} simulations with an oracle, {alone} without"
    );
}

#[test]
fn leaves_answer_alike_one_by_one_and_together() {
    let game = Standard::default();
    let mut random = RandomStream::new(3);
    let positions: Vec<Position> = exact_lines()
        .into_iter()
        .map(|(position, _)| position)
        .filter(|position| game.payoffs(position).is_none())
        .collect();
    let star = || StarLeaf::new(Standard::default(), schwarz(), 1);
    let leaves: Vec<Box<dyn Leaf<Standard>>> = vec![
        Box::new(EvaluatorLeaf::new(schwarz())),
        Box::new(star()),
        Box::new(Mix::new(0.25, EvaluatorLeaf::new(schwarz()), star())),
    ];
    let mut answers = vec![vec![[0.0; MAX_SEATS]; positions.len()]; leaves.len()];
    for (mut leaf, answers) in leaves.into_iter().zip(&mut answers) {
        leaf.payoffs_of(&game, &positions, &mut random, answers);
        for (position, answer) in positions.iter().zip(answers) {
            assert_eq!(leaf.payoffs(&game, position, &mut random, None), *answer);
            assert!((answer[0] + answer[1] - 1.0).abs() < 1e-6);
        }
    }
    // One ply is the reference's; the mixture is what it says.
    let mut reference = Expectiminimax::new(game.clone(), schwarz(), 1, Form::Textbook);
    for (number, position) in positions.iter().enumerate() {
        let seat = game.to_move(position);
        assert!(
            (answers[1][number][seat] - Search::value(&mut reference, position)).abs() < 1e-5,
            "{position:?}"
        );
        let mixed: Payoffs = std::array::from_fn(|seat| {
            0.25 * answers[0][number][seat] + 0.75 * answers[1][number][seat]
        });
        assert!(
            mixed
                .iter()
                .zip(&answers[2][number])
                .all(|(one, other)| (one - other).abs() < 1e-6)
        );
    }
}

#[test]
fn the_report_tells_of_the_search() {
    let game = Standard::default();
    let start = position(MIDDLE);
    let mut search = Mcts::new(game.clone(), Playout, simulations(100), 1);
    search.search(&start, None);
    let small = search.report();
    let mut search = Mcts::new(game.clone(), Playout, simulations(20_000), 1);
    let legal = game.legal_moves(&start, 1);
    let found = search.search(&start, Some(&legal));
    let report = search.report();
    assert_eq!((small.simulations, report.simulations), (100, 20_000));
    assert!(report.positions > 10 * small.positions && report.depth > small.depth && !report.full);
    assert_eq!(report.moves, found);
    // The line is one of legal moves, and begins with the best.
    assert!(report.line.len() > 2 && report.line[0] == best_move(&found).mv);
    let mut now = start;
    for &mv in &report.line {
        let mut moves = Default::default();
        game.moves(&now, &mut moves);
        assert!(moves.contains(&mv));
        now = game.play(&now, mv);
    }
}
