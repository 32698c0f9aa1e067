//! Learned evaluators of every game against their formulas, on all instruction sets: single
//! positions, all moves of a position, and updates along and across lines of a search.

use engine::core::{
    calibration::{exponential, logistic},
    chance_bounds::expectation,
    evaluator::{Evaluator, payoffs_from_own},
    game::Game,
    random::RandomStream,
    search_game::Playouts,
    simd::Instructions,
};
use engine::games::{
    backgammon::Backgammon, einstein::Standard, havannah::Havannah, reversi::Reversi,
    reversixt::ReversiXt,
};
use engine::learned::{
    inputs::{Learnable, with_view},
    named_set::NamedSet,
    network::{FloatWeights, LOGIT_SCALE, Layer, Network, log_odds, simd_layers::SIMD_WIDTHS},
    tuples::{TupleNetwork, TupleSet},
};
use engine::play::playable::Rules;

/// A random network with one output whose hidden weights are at most `max_hidden`.
fn network<G: Learnable>(
    game: &G,
    groups: NamedSet<G::Group>,
    widths: &[usize],
    limits: &[u8],
    max_hidden: f32,
) -> Network<G> {
    network_of(game, groups, widths, limits, [max_hidden, 1.9], 1)
}

fn network_of<G: Learnable>(
    game: &G,
    groups: NamedSet<G::Group>,
    widths: &[usize],
    limits: &[u8],
    max_weights: [f32; 2],
    outputs: usize,
) -> Network<G> {
    let slots = game.feature_slots(groups);
    let rows = slots.iter().map(|slot| slot.end).max().unwrap_or(0);
    let mut random = RandomStream::new(5);
    let mut numbers = |count: usize, max: f32| -> Vec<f32> {
        let number = |_| 2.0 * max * (random.uniform_f64() as f32 - 0.5);
        (0..count).map(number).collect()
    };
    let (buckets, last) = (limits.len() + 1, widths[widths.len() - 1]);
    let hidden = widths.windows(2).map(|pair| Layer {
        weights: numbers(buckets * pair[0] * pair[1], max_weights[0]),
        bias: numbers(buckets * pair[1], 1.0),
    });
    let hidden = hidden.collect();
    let weights = FloatWeights {
        rows: numbers(rows * widths[0], 0.2),
        bias: numbers(widths[0], 0.5),
        hidden,
        outputs,
        output: numbers(buckets * outputs * last, max_weights[1]),
        output_bias: numbers(buckets * outputs, 1.0),
    };
    Network::new(game, groups, limits, weights.quantize().unwrap()).unwrap()
}

fn part_of_game<G: Learnable>(game: &G, position: &G::Position, limits: &[u8]) -> usize {
    let remaining = game.remaining_length(position);
    let over = |limit: &&u8| usize::from(**limit) < remaining;
    limits.iter().filter(over).count()
}

fn defined_logit<G: Learnable>(network: &Network<G>, game: &G, position: &G::Position) -> i64 {
    defined_logits(network, game, position)[0]
}

