//! Every search returns the values of textbook expectiminimax, on EinStein and on other games.

use crate::mcts::simulations;
use crate::star_by_outcome;
use crate::support::{
    ALL_CUTS, all_rules, assert_near, full, moves_of, options_with_pruning, random_positions,
    star_agrees, table,
};
use crate::toy_games::{Field, HashEvaluator, HashGame, HashPosition, Nim, Piles, Totals};
use engine::core::{
    chance_bounds::Bounds, evaluator::Evaluator, game::Game, search_game::SearchGame,
};
use engine::games::einstein::Standard;
use engine::search::{
    Search,
    expectiminimax::{Expectiminimax, Form},
    mcts::{Mcts, MctsOptions, PlayoutLeaf},
    star::{Pruning, Star, StarOptions},
};

fn star1<G: SearchGame, E: Evaluator<G>>(
    game: &G,
    evaluator: E,
    entries: Option<usize>,
) -> Star<G, E> {
    let options = options_with_pruning(Pruning::Star1);
    Star::new(game.clone(), evaluator, options, entries.map(table))
}

fn all_agree<G: SearchGame>(game: &G, position: &G::Position, depth: u32, tolerance: f64) {
    let root = game.to_move(position);
    let mut textbook = Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Textbook);
    let expected = textbook.value_at_depth(position, depth, root);
    let unified = Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Unified)
        .value_at_depth(position, depth, root);
    assert_near(unified, expected, 1e-12, "unified");
    star_by_outcome::assert_forms_agree(game, position, depth, tolerance);
    let all = star_by_outcome::all_options().map(|options| StarOptions {
        negascout: options.negascout,
        ..options_with_pruning(options.pruning)
    });
    let sizes = [None, Some(1), Some(7), Some(1 << 12)]
        .map(|size| (options_with_pruning(Pruning::Star1), size));
    for (options, size) in all.map(|options| (options, Some(7))).chain(sizes) {
        let mut star: Star<G, HashEvaluator> =
            Star::new(game.clone(), HashEvaluator, options, size.map(table));
        let windows = [(0.3, 0.5), (0.5, 0.52), (0.45, 0.7)];
        let what = (options, size);
        star_agrees(
            &mut star,
            (position, depth),
            windows,
            (expected, tolerance),
            what,
        );
    }
}

#[test]
fn searches_agree_on_einstein() {
    for (number, game) in all_rules().into_iter().enumerate() {
        let positions = random_positions(&game, 300, number as u64);
        for (position, depth) in positions.iter().zip([1, 2, 3].into_iter().cycle()) {
            all_agree(&game, position, depth, 1e-6);
        }
    }
}

#[test]
fn searches_agree_on_games_of_any_shape() {
    for seed in 0..300 {
        for (seats, chance) in [(2, seed % 3 > 0), (3, seed % 2 == 0)] {
            let game = HashGame {
                seats,
                seed,
                length: 4,
                chance,
            };
            all_agree(&game, &game.start(), 1 + seed as u32 % 5, 1e-6);
        }
    }
}

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
        let value = game.value(&Totals::START);
        let exact = Expectiminimax::new(game.clone(), HashEvaluator, 3, Form::Unified)
            .value_at_depth(&Totals::START, 3, 0);
        assert_near(exact, value, 1e-6, modulus);
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
    for cuts in ALL_CUTS {
        let mut star: Star<_, _> = Star::new(
            game.clone(),
            HashEvaluator,
            options_with_pruning(cuts),
            None,
        );
        let (bounds, proven) =
            star.bounds_and_proof(&Totals::START, 5, f32::NEG_INFINITY, f32::INFINITY);
        assert_eq!((bounds.lower, bounds.upper, proven), (0.5, 0.5, true));
    }
}

