//! Options of the Monte-Carlo search.

use crate::search::limits::TimeLimit;

/// When a search stops, unless the answer is certain before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After this many simulations, over all threads.
    Simulations(u64),
    /// By the clock; results are then not reproducible.
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

/// Blends a move's own n visits with sum w and its m AMAF visits with sum v; k is
/// [`MctsOptions::rave`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// RAVE weight `sqrt(k / (3n + k))` (Gelly and Silver 2007).
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

/// Value of an unvisited move (first-play urgency, Gelly and Wang 2006).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstPlay {
    /// All moves are visited once, in list order.
    First,
    /// This score, or the RAVE mean if there is one.
    Value(f32),
    /// This much above the RAVE mean, or above ½ without one.
    Above(f32),
}

/// Default UCB1 constant. Mean regret on 2,000 positions of 6 to 12 stones with 15,000 simulations
/// and Schwarz leaves: 0.0054 with 0.3, 0.0048 with 0.5, 0.0047 with 0.8, 0.0057 with sqrt(2)
/// (standard errors 0.0002).
const DEFAULT_EXPLORATION: f64 = 0.7;

/// Options of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// When to stop.
    pub budget: Budget,
    /// The constant c of UCB1, `q + c · sqrt(ln N / n)`, for a move with mean q and n of the node's
    /// N visits (Auer, Cesa-Bianchi and Fischer 2002). They use sqrt(2), as Monte_Alpha prints.
    pub exploration: f64,
    /// First-play urgency.
    pub first_play: FirstPlay,
    /// Weight of progressive bias, `bias · prior / sqrt(n)` (Chaslot et al. 2008); 0 for none.
    pub bias: f32,
    /// RAVE constant k: the visits at which own mean and AMAF mean count alike with the default
    /// [`Blend`] (Gelly and Silver 2007); 0 for none.
    pub rave: f32,
    /// How RAVE is blended in.
    pub blend: Blend,
    /// Maximal depth of nodes with RAVE, in plies from the root.
    pub rave_depth: usize,
    /// Initial visits of a new edge, `min + U(0..=range)`, with a total payoff of `visits / 2 ±
    /// spread / 2`: (min, range, spread).
    pub virtual_visits: (u32, u32, f32),
    /// Whether these visits count for RAVE alone, else as visits of the edge.
    pub virtual_visits_in_rave: bool,
    /// Fraction of a node's visits during which the selected move is repeated; only with RAVE and
    /// without chance.
    pub reselect_interval: f32,
    /// Visits of an edge before its position gets a node; more as memory fills up.
    pub expand_visits: u32,
    /// Whether to prove values and to use the proofs. Two seats only.
    pub solver: bool,
    /// Whether transpositions share a node.
    pub graph: bool,
    /// Whether reachable nodes survive to the next search. Needs the graph.
    pub reuse_tree: bool,
    /// Whether the search ponders ([`super::Mcts::ponder`]), so that the graph may fill all its
    /// memory.
    pub ponder: bool,
    /// Lost visits added to an edge while a simulation through it is under way, with several
    /// threads only to edges with fewer visits than those simulations; 0 for none.
    pub virtual_loss: u32,
    /// Maximal number of simulations under way per thread, whose leaves are evaluated together;
    /// grows by one per 32 simulations of the search.
    pub batch: usize,
    /// MiB of the search, nearly all for the graph. A full graph is searched on without new nodes.
    pub memory: usize,
    /// Whether a decision ends when no other move can become the most visited one in the
    /// simulations left (lc0's smart pruning).
    pub smart_pruning: bool,
    /// A decision ends when all moves but one are proven lost and that one's value exceeds this.
    pub sole_move_threshold: f32,
    /// Whether a clear decision ends early: when best visits × best mean × time spent exceeds
    /// second-best visits × time limit. Half the moves of a game then take less time.
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
