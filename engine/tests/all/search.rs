//! Every search equals the textbook, on EinStein and on games that are not.

#![allow(
    clippy::unwrap_used,
    reason = "a test helper outside of a test function"
)]

use crate::games::{Field, HashEvaluator, HashGame, HashPosition, Nim, Piles, Totals};
use crate::positions::random_positions;
use engine::core::{evaluator::Evaluator, game::Game};
use engine::games::einstein::{Position, Standard, Variant, dice::Die};
use engine::search::{
    Search,
    expectiminimax::{Expectiminimax, Form},
    mcts::{Budget, EvaluatorLeaf, Mcts, MctsOptions, Playout},
    minimax::minimax,
    outcomes::{Options, OutcomeSearch},
    star::{Cuts, Star, StarOptions},
    table::{Replacement, Reuse, Table},
};
use std::sync::Arc;

fn table(entries: usize) -> Arc<Table> {
    Arc::new(Table::with_entries(entries, Replacement::default(), Reuse::default()).unwrap())
}

fn star1<G: Game, E: Evaluator<G>>(game: G, evaluator: E, table: Option<Arc<Table>>) -> Star<G, E> {
    Star::new(
        game,
        evaluator,
        StarOptions {
            cuts: Cuts::Star1,
            ..StarOptions::default()
        },
        table,
    )
}

/// Textbook, unified operator and Star1 without table and with tables of several sizes agree on a
/// position.
fn all_agree<G: Game>(game: &G, position: &G::Position, depth: u32, tolerance: f64) {
    let root = game.to_move(position);
    let mut textbook = Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Textbook);
    let expected = textbook.value_to(position, depth, root);
    let unified = Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Unified)
        .value_to(position, depth, root);
    assert!(
        (unified - expected).abs() < 1e-12,
        "unified {unified}, textbook {expected}"
    );
    for (cuts, negascout) in [
        (Cuts::None, false),
        (Cuts::Between, false),
        (Cuts::Star1, true),
        (Cuts::Star2, false),
    ] {
        let mut published: OutcomeSearch<G, HashEvaluator> = OutcomeSearch::new(
            game.clone(),
            HashEvaluator,
            depth,
            Options { cuts, negascout },
            Some(table(7)),
        );
        let found = f64::from(published.bounds(position, depth, 0.0, 1.0).lower);
        assert!(
            (found - expected).abs() < tolerance,
            "{cuts:?} outcome by outcome {found}, textbook {expected}"
        );
    }
    let star1 = StarOptions {
        cuts: Cuts::Star1,
        ..StarOptions::default()
    };
    let all = [Cuts::None, Cuts::Between, Cuts::Star1, Cuts::Star2]
        .into_iter()
        .flat_map(|cuts| [false, true].map(|negascout| (cuts, negascout)))
        .map(|(cuts, negascout)| StarOptions {
            cuts,
            negascout,
            ..star1
        });
    let sizes = [None, Some(1), Some(7), Some(1 << 12)].map(|size| (star1, size));
    for (options, size) in all.map(|options| (options, Some(7))).chain(sizes) {
        let mut star: Star<G, HashEvaluator> =
            Star::new(game.clone(), HashEvaluator, options, size.map(table));
        let full = star.bounds(position, depth, f32::NEG_INFINITY, f32::INFINITY);
        assert!(
            (f64::from(full.lower) - expected).abs() < tolerance,
            "{full:?}, textbook {expected}, table {size:?}"
        );
        assert!(
            (f64::from(full.upper) - expected).abs() < tolerance,
            "{full:?}, textbook {expected}, table {size:?}"
        );
        // In a narrow window the bounds enclose the value, and decide on which side of the window
        // it lies.
        for (alpha, beta) in [(0.3, 0.5), (0.5, 0.52), (0.45, 0.7)] {
            let bounds = star.bounds(position, depth, alpha, beta);
            let (lower, upper) = (f64::from(bounds.lower), f64::from(bounds.upper));
            assert!(
                lower - tolerance < expected && expected < upper + tolerance,
                "{bounds:?}, textbook {expected}"
            );
            assert!(
                upper - lower < tolerance || bounds.lower >= beta || bounds.upper <= alpha,
                "{bounds:?} in ({alpha}, {beta})"
            );
        }
    }
}

