//! Any of the evaluators of EinStein würfelt nicht, chosen at run time.
//!
//! `with_evaluator!` runs a piece of generic code for whichever it is, so the choice is made once,
//! outside of all loops. Used as an evaluator itself ([`DynEvaluator`]), the choice is made at
//! every position.

use super::attack_block_threat::AttackBlockThreat;
use super::farmer_boy::FarmerBoy;
use super::greedy::Greedy;
use super::mrmonte::MrMonte;
use super::race::Race;
use super::random::Random;
use super::reciprocal::Reciprocal;
use super::schwarz::Schwarz;
use super::schwarz_odds::SchwarzOdds;
use crate::core::calibration::Calibrated;
use crate::core::evaluator::{DynEvaluator, Evaluator, Score};
use crate::games::einstein::learned::Network;
use crate::games::einstein::learned::integer_network::{IntegerNetwork, log_odds};
use crate::games::einstein::learned::ntuple::NTuple;
use crate::games::einstein::{Position, Standard};
use std::sync::Arc;

/// One of the evaluators; cloning shares it.
#[derive(Clone)]
pub enum AnyEvaluator {
    /// A hash of the position.
    Random(Arc<Random>),
    /// Difference of expected turns.
    Schwarz(Arc<SchwarzOdds>),
    /// The same on any scale.
    SchwarzScore(Arc<Calibrated<Schwarz>>),
    /// Probability of winning the race.
    Race(Arc<Race>),
    /// Mean field values.
    FarmerBoy(Arc<Calibrated<FarmerBoy>>),
    /// Attack, block and threat.
    AttackBlockThreat(Arc<Calibrated<AttackBlockThreat>>),
    /// Nearest stones.
    Greedy(Arc<Calibrated<Greedy>>),
    /// Reciprocal distances.
    Reciprocal(Arc<Calibrated<Reciprocal>>),
    /// Roll-outs between simple players.
    MrMonte(Arc<MrMonte>),
    /// A learned n-tuple network.
    NTuple(Arc<NTuple>),
    /// A learned neural network.
    Network(Arc<Network>),
    /// A learned neural network in integers.
    Integer(Arc<IntegerNetwork>),
}

/// Evaluates an expression that is generic over the evaluator with the one that an [`AnyEvaluator`]
/// holds.
macro_rules! with_evaluator {
    ($any:expr, $evaluator:ident => $body:expr) => {
        match $any {
            $crate::games::einstein::evaluators::any::AnyEvaluator::Random($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::Schwarz($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::SchwarzScore($evaluator) => {
                $body
            }
            $crate::games::einstein::evaluators::any::AnyEvaluator::Race($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::FarmerBoy($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::AttackBlockThreat(
                $evaluator,
            ) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::Greedy($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::Reciprocal($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::MrMonte($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::NTuple($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::Network($evaluator) => $body,
            $crate::games::einstein::evaluators::any::AnyEvaluator::Integer($evaluator) => $body,
        }
    };
}
pub(crate) use with_evaluator;

impl AnyEvaluator {
    /// The win probability of the side to move of each position; which evaluator it is, is asked
    /// once. None of the positions is over, and `out` is as long as `positions`.
    pub fn values(&self, game: &Standard, positions: &[Position], out: &mut [f32]) {
        with_evaluator!(self, evaluator => evaluator.values(game, positions, out));
    }

    /// The raw score for the side to move, before calibration; `None` where the value itself is all
    /// there is.
    #[must_use]
    pub fn raw(&self, game: &Standard, position: &Position) -> Option<f32> {
        match self {
            Self::Schwarz(evaluator) => Some(evaluator.raw(game, position)),
            Self::SchwarzScore(evaluator) => Some(evaluator.score.score(game, position)),
            Self::FarmerBoy(evaluator) => Some(evaluator.score.score(game, position)),
            Self::AttackBlockThreat(evaluator) => Some(evaluator.score.score(game, position)),
            Self::Greedy(evaluator) => Some(evaluator.score.score(game, position)),
            Self::Reciprocal(evaluator) => Some(evaluator.score.score(game, position)),
            Self::NTuple(evaluator) => Some(evaluator.logit(position)),
            Self::Network(evaluator) => {
                let mut accumulators = Default::default();
                evaluator.refresh(game, position, &mut accumulators);
                Some(evaluator.logit(game, position, &accumulators))
            }
            Self::Integer(evaluator) => Some(log_odds(evaluator.logit(position))),
            Self::Random(_) | Self::Race(_) | Self::MrMonte(_) => None,
        }
    }
}

/// What only networks with heads of their own say.
impl AnyEvaluator {
    /// The win probability of the side to move after each face that it may now roll; see
    /// [`Network::rolls`].
    #[must_use]
    pub fn rolls(&self, game: &Standard, position: &Position) -> Option<Vec<f32>> {
        self.network()?.rolls(game, position)
    }

    /// Plies to the end of the game; see [`Network::moves_to_go`].
    #[must_use]
    pub fn moves_to_go(&self, game: &Standard, position: &Position) -> Option<f32> {
        self.network()?.moves_to_go(game, position)
    }

    fn network(&self) -> Option<&Network> {
        if let Self::Network(network) = self {
            Some(network)
        } else {
            None
        }
    }
}

impl DynEvaluator<Standard> for AnyEvaluator {
    fn value_of(&self, game: &Standard, position: &Position) -> f32 {
        with_evaluator!(self, evaluator => evaluator.value_of(game, position))
    }
}
