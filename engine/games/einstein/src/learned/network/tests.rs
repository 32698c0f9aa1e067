//! Inference against a plain forward pass, batches against single positions, and all instructions.

use super::{
    features::{FeatureGroup, feature_slots, fill, layout_text},
    *,
};
use crate::{
    Variant,
    dice::RandomStream,
    evaluators::{
        race_tables::{NUM_DISTANCE_VECTORS, RaceTables, distance_index},
        test_support::{
            Board, SlowRace, allowed_labels, impossible_positions, mean, random_positions,
            reference_one_ply,
        },
    },
};
use alea_core::{evaluator::Evaluator, search_game::Playouts, simd::SimdLevel};
use alea_learned::{
    inputs::Learnable,
    named_set::Named,
    network::{ACTIVATION_MAX, FloatWeights, LOGIT_SCALE, Layer, SHIFT},
};

pub(crate) fn random_weights(
    groups: FeatureGroups,
    widths: &[usize],
    buckets: usize,
    seed: u64,
) -> NetworkWeights {
    fn numbers<T>(random: &mut RandomStream, count: usize, max_value: i16) -> Vec<T>
    where
        i16: TryInto<T, Error: std::fmt::Debug>,
    {
        let mut number = || random.below(2 * max_value as usize + 1) as i16 - max_value;
        (0..count).map(|_| number().try_into().unwrap()).collect()
    }
    let random = &mut RandomStream::new(seed);
    let (first, last) = (widths[0], widths[widths.len() - 1]);
    let rows = feature_slots(groups).last().unwrap().end;
    NetworkWeights {
        rows: numbers(random, rows * first, 900),
        bias: numbers(random, first, 2000),
        hidden: widths
            .windows(2)
            .map(|pair| Layer {
                weights: numbers(random, buckets * pair[0] * pair[1], 127),
                bias: numbers(random, buckets * pair[1], 8000),
            })
            .collect(),
        outputs: 1,
        output: numbers(random, buckets * last, 2000),
        output_bias: numbers(random, buckets, 16_000),
    }
}

const BUCKET_LIMITS: [u8; 3] = [4, 6, 9];

fn network(groups: FeatureGroups, weights: NetworkWeights) -> Network {
    let bounds = &BUCKET_LIMITS[..weights.buckets() - 1];
    Network::new(&Standard::default(), groups, bounds, weights).unwrap()
}

fn on_all_instructions(groups: FeatureGroups, weights: &NetworkWeights) -> Vec<Network> {
    let network = network(groups, weights.clone());
    Instructions::available()
        .map(|set| network.clone().with_instructions(set))
        .collect()
}

fn logit(network: &Network, position: &Position) -> i32 {
    EinSteinNetKernels::logit(
        network,
        &Standard::default(),
        position,
        &Successors::default(),
    )
}

fn check_logits(groups: FeatureGroups, weights: &NetworkWeights, positions: &[Position]) {
    let networks = on_all_instructions(groups, weights);
    for position in positions {
        let expected = defined_logit(groups, weights, position);
        for network in &networks {
            for found in [
                logit(network, position),
                network.logit_from_scratch(&Standard::default(), position),
            ] {
                assert_eq!(i64::from(found), expected, "{:?}", network.instructions());
            }
        }
    }
}

fn simd_network(network: &Network) -> Option<&SimdNetwork> {
    network.kernels().0.as_deref()
}

fn default_groups() -> FeatureGroups {
    Standard::DEFAULT_FEATURES.iter().copied().collect()
}

fn defined_layer(groups: FeatureGroups, weights: &NetworkWeights, position: &Position) -> Vec<i64> {
    let first = weights.bias.len();
    let mut rows = vec![0; feature_slots(groups).len()];
    fill(groups, position, &mut rows);
    let x = (0..first).map(|neuron| {
        let weight = |&row| i64::from(weights.rows[usize::from(row) * first + neuron]);
        let sum: i64 = rows.iter().map(weight).sum();
        (sum + i64::from(weights.bias[neuron]))
            .div_euclid(16)
            .clamp(0, 127)
    });
    let mut x: Vec<i64> = x.map(|x| 64 * x).collect();
    let bucket = bucket_of(weights, position);
    for layer in &weights.hidden {
        let width = layer.bias.len() / weights.buckets();
        let matrix = &layer.weights[bucket * x.len() * width..][..x.len() * width];
        x.iter_mut().for_each(|x| *x = (*x + 32).div_euclid(64));
        let neurons = layer.bias[bucket * width..][..width].iter().enumerate();
        let sum = |(neuron, bias): (usize, &i32)| {
            let own = matrix[neuron..].iter().step_by(width);
            let products = x.iter().zip(own).map(|(x, &weight)| x * i64::from(weight));
            (products.sum::<i64>() + i64::from(*bias)).clamp(0, 8128)
        };
        x = neurons.map(sum).collect();
    }
    x
}

