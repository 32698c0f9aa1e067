//! The search with a move filter returns the values of plain expectiminimax over the kept moves.

use crate::support::{ALL_CUTS, all_rules, assert_near, encloses, random_positions, table};
use crate::toy_games::{HashEvaluator, HashGame, Separate, Totals};
use engine::core::{evaluator::Evaluator, game::Game, search_game::SearchGame};
use engine::search::{
    Search,
    deepening::DeepeningOptions,
    expectiminimax::{Expectiminimax, Form},
    filtered_star::{FilteredStar, FilteredStarOptions, MoveFilter},
    limits::SearchLimits,
    star::Pruning,
};

fn options(
    pruning: Pruning,
    root_filter: MoveFilter,
    reply_filter: MoveFilter,
) -> FilteredStarOptions {
    FilteredStarOptions {
        pruning,
        root_filter,
        reply_filter,
    }
}

fn after<G: Game>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    value: impl FnOnce(&G::Position) -> f64,
) -> f64 {
    let (next, mover) = (game.play(position, mv), game.to_move(position));
    match game.payoff(&next, mover) {
        Some(payoff) => payoff.into(),
        None if game.to_move(&next) == mover => value(&next),
        None => 1.0 - value(&next),
    }
}

fn filtered_moves<G: Game>(
    game: &G,
    position: &G::Position,
    index: usize,
    filter: MoveFilter,
) -> Vec<G::Move> {
    let mut moves = G::Moves::default();
    game.moves_for(position, index, &mut moves);
    let value = |mv| {
        after(game, position, mv, |next| {
            f64::from(HashEvaluator.value(game, next, &()))
        })
    };
    let mut rated: Vec<_> = moves.iter().map(|&mv| (value(mv), mv)).collect();
    rated.sort_by(|one, other| other.0.total_cmp(&one.0));
    let least = rated[0].0 - f64::from(filter.within);
    rated.truncate(filter.max_moves);
    rated.retain(|(value, _)| *value >= least);
    rated.into_iter().map(|(_, mv)| mv).collect()
}

fn plain_filtered_search<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    filter: MoveFilter,
) -> f64 {
    if depth == 0 {
        return HashEvaluator.value(game, position, &()).into();
    }
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    let outcomes = game.outcomes(position, &moves);
    let filter = if depth == 1 { MoveFilter::ALL } else { filter };
    let best = |index| {
        let moves = filtered_moves(game, position, index, filter).into_iter();
        let value = |mv| {
            after(game, position, mv, |next| {
                plain_filtered_search(game, next, depth - 1, filter)
            })
        };
        moves.map(value).fold(0.0, f64::max)
    };
    let weights = outcomes.iter().enumerate();
    weights
        .map(|(index, outcome)| f64::from(outcome.weight) * best(index))
        .sum()
}

fn assert_values_agree<G: SearchGame>(game: &G, position: &G::Position, depth: u32) {
    let narrow = MoveFilter {
        max_moves: 3,
        within: 0.3,
    };
    let mut textbook = Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Textbook);
    let all = textbook.value_at_depth(position, depth, game.to_move(position));
    assert_near(
        plain_filtered_search(game, position, depth, MoveFilter::ALL),
        all,
        1e-6,
        "plain",
    );
    for (filter, expected) in [
        (MoveFilter::ALL, all),
        (narrow, plain_filtered_search(game, position, depth, narrow)),
    ] {
        for pruning in ALL_CUTS {
            for entries in [None, Some(1), Some(1 << 12)] {
                let what = (filter, pruning, entries, depth);
                let options = options(pruning, filter, filter);
                let mut search =
                    FilteredStar::new(game.clone(), HashEvaluator, options, entries.map(table));
                for (alpha, beta) in [(0.0, 1.0), (0.3, 0.5), (0.5, 0.52), (0.45, 0.7), (0.0, 1.0)]
                {
                    let bounds = search.bounds(position, depth, alpha, beta);
                    encloses(bounds, expected, 2e-6, what);
                    let is_decided = f64::from(bounds.lower) > f64::from(beta) - 2e-6
                        || f64::from(bounds.upper) < f64::from(alpha) + 2e-6;
                    assert!(
                        bounds.upper - bounds.lower < 2e-6 || is_decided,
                        "{bounds:?} {what:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn filtered_values_are_those_of_plain_expectiminimax() {
    for seed in 0..24 {
        let game = HashGame {
            seats: 2,
            seed,
            length: 4,
            chance: seed % 3 > 0,
        };
        assert_values_agree(&game, &game.start(), 1 + seed as u32 % 4);
        assert_values_agree(&Separate(game.clone()), &game.start(), 1 + seed as u32 % 4);
    }
    let totals = Totals {
        modulus: 5,
        length: 3,
    };
    for depth in 1..=3 {
        assert_values_agree(&Separate(totals.clone()), &Totals::START, depth);
    }
    for game in all_rules() {
        for position in random_positions(&game, 6, 5) {
            assert_values_agree(&game, &position, 2);
        }
    }
}

#[test]
fn a_decision_searches_the_kept_moves_and_an_analysis_all() {
    let game = Separate(Totals {
        modulus: 7,
        length: 4,
    });
    let filter = MoveFilter {
        max_moves: 3,
        within: 1.0,
    };
    let value = |mv, depth| {
        after(&game, &Totals::START, mv, |next| match depth {
            1 => HashEvaluator.value(&game, next, &()).into(),
            _ => plain_filtered_search(&game, next, depth - 1, filter),
        })
    };
    for index in 0..21 {
        let legal = filtered_moves(&game, &Totals::START, index, MoveFilter::ALL);
        let best = |moves: &[u8], depth| {
            let rated = moves.iter().map(|&mv| (value(mv, depth), mv));
            rated
                .reduce(|best, next| if next.0 > best.0 { next } else { best })
                .unwrap()
        };
        for depth in 1..=3 {
            let options = options(Pruning::Star2, filter, filter);
            let mut search = FilteredStar::new(game.clone(), HashEvaluator, options, None)
                .into_deepening(DeepeningOptions::default(), SearchLimits::to_depth(depth));
            let (mv, found) = search.best_move(&Totals::START, &legal);
            let searched = filtered_moves(
                &game,
                &Totals::START,
                index,
                if depth == 1 { MoveFilter::ALL } else { filter },
            );
            let (expected, expected_move) = best(&searched, depth);
            assert_near(found, expected, 2e-6, (index, depth));
            assert!(mv == expected_move || value(mv, depth) > expected - 2e-6);
            for (found, &mv) in search
                .move_values(&Totals::START, &legal)
                .iter()
                .zip(&legal)
            {
                assert_near(*found, value(mv, depth), 2e-6, (index, depth, mv));
            }
        }
    }
}
