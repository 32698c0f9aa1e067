//! Star1 on published settings saves at least the published fraction of leaves.

use crate::star_by_outcome::options_with_cuts;
use engine::core::{
    calibration::{Calibrated, Calibration},
    evaluator::Evaluator,
    game::Game,
    random::RandomStream,
};
use engine::games::einstein::{
    Position, Standard,
    dice::DiceStream,
    evaluators::{schwarz::Schwarz, schwarz_odds::SchwarzOdds},
};
use engine::search::{Search, star::Pruning, star_by_outcome::StarByOutcome};

fn position_after_plies(
    game: &Standard,
    evaluator: &impl Evaluator<Standard>,
    plies: usize,
    seed: u64,
) -> Option<Position> {
    let mut dice = DiceStream::new(seed, game.die());
    let mut position = game.random_start(&mut RandomStream::new(seed), 0);
    for _ in 0..plies {
        let legal = game.legal_moves(&position, dice.roll());
        let after = legal.iter().map(|&mv| game.play(&position, mv));
        position = after.min_by(|one, other| {
            evaluator
                .value_of(game, one)
                .total_cmp(&evaluator.value_of(game, other))
        })?;
        if game.winner(&position).is_some() {
            return None;
        }
    }
    Some(position)
}

/// Published for the NTU agent at depth 4, in two positions each: Star1 saves 11.2 and 13.3 % of
/// leaves in the opening, 13.1 and 19.3 in the middle game, 30.3 and 42.7 in the endgame. Here
/// random games must reach the means.
#[test]
fn star1_saves_at_least_the_published_fraction() {
    let game = Standard::default().with_unmerged_faces();
    let score = Schwarz::new(&game);
    let win = Calibration::logistic(SchwarzOdds::SLOPE, SchwarzOdds::OFFSET);
    for (scale, calibration) in [
        ("win probability", win),
        ("raw", Calibration::Raw { factor: 1.0 }),
    ] {
        let evaluator = Calibrated {
            score: score.clone(),
            calibration,
        };
        for (phase, plies, published) in [
            ("opening", 0, 12.3),
            ("middle", 6, 16.2),
            ("endgame", 14, 36.5),
        ] {
            let positions: Vec<_> = (0..)
                .filter_map(|seed| position_after_plies(&game, &evaluator, plies, seed))
                .take(4)
                .collect();
            let leaves = |position, cuts| {
                let options = options_with_cuts(cuts);
                let mut search =
                    StarByOutcome::new(game.clone(), evaluator.clone(), 5, options, None);
                search.value(position);
                search.take_stats().evaluations as f64
            };
            let saved = positions.iter().map(|position| {
                1.0 - leaves(position, Pruning::Star1) / leaves(position, Pruning::None)
            });
            let mean = 100.0 * saved.sum::<f64>() / positions.len() as f64;
            assert!(mean >= published, "{scale}, {phase}: {mean} %");
        }
    }
}