fn bucket_of(weights: &NetworkWeights, position: &Position) -> usize {
    let bounds = BUCKET_LIMITS[..weights.buckets() - 1].iter();
    bounds
        .filter(|&&bound| position.num_stones() > u32::from(bound))
        .count()
}

fn defined_logit(groups: FeatureGroups, weights: &NetworkWeights, position: &Position) -> i64 {
    let bucket = bucket_of(weights, position);
    let last = defined_layer(groups, weights, position);
    let output = &weights.output[bucket * last.len()..];
    let products = last
        .iter()
        .zip(output)
        .map(|(y, weight)| y * i64::from(*weight));
    i64::from(weights.output_bias[bucket]) + products.sum::<i64>()
}

#[test]
fn kernels_are_left_out_where_sums_may_exceed_sixteen_bits() {
    let mut wide = random_weights(FeatureGroups::NONE, &[64, 16], 1, 1);
    wide.bias[3] = i16::MAX;
    assert!(simd_network(&network(FeatureGroups::NONE, wide.clone())).is_none());
    check_logits(
        FeatureGroups::NONE,
        &wide,
        &random_positions(&Standard::default(), 37, 100),
    );
}

#[test]
fn impossible_positions_are_harmless() {
    let game = Standard::default();
    let groups = FeatureGroups::ALL;
    for network in on_all_instructions(groups, &random_weights(groups, &[64, 32], 3, 10)) {
        let mut used = Successors::default();
        for position in impossible_positions(600) {
            let found = network.one_ply(&game, &position, &mut used);
            assert!(found.is_finite() || game.count_moves(&position).total == 0);
            assert_eq!(
                found,
                network.one_ply(&game, &position, &mut Successors::default()),
                "{position:?}"
            );
        }
    }
}

#[test]
fn inputs_follow_from_the_board() {
    let game = Standard::default();
    let groups = default_groups();
    assert_eq!(
        (
            num_side_features(groups),
            super::features::feature_slots(groups).len()
        ),
        (156 + 906 + 48 + 64, 2 * 14)
    );
    let mut race = SlowRace::new(&game);
    for position in random_positions(&game, 34, 400) {
        let mut rows = vec![u16::MAX; 28];
        fill(groups, &position, &mut rows);
        let board = Board::from_position(&game, &position);
        for (rows, (red, first)) in rows
            .chunks(14)
            .zip([(board.red_to_move, 0), (!board.red_to_move, 1174)])
        {
            let stones = board.side(red);
            let living: Vec<usize> = stones.iter().map(|stone| stone.label).collect();
            let mut expected = [25usize; 6];
            let mut mobility = [150usize; 6];
            for stone in &stones {
                let (row, column) = stone.in_perspective(red);
                let square = (5 * row + column) as usize;
                let permits = |&face: &usize| {
                    allowed_labels(Variant::Classic, &living, face).contains(&stone.label)
                };
                let faces = (1..=6).filter(permits).count();
                expected[stone.label - 1] = square;
                mobility[stone.label - 1] = 25 * (faces - 1) + square;
            }
            let squares = (0..)
                .zip(expected)
                .map(|(stone, feature)| 26 * stone + feature);
            let mobility = (0..)
                .zip(mobility)
                .map(|(stone, feature)| 156 + 151 * stone + feature);
            let turns = mean(&race.distribution(&stones));
            let alive: usize = living.iter().map(|label| 1 << (label - 1)).sum();
            let expected: Vec<usize> = squares
                .chain(mobility)
                .chain([
                    156 + 906 + (4.0 * turns + 4e-6).floor() as usize,
                    156 + 906 + 48 + alive,
                ])
                .collect();
            let found: Vec<usize> = rows.iter().map(|&row| usize::from(row) - first).collect();
            assert_eq!(found, expected, "{}", game.format_position(&position, None));
        }
    }
}

