//! The published Star search returns the values of textbook expectiminimax, and every pruning saves
//! leaves.

use crate::support::{
    ALL_CUTS, all_rules, assert_near, encloses, moves_of, random_game, random_positions,
    table as new_table,
};
use crate::toy_games::HashEvaluator;
use engine::core::{
    evaluator::Evaluator, game::Game, random::RandomStream, search_game::SearchGame,
};
use engine::games::{einstein::Standard, reversi::Reversi};
use engine::search::{
    Search,
    expectiminimax::{Expectiminimax, Form},
    star::Pruning,
    star_by_outcome::{StarByOutcome, StarByOutcomeOptions},
};

pub(crate) fn all_options() -> impl Iterator<Item = StarByOutcomeOptions> {
    ALL_CUTS.into_iter().flat_map(|cuts| {
        [false, true].map(|negascout| StarByOutcomeOptions {
            pruning: cuts,
            negascout,
        })
    })
}

pub(crate) fn options_with_cuts(cuts: Pruning) -> StarByOutcomeOptions {
    StarByOutcomeOptions {
        pruning: cuts,
        negascout: false,
    }
}

pub(crate) fn assert_forms_agree<G: SearchGame>(
    game: &G,
    position: &G::Position,
    depth: u32,
    tolerance: f64,
) {
    let root = game.to_move(position);
    let mut textbook = Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Textbook);
    let expected = textbook.value_at_depth(position, depth, root);
    let mv = moves_of(game, position)[0];
    let first = f64::from(textbook.move_value(position, mv, 0.0).lower);
    for options in all_options() {
        for table in [None, Some(1), Some(1 << 12)] {
            let what = (options, table);
            let table = table.map(new_table);
            let mut search = StarByOutcome::new(game.clone(), HashEvaluator, depth, options, table);
            let full = search.bounds(position, depth, f32::NEG_INFINITY, f32::INFINITY);
            assert_near(full.lower, expected, tolerance, what);
            assert_near(full.upper, expected, tolerance, what);
            assert_near(search.value(position), expected, tolerance, what);
            for (alpha, beta) in [(0.3, 0.5), (0.5, 0.52), (0.45, 0.7), (0.5, 0.5)] {
                let bounds = search.bounds(position, depth, alpha, beta);
                let (lower, upper) = (f64::from(bounds.lower), f64::from(bounds.upper));
                encloses(bounds, expected, tolerance, what);
                let decided =
                    lower > f64::from(beta) - tolerance || upper < f64::from(alpha) + tolerance;
                assert!(
                    upper - lower < tolerance || decided,
                    "{bounds:?} in ({alpha}, {beta}), {what:?}"
                );
            }
            for alpha in [-1.0_f32, 0.4, 0.6] {
                let bounds = search.move_value(position, mv, alpha);
                let (lower, upper) = (f64::from(bounds.lower), f64::from(bounds.upper));
                encloses(bounds, first, tolerance, (alpha, what));
                assert!(
                    upper - lower < tolerance || upper < f64::from(alpha) + tolerance,
                    "{bounds:?} above {alpha}, {what:?}"
                );
            }
        }
    }
}

#[test]
fn everything_agrees_face_by_face() {
    for (number, game) in all_rules().into_iter().enumerate() {
        let positions = random_positions(&game, 100, number as u64).into_iter();
        let depths = [1, 2, 3].into_iter().cycle();
        for (position, depth) in positions.step_by(4).zip(depths) {
            assert_forms_agree(&game.clone().with_unmerged_faces(), &position, depth, 1e-6);
        }
    }
}

