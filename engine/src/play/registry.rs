//! `Registry`: named evaluators, players, exact knowledge and transcript forms of a game.
//!
//! [`AnyEvaluator`] is the dynamic form of an [`Evaluator`] and constructs the searches over it, so
//! that an evaluator chosen at run time is dispatched once a call, never once a node.

use super::{
    build::{self, PlayerRecipe, SearchPlan},
    notation::{Arguments, Notation, Problem},
    playable::Playable,
    player::Player,
    stated_result::StatedResult,
};
use crate::core::{
    calibration::{Calibrated, Calibration},
    evaluator::{Evaluator, Score},
    game::Payoffs,
    oracle::Oracle,
    search_game::SearchGame,
    text::TextError,
};
use crate::search::{
    mcts::{EvaluatorLeaf, Leaf, Prior, SearchLeaf},
    playout::{GreedyPolicy, Policy},
    rollout::{EvaluatorRollouts, Rollouts},
};
use std::sync::Arc;

/// An evaluator that was chosen at run time, shared by the players that use it.
pub type SharedEvaluator<G> = Arc<dyn AnyEvaluator<G>>;

/// Names of a game; [`Registry::DEFAULT`] is empty.
///
/// A game keeps it in a `static`, so that its searches are compiled once, with the game.
pub struct Registry<G: Playable> {
    /// Evaluators, default first.
    pub evaluators: &'static [EvaluatorEntry<G>],
    /// Players beside those of every game.
    pub players: &'static [PlayerEntry<G>],
    /// Exact knowledge for searches.
    pub oracle: Option<&'static OracleEntry<G>>,
    /// Playouts for the leaves of a tree search.
    pub playouts: &'static [PlayoutEntry<G>],
    /// Forms in which other programs write whole games.
    pub transcripts: &'static [TranscriptForm<G>],
    /// The model that notation calls `best`, as the content of its file.
    pub best_model: fn(&G) -> Option<&'static [u8]>,
    /// Reads the content of a model file.
    pub read_model: fn(&G, &[u8]) -> Result<SharedEvaluator<G>, String>,
    /// Reads the notation of a player.
    pub read_player: fn(&Notation, &G) -> Result<PlayerRecipe<G>, Problem>,
    /// Reads the notation of an evaluator.
    pub read_evaluator: fn(&Notation, &G) -> Result<SharedEvaluator<G>, Problem>,
}

impl<G: Playable> Registry<G> {
    /// Nothing but the evaluators and players of every game.
    pub const DEFAULT: Self = Self {
        evaluators: &[],
        players: &[],
        oracle: None,
        playouts: &[],
        transcripts: &[],
        best_model: |_| None,
        read_model: |_, _| Err(format!("there are no models of {}", G::INFO.name)),
        read_player: build::read_player,
        read_evaluator: build::read_evaluator,
    };
}

/// An evaluator that is chosen at run time, and constructor of the searches over it.
pub trait AnyEvaluator<G: SearchGame>: Send + Sync {
    /// See [`Evaluator::value_of`].
    fn value_of(&self, game: &G, position: &G::Position) -> f32;

    /// See [`Evaluator::payoffs`]; from scratch.
    fn payoffs_batch(&self, game: &G, position: &G::Position) -> Payoffs;

    /// See [`Evaluator::values`].
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]);

    /// See [`Evaluator::raw`].
    fn raw(&self, game: &G, position: &G::Position) -> Option<f32>;

    /// See [`Evaluator::calibrate_to_results`].
    fn calibrate_to_results(&self, value: f32) -> Option<f32>;

    /// A player that searches with it, and if `timed` also measures the time it spends evaluating.
    fn searcher(self: Arc<Self>, game: G, plan: &SearchPlan<G>, timed: bool) -> Box<dyn Player<G>>;

    /// Values the leaves of a tree search.
    fn leaf(self: Arc<Self>) -> Box<dyn Leaf<G>>;

    /// Values the leaves of a tree search by a search of a few plies, at least one.
    fn star_leaf(self: Arc<Self>, game: G, depth: u32) -> Box<dyn Leaf<G>>;

    /// Chooses the best successor in playouts.
    fn policy(self: Arc<Self>) -> Box<dyn Policy<G>>;

    /// Plays roll-outs, see [`EvaluatorRollouts::new`].
    fn roller(self: Arc<Self>, game: G, oracle: Knowledge<G>, plies: u32) -> Box<dyn Rollouts<G>>;

    /// Prior values of moves without visits.
    fn prior(self: Arc<Self>) -> Arc<dyn Prior<G>>;
}

