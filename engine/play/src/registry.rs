//! Registries of games: evaluators, players, oracles, playouts and transcript formats by name.

use super::{
    build::{self, PlayerRecipe, SearchPlan},
    playable::Playable,
    player::Player,
    player_notation::{Arguments, Notation, Problem},
    stated_result::StatedResult,
};
use alea_core::{
    calibration::{Calibrated, Calibration},
    evaluator::{Evaluator, Score},
    game::Payoffs,
    oracle::Oracle,
    search_game::SearchGame,
    text::TextError,
};
use alea_search::{
    mcts::{EvaluatorLeaf, Leaf, Prior, SearchLeaf},
    playout_policies::{GreedyPolicy, Policy},
    rollout::{EvaluatorRollouts, Rollouts},
};
use std::sync::Arc;

/// An evaluator of any type, shared by players.
pub type SharedEvaluator<G> = Arc<dyn AnyEvaluator<G>>;

/// Everything that a game offers by name; a `static`, so that its searches are compiled once.
pub struct Registry<G: Playable> {
    /// Evaluators by name, the default first.
    pub evaluators: &'static [EvaluatorEntry<G>],
    /// Players that only this game has.
    pub players: &'static [PlayerEntry<G>],
    /// Tablebase or solver that an option gives to searches.
    pub oracle: Option<&'static OracleEntry<G>>,
    /// Playouts of Monte-Carlo tree search that only this game has.
    pub playouts: &'static [PlayoutEntry<G>],
    /// Game formats of other programs.
    pub transcripts: &'static [TranscriptFormat<G>],
    /// Implements [`Playable::best_model`].
    pub best_model: fn(&G) -> Option<&'static [u8]>,
    /// Implements [`Playable::strongest_evaluator_name`]; by default `best` where a model fits the
    /// rules, else the first evaluator.
    pub strongest_evaluator: fn(&G) -> &'static str,
    /// Implements [`Playable::evaluator_from_model`].
    pub read_model: fn(&G, &[u8]) -> Result<SharedEvaluator<G>, String>,
    /// Implements [`Playable::player_recipe`].
    pub read_player: fn(&Notation, &G) -> Result<PlayerRecipe<G>, Problem>,
    /// Implements [`Playable::evaluator`].
    pub read_evaluator: fn(&Notation, &G) -> Result<SharedEvaluator<G>, Problem>,
}

impl<G: Playable> Registry<G> {
    /// A registry without entries.
    pub const DEFAULT: Self = Self {
        evaluators: &[],
        players: &[],
        oracle: None,
        playouts: &[],
        transcripts: &[],
        best_model: |_| None,
        strongest_evaluator: build::strongest_evaluator_name,
        read_model: |_, _| Err(format!("there are no models of {}", G::INFO.name)),
        read_player: build::read_player,
        read_evaluator: build::read_evaluator,
    };
}

/// `dyn` form of an [`Evaluator`]. It makes searches for the evaluator's type: one `dyn` call per
/// search, not per node.
pub trait AnyEvaluator<G: SearchGame>: Send + Sync {
    /// Value as [`Evaluator::value_of`].
    fn value_of(&self, game: &G, position: &G::Position) -> f32;

    /// Payoffs as [`Evaluator::payoffs`], without a cache.
    fn payoffs_of(&self, game: &G, position: &G::Position) -> Payoffs;

    /// Writes values as [`Evaluator::values`].
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]);

    /// Writes values as [`Evaluator::value_successors`], without a cache.
    fn successor_values(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        values: &mut [f32],
    );

    /// Score as [`Evaluator::raw_score`].
    fn raw_score(&self, game: &G, position: &G::Position) -> Option<f32>;

    /// Probabilities as [`Evaluator::result_probabilities`].
    fn result_probabilities(&self, game: &G, position: &G::Position) -> Option<Vec<f32>>;

    /// Win rate as [`Evaluator::observed_win_rate`].
    fn observed_win_rate(&self, value: f32) -> Option<f32>;

    /// As [`Evaluator::estimates_payoffs`].
    fn estimates_payoffs(&self) -> bool;

    /// Makes a player that searches by `plan`; `timed`: measures evaluation time.
    fn search_player(
        self: Arc<Self>,
        game: G,
        plan: &SearchPlan<G>,
        timed: bool,
    ) -> Box<dyn Player<G>>;

    /// Makes the leaf evaluation of a tree search.
    fn leaf(self: Arc<Self>) -> Box<dyn Leaf<G>>;

    /// Makes a leaf evaluation by a search of `depth` plies, at least 1.
    fn search_leaf(self: Arc<Self>, game: G, depth: u32) -> Box<dyn Leaf<G>>;

    /// Makes the playout policy that plays the best successor.
    fn policy(self: Arc<Self>) -> Box<dyn Policy<G>>;

    /// Makes an [`EvaluatorRollouts`].
    fn rollouts(
        self: Arc<Self>,
        game: G,
        oracle: OptionalOracle<G>,
        plies: u32,
    ) -> Box<dyn Rollouts<G>>;

    /// Makes the prior values of unvisited moves.
    fn prior(self: Arc<Self>) -> Arc<dyn Prior<G>>;
}

