//! Who makes labels: a player, an evaluator, or the endgame tables, asked for the value of every
//! position before its roll.
//!
//! Invariant: the labels of a game are a pure function of its start, dice and moves and of who
//! makes them, unless that is a player with a time limit; so they are the same made with the game
//! or later, in any order, on any thread.

use crate::shard::labels::{Label, check_name};
use crate::shard::{PlayedGame, rounded};
use engine::core::files::{self, FileError};
use engine::core::random::{SeedSpace, derive_seed};
use engine::games::einstein::tables::shared::shared;
use engine::games::einstein::tables::{FEWEST_STONES, MOST_STONES, Tables, TablesError};
use engine::games::einstein::{Position, Standard};
use engine::play::build::{PlayerRecipe, evaluator};
use engine::play::notation::{Arguments, Notation, PlayerError};
use engine::play::player::Player;
use engine::play::registry::AnyEvaluator;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Stones of tables if nobody says how many.
const STONES: usize = 5;

/// A label as it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelConfig {
    /// Its name.
    pub name: String,
    /// Who makes it: a player that values positions, such as `star2(depth=4)`; a model,
    /// `model:PATH`, or another evaluator, such as `race`; or `tables(stones=5)`, which say
    /// something of positions of at most so many stones only.
    pub by: String,
}

/// Why there are no labels.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The name or the notation is none.
    #[error("label: {0}")]
    Setting(String),
    /// The notation is no player's.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A model cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There are no tables.
    #[error(transparent)]
    Tables(#[from] TablesError),
}

/// A labeller that can be made again and again.
#[derive(Clone)]
pub struct LabelRecipe {
    label: Label,
    game: Standard,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Player(Box<PlayerRecipe<Standard>>),
    Evaluator(Arc<dyn AnyEvaluator<Standard>>),
    Tables(Arc<Tables>),
}

impl LabelRecipe {
    /// Reads who is to make a label of games by these rules; models are loaded, and tables built if
    /// need be.
    ///
    /// # Errors
    /// If the name or the notation is wrong, a model or table cannot be read, or the player values
    /// no positions.
    pub fn new(config: &LabelConfig, game: &Standard) -> Result<Self, LabelError> {
        check_name(&config.name).map_err(LabelError::Setting)?;
        let by = &config.by;
        let notation = Notation::parse(by)?;
        let (by, source) = if notation.name == "tables" {
            let (by, tables) = tables(by, &notation, game)?;
            (by, Source::Tables(tables))
        } else if notation.name.starts_with("model:") {
            (
                notation.to_string(),
                Source::Evaluator(evaluator(by, game)?),
            )
        } else {
            match PlayerRecipe::parse(by, game) {
                Ok(recipe) => (recipe.name().to_owned(), Source::Player(Box::new(recipe))),
                // What is wrong is told of players, which are more.
                Err(problem) => (
                    notation.to_string(),
                    Source::Evaluator(evaluator(by, game).map_err(|_| problem)?),
                ),
            }
        };
        let mut models = BTreeMap::new();
        add_models(&notation, &mut models)?;
        let recipe = Self {
            label: Label {
                name: config.name.clone(),
                by,
                models,
            },
            game: game.clone(),
            source,
        };
        recipe.check_values()?;
        Ok(recipe)
    }

    /// Some players choose moves and rate nothing.
    fn check_values(&self) -> Result<(), LabelError> {
        let Source::Player(player) = &self.source else {
            return Ok(());
        };
        let (simple, _) = self
            .game
            .parse_position("1..../...../...../...../....a r -")
            .map_err(|error| LabelError::Setting(error.to_string()))?;
        let mut player = player.make();
        player.new_game(1);
        match player.value(&simple).value {
            Some(_) => Ok(()),
            None => Err(LabelError::Setting(format!(
                "the player '{}' values no positions",
                self.label.by
            ))),
        }
    }

    /// The label.
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// The same labels, in whose description a model file is called by a name of its own instead of
    /// its path; see [`crate::selfplay::SelfPlay::naming`].
    #[must_use]
    pub fn naming(mut self, path: &str, name: &str) -> Self {
        self.label.by = renamed(&self.label.by, path, name);
        rename_key(&mut self.label.models, path, name);
        self
    }

    /// Whether the same games get the same labels: not from a player with a time limit.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        if let Source::Player(player) = &self.source {
            player.is_reproducible()
        } else {
            true
        }
    }

    /// A new labeller.
    #[must_use]
    pub fn make(&self) -> Labeller<'_> {
        let player = if let Source::Player(recipe) = &self.source {
            Some(recipe.make())
        } else {
            None
        };
        Labeller {
            recipe: self,
            player,
            positions: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Makes one label, on one thread.
pub struct Labeller<'a> {
    recipe: &'a LabelRecipe,
    player: Option<Box<dyn Player<Standard>>>,
    positions: Vec<Position>,
    values: Vec<f32>,
}

