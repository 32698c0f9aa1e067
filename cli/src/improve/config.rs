//! What learning in generations does: a preset or a TOML file of the same form.
//!
//! One seed rules everything; every stage of every generation draws its own from it
//! ([`ImproveConfig::stage_seed`]). Invariant: `generations` and `patience` say when to end and
//! change nothing of what is done before.

use super::evaluator::Evaluator;
use crate::commands::MOST_GAMES;
use crate::gating::with_evaluator;
use crate::settings;
use anyhow::{Context, Result, anyhow, bail};
use benches::arena::{Contestant, StoppingRule};
use benches::statistics::sequential::{EloModel, SequentialTest};
use engine::core::random::{SeedSpace, derive_seed};
use engine::learned::inputs::Learnable;
use engine::play::{build, playable::Playable};
use serde::{Deserialize, Serialize};
use std::path::Path;
use trainer::config::{NTupleConfig, NetworkConfig, TargetConfig, TrainConfig, TrainingConfig};
use trainer::fit::Family;
use trainer::label::{LabelConfig, LabelRecipe};
use trainer::selfplay::{SelfPlay, SelfPlayConfig, SelfPlayOptions, WeightedPlayer};

/// Most generations: their directories have numbers of four digits.
const MOST_GENERATIONS: u64 = 9999;

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImproveConfig {
    pub(crate) seed: u64,
    /// The number of the last generation.
    pub(crate) generations: u64,
    /// So many generations in a row without promotion end it.
    pub(crate) patience: u64,
    /// The evaluator of generation 0.
    pub(crate) start: String,
    selfplay: SelfPlaySection,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) relabel: Option<LabelConfig>,
    pub(crate) train: TrainSection,
    gate: GateSection,
    measure: MeasureSection,
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
}