impl<G: SearchGame, E: Evaluator<G> + 'static> AnyEvaluator<G> for E {
    fn value_of(&self, game: &G, position: &G::Position) -> f32 {
        Evaluator::value_of(self, game, position)
    }

    fn payoffs_batch(&self, game: &G, position: &G::Position) -> Payoffs {
        let mut cache = E::Cache::default();
        self.refresh(game, position, &mut cache);
        self.payoffs(game, position, &cache)
    }

    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        Evaluator::values(self, game, positions, out);
    }

    fn raw(&self, game: &G, position: &G::Position) -> Option<f32> {
        Evaluator::raw(self, game, position)
    }

    fn calibrate_to_results(&self, value: f32) -> Option<f32> {
        Evaluator::calibrate_to_results(self, value)
    }

    fn searcher(self: Arc<Self>, game: G, plan: &SearchPlan<G>, timed: bool) -> Box<dyn Player<G>> {
        plan.player(game, self, timed)
    }

    fn leaf(self: Arc<Self>) -> Box<dyn Leaf<G>> {
        Box::new(EvaluatorLeaf::new(self))
    }

    fn star_leaf(self: Arc<Self>, game: G, depth: u32) -> Box<dyn Leaf<G>> {
        Box::new(SearchLeaf::new(game, self, depth))
    }

    fn policy(self: Arc<Self>) -> Box<dyn Policy<G>> {
        Box::new(GreedyPolicy::new(self))
    }

    fn roller(self: Arc<Self>, game: G, oracle: Knowledge<G>, plies: u32) -> Box<dyn Rollouts<G>> {
        Box::new(EvaluatorRollouts::new(game, self, oracle, plies))
    }

    fn prior(self: Arc<Self>) -> Arc<dyn Prior<G>> {
        self
    }
}

/// A game in the form of other programs: start, moves and players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainGame<G: SearchGame> {
    /// First position.
    pub start: G::Position,
    /// The outcome of chance, as in records, and the move.
    pub plies: Vec<(u8, G::Move)>,
    /// Names of the seats' players; empty if unknown.
    pub players: Vec<String>,
    /// The result that the text states, where the moves lead to none.
    pub result: Option<StatedResult>,
}

impl<G: SearchGame> PlainGame<G> {
    /// Keeps a stated result beside the moves, which lead to `position`, unless they lead to the same.
    ///
    /// # Errors
    /// In words, if they lead to another.
    pub fn set_result(
        &mut self,
        game: &G,
        position: &G::Position,
        stated: Option<StatedResult>,
    ) -> Result<(), String> {
        self.result = match (stated, game.payoffs(position)) {
            (Some(stated), Some(payoffs)) => {
                stated.check(payoffs, "the moves lead to")?;
                None
            }
            _ => stated,
        };
        Ok(())
    }
}

/// Reads all games of a file; a game that is damaged costs none of the others.
pub type ReadGames<G> = fn(&G, &[u8]) -> Vec<Result<PlainGame<G>, TextError>>;

/// A form in which other programs write whole games of a game.
pub struct TranscriptForm<G: SearchGame> {
    /// Its name, which files that hold it may end with.
    pub name: &'static str,
    /// A description in one line.
    pub help: &'static str,
    /// Reads all games of a text.
    pub read: ReadGames<G>,
    /// Formats a game, without the end of the line; the error is a sentence if the form cannot hold
    /// it.
    pub write: fn(&G, &PlainGame<G>) -> Result<String, String>,
}

/// Any evaluator as one that searches can be generic over, at the price of a choice
/// a position: for places that are not hot.
#[derive(Clone)]
pub struct ByPointer<G>(
    /// The evaluator.
    pub Arc<dyn AnyEvaluator<G>>,
);

impl<G: SearchGame> Evaluator<G> for ByPointer<G> {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        self.0.value_of(game, position)
    }

    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        self.0.values(game, positions, out);
    }

    fn payoffs(&self, game: &G, position: &G::Position, (): &()) -> Payoffs {
        self.0.payoffs_batch(game, position)
    }
}

