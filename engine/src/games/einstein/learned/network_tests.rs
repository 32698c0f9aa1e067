//! Inference against a naive forward pass in `f64`, updates against refreshes, one instruction set
//! against another.

use super::Network;
use crate::core::{evaluator::Evaluator, game::Game, simd::Instructions};
use crate::games::einstein::{
    Move, Position, Standard,
    dice::RandomStream,
    evaluators::test_support,
    inputs::{DenseFeatures, FeatureGroup, FeatureGroups, SPARSE_ROWS, sparse},
};
use crate::learned::{
    inputs::DenseInputs,
    network::{Accumulators, Head, HeadWeights, Heads, Layer, MAX_SPARSE, NetworkWeights},
};

pub(crate) fn random_weights(groups: FeatureGroups, widths: &[usize], seed: u64) -> NetworkWeights {
    let mut random = RandomStream::new(seed);
    let mut numbers = |count: usize, scale: f64| -> Vec<f32> {
        (0..count)
            .map(|_| ((random.unit() - 0.5) * scale) as f32)
            .collect()
    };
    let first = widths[0];
    NetworkWeights {
        sparse: numbers(SPARSE_ROWS * first, 0.6),
        dense: numbers(groups.inputs() * first, 0.4),
        bias: numbers(first, 1.0).iter().map(|bias| bias + 0.3).collect(),
        hidden: widths
            .windows(2)
            .map(|pair| Layer {
                weights: numbers(pair[0] * pair[1], 4.0 / (pair[0] as f64).sqrt()),
                bias: numbers(pair[1], 0.5),
            })
            .collect(),
        output: numbers(widths[widths.len() - 1], 1.5),
        output_bias: 0.125,
        heads: HeadWeights::default(),
    }
}

/// Runs through random games: `visit(before, move, after)` for every move, the one that ends the
/// game included.
fn random_games(games: usize, mut visit: impl FnMut(&Position, Move, &Position)) {
    let game = Standard::default();
    let mut random = RandomStream::new(47);
    for index in 0..games {
        let mut position = game.random_start(&mut random, index % 2);
        while game.winner(&position).is_none() {
            let mv = game.random_move(&position, random.next_u64());
            let after = game.play(&position, mv);
            visit(&position, mv, &after);
            position = after;
        }
    }
}

pub(crate) fn random_heads(last: usize, seed: u64) -> HeadWeights {
    let mut random = RandomStream::new(seed);
    let mut layer = |outputs: usize| {
        let mut numbers =
            |count: usize| -> Vec<f32> { (0..count).map(|_| random.unit() as f32 - 0.4).collect() };
        Some(Layer {
            weights: numbers(last * outputs),
            bias: numbers(outputs),
        })
    };
    HeadWeights {
        rolls: layer(6),
        moves_to_go: layer(1),
    }
}

