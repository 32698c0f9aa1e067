//! Alpha-beta searches of games without chance against plain minimax, and ProbCut.

use engine::core::{
    evaluator::Evaluator,
    game::Game,
    limits::Limits,
    probcut::{MIN_DEPTH, ProbcutErrors, SearchError, shallow_depths},
    random::RandomStream,
};
use engine::games::{havannah::Havannah, reversi::Reversi};
use engine::play::{
    build::{PlayerRecipe, parse_evaluator},
    playable::Playable,
    player_notation::trusted_text,
    registry::EvaluatorPointer,
};
use engine::search::{
    Search,
    deepening::{DeepeningOptions, DeepeningSearch},
    limits::SearchLimits,
    star::StarOptions,
    table::{DepthPolicy, Replacement, Table},
};
use std::sync::Arc;

fn random_positions<G: Playable>(game: &G, count: usize) -> Vec<G::Position> {
    let mut random = RandomStream::new(11);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.random_start(&mut random, 0);
        for _ in 0..random.below(30) {
            if game.payoffs(&position).is_none() {
                position = game.play(&position, game.sample_move(&position, random.next_u64()));
            }
        }
        if game.payoffs(&position).is_none() {
            positions.push(position);
        }
    }
    positions
}

fn check_values<G: Playable>(name: &str, evaluator: &str, depths: &[u32], count: usize) {
    let game = G::from_notation(name, None).unwrap();
    for position in random_positions(&game, count) {
        let mut moves = G::Moves::default();
        game.moves(&position, &mut moves);
        for depth in depths {
            let decide = |player: &str, options: &str| {
                let player = format!("{player}(depth={depth}, eval={evaluator}{options})");
                let recipe = PlayerRecipe::parse(trusted_text(&player), &game).unwrap();
                let mut player = recipe.make();
                let found = player.decide(&position, &moves, &Limits::NONE).unwrap();
                let value = player.value(&position, &Limits::NONE).value.unwrap();
                let values = player.analyse(&position, None, &Limits::NONE).unwrap();
                let values = values.moves.iter().map(|rated| rated.value.unwrap());
                (
                    found.best,
                    found.value.unwrap(),
                    value,
                    values.collect::<Vec<f32>>(),
                )
            };
            let (best, value, root, values) = decide("textbook", "");
            for options in [
                "",
                ", table=0",
                ", order=none",
                ", aspiration=0.02",
                ", step=1",
            ] {
                let found = decide("star2", options);
                let near = |one: f32, other: f32| (one - other).abs() < 1e-5;
                assert!(
                    near(found.1, value) && near(found.2, root),
                    "{name} {options}"
                );
                let mut pairs = found.3.iter().zip(&values);
                assert!(pairs.all(|(&one, &other)| near(one, other)));
                // Moves whose values differ by rounding alone may both be the best.
                let index = |mv| moves.iter().position(|other| *other == mv).unwrap();
                assert!(near(values[index(found.0)], values[index(best)]));
            }
        }
    }
}

#[test]
fn values_are_those_of_minimax() {
    check_values::<Reversi>("reversi", "squares", &[1, 2, 3, 4], 25);
    check_values::<Reversi>("reversi(score=discs)", "mobility", &[2, 3, 4], 25);
    check_values::<Reversi>("reversi(size=4)", "discs", &[3, 5], 40);
    check_values::<Havannah>("havannah(base=4)", "needs", &[1, 2, 3], 10);
}

/// An evaluator with measured errors.
#[derive(Clone)]
struct Measured {
    evaluator: EvaluatorPointer<Reversi>,
    errors: ProbcutErrors,
}

impl Evaluator<Reversi> for Measured {
    type Cache = ();

    fn value(&self, game: &Reversi, position: &<Reversi as Game>::Position, (): &()) -> f32 {
        self.evaluator.value_of(game, position)
    }

    fn probcut_errors(&self) -> Option<&ProbcutErrors> {
        Some(&self.errors)
    }
}

#[test]
fn probcut_saves_nodes_and_changes_values_little() {
    let game = Reversi::EIGHT;
    let evaluator = parse_evaluator(trusted_text("squares"), &game).unwrap();
    let error = SearchError {
        mean: 0.0,
        deviation: 0.1,
    };
    let of_depth = |depth| shallow_depths(depth).map(|_| error).collect();
    let measured = Measured {
        evaluator: EvaluatorPointer(evaluator),
        errors: ProbcutErrors {
            moves_per_stage: 100,
            stages: vec![(MIN_DEPTH..=6).map(of_depth).collect()],
        },
    };
    let positions = random_positions(&game, 20);
    let search = |probcut| {
        let options = StarOptions {
            probcut,
            ..StarOptions::default()
        };
        let table = Table::with_entries(1 << 16, Replacement::Bucketed, DepthPolicy::SameDepth);
        let (limits, deepening) = (SearchLimits::to_depth(6), DeepeningOptions::default());
        let table = table.map(Arc::new);
        DeepeningSearch::new(game, measured.clone(), options, deepening, limits, table, 1)
    };
    let values = |probcut| {
        let mut search = search(probcut);
        let value = |position| search.value(position);
        let values: Vec<f32> = positions.iter().map(value).collect();
        (values, search.take_stats().nodes)
    };
    let (exact, all_nodes) = values(None);
    let (selective, nodes) = values(Some(1.0));
    assert!(4 * nodes < 3 * all_nodes, "{nodes} of {all_nodes}");
    let differences = exact
        .iter()
        .zip(&selective)
        .map(|(one, other)| (one - other).abs());
    assert!(differences.sum::<f32>() / (exact.len() as f32) < 0.03);
    // Errors beyond all values leave nothing to cut.
    assert_eq!(values(Some(1e6)).0, exact);
}
