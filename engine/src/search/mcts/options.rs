//! What a Monte-Carlo search can be told, with its defaults.

use crate::search::limits::TimeLimit;

/// When to stop, unless the answer is certain before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After this many simulations, of all threads together.
    Simulations(u64),
    /// By the clock; the same seed need not give the same move then.
    Time(TimeLimit),
}

impl Budget {
    /// The limit of time, if it is one.
    pub fn time(self) -> Option<TimeLimit> {
        match self {
            Self::Simulations(_) => None,
            Self::Time(limit) => Some(limit),
        }
    }
}

/// How a move's own n trials and the m simulations in which it was made later on go together; k is
/// [`MctsOptions::rave`], w and v are the sums of payoffs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// RAVE weighs `sqrt(k / (3n + k))` (Gelly and Silver 2007).
    #[default]
    Gelly,
    /// `k / (n + k)` (Teytaud).
    Teytaud,
    /// `m / (n + m + k · n · m)` (Silver 2009).
    Silver,
    /// The same with k divided by the variance of the move's payoffs.
    Variance,
    /// Progressive history (Nijssen and Winands 2010): `w/n + k / (2 (n − w)) · v/m`.
    History,
}

/// What a move that was never tried is taken for (first-play urgency, Gelly and Wang 2006).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstPlay {
    /// Better than any other: all moves are tried once, in list order.
    First,
    /// Its score, or with a prior its mean payoff.
    Value(f32),
    /// Better by this than RAVE says, or than even odds where it says nothing.
    Above(f32),
}

/// Of UCB1. Mean regret on 2,000 positions of 6 to 12 stones, labelled by search, with 15,000
/// simulations and leaves by Schwarz: 0.0054 with 0.3, 0.0048 with 0.5, 0.0047 with 0.8, 0.0057
/// with sqrt(2) (standard errors 0.0002); with playouts and 3,000 simulations 0.0189 with 0.35,
/// 0.0177 with 0.5, 0.0178 with 0.8, 0.0198 with sqrt(2).
const DEFAULT_EXPLORATION: f64 = 0.7;

/// Settings of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// When to stop.
    pub budget: Budget,
    /// The constant c of UCB1, `q + c · sqrt(ln N / n)`: q is a move's mean payoff, n how often it was
    /// tried and N how often the position was visited (Auer, Cesa-Bianchi and Fischer 2002). They have
    /// sqrt(2), and Monte_Alpha prints it.
    pub exploration: f64,
    /// Moves that were never tried.
    pub first_play: FirstPlay,
    /// Adds `bias · h / sqrt(n)` to the score of a move, h what the prior says of it (progressive
    /// bias, Chaslot et al. 2008); 0 for none.
    pub bias: f32,
    /// At how many visits a move's own mean counts as much as that of all simulations in which it
    /// was made later on (RAVE, Gelly and Silver 2007), or what else [`Blend`] says; 0 for none.
    pub rave: f32,
    /// How RAVE is blended in.
    pub blend: Blend,
    /// Positions at most so many plies from the root learn by RAVE.
    pub rave_depth: usize,
    /// What a new move begins with: between so many and so many more simulations, at random, whose
    /// payoffs add up to even odds give or take so much, at random.
    pub noise: (u32, u32, f32),
    /// Whether only RAVE knows of them; else they are tries of the move.
    pub noise_by_rave: bool,
    /// Of so large a share of a position's visits the move that was selected is made again without
    /// another look; only with RAVE, and without chance.
    pub again: f32,
    /// How often a move is tried before the position behind it gets statistics of its own: as memory
    /// is used up, more and more often.
    pub expand: u32,
    /// Whether to prove values and to use what is proven. Two seats only.
    pub solver: bool,
    /// Whether positions that are reached by several ways are one.
    pub graph: bool,
    /// Whether what was learned about positions that can still be reached is kept. Needs the graph.
    pub keep: bool,
    /// Whether the search goes on on the time of others ([`super::Mcts::ponder`]); the graph may
    /// then take all its memory. Needs [`MctsOptions::keep`].
    pub ponder: bool,
    /// How often a move counts as tried and lost while the result of a simulation is not there yet;
    /// 0 for not at all. With several threads only one that was tried less often than simulations
    /// can be under way.
    pub virtual_loss: u32,
    /// Most simulations that each thread has under way at a time, so that their leaves are valued
    /// together: one more for every 32 that it has made in this search.
    pub batch: usize,
    /// MiB that the search may take, nearly all for the graph. When they are used up it goes on
    /// with the positions it has.
    pub memory: usize,
    /// Whether a decision ends when no other move can become the most visited one in the
    /// simulations left.
    pub early: bool,
    /// A decision ends when all moves but one are proven to lose and that one is worth more.
    pub sole: f32,
    /// Whether a decision takes less time the clearer it is: it ends when the visits of the best
    /// move times its value times the time spent exceed those of the second times the time there
    /// is, and half the moves of a game need less.
    pub human: bool,
}

impl Default for MctsOptions {
    fn default() -> Self {
        Self {
            budget: Budget::Simulations(10_000),
            exploration: DEFAULT_EXPLORATION,
            first_play: FirstPlay::First,
            bias: 0.0,
            rave: 0.0,
            blend: Blend::Gelly,
            rave_depth: usize::MAX,
            noise: (0, 0, 0.0),
            noise_by_rave: true,
            again: 0.0,
            expand: 1,
            solver: true,
            graph: true,
            keep: false,
            ponder: false,
            virtual_loss: 1,
            batch: 1,
            memory: 256,
            early: true,
            sole: 1.0,
            human: false,
        }
    }
}
