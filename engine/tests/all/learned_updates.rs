//! Learned evaluators along the lines of a search, back and across them, in every game.

use engine::core::{
    calibration::logistic, evaluator::Evaluator, random::RandomStream, simd::Instructions,
};
use engine::games::{havannah::Havannah, reversi::Reversi, reversixt::ReversiXt};
use engine::learned::{
    inputs::Learnable,
    network::{FloatWeights, Layer, Network},
    tuples::{TupleNetwork, TupleSet},
};
use engine::play::playable::Rules;

fn network<G: Learnable>(game: &G, width: usize, limits: &[u8]) -> Network<G> {
    let groups = G::DEFAULT_FEATURES.iter().copied().collect();
    let slots = game.feature_slots(groups);
    let rows = slots.iter().map(|slot| slot.end).max().unwrap_or(0);
    let mut random = RandomStream::new(5);
    let mut numbers = |count: usize| -> Vec<f32> {
        let number = |_| 0.4 * (random.uniform_f64() as f32 - 0.5);
        (0..count).map(number).collect()
    };
    let buckets = limits.len() + 1;
    let weights = FloatWeights {
        rows: numbers(rows * width),
        bias: numbers(width),
        hidden: vec![Layer {
            weights: numbers(buckets * width * 16),
            bias: numbers(buckets * 16),
        }],
        output: numbers(buckets * 16),
        output_bias: vec![0.0; buckets],
    };
    Network::new(game, groups, limits, weights.quantize().unwrap()).unwrap()
}

/// Plays from positions of earlier lines in any order; new positions take over old caches.
fn check_updates<G: Learnable, E: Evaluator<G>>(game: &G, evaluator: &E, plies: usize) {
    const KEPT: usize = 12;
    let from_scratch =
        |position: &G::Position| logistic(evaluator.raw_score(game, position).unwrap());
    let mut random = RandomStream::new(9);
    let mut kept: Vec<(G::Position, E::Cache)> = Vec::new();
    let mut moves = G::Moves::default();
    for ply in 0..plies {
        if ply % 40 == 0 || kept.is_empty() {
            let start = game.random_start(&mut random, ply / 40 % 2);
            let mut cache = kept.pop().unwrap_or((start, E::Cache::default())).1;
            evaluator.refresh(game, &start, &mut cache);
            kept.push((start, cache));
        }
        let last = kept.len() - 1;
        let parent = match random.below(3) {
            0 => random.below(kept.len()),
            _ => last,
        };
        let mut child = match kept.len() {
            KEPT => {
                kept.swap_remove((parent + 1 + random.below(KEPT - 1)) % KEPT)
                    .1
            }
            _ => E::Cache::default(),
        };
        let parent = parent.min(kept.len() - 1);
        let (position, cache) = &mut kept[parent];
        game.moves(position, &mut moves);
        let mv = moves[random.below(moves.len())];
        let after = game.play(position, mv);
        if game.payoffs(&after).is_some() {
            kept.swap_remove(parent);
            continue;
        }
        evaluator.update(game, cache, position, mv, &after, &mut child);
        assert_eq!(evaluator.value(game, &after, &child), from_scratch(&after));
        assert_eq!(
            evaluator.value(game, position, cache),
            from_scratch(position)
        );
        kept.push((after, child));
    }
}

fn check_game<G: Learnable>(name: &str, plies: usize) {
    let game = G::from_notation(name, None).unwrap();
    for instructions in Instructions::available() {
        // Loops for the first width, vectors for the second.
        for width in [32, 64] {
            let network = network(&game, width, &[6]).with_instructions(instructions);
            check_updates(&game, &network, plies);
        }
    }
    for set in game.tuple_sets() {
        let set = TupleSet::from_name(&game, set.name).unwrap();
        let set = set.with_phases(&[3, 6]).unwrap();
        let weights = (0..set.row_count()).map(|row| (row % 7) as f32 / 700.0 - 0.004);
        let weights = weights.collect();
        check_updates(&game, &TupleNetwork::new(set, weights, 0.1).unwrap(), plies);
    }
}

#[test]
fn updates_from_any_earlier_position_give_the_values_from_scratch() {
    check_game::<Reversi>("reversi(size=4)", 2_000);
    check_game::<Reversi>("reversi", 2_000);
    check_game::<Havannah>("havannah(base=4, swap=on)", 2_000);
    check_game::<Havannah>("havannah", 2_000);
    check_game::<ReversiXt>("reversixt", 2_000);
    #[cfg(feature = "test-game")]
    check_game::<engine::games::example_game::Columns>("columns", 2_000);
}

#[test]
fn updates_follow_more_than_two_seats() {
    for name in ["reversixt(map=three)", "reversixt(map=four)"] {
        let game = ReversiXt::from_notation(name, None).unwrap();
        check_updates(&game, &network(&game, 64, &[6]), 2_000);
    }
}