#[test]
fn searches_agree_on_einstein() {
    let loaded = Die::loaded(&[0.3, 0.0, 0.1, 0.25, 0.05, 0.3]).unwrap();
    for (number, (variant, die)) in [
        (Variant::Classic, Die::fair()),
        (Variant::NearestOnly, Die::fair()),
        (Variant::Classic, loaded),
        (Variant::NearestOnly, loaded),
    ]
    .into_iter()
    .enumerate()
    {
        let game = Standard::new(variant, die);
        for (index, position) in random_positions(&game, 300, number as u64)
            .iter()
            .enumerate()
        {
            all_agree(&game, position, 1 + index as u32 % 3, 1e-6);
        }
    }
}

#[test]
fn searches_agree_on_games_of_any_shape() {
    for seed in 0..300 {
        let two = HashGame {
            seats: 2,
            seed,
            length: 4,
            chance: true,
        };
        all_agree(&two, &two.start(), 1 + seed as u32 % 5, 1e-6);
        let three = HashGame {
            seats: 3,
            seed,
            length: 4,
            chance: seed % 2 == 0,
        };
        all_agree(&three, &three.start(), 1 + seed as u32 % 5, 1e-6);
    }
}

/// Seats that come from the rules, whose payoffs do not add up to 1.
#[test]
fn searches_agree_on_any_number_of_seats() {
    for seed in 0..100 {
        let game = HashGame {
            seats: 4 + seed as usize % 5,
            seed,
            length: 4,
            chance: seed % 2 == 0,
        };
        all_agree(&game, &game.start(), 1 + seed as u32 % 4, 1e-6);
    }
}

#[test]
fn searches_agree_on_21_outcomes_and_draws() {
    for modulus in [1, 2, 5, 13] {
        let game = Totals { modulus, length: 3 };
        // To the end, where draws are half a win each, and to leaves before it.
        let value = game.value(&Totals::START);
        let exact = Expectiminimax::new(game.clone(), HashEvaluator, 3, Form::Unified).value_to(
            &Totals::START,
            3,
            0,
        );
        assert!((value - exact).abs() < 1e-6, "{value}, {exact}");
        for depth in 1..=3 {
            all_agree(&game, &Totals::START, depth, 2e-6);
        }
        for number in 1..=12 {
            all_agree(&game, &game.play(&Totals::START, number), 2, 2e-6);
        }
    }
}

#[test]
fn a_draw_whatever_chance_brings_is_worth_one_half_to_the_last_digit() {
    let game = Totals {
        modulus: 1,
        length: 4,
    };
    for cuts in [Cuts::None, Cuts::Between, Cuts::Star1, Cuts::Star2] {
        let options = StarOptions {
            cuts,
            ..StarOptions::default()
        };
        let mut star: Star<_, _> = Star::new(game.clone(), HashEvaluator, options, None);
        let (bounds, proven) =
            star.bounds_and_proof(&Totals::START, 5, f32::NEG_INFINITY, f32::INFINITY);
        assert_eq!((bounds.lower, bounds.upper, proven), (0.5, 0.5, true));
    }
}

