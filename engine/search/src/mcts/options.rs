//! Options of the Monte-Carlo search.

use crate::limits::TimeLimit;

/// The limit that ends a search, unless the result is certain before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// The number of simulations of all threads together.
    Simulations(u64),
    /// A time limit; results are then not reproducible.
    Time(TimeLimit),
}

impl Budget {
    /// The time limit, if there is one.
    pub fn time(self) -> Option<TimeLimit> {
        match self {
            Self::Simulations(_) => None,
            Self::Time(limit) => Some(limit),
        }
    }
}

/// Value of a move with n visits (payoff sum w) and m AMAF visits (all moves as first, sum v): `β ·
/// v/m + (1 − β) · w/n` with a RAVE weight β, where k is [`MctsOptions::rave`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// `β = sqrt(k / (3n + k))` (Gelly and Silver 2007).
    #[default]
    Gelly,
    /// `β = k / (n + k)` (Teytaud).
    Teytaud,
    /// `β = m / (n + m + k · n · m)` (Silver 2009).
    Silver,
    /// As `Silver`, with k divided by the variance of the move's payoffs.
    Variance,
    /// Progressive history (Nijssen and Winands 2010) instead: `w/n + k / (2 (n − w)) · v/m`.
    History,
}

/// Value of an unvisited move (first-play urgency, Gelly and Wang 2006).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstPlay {
    /// All moves are visited once before any twice, in list order or by RAVE.
    First,
    /// This value, or the RAVE mean if there is one.
    Value(f32),
    /// This much above ½, or above the RAVE mean if there is one.
    Above(f32),
}

/// Mean regret on 2,000 positions of 6 to 12 stones, 15,000 simulations, Schwarz leaves: 0.0054
/// with 0.3, 0.0048 with 0.5, 0.0047 with 0.8, 0.0057 with sqrt(2) (standard errors 0.0002).
const DEFAULT_EXPLORATION: f64 = 0.7;

/// Options of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// The limit that ends a search.
    pub budget: Budget,
    /// The constant c of UCB1, `q + c · sqrt(ln N / n)`, for a move with mean q and n of the node's
    /// N visits (Auer, Cesa-Bianchi and Fischer 2002: sqrt(2)).
    pub exploration: f64,
    /// Value of an unvisited move (first-play urgency).
    pub first_play: FirstPlay,
    /// Weight of progressive bias, `bias · prior / sqrt(n)` (Chaslot et al. 2008); 0 for none.
    pub bias: f32,
    /// RAVE constant k: the visits at which own mean and AMAF mean weigh alike with the default
    /// [`Blend`] (Gelly and Silver 2007); 0 for no RAVE.
    pub rave: f32,
    /// How RAVE statistics are blended with a move's own.
    pub blend: Blend,
    /// Maximal depth of nodes that have RAVE statistics, in plies from the root.
    pub rave_depth: usize,
    /// Initial visits of a new edge, `min + U(0..=range)`, with a total payoff of `visits / 2 ±
    /// spread / 2`: (min, range, spread).
    pub virtual_visits: (u32, u32, f32),
    /// Whether virtual visits are added to the RAVE statistics of the edge instead of its own.
    pub virtual_visits_in_rave: bool,
    /// A selected move is repeated until the node's visits have grown by this fraction; 0 for
    /// never. Only with RAVE and without chance.
    pub reselect_interval: f32,
    /// Visits of an edge before its position gets a node; the number grows as memory fills up.
    pub expand_visits: u32,
    /// Whether bounds of values are proven and used. Two seats only.
    pub solver: bool,
    /// Whether transpositions share a node.
    pub graph: bool,
    /// Whether nodes that stay reachable survive to the next search. Needs `graph`.
    pub reuse_tree: bool,
    /// Whether the search ponders ([`super::Mcts::ponder`]), so that the graph may fill all its
    /// memory.
    pub ponder: bool,
    /// Lost visits added to an edge while a simulation through it is under way; 0 for none. With
    /// several threads only for edges with fewer visits than such simulations.
    pub virtual_loss: u32,
    /// Maximal number of simulations under way per thread, whose leaves are evaluated together;
    /// grows by one per 32 simulations of the search.
    pub batch: usize,
    /// Memory in MiB, nearly all for the graph. With a full graph a search goes on without new
    /// nodes.
    pub memory: usize,
    /// Whether a decision ends when the simulations left cannot make another move the most visited
    /// (smart pruning of lc0).
    pub smart_pruning: bool,
    /// A decision ends when all moves but one are proven lost and that one's value exceeds this.
    pub sole_move_threshold: f32,
    /// Whether a clear decision ends early: when best visits × best mean × time spent exceeds
    /// second-best visits × time limit.
    pub stop_when_clear: bool,
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
            virtual_visits: (0, 0, 0.0),
            virtual_visits_in_rave: true,
            reselect_interval: 0.0,
            expand_visits: 1,
            solver: true,
            graph: true,
            reuse_tree: false,
            ponder: false,
            virtual_loss: 1,
            batch: 1,
            memory: 256,
            smart_pruning: true,
            sole_move_threshold: 1.0,
            stop_when_clear: false,
        }
    }
}
