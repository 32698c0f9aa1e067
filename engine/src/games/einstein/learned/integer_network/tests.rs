//! Inference against a plain forward pass over the listed inputs, wholes against parts, one
//! instruction set against another.

use super::{inputs::SideGroup, *};
use crate::core::{game::Game, simd::Level};
use crate::games::einstein::{
    Variant,
    dice::RandomStream,
    evaluators::{
        race_tables::{RaceTables, VECTORS},
        test_support::{
            Board, SlowRace, check_scores, impossible_positions, mean, one_ply_by_successors,
            permitted_labels, random_positions, with_another_enemy,
        },
    },
};
use crate::learned::{
    integer::{OneHot, SHAPES, SHIFT, hold_first_layer},
    network::{Layer, NetworkWeights},
};

/// Weights of a size at which layers neither die nor saturate.
pub(crate) fn random_weights(
    groups: SideGroups,
    [first, second]: [usize; 2],
    seed: u64,
) -> IntegerWeights {
    fn numbers<T>(random: &mut RandomStream, count: usize, most: i16) -> Vec<T>
    where
        i16: TryInto<T, Error: std::fmt::Debug>,
    {
        let mut number = || random.below(2 * most as usize + 1) as i16 - most;
        (0..count).map(|_| number().try_into().unwrap()).collect()
    }
    let random = &mut RandomStream::new(seed);
    IntegerWeights {
        inputs: groups,
        rows: numbers(random, 2 * groups.rows() * first, 900),
        bias: numbers(random, first, 2000),
        hidden: numbers(random, first * second, 127),
        hidden_bias: numbers(random, second, 8000),
        output: numbers(random, second, 2000),
        output_bias: 1_000_000,
    }
}

/// A network on every instruction set there is.
fn on_all(weights: &IntegerWeights) -> Vec<IntegerNetwork> {
    let network = IntegerNetwork::new(weights.clone()).unwrap();
    Instructions::available()
        .map(|set| network.clone().on(set))
        .collect()
}

/// Asserts that every instruction set gives the integers of the plain forward pass.
fn check_logits(weights: &IntegerWeights, positions: &[Position]) {
    let networks = on_all(weights);
    for position in positions {
        let expected = plain_logit(weights, position);
        for network in &networks {
            let found = i64::from(network.logit(position));
            assert_eq!(found, expected, "{:?}", network.instructions());
        }
    }
}

/// The same with a second layer whose products may be added up in 16 bits.
fn with_short_sums(mut weights: IntegerWeights) -> IntegerWeights {
    weights.hidden.iter_mut().for_each(|weight| *weight /= 4);
    weights.hidden_bias.iter_mut().for_each(|bias| *bias /= 4);
    weights
}

fn some_groups() -> [SideGroups; 4] {
    let turns = SideGroups::NONE.with(SideGroup::Turns);
    [
        SideGroups::ALL,
        SideGroups::NONE,
        turns,
        turns.with(SideGroup::Mobility),
    ]
}

/// The definition in the module's head, neuron by neuron, over the rows that training uses.
fn plain_logit(weights: &IntegerWeights, position: &Position) -> i64 {
    let (first, second) = (weights.bias.len(), weights.hidden_bias.len());
    let mut rows = vec![0; 2 * weights.inputs.active()];
    weights.inputs.fill(position, &mut rows);
    let x = (0..first).map(|neuron| {
        let weight = |&row| i64::from(weights.rows[usize::from(row) * first + neuron]);
        let sum: i64 = rows.iter().map(weight).sum();
        (sum + i64::from(weights.bias[neuron]))
            .div_euclid(16)
            .clamp(0, 127)
    });
    let x: Vec<i64> = x.collect();
    let y = (0..second).map(|neuron| {
        let own = weights.hidden[neuron..].iter().step_by(second);
        let sum: i64 = x
            .iter()
            .zip(own)
            .map(|(x, &weight)| x * i64::from(weight))
            .sum();
        (sum + i64::from(weights.hidden_bias[neuron])).clamp(0, 8128)
    });
    i64::from(weights.output_bias)
        + y.zip(&weights.output)
            .map(|(y, weight)| y * i64::from(*weight))
            .sum::<i64>()
}

