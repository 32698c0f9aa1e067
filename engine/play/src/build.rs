//! Construction of the players that all games have. A game's [registry](super::registry) adds
//! others.

use self::monte_carlo::MctsRecipe;
use self::rollouts::RolloutRecipe;
pub use self::searches::SearchPlan;
use self::searches::SearchRecipe;
use super::{
    own_scale::OwnScale,
    playable::Playable,
    player_notation::{Arguments, Notation, NotationError, Problem, Text},
    player_plugins,
    random_player::RandomPlayer,
    registry::{AnyEvaluator, Meaning, OptionalOracle, PlayerMaker},
    softmax_player::SoftmaxPlayer,
};
use crate::player::Player;
use alea_core::{game::OutcomeList, limits::Limits, text::suggestion};
use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

mod best_evaluator;
mod evaluators;
mod limits;
mod monte_carlo;
mod playouts;
mod result_probabilities;
mod rollouts;
mod searches;

pub use self::evaluators::{
    evaluator_from, evaluator_names, read_evaluator, strongest_evaluator_name,
};

/// Names of a game's players with their option keys, for help texts.
#[must_use]
pub fn player_names<G: Playable>() -> String {
    let oracle = G::registry()
        .oracle
        .map_or(String::new(), |oracle| format!(", {}", oracle.key));
    let without_chance = |text: &'static str| if G::Outcomes::CAPACITY == 1 { text } else { "" };
    let mut names = format!(
        "star2, star1, star0.5, star0(depth, eval, ms, cpu_ms, nodes, clock, depths, least, table, entries, replace, reuse, \
         order, negascout, form, filter, within, replies, threads, step, aspiration, probcut{width}{oracle}), {many}\
         unified and textbook(depth, eval), mcts(sims or ms or cpu_ms or clock, leaf, playout, playouts, truncate, close, exploration, fpu, expand, prior, bias, rave, \
         blend, rave_depth, noise, again, solver, graph, keep, ponder, virtual_loss, batch, memory, threads, early, sole, human{oracle}), rollout(eval, games, error, plies{oracle}), softmax(player, temperature), random",
        width = without_chance(", width"),
        many = without_chance(
            "minimax and alphabeta(as star1, without form), bestreply(as star1), maxn(depth, eval, limits as star1, step, width), "
        )
    );
    for entry in G::registry().players {
        names += ", ";
        names += entry.name;
        if !entry.parameters.is_empty() {
            names += &format!("({})", entry.parameters);
        }
    }
    names
}

/// A checked player notation with its loaded models, which all players made from it share.
#[derive(Clone)]
pub struct PlayerRecipe<G: Playable> {
    name: String,
    option_keys: Vec<&'static str>,
    is_uniform: bool,
    game: G,
    made: PlayerConstructor<G>,
    instant_oracle: Arc<OnceLock<Result<OptionalOracle<G>, String>>>,
}

#[derive(Clone)]
struct PlayerConstructor<G: Playable> {
    is_reproducible: bool,
    is_time_limited: bool,
    evaluator_and_oracle: Option<EvaluatorAndOracle<G>>,
    scale: Option<OwnScale>,
    make: MakePlayer<G>,
}

/// Makes a player, with `true` one that measures evaluation time.
type MakePlayer<G> = Arc<dyn Fn(G, bool) -> Box<dyn Player<G>> + Send + Sync>;

impl<G: Playable> PlayerConstructor<G> {
    fn from_maker(is_reproducible: bool, make: PlayerMaker<G>) -> Self {
        Self {
            is_reproducible,
            is_time_limited: false,
            evaluator_and_oracle: None,
            scale: None,
            make: Arc::new(move |_, _| make()),
        }
    }
}

