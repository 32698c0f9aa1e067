//! Every variant of Star search equals the textbook, and batched last plies equal single leaves.

use crate::support::{
    ALL_CUTS, MIDDLE, all_rules, assert_near, full, moves_of, options_with_pruning, position,
    random_positions, schwarz, star_agrees, table as table_of_size, table_of,
};
use crate::toy_games::HashEvaluator;
use engine::core::{evaluator::Evaluator, search_game::Playouts};
use engine::games::einstein::{Position, Standard, evaluators::schwarz_odds::SchwarzOdds};
use engine::search::{
    Search,
    deepening::{DeepeningOptions, DeepeningSearch},
    expectiminimax::{Expectiminimax, Form},
    limits::SearchLimits,
    ordering::Ordering,
    star::{Pruning, Star, StarOptions},
    table::{Replacement, Table},
};
use std::sync::Arc;

#[derive(Clone)]
struct OneByOne<E>(E);

impl<E: Evaluator<Standard>> Evaluator<Standard> for OneByOne<E> {
    type Cache = E::Cache;

    fn value(&self, game: &Standard, position: &Position, cache: &E::Cache) -> f32 {
        self.0.value(game, position, cache)
    }
}

const POLICIES: [Replacement; 4] = [
    Replacement::Always,
    Replacement::DepthPreferred,
    Replacement::TwoLevel,
    Replacement::Bucketed,
];

fn table(number: usize) -> Option<Arc<Table>> {
    let entries = [1, 3, 64, 1 << 14][number / 4 % 4];
    (!number.is_multiple_of(5)).then(|| table_of(entries, POLICIES[number % 4]))
}

fn all_options() -> Vec<StarOptions> {
    let tactics = Ordering {
        tactics: true,
        ..Ordering::NONE
    };
    let history = Ordering {
        table: true,
        history: true,
        ..Ordering::NONE
    };
    let mut options = Vec::new();
    for cuts in ALL_CUTS {
        for negascout in [false, true] {
            for ordering in [Ordering::NONE, tactics, history, Ordering::ALL] {
                options.push(StarOptions {
                    negascout,
                    ordering,
                    ..options_with_pruning(cuts)
                });
            }
        }
    }
    options
}

fn textbook_value<E: Evaluator<Standard> + Clone>(
    game: &Standard,
    evaluator: &E,
    position: &Position,
    depth: u32,
) -> f64 {
    Expectiminimax::new(game.clone(), evaluator.clone(), depth, Form::Unified).value_at_depth(
        position,
        depth,
        position.seat(),
    )
}

fn assert_star_agrees<E: Evaluator<Standard> + Clone>(
    star: &mut Star<Standard, E>,
    position: &Position,
    depth: u32,
    expected: f64,
    what: &str,
) {
    let inside = expected as f32;
    let windows = [(0.4, 0.45), (inside, inside + 0.01), (0.55, 0.8)];
    star_agrees(star, (position, depth), windows, (expected, 1e-6), what);
}

#[test]
fn all_variants_equal_the_textbook_on_two_thousand_positions() {
    let options = all_options();
    for (number, game) in all_rules().into_iter().enumerate() {
        let evaluator = schwarz(&game);
        let positions = random_positions(&game, 500, number as u64);
        for (index, position) in positions.iter().enumerate() {
            let depth = [1, 2, 3, 2, 3, 1, 3, 4][index % 8];
            let expected = textbook_value(&game, &evaluator, position, depth);
            for offset in 0..4 {
                let variant = index * 4 + offset + index / 8;
                let options = options[variant % options.len()];
                let what = format!(
                    "{options:?}, depth {depth}, {}",
                    game.format_position(position, None)
                );
                let mut star = Star::new(game.clone(), evaluator.clone(), options, table(variant));
                assert_star_agrees(&mut star, position, depth, expected, &what);
                if offset == 0 {
                    let slow = OneByOne(evaluator.clone());
                    let mut star = Star::new(game.clone(), slow, options, table(variant + 1));
                    let what = format!("leaf by leaf, {what}");
                    assert_star_agrees(&mut star, position, depth, expected, &what);
                }
            }
        }
    }
}

#[test]
fn a_hash_for_an_evaluator_finds_no_difference_either() {
    let options = all_options();
    let game = Standard::default();
    for (index, position) in random_positions(&game, 200, 17).iter().enumerate() {
        let depth = 1 + index as u32 % 3;
        let expected = textbook_value(&game, &HashEvaluator, position, depth);
        let options = options[index % options.len()];
        let mut star = Star::new(game.clone(), HashEvaluator, options, table(index));
        let what = format!("{options:?}, depth {depth}");
        assert_star_agrees(&mut star, position, depth, expected, &what);
    }
}

