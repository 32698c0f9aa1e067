//! Policies of playouts: what they choose by hand, what they must not choose, and on games of any
//! shape.

use crate::games::{HashEvaluator, HashGame, Nim, Piles};
use engine::core::{
    calibration::Calibrated,
    chance::expectation,
    evaluator::{Evaluator, Score},
    game::{Game, won_by},
    random::RandomStream,
};
use engine::games::einstein::{
    Move, MoveList, Position, Standard,
    evaluators::{farmer_boy::FarmerBoy, schwarz_odds::SchwarzOdds},
};
use engine::search::{
    mcts::{EvaluatorLeaf, Leaf, MoveKinds, Playout},
    playout::*,
};

fn position(text: &str) -> Position {
    Standard::default()
        .parse_position(text)
        .expect("a position")
        .0
}

/// How often a policy chooses each of the moves that a face permits.
fn counts<P: Policy<Standard>>(mut policy: P, text: &str, face: u8) -> Vec<(Move, u32)> {
    let game = Standard::default();
    let position = position(text);
    let mut random = RandomStream::new(1);
    let mut counts: Vec<(Move, u32)> = game
        .legal_moves(&position, face)
        .iter()
        .map(|&mv| (mv, 0))
        .collect();
    let permitted = game.legal_moves(&position, face);
    for _ in 0..12_000 {
        let chosen = policy.choose(&game, &position, &permitted, &mut random);
        counts
            .iter_mut()
            .find(|(mv, _)| *mv == chosen)
            .expect("a permitted move")
            .1 += 1;
    }
    counts
}

fn near(counts: &[(Move, u32)], expected: &[u32]) {
    let found: Vec<u32> = counts.iter().map(|(_, count)| *count).collect();
    assert_eq!(found.len(), expected.len());
    // Five standard deviations of at most sqrt(12,000 / 4); what is expected never or always is so.
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

/// Red's 3 on c3 has Blue's a on d2 diagonally, nothing to the right (d3), and Red's own 4 below
/// (c2).
const CAPTURES: &str = "...../...../..3../..4a./b.... r 3";

#[test]
fn urgent_moves_come_first_or_more_often() {
    near(&counts(Uniform, CAPTURES, 3), &[4000, 4000, 4000]);
    near(
        &counts(MostUrgent { at_least: 2 }, CAPTURES, 3),
        &[12_000, 0, 0],
    );
    near(
        &counts(MostUrgent { at_least: 3 }, CAPTURES, 3),
        &[4000, 4000, 4000],
    );
    // One for a quiet move, two for one's own stone, three for an enemy's.
    near(
        &counts(
            ByUrgency {
                weights: [1, 2, 3, 9],
            },
            CAPTURES,
            3,
        ),
        &[6000, 2000, 4000],
    );
    near(
        &counts(
            ByUrgency {
                weights: [1, 0, 0, 0],
            },
            CAPTURES,
            3,
        ),
        &[0, 12_000, 0],
    );
    near(
        &counts(ByUrgency { weights: [0; 4] }, CAPTURES, 3),
        &[4000, 4000, 4000],
    );
    near(
        &counts(
            Mixture::new(MostUrgent { at_least: 2 }, 0.25, Uniform),
            CAPTURES,
            3,
        ),
        &[6000, 3000, 3000],
    );
    // A stone beside the goal wins; of two stones with one step each either may.
    let winning = "...../...../.a.../...../...1. r 1";
    near(&counts(MostUrgent { at_least: 2 }, winning, 1), &[12_000]);
}

/// The value of each permitted successor, by the definition.
fn best_by_hand<E: Evaluator<Standard>>(evaluator: &E, text: &str, face: u8) -> Move {
    let game = Standard::default();
    let position = position(text);
    let mut best: Option<(Move, f32)> = None;
    for &mv in game.legal_moves(&position, face).iter() {
        let next = game.play(&position, mv);
        let mut cache = E::Cache::default();
        let value = game.payoff(&next, position.seat()).unwrap_or_else(|| {
            evaluator.refresh(&game, &next, &mut cache);
            1.0 - evaluator.value(&game, &next, &cache)
        });
        if best.is_none_or(|(_, best)| value > best + 1e-6) {
            best = Some((mv, value));
        }
    }
    best.expect("a move").0
}

fn calibrated<S: Score<Standard>>(
    score: S,
    calibration: engine::core::calibration::Calibration,
) -> Calibrated<S> {
    Calibrated { score, calibration }
}

#[test]
fn a_policy_of_an_evaluator_takes_the_best_successor() {
    let game = Standard::default();
    let schwarz = || SchwarzOdds::fitted(&game);
    let farmer = || calibrated(FarmerBoy, FarmerBoy::CALIBRATION);
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
                    counts(BestSuccessor::new(schwarz()), text, face),
                ),
                (
                    best_by_hand(&farmer(), text, face),
                    counts(BestSuccessor::new(farmer()), text, face),
                ),
            ] {
                assert!(
                    found
                        .iter()
                        .all(|&(mv, count)| count == if mv == expected { 12_000 } else { 0 }),
                    "{text} {face}: {found:?}"
                );
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
    let evaluator = || EvaluatorLeaf::new(calibrated(FarmerBoy, FarmerBoy::CALIBRATION));
    assert_eq!(
        Truncated::new(Uniform, 0, evaluator()).payoffs(&game, &over, &mut random, None),
        won_by(0)
    );
    assert_eq!(
        ByPolicy(Uniform).payoffs(&game, &over, &mut random, None),
        won_by(0)
    );
    // No ply: the evaluator's value itself.
    let value = evaluator().payoffs(&game, &start, &mut random, None);
    assert_eq!(
        Truncated::new(Uniform, 0, evaluator()).payoffs(&game, &start, &mut random, None),
        value
    );
    // So many plies that the game ends: won or lost.
    assert!(
        [0, 1]
            .map(won_by)
            .contains(&Truncated::new(Uniform, 200, evaluator()).payoffs(
                &game,
                &start,
                &mut random,
                None
            ))
    );
    assert_eq!(
        ByFunction(|_: &Standard, _: &Position, _: &mut RandomStream| won_by(1)).payoffs(
            &game,
            &start,
            &mut random,
            None
        ),
        won_by(1)
    );
    // Uniform by moves, uniform by lists and the game's own random games agree: a share of 40,000
    // is within 0.0025.
    let near_the_end = position("...../..2../a..../b...5/...6c r -");
    let mut share = |leaf: &mut dyn Leaf<Standard>| {
        (0..40_000)
            .map(|_| f64::from(leaf.payoffs(&game, &near_the_end, &mut random, None)[0]))
            .sum::<f64>()
            / 40_000.0
    };
    let shares = [
        share(&mut ByPolicy(Uniform)),
        share(&mut ByPolicy(ByUrgency { weights: [1; 4] })),
        share(&mut Playout),
    ];
    assert!(
        shares.iter().all(|share| (share - shares[0]).abs() < 0.017),
        "{shares:?}"
    );
    // One ply of the best successor, then its value: the expectation over the roll of the best, as
    // searched one ply deep.
    let schwarz = SchwarzOdds::fitted(&game);
    let mut moves = MoveList::default();
    game.moves(&near_the_end, &mut moves);
    let outcomes = game.outcomes(&near_the_end, &moves);
    let values: Vec<f32> = moves
        .iter()
        .map(|&mv| {
            let next = game.play(&near_the_end, mv);
            game.payoff(&next, 0)
                .unwrap_or_else(|| 1.0 - schwarz.value(&game, &next, &Default::default()))
        })
        .collect();
    let expected = f64::from(expectation(&outcomes, &values));
    let found = share(&mut Truncated::new(
        BestSuccessor::new(schwarz.clone()),
        1,
        EvaluatorLeaf::new(schwarz.clone()),
    ));
    assert!((found - expected).abs() < 0.013, "{found} {expected}");
}

