//! Who makes labels: a player, an evaluator, or the game's exact knowledge, asked for the value of
//! every position before chance speaks.
//!
//! Invariant: the labels of a game are a pure function of its start, outcomes and moves and of who
//! makes them, unless that is a player with a time limit; so they are the same made with the game
//! or later, in any order, on any thread.

use crate::Error;
use crate::shard::{
    Estimate, PlayedGame,
    labels::{Label, check_name},
    rounded,
};
use engine::core::{
    files::{self, FileKind},
    oracle::Oracle,
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::play::{
    build::{PlayerRecipe, evaluator},
    notation::{Arguments, Notation, PlayerError, trusted},
    playable::Playable,
    player::{Player, Valuation},
    registry::AnyEvaluator,
};
use engine::search::limits::Limits;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// The maker of exact labels.
const TABLES: &str = "tables";

/// How much is left of the game in the positions that tables know, if nobody says.
const REMAINING: usize = 5;

/// A label as it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelConfig {
    /// Its name.
    pub name: String,
    /// Who makes it: a player that values positions, such as `star2(depth=4)`; a model,
    /// `model:PATH`, or another evaluator; or `tables(stones=5)`, which know positions exactly of
    /// which so much is left, counted as the game counts it.
    pub by: String,
}

/// A labeller that can be made again and again.
#[derive(Clone)]
pub struct LabelRecipe<G: Playable> {
    label: Label,
    game: G,
    source: Source<G>,
}

#[derive(Clone)]
enum Source<G: Playable> {
    Player(Box<PlayerRecipe<G>>),
    Evaluator(Arc<dyn AnyEvaluator<G>>),
    Tables(Arc<dyn Oracle<G>>),
}

impl<G: Playable> LabelRecipe<G> {
    /// Reads who is to make a label of games by these rules, as the user says; models are loaded, and
    /// tables built if need be.
    ///
    /// # Errors
    /// If the name or the notation is wrong, a model or table cannot be read, or the player values
    /// no positions.
    pub fn new(config: &LabelConfig, game: &G) -> Result<Self, Error> {
        check_name(&config.name).map_err(Error::of("label"))?;
        let by = trusted(&config.by);
        let notation = Notation::parse(by).map_err(Error::new)?;
        let (by, source) = if notation.name == TABLES {
            let (by, tables) = exact(by.as_str(), &notation, game)?;
            (by, Source::Tables(tables))
        } else if notation.name.starts_with("model:") {
            (
                notation.to_string(),
                Source::Evaluator(evaluator(by, game).map_err(Error::new)?),
            )
        } else {
            match PlayerRecipe::parse(by, game) {
                Ok(recipe) => (recipe.name().to_owned(), Source::Player(Box::new(recipe))),
                // What is wrong is told of players, which are more.
                Err(problem) => (
                    notation.to_string(),
                    Source::Evaluator(evaluator(by, game).map_err(|_| Error::new(problem))?),
                ),
            }
        };
        let mut models = BTreeMap::new();
        add_models(&notation, &mut models)?;
        let mut recipe = Self {
            label: Label {
                name: config.name.clone(),
                by,
                exact: matches!(source, Source::Tables(_)),
                errors: false,
                models,
            },
            game: game.clone(),
            source,
        };
        recipe.label.errors = recipe.check_values()?;
        Ok(recipe)
    }