impl<G: SearchGame, E: Evaluator<G> + 'static> AnyEvaluator<G> for E {
    fn value_of(&self, game: &G, position: &G::Position) -> f32 {
        Evaluator::value_of(self, game, position)
    }

    fn payoffs_of(&self, game: &G, position: &G::Position) -> Payoffs {
        let mut cache = E::Cache::default();
        self.refresh(game, position, &mut cache);
        self.payoffs(game, position, &cache)
    }

    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        Evaluator::values(self, game, positions, out);
    }

    fn successor_values(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        values: &mut [f32],
    ) {
        self.value_successors(game, position, moves, &mut E::Cache::default(), values);
    }

    fn raw_score(&self, game: &G, position: &G::Position) -> Option<f32> {
        Evaluator::raw_score(self, game, position)
    }

    fn result_probabilities(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        Evaluator::result_probabilities(self, game, position)
    }

    fn observed_win_rate(&self, value: f32) -> Option<f32> {
        Evaluator::observed_win_rate(self, value)
    }

    fn estimates_payoffs(&self) -> bool {
        Evaluator::estimates_payoffs(self)
    }

    fn search_player(
        self: Arc<Self>,
        game: G,
        plan: &SearchPlan<G>,
        timed: bool,
    ) -> Box<dyn Player<G>> {
        plan.make_player(game, self, timed)
    }

    fn leaf(self: Arc<Self>) -> Box<dyn Leaf<G>> {
        Box::new(EvaluatorLeaf::new(self))
    }

    fn search_leaf(self: Arc<Self>, game: G, depth: u32) -> Box<dyn Leaf<G>> {
        Box::new(SearchLeaf::new(game, self, depth))
    }

    fn policy(self: Arc<Self>) -> Box<dyn Policy<G>> {
        Box::new(GreedyPolicy::new(self))
    }

    fn rollouts(
        self: Arc<Self>,
        game: G,
        oracle: OptionalOracle<G>,
        plies: u32,
    ) -> Box<dyn Rollouts<G>> {
        Box::new(EvaluatorRollouts::new(game, self, oracle, plies))
    }

    fn prior(self: Arc<Self>) -> Arc<dyn Prior<G>> {
        self
    }
}

/// A game of another program's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainGame<G: SearchGame> {
    /// First position.
    pub start: G::Position,
    /// Chance outcome (numbered as in records) and move of each ply.
    pub plies: Vec<(u8, G::Move)>,
    /// Name of each seat's player; empty if unknown.
    pub players: Vec<String>,
    /// Result stated for a game that its moves do not end.
    pub result: Option<StatedResult>,
}

impl<G: SearchGame> PlainGame<G> {
    /// Sets `result`; to `None` if the moves, which lead to `position`, end the game.
    ///
    /// # Errors
    /// If the moves end the game with another winner.
    pub fn set_result(
        &mut self,
        game: &G,
        position: &G::Position,
        stated: Option<StatedResult>,
    ) -> Result<(), String> {
        self.result = match (stated, game.payoffs(position)) {
            (Some(stated), Some(payoffs)) => {
                stated.check_winner(payoffs, "the moves lead to")?;
                None
            }
            _ => stated,
        };
        Ok(())
    }
}

/// Parses all games of a file; a damaged game is an error that affects no other game.
pub type ReadGames<G> = fn(&G, &[u8]) -> Vec<Result<PlainGame<G>, TextError>>;

/// A game format of another program.
pub struct TranscriptFormat<G: SearchGame> {
    /// Name of the format and usual file extension.
    pub name: &'static str,
    /// Help text of one line.
    pub help: &'static str,
    /// Parses all games of a file.
    pub read: ReadGames<G>,
    /// Formats a game, without line end; the error says why the format cannot.
    pub write: fn(&G, &PlainGame<G>) -> Result<String, String>,
}

/// Adapter of a `dyn` evaluator to [`Evaluator`], with a `dyn` call per position or list of moves.
#[derive(Clone)]
pub struct EvaluatorPointer<G>(
    /// The adapted evaluator.
    pub Arc<dyn AnyEvaluator<G>>,
);

