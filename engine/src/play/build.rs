//! From notation to evaluators and players of EinStein würfelt nicht.
//!
//! A [`PlayerRecipe`] is checked and has its models loaded; it makes as many players as there are
//! threads, all sharing the weights. Rock'n'Roll's names and its depth convention are understood
//! too: its depth 0 rates each direct successor, which is depth 1 here.

use self::monte_carlo::MctsRecipe;
use self::searches::SearchRecipe;
use super::notation::{Arguments, Notation, PlayerError, Problem, parse_number};
use super::provided::{self, Maker};
use super::simple::{GreedyPlayer, RandomPlayer};
use crate::core::oracle::Oracle;
use crate::games::einstein::Standard;
use crate::games::einstein::dice::Die;
use crate::games::einstein::evaluators::any::AnyEvaluator;
use crate::games::einstein::tables::shared::shared;
use crate::games::einstein::tables::{FEWEST_STONES, MOST_STONES};
use crate::play::player::Player;
use crate::search::limits::TimeLimit;
use crate::search::meter::{LeafClock, Meter, Off};
use std::sync::Arc;
use std::time::Duration;

mod evaluators;
mod limits;
mod monte_carlo;
mod playouts;
mod searches;

/// All player names, for help texts and errors.
pub const PLAYERS: &str = "star2, star1, star0.5, star0(depth, eval, die, ms, cpu_ms, nodes, clock, depths, least, table, entries, replace, reuse, \
     order, negascout, form, threads, step, aspiration, probcut, tablebase), minimax and alphabeta(depth, eval, dice), \
     unified and textbook(depth, eval, die), mcts(sims or ms or cpu_ms or clock, leaf, playout, truncate, close, select, exploration, fpu, prior, bias, temperature, rave, \
     backup, solver, graph, keep, ponder, virtual_loss, batch, memory, threads, early, tablebase, die), greedy, random; the published monte_alpha, monte_alpha_v2 and \
     uctcut(sims or ms or cpu_ms or clock) and abseval(ms or cpu_ms or clock); and Rock'n'Roll's MrBlack(depth), FarmerBoy(depth), MrMonte(depth, iterations, player), MrRandom";

/// Milliseconds a move in the published matches of abseval.
const ABSEVAL_MILLISECONDS: f64 = 1200.0;

/// All evaluator names, for help texts and errors.
pub const EVALUATORS: &str = "random(seed), greedy, schwarz, race, farmer_boy, attack_block_threat (short abt; block, threat, view), \
     reciprocal, mrmonte(iterations, red, blue), model:PATH; hand-made scores take slope, offset, or scale=raw, factor";

/// A player that can be made again and again.
#[derive(Clone)]
pub struct PlayerRecipe {
    name: String,
    game: Standard,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Random,
    Greedy,
    Search(SearchRecipe),
    Mcts(MctsRecipe),
    Provided(Maker),
}

impl PlayerRecipe {
    /// Reads a player's notation, for example `star1(depth=4, eval=schwarz)` or `MrBlack(2)`;
    /// models are loaded.
    ///
    /// # Errors
    /// If the notation is not well formed, names what does not exist, or a model cannot be read.
    pub fn parse(text: &str, game: &Standard) -> Result<Self, PlayerError> {
        let notation = Notation::parse(text)?;
        Self::from_notation(&notation, game).map_err(|problem| at(text, problem))
    }

    fn from_notation(notation: &Notation, game: &Standard) -> Result<Self, Problem> {
        let mut game = game.clone();
        let mut arguments = Arguments::of(notation);
        let kind = match notation.name.as_str() {
            "random" | "MrRandom" => Kind::Random,
            "greedy" => Kind::Greedy,
            "star0" | "star0.5" | "star1" | "star2" | "unified" | "textbook" | "minimax"
            | "alphabeta" => {
                let (recipe, assumed) =
                    SearchRecipe::from_notation(notation, &mut arguments, game)?;
                game = assumed;
                Kind::Search(recipe)
            }
            "mcts" => {
                game = assumed_die(&mut arguments, game)?;
                Kind::Mcts(MctsRecipe::from_arguments(notation, &mut arguments, &game)?)
            }
            name @ ("monte_alpha" | "monte_alpha_v2" | "uctcut") => {
                Kind::Mcts(MctsRecipe::published(name, &mut arguments, &game)?)
            }
            "abseval" => {
                let limit = match limits::time(&mut arguments)? {
                    Some(limit) => limit,
                    None => {
                        let milliseconds =
                            arguments.number("ms", 0.01..=86_400_000.0, ABSEVAL_MILLISECONDS)?;
                        TimeLimit::Move(Duration::from_secs_f64(milliseconds / 1000.0))
                    }
                };
                Kind::Search(SearchRecipe::abseval(limit, &game))
            }
            "MrBlack" | "FarmerBoy" | "MrMonte" => {
                let depth = arguments.number("depth", 0..=63, 0)? + 1;
                let evaluator = match notation.name.as_str() {
                    "MrBlack" => evaluators::schwarz(&game),
                    "FarmerBoy" => evaluators::farmer_boy(&game),
                    _ => evaluators::rocknroll_mrmonte(&mut arguments, &game)?,
                };
                Kind::Search(SearchRecipe::fixed_depth(depth, evaluator))
            }
            name => match provided::make(name, &mut arguments, &game) {
                Some(maker) => Kind::Provided(maker?),
                None => {
                    return Err((
                        notation.character,
                        format!(
                            "there is no player '{name}'; there are {PLAYERS}{}",
                            provided::names()
                        ),
                    ));
                }
            },
        };
        arguments.finish()?;
        Ok(Self {
            name: notation.to_string(),
            game,
            kind,
        })
    }