#[test]
fn inputs_of_races_and_contact_follow_from_the_board() {
    let game = Standard::default();
    let groups: FeatureGroups = [
        FeatureGroup::RaceDistribution,
        FeatureGroup::Race,
        FeatureGroup::Contact,
    ]
    .into_iter()
    .collect();
    let (mut race, tables) = (SlowRace::new(&game), RaceTables::for_game(&game));
    let mut captures = 0;
    for position in random_positions(&game, 34, 400) {
        let mut rows = vec![u16::MAX; feature_slots(groups).len()];
        fill(groups, &position, &mut rows);
        let board = Board::from_position(&game, &position);
        let colours = [board.red_to_move, !board.red_to_move];
        let turn_classes = colours.map(|red| {
            let distribution = race.distribution(&board.side(red));
            let mean = mean(&distribution);
            let index = distance_index(position.side(usize::from(!red)));
            let mass = tables.probabilities(index).into_iter().zip(0..);
            let squares = mass.map(|(p, turns)| f64::from(p) * (f64::from(turns) - mean).powi(2));
            let deviation = squares.sum::<f64>().sqrt();
            let turn_classes = (4.0 * mean + 4e-6).floor() as usize;
            (
                turn_classes,
                ((6.0 * deviation + 6e-6).floor() as usize).min(15),
            )
        });
        for (number, (turn_classes, spread)) in turn_classes.into_iter().enumerate() {
            let row = usize::from(rows[7 * number + 6]);
            let first = number * num_side_features(groups) + 156;
            assert_eq!(row - first, 16 * turn_classes + spread);
        }
        let first = 2 * num_side_features(groups);
        let [(own, _), (other, _)] = turn_classes;
        let expected = 32 * own.min(31) + other.min(31);
        assert_eq!(usize::from(rows[14]) - first, expected);
        let mut expected = vec![64; 12];
        for (number, red) in colours.into_iter().enumerate() {
            let squares = |owner: bool| -> Vec<(i32, i32)> {
                board
                    .side(owner)
                    .iter()
                    .map(|stone| stone.in_perspective(red))
                    .collect()
            };
            let both = [squares(red), squares(!red)];
            for stone in board.side(red) {
                let (row, column) = stone.in_perspective(red);
                let destinations = [(row, column + 1), (row + 1, column), (row + 1, column + 1)];
                let bits = both
                    .iter()
                    .flat_map(|side| destinations.map(|square| side.contains(&square)));
                let code: usize = bits
                    .enumerate()
                    .map(|(bit, on)| usize::from(on) << bit)
                    .sum();
                expected[6 * number + stone.label - 1] = code;
                captures += usize::from(code > 7);
            }
        }
        for (feature, expected) in expected.into_iter().enumerate() {
            let found = usize::from(rows[15 + feature]) - first - 1024 - 65 * feature;
            assert_eq!(found, expected, "{}", game.format_position(&position, None));
        }
    }
    assert!(captures > 100);
}

#[test]
fn no_race_is_longer_than_the_classes_of_turns() {
    let race = RaceTables::for_game(&Standard::default());
    let max_value = (1..NUM_DISTANCE_VECTORS)
        .map(|index| race.expected_turns_f64(index))
        .fold(0.0, f64::max);
    assert!(max_value > 6.0 && 4.0 * max_value < 47.0, "{max_value}");
}

#[test]
fn values_never_fall_when_logits_rise() {
    // The slope is largest in the middle, rounding matters most at the ends.
    let mut last = 0.0;
    for coarse in (-24 * (LOGIT_SCALE >> 5)..=24 * (LOGIT_SCALE >> 5)).step_by(1) {
        let value = win_probability(coarse << 5);
        assert!(value >= last, "{coarse}: {value} after {last}");
        last = value;
    }
    assert_eq!((win_probability(0), last), (0.5, 1.0 - 1e-6));
    assert_eq!(win_probability(i32::MAX), last);
    assert_eq!(win_probability(i32::MIN), 1e-6);
}