#[test]
fn every_instruction_set_gives_the_integers_of_the_plain_forward_pass() {
    let positions = random_positions(&Standard::default(), 31, 3000);
    for shape in SHAPES {
        let all = some_groups()
            .into_iter()
            .zip(5..)
            .flat_map(|(groups, seed)| {
                let weights = random_weights(groups, shape, seed);
                [with_short_sums(weights.clone()), weights]
            });
        for (number, weights) in all.enumerate() {
            assert_eq!(
                IntegerNetwork::new(weights.clone())
                    .unwrap()
                    .layers
                    .short_sums,
                number % 2 == 0
            );
            let positions = &positions[..if shape[0] > 64 { 300 } else { 3000 }];
            check_logits(&weights, positions);
            let logits = positions
                .iter()
                .map(|position| log_odds(plain_logit(&weights, position) as i32));
            let least = logits.clone().fold(f32::INFINITY, f32::min);
            let most = logits.fold(f32::NEG_INFINITY, f32::max);
            assert!(
                most - least > 0.5,
                "{shape:?}: logits from {least} to {most} would show nothing"
            );
        }
    }
}

#[test]
fn a_position_as_a_whole_has_the_bits_of_its_successors() {
    let game = Standard::default();
    let positions = random_positions(&game, 32, 4000);
    for shape in SHAPES {
        let weights = random_weights(SideGroups::ALL, shape, 8);
        let both = [with_short_sums(weights.clone()), weights];
        for network in both.iter().flat_map(on_all) {
            let mut cache = Successors::default();
            for position in &positions[..if shape[0] > 64 { 400 } else { 4000 }] {
                let expected = one_ply_by_successors(&network, &game, position);
                for _ in 0..2 {
                    let found = network.one_ply(&game, position, &mut cache);
                    assert_eq!(found.to_bits(), expected.to_bits(), "{position:?}");
                }
                if let Some(other) = with_another_enemy(&game, position) {
                    assert_eq!(
                        network.one_ply(&game, &other, &mut cache),
                        one_ply_by_successors(&network, &game, &other)
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_no_position_breaks_nothing() {
    let game = Standard::default();
    for network in on_all(&random_weights(SideGroups::ALL, [64, 32], 10)) {
        let mut used = Successors::default();
        for position in impossible_positions(600) {
            let found = network.one_ply(&game, &position, &mut used);
            assert!(found.is_finite() || game.count_moves(&position).all == 0);
            // Nothing that was there before decides.
            assert_eq!(
                found,
                network.one_ply(&game, &position, &mut Successors::default()),
                "{position:?}"
            );
        }
    }
}

#[test]
fn kernels_read_and_write_lines_that_there_are() {
    let weights = random_weights(SideGroups::NONE, [64, 16], 12);
    let line = |neuron: usize| kernels::Line::<i16, 32>([neuron as i16; 32]);
    let table: Vec<_> = (0..inputs::JOINED_ROWS * 2).map(line).collect();
    let tables = Tables {
        mover: table.clone(),
        other: table,
    };
    // The last rows of the tables among them.
    let last = inputs::JOINED_ROWS as u16 - 1;
    let rows = [last, 0, 7, 100, 2, last, 3, 4];
    let results = |set: Instructions| {
        let layers = Layers::new(&weights, set);
        let (mut sums, mut changed) = ([line(0); 2], [line(0); 2]);
        kernels::sum_rows::<64>(set, &tables.mover, &rows, &mut sums);
        kernels::change_rows::<64>(set, &tables.other, &sums, &[7, 0], &[last; 2], &mut changed);
        let both = [sums, changed].concat();
        let (pairs, mut logits) = ([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]], [0; 32]);
        kernels::logits::<64, 16>(set, &layers, &both, &both, &pairs, &mut logits);
        let logit = kernels::logit::<64, 16>(set, &tables, &layers, &[rows; 2]);
        (both, logits[..pairs.len()].to_vec(), logit)
    };
    let expected = results(Instructions::PORTABLE);
    for set in Instructions::available().skip(1) {
        assert_eq!(results(set), expected, "{set:?}");
    }
}

#[test]
fn scores_of_successors_are_their_logits() {
    let game = Standard::default();
    for network in on_all(&random_weights(SideGroups::ALL, [64, 32], 9)) {
        for position in random_positions(&game, 33, 1000) {
            let moves = game.all_moves(&position);
            check_scores(&network, &game, &position, &moves, |next| {
                network.logit(next) as f32
            });
        }
    }
}

#[test]
fn inputs_follow_from_the_board() {
    let game = Standard::default();
    let groups = SideGroups::ALL;
    assert_eq!((groups.rows(), groups.active()), (156 + 906 + 48 + 64, 14));
    let mut race = SlowRace::new(&game);
    for position in random_positions(&game, 34, 400) {
        let mut rows = vec![u16::MAX; 28];
        groups.fill(&position, &mut rows);
        let board = Board::of(&game, &position);
        for (rows, (red, first)) in rows
            .chunks(14)
            .zip([(board.red_to_move, 0), (!board.red_to_move, 1174)])
        {
            let stones = board.side(red);
            let living: Vec<usize> = stones.iter().map(|stone| stone.label).collect();
            let mut expected = [25usize; 6];
            let mut mobility = [150usize; 6];
            for stone in &stones {
                let (row, column) = stone.seen_by(red);
                let square = (5 * row + column) as usize;
                let permits = |&face: &usize| {
                    permitted_labels(Variant::Classic, &living, face).contains(&stone.label)
                };
                let faces = (1..=6).filter(permits).count();
                expected[stone.label - 1] = square;
                mobility[stone.label - 1] = 25 * (faces - 1) + square;
            }
            let squares = (0..).zip(expected).map(|(stone, place)| 26 * stone + place);
            let mobility = (0..)
                .zip(mobility)
                .map(|(stone, place)| 156 + 151 * stone + place);
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
fn no_race_is_longer_than_the_classes_of_turns() {
    let race = RaceTables::shared(&Standard::default());
    let most = (1..VECTORS)
        .map(|index| race.expected_exact(index))
        .fold(0.0, f64::max);
    assert!(most > 6.0 && 4.0 * most < 47.0, "{most}");
}

#[test]
fn values_never_fall_when_logits_rise() {
    // Steps between values are largest in the middle and rounding matters most at the ends: all of
    // the coarser grid.
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
    let good = || random_weights(SideGroups::NONE, [64, 16], 1);
    assert!(IntegerNetwork::new(good()).is_ok());
    // How the message begins and ends; of a large sum how large depends on the other weights.
    type Spoil = fn(&mut IntegerWeights);
    let cases: [(Spoil, &str, &str); 7] = [
        (
            |w| w.rows.truncate(5),
            "tensor rows has 5 weights; 19968 belong there",
            "",
        ),
        (
            |w| w.hidden.push(0),
            "tensor hidden2.weight has 1025 weights; 1024 belong there",
            "",
        ),
        (
            |w| w.output.truncate(15),
            "tensor output.weight has 15 weights; 16 belong there",
            "",
        ),
        (
            |w| w.bias.truncate(20),
            "hidden layers of [20, 16] neurons; integer networks have 64,16 or 64,32 or 128,32 or 256,32",
            "",
        ),
        (
            |w| w.bias[3] = i16::MAX,
            "the sum of neuron 3 of hidden layer 1 may reach 4",
            "; at most 32767 is allowed",
        ),
        (
            |w| w.hidden_bias[2] = i32::MIN,
            "the sum of neuron 2 of hidden layer 2 may reach 2148524032; at most 2147483647 is allowed",
            "",
        ),
        (
            |w| w.output.fill(i16::MIN),
            "the logit may reach 42",
            "; at most 2147483647 is allowed",
        ),
    ];
    for (spoil, start, end) in cases {
        let mut weights = good();
        spoil(&mut weights);
        let error = IntegerNetwork::new(weights).unwrap_err().to_string();
        let rest = error.strip_prefix(start);
        assert!(
            rest.is_some_and(|rest| rest.ends_with(end) && (rest.is_empty() == end.is_empty())),
            "{error}"
        );
    }
}

#[test]
fn the_largest_weights_do_not_overflow() {
    // As large as the bounds allow, all of one sign or the other, in every sum.
    for sign in [1i16, -1] {
        let mut weights = random_weights(SideGroups::NONE, [64, 32], 1);
        weights.rows.fill(sign * 2700);
        weights.bias.fill(sign * (32767 - 12 * 2700));
        weights.hidden.fill(if sign > 0 { 127 } else { -128 });
        weights
            .hidden_bias
            .fill(i32::from(sign) * (i32::MAX - 127 * 128 * 64));
        weights.output.fill(sign * 8256);
        weights.output_bias = i32::from(sign) * (i32::MAX - 32 * 8256 * 8128);
        check_logits(&weights, &random_positions(&Standard::default(), 35, 50));
    }
}

#[test]
fn sums_in_16_bits_are_made_only_where_none_overflows() {
    // All activations are 127. Eight weights belong to one sum of 16 bits: of the first two of
    // every four inputs, of four times four that stand side by side when packed.
    let mut weights = random_weights(SideGroups::NONE, [64, 32], 1);
    weights.rows.fill(0);
    weights.bias.fill(127 << SHIFT);
    for (total, fits) in [(258, true), (-258, true), (259, false), (-259, false)] {
        let sign = i32::signum(total);
        let position = random_positions(&Standard::default(), 36, 1)[0];
        for set in Instructions::available() {
            let [third, fourth] = match set.level() {
                Level::Portable => [8, 12],
                Level::Avx2 => [16, 20],
                _ => [32, 36],
            };
            weights.hidden.fill(0);
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
                    weights.hidden[input * 32 + neuron] = (sign * weight).clamp(-128, 127) as i8;
                }
            }
            let network = IntegerNetwork::new(weights.clone()).unwrap().on(set);
            assert_eq!(
                (
                    network.layers.short_sums,
                    i64::from(network.logit(&position))
                ),
                (fits, plain_logit(&weights, &position))
            );
            let whole =
                network.one_ply(&Standard::default(), &position, &mut Successors::default());
            assert_eq!(
                whole,
                one_ply_by_successors(&network, &Standard::default(), &position)
            );
        }
    }
}

#[test]
fn parts_of_a_sum_may_leave_16_bits_and_come_back() {
    let mut weights = random_weights(SideGroups::ALL, [64, 32], 3);
    let active = SideGroups::ALL.active();
    let width = SideGroups::ALL.rows() * 64;
    // The mover's squares add 30,000 too much each, and its mobility takes it away.
    let (squares, mobility) = (156 * 64, 906 * 64);
    for weight in &mut weights.rows[..squares] {
        *weight += 30_000;
    }
    for weight in &mut weights.rows[squares..squares + mobility] {
        *weight -= 30_000;
    }
    assert_eq!((active, weights.rows.len()), (14, 2 * width));
    check_logits(&weights, &random_positions(&Standard::default(), 36, 100));
}

#[test]
fn quantised_weights_are_the_nearest() {
    let float = NetworkWeights {
        sparse: vec![0.25; 312 * 64],
        bias: vec![-0.5; 64],
        hidden: vec![Layer {
            weights: vec![0.4; 64 * 16],
            bias: vec![0.125; 16],
        }],
        output: vec![-1.5; 16],
        output_bias: 0.75,
        ..NetworkWeights::default()
    };
    let nearest = |weights: &NetworkWeights| IntegerWeights::nearest(SideGroups::NONE, weights);
    let weights = nearest(&float).unwrap();
    assert_eq!((weights.rows[7], weights.bias[7]), (508, -1016 + 8));
    assert_eq!((weights.hidden[7], weights.hidden_bias[7]), (26, 1016));
    assert_eq!((weights.output[7], weights.output_bias), (-1536, 6_242_304));
    // 12 quarters and a bias of -0.5 switch every neuron of the first layer on.
    let position = Standard::default().start([0, 0], 0);
    let logit = log_odds(IntegerNetwork::new(weights).unwrap().logit(&position));
    assert!((logit - (16.0 * -1.5 + 0.75)).abs() < 1e-5, "{logit}");
    let refused = |spoil: &dyn Fn(&mut NetworkWeights)| {
        let mut weights = float.clone();
        spoil(&mut weights);
        nearest(&weights).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|w| w.hidden[0].weights.fill(2.0)),
        "tensor hidden2.weight holds 2 at 0; weights lie within ±1.984375"
    );
    assert!(
        refused(&|w| w.output_bias = f32::NAN)
            .starts_with("tensor output.bias holds NaN at 0; weights lie within ±")
    );
    assert!(refused(&|w| w.hidden.clear()).starts_with("hidden layers of [64] neurons; "));
}

#[test]
fn a_first_layer_that_could_overflow_is_held() {
    let groups = SideGroups::ALL;
    let mut random = RandomStream::new(8);
    let mut uniform = |count: usize, most: f32| -> Vec<f32> {
        let mut number = || (random.unit() as f32 - 0.5) * 2.0 * most;
        (0..count).map(|_| number()).collect()
    };
    let wild = NetworkWeights {
        sparse: uniform(2 * groups.rows() * 64, 2.0),
        bias: uniform(64, 12.0),
        hidden: vec![Layer {
            weights: uniform(64 * 16, 1.0),
            bias: uniform(16, 1.0),
        }],
        output: uniform(16, 1.0),
        output_bias: 0.25,
        ..NetworkWeights::default()
    };
    let network = |weights: &NetworkWeights| {
        IntegerNetwork::new(IntegerWeights::nearest(groups, weights).unwrap())
    };
    assert!(matches!(network(&wild), Err(IntegerError::Overflow { .. })));
    let hold = |weights: &NetworkWeights| {
        let mut held = weights.clone();
        hold_first_layer(&mut held.sparse, &mut held.bias, &groups.runs());
        held
    };
    let held = hold(&wild);
    assert!(network(&held).is_ok());
    // Only weights that were too large, and none further than needed: what is held needs no
    // holding, nor what is small.
    let mut pairs = held.sparse.iter().zip(&wild.sparse);
    assert!(pairs.all(|(held, wild)| held == wild || held.abs() < wild.abs()));
    let again = hold(&held);
    let mut pairs = again.sparse.iter().zip(&held.sparse);
    assert!(pairs.all(|(again, held)| (again - held).abs() < 1e-5));
    let mut tame = wild.clone();
    tame.sparse.iter_mut().for_each(|weight| *weight /= 10.0);
    tame.bias.fill(0.0);
    assert_eq!(hold(&tame), tame);
}