#[test]
fn searches_agree_on_long_lists_of_moves() {
    for (cells, most, length) in [(9, 3, 3), (40, 5, 4), (100, 7, 4)] {
        let game = Field::new(cells, most, length, u64::from(length));
        for depth in 1..=2 {
            all_agree(&game, &Field::START, depth, 1e-6);
        }
        let position = game.play(&Field::START, 3);
        let mut star = star1(game.clone(), HashEvaluator, Some(table(1 << 12)));
        let found = star.bounds(&position, 9, f32::NEG_INFINITY, f32::INFINITY);
        let value = game.value(&position);
        assert_eq!((found.lower, found.upper), (value, value), "{cells} cells");
    }
    // 2,500 moves: won, drawn and lost for the seat to move.
    for (best, expected) in [([9, 8], 1.0), ([9, 9], 0.5)] {
        let mut game = Field::new(2500, 7, 2, 1);
        game.points[1200..1202].copy_from_slice(&best);
        assert_eq!(game.value(&Field::START), expected);
        for cuts in [Cuts::Star1, Cuts::Star2] {
            let options = StarOptions {
                cuts,
                ..StarOptions::default()
            };
            let mut star: Star<_, _> =
                Star::new(game.clone(), HashEvaluator, options, Some(table(1 << 12)));
            let found = star.bounds(&Field::START, 4, f32::NEG_INFINITY, f32::INFINITY);
            assert_eq!((found.lower, found.upper), (expected, expected));
            let after = game.play(&Field::START, 7);
            let found = star.bounds(&after, 4, f32::NEG_INFINITY, f32::INFINITY);
            assert_eq!(found.lower, 1.0);
        }
    }
}

#[test]
fn without_chance_everything_is_minimax() {
    for seed in 0..100 {
        let game = HashGame {
            seats: 2,
            seed,
            length: 5,
            chance: false,
        };
        let start = game.start();
        let expected = minimax(&game, &HashEvaluator, &start, 4, game.to_move(&start));
        let mut star = star1(game.clone(), HashEvaluator, None);
        let bounds = star.bounds(&start, 4, f32::NEG_INFINITY, f32::INFINITY);
        assert!((f64::from(bounds.lower) - expected).abs() < 1e-6);
    }
}

#[test]
fn star1_cuts() {
    let game = Standard::default();
    let (mut star_nodes, mut unified_nodes, mut textbook_nodes) = (0, 0, 0);
    for position in random_positions(&game, 30, 5) {
        let root = game.to_move(&position);
        let mut star = star1(game.clone(), HashEvaluator, None);
        star.bounds(&position, 3, f32::NEG_INFINITY, f32::INFINITY);
        star_nodes += star.take_stats().nodes;
        for (form, nodes) in [
            (Form::Unified, &mut unified_nodes),
            (Form::Textbook, &mut textbook_nodes),
        ] {
            let mut search = Expectiminimax::new(game.clone(), HashEvaluator, 4, form);
            search.value_to(&position, 3, root);
            *nodes += search.take_stats().nodes;
        }
    }
    assert!(
        star_nodes < unified_nodes && unified_nodes < textbook_nodes,
        "{star_nodes} {unified_nodes} {textbook_nodes}"
    );
}

/// Nim is won by the seat to move unless the piles cancel out in binary (Bouton 1901).
#[test]
fn nim_is_solved() {
    for a in 0..=3 {
        for b in 0..=3 {
            for c in 0..=2 {
                if a + b + c == 0 {
                    continue;
                }
                let start = Piles {
                    piles: [a, b, c],
                    seat: 0,
                };
                let mut star = star1(Nim, HashEvaluator, Some(table(1 << 10)));
                let value = star.bounds(&start, 9, f32::NEG_INFINITY, f32::INFINITY);
                let expected = if a ^ b ^ c == 0 { 0.0 } else { 1.0 };
                assert_eq!(
                    (value.lower, value.upper),
                    (expected, expected),
                    "{start:?}"
                );
            }
        }
    }
}

#[test]
fn uct_finds_the_winning_move_of_nim() {
    let options = MctsOptions {
        budget: Budget::Simulations(20_000),
        exploration: std::f64::consts::SQRT_2,
        ..MctsOptions::default()
    };
    let mut search = Mcts::new(Nim, Playout, options, 1);
    // 5 ^ 3 ^ 1 = 7: only taking from the 5 leaves piles that cancel out, namely [2, 3, 1].
    let found = search.search(
        &Piles {
            piles: [5, 3, 1],
            seat: 0,
        },
        None,
    );
    let best = found
        .iter()
        .max_by_key(|statistics| statistics.visits)
        .unwrap();
    assert_eq!(best.mv, (0, 3));
    assert!(best.value.unwrap() > 0.9);
}