    /// The notation in its normal form.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the same seed gives the same moves: not with a time limit, nor with several threads.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        match &self.kind {
            Kind::Mcts(recipe) => recipe.is_reproducible(),
            Kind::Search(recipe) => recipe.is_reproducible(),
            Kind::Random | Kind::Greedy => true,
            Kind::Provided(_) => false,
        }
    }

    /// Whether every permitted move is equally likely, so that what comes of it can be computed
    /// without sampling.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        matches!(self.kind, Kind::Random)
    }

    /// A new player.
    #[must_use]
    pub fn make(&self) -> Box<dyn Player<Standard>> {
        self.make_with::<Off>()
    }

    /// A new player that also measures the time it spends evaluating.
    #[must_use]
    pub fn make_instrumented(&self) -> Box<dyn Player<Standard>> {
        self.make_with::<LeafClock>()
    }

    fn make_with<M: Meter + 'static>(&self) -> Box<dyn Player<Standard>> {
        let game = self.game.clone();
        match &self.kind {
            Kind::Random => Box::new(RandomPlayer::new(game)),
            Kind::Greedy => Box::new(GreedyPlayer::new(game)),
            Kind::Search(recipe) => recipe.make::<M>(game),
            Kind::Mcts(recipe) => recipe.make::<M>(game),
            Kind::Provided(maker) => maker(),
        }
    }
}

/// Reads an evaluator's notation, for example `abt(block=add)` or `model:models/x.safetensors`.
///
/// # Errors
/// As [`PlayerRecipe::parse`].
pub fn evaluator(text: &str, game: &Standard) -> Result<AnyEvaluator, PlayerError> {
    let notation = Notation::parse(text)?;
    evaluators::from_notation(&notation, game).map_err(|problem| at(text, problem))
}

/// `tablebase=N`: exact values of all positions of at most N stones, from tables that all players
/// share; 0 for none. `default` says how many stones those have that nobody asked for: with a die
/// that is not fair there are none.
fn tablebase(
    arguments: &mut Arguments<'_>,
    game: &Standard,
    default: usize,
) -> Result<Option<Arc<dyn Oracle<Standard>>>, Problem> {
    let is_fair = game.die() == Die::fair();
    let (stones, character) = match arguments.take_named("tablebase")? {
        Some(value) if value.arguments.is_empty() && value.name == "0" => return Ok(None),
        Some(value) if is_fair => {
            let stones = parse_number("tablebase", value, FEWEST_STONES..=MOST_STONES).map_err(
                |(character, _)| {
                    let range = format!(
                        "a number of stones from {FEWEST_STONES} to {MOST_STONES}, or 0 for none"
                    );
                    (character, format!("'tablebase' is {range}, not '{value}'"))
                },
            )?;
            (stones, value.character)
        }
        Some(value) => return Err((value.character, "'tablebase' is for a fair die".to_owned())),
        None if is_fair && default > 0 => (default, 0),
        None => return Ok(None),
    };
    match shared(stones, game.variant()) {
        Ok(tables) => Ok(Some(tables)),
        Err(error) => Err((character, error.to_string())),
    }
}

fn at(text: &str, (character, problem): Problem) -> PlayerError {
    PlayerError {
        text: text.to_owned(),
        character,
        problem,
    }
}

/// The rules with the die that the player assumes, given as weights of the faces:
/// `die=1:1:1:1:1:5`.
fn assumed_die(arguments: &mut Arguments<'_>, game: Standard) -> Result<Standard, Problem> {
    let Some(value) = arguments.take_named("die")? else {
        return Ok(game);
    };
    let weights: Option<Vec<f64>> = value
        .name
        .split(':')
        .map(|weight| weight.parse().ok())
        .collect();
    let weights = weights
        .filter(|weights| weights.len() == 6 && value.arguments.is_empty())
        .ok_or_else(|| {
            (
                value.character,
                format!(
                    "'die' is six weights joined by ':', for example 1:1:1:1:1:5, not '{value}'"
                ),
            )
        })?;
    let die = Die::loaded(&weights).map_err(|error| (value.character, error.to_string()))?;
    Ok(Standard::new(game.variant(), die))
}