fn logistic_of(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// A linear layer on the last hidden layer: the definition, neuron by neuron, on the unrounded
/// weights.
fn naive_outputs(
    groups: FeatureGroups,
    weights: &NetworkWeights,
    position: &Position,
    output: &Layer,
) -> Vec<f64> {
    let game = Standard::default();
    let features = DenseFeatures::new(&game, groups);
    let mut dense = vec![0.0; features.len()];
    features.fill(&game, position, &mut dense);
    let mut inputs = vec![0.0f64; SPARSE_ROWS];
    for row in sparse(position) {
        inputs[usize::from(row)] = 1.0;
    }
    inputs.extend(dense.iter().map(|value| f64::from(*value)));
    let first = Layer {
        weights: [&weights.sparse[..], &weights.dense].concat(),
        bias: weights.bias.clone(),
    };
    let outputs = |inputs: &[f64], layer: &Layer| -> Vec<f64> {
        let neurons = layer.bias.iter().enumerate();
        neurons
            .map(|(neuron, &bias)| {
                let own = layer.weights[neuron..].iter().step_by(layer.bias.len());
                let products = inputs.iter().zip(own).map(|(x, &w)| x * f64::from(w));
                products.sum::<f64>() + f64::from(bias)
            })
            .collect()
    };
    for layer in std::iter::once(&first).chain(&weights.hidden) {
        inputs = outputs(&inputs, layer);
        inputs
            .iter_mut()
            .for_each(|value| *value = value.clamp(0.0, 1.0));
    }
    outputs(&inputs, output)
}

fn fresh(network: &Network, position: &Position) -> Accumulators {
    let mut cache = Accumulators::default();
    network.refresh(&Standard::default(), position, &mut cache);
    cache
}

fn network(groups: FeatureGroups, widths: &[usize], seed: u64) -> Network {
    let weights = random_weights(groups, widths, seed);
    Network::new(&Standard::default(), groups, weights).unwrap()
}

const SHAPES: [&[usize]; 5] = [&[16], &[64, 32], &[48, 16, 32], &[256, 32], &[112, 144, 16]];

fn some_groups() -> [FeatureGroups; 4] {
    let mobility = FeatureGroups::NONE.with(FeatureGroup::Mobility);
    [
        FeatureGroups::NONE,
        mobility,
        mobility
            .with(FeatureGroup::Material)
            .with(FeatureGroup::RaceSummary),
        FeatureGroups::ALL,
    ]
}

#[test]
fn values_equal_the_naive_forward_pass() {
    let game = Standard::default();
    for (shape, groups) in SHAPES.into_iter().zip(some_groups().into_iter().cycle()) {
        let network = network(groups, shape, 3);
        let weights = random_weights(groups, shape, 3);
        let output = Layer {
            weights: weights.output.clone(),
            bias: vec![weights.output_bias],
        };
        let mut spread = [1.0f32, 0.0];
        random_games(4, |position, _, _| {
            let value = network.value_of(&game, position);
            let expected = logistic_of(naive_outputs(groups, &weights, position, &output)[0]);
            assert!(
                (f64::from(value) - expected).abs() < 1e-5,
                "{shape:?}: {value} {expected}"
            );
            spread = [spread[0].min(value), spread[1].max(value)];
        });
        assert!(
            spread[1] - spread[0] > 0.02,
            "{shape:?}: values hardly differ, the test would see nothing: {spread:?}"
        );
    }
}

#[test]
fn heads_are_the_naive_forward_pass_and_leave_the_value_alone() {
    let game = Standard::default();
    for (shape, groups) in SHAPES.into_iter().zip(some_groups()) {
        let weights = NetworkWeights {
            heads: random_heads(shape[shape.len() - 1], 8),
            ..random_weights(groups, shape, 3)
        };
        let heads = &weights.heads;
        let (rolls, moves) = (
            heads.rolls.as_ref().unwrap(),
            heads.moves_to_go.as_ref().unwrap(),
        );
        let plain = network(groups, shape, 3);
        let network = Network::new(&game, groups, weights.clone()).unwrap();
        assert_eq!((plain.heads(), network.heads()), (Heads::NONE, Heads::ALL));
        random_games(3, |position, _, _| {
            let cache = fresh(&network, position);
            assert_eq!(
                network.logit(&game, position, &cache).to_bits(),
                plain.logit(&game, position, &cache).to_bits()
            );
            let heads = |network: &Network| {
                (
                    network.rolls(&game, position),
                    network.moves_to_go(&game, position),
                )
            };
            assert_eq!(heads(&plain), (None, None));
            let found = network.rolls(&game, position).unwrap();
            let logits = naive_outputs(groups, &weights, position, rolls);
            for (found, logit) in found.iter().zip(logits) {
                assert!(
                    (f64::from(*found) - logistic_of(logit)).abs() < 1e-5,
                    "{shape:?}: {found} {logit}"
                );
            }
            let plies = 16.0 * naive_outputs(groups, &weights, position, moves)[0];
            let found = network.moves_to_go(&game, position).unwrap();
            assert!(
                (f64::from(found) - plies.max(1.0)).abs() < 1e-3,
                "{shape:?}: {found} {plies}"
            );
            for set in Instructions::available() {
                assert_eq!(heads(&network.clone().on(set)), heads(&network));
            }
        });
    }
}

/// Sixteen neurons that nothing switches on.
fn no_weights() -> NetworkWeights {
    NetworkWeights {
        sparse: vec![0.0; SPARSE_ROWS * 16],
        bias: vec![0.0; 16],
        output: vec![0.0; 16],
        ..NetworkWeights::default()
    }
}

#[test]
fn heads_by_hand() {
    // Neuron 0 is 0.75: face 3 gets the logit 4 · 0.75 - 3 = 0, the others their bias; 16 · (0.5 +
    // 0.75) plies to go.
    let mut weights = NetworkWeights {
        bias: vec![0.75; 16],
        heads: HeadWeights {
            rolls: Some(Layer {
                weights: vec![0.0; 96],
                bias: vec![1.0, -1.0, -3.0, 0.0, 20.0, -20.0],
            }),
            moves_to_go: Some(Layer {
                weights: vec![0.0; 16],
                bias: vec![0.5],
            }),
        },
        ..no_weights()
    };
    weights.heads.rolls.as_mut().unwrap().weights[2] = 4.0;
    weights.heads.moves_to_go.as_mut().unwrap().weights[15] = 1.0;
    let game = Standard::default();
    let network = Network::new(&game, FeatureGroups::NONE, weights).unwrap();
    let position = game.start([0, 0], 0);
    let rolls = network.rolls(&game, &position).unwrap();
    let e = 1.0f32.exp();
    for (found, expected) in rolls
        .iter()
        .zip([e / (1.0 + e), 1.0 / (1.0 + e), 0.5, 0.5, 1.0, 0.0])
    {
        assert!((found - expected).abs() < 2e-6, "{rolls:?}");
    }
    assert_eq!(network.moves_to_go(&game, &position), Some(20.0));
}

#[test]
fn sets_of_heads_are_their_names() {
    for (heads, names) in [
        (Heads::NONE, ""),
        (Heads::NONE.with(Head::MovesToGo), "moves_to_go"),
        (Heads::ALL, "rolls,moves_to_go"),
    ] {
        assert_eq!(heads.names(), names);
        assert_eq!(Heads::from_names(names), Ok(heads));
        assert_eq!(
            serde_json::from_str::<Heads>(&serde_json::to_string(&heads).unwrap()).unwrap(),
            heads
        );
    }
    assert_eq!(
        Heads::from_names("rolls,colour").unwrap_err().to_string(),
        "'colour' is no head of a network; there are rolls, moves_to_go"
    );
}

#[test]
fn following_moves_equals_starting_afresh_to_the_last_bit() {
    let game = Standard::default();
    for (shape, groups) in SHAPES.into_iter().zip(some_groups()) {
        let network = network(groups, shape, 4);
        let (mut cache, mut child) = (Accumulators::default(), Accumulators::default());
        let (mut captures_of_others, mut captures_of_own) = (0, 0);
        let mut expected_before = None;
        random_games(60, |before, mv, after| {
            if expected_before != Some(*before) {
                network.refresh(&game, before, &mut cache);
            }
            network.update(&game, &cache, before, mv, after, &mut child);
            assert_eq!(child, fresh(&network, after));
            captures_of_others += usize::from(after.mover().count() < before.other().count());
            captures_of_own += usize::from(after.other().count() < before.mover().count());
            std::mem::swap(&mut cache, &mut child);
            expected_before = Some(*after);
        });
        assert!(captures_of_others > 50 && captures_of_own > 50);
    }
}

#[test]
fn an_update_from_a_cache_never_filled_is_a_refresh() {
    let game = Standard::default();
    let network = network(FeatureGroups::NONE, &[16], 4);
    random_games(1, |before, mv, after| {
        let (never, mut child) = (Accumulators::default(), Accumulators::default());
        network.update(&game, &never, before, mv, after, &mut child);
        assert_eq!(child, fresh(&network, after));
    });
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let game = Standard::default();
    for (shape, groups) in SHAPES.into_iter().zip(some_groups().into_iter().rev()) {
        let portable = network(groups, shape, 6).on(Instructions::PORTABLE);
        for set in Instructions::available() {
            let network = portable.clone().on(set);
            random_games(10, |before, mv, after| {
                let found = fresh(&network, before);
                assert_eq!(found, fresh(&portable, before));
                let mut child = Accumulators::default();
                network.update(&game, &found, before, mv, after, &mut child);
                for (position, cache) in [(before, &found), (after, &child)] {
                    assert_eq!(
                        network.logit(&game, position, cache).to_bits(),
                        portable.logit(&game, position, cache).to_bits()
                    );
                }
            });
        }
    }
}

#[test]
fn a_neuron_by_hand() {
    // One stone of the mover on its square 12 switches neuron 0 on by 0.5; the bias adds 0.25; the
    // output is 2 · 0.75 - 1.
    let mut weights = no_weights();
    weights.output_bias = -1.0;
    weights.sparse[12 * 16] = 0.5;
    weights.bias[0] = 0.25;
    weights.output[0] = 2.0;
    let game = Standard::default();
    let network = Network::new(&game, FeatureGroups::NONE, weights).unwrap();
    let logit = |text: &str| {
        let position = test_support::position(text);
        network.logit(&game, &position, &fresh(&network, &position))
    };
    assert_eq!(logit("...../...../..1../...../....a r -"), 0.5);
    assert_eq!(logit("...../...../..1../...../....a b -"), -0.5);
    assert_eq!(logit("1..../...../..a../...../..... b -"), 0.5);
}

#[test]
fn impossible_weights_are_refused() {
    let (game, groups) = (
        Standard::default(),
        FeatureGroups::NONE.with(FeatureGroup::Material),
    );
    let good = || random_weights(groups, &[32, 16], 1);
    assert!(Network::new(&game, groups, good()).is_ok());
    fn moves_to_go(bias: &[f32]) -> Option<Layer> {
        Some(Layer {
            weights: vec![0.0; 16],
            bias: bias.to_vec(),
        })
    }
    type Spoil = fn(&mut NetworkWeights);
    let cases: [(Spoil, &str); 13] = [
        (
            |w| w.sparse.truncate(5),
            "tensor sparse has 5 weights; 9984 belong there",
        ),
        (
            |w| w.dense.push(0.0),
            "tensor dense has 65 weights; 64 belong there",
        ),
        (
            |w| w.output.truncate(15),
            "tensor output.weight has 15 weights; 16 belong there",
        ),
        (
            |w| w.hidden[0].weights.clear(),
            "tensor hidden2.weight has 0 weights; 512 belong there",
        ),
        (
            |w| w.bias.truncate(20),
            "hidden layer 1 has 20 neurons; widths are multiples of 16 up to 1024",
        ),
        (
            |w| w.hidden = vec![Layer::default(); 3],
            "4 hidden layers; there can be 1 to 3",
        ),
        (
            |w| w.heads = random_heads(15, 1),
            "tensor rolls.weight has 90 weights; 96 belong there",
        ),
        (
            |w| w.heads.moves_to_go = moves_to_go(&[]),
            "tensor moves_to_go.bias has 0 weights; 1 belong there",
        ),
        (
            |w| w.heads.moves_to_go = moves_to_go(&[f32::NAN]),
            "tensor moves_to_go.bias holds NaN at 0; weights lie within ±1000000",
        ),
        (
            |w| w.sparse[3] = 128.5,
            "tensor sparse holds 128.5 at 3; weights lie within ±128",
        ),
        (
            |w| w.sparse[3] = f32::NAN,
            "tensor sparse holds NaN at 3; weights lie within ±128",
        ),
        (
            |w| w.hidden[0].bias[2] = f32::INFINITY,
            "tensor hidden2.bias holds inf at 2; weights lie within ±1000000",
        ),
        (
            |w| w.output_bias = f32::NAN,
            "tensor output.bias holds NaN at 0; weights lie within ±1000000",
        ),
    ];
    for (spoil, expected) in cases {
        let mut weights = good();
        spoil(&mut weights);
        let error = Network::new(&game, groups, weights).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_largest_sparse_weights_do_not_overflow() {
    let mut weights = random_weights(FeatureGroups::NONE, &[16], 1);
    weights.sparse.fill(128.0);
    let network = Network::new(&Standard::default(), FeatureGroups::NONE, weights).unwrap();
    let position = Standard::default().start([0, 0], 0);
    let cache = fresh(&network, &position);
    assert!(cache.seen_by(0).iter().all(|sum| *sum == 12 * MAX_SPARSE));
}