impl Labeller<'_> {
    /// The label of every position before a roll; `None` where there is none.
    pub fn values(&mut self, game: &PlayedGame) -> Vec<Option<f32>> {
        let rules = &self.recipe.game;
        self.positions.clear();
        self.positions
            .extend(game.record.positions(rules).take(game.record.plies.len()));
        let mut labels = vec![None; self.positions.len()];
        match (&self.recipe.source, &mut self.player) {
            (Source::Tables(tables), _) => tables.values(&self.positions, &mut labels),
            (Source::Evaluator(evaluator), _) => {
                self.values.clear();
                self.values.resize(self.positions.len(), 0.0);
                evaluator.values(rules, &self.positions, &mut self.values);
                labels
                    .iter_mut()
                    .zip(&self.values)
                    .for_each(|(label, &value)| *label = Some(value));
            }
            (Source::Player(_), Some(player)) => {
                let print = game.fingerprint();
                player.new_game(derive_seed(
                    0,
                    SeedSpace::Records,
                    &[4, print as u64, (print >> 64) as u64],
                ));
                labels
                    .iter_mut()
                    .zip(&self.positions)
                    .for_each(|(label, position)| *label = player.value(position).value);
            }
            (Source::Player(_), None) => {}
        }
        // The probabilities of a loaded die may add up to a rounding error more than 1.
        labels
            .iter_mut()
            .flatten()
            .for_each(|value| *value = rounded(value.clamp(0.0, 1.0)));
        labels
    }
}

/// Sets the labels of a game, all of them, by their labellers.
pub fn add_all(labellers: &mut [Labeller<'_>], game: &mut PlayedGame) {
    let known = labellers.len();
    for (index, labeller) in labellers.iter_mut().enumerate() {
        let values = labeller.values(game);
        game.set_label(index, known, values);
    }
}

/// `tables(stones=N)` in its normal form, and these tables.
fn tables(
    text: &str,
    notation: &Notation,
    game: &Standard,
) -> Result<(String, Arc<Tables>), LabelError> {
    let wrong = |(character, problem)| PlayerError {
        text: text.to_owned(),
        character,
        problem,
    };
    let mut arguments = Arguments::of(notation);
    let stones = arguments
        .number("stones", FEWEST_STONES..=MOST_STONES, STONES)
        .map_err(wrong)?;
    let others = notation
        .arguments
        .iter()
        .find(|argument| argument.key.as_deref().is_some_and(|key| key != "stones"));
    if let Some(other) = others.or(notation.arguments.get(1)) {
        return Err(wrong((other.character, "tables takes stones alone".to_owned())).into());
    }
    let tables = shared(stones, game.variant())?;
    if !tables.answers(game) {
        return Err(LabelError::Setting(
            "the tables are for a fair die".to_owned(),
        ));
    }
    Ok((format!("tables(stones={stones})"), tables))
}

/// Adds the checksums of the model files that a notation names.
///
/// # Errors
/// If one cannot be read.
pub(crate) fn add_models(
    notation: &Notation,
    models: &mut BTreeMap<String, String>,
) -> Result<(), FileError> {
    if let Some(path) = notation.name.strip_prefix("model:") {
        let checksum = files::checksum(&files::read(Path::new(path))?);
        models.insert(path.to_owned(), format!("{checksum:016x}"));
    }
    notation
        .arguments
        .iter()
        .try_for_each(|argument| add_models(&argument.value, models))
}

/// A notation in which a model file is called by a name of its own instead of its path.
pub(crate) fn renamed(text: &str, path: &str, name: &str) -> String {
    fn rename(notation: &mut Notation, from: &str, to: &str) {
        if notation.name == from {
            to.clone_into(&mut notation.name);
        }
        notation
            .arguments
            .iter_mut()
            .for_each(|argument| rename(&mut argument.value, from, to));
    }
    // What was understood before is understood again.
    Notation::parse(text).map_or_else(
        |_| text.to_owned(),
        |mut notation| {
            rename(
                &mut notation,
                &format!("model:{path}"),
                &format!("model:{name}"),
            );
            notation.to_string()
        },
    )
}

/// Moves the checksum of a model file to its name.
pub(crate) fn rename_key(models: &mut BTreeMap<String, String>, path: &str, name: &str) {
    if let Some(checksum) = models.remove(path) {
        models.insert(name.to_owned(), checksum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_called_by_its_name_wherever_it_stands() {
        for (text, expected) in [
            (
                "star2(depth=2, eval=\"model:/a b/x\")",
                "star2(depth=2, eval=model:best)",
            ),
            (
                "mcts(leaf=mix(0.5, \"model:/a b/x\"), sims=9)",
                "mcts(leaf=mix(0.5, model:best), sims=9)",
            ),
            ("\"model:/a b/x\"", "model:best"),
            (
                "star1(eval=\"model:/a b/xy\")",
                "star1(eval=\"model:/a b/xy\")",
            ),
        ] {
            assert_eq!(renamed(text, "/a b/x", "best"), expected);
        }
        let mut models = BTreeMap::from([
            ("/a b/x".to_owned(), "1".to_owned()),
            ("y".to_owned(), "2".to_owned()),
        ]);
        rename_key(&mut models, "/a b/x", "best");
        assert_eq!(
            models,
            BTreeMap::from([
                ("best".to_owned(), "1".to_owned()),
                ("y".to_owned(), "2".to_owned())
            ])
        );
    }
}
