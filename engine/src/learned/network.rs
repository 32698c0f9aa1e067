//! Networks in whole numbers, for the leaves of a search.
//!
//! Inputs are each on or off, in runs of rows of which one is on ([`Learnable::input_runs`]); what
//! comes after the first layer there may be several times, for more or less of the game that
//! remains ([`Network::bounds`]). [`NetworkWeights`] has the formula. Invariant: all sums are exact,
//! so that following a move equals starting afresh, and all kernels and instruction sets give the
//! same bits. The idea of the accumulator is NNUE's (Nasu 2018).

mod accumulator;
mod kernels;
mod weights;

pub use accumulator::Accumulators;
pub use weights::*;

use super::{
    inputs::{Learnable, check_bounds, format_limits},
    names::NameSet,
    tuples::Plain,
};
use crate::core::{
    calibration::{logistic, unproven},
    evaluator::{Evaluator, one_by_one, score_one_by_one, value_one_by_one},
    simd::Instructions,
};
use std::fmt::Debug;

/// Most inputs that may be on in a position.
pub const MAX_ACTIVE: usize = 512;

/// How the networks of a game are computed: by [`Plain`] or faster. Invariant: the logits of
/// [`Network::plain_logit`].
pub trait NetworkKernels<G: Learnable<Network = Self>>:
    Clone + Debug + Send + Sync + Sized + 'static
{
    /// What a search keeps from position to position.
    type Cache: Clone + Default + Send;

    /// As [`Evaluator::KNOWS_SUCCESSORS`].
    const KNOWS_SUCCESSORS: bool = false;

    /// Whether they are fast only where [`NetworkWeights::sums_fit_16_bits`], which training then sees to.
    const SUMS_IN_16_BITS: bool = false;

    /// What is needed of a network that looks at these groups.
    fn new(
        weights: &NetworkWeights,
        groups: NameSet<G::Group>,
        bounds: &[u8],
        instructions: Instructions,
    ) -> Self;

    /// As [`Evaluator::refresh`].
    fn refresh(network: &Network<G>, game: &G, position: &G::Position, cache: &mut Self::Cache);

    /// As [`Evaluator::update`].
    fn update(
        network: &Network<G>,
        game: &G,
        parent: &Self::Cache,
        after: &G::Position,
        child: &mut Self::Cache,
    );

    /// Log odds of the side to move, in units of 1 / [`LOGIT_SCALE`]; the cache is that of the
    /// position.
    fn logit(network: &Network<G>, game: &G, position: &G::Position, cache: &Self::Cache) -> i32;

    /// As [`Evaluator::one_ply`].
    fn one_ply(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        cache: &mut Self::Cache,
    ) -> f32 {
        one_by_one(network, game, position, cache)
    }

    /// As [`Evaluator::score_successors`].
    fn score_successors(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_one_by_one(network, game, position, moves, scores);
    }

    /// As [`Evaluator::value_successors`].
    fn value_successors(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Self::Cache,
        values: &mut [f32],
    ) {
        value_one_by_one(network, game, position, moves, cache, values);
    }
}

impl<G: Learnable<Network = Self>> NetworkKernels<G> for Plain {
    type Cache = Accumulators;

    fn new(_: &NetworkWeights, _: NameSet<G::Group>, _: &[u8], _: Instructions) -> Self {
        Self
    }

    fn refresh(network: &Network<G>, game: &G, position: &G::Position, cache: &mut Accumulators) {
        cache.refresh(network, game, position);
    }

    fn update(
        network: &Network<G>,
        game: &G,
        parent: &Accumulators,
        after: &G::Position,
        child: &mut Accumulators,
    ) {
        child.update(network, game, parent, after);
    }

    #[inline]
    fn logit(network: &Network<G>, game: &G, position: &G::Position, cache: &Accumulators) -> i32 {
        network.logit_of_sums(game, position, cache.seen_by(game.to_move(position)))
    }
}

/// A network ready to evaluate. Immutable and shared.
#[derive(Clone, Debug)]
pub struct Network<G: Learnable> {
    weights: NetworkWeights,
    groups: NameSet<G::Group>,
    bounds: Vec<u8>,
    active: usize,
    kernels: G::Network,
    instructions: Instructions,
    game: String,
    layout: String,
}

impl<G: Learnable> Network<G> {
    /// The network of weights that look at these groups of inputs. What comes after the first layer
    /// there is for positions of which at most `bounds[0]` remains, see
    /// [`crate::play::playable::Playable::remaining`], for those of which more than that but at most
    /// `bounds[1]` does, and so on, and for all others.
    ///
    /// # Errors
    /// If bounds do not ascend within what may remain, sizes do not fit together, or a sum could
    /// overflow.
    pub fn new(
        game: &G,
        groups: NameSet<G::Group>,
        bounds: &[u8],
        weights: NetworkWeights,
    ) -> Result<Self, NetworkError> {
        let runs = game.input_runs(groups);
        let rows = runs.iter().map(|run| run.end).max().unwrap_or(0);
        for (what, found, most) in [
            ("rows of inputs", rows, usize::from(u16::MAX)),
            ("inputs that are on", runs.len(), MAX_ACTIVE),
        ] {
            if found > most {
                let problem = format!("{found} {what}; there may be {most}");
                return Err(NetworkError(problem));
            }
        }
        check_bounds(game, "buckets", bounds).map_err(NetworkError)?;
        weights.check(rows, bounds.len() + 1)?;
        let instructions = Instructions::detect();
        Ok(Self {
            kernels: G::Network::new(&weights, groups, bounds, instructions),
            layout: layout(game, groups, bounds),
            game: game.model_game(),
            active: runs.len(),
            bounds: bounds.to_vec(),
            weights,
            groups,
            instructions,
        })
    }

