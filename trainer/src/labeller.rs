//! Computes labels: values of the positions before each ply by a player, an evaluator or
//! tablebases.

use crate::Error;
use crate::shard::{
    Estimate, PlayedGame,
    labels::{Label, check_name},
    quantize_value,
};
use alea_core::{
    files, model_names,
    oracle::Oracle,
    random::{RandomStream, SeedSpace, derive_seed},
};
use alea_play::{
    build::{PlayerRecipe, parse_evaluator},
    playable::Playable,
    player::{Player, PositionValue},
    player_notation::{Arguments, Notation, NotationError, trusted_text},
    registry::AnyEvaluator,
};
use alea_search::limits::Limits;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

const TABLES_SOURCE: &str = "tables";

/// Largest `Rules::remaining_length` that the source `tables` labels without an argument.
const DEFAULT_MAX_REMAINING: usize = 5;

/// Configuration of a label: its name and the source of its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelConfig {
    /// Name of the label.
    pub name: String,
    /// Notation of the source: a player such as `star2(depth=4)`, an evaluator such as
    /// `model:PATH`, or `tables(stones=5)`, tablebases of positions with at most 5 stones (or the
    /// game's other unit) remaining.
    pub by: String,
}

/// Label with its loaded source: a player, an evaluator or tablebases.
#[derive(Clone)]
pub struct LabelSource<G: Playable> {
    label: Label,
    game: G,
    source: ValueSource<G>,
}

#[derive(Clone)]
enum ValueSource<G: Playable> {
    Player(Box<PlayerRecipe<G>>),
    Evaluator(Arc<dyn AnyEvaluator<G>>),
    Tables(Arc<dyn Oracle<G>>),
}

impl<G: Playable> LabelSource<G> {
    /// Loads models and tables; builds tables that are not on disk.
    ///
    /// # Errors
    /// If the name or notation is invalid, a model or table cannot be read, or the player values no
    /// positions.
    pub fn new(config: &LabelConfig, game: &G) -> Result<Self, Error> {
        check_name(&config.name).map_err(Error::with_prefix("label"))?;
        let by = trusted_text(&config.by);
        let notation = Notation::parse(by).map_err(Error::new)?;
        let (by, source) = if notation.name == TABLES_SOURCE {
            let (by, tables) = parse_tables(by.as_str(), &notation, game)?;
            (by, ValueSource::Tables(tables))
        } else if notation.name.starts_with("model:") {
            (
                notation.to_string(),
                ValueSource::Evaluator(parse_evaluator(by, game).map_err(Error::new)?),
            )
        } else {
            match PlayerRecipe::parse(by, game) {
                Ok(recipe) => (
                    recipe.name().to_owned(),
                    ValueSource::Player(Box::new(recipe)),
                ),
                Err(problem) => (
                    notation.to_string(),
                    ValueSource::Evaluator(
                        parse_evaluator(by, game).map_err(|_| Error::new(problem))?,
                    ),
                ),
            }
        };
        let mut models = BTreeMap::new();
        add_models(&notation, &mut models)?;
        let mut recipe = Self {
            label: Label {
                name: config.name.clone(),
                by,
                exact: matches!(source, ValueSource::Tables(_)),
                errors: false,
                models,
            },
            game: game.clone(),
            source,
        };
        recipe.label.errors = recipe.values_have_errors()?;
        Ok(recipe)
    }

    fn values_have_errors(&self) -> Result<bool, Error> {
        let ValueSource::Player(player) = &self.source else {
            return Ok(false);
        };
        let mut random = RandomStream::new(1);
        let mut after = self.game.random_start(&mut random, 0);
        let mut last = after;
        while self.game.payoffs(&after).is_none() {
            last = after;
            after = self
                .game
                .play(&last, self.game.sample_move(&last, random.next_u64()));
        }
        let mut player = player.make();
        player.new_game(1);
        match player.value(&last, &Limits::NONE) {
            PositionValue {
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

    /// Description of the label, as stored in shard headers.
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// Sets the name by which the label's description refers to the model file at `path`.
    #[must_use]
    pub fn with_model_name(mut self, path: &str, name: &str) -> Self {
        self.label.by = rename_model(&self.label.by, path, name);
        rename_model_key(&mut self.label.models, path, name);
        self
    }

    /// Whether labelling again gives equal values: false if the source depends on timing.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        match &self.source {
            ValueSource::Player(player) => player.is_reproducible(),
            _ => true,
        }
    }

    /// Sets label `index` of `label_count` in all games if the source is tablebases; else returns
    /// false.
    pub(crate) fn set_exact_labels(
        &self,
        index: usize,
        label_count: usize,
        games: &mut [PlayedGame<G>],
    ) -> bool {
        let ValueSource::Tables(tables) = &self.source else {
            return false;
        };
        let plies = |game: &PlayedGame<G>| game.record.plies.len();
        let positions = games.iter();
        let positions =
            positions.flat_map(|game| game.record.positions(&self.game).take(plies(game)));
        let values = tables.values(&self.game, &positions.collect::<Vec<_>>());
        let mut values = values.into_iter().map(|value| value.map(to_estimate));
        for game in games {
            let values = values.by_ref().take(plies(game)).collect();
            game.set_label(index, label_count, values);
        }
        true
    }

    /// Creates a labeller for one thread.
    #[must_use]
    pub fn new_labeller(&self) -> Labeller<'_, G> {
        Labeller {
            recipe: self,
            player: match &self.source {
                ValueSource::Player(recipe) => Some(recipe.make()),
                _ => None,
            },
            positions: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Computes the values of one label on one thread.
pub struct Labeller<'a, G: Playable> {
    recipe: &'a LabelSource<G>,
    player: Option<Box<dyn Player<G>>>,
    positions: Vec<G::Position>,
    values: Vec<f32>,
}

impl<G: Playable> Labeller<'_, G> {
    /// Values the position before each ply; `None` where the source has no value.
    pub fn label_values(&mut self, played: &PlayedGame<G>) -> Vec<Option<Estimate>> {
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
            (ValueSource::Tables(tables), _) => {
                let values = tables.values(game, &self.positions).into_iter();
                values.map(|value| value.map(to_estimate)).collect()
            }
            (ValueSource::Evaluator(evaluator), _) => {
                evaluator.values(game, &self.positions, &mut self.values);
                self.values
                    .iter()
                    .map(|&value| Some(to_estimate(value)))
                    .collect()
            }
            (ValueSource::Player(_), Some(player)) => {
                let print = played.fingerprint(game);
                player.new_game(derive_seed(
                    0,
                    SeedSpace::Records,
                    &[4, print as u64, (print >> 64) as u64],
                ));
                let mut estimate = |position| {
                    let found = player.value(position, &Limits::NONE);
                    let error = found.error.map(|error| quantize_value(error.min(1.0)));
                    let value = to_estimate(found.value?).value;
                    Some(Estimate { value, error })
                };
                positions.map(&mut estimate).collect()
            }
            (ValueSource::Player(_), None) => vec![None; self.positions.len()],
        }
    }
}

