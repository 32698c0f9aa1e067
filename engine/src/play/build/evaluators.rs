//! From notation to evaluators.

use super::EVALUATORS;
use crate::core::calibration::{Calibrated, Calibration};
use crate::games::einstein::Standard;
use crate::games::einstein::evaluators::any::AnyEvaluator;
use crate::games::einstein::evaluators::attack_block_threat::{
    AttackBlockThreat, Block, Options, Threat, View,
};
use crate::games::einstein::evaluators::farmer_boy::FarmerBoy;
use crate::games::einstein::evaluators::greedy::Greedy;
use crate::games::einstein::evaluators::mrmonte::{MrMonte, Simulated};
use crate::games::einstein::evaluators::race::Race;
use crate::games::einstein::evaluators::random::Random;
use crate::games::einstein::evaluators::reciprocal::Reciprocal;
use crate::games::einstein::evaluators::schwarz::Schwarz;
use crate::games::einstein::evaluators::schwarz_odds::SchwarzOdds;
use crate::games::einstein::learned::weights::{Model, ModelFile};
use crate::play::notation::{Arguments, Notation, Problem, parse_number};
use std::path::Path;
use std::sync::Arc;

/// Roll-outs a leaf when none are named; Rock'n'Roll's strongest players use up to 200.
const DEFAULT_ITERATIONS: u32 = 50;

pub(super) fn schwarz(game: &Standard) -> AnyEvaluator {
    AnyEvaluator::Schwarz(Arc::new(SchwarzOdds::fitted(game)))
}

pub(super) fn farmer_boy(game: &Standard) -> AnyEvaluator {
    AnyEvaluator::FarmerBoy(Arc::new(Calibrated {
        score: FarmerBoy::new(game),
        calibration: FarmerBoy::CALIBRATION,
    }))
}

pub(super) fn attack_block_threat(game: &Standard) -> AnyEvaluator {
    let (options, calibration) = (
        Options::default(),
        AttackBlockThreat::calibration(Options::default()),
    );
    AnyEvaluator::AttackBlockThreat(Arc::new(Calibrated {
        score: AttackBlockThreat::new(game, options),
        calibration,
    }))
}

/// Reads an evaluator; models are loaded.
pub(super) fn from_notation(notation: &Notation, game: &Standard) -> Result<AnyEvaluator, Problem> {
    if let Some(path) = notation.name.strip_prefix("model:") {
        Arguments::of(notation).finish()?;
        let model = ModelFile::load(game, Path::new(path))
            .map_err(|error| (notation.character, error.to_string()))?
            .model;
        return Ok(match model {
            Model::NTuple(ntuple) => AnyEvaluator::NTuple(Arc::new(ntuple)),
            Model::Network(network) => AnyEvaluator::Network(Arc::new(network)),
            Model::Integer(network) => AnyEvaluator::Integer(Arc::new(network)),
        });
    }
    let mut arguments = Arguments::of(notation);
    let evaluator = match notation.name.as_str() {
        "random" => AnyEvaluator::Random(Arc::new(Random::new(arguments.number(
            "seed",
            0..=u64::MAX,
            0,
        )?))),
        "race" => AnyEvaluator::Race(Arc::new(Race::new(game))),
        "schwarz" => {
            let fitted = Calibration::Logistic {
                slope: SchwarzOdds::SLOPE,
                offset: SchwarzOdds::OFFSET,
            };
            let calibration = calibration(&mut arguments, fitted)?;
            let odds = match calibration {
                Calibration::Logistic { slope, offset } => SchwarzOdds::new(game, slope, offset),
                Calibration::Raw { .. } => None,
            };
            match odds {
                Some(odds) => AnyEvaluator::Schwarz(Arc::new(odds)),
                None => AnyEvaluator::SchwarzScore(Arc::new(Calibrated {
                    score: Schwarz::new(game),
                    calibration,
                })),
            }
        }
        "farmer_boy" => {
            let calibration = calibration(&mut arguments, FarmerBoy::CALIBRATION)?;
            AnyEvaluator::FarmerBoy(Arc::new(Calibrated {
                score: FarmerBoy::new(game),
                calibration,
            }))
        }
        "greedy" => {
            let calibration = calibration(&mut arguments, Greedy::CALIBRATION)?;
            AnyEvaluator::Greedy(Arc::new(Calibrated {
                score: Greedy::new(game),
                calibration,
            }))
        }
        "reciprocal" => {
            let calibration = calibration(&mut arguments, Reciprocal::CALIBRATION)?;
            AnyEvaluator::Reciprocal(Arc::new(Calibrated {
                score: Reciprocal::new(game),
                calibration,
            }))
        }
        "attack_block_threat" | "abt" => {
            let options = Options {
                block: arguments.choice(
                    "block",
                    &[("subtract", Block::Subtract), ("add", Block::Add)],
                )?,
                threat: arguments
                    .choice("threat", &[("own", Threat::Own), ("enemy", Threat::Enemy)])?,
                view: arguments.choice(
                    "view",
                    &[("to_move", View::ToMove), ("just_moved", View::JustMoved)],
                )?,
            };
            let calibration = calibration(&mut arguments, AttackBlockThreat::calibration(options))?;
            AnyEvaluator::AttackBlockThreat(Arc::new(Calibrated {
                score: AttackBlockThreat::new(game, options),
                calibration,
            }))
        }
        "mrmonte" => {
            let iterations = arguments.number("iterations", 1..=1_000_000, DEFAULT_ITERATIONS)?;
            let mut player = |key| match arguments.take(key)? {
                Some(notation) => simulated(notation, game),
                None => Ok(Simulated::Rating {
                    evaluator: Arc::new(schwarz(game)),
                    depth: 0,
                }),
            };
            let (red, blue) = (player("red")?, player("blue")?);
            AnyEvaluator::MrMonte(Arc::new(MrMonte {
                iterations,
                red,
                blue,
                seed: arguments.number("seed", 0..=u64::MAX, 0)?,
            }))
        }
        name => {
            return Err((
                notation.character,
                format!("there is no evaluator '{name}'; there are {EVALUATORS}"),
            ));
        }
    };
    arguments.finish()?;
    Ok(evaluator)
}