#[test]
fn searches_agree_on_long_lists_of_moves() {
    for (cells, max_points, length) in [(9, 3, 3), (40, 5, 4), (100, 7, 4)] {
        let game = Field::new(cells, max_points, length, u64::from(length));
        for depth in 1..=2 {
            all_agree(&game, &Field::START, depth, 1e-6);
        }
        let position = game.play(&Field::START, 3);
        let mut star = star1(&game, HashEvaluator, Some(1 << 12));
        let value = Bounds::exact(game.value(&position));
        assert_eq!(full(&mut star, &position, 9), value, "{cells} cells");
    }
    for (best, expected) in [([9, 8], 1.0), ([9, 9], 0.5)] {
        let mut game = Field::new(2500, 7, 2, 1);
        game.points[1200..1202].copy_from_slice(&best);
        assert_eq!(game.value(&Field::START), expected);
        for cuts in [Pruning::Star1, Pruning::Star2] {
            let table = Some(table(1 << 12));
            let mut star: Star<_, _> = Star::new(
                game.clone(),
                HashEvaluator,
                options_with_pruning(cuts),
                table,
            );
            let found = full(&mut star, &Field::START, 4);
            assert_eq!(found, Bounds::exact(expected));
            let after = game.play(&Field::START, 7);
            assert_eq!(full(&mut star, &after, 4).lower, 1.0);
        }
    }
}

#[test]
fn star1_cuts() {
    let game = Standard::default();
    let (mut star_nodes, mut unified_nodes, mut textbook_nodes) = (0, 0, 0);
    for position in random_positions(&game, 30, 5) {
        let root = game.to_move(&position);
        let mut star = star1(&game, HashEvaluator, None);
        full(&mut star, &position, 3);
        star_nodes += star.take_stats().nodes;
        for (form, nodes) in [
            (Form::Unified, &mut unified_nodes),
            (Form::Textbook, &mut textbook_nodes),
        ] {
            let mut search = Expectiminimax::new(game.clone(), HashEvaluator, 4, form);
            search.value_at_depth(&position, 3, root);
            *nodes += search.take_stats().nodes;
        }
    }
    assert!(
        star_nodes < unified_nodes && unified_nodes < textbook_nodes,
        "{star_nodes} {unified_nodes} {textbook_nodes}"
    );
}

/// Nim: the seat to move wins unless the exclusive or of the piles is 0 (Bouton 1901).
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
                let mut star = star1(&Nim, HashEvaluator, Some(1 << 10));
                let expected = Bounds::exact(if a ^ b ^ c == 0 { 0.0 } else { 1.0 });
                assert_eq!(full(&mut star, &start, 9), expected, "{start:?}");
            }
        }
    }
}

#[test]
fn uct_finds_the_winning_move_of_nim() {
    let options = MctsOptions {
        exploration: std::f64::consts::SQRT_2,
        ..simulations(20_000)
    };
    let mut search = Mcts::new(Nim, PlayoutLeaf, options, 1);
    let piles = [5, 3, 1];
    let found = search.search(&Piles { piles, seat: 0 }, None);
    let best = found
        .iter()
        .max_by_key(|statistics| statistics.visits)
        .unwrap();
    assert_eq!(best.mv, (0, 3));
    assert!(best.value.unwrap() > 0.9);
}

fn max_n(game: &HashGame, position: &HashPosition) -> Vec<f64> {
    if let Some(payoffs) = game.payoffs(position) {
        return payoffs[..game.seats]
            .iter()
            .map(|&payoff| f64::from(payoff))
            .collect();
    }
    let moves = moves_of(game, position);
    let outcomes = game.outcomes(position, &moves);
    let seat = game.to_move(position);
    let mut sum = vec![0.0; game.seats];
    for outcome in outcomes.iter() {
        let best = moves[outcome.move_range()]
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
        exploration: 0.5,
        ..simulations(60_000)
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
        let mut search = Mcts::new(game.clone(), PlayoutLeaf, options, 1);
        let found = search.search(&start, None);
        for found in found.iter().filter(|found| found.visits > 5_000) {
            let expected = max_n(&game, &game.play(&start, found.mv))[seat];
            assert_near(found.value.unwrap(), expected, 0.03, (seed, found));
        }
    }
}

#[test]
fn caches_follow_the_line() {
    let game = Standard::default();
    for position in random_positions(&game, 20, 11) {
        let mut star = star1(&game, star_by_outcome::Watchful, Some(64));
        for &mv in moves_of(&game, &position).iter() {
            star.move_bounds(&position, mv, 3, 0.0, 1.0);
        }
    }
}