/// Constructor of an evaluator.
pub type MakeEvaluator<G> = fn(&mut Arguments<'_>, &G) -> Result<Arc<dyn AnyEvaluator<G>>, Problem>;

/// An evaluator of a game under its name.
#[derive(Debug)]
pub struct EvaluatorEntry<G: 'static> {
    /// Its name in notation.
    pub name: &'static str,
    /// Further names.
    pub aliases: &'static [&'static str],
    /// Its parameters but for those of [`calibrated`]: `block, threat, view`.
    pub parameters: &'static str,
    /// A description in one line.
    pub help: &'static str,
    /// Reads its arguments; the caller refuses those that are left.
    pub make: MakeEvaluator<G>,
}

impl<G: 'static> EvaluatorEntry<G> {
    /// One name, and no parameters but those of [`calibrated`].
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, make: MakeEvaluator<G>) -> Self {
        Self {
            name,
            aliases: &[],
            parameters: "",
            help,
            make,
        }
    }
}

/// Makes a player; called once a thread.
pub type Maker<G> = Arc<dyn Fn() -> Box<dyn Player<G>> + Send + Sync>;

/// A player of a game's own, such as that of a published program.
#[derive(Debug)]
pub struct PlayerEntry<G: 'static> {
    /// Its name in notation.
    pub name: &'static str,
    /// Its parameters: `depth`.
    pub parameters: &'static str,
    /// A description in one line.
    pub help: &'static str,
    /// The player of the name.
    pub meaning: Meaning<G>,
}

/// The player of a [`PlayerEntry`].
#[derive(Debug)]
pub enum Meaning<G: 'static> {
    /// Another player's notation, from its arguments; the caller refuses those that are left.
    Alias(fn(&mut Arguments<'_>) -> Result<Notation, Problem>),
    /// A player without search, whose moves its seed decides.
    Own(fn(&mut Arguments<'_>, &G) -> Result<Maker<G>, Problem>),
}

/// Makes a leaf for each thread of a search.
pub type LeafMaker<G> = Arc<dyn Fn() -> Box<dyn Leaf<G>> + Send + Sync>;

/// A game's own way of playing on at random, under a name: `playout=NAME(…)`.
#[derive(Debug)]
pub struct PlayoutEntry<G: 'static> {
    /// Its name in notation.
    pub name: &'static str,
    /// Its parameters: `depth`.
    pub parameters: &'static str,
    /// Reads the parameters; the caller refuses those that are left.
    pub read: fn(&mut Arguments<'_>, &G) -> Result<LeafMaker<G>, Problem>,
}

/// Exact knowledge, `None` if there is none.
pub type Knowledge<G> = Option<Arc<dyn Oracle<G>>>;

/// A game's exact knowledge under a key of the notation: `tablebase=4`.
#[derive(Debug)]
pub struct OracleEntry<G: SearchGame> {
    /// The key.
    pub key: &'static str,
    /// Reads the value of the key.
    pub read: fn(&Notation, &G) -> Result<Knowledge<G>, Problem>,
    /// The default of a search that is limited by time (`true`) or by nodes.
    pub default: fn(&G, bool) -> Result<Knowledge<G>, String>,
    /// The value of the key that answers without delay, for the page.
    pub instant: fn(&G) -> Option<String>,
    /// The class of a position in measurements against exact values: `2v3`.
    pub class: fn(&G, &G::Position) -> String,
}

/// An evaluator from a hand-made score, with the calibration that [`calibration`] reads.
pub fn calibrated<G: SearchGame, S: Score<G> + 'static>(
    arguments: &mut Arguments<'_>,
    score: S,
    fitted: Calibration,
) -> Result<Arc<dyn AnyEvaluator<G>>, Problem> {
    let calibration = calibration(arguments, fitted)?;
    Ok(Arc::new(Calibrated { score, calibration }))
}

/// Win probability by the fitted logistic, or by `slope` and `offset`; with `scale=raw` the raw
/// score, each unit counting `factor` on a scale of ±1000.
pub fn calibration(
    arguments: &mut Arguments<'_>,
    fitted: Calibration,
) -> Result<Calibration, Problem> {
    let raw = arguments.choice("scale", &[("win", false), ("raw", true)])?;
    let mut constant = |key, range, usual| {
        let value = arguments.number_named(key, range)?;
        Ok::<_, Problem>(value.unwrap_or(usual))
    };
    Ok(match fitted {
        _ if raw => Calibration::Raw {
            factor: constant("factor", 1e-6..=1000.0, 1.0)?,
        },
        Calibration::Logistic { slope, offset } => Calibration::Logistic {
            slope: constant("slope", 1e-6..=1000.0, slope)?,
            offset: constant("offset", -100.0..=100.0, offset)?,
        },
        Calibration::Raw { .. } => fitted,
    })
}