fn alpha_beta<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    mut alpha: f32,
    beta: f32,
    leaves: &mut u64,
) -> f32 {
    if let Some(payoffs) = game.payoffs(position) {
        return payoffs[game.to_move(position)];
    }
    if depth == 0 {
        *leaves += 1;
        return HashEvaluator.value(game, position, &());
    }
    let mut best = 0.0_f32;
    for &mv in moves_of(game, position).iter() {
        let next = game.play(position, mv);
        let value = if game.to_move(&next) == game.to_move(position) {
            alpha_beta(game, &next, depth - 1, alpha, beta, leaves)
        } else {
            1.0 - alpha_beta(game, &next, depth - 1, 1.0 - beta, 1.0 - alpha, leaves)
        };
        best = best.max(value);
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    best
}

#[test]
fn without_chance_star1_is_alpha_beta() {
    let mut random = RandomStream::new(13);
    for _ in 0..4 {
        let game = Reversi::SIX;
        for position in random_game(&game, game.start(), &mut random) {
            let mut star1 = StarByOutcome::new(
                game,
                HashEvaluator,
                5,
                options_with_cuts(Pruning::Star1),
                None,
            );
            let mut leaves = 0;
            assert_eq!(
                star1.value(&position),
                alpha_beta(&game, &position, 5, 0.0, 1.0, &mut leaves)
            );
            assert_eq!(star1.take_stats().evaluations, leaves);
        }
    }
}

#[test]
fn each_kind_of_cut_saves_leaves() {
    let mut total = [0; 4];
    for game in all_rules().map(Standard::with_unmerged_faces) {
        for position in random_positions(&game, 25, 7) {
            let leaves = ALL_CUTS.map(|cuts| {
                let mut search = StarByOutcome::new(
                    game.clone(),
                    HashEvaluator,
                    3,
                    options_with_cuts(cuts),
                    None,
                );
                search.value(&position);
                search.take_stats().evaluations
            });
            let mut textbook = Expectiminimax::new(game.clone(), HashEvaluator, 3, Form::Textbook);
            textbook.value(&position);
            assert_eq!(
                leaves[0],
                textbook.take_stats().evaluations,
                "Star0 visits every leaf"
            );
            assert!(
                leaves[0] >= leaves[1] && leaves[1] >= leaves[2],
                "{leaves:?}"
            );
            total = std::array::from_fn(|index| total[index] + leaves[index]);
        }
    }
    assert!(
        total[0] > total[1] && total[1] > total[2] && total[2] > total[3],
        "{total:?}"
    );
}

#[test]
fn face_by_face_lists_each_possible_face() {
    for game in all_rules() {
        let apart = game.clone().with_unmerged_faces();
        for (index, position) in random_positions(&game, 200, 3).iter().enumerate() {
            let moves = moves_of(&apart, position);
            let outcomes = apart.outcomes(position, &moves);
            let faces: Vec<u8> = (1..=6)
                .filter(|&face| game.die().probability(face) > 0.0)
                .collect();
            assert_eq!(outcomes.len(), faces.len());
            for (outcome, &face) in outcomes.iter().zip(&faces) {
                assert_eq!(outcome.weight, game.die().probability(face) as f32);
                assert_eq!(
                    moves[outcome.move_range()],
                    game.legal_moves(position, face)[..]
                );
            }
            let [merged, single] =
                [&game, &apart].map(|game| game.move_probabilities(position.mover().living_set()));
            for (merged, single) in merged.into_iter().zip(single) {
                assert_near(merged, single, 1e-6, position);
            }
            let depth = 1 + index as u32 % 3;
            let [merged, single] = [&game, &apart].map(|game| {
                let root = game.to_move(position);
                Expectiminimax::new(game.clone(), HashEvaluator, depth, Form::Unified)
                    .value_at_depth(position, depth, root)
            });
            assert_near(merged, single, 1e-6, position);
        }
    }
}

/// Evaluator that panics if a search updates a cache along a wrong line.
#[derive(Clone)]
pub(crate) struct Watchful;

impl<G: Game> Evaluator<G> for Watchful {
    type Cache = Option<G::Position>;

    fn refresh(&self, _: &G, position: &G::Position, cache: &mut Option<G::Position>) {
        *cache = Some(*position);
    }

    fn update(
        &self,
        game: &G,
        parent: &mut Option<G::Position>,
        before: &G::Position,
        mv: G::Move,
        after: &G::Position,
        child: &mut Option<G::Position>,
    ) {
        assert_eq!(parent, &mut Some(*before));
        assert_eq!(game.play(before, mv), *after);
        *child = Some(*after);
    }

    fn value(&self, _: &G, position: &G::Position, cache: &Option<G::Position>) -> f32 {
        assert_eq!(cache, &Some(*position));
        0.5
    }
}

#[test]
fn caches_follow_the_line() {
    let game = Standard::default();
    for position in random_positions(&game, 10, 11) {
        for options in all_options() {
            let mut search =
                StarByOutcome::new(game.clone(), Watchful, 3, options, Some(new_table(64)));
            search.value(&position);
            search.move_value(&position, game.legal_moves(&position, 1)[0], 0.0);
        }
    }
}