/// maxⁿ by definition: each seat maximises its own payoff, chance averages.
fn max_n(game: &HashGame, position: &HashPosition) -> Vec<f64> {
    if let Some(payoffs) = game.payoffs(position) {
        return payoffs[..game.seats]
            .iter()
            .map(|&payoff| f64::from(payoff))
            .collect();
    }
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    let outcomes = game.outcomes(position, &moves);
    let seat = game.to_move(position);
    let mut sum = vec![0.0; game.seats];
    for outcome in outcomes.iter() {
        let best = moves[outcome.run()]
            .iter()
            .map(|&mv| max_n(game, &game.play(position, mv)))
            .max_by(|one, other| one[seat].total_cmp(&other[seat]))
            .unwrap();
        for (sum, payoff) in sum.iter_mut().zip(best) {
            *sum += f64::from(outcome.weight) * payoff;
        }
    }
    sum
}

#[test]
fn uct_converges_to_max_n_with_three_seats() {
    let options = MctsOptions {
        budget: Budget::Simulations(60_000),
        exploration: 0.5,
        ..MctsOptions::default()
    };
    for seed in 0..12 {
        let game = HashGame {
            seats: 3,
            seed,
            length: 3,
            chance: seed % 2 == 0,
        };
        let start = game.start();
        let seat = game.to_move(&start);
        let mut search = Mcts::new(game.clone(), Playout, options, 1);
        for found in search
            .search(&start, None)
            .iter()
            .filter(|found| found.visits > 5_000)
        {
            let next = game.play(&start, found.mv);
            let expected = max_n(&game, &next)[seat];
            assert!(
                (f64::from(found.value.unwrap()) - expected).abs() < 0.03,
                "seed {seed}: {found:?}, maxⁿ {expected}"
            );
        }
    }
}

#[test]
fn uct_is_a_pure_function_of_its_seed() {
    let game = Standard::default();
    let position = random_positions(&game, 1, 9)[0];
    let options = MctsOptions {
        budget: Budget::Simulations(2_000),
        exploration: 1.0,
        ..MctsOptions::default()
    };
    let run = |seed| Mcts::new(game.clone(), Playout, options, seed).search(&position, None);
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
    let with_evaluator = |seed| {
        Mcts::new(
            game.clone(),
            EvaluatorLeaf::new(HashEvaluator),
            options,
            seed,
        )
        .search(&position, None)
    };
    assert_eq!(with_evaluator(3), with_evaluator(3));
}

/// An evaluator that keeps its cache honest: it panics if a search updates it along the wrong line.
#[derive(Clone)]
struct Watchful;

impl Evaluator<Standard> for Watchful {
    type Cache = Option<Position>;

    fn refresh(&self, _: &Standard, position: &Position, cache: &mut Option<Position>) {
        *cache = Some(*position);
    }

    fn update(
        &self,
        game: &Standard,
        parent: &Option<Position>,
        before: &Position,
        mv: engine::games::einstein::Move,
        after: &Position,
        child: &mut Option<Position>,
    ) {
        assert_eq!(parent, &Some(*before));
        assert_eq!(game.play(before, mv), *after);
        *child = Some(*after);
    }

    fn value(&self, _: &Standard, position: &Position, cache: &Option<Position>) -> f32 {
        assert_eq!(cache, &Some(*position));
        0.5
    }
}

#[test]
fn caches_follow_the_line() {
    let game = Standard::default();
    for position in random_positions(&game, 20, 11) {
        let mut star = star1(game.clone(), Watchful, Some(table(64)));
        let mut moves = Default::default();
        game.moves(&position, &mut moves);
        for mv in moves.iter() {
            star.move_bounds(&position, *mv, 3, 0.0, 1.0);
        }
    }
}