#[test]
fn impossible_weights_are_refused() {
    let groups = FeatureGroups::NONE;
    let good = || random_weights(groups, &[64, 32, 16], 2, 1);
    let new = |weights| Network::new(&Standard::default(), groups, [6], weights);
    assert!(new(good()).is_ok());
    type Spoil = fn(&mut NetworkWeights);
    let cases: [(Spoil, &str); 9] = [
        (
            |w| w.rows.truncate(5),
            "tensor rows has 5 weights; 19968 belong there",
        ),
        (
            |w| w.hidden[0].weights.push(0),
            "tensor hidden2.weight has 4097 weights; 4096 belong there",
        ),
        (
            |w| w.hidden[1].weights.clear(),
            "tensor hidden3.weight has 0 weights; 1024 belong there",
        ),
        (
            |w| w.output.truncate(15),
            "tensor output.weight has 15 weights; 32 belong there",
        ),
        (
            |w| w.output_bias.truncate(1),
            "tensor output.bias has 1 weights; 2 belong there",
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
            |w| w.hidden[1].bias[2] = i32::MIN,
            "the sum of neuron 2 of hidden layer 3 may reach 2148003840; at most 2147483647 is allowed",
        ),
        (|w| w.output.fill(i16::MIN), "the logit may reach 426"),
    ];
    for (spoil, start) in cases {
        let mut weights = good();
        spoil(&mut weights);
        let error = new(weights).unwrap_err().to_string();
        assert!(error.starts_with(start), "{error}");
    }
    let bounds = |bounds: &[u8]| {
        let error = Network::new(&Standard::default(), groups, bounds, good());
        error.unwrap_err().to_string()
    };
    for wrong in [&[12][..], &[1], &[6, 6]] {
        assert!(bounds(wrong).starts_with("buckets ["), "{wrong:?}");
    }
    assert_eq!(
        bounds(&[]),
        "tensor output.bias has 2 weights; 1 belong there"
    );
}

#[test]
fn the_largest_weights_do_not_overflow() {
    let groups = FeatureGroups::NONE;
    for (sign, row) in [(1i16, 2700), (-1, 2700), (1, 32_767), (-1, 32_767)] {
        for shape in [&[64, 32][..], &[64, 32, 16]] {
            let mut weights = random_weights(groups, shape, 1, 1);
            weights.rows.fill(sign * row);
            weights.bias.fill(sign * (32767 - 12 * 2700));
            for (layer, &inputs) in weights.hidden.iter_mut().zip(shape) {
                layer.weights.fill(if sign > 0 { 127 } else { -128 });
                let max_value = i32::MAX - 127 * 128 * inputs as i32;
                layer.bias.fill(i32::from(sign) * max_value);
            }
            weights.output.fill(sign * 8256);
            let sum = weights.output.len() as i32 * 8256 * ACTIVATION_MAX;
            weights.output_bias = vec![i32::from(sign) * (i32::MAX - sum)];
            check_logits(
                groups,
                &weights,
                &random_positions(&Standard::default(), 35, 50),
            );
        }
    }
}

#[test]
fn sets_of_names_are_their_names() {
    let turns = FeatureGroups::NONE.with(FeatureGroup::Turns);
    for (groups, names) in [
        (FeatureGroups::NONE, ""),
        (turns, "turns"),
        (turns.with(FeatureGroup::Mobility), "mobility,turns"),
    ] {
        assert_eq!(groups.names(), names);
        assert_eq!(FeatureGroups::from_names(names), Ok(groups));
        let json = serde_json::to_string(&groups).unwrap();
        assert_eq!(
            serde_json::from_str::<FeatureGroups>(&json).unwrap(),
            groups
        );
    }
    let unknown = FeatureGroups::from_names("turns,colour")
        .unwrap_err()
        .to_string();
    assert!(
        unknown.starts_with("'colour' is no group of inputs; there are mobility, "),
        "{unknown}"
    );
    for (number, &group) in FeatureGroup::ALL.iter().enumerate() {
        assert_eq!(group.number(), number);
        let text = format!("; {} v1", group.name());
        assert!(layout_text(FeatureGroups::ALL).contains(&text), "{text}");
    }
    assert_eq!(
        alea_learned::inputs::schema_hash(""),
        0x2D06_8005_38D3_94C2,
        "xxh3 of nothing, from its specification"
    );
}