impl<G: Playable> PlayerRecipe<G> {
    /// Parses a player notation, such as `star1(depth=4, eval=model:x.safetensors)`, and loads its
    /// models.
    ///
    /// # Errors
    /// If the notation is wrong, a model cannot be read, or a file or program is named without
    /// being [trusted](super::player_notation::trusted_text).
    pub fn parse<'t>(text: impl Into<Text<'t>>, game: &G) -> Result<Self, NotationError> {
        let text = text.into();
        let recipe = game.player_recipe(&Notation::parse(text)?);
        recipe.map_err(|problem| NotationError::from_problem(text, problem))
    }

    /// [`PlayerRecipe::parse`] for a notation that is already parsed.
    ///
    /// # Errors
    /// As [`PlayerRecipe::parse`], with positions in the printed notation.
    pub fn from_parsed(notation: &Notation, game: &G) -> Result<Self, NotationError> {
        game.player_recipe(notation).map_err(|problem| {
            let printed = game.player_recipe(&notation.reparsed_as_printed());
            NotationError::from_problem(&notation.to_string(), printed.err().unwrap_or(problem))
        })
    }

    fn from_notation(notation: &Notation, game: &G) -> Result<Self, Problem> {
        let mut game = game.clone();
        let whole = match notation.name.as_str() {
            "mcts" => Cow::Owned(with_mcts_defaults(notation, &game)?),
            _ => Cow::Borrowed(notation),
        };
        let mut arguments = Arguments::of(&whole);
        let made = match notation.name.as_str() {
            "random" => PlayerConstructor {
                is_reproducible: true,
                is_time_limited: false,
                evaluator_and_oracle: None,
                scale: None,
                make: Arc::new(|game, _| Box::new(RandomPlayer::new(game))),
            },
            "star0" | "star0.5" | "star1" | "star2" | "unified" | "textbook" | "minimax"
            | "alphabeta" | "maxn" | "bestreply" => {
                let (recipe, assumed) =
                    SearchRecipe::from_notation(notation, &mut arguments, &game)?;
                game = assumed;
                let (evaluator, oracle) = recipe.evaluator_and_oracle();
                PlayerConstructor {
                    is_reproducible: recipe.is_reproducible(),
                    is_time_limited: recipe.is_time_limited(),
                    scale: OwnScale::of(&*evaluator),
                    evaluator_and_oracle: Some((evaluator, oracle)),
                    make: Arc::new(move |game, timed| recipe.make(game, timed)),
                }
            }
            "mcts" => {
                game = game.with_assumed_chance(&mut arguments)?;
                let recipe = MctsRecipe::from_arguments(notation, &mut arguments, &game)?;
                let evaluator_and_oracle = recipe.evaluator_and_oracle();
                PlayerConstructor {
                    is_reproducible: recipe.is_reproducible(),
                    is_time_limited: recipe.is_time_limited(),
                    scale: match &evaluator_and_oracle {
                        None => Some(OwnScale::Playouts),
                        Some((evaluator, _)) => OwnScale::of(&**evaluator),
                    },
                    evaluator_and_oracle,
                    make: Arc::new(move |game, timed| recipe.make(game, timed)),
                }
            }
            "rollout" => {
                game = game.with_assumed_chance(&mut arguments)?;
                let recipe = RolloutRecipe::from_arguments(&mut arguments, &game)?;
                PlayerConstructor {
                    is_reproducible: true,
                    is_time_limited: false,
                    evaluator_and_oracle: None,
                    scale: recipe.scale(),
                    make: Arc::new(move |game, _| recipe.make(game)),
                }
            }
            "softmax" => softmax_constructor(notation, &mut arguments, &game)?,
            name => {
                let own = G::registry()
                    .players
                    .iter()
                    .find(|entry| entry.name == name);
                match own.map(|entry| &entry.meaning) {
                    Some(Meaning::Alias(alias)) => {
                        let meant = alias(&mut arguments)?;
                        let option_keys = arguments.finish()?;
                        let recipe = Self::from_notation(&meant, &game)?;
                        return Ok(Self {
                            option_keys,
                            ..recipe
                        });
                    }
                    Some(Meaning::Own(make)) => {
                        PlayerConstructor::from_maker(true, make(&mut arguments, &game)?)
                    }
                    None => match player_plugins::player_maker(notation, &mut arguments, &game) {
                        Some(maker) => PlayerConstructor::from_maker(false, maker?),
                        None => {
                            let names = player_names::<G>() + &player_plugins::names::<G>();
                            let meant = suggestion(name, &names);
                            return Err(notation.problem_here(format!(
                                "there is no player '{name}'{meant}; there are {names}"
                            )));
                        }
                    },
                }
            }
        };
        Ok(Self {
            name: String::new(),
            option_keys: arguments.finish()?,
            is_uniform: notation.name == "random",
            game,
            made,
            instant_oracle: Arc::default(),
        })
    }

    /// The notation as text, in canonical form.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keys of all options that the player accepts.
    pub fn option_keys(&self) -> &[&'static str] {
        &self.option_keys
    }

    /// Whether equal seeds give equal moves; false, for example, with time limits.
    pub fn is_reproducible(&self) -> bool {
        self.made.is_reproducible
    }

    /// Whether the notation limits time or CPU time.
    pub fn is_time_limited(&self) -> bool {
        self.made.is_time_limited
    }

    /// Whether the player is `random`, which plays all allowed moves with equal probability.
    pub fn plays_uniformly(&self) -> bool {
        self.is_uniform
    }

    /// The game's tables or solver, if they answer in little time; made when first needed.
    pub(crate) fn instant_oracle(&self) -> Result<&OptionalOracle<G>, String> {
        let read = || {
            let entry = G::registry().oracle;
            let instant = entry.and_then(|entry| Some((entry, (entry.instant)(&self.game)?)));
            let read =
                instant.map(|(entry, value)| (entry.read)(&Notation::new(value), &self.game));
            read.transpose()
                .map(Option::flatten)
                .map_err(|(_, problem)| problem)
        };
        self.instant_oracle
            .get_or_init(read)
            .as_ref()
            .map_err(String::clone)
    }

    /// What values are unless they estimate the results of complete games.
    pub fn scale(&self) -> Option<OwnScale> {
        self.made.scale
    }

    /// Converts a win probability of the side to move to the win rate observed in complete games;
    /// `None` if no conversion was fitted. Exact values stay.
    #[must_use]
    pub fn observed_win_rate(
        &self,
        position: &G::Position,
        value: f32,
        limits: &Limits,
    ) -> Option<f32> {
        let (evaluator, knowledge) = self.made.evaluator_and_oracle.as_ref()?;
        let fitted = evaluator.observed_win_rate(value)?;
        let is_exact = self.game.payoffs(position).is_some()
            || (knowledge.as_ref()).is_some_and(|oracle| {
                (oracle.value_within(&self.game, position, limits)).is_some()
            });
        Some(if is_exact { value } else { fitted })
    }

    /// Makes a player.
    pub fn make(&self) -> Box<dyn Player<G>> {
        (self.made.make)(self.game.clone(), false)
    }

    /// Makes a player that measures the time spent in evaluation.
    pub fn make_timed(&self) -> Box<dyn Player<G>> {
        (self.made.make)(self.game.clone(), true)
    }
}