    /// Some players choose moves and rate nothing; some know how far they may be off, which is the
    /// answer.
    fn check_values(&self) -> Result<bool, Error> {
        let Source::Player(player) = &self.source else {
            return Ok(false);
        };
        // Quickly valued: the last position of a random game.
        let mut random = RandomStream::new(1);
        let mut after = self.game.random_start(&mut random, 0);
        let mut last = after;
        while self.game.payoffs(&after).is_none() {
            last = after;
            after = self
                .game
                .play(&last, self.game.random_move(&last, random.next_u64()));
        }
        let mut player = player.make();
        player.new_game(1);
        match player.value(&last, &Limits::NONE) {
            Valuation {
                value: Some(_),
                error,
                ..
            } => Ok(error.is_some()),
            _ => Err(Error::new(format!(
                "label: the player '{}' values no positions",
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
        match &self.source {
            Source::Player(player) => player.is_reproducible(),
            _ => true,
        }
    }

    /// Sets label `index` of `known` in many games if it is exact, with all look-ups together,
    /// as tables on a disk are best read; whether it is.
    pub(crate) fn look_up(&self, index: usize, known: usize, games: &mut [PlayedGame<G>]) -> bool {
        let Source::Tables(tables) = &self.source else {
            return false;
        };
        let plies = |game: &PlayedGame<G>| game.record.plies.len();
        let positions = games.iter();
        let positions =
            positions.flat_map(|game| game.record.positions(&self.game).take(plies(game)));
        let values = tables.values(&self.game, &positions.collect::<Vec<_>>());
        let mut values = values.into_iter().map(|value| value.map(label));
        for game in games {
            let values = values.by_ref().take(plies(game)).collect();
            game.set_label(index, known, values);
        }
        true
    }

    /// A new labeller.
    #[must_use]
    pub fn make(&self) -> Labeller<'_, G> {
        Labeller {
            recipe: self,
            player: match &self.source {
                Source::Player(recipe) => Some(recipe.make()),
                _ => None,
            },
            positions: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Makes one label, on one thread.
pub struct Labeller<'a, G: Playable> {
    recipe: &'a LabelRecipe<G>,
    player: Option<Box<dyn Player<G>>>,
    positions: Vec<G::Position>,
    values: Vec<f32>,
}

impl<G: Playable> Labeller<'_, G> {
    /// The label of every position before a ply; `None` where there is none.
    pub fn values(&mut self, played: &PlayedGame<G>) -> Vec<Option<Estimate>> {
        let game = &self.recipe.game;
        self.positions.clear();
        self.positions.extend(
            played
                .record
                .positions(game)
                .take(played.record.plies.len()),
        );
        self.values.clear();
        self.values.resize(self.positions.len(), 0.0);
        let positions = self.positions.iter();
        match (&self.recipe.source, &mut self.player) {
            (Source::Tables(tables), _) => {
                let values = tables.values(game, &self.positions).into_iter();
                values.map(|value| value.map(label)).collect()
            }
            (Source::Evaluator(evaluator), _) => {
                evaluator.values(game, &self.positions, &mut self.values);
                self.values
                    .iter()
                    .map(|&value| Some(label(value)))
                    .collect()
            }
            (Source::Player(_), Some(player)) => {
                let print = played.fingerprint(game);
                player.new_game(derive_seed(
                    0,
                    SeedSpace::Records,
                    &[4, print as u64, (print >> 64) as u64],
                ));
                let mut estimate = |position| {
                    let found = player.value(position, &Limits::NONE);
                    let error = found.error.map(|error| rounded(error.min(1.0)));
                    let value = label(found.value?).value;
                    Some(Estimate { value, error })
                };
                positions.map(&mut estimate).collect()
            }
            (Source::Player(_), None) => vec![None; self.positions.len()],
        }
    }
}

/// Weights of outcomes may add up to a rounding error more than 1.
fn label(value: f32) -> Estimate {
    rounded(value.clamp(0.0, 1.0)).into()
}

/// Sets the labels of a game by their labellers, but for those that [`LabelRecipe::look_up`] sets.
pub(crate) fn add_all<G: Playable>(labellers: &mut [Labeller<'_, G>], game: &mut PlayedGame<G>) {
    let known = labellers.len();
    for (index, labeller) in labellers.iter_mut().enumerate() {
        if !matches!(labeller.recipe.source, Source::Tables(_)) {
            let values = labeller.values(game);
            game.set_label(index, known, values);
        }
    }
}

/// What a game knows exactly where no more than so much is left.
pub(crate) fn tables<G: Playable>(
    game: &G,
    remaining: usize,
) -> Result<Arc<dyn Oracle<G>>, String> {
    let none = || format!("{} has no tables", game.notation());
    let text = Notation::parse(&remaining.to_string()).map_err(|error| error.to_string())?;
    let known = (G::oracle().ok_or_else(none)?.read)(&text, game);
    known.map_err(|(_, problem)| problem)?.ok_or_else(none)
}

/// `tables(stones=N)` in its normal form, and these tables.
fn exact<G: Playable>(
    text: &str,
    notation: &Notation,
    game: &G,
) -> Result<(String, Arc<dyn Oracle<G>>), Error> {
    let mut arguments = Arguments::of(notation);
    let remaining = arguments
        .number(G::REMAINING, 1..=usize::MAX, REMAINING)
        .and_then(|remaining| arguments.finish().map(|()| remaining))
        .map_err(|(character, problem)| {
            let text = text.to_owned();
            Error::new(PlayerError {
                text,
                character,
                problem,
            })
        })?;
    let tables = tables(game, remaining).map_err(Error::of("label"))?;
    Ok((format!("{TABLES}({}={remaining})", G::REMAINING), tables))
}

/// Adds the checksums of the model files that a notation names.
///
/// # Errors
/// If one cannot be read, or may not be.
pub(crate) fn add_models(
    notation: &Notation,
    models: &mut BTreeMap<String, String>,
) -> Result<(), Error> {
    if let Some(path) = notation.name.strip_prefix("model:") {
        let path = notation
            .granted(path)
            .map_err(|(_, problem)| Error::new(problem))?;
        let checksum = files::checksum(&files::read(Path::new(path), FileKind::Data)?);
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