#[test]
fn sums_use_16_bits_only_where_none_overflows() {
    // All activations are 127. Eight weights share a 16-bit sum: the first two of every four
    // inputs, of four times four that are adjacent when packed.
    let groups = FeatureGroups::NONE;
    let mut weights = random_weights(groups, &[64, 32], 1, 1);
    weights.rows.fill(0);
    weights.bias.fill(127 << SHIFT);
    for (total, fits) in [(258, true), (-258, true), (259, false), (-259, false)] {
        let sign = i32::signum(total);
        let position = random_positions(&Standard::default(), 36, 1)[0];
        for set in Instructions::available() {
            let [third, fourth] = match set.level() {
                SimdLevel::Avx2 => [16, 20],
                level if level > SimdLevel::Avx2 => [32, 36],
                _ => [8, 12],
            };
            weights.hidden[0].weights.fill(0);
            for neuron in 0..32 {
                for (input, weight) in [
                    (0, 100),
                    (5, 100),
                    (third, 50),
                    (fourth + 1, total.abs() - 250),
                    (2, -1),
                    (6, 127),
                    (7, -128),
                ] {
                    weights.hidden[0].weights[input * 32 + neuron] =
                        (sign * weight).clamp(-128, 127) as i8;
                }
            }
            let network = network(groups, weights.clone()).with_instructions(set);
            assert_eq!(
                (
                    simd_network(&network).unwrap().layers.i16_sums_fit(),
                    i64::from(logit(&network, &position))
                ),
                (fits, defined_logit(groups, &weights, &position))
            );
            let batched =
                network.one_ply(&Standard::default(), &position, &mut Successors::default());
            assert_eq!(
                batched,
                reference_one_ply(&network, &Standard::default(), &position)
            );
        }
    }
}

#[test]
fn parts_of_a_sum_may_leave_16_bits_and_come_back() {
    let groups = default_groups();
    let mut weights = random_weights(groups, &[64, 32], 1, 3);
    // Compensating offsets of 30,000 in the mover's rows of squares and of mobility.
    let (squares, mobility) = (156 * 64, 906 * 64);
    for weight in &mut weights.rows[..squares] {
        *weight += 30_000;
    }
    for weight in &mut weights.rows[squares..squares + mobility] {
        *weight -= 30_000;
    }
    assert!(weights.fits_i16_accumulator(&feature_slots(groups)));
    let positions = random_positions(&Standard::default(), 36, 100);
    check_logits(groups, &weights, &positions);
}

#[test]
fn quantised_weights_are_the_nearest() {
    let float = FloatWeights {
        rows: vec![0.25; 312 * 64],
        bias: vec![-0.5; 64],
        hidden: vec![Layer {
            weights: vec![0.4; 64 * 16],
            bias: vec![0.125; 16],
        }],
        outputs: 1,
        output: vec![-1.5; 16],
        output_bias: vec![0.75],
    };
    let weights = float.quantize().unwrap();
    assert_eq!((weights.rows[7], weights.bias[7]), (508, -1016 + 8));
    let layer = &weights.hidden[0];
    assert_eq!((layer.weights[7], layer.bias[7]), (26, 1016));
    assert_eq!(
        (weights.output[7], weights.output_bias[0]),
        (-1536, 6_242_304)
    );
    assert_eq!(weights.parameters(), 312 * 64 + 64 + 64 * 16 + 16 + 16 + 1);
    // Twelve weights of a quarter and a bias of −0.5 saturate every first-layer neuron.
    let (game, groups) = (Standard::default(), FeatureGroups::NONE);
    let raw = network(groups, weights)
        .raw_score(&game, &game.start([0, 0], 0))
        .unwrap();
    assert!((raw - (16.0 * -1.5 + 0.75)).abs() < 1e-5, "{raw}");
    let refused = |spoil: &dyn Fn(&mut FloatWeights)| {
        let mut weights = float.clone();
        spoil(&mut weights);
        weights.quantize().unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|w| w.hidden[0].weights.fill(2.0)),
        "tensor hidden2.weight holds 2 at 0; weights lie within ±1.984375"
    );
    assert!(
        refused(&|w| w.output_bias[0] = f32::NAN)
            .starts_with("tensor output.bias holds NaN at 0; weights lie within ±")
    );
}