/// Implements [`Playable::player_recipe`], with searches compiled in the calling crate.
pub fn read_player<G: Playable>(notation: &Notation, game: &G) -> Result<PlayerRecipe<G>, Problem> {
    Ok(PlayerRecipe {
        name: notation.to_string(),
        ..PlayerRecipe::from_notation(notation, game)?
    })
}

const MIN_TEMPERATURE: f64 = 1e-6;
const MAX_TEMPERATURE: f64 = 100.0;

fn softmax_constructor<G: Playable>(
    notation: &Notation,
    arguments: &mut Arguments<'_>,
    game: &G,
) -> Result<PlayerConstructor<G>, Problem> {
    let player = arguments.take("player")?.ok_or_else(|| {
        notation.problem_here("softmax needs a player: softmax(star1(depth=1), temperature=0.1)")
    })?;
    if player.name == "softmax" {
        return Err(player.problem_here("softmax takes another player than softmax"));
    }
    let inner = game.player_recipe(player)?;
    let temperature = arguments.number("temperature", MIN_TEMPERATURE..=MAX_TEMPERATURE, 0.1)?;
    let made = inner.made.clone();
    let make = move |game: G, timed| {
        let inner = match timed {
            true => inner.make_timed(),
            false => inner.make(),
        };
        Box::new(SoftmaxPlayer::new(game, inner, temperature)) as Box<dyn Player<G>>
    };
    Ok(PlayerConstructor {
        make: Arc::new(make),
        ..made
    })
}

