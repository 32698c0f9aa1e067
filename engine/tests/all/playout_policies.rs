//! Playout policies: choices by hand, forbidden choices, and games of any shape.

use crate::support::{MIDDLE, assert_near, moves_of, position};
use crate::toy_games::{HashEvaluator, HashGame, Nim, Piles};
use engine::core::{
    calibration::Calibrated,
    chance_bounds::expectation,
    evaluator::Evaluator,
    game::{Game, MAX_SEATS, Payoffs, win_for},
    random::RandomStream,
    search_game::SearchHints,
};
use engine::games::einstein::{
    Move, Position, Standard,
    evaluators::{farmer_boy::FarmerBoy, schwarz_odds::SchwarzOdds},
};
use engine::search::{
    mcts::{EvaluatorLeaf, Leaf, MoveKinds, PlayoutLeaf},
    playout_policies::*,
};

fn counts<P: Policy<Standard>>(mut policy: P, text: &str, face: u8) -> Vec<(Move, u32)> {
    let game = Standard::default();
    let position = position(text);
    let mut random = RandomStream::new(1);
    let permitted = game.legal_moves(&position, face);
    let mut counts: Vec<(Move, u32)> = permitted.iter().map(|&mv| (mv, 0)).collect();
    for _ in 0..12_000 {
        let chosen = policy.choose(&game, &position, &permitted, &mut random);
        let index = permitted.iter().position(|&mv| mv == chosen);
        counts[index.unwrap()].1 += 1;
    }
    counts
}

fn assert_counts<P: Policy<Standard>>(policy: P, text: &str, face: u8, expected: &[u32]) {
    let counts = counts(policy, text, face);
    let found: Vec<u32> = counts.iter().map(|(_, count)| *count).collect();
    assert_eq!(found.len(), expected.len());
    // Five standard deviations of at most sqrt(12,000 / 4), except for impossible and forced
    // choices.
    let near = |(&found, &expected): (&u32, &u32)| {
        if matches!(expected, 0 | 12_000) {
            found == expected
        } else {
            found.abs_diff(expected) < 280
        }
    };
    assert!(
        found.iter().zip(expected).all(near),
        "{found:?}, not {expected:?}"
    );
}

/// Position in which Red's 3 on c3 may capture Blue's a on d2, move to the empty d3, or capture
/// Red's own 4 on c2.
const CAPTURES: &str = "...../...../..3../..4a./b.... r 3";

#[test]
fn urgent_moves_come_first_or_more_often() {
    let even = [4000; 3];
    assert_counts(Uniform, CAPTURES, 3, &even);
    assert_counts(HighestClass { min_class: 2 }, CAPTURES, 3, &[12_000, 0, 0]);
    assert_counts(HighestClass { min_class: 3 }, CAPTURES, 3, &even);
    for (weights, expected) in [
        ([1, 2, 3, 9], [6000, 2000, 4000]),
        ([1, 0, 0, 0], [0, 12_000, 0]),
        ([0; 4], even),
    ] {
        assert_counts(ClassWeightedPolicy { weights }, CAPTURES, 3, &expected);
    }
    let mixture = MixedPolicy::new(HighestClass { min_class: 2 }, 0.25, Uniform);
    assert_counts(mixture, CAPTURES, 3, &[6000, 3000, 3000]);
    let winning = "...../...../.a.../...../...1. r 1";
    assert_counts(HighestClass { min_class: 2 }, winning, 1, &[12_000]);
}

fn best_by_hand(evaluator: &impl Evaluator<Standard>, text: &str, face: u8) -> Move {
    let game = Standard::default();
    let position = position(text);
    let mut best: Option<(Move, f32)> = None;
    for &mv in game.legal_moves(&position, face).iter() {
        let next = game.play(&position, mv);
        let over = game.payoff(&next, position.seat());
        let value = over.unwrap_or_else(|| 1.0 - evaluator.value_of(&game, &next));
        if best.is_none_or(|(_, best)| value > best + 1e-6) {
            best = Some((mv, value));
        }
    }
    best.unwrap().0
}

fn calibrated_farmer_boy() -> Calibrated<FarmerBoy> {
    Calibrated {
        score: FarmerBoy,
        calibration: FarmerBoy::CALIBRATION,
    }
}

#[test]
fn a_policy_of_an_evaluator_takes_the_best_successor() {
    let game = Standard::default();
    let schwarz = || SchwarzOdds::with_fitted_scale(&game);
    for text in [
        CAPTURES,
        "215../64.../3...e/...fb/..acd r -",
        "....6/.a.../...../f...2/.e..c r -",
        "1..../..2../a..../b.c../...6. r -",
    ] {
        for face in 1..=6 {
            for (expected, found) in [
                (
                    best_by_hand(&schwarz(), text, face),
                    counts(GreedyPolicy::new(schwarz()), text, face),
                ),
                (
                    best_by_hand(&calibrated_farmer_boy(), text, face),
                    counts(GreedyPolicy::new(calibrated_farmer_boy()), text, face),
                ),
            ] {
                let chosen: Vec<_> = found.iter().filter(|found| found.1 > 0).collect();
                assert_eq!(chosen, [&(expected, 12_000)], "{text} {face}");
            }
        }
    }
}