/// Logit of each output by the formula in `weights.rs`, in 64-bit integers.
fn defined_logits<G: Learnable>(
    network: &Network<G>,
    game: &G,
    position: &G::Position,
) -> Vec<i64> {
    let (weights, groups) = (network.weights(), network.feature_groups());
    let first = weights.bias.len();
    let mut rows = vec![0; game.feature_slots(groups).len()];
    game.active_features(groups, position, game.to_move(position), &mut rows);
    let neuron = |neuron: usize| {
        let weight = |&row: &u16| i64::from(weights.rows[usize::from(row) * first + neuron]);
        let sum: i64 = rows.iter().map(weight).sum();
        let sum = sum + i64::from(weights.bias[neuron]);
        64 * sum.div_euclid(16).clamp(0, 127)
    };
    let mut x: Vec<i64> = (0..first).map(neuron).collect();
    let bucket = part_of_game(game, position, network.buckets().limits());
    for layer in &weights.hidden {
        let width = layer.bias.len() / weights.buckets();
        let matrix = &layer.weights[bucket * x.len() * width..][..x.len() * width];
        x.iter_mut().for_each(|x| *x = (*x + 32).div_euclid(64));
        let neuron = |(neuron, bias): (usize, &i32)| {
            let own = matrix[neuron..].iter().step_by(width);
            let products = x.iter().zip(own).map(|(x, &weight)| x * i64::from(weight));
            (products.sum::<i64>() + i64::from(*bias)).clamp(0, 8128)
        };
        let biases = layer.bias[bucket * width..][..width].iter();
        x = biases.enumerate().map(neuron).collect();
    }
    let logit = |output: usize| {
        let row = weights.output[output * x.len()..].iter();
        let products = x.iter().zip(row).map(|(y, &weight)| y * i64::from(weight));
        i64::from(weights.output_bias[output]) + products.sum::<i64>()
    };
    let outputs = bucket * weights.outputs..(bucket + 1) * weights.outputs;
    outputs.map(logit).collect()
}

fn sum_of_pairs(mut numbers: Vec<f32>) -> f32 {
    numbers.resize(16, 0.0);
    for half in [8, 4, 2, 1] {
        numbers = (0..half)
            .map(|at| numbers[at] + numbers[at + half])
            .collect();
    }
    numbers[0]
}

fn softmax_terms(logits: &[i64]) -> Vec<f32> {
    let max = logits.iter().copied().max().unwrap();
    let term = |logit: &i64| exponential((logit - max) as f32 * (1.0 / LOGIT_SCALE as f32));
    logits.iter().map(term).collect()
}

/// Log odds in units of 2⁻²²: sum of the weights in the table rows that symbols index as
/// mixed-radix numbers.
fn defined_log_odds<G: Learnable>(
    network: &TupleNetwork<G>,
    game: &G,
    position: &G::Position,
) -> f32 {
    let set = network.tuple_set();
    let phases = set.phases().limits().len() + 1;
    let phase = part_of_game(game, position, set.phases().limits());
    let mut base = phase * set.row_count() / phases;
    let to_units = |weight: f32| (f64::from(weight) * f64::from(1 << 22)).round() as i64;
    let mut sum = to_units(network.bias());
    with_view(game, position, game.to_move(position), |symbols| {
        let mut tuples = set.tuple_cells().iter();
        for table in set.tuple_texts() {
            let mut rows = 1;
            for tuple in tuples.by_ref().take(table.split('=').count()) {
                let mut row = 0;
                rows = 1;
                for cell in tuple {
                    row += rows * usize::from(symbols[cell.index()]);
                    rows *= cell.alphabet_size();
                }
                sum += to_units(network.weights()[base + row]);
            }
            base += rows;
        }
    });
    ((sum + 8).div_euclid(16) as f64 / f64::from(1 << 18)) as f32
}

/// Compares an evaluator with `log_odds` on plies from random earlier positions.
fn check<G: Learnable, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    log_odds: impl Fn(&G::Position) -> f32,
    plies: usize,
) {
    let expected = |position: &G::Position| {
        let log_odds = log_odds(position);
        assert_eq!(evaluator.raw_score(game, position), Some(log_odds));
        logistic(log_odds).clamp(1e-6, 1.0 - 1e-6)
    };
    check_values(game, evaluator, expected, plies);
}