#[test]
fn a_batched_ply_equals_its_leaves_to_the_last_bit() {
    for (number, game) in all_rules().into_iter().enumerate() {
        for (slope, offset) in [
            (SchwarzOdds::SLOPE, SchwarzOdds::OFFSET),
            (0.4, 0.274),
            (3.0, -1.0),
        ] {
            let evaluator = Arc::new(SchwarzOdds::new(&game, slope, offset).unwrap());
            let mut cache = Default::default();
            for position in random_positions(&game, 2_000, 30 + number as u64) {
                let batched = evaluator.one_ply(&game, &position, &mut cache);
                let slow = OneByOne(evaluator.clone());
                let mut leaf_by_leaf = Star::new(
                    game.clone(),
                    slow,
                    options_with_pruning(Pruning::None),
                    None,
                );
                let value = full(&mut leaf_by_leaf, &position, 1).lower;
                assert_eq!(batched, value, "{}", game.format_position(&position, None));
                let stats = leaf_by_leaf.take_stats();
                let moves = game.count_moves(&position);
                assert_eq!(
                    (u64::from(moves.total), u64::from(moves.nonterminal)),
                    (stats.nodes, stats.evaluations)
                );
            }
        }
    }
}

fn deepening(
    options: StarOptions,
    depth: u32,
    table: Option<Arc<Table>>,
    threads: usize,
) -> DeepeningSearch<Standard> {
    let game = Standard::default();
    let (evaluator, limits) = (schwarz(&game), SearchLimits::to_depth(depth));
    let deepening = DeepeningOptions::default();
    DeepeningSearch::new(game, evaluator, options, deepening, limits, table, threads)
}

#[test]
fn two_threads_find_what_one_finds() {
    let game = Standard::default();
    for (index, position) in random_positions(&game, 60, 23).iter().enumerate() {
        let depth = 4 + index as u32 % 2;
        let [mut one, mut two] = [1, 2].map(|threads| {
            let table = table_of(1 << (4 * (index % 4)), POLICIES[index % 4]);
            deepening(StarOptions::default(), depth, Some(table), threads)
        });
        assert_near(two.value(position), one.value(position), 1e-6, position);
        let moves = moves_of(&game, position);
        let best = one.best_move(position, &moves).1;
        assert_near(two.best_move(position, &moves).1, best, 1e-6, position);
    }
}

#[test]
fn probcut_is_rarely_wrong_and_never_about_proofs() {
    let game = Standard::default();
    let evaluator = schwarz(&game);
    let star = |probcut| {
        let options = StarOptions {
            probcut,
            ..StarOptions::default()
        };
        let table = Some(table_of_size(1 << 14));
        Star::new(game.clone(), evaluator.clone(), options, table)
    };
    let (mut exact, mut selective, mut unbelieving) =
        (star(None), star(Some(2.0)), star(Some(1000.0)));
    let (mut windows, mut wrong, mut proven) = (0, 0, 0);
    let endgames = [
        "..1../...../...../...../..a.. r -",
        "...../.3.../...f./...../..... r -",
        "...../..2../...../.a.b./..... b -",
    ];
    let endgames = endgames.map(|text| (position(text), 12));
    let positions = random_positions(&game, 300, 77).into_iter();
    let positions = positions.map(|position| (position, 5));
    for (position, depth) in positions.chain(endgames) {
        for search in [&mut exact, &mut selective, &mut unbelieving] {
            search.clear();
        }
        let value = full(&mut exact, &position, depth).lower;
        let same = full(&mut unbelieving, &position, depth).lower;
        assert_eq!(same.to_bits(), value.to_bits());
        for border in [0.2, 0.4, 0.6, 0.8] {
            let (bounds, holds) =
                selective.bounds_and_proof(&position, depth, border, border + 1e-4);
            let right = if value > border {
                bounds.upper > border
            } else {
                bounds.lower < border + 1e-4
            };
            windows += 1;
            wrong += usize::from(!right);
            if holds {
                proven += 1;
                let text = game.format_position(&position, None);
                assert!(
                    bounds.lower - 1e-6 <= value && value <= bounds.upper + 1e-6,
                    "{text}: {bounds:?} is said to be proven, {value}"
                );
            }
        }
    }
    assert!(wrong * 50 < windows, "{wrong} of {windows} are wrong");
    assert!(proven >= 6, "only {proven} proofs were looked at");
    let nodes = [exact, selective].map(|mut search| {
        search.take_stats();
        for text in [MIDDLE, LATER] {
            search.clear();
            full(&mut search, &position(text), 6);
        }
        search.take_stats().nodes
    });
    assert!(nodes[1] * 4 < nodes[0] * 3, "{nodes:?}");
}

const LATER: &str = "..3../1.5../.b6../..e../.a..f r -";

#[test]
fn node_and_evaluation_counts_are_frozen() {
    let mut signature = Vec::new();
    for (cuts, entries) in [
        (Pruning::None, None),
        (Pruning::Star1, None),
        (Pruning::Star2, None),
        (Pruning::Star2, Some(1 << 16)),
    ] {
        let mut search = deepening(options_with_pruning(cuts), 5, entries.map(table_of_size), 1);
        for text in [MIDDLE, LATER, "...../.2.../..e6./.a.../..... r -"] {
            search.clear();
            search.value(&position(text));
        }
        let stats = search.take_stats();
        signature.push((stats.nodes, stats.evaluations));
    }
    assert_eq!(signature, SIGNATURE);
}

/// Nodes and leaves by pruning: none, Star1, Star2, and Star2 with a table.
const SIGNATURE: [(u64, u64); 4] = [
    (1_719_551, 1_600_845),
    (797_197, 740_268),
    (407_048, 375_673),
    (218_126, 194_958),
];
