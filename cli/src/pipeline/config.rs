//! What a pipeline does: a preset or a TOML file of the same form.
//!
//! One seed rules all stages; each stage draws from a seed space of its own.

use crate::commands::MOST_GAMES;
use crate::settings;
use anyhow::{Context, Result, bail};
use engine::learned::inputs::Learnable;
use engine::play::build;
use serde::{Deserialize, Serialize};
use std::path::Path;
use trainer::config::{NTupleConfig, NetworkConfig, TargetConfig, TrainConfig, TrainingConfig};
use trainer::label::LabelConfig;
use trainer::selfplay::{SelfPlay, SelfPlayConfig, SelfPlayOptions, WeightedPlayer};

/// The settings of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PipelineConfig {
    pub(crate) seed: u64,
    selfplay: SelfPlaySection,
    train: TrainSection,
    pub(crate) arena: ArenaSection,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SelfPlaySection {
    games: u64,
    opening_plies: usize,
    exploration: f64,
    game: String,
    players: Vec<WeightedPlayer>,
    #[serde(default, skip_serializing_if = "SelfPlayOptions::are_off")]
    options: SelfPlayOptions,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<LabelConfig>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TrainSection {
    target: TargetConfig,
    training: TrainingConfig,
    network: NetworkConfig,
    ntuple: NTupleConfig,
}

/// Who the models play, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArenaSection {
    /// Evaluators.
    pub(crate) opponents: Vec<String>,
    pub(crate) rounds: Vec<Round>,
}

/// Matches at one depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Round {
    pub(crate) depth: u32,
    /// Games a match.
    pub(crate) games: u64,
}

impl PipelineConfig {
    /// The text of a game's preset, with comments.
    pub(crate) fn preset<G: Learnable>(name: &str) -> Result<&'static str> {
        settings::preset::<G>(name, G::PIPELINES)
    }

    /// Reads a settings file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        settings::read(path)
    }

    /// Reads settings; an error names the line and the key.
    pub(crate) fn from_toml(text: &str) -> Result<Self> {
        settings::parse(text)
    }

    /// Checks everything that can be checked before hours of work.
    pub(crate) fn check<G: Learnable>(&self, game: &G) -> Result<()> {
        if !(1..=MOST_GAMES).contains(&self.selfplay.games) {
            bail!(
                "selfplay: 'games' is from 1 to {MOST_GAMES}, not {}",
                self.selfplay.games
            );
        }
        SelfPlay::<G>::new(self.selfplay())?;
        self.train().resolved(game)?;
        for opponent in &self.arena.opponents {
            build::evaluator(opponent, game).context("arena.opponents")?;
        }
        for round in &self.arena.rounds {
            if !(1..=64).contains(&round.depth) || !(1..=MOST_GAMES).contains(&round.games) {
                let (depth, games) = (round.depth, round.games);
                bail!(
                    "arena.rounds: 'depth' is from 1 to 64 and 'games' from 1 to {MOST_GAMES}, not {depth} and {games}"
                );
            }
        }
        Ok(())
    }

    /// The game, as text.
    pub(crate) fn game(&self) -> &str {
        &self.selfplay.game
    }

    /// Plays another game, or by other rules.
    pub(crate) fn set_game(&mut self, game: String) {
        self.selfplay.game = game;
    }

    /// Trains on another device.
    pub(crate) fn set_backend(&mut self, backend: &str) {
        backend.clone_into(&mut self.train.training.backend);
    }

    /// The resolved settings.
    pub(crate) fn to_toml(&self) -> Result<String> {
        Ok(toml::to_string(self)?)
    }

    pub(crate) fn selfplay(&self) -> SelfPlayConfig {
        let section = self.selfplay.clone();
        SelfPlayConfig {
            players: section.players,
            games: section.games,
            seed: self.seed,
            opening_plies: section.opening_plies,
            exploration: section.exploration,
            game: section.game,
            options: section.options,
            labels: section.labels,
        }
    }

    pub(crate) fn train(&self) -> TrainConfig {
        let section = self.train.clone();
        TrainConfig {
            seed: self.seed,
            target: section.target,
            training: section.training,
            network: section.network,
            ntuple: section.ntuple,
            ..TrainConfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::Standard;

    #[test]
    fn options_of_self_play_are_read_checked_and_written() {
        let quick = PipelineConfig::preset::<Standard>("quick").unwrap();
        let read = |options: &str| {
            PipelineConfig::from_toml(&format!("{quick}\n[selfplay.options]\n{options}"))
        };
        let config = read("temperature = 0.1\nendgames = { stones = [2, 5], share = 0.25 }\nstarts = { file = \"a b\" }").unwrap();
        let options = config.selfplay().options;
        assert_eq!(
            (
                options.temperature,
                options.endgames.clone().map(|endgames| endgames.remaining)
            ),
            (Some(0.1), Some([2, 5]))
        );
        assert_eq!(
            options.starts.as_ref().map(|starts| starts.share),
            Some(1.0)
        );
        assert_eq!(
            PipelineConfig::from_toml(&config.to_toml().unwrap()).unwrap(),
            config
        );
        let problem = read("adjudicate = 7")
            .unwrap()
            .check(&Standard::default())
            .unwrap_err()
            .to_string();
        assert!(problem.contains("'adjudicate' is a number"), "{problem}");
        assert!(read("temperatur = 0.1").is_err());
        // Without them the resolved settings are as they were before there were any.
        assert!(
            !PipelineConfig::from_toml(quick)
                .unwrap()
                .to_toml()
                .unwrap()
                .contains("options")
        );
    }
}
