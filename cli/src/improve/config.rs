//! Settings of learning in generations, from a preset or a TOML file.

use super::labelled_evaluator::Evaluator;
use crate::commands::MAX_GAMES;
use crate::gating::with_evaluator;
use crate::pipeline::config::SelfPlaySection;
use crate::settings::Settings;
use anyhow::{Context, Result, bail};
use arena::matches::StoppingRule;
use arena::statistics::sequential::{EloModel, SequentialTest};
use engine::core::random::{SeedSpace, derive_seed};
use engine::learned::{inputs::Learnable, model_file::ModelFile};
use engine::play::player_notation::trusted_text;
use engine::play::{build, playable::Playable};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use trainer::config::{
    NTupleConfig, NetworkConfig, TargetConfig, TdConfig, TrainConfig, TrainingConfig,
};
use trainer::labeller::{LabelConfig, LabelSource};
use trainer::selfplay::{SelfPlay, SelfPlayConfig, WeightedPlayer};
use trainer::training::{Family, check_initial_model, check_seats};

const MAX_GENERATIONS: u64 = 9999;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImproveConfig {
    pub(crate) seed: u64,
    pub(crate) generations: u64,
    /// Number of generations in a row without promotion after which the run ends.
    pub(crate) patience: u64,
    pub(crate) start: String,
    pub(crate) selfplay: SelfPlaySection,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) relabel: Option<LabelConfig>,
    pub(crate) train: TrainSection,
    pub(super) gate: GateSection,
    pub(super) measure: MeasureSection,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainSection {
    family: String,
    /// Number of newest generations whose games are trained on.
    pub(crate) last_generations: u64,
    /// Number of first generations that learn by TD(λ) from games against themselves, which are not
    /// recorded; by default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    td_generations: Option<u64>,
    /// Initial weights of each generation; by default random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    initial_weights: Option<InitialWeights>,
    #[serde(default)]
    target: TargetConfig,
    #[serde(default)]
    pub(crate) training: TrainingConfig,
    #[serde(default)]
    network: NetworkConfig,
    #[serde(default)]
    ntuple: NTupleConfig,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    online: Option<TdConfig>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InitialWeights {
    Random,
    /// Weights of the best model; random while the best evaluator is hand-made.
    Best,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GateSection {
    pub(super) player: String,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    /// Pairs of games between two looks of the sequential test; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    batch: Option<u64>,
    pub(super) pairs: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeasureSection {
    pub(super) player: String,
    opponents: Vec<String>,
    pub(super) pairs: u64,
}

impl Settings for ImproveConfig {
    fn presets<G: Playable>() -> &'static [(&'static str, &'static str)] {
        G::INFO.improve_presets
    }

    fn common_fields(&mut self) -> (&mut String, &mut u64, &mut String) {
        let (game, backend) = (&mut self.selfplay.game, &mut self.train.training.backend);
        (game, &mut self.seed, backend)
    }
}

impl ImproveConfig {
    /// Checks the settings, with `start` in place of every generation's evaluator.
    pub(crate) fn check<G: Learnable>(&self, game: &G, start: &Evaluator) -> Result<()> {
        let ranges = [
            ("generations", self.generations, MAX_GENERATIONS),
            ("patience", self.patience, u64::MAX),
            ("selfplay.games", self.selfplay.games, MAX_GAMES),
            (
                "train.last_generations",
                self.train.last_generations,
                MAX_GENERATIONS,
            ),
            (
                "train.td_generations",
                self.td_generations().max(1),
                MAX_GENERATIONS,
            ),
            ("gate.pairs", self.gate.pairs, MAX_GAMES / 2),
            ("measure.pairs", self.measure.pairs, MAX_GAMES / 2),
        ];
        for (key, found, max) in ranges {
            if !(1..=max).contains(&found) {
                let max = match max {
                    u64::MAX => String::new(),
                    max => format!(" and at most {max}"),
                };
                bail!("{key} = {found}: it must be at least 1{max}");
            }
        }
        self.check_td(game)?;
        let family = self.family()?;
        let mut players = self.selfplay.players.iter();
        if !players.any(|weighted| with_evaluator(&weighted.player, "").is_ok()) {
            bail!(
                "selfplay.players: one of them needs a place for the evaluator, for example star2(depth=2, eval={{model}})"
            );
        }
        SelfPlay::<G>::new(self.selfplay(1, start))?;
        if !self.train.training.initial_model.is_empty() {
            bail!(
                "train.training.initial_model: generations begin as train.initial_weights says, from `start` or new weights"
            );
        }
        self.train(1).resolve(game)?;
        if let Some(initial) = self.initial_model(game, start)? {
            check_initial_model(game, &self.train(1), family, &initial)
                .context("train.initial_weights = \"best\"")?;
        }
        build::parse_evaluator(trusted_text(&start.notation), game).context("start")?;
        if let Some(by) = self.relabel(start) {
            LabelSource::new(&by, game).context("relabel")?;
        }
        self.stopping_rule().context("gate")?;
        (start.contestant(&self.gate.player, game)).context("gate.player")?;
        let measured = &self.measure.player;
        for opponent in self.opponents(start)? {
            opponent.contestant(measured, game).context("measure")?;
        }
        (start.contestant(measured, game)).context("measure.player")?;
        Ok(())
    }

    fn check_td<G: Learnable>(&self, game: &G) -> Result<()> {
        match (self.td_generations(), &self.train.online) {
            (0, Some(_)) => bail!(
                "train.online: only TD learning uses it; set train.td_generations, the number of generations that learn so"
            ),
            (0, None) => Ok(()),
            _ => check_seats(game).context("train.td_generations"),
        }
    }

    fn td_generations(&self) -> u64 {
        self.train.td_generations.unwrap_or(0)
    }

    pub(crate) fn learns_by_td(&self, generation: u64) -> bool {
        generation <= self.td_generations()
    }

    pub(super) fn training_generations(&self, generation: u64) -> RangeInclusive<u64> {
        let newest = (generation + 1).saturating_sub(self.train.last_generations);
        newest.max(self.td_generations() + 1)..=generation
    }

    /// Model whose weights a generation begins with if `best` is the best evaluator before it.
    pub(super) fn initial_model<G: Learnable>(
        &self,
        game: &G,
        best: &Evaluator,
    ) -> Result<Option<ModelFile<G>>> {
        Ok(match (self.train.initial_weights, &best.model) {
            (Some(InitialWeights::Best), Some((path, _))) => Some(ModelFile::load(game, path)?),
            _ => None,
        })
    }

    /// Seed of a stage, of 53 bits, which every TOML and JSON reader can represent.
    pub(crate) fn stage_seed(&self, space: SeedSpace, generation: u64) -> u64 {
        /// Separates these seeds from those of other commands.
        const IMPROVE_SEED: u64 = 0x1339_7E0F;
        derive_seed(self.seed, space, &[IMPROVE_SEED, generation]) >> 11
    }

    pub(crate) fn family(&self) -> Result<Family> {
        let families = [Family::Network, Family::NTuple];
        let family_name = &self.train.family;
        let found = families
            .into_iter()
            .find(|family| family.name() == family_name);
        found.with_context(|| {
            format!("train.family = '{family_name}': it must be network or ntuple")
        })
    }

    pub(crate) fn selfplay(&self, generation: u64, best: &Evaluator) -> SelfPlayConfig {
        let seed = self.stage_seed(SeedSpace::SelfPlay, generation);
        let mut config = self.selfplay.config(seed);
        for WeightedPlayer { player, .. } in &mut config.players {
            if let Ok(with_best) = with_evaluator(player, &best.notation) {
                *player = with_best;
            }
        }
        config
    }

    pub(crate) fn relabel(&self, best: &Evaluator) -> Option<LabelConfig> {
        let LabelConfig { name, by } = self.relabel.clone()?;
        let by = with_evaluator(&by, &best.notation).unwrap_or(by);
        Some(LabelConfig { name, by })
    }

    pub(crate) fn train(&self, generation: u64) -> TrainConfig {
        let section = self.train.clone();
        TrainConfig {
            seed: self.stage_seed(SeedSpace::Training, generation),
            target: section.target,
            training: section.training,
            network: section.network,
            ntuple: section.ntuple,
            online: section.online.unwrap_or_default(),
        }
    }

    pub(crate) fn stopping_rule(&self) -> Result<StoppingRule> {
        let GateSection {
            elo0,
            elo1,
            alpha,
            beta,
            batch,
            ..
        } = self.gate;
        let test = SequentialTest::new(elo0, elo1, alpha, beta, EloModel::Logistic)?;
        Ok(StoppingRule {
            test: batch.map_or(Ok(test), |pairs| test.in_batches(pairs))?,
            single_games: false,
        })
    }

    pub(crate) fn opponents(&self, start: &Evaluator) -> Result<Vec<Evaluator>> {
        let opponents = self.measure.opponents.iter();
        let opponents = opponents.map(|notation| Evaluator::from_notation(notation));
        let opponents = opponents.collect::<Result<Vec<_>>>();
        let mut opponents = opponents.context("measure.opponents")?;
        opponents.retain(|opponent| opponent.label != start.label);
        Ok(opponents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;
    use engine::games::einstein::Standard;
    use engine::play::playable::Rules;

    fn presets_can_be_run<G: Learnable>() {
        for (name, text) in G::INFO.improve_presets {
            let config: ImproveConfig = settings::parse_toml(text).unwrap();
            let game = G::from_notation(&config.selfplay.game, None).unwrap();
            let start = Evaluator::from_notation(&config.start).unwrap();
            config.check(&game, &start).expect(name);
            let written = toml::to_string(&config).unwrap();
            assert_eq!(
                settings::parse_toml::<ImproveConfig>(&written).unwrap(),
                config
            );
        }
    }

    #[test]
    fn presets_of_all_games_can_be_run_and_are_written_as_they_are_read() {
        engine::for_games!(crate::games::each_game! OneGame => presets_can_be_run::<OneGame>());
    }

    #[test]
    fn seeds_of_stages_and_generations_differ() {
        let config: ImproveConfig =
            settings::parse_toml(Standard::INFO.improve_presets[0].1).unwrap();
        let mut seeds = Vec::new();
        for space in [
            SeedSpace::SelfPlay,
            SeedSpace::Training,
            SeedSpace::Gate,
            SeedSpace::Arena,
        ] {
            seeds.extend((0..100).map(|generation| config.stage_seed(space, generation)));
        }
        assert!(seeds.iter().all(|&seed| seed < 1 << 53));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 400);
    }
}