/// The rest of Rock'n'Roll's `MrMonte(depth, iterations, player)`: both simulated players are the
/// same.
pub(super) fn rocknroll_mrmonte(
    arguments: &mut Arguments<'_>,
    game: &Standard,
) -> Result<AnyEvaluator, Problem> {
    let iterations = arguments.number("iterations", 1..=1_000_000, DEFAULT_ITERATIONS)?;
    let player = match arguments.take("player")? {
        Some(notation) => simulated(notation, game)?,
        None => Simulated::Rating {
            evaluator: Arc::new(schwarz(game)),
            depth: 0,
        },
    };
    Ok(AnyEvaluator::MrMonte(Arc::new(MrMonte {
        iterations,
        red: player.clone(),
        blue: player,
        seed: 0,
    })))
}

/// A player inside a roll-out: one of Rock'n'Roll's, or an evaluator that rates each direct
/// successor.
fn simulated(notation: &Notation, game: &Standard) -> Result<Simulated, Problem> {
    let mut arguments = Arguments::of(notation);
    let (evaluator, depth) = match notation.name.as_str() {
        name @ ("MrBlack" | "FarmerBoy" | "MrMonte") => {
            let depth = arguments.number("depth", 0..=8, 0)?;
            let evaluator = match name {
                "MrBlack" => schwarz(game),
                "FarmerBoy" => farmer_boy(game),
                _ => rocknroll_mrmonte(&mut arguments, game)?,
            };
            arguments.finish()?;
            (evaluator, depth)
        }
        "MrRandom" => {
            arguments.finish()?;
            return Ok(Simulated::Random);
        }
        _ => (from_notation(notation, game)?, 0),
    };
    Ok(Simulated::Rating {
        evaluator: Arc::new(evaluator),
        depth,
    })
}

/// Win probability by the fitted logistic, or by `slope` and `offset`; with `scale=raw` the raw
/// score, each unit counting `factor` on a scale of ±1000.
fn calibration(arguments: &mut Arguments<'_>, fitted: Calibration) -> Result<Calibration, Problem> {
    let raw = arguments.choice("scale", &[("win", false), ("raw", true)])?;
    let mut constant = |key, range: std::ops::RangeInclusive<f32>| {
        arguments
            .take_named(key)?
            .map(|value| parse_number(key, value, range))
            .transpose()
    };
    Ok(match fitted {
        _ if raw => Calibration::Raw {
            factor: constant("factor", 1e-6..=1000.0)?.unwrap_or(1.0),
        },
        Calibration::Logistic { slope, offset } => Calibration::Logistic {
            slope: constant("slope", 1e-6..=1000.0)?.unwrap_or(slope),
            offset: constant("offset", -100.0..=100.0)?.unwrap_or(offset),
        },
        Calibration::Raw { .. } => fitted,
    })
}