fn check_values<G: Learnable, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    expected: impl Fn(&G::Position) -> f32,
    plies: usize,
) {
    const MAX_CACHED: usize = 12;
    let mut random = RandomStream::new(9);
    let mut cached: Vec<(G::Position, E::Cache)> = Vec::new();
    let (mut moves, mut scratch) = (G::Moves::default(), E::Cache::default());
    for ply in 0..plies {
        if ply % 40 == 0 || cached.is_empty() {
            let start = game.random_start(&mut random, ply / 40 % 2);
            let mut cache = cached.pop().unwrap_or((start, E::Cache::default())).1;
            evaluator.refresh(game, &start, &mut cache);
            cached.push((start, cache));
        }
        let last = cached.len() - 1;
        let parent = match random.below(3) {
            0 => random.below(cached.len()),
            _ => last,
        };
        let mut child = match cached.len() {
            MAX_CACHED => {
                cached
                    .swap_remove((parent + 1 + random.below(MAX_CACHED - 1)) % MAX_CACHED)
                    .1
            }
            _ => E::Cache::default(),
        };
        let parent = parent.min(cached.len() - 1);
        let (position, cache) = &mut cached[parent];
        game.moves(position, &mut moves);
        let mv = moves[random.below(moves.len())];
        if ply % 10 == 0 {
            check_moves(game, evaluator, position, &moves, &mut scratch, &expected);
        }
        let after = game.play(position, mv);
        if game.payoffs(&after).is_some() {
            cached.swap_remove(parent);
            continue;
        }
        evaluator.update(game, cache, position, mv, &after, &mut child);
        assert_eq!(evaluator.value(game, &after, &child), expected(&after));
        assert_eq!(evaluator.value(game, position, cache), expected(position));
        cached.push((after, child));
    }
}

fn check_moves<G: Learnable, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    position: &G::Position,
    moves: &G::Moves,
    cache: &mut E::Cache,
    expected: impl Fn(&G::Position) -> f32,
) {
    let seat = game.to_move(position);
    let value = |&mv: &G::Move| {
        let next = game.play(position, mv);
        let payoff = game.payoff(&next, seat);
        payoff.unwrap_or_else(|| payoffs_from_own(game, &next, expected(&next))[seat])
    };
    let values: Vec<f32> = moves.iter().map(value).collect();
    let mut found = vec![0.0; moves.len()];
    evaluator.value_successors(game, position, moves, cache, &mut found);
    assert_eq!(found, values);
    evaluator.score_successors(game, position, moves, &mut found);
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by(|&a, &b| found[a].total_cmp(&found[b]));
    assert!(
        order.is_sorted_by_key(|&index| values[index]),
        "{found:?} {values:?}"
    );
    let outcomes = game.outcomes(position, moves);
    for _ in 0..2 {
        let value = evaluator.one_ply(game, position, cache);
        assert_eq!(value, expectation(&outcomes, &values).min(1.0));
    }
}

fn check_network<G: Learnable>(game: &G, network: &Network<G>, plies: usize) {
    for instructions in Instructions::available() {
        let network = network.clone().with_instructions(instructions);
        let log_odds = |position: &_| log_odds(defined_logit(&network, game, position) as i32);
        check(game, &network, log_odds, plies);
    }
}

fn check_game<G: Learnable>(name: &str, plies: usize) {
    let game = G::from_notation(name, None).unwrap();
    let default = G::DEFAULT_FEATURES.iter().copied().collect();
    for widths in [&[32, 16][..], &[64, 32, 16], &[64, 32], &[256, 16]] {
        let plies = plies * 64 / widths[0].max(64);
        check_network(&game, &network(&game, default, widths, &[6], 0.4), plies);
    }
    for set in game.tuple_sets() {
        let set = TupleSet::from_name(&game, set.name).unwrap();
        let set = set.with_phases([3, 6]).unwrap();
        let weights = (0..set.row_count()).map(|row| (row % 7) as f32 / 700.0 - 0.004);
        let network = TupleNetwork::new(set, weights.collect(), 0.125).unwrap();
        for network in [network.clone(), network.rounded_to_i16().unwrap()] {
            let log_odds = |position: &_| defined_log_odds(&network, &game, position);
            check(&game, &network, log_odds, plies);
        }
    }
}

#[test]
fn values_of_einstein_are_those_of_the_formulas() {
    check_game::<Standard>("einstein", 2_000);
}

#[test]
fn values_of_reversi_are_those_of_the_formulas() {
    check_game::<Reversi>("reversi(size=4)", 2_000);
    check_game::<Reversi>("reversi", 2_000);
}

#[test]
fn values_of_small_havannah_are_those_of_the_formulas() {
    check_game::<Havannah>("havannah(base=4, swap=on)", 1_000);
}