impl<G: SearchGame> Evaluator<G> for EvaluatorPointer<G> {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        self.0.value_of(game, position)
    }

    fn value_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        (): &mut (),
        values: &mut [f32],
    ) {
        self.0.successor_values(game, position, moves, values);
    }

    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        self.0.values(game, positions, out);
    }

    fn result_probabilities(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        self.0.result_probabilities(game, position)
    }

    fn estimates_payoffs(&self) -> bool {
        self.0.estimates_payoffs()
    }

    fn payoffs(&self, game: &G, position: &G::Position, (): &()) -> Payoffs {
        self.0.payoffs_of(game, position)
    }
}

/// Reads an evaluator's arguments and constructs it.
pub type MakeEvaluator<G> = fn(&mut Arguments<'_>, &G) -> Result<Arc<dyn AnyEvaluator<G>>, Problem>;

/// A named evaluator of a game.
#[derive(Debug)]
pub struct EvaluatorEntry<G: 'static> {
    /// Name in notation.
    pub name: &'static str,
    /// Further names in notation.
    pub aliases: &'static [&'static str],
    /// Parameters for help texts, such as `block, threat`, besides those of [`calibrated`].
    pub parameters: &'static str,
    /// Help text of one line.
    pub help: &'static str,
    /// Reads arguments and makes the evaluator; the caller refuses unread arguments.
    pub make: MakeEvaluator<G>,
}

impl<G: 'static> EvaluatorEntry<G> {
    /// An entry without aliases whose only parameters are those of [`calibrated`].
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

/// Makes players, one per call.
pub type PlayerMaker<G> = Arc<dyn Fn() -> Box<dyn Player<G>> + Send + Sync>;

/// A named player of one game alone.
#[derive(Debug)]
pub struct PlayerEntry<G: 'static> {
    /// Name in notation.
    pub name: &'static str,
    /// Parameters for help texts, such as `depth`.
    pub parameters: &'static str,
    /// Help text of one line.
    pub help: &'static str,
    /// What `name` stands for.
    pub meaning: Meaning<G>,
}

/// What the name of a [`PlayerEntry`] stands for.
#[derive(Debug)]
pub enum Meaning<G: 'static> {
    /// Another notation, made from the arguments.
    Alias(fn(&mut Arguments<'_>) -> Result<Notation, Problem>),
    /// A player of the game's own, whose moves its seed determines.
    Own(fn(&mut Arguments<'_>, &G) -> Result<PlayerMaker<G>, Problem>),
}

/// Makes a leaf evaluation; called once per search thread.
pub type LeafMaker<G> = Arc<dyn Fn() -> Box<dyn Leaf<G>> + Send + Sync>;

/// A named playout of one game: `playout=NAME(…)`.
#[derive(Debug)]
pub struct PlayoutEntry<G: 'static> {
    /// Name in notation.
    pub name: &'static str,
    /// Parameters for help texts, such as `depth`.
    pub parameters: &'static str,
    /// Reads the arguments; the caller refuses unread ones.
    pub read: fn(&mut Arguments<'_>, &G) -> Result<LeafMaker<G>, Problem>,
}

/// Oracle of a search; `None` without one.
pub type OptionalOracle<G> = Option<Arc<dyn Oracle<G>>>;

/// A game's tablebase or solver, given to searches by an option such as `tablebase=4`.
#[derive(Debug)]
pub struct OracleEntry<G: SearchGame> {
    /// Key of the option in notation.
    pub key: &'static str,
    /// Makes the oracle for a value of the option.
    pub read: fn(&Notation, &G) -> Result<OptionalOracle<G>, Problem>,
    /// Default oracle of a search limited by time (`true`) or nodes (`false`).
    pub default: fn(&G, bool) -> Result<OptionalOracle<G>, String>,
    /// Option value of an oracle that answers without delay, for the web page.
    pub instant: fn(&G) -> Option<String>,
    /// Class of a position in error statistics, such as `2v3` stones.
    pub class: fn(&G, &G::Position) -> String,
    /// Probability of a win at a value, if the game pays points and the oracle's positions can only
    /// be won or lost singly; else `None`.
    pub win_probability: fn(f32) -> Option<f32>,
}

/// Makes an evaluator of a hand-made score and its [`calibration`].
pub fn calibrated<G: SearchGame, S: Score<G> + 'static>(
    arguments: &mut Arguments<'_>,
    score: S,
    fitted: Calibration,
) -> Result<Arc<dyn AnyEvaluator<G>>, Problem> {
    let calibration = calibration(arguments, fitted)?;
    Ok(Arc::new(Calibrated { score, calibration }))
}

/// Reads a calibration: `fitted` with options `slope` and `offset`, or with `scale=raw` the value
/// 1/2 + `factor` · score / 2000.
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