#[test]
fn games_of_any_shape_are_played_out() {
    let mut random = RandomStream::new(3);
    let nim = Piles {
        piles: [3, 4, 5],
        seat: 0,
    };
    for _ in 0..50 {
        for payoffs in [
            ByPolicy(Uniform).payoffs(&Nim, &nim, &mut random, None),
            ByPolicy(MostUrgent { at_least: 1 }).payoffs(&Nim, &nim, &mut random, None),
            ByPolicy(Mixture::new(ByUrgency { weights: [0; 4] }, 0.5, Uniform)).payoffs(
                &Nim,
                &nim,
                &mut random,
                None,
            ),
        ] {
            assert!([0, 1].map(won_by).contains(&payoffs));
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
        ByPolicy(BestSuccessor::new(HashEvaluator)).payoffs(&game, &start, &mut random, None);
    assert!(
        payoffs[..3]
            .iter()
            .all(|payoff| (0.0..=1.0).contains(payoff))
    );
}

#[test]
fn playouts_that_are_cut_short_are_closed_together_and_make_known_what_was_played() {
    let game = Standard::default();
    let positions = [
        "215../64.../3...e/...fb/..acd b -",
        "...../..2../a..../b...5/...6c r -",
        "...../...../...1./...../a...b r -",
    ]
    .map(position);
    let leaf = || Truncated::new(Uniform, 2, EvaluatorLeaf::new(SchwarzOdds::fitted(&game)));
    for seed in 0..200 {
        let (mut one, mut other) = (RandomStream::new(seed), RandomStream::new(seed));
        let expected = positions.map(|position| leaf().payoffs(&game, &position, &mut one, None));
        let mut found = [[f32::NAN; engine::core::game::MAX_SEATS]; 3];
        leaf().payoffs_of(&game, &positions, &mut other, &mut found);
        assert!(
            expected
                .iter()
                .flatten()
                .zip(found.iter().flatten())
                .all(|(expected, found)| (expected - found).abs() < 1e-6)
        );
        // The kinds of the moves made are those of a first and a second ply: one or two, of
        // different seats.
        let kinds = |leaf: &mut dyn Leaf<Standard>| {
            let mut made = MoveKinds::default();
            let payoffs = leaf.payoffs(
                &game,
                &positions[0],
                &mut RandomStream::new(seed),
                Some(&mut made),
            );
            (
                payoffs,
                (0..game.move_kinds())
                    .filter(|&kind| made.contains(kind))
                    .count(),
            )
        };
        assert_eq!(
            kinds(&mut leaf()),
            (
                leaf().payoffs(&game, &positions[0], &mut RandomStream::new(seed), None),
                2
            )
        );
        let (payoffs, played) = kinds(&mut ByPolicy(Uniform));
        assert_eq!(
            payoffs,
            ByPolicy(Uniform).payoffs(&game, &positions[0], &mut RandomStream::new(seed), None)
        );
        assert!(played > 5);
    }
}