#[test]
fn playouts_end_and_begin_as_they_should() {
    let game = Standard::default();
    let mut random = RandomStream::new(2);
    let over = position("...../...../.a.../...../....1 b -");
    let start = position("215../64.../3...e/...fb/..acd b -");
    let evaluator = || EvaluatorLeaf::new(calibrated_farmer_boy());
    let truncated = |plies| TruncatedPlayout::new(Uniform, plies, evaluator());
    let mut evaluate =
        |leaf: &mut dyn Leaf<Standard>, position| leaf.payoffs(&game, position, &mut random, None);
    assert_eq!(evaluate(&mut truncated(0), &over), win_for(0));
    assert_eq!(evaluate(&mut PolicyPlayout(Uniform), &over), win_for(0));
    assert_eq!(
        evaluate(&mut truncated(0), &start),
        evaluate(&mut evaluator(), &start)
    );
    let decided = evaluate(&mut truncated(200), &start);
    assert!([0, 1].map(win_for).contains(&decided));
    let function = |_: &Standard, _: &Position, _: &mut RandomStream| win_for(1);
    assert_eq!(evaluate(&mut FnLeaf(function), &start), win_for(1));
    let near_the_end = position("...../..2../a..../b...5/...6c r -");
    let mut win_rate = |leaf: &mut dyn Leaf<Standard>| {
        let red = (0..40_000).map(|_| f64::from(evaluate(leaf, &near_the_end)[0]));
        red.sum::<f64>() / 40_000.0
    };
    let win_rates = [
        win_rate(&mut PolicyPlayout(Uniform)),
        win_rate(&mut PolicyPlayout(ClassWeightedPolicy { weights: [1; 4] })),
        win_rate(&mut PlayoutLeaf),
    ];
    assert!(
        win_rates
            .iter()
            .all(|win_rate| (win_rate - win_rates[0]).abs() < 0.017),
        "{win_rates:?}"
    );
    let schwarz = SchwarzOdds::with_fitted_scale(&game);
    let moves = moves_of(&game, &near_the_end);
    let outcomes = game.outcomes(&near_the_end, &moves);
    let value = |&mv| {
        let next = game.play(&near_the_end, mv);
        let over = game.payoff(&next, 0);
        over.unwrap_or_else(|| 1.0 - schwarz.value_of(&game, &next))
    };
    let values: Vec<f32> = moves.iter().map(value).collect();
    let best = GreedyPolicy::new(schwarz.clone());
    let leaf = EvaluatorLeaf::new(schwarz.clone());
    let found = win_rate(&mut TruncatedPlayout::new(best, 1, leaf));
    assert_near(found, expectation(&outcomes, &values), 0.013, "one ply");
}

#[test]
fn games_of_any_shape_are_played_out() {
    let mut random = RandomStream::new(3);
    let nim = Piles {
        piles: [3, 4, 5],
        seat: 0,
    };
    let mixture = MixedPolicy::new(ClassWeightedPolicy { weights: [0; 4] }, 0.5, Uniform);
    let leaves: [&mut dyn Leaf<Nim>; 3] = [
        &mut PolicyPlayout(Uniform),
        &mut PolicyPlayout(HighestClass { min_class: 1 }),
        &mut PolicyPlayout(mixture),
    ];
    for leaf in leaves {
        for _ in 0..50 {
            let payoffs = leaf.payoffs(&Nim, &nim, &mut random, None);
            assert!([0, 1].map(win_for).contains(&payoffs));
        }
    }
    let game = HashGame {
        seats: 3,
        seed: 5,
        length: 6,
        chance: true,
    };
    let start = game.start();
    let payoffs =
        PolicyPlayout(GreedyPolicy::new(HashEvaluator)).payoffs(&game, &start, &mut random, None);
    let mut own = payoffs[..3].iter();
    assert!(own.all(|payoff| (0.0..=1.0).contains(payoff)));
}

#[test]
fn truncated_playouts_are_evaluated_as_a_batch_and_report_their_moves() {
    let game = Standard::default();
    let positions = [
        MIDDLE,
        "...../..2../a..../b...5/...6c r -",
        "...../...../...1./...../a...b r -",
    ]
    .map(position);
    let leaf = || {
        TruncatedPlayout::new(
            Uniform,
            2,
            EvaluatorLeaf::new(SchwarzOdds::with_fitted_scale(&game)),
        )
    };
    for seed in 0..200 {
        let (mut one, mut other) = (RandomStream::new(seed), RandomStream::new(seed));
        let expected = positions.map(|position| leaf().payoffs(&game, &position, &mut one, None));
        let mut found = [[f32::NAN; MAX_SEATS]; 3];
        leaf().payoffs_batch(&game, &positions, &mut other, &mut found);
        for (found, expected) in found
            .into_iter()
            .flatten()
            .zip(expected.into_iter().flatten())
        {
            assert_near(found, expected, 1e-6, seed);
        }
        let play =
            |leaf: &mut dyn Leaf<Standard>, kinds_played: Option<&mut MoveKinds>| -> Payoffs {
                leaf.payoffs(
                    &game,
                    &positions[0],
                    &mut RandomStream::new(seed),
                    kinds_played,
                )
            };
        let kinds = |leaf: &mut dyn Leaf<Standard>| {
            let mut kinds_played = MoveKinds::default();
            assert_eq!(play(leaf, Some(&mut kinds_played)), play(leaf, None));
            let kinds = (0..game.history_size()).filter(|&kind| kinds_played.contains(kind));
            kinds.count()
        };
        assert_eq!(kinds(&mut leaf()), 2);
        assert!(kinds(&mut PolicyPlayout(Uniform)) > 5);
    }
}