const OVERRIDING_OPTIONS: [(&str, &[&str]); 3] = [
    ("c", &["exploration"]),
    ("truncate", &["playout"]),
    ("rave", &["blend"]),
];
const RAVE_ONLY_OPTIONS: &[&str] = &["rave", "blend", "again", "noise", "exploration", "fpu"];

fn with_mcts_defaults<G: Playable>(notation: &Notation, game: &G) -> Result<Notation, Problem> {
    let usual = Notation::parse(&format!("mcts({})", game.mcts_defaults()))
        .map_err(|error| (error.character, error.problem))?;
    let mut whole = notation.clone();
    let value = |key: &str| notation.argument(key).map(|value| value.name.as_str());
    let says = |key: &str| value(key).is_some();
    let plays = value("leaf").is_none_or(|leaf| ["playout", "mix"].contains(&leaf));
    let no_rave = value("rave").is_some_and(|rave| rave.parse() == Ok(0.0))
        || value("select").is_some_and(|select| select != "ucb1")
        || value("batch").is_some_and(|batch| batch != "1");
    for mut argument in usual.arguments {
        let key = argument.key.clone().unwrap_or_default();
        let displaced = |(by, keys): &(&str, &[&str])| says(by) && keys.contains(&key.as_str());
        let known = G::registry().oracle.is_some_and(|entry| entry.key == key)
            && value("solver") == Some("off");
        let unplayed = key == "playout" && !plays;
        let unblended = no_rave && RAVE_ONLY_OPTIONS.contains(&key.as_str());
        if !says(&key)
            && !known
            && !unplayed
            && !unblended
            && !OVERRIDING_OPTIONS.iter().any(displaced)
        {
            argument.character = notation.character;
            argument.value.character = notation.character;
            whole.arguments.push(argument);
        }
    }
    Ok(whole)
}

/// Constructs an evaluator from notation, such as `random(seed=1)` or `model:models/x.safetensors`.
pub fn parse_evaluator<'t, G: Playable>(
    text: impl Into<Text<'t>>,
    game: &G,
) -> Result<Arc<dyn AnyEvaluator<G>>, NotationError> {
    let text = text.into();
    let notation = Notation::parse(text)?;
    evaluator_from(&notation, game).map_err(|problem| NotationError::from_problem(text, problem))
}

type EvaluatorAndOracle<G> = (Arc<dyn AnyEvaluator<G>>, OptionalOracle<G>);

/// Oracle of the registry's option; without the option the default of searches limited by time
/// (`Some(true)`) or nodes (`Some(false)`), or none (`None`).
fn read_oracle_option<G: Playable>(
    arguments: &mut Arguments<'_>,
    game: &G,
    default: Option<bool>,
) -> Result<OptionalOracle<G>, Problem> {
    let Some(entry) = G::registry().oracle else {
        return Ok(None);
    };
    match (arguments.take_named(entry.key)?, default) {
        (Some(value), _) => (entry.read)(value, game),
        (None, Some(by_time)) => (entry.default)(game, by_time).map_err(|problem| (0, problem)),
        (None, None) => Ok(None),
    }
}