    /// The same network on other instructions than the best this machine has; values do not change.
    #[must_use]
    pub fn on(self, instructions: Instructions) -> Self {
        Self {
            kernels: G::Network::new(&self.weights, self.groups, &self.bounds, instructions),
            instructions,
            ..self
        }
    }

    /// The weights.
    pub fn weights(&self) -> &NetworkWeights {
        &self.weights
    }

    /// Which groups of inputs there are beside the usual ones.
    pub fn groups(&self) -> NameSet<G::Group> {
        self.groups
    }

    /// Most that remains in each bucket but the last; empty if there is one.
    pub fn bounds(&self) -> &[u8] {
        &self.bounds
    }

    /// What a game's own code needs of it.
    #[inline]
    pub(crate) fn kernels(&self) -> &G::Network {
        &self.kernels
    }

    /// The instructions in use.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// The canonical description of the inputs.
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// What model files call its game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Log odds of the side to move, in units of 1 / [`LOGIT_SCALE`], by the definition: no cache,
    /// no kernels of the game.
    #[must_use]
    pub fn plain_logit(&self, game: &G, position: &G::Position) -> i32 {
        let (mut rows, mut sums) = ([0; MAX_ACTIVE], [0; MAX_WIDTH]);
        let (rows, sums) = (
            &mut rows[..self.active],
            &mut sums[..self.weights.bias.len()],
        );
        game.input_rows(self.groups, position, game.to_move(position), rows);
        kernels::sum_rows(self.instructions, &self.weights.rows, rows, sums);
        self.logit_of_sums(game, position, sums)
    }

    #[inline]
    fn logit_of_sums(&self, game: &G, position: &G::Position, sums: &[i32]) -> i32 {
        // Small layers use little scratch space: clearing the large one would cost more than their
        // arithmetic.
        const SMALL: usize = 128;
        let (set, weights) = (self.instructions, &self.weights);
        let bucket = bucket(&self.bounds, game.remaining(position));
        let layers = weights.hidden.iter();
        let small = layers.fold(weights.bias.len() <= SMALL, |small, layer| {
            small && layer.bias.len() <= SMALL * weights.buckets()
        });
        match small {
            true => kernels::forward::<SMALL>(set, weights, bucket, sums),
            false => kernels::forward::<MAX_WIDTH>(set, weights, bucket, sums),
        }
    }
}

/// The bucket of positions of which so much remains.
#[must_use]
#[inline]
pub fn bucket(bounds: &[u8], remaining: usize) -> usize {
    let below = |bound: &&u8| usize::from(**bound) < remaining;
    bounds.iter().filter(below).count()
}

/// The canonical text of what a network looks at.
pub(super) fn layout<G: Learnable>(game: &G, groups: NameSet<G::Group>, bounds: &[u8]) -> String {
    game.inputs_layout(groups) + &format_limits::<G>("buckets", bounds)
}

/// Log odds in floating point, a little coarser than the integers, so that the logistic is monotone
/// also when rounded: the best of several moves may be taken among integers.
#[must_use]
#[inline]
pub fn log_odds(logit: i32) -> f32 {
    const COARSER: u32 = 5;
    (logit >> COARSER) as f32 * ((1 << COARSER) as f32 / LOGIT_SCALE as f32)
}

/// What a logit is worth to the side to move.
#[inline]
pub(crate) fn win_probability(logit: i32) -> f32 {
    unproven(logistic(log_odds(logit)))
}

impl<G: Learnable> PartialEq for Network<G> {
    /// Equal weights for the same game; what they run on does not matter.
    fn eq(&self, other: &Self) -> bool {
        (&self.weights, &self.layout, &self.game) == (&other.weights, &other.layout, &other.game)
    }
}

impl<G: Learnable> Evaluator<G> for Network<G> {
    type Cache = <G::Network as NetworkKernels<G>>::Cache;
    const KNOWS_SUCCESSORS: bool = G::Network::KNOWS_SUCCESSORS;

    #[inline]
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        G::Network::one_ply(self, game, position, cache)
    }

    /// Log odds for the side that moves, on a scale of their own.
    #[inline]
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        G::Network::score_successors(self, game, position, moves, scores);
    }

    #[inline]
    fn value_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Self::Cache,
        values: &mut [f32],
    ) {
        G::Network::value_successors(self, game, position, moves, cache, values);
    }

    fn refresh(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) {
        G::Network::refresh(self, game, position, cache);
    }

    fn update(
        &self,
        game: &G,
        parent: &Self::Cache,
        _: &G::Position,
        _: G::Move,
        after: &G::Position,
        child: &mut Self::Cache,
    ) {
        G::Network::update(self, game, parent, after, child);
    }

    #[inline]
    fn value(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> f32 {
        win_probability(G::Network::logit(self, game, position, cache))
    }

    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        Some(log_odds(self.plain_logit(game, position)))
    }
}