/// What is fitted, and to what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainSection {
    family: String,
    /// How many generations' games are learned from, the newest included.
    pub(crate) last_generations: u64,
    #[serde(default)]
    target: TargetConfig,
    #[serde(default)]
    training: TrainingConfig,
    #[serde(default)]
    network: NetworkConfig,
    #[serde(default)]
    integer: NetworkConfig,
    #[serde(default)]
    ntuple: NTupleConfig,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GateSection {
    player: String,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    pairs: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasureSection {
    player: String,
    opponents: Vec<String>,
    pairs: u64,
}

impl ImproveConfig {
    /// The text of a game's preset, with comments.
    pub(crate) fn preset<G: Playable>(name: &str) -> Result<&'static str> {
        settings::preset::<G>(name, G::GENERATIONS)
    }

    /// Reads a settings file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        settings::read(path)
    }

    /// Reads settings; an error names the line and the key.
    pub(crate) fn from_toml(text: &str) -> Result<Self> {
        settings::parse(text)
    }

    /// The resolved settings.
    pub(crate) fn to_toml(&self) -> Result<String> {
        Ok(toml::to_string(self)?)
    }

    /// Whether both do the same for as long as both go on.
    pub(crate) fn does_the_same(&self, other: &Self) -> bool {
        Self {
            generations: self.generations,
            patience: self.patience,
            ..other.clone()
        } == *self
    }

    /// Checks everything that can be checked before hours of work, with the evaluator of generation
    /// 0 in all places.
    pub(crate) fn check<G: Learnable>(&self, game: &G, start: &Evaluator) -> Result<()> {
        let ranges = [
            ("generations", self.generations, MOST_GENERATIONS),
            ("patience", self.patience, u64::MAX),
            ("selfplay.games", self.selfplay.games, MOST_GAMES),
            (
                "train.last_generations",
                self.train.last_generations,
                MOST_GENERATIONS,
            ),
            ("gate.pairs", self.gate.pairs, MOST_GAMES / 2),
            ("measure.pairs", self.measure.pairs, MOST_GAMES / 2),
        ];
        if let Some((key, found, most)) = ranges
            .into_iter()
            .find(|(_, found, most)| !(1..=*most).contains(found))
        {
            let most = if most == u64::MAX {
                String::new()
            } else {
                format!(" and at most {most}")
            };
            bail!("{key} = {found}: it must be at least 1{most}");
        }
        self.family()?;
        if !self
            .selfplay
            .players
            .iter()
            .any(|weighted| with_evaluator(&weighted.player, "").is_ok())
        {
            bail!(
                "selfplay.players: one of them needs a place for the evaluator, for example star2(depth=2, eval={{model}})"
            );
        }
        SelfPlay::<G>::new(self.selfplay(1, start))?;
        self.train(1).resolved(game)?;
        build::evaluator(&start.notation, game).context("start")?;
        if let Some(by) = self.relabel(start) {
            LabelRecipe::new(&by, game).context("relabel")?;
        }
        self.stopping_rule().context("gate")?;
        start
            .contestant(&self.gate.player, game)
            .context("gate.player")?;
        for opponent in self.opponents(start)? {
            opponent
                .contestant(&self.measure.player, game)
                .context("measure")?;
        }
        start
            .contestant(&self.measure.player, game)
            .context("measure.player")?;
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

    /// What a stage of a generation draws from. 53 bits, so that every TOML and JSON reader can
    /// hold it.
    pub(crate) fn stage_seed(&self, space: SeedSpace, generation: u64) -> u64 {
        /// Keeps these apart from all seeds that other commands derive from the user's.
        const IMPROVE: u64 = 0x1339_7E0F;
        derive_seed(self.seed, space, &[IMPROVE, generation]) >> 11
    }

    /// What is fitted.
    pub(crate) fn family(&self) -> Result<Family> {
        let families = [Family::Network, Family::Integer, Family::NTuple];
        let found = families
            .into_iter()
            .find(|family| family.name() == self.train.family);
        found.ok_or_else(|| {
            anyhow!(
                "train.family = '{}': it must be network, integer or ntuple",
                self.train.family
            )
        })
    }

    /// The games of a generation, by the best evaluator before it.
    pub(crate) fn selfplay(&self, generation: u64, best: &Evaluator) -> SelfPlayConfig {
        let section = self.selfplay.clone();
        let with_best = |weighted: WeightedPlayer| {
            // Who has no place for it is an opponent that stays the same.
            let player =
                with_evaluator(&weighted.player, &best.notation).unwrap_or(weighted.player);
            WeightedPlayer { player, ..weighted }
        };
        SelfPlayConfig {
            players: section.players.into_iter().map(with_best).collect(),
            games: section.games,
            seed: self.stage_seed(SeedSpace::SelfPlay, generation),
            opening_plies: section.opening_plies,
            exploration: section.exploration,
            game: section.game,
            options: section.options,
            labels: Vec::new(),
        }
    }

    /// The label that games get, if they get one.
    pub(crate) fn relabel(&self, best: &Evaluator) -> Option<LabelConfig> {
        let LabelConfig { name, by } = self.relabel.clone()?;
        let by = with_evaluator(&by, &best.notation).unwrap_or(by);
        Some(LabelConfig { name, by })
    }

    /// The training of a generation.
    pub(crate) fn train(&self, generation: u64) -> TrainConfig {
        let section = self.train.clone();
        TrainConfig {
            seed: self.stage_seed(SeedSpace::Training, generation),
            target: section.target,
            training: section.training,
            network: section.network,
            integer: section.integer,
            ntuple: section.ntuple,
            ..TrainConfig::default()
        }
    }

    /// When the gate's test ends.
    pub(crate) fn stopping_rule(&self) -> Result<StoppingRule> {
        let GateSection {
            elo0,
            elo1,
            alpha,
            beta,
            ..
        } = self.gate;
        Ok(StoppingRule {
            test: SequentialTest::new(elo0, elo1, alpha, beta, EloModel::Logistic)?,
            single_games: false,
        })
    }

    /// Most pairs of games of the gate, and of a match that measures.
    pub(crate) fn pairs(&self) -> (u64, u64) {
        (self.gate.pairs, self.measure.pairs)
    }

    /// An evaluator as it plays at the gate.
    pub(crate) fn at_the_gate<G: Playable>(
        &self,
        game: &G,
        evaluator: &Evaluator,
    ) -> Result<Contestant<G>> {
        evaluator.contestant(&self.gate.player, game)
    }

    /// An evaluator as it is measured.
    pub(crate) fn measured<G: Playable>(
        &self,
        game: &G,
        evaluator: &Evaluator,
    ) -> Result<Contestant<G>> {
        evaluator.contestant(&self.measure.player, game)
    }

    /// By whom strength is measured, besides generation 0.
    pub(crate) fn opponents(&self, start: &Evaluator) -> Result<Vec<Evaluator>> {
        let opponents = self
            .measure
            .opponents
            .iter()
            .map(|notation| Evaluator::fixed(notation).context("measure.opponents"));
        let mut opponents = opponents.collect::<Result<Vec<_>>>()?;
        opponents.retain(|opponent| opponent.shown != start.shown);
        Ok(opponents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::for_games;
    use engine::games::einstein::Standard;

    fn quick() -> ImproveConfig {
        ImproveConfig::from_toml(ImproveConfig::preset::<Standard>("quick").unwrap()).unwrap()
    }

    fn presets_can_be_run<G: Learnable>() {
        for (name, text) in G::GENERATIONS {
            let config = ImproveConfig::from_toml(text).unwrap();
            let game: G = G::from_notation(config.game(), None).unwrap();
            let start = Evaluator::fixed(&config.start).unwrap();
            config.check(&game, &start).expect(name);
            assert_eq!(
                ImproveConfig::from_toml(&config.to_toml().unwrap()).unwrap(),
                config
            );
        }
    }

    #[test]
    fn presets_of_all_games_can_be_run_and_are_written_as_they_are_read() {
        for_games!(each_game OneGame => presets_can_be_run::<OneGame>());
    }

    #[test]
    fn seeds_of_stages_and_generations_differ() {
        let config = quick();
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

    #[test]
    fn when_it_ends_does_not_change_what_it_does() {
        let config = quick();
        assert!(config.does_the_same(&ImproveConfig {
            generations: 77,
            patience: 5,
            ..config.clone()
        }));
        assert!(!config.does_the_same(&ImproveConfig {
            seed: 77,
            ..config.clone()
        }));
    }
}
