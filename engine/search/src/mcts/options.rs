//! Options of the Monte-Carlo search.

use crate::limits::TimeLimit;

/// What ends a search, unless its result is certain before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Maximal simulations of all threads together.
    Simulations(u64),
    /// Time limit, which makes results irreproducible.
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

/// Blend of a move's own statistics (n visits, payoff sum w) with AMAF statistics (m visits, sum
/// v): `β · v/m + (1 − β) · w/n`, where k is [`MctsOptions::rave`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// `β = sqrt(k / (3n + k))` (Gelly and Silver 2007).
    #[default]
    Gelly,
    /// `β = k / (n + k)` (Teytaud).
    Teytaud,
    /// `β = m / (n + m + k · n · m)` (Silver 2009).
    Silver,
    /// [`Blend::Silver`] with k divided by the variance of the move's payoffs.
    Variance,
    /// Progressive history (Nijssen and Winands 2010) instead: `w/n + k / (2 (n − w)) · v/m`.
    History,
}

/// Value of an unvisited move (first-play urgency, Gelly and Wang 2006).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstPlay {
    /// Unvisited moves go first, in list order or by RAVE mean.
    First,
    /// The given value, or the move's RAVE mean if there is one.
    Value(f32),
    /// ½, or the move's RAVE mean if there is one, plus the given value.
    Above(f32),
}

/// Default c of UCB1. Mean regret on 2,000 positions of EinStein with 6 to 12 stones, 15,000
/// simulations, Schwarz leaves: 0.0054 with 0.3, 0.0048 with 0.5, 0.0047 with 0.8, 0.0057 with
/// sqrt(2) (standard errors 0.0002).
const DEFAULT_EXPLORATION: f64 = 0.7;

/// Options of a Monte-Carlo search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// Maximal simulations or time of a search.
    pub budget: Budget,
    /// The c of UCB1, `q + c · sqrt(ln N / n)`, for a move with mean q and n of the node's N
    /// visits.
    pub exploration: f64,
    /// Value of an unvisited move.
    pub first_play: FirstPlay,
    /// Weight of progressive bias, `bias · prior / sqrt(n)` for a move with n visits (Chaslot et
    /// al. 2008); 0 for none.
    pub bias: f32,
    /// RAVE constant k: with the default [`Blend`], the visits at which own and AMAF mean weigh
    /// alike (Gelly and Silver 2007); 0 for no RAVE.
    pub rave: f32,
    /// Blend of RAVE statistics with a move's own.
    pub blend: Blend,
    /// Maximal depth of nodes with RAVE statistics, in plies from the root.
    pub rave_depth: usize,
    /// (min, range, spread): a new edge begins with `min + U(0..=range)` visits and a payoff sum
    /// uniform within `spread / 2` of `visits / 2`.
    pub virtual_visits: (u32, u32, f32),
    /// Whether virtual visits go to the edge's RAVE statistics instead of its own.
    pub virtual_visits_in_rave: bool,
    /// Fraction by which a node's visits grow before its selection is renewed; 0 for every visit.
    /// Only with RAVE and without chance.
    pub reselect_interval: f32,
    /// Visits of an edge before its position gets a node; grows as memory fills up, unless 1.
    pub expand_visits: u32,
    /// Whether bounds of values are proven and used. Two seats only.
    pub solver: bool,
    /// Whether transpositions share a node.
    pub graph: bool,
    /// Whether the next search reuses the nodes that its root reaches. Needs `graph`.
    pub reuse_tree: bool,
    /// Whether `Mcts::ponder` will be called and may fill all memory.
    pub ponder: bool,
    /// Visits without payoff of an edge while a simulation through it is under way; with several
    /// threads only if it has few visits.
    pub virtual_loss: u32,
    /// Maximal simulations of a thread under way, whose leaves are evaluated together; starts at 1
    /// and grows by one per 32 completed.
    pub batch: usize,
    /// Memory in MiB, nearly all for the graph; if that is full, the search goes on without new
    /// nodes.
    pub memory: usize,
    /// Whether a choice ends once the simulations left cannot make another move the most visited
    /// (smart pruning of lc0).
    pub smart_pruning: bool,
    /// Mean above which a move ends the choice if all others are proven lost; 1 for never.
    pub sole_move_threshold: f32,
    /// Whether a choice under a time limit ends once the most visited move's visits × mean × time
    /// spent exceed the second's visits × time limit.
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