#[test]
fn values_of_havannah_are_those_of_the_formulas() {
    check_game::<Havannah>("havannah", 1_000);
}

#[test]
fn values_of_reversixt_are_those_of_the_formulas() {
    check_game::<ReversiXt>("reversixt", 2_000);
}

#[test]
fn values_of_the_example_game_are_those_of_the_formulas() {
    check_game::<engine::games::example_game::Columns>("columns", 2_000);
}

#[test]
fn values_are_those_of_the_formulas_with_more_than_two_seats() {
    for name in ["reversixt(map=three)", "reversixt(map=four)"] {
        let game = ReversiXt::from_notation(name, None).unwrap();
        check_network(
            &game,
            &network(&game, NamedSet::NONE, &[64, 16], &[6], 0.4),
            2_000,
        );
    }
}

#[test]
fn values_of_every_width_and_group_are_those_of_the_formulas() {
    let game = Standard::default();
    let default = Standard::DEFAULT_FEATURES.iter().copied().collect();
    for (widths, max_hidden) in SIMD_WIDTHS.iter().zip([1.9, 0.4].into_iter().cycle()) {
        for groups in [NamedSet::NONE, default, NamedSet::ALL] {
            let network = network(&game, groups, widths, &[4, 6, 9], max_hidden);
            check_network(&game, &network, 100);
        }
    }
}

#[test]
fn networks_with_an_output_for_each_result_have_the_expected_payoff() {
    let game = Backgammon;
    let default = Backgammon::DEFAULT_FEATURES.iter().copied().collect();
    let payoffs = [4.0 / 6.0, 5.0 / 6.0, 1.0, 2.0 / 6.0, 1.0 / 6.0, 0.0];
    for widths in [&[32, 16][..], &[64, 32, 16], &[64, 32], &[128, 16], &[48]] {
        let network = network_of(&game, default, widths, &[10], [0.4, 0.3], 6);
        let terms = |position: &_| softmax_terms(&defined_logits(&network, &game, position));
        let probabilities = |position: &_| {
            let (terms, sum) = (terms(position), sum_of_pairs(terms(position)));
            terms.iter().map(|term| term / sum).collect::<Vec<_>>()
        };
        let expected = |position: &_| {
            let terms = terms(position);
            let products = terms
                .iter()
                .zip(payoffs)
                .map(|(term, payoff)| term * payoff);
            let value = sum_of_pairs(products.collect()) / sum_of_pairs(terms);
            value.clamp(1e-6, 1.0 - 1e-6)
        };
        for instructions in Instructions::available() {
            let network = network.clone().with_instructions(instructions);
            check_values(&game, &network, expected, 60);
            let mut random = RandomStream::new(3);
            let mut position = game.start(0);
            while game.payoffs(&position).is_none() {
                let found = network.result_probabilities(&game, &position).unwrap();
                assert_eq!(found, probabilities(&position));
                let value = expected(&position);
                let score = network.raw_score(&game, &position).unwrap();
                assert!((score - (value / (1.0 - value)).ln()).abs() < 1e-3);
                position = game.play(&position, game.sample_move(&position, random.next_u64()));
            }
        }
    }
}

#[test]
fn outputs_fit_the_results_of_the_game() {
    let refused = |outputs| {
        let game = Backgammon;
        let weights = FloatWeights {
            rows: vec![0.0; 24 * 13 * 16],
            bias: vec![0.0; 16],
            hidden: Vec::new(),
            outputs,
            output: vec![0.0; outputs * 16],
            output_bias: vec![0.0; outputs],
        };
        let network = Network::new(&game, NamedSet::NONE, [], weights.quantize().unwrap());
        network.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!((refused(1), refused(6)), (Ok(()), Ok(())));
    assert_eq!(
        refused(5).unwrap_err(),
        "5 outputs, but backgammon has 6 results"
    );
    assert_eq!(refused(0).unwrap_err(), "0 outputs; there can be 1 to 16");
}
