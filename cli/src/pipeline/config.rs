//! Settings of a pipeline, from a preset or a TOML file.

use crate::commands::MAX_GAMES;
use crate::settings::Settings;
use anyhow::{Context, Result, bail};
use engine::learned::inputs::Learnable;
use engine::play::player_notation::trusted_text;
use engine::play::{build, playable::Playable};
use serde::{Deserialize, Serialize};
use trainer::config::{NTupleConfig, NetworkConfig, TargetConfig, TrainConfig, TrainingConfig};
use trainer::labeller::LabelConfig;
use trainer::selfplay::{SelfPlay, SelfPlayConfig, SelfPlayOptions, WeightedPlayer};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PipelineConfig {
    pub(crate) seed: u64,
    pub(crate) selfplay: SelfPlaySection,
    pub(crate) train: TrainSection,
    pub(crate) arena: ArenaSection,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelfPlaySection {
    pub(crate) games: u64,
    opening_plies: usize,
    exploration: f64,
    pub(crate) game: String,
    pub(crate) players: Vec<WeightedPlayer>,
    #[serde(default, skip_serializing_if = "SelfPlayOptions::is_default")]
    options: SelfPlayOptions,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<LabelConfig>,
}

impl SelfPlaySection {
    pub(crate) fn config(&self, seed: u64) -> SelfPlayConfig {
        let section = self.clone();
        SelfPlayConfig {
            players: section.players,
            games: section.games,
            seed,
            opening_plies: section.opening_plies,
            exploration: section.exploration,
            game: section.game,
            options: section.options,
            labels: section.labels,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TrainSection {
    target: TargetConfig,
    pub(crate) training: TrainingConfig,
    network: NetworkConfig,
    ntuple: NTupleConfig,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArenaSection {
    pub(crate) opponents: Vec<String>,
    pub(crate) rounds: Vec<ArenaRound>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArenaRound {
    pub(crate) depth: u32,
    pub(crate) games: u64,
}

impl Settings for PipelineConfig {
    fn presets<G: Playable>() -> &'static [(&'static str, &'static str)] {
        G::INFO.pipeline_presets
    }

    fn common_fields(&mut self) -> (&mut String, &mut u64, &mut String) {
        let (game, backend) = (&mut self.selfplay.game, &mut self.train.training.backend);
        (game, &mut self.seed, backend)
    }
}

impl PipelineConfig {
    pub(crate) fn check<G: Learnable>(&self, game: &G) -> Result<()> {
        let games = self.selfplay.games;
        if !(1..=MAX_GAMES).contains(&games) {
            bail!("selfplay: 'games' is from 1 to {MAX_GAMES}, not {games}");
        }
        SelfPlay::<G>::new(self.selfplay())?;
        if !self.train.training.initial_model.is_empty() {
            bail!(
                "train.training.initial_model: a pipeline trains both families, from new weights"
            );
        }
        self.train().resolve(game)?;
        for opponent in &self.arena.opponents {
            build::parse_evaluator(trusted_text(opponent), game).context("arena.opponents")?;
        }
        for &ArenaRound { depth, games } in &self.arena.rounds {
            if !(1..=64).contains(&depth) || !(1..=MAX_GAMES).contains(&games) {
                bail!(
                    "arena.rounds: 'depth' is from 1 to 64 and 'games' from 1 to {MAX_GAMES}, not {depth} and {games}"
                );
            }
        }
        Ok(())
    }

    pub(crate) fn selfplay(&self) -> SelfPlayConfig {
        self.selfplay.config(self.seed)
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
    use crate::settings;
    use engine::games::einstein::Standard;
    use engine::play::playable::Rules;

    #[test]
    fn options_of_self_play_are_read_checked_and_written() {
        let quick = Standard::INFO.pipeline_presets[0].1;
        let read = |options: &str| {
            let text = format!("{quick}\n[selfplay.options]\n{options}");
            settings::parse_toml::<PipelineConfig>(&text)
        };
        let config = read("temperature = 0.1\nendgames = { stones = [2, 5], share = 0.25 }\nstarts = { file = \"a b\" }").unwrap();
        let options = config.selfplay().options;
        assert_eq!(options.temperature, Some(0.1));
        assert_eq!(options.endgames.unwrap().remaining, [2, 5]);
        assert_eq!(options.starts.unwrap().fraction, 1.0);
        let written = toml::to_string(&config).unwrap();
        assert_eq!(
            settings::parse_toml::<PipelineConfig>(&written).unwrap(),
            config
        );
        let wrong = read("adjudicate = 7").unwrap();
        let problem = wrong.check(&Standard::default()).unwrap_err().to_string();
        assert!(problem.contains("'adjudicate' is a number"), "{problem}");
        assert!(read("temperatur = 0.1").is_err());
        let plain: PipelineConfig = settings::parse_toml(quick).unwrap();
        assert!(!toml::to_string(&plain).unwrap().contains("options"));
    }
}