fn to_estimate(value: f32) -> Estimate {
    quantize_value(value.clamp(0.0, 1.0)).into()
}

/// Sets all labels except those from tablebases, which [`LabelSource::set_exact_labels`] sets.
pub(crate) fn label_game<G: Playable>(labellers: &mut [Labeller<'_, G>], game: &mut PlayedGame<G>) {
    let label_count = labellers.len();
    for (index, labeller) in labellers.iter_mut().enumerate() {
        if !matches!(labeller.recipe.source, ValueSource::Tables(_)) {
            let values = labeller.label_values(game);
            game.set_label(index, label_count, values);
        }
    }
}

pub(crate) fn load_tables<G: Playable>(
    game: &G,
    remaining: usize,
) -> Result<Arc<dyn Oracle<G>>, String> {
    let none = || format!("{} has no tables", game.notation());
    let text = Notation::parse(&remaining.to_string()).map_err(|error| error.to_string())?;
    let oracle = (G::registry().oracle.ok_or_else(none)?.read)(&text, game);
    oracle.map_err(|(_, problem)| problem)?.ok_or_else(none)
}

fn parse_tables<G: Playable>(
    text: &str,
    notation: &Notation,
    game: &G,
) -> Result<(String, Arc<dyn Oracle<G>>), Error> {
    let mut arguments = Arguments::of(notation);
    let remaining = arguments
        .number(
            G::INFO.remaining_unit,
            1..=usize::MAX,
            DEFAULT_MAX_REMAINING,
        )
        .and_then(|remaining| arguments.finish().map(|_| remaining))
        .map_err(|(character, problem)| {
            let text = text.to_owned();
            Error::new(NotationError {
                text,
                character,
                problem,
            })
        })?;
    let tables = load_tables(game, remaining).map_err(Error::with_prefix("label"))?;
    Ok((
        format!("{TABLES_SOURCE}({}={remaining})", G::INFO.remaining_unit),
        tables,
    ))
}

pub(crate) fn add_models(
    notation: &Notation,
    models: &mut BTreeMap<String, String>,
) -> Result<(), Error> {
    if let Some(path) = notation.name.strip_prefix("model:") {
        let path = notation
            .trusted_path(path)
            .map_err(|(_, problem)| Error::new(problem))?;
        let checksum = files::checksum(&model_names::read(path).map_err(Error::new)?);
        models.insert(path.to_owned(), format!("{checksum:016x}"));
    }
    notation
        .arguments
        .iter()
        .try_for_each(|argument| add_models(&argument.value, models))
}

pub(crate) fn rename_model(text: &str, path: &str, name: &str) -> String {
    fn rename(notation: &mut Notation, from: &str, to: &str) {
        if notation.name == from {
            to.clone_into(&mut notation.name);
        }
        notation
            .arguments
            .iter_mut()
            .for_each(|argument| rename(&mut argument.value, from, to));
    }
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

pub(crate) fn rename_model_key(models: &mut BTreeMap<String, String>, path: &str, name: &str) {
    if let Some(checksum) = models.remove(path) {
        models.insert(name.to_owned(), checksum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_paths_are_renamed_everywhere() {
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
            assert_eq!(rename_model(text, "/a b/x", "best"), expected);
        }
        let mut models = BTreeMap::from([
            ("/a b/x".to_owned(), "1".to_owned()),
            ("y".to_owned(), "2".to_owned()),
        ]);
        rename_model_key(&mut models, "/a b/x", "best");
        assert_eq!(
            models,
            BTreeMap::from([
                ("best".to_owned(), "1".to_owned()),
                ("y".to_owned(), "2".to_owned())
            ])
        );
    }
}
