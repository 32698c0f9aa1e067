//! Self-play: any mix of players plays games in parallel, and shards of records come out.
//!
//! Invariant: game `i` is a pure function of the run's settings (the content of model files included) and `i`, and a
//! shard of the games it covers, so the same seed gives the same bytes whatever the number of threads, and a run goes
//! on where it was stopped. Only a player with a time limit breaks this. Games of other settings are never mixed in,
//! and nothing is played or replaced before all that is there has been checked.

mod config;
mod directory;
mod pool;
mod starts;
mod summary;

pub use crate::shard::GAMES_PER_SHARD;
pub use config::{EndgameStarts, SelfPlayConfig, SelfPlayOptions, SuiteStarts, WeightedPlayer};
pub use directory::Limits;
pub use summary::{PlayerTally, RunReport, SelfPlaySummary, Timing};

use crate::label::{LabelError, LabelRecipe, add_all, add_models, rename_key, renamed};
use crate::manifest::ManifestError;
use crate::shard::{self, PlayedGame, ShardError, ShardHeader};
use engine::dice::{Die, DuplicateDice};
use engine::files;
use engine::games::einstein::Standard;
use engine::oracle::Oracle;
use engine::play::{Effort, Exploration, play_guided};
use engine::player::build::PlayerRecipe;
use engine::player::notation::{Notation, PlayerError};
use engine::random::{RandomStream, SeedSpace, derive_seed};
use engine::tablebase::{Tables, shared};
use indicatif::ProgressBar;
use pool::{PlayerPool, Pools};
use rayon::prelude::*;
use starts::Starts;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use summary::Clock;

/// Games that one worker plays before it takes more; enough that taking players costs nothing.
const GAMES_PER_TASK: usize = 32;

/// Where the number of positions is what matters, games are played by so few at a time that hardly one is in vain: as many
/// as would be enough if each had this many plies, which most have not.
const PLIES_AT_LEAST: u64 = 24;

/// Separates a game's stream of starts from that of all else.
const STARTS: u64 = 1;

/// Why self-play cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SelfPlayError {
    /// A setting is out of range.
    #[error("self-play: {0}")]
    Setting(String),
    /// A player's notation is wrong.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A label cannot be made.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The directory's manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file of starts cannot be used.
    #[error("{}: {problem}", .path.display())]
    Starts {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A directory cannot be made or read.
    #[error(transparent)]
    File(#[from] files::FileError),
    /// The directory holds a shard that is not one of this run's.
    #[error("{}: {problem}; choose another directory", .path.display())]
    OtherRun {
        /// The shard.
        path: PathBuf,
        /// In what it differs.
        problem: String,
    },
    /// Another run is writing there.
    #[error("{}: another run is writing there; wait until it ends, or choose another directory", .0.display())]
    Busy(PathBuf),
}

/// A run whose settings have been checked.
#[derive(Clone)]
pub struct SelfPlay {
    config: SelfPlayConfig,
    game: Standard,
    recipes: Vec<PlayerRecipe>,
    labels: Vec<LabelRecipe>,
    /// Checksum of each model file that a player names; the same path may hold another model tomorrow.
    models: BTreeMap<String, String>,
    starts: Starts,
    /// Who makes the moves once few stones are left.
    tables: Option<Arc<Tables>>,
}

impl SelfPlay {
    /// Checks the settings and loads the players' models.
    ///
    /// # Errors
    /// If a setting is out of range or a player's notation is wrong.
    pub fn new(mut config: SelfPlayConfig) -> Result<Self, SelfPlayError> {
        config.check()?;
        let setting = |problem: String| SelfPlayError::Setting(problem);
        let Some(variant) = shard::variant_named(&config.variant) else {
            return Err(setting(format!("'variant' is classic or nearest, not {}", config.variant)));
        };
        let game = Standard::new(variant, Die::fair());
        let mut recipes = Vec::with_capacity(config.players.len());
        let mut models = BTreeMap::new();
        for weighted in &mut config.players {
            let recipe = PlayerRecipe::parse(&weighted.player, &game)?;
            add_models(&Notation::parse(&weighted.player)?, &mut models)?;
            // However it was spelt: the same player makes the same run.
            weighted.player = recipe.name().to_owned();
            recipes.push(recipe);
        }
        let starts = Starts::new(&config.options, &game)?;
        let tables = config.options.adjudicate.map(|stones| shared::shared(stones, variant)).transpose();
        let tables = tables.map_err(|error| setting(format!("'adjudicate': {error}")))?;
        let mut labels = Vec::with_capacity(config.labels.len());
        for label in &mut config.labels {
            let recipe = LabelRecipe::new(label, &game)?;
            recipe.label().by.clone_into(&mut label.by);
            labels.push(recipe);
        }
        shard::labels::check(&labels.iter().map(|recipe| recipe.label().clone()).collect::<Vec<_>>()).map_err(SelfPlayError::Setting)?;
        Ok(Self { config, game, recipes, labels, models, starts, tables })
    }

    /// The same games, in whose records a model file is called by a name of its own instead of its path: then they say the
    /// same wherever it lies. What is in it they tell by its checksum, as ever.
    #[must_use]
    pub fn naming(mut self, path: &str, name: &str) -> Self {
        for weighted in &mut self.config.players {
            weighted.player = renamed(&weighted.player, path, name);
        }
        rename_key(&mut self.models, path, name);
        self.labels = self.labels.into_iter().map(|recipe| recipe.naming(path, name)).collect();
        for (label, recipe) in self.config.labels.iter_mut().zip(&self.labels) {
            recipe.label().by.clone_into(&mut label.by);
        }
        self
    }

    /// Whether the same settings give the same games: not if a player has a time limit.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        self.recipes.iter().all(PlayerRecipe::is_reproducible) && self.labels.iter().all(LabelRecipe::is_reproducible)
    }

    /// Number of shards of the run.
    #[must_use]
    pub fn shards(&self) -> u64 {
        self.config.games.div_ceil(GAMES_PER_SHARD)
    }

    /// Plays the games of one shard; none if the run has no such shard.
    #[must_use]
    pub fn play_shard(&self, index: u64, progress: &ProgressBar) -> Vec<PlayedGame> {
        self.play_games(index, None, &Pools::new(&self.recipes, &self.labels), &Clock::default(), progress)
    }

    /// Plays the games of one shard in their order, until there are `positions` positions if that is given: the last game is
    /// then the first that reaches them.
    fn play_games(&self, index: u64, positions: Option<u64>, pools: &Pools<'_>, clock: &Clock, progress: &ProgressBar) -> Vec<PlayedGame> {
        let ShardHeader { first_game, games: wanted, .. } = self.header(index);
        let mut games: Vec<PlayedGame> = Vec::new();
        let mut missing = positions;
        while (games.len() as u64) < wanted {
            let from = games.len() as u64;
            let to = missing.map_or(wanted, |missing| wanted.min(from + missing / PLIES_AT_LEAST + GAMES_PER_TASK as u64));
            // Only the smaller integers are indexed by rayon; a shard has few games.
            let played = (from as u32..to as u32).into_par_iter().with_min_len(GAMES_PER_TASK).map_init(
                || pools.take(),
                |pool, index| {
                    let game = self.play(first_game + u64::from(index), pool, clock);
                    progress.inc(1);
                    game
                },
            );
            games.par_extend(played);
            let Some(left) = missing else { continue };
            let mut sum = 0;
            let reached = games[from as usize..].iter().position(|game| {
                sum += game.record.plies.len() as u64;
                sum >= left
            });
            if let Some(last) = reached {
                games.truncate(from as usize + last + 1);
                break;
            }
            missing = Some(left - sum);
        }
        games
    }

    fn header(&self, index: u64) -> ShardHeader {
        let first_game = index.saturating_mul(GAMES_PER_SHARD);
        // The number of games of the whole run does not rule what a game is.
        let mut run = serde_json::to_value(&self.config).unwrap_or_default();
        if let Some(settings) = run.as_object_mut() {
            settings.remove("games");
            settings.insert("models".to_owned(), serde_json::json!(self.models));
            if let Some(checksum) = self.starts.checksum() {
                settings.insert("starts".to_owned(), serde_json::json!(checksum));
            }
        }
        ShardHeader {
            run,
            players: self.config.players.iter().map(|weighted| weighted.player.clone()).collect(),
            variant: self.config.variant.clone(),
            labels: self.labels.iter().map(|recipe| recipe.label().clone()).collect(),
            first_game,
            games: GAMES_PER_SHARD.min(self.config.games.saturating_sub(first_game)),
        }
    }

    fn play(&self, index: u64, pool: &mut PlayerPool<'_, '_>, clock: &Clock) -> PlayedGame {
        let began = Clock::times(index).then(Instant::now);
        let seed = derive_seed(self.config.seed, SeedSpace::SelfPlay, &[index]);
        let mut random = RandomStream::new(seed);
        let players = [self.draw_player(&mut random), self.draw_player(&mut random)];
        let first = random.below(2);
        let mut start = self.game.random_start(&mut random, first);
        if !self.starts.are_setups() {
            // A stream of its own, so that nothing else of the game is another.
            let mut random = RandomStream::new(derive_seed(self.config.seed, SeedSpace::SelfPlay, &[index, STARTS]));
            start = self.starts.draw(first, &mut random).unwrap_or(start);
        }
        let mut dice = DuplicateDice::new(random.next_u64(), self.game.die());
        let seeds = [random.next_u64(), random.next_u64()];
        let (share, temperature) = (self.config.random_share(), self.config.options.temperature());
        let mut exploration = Exploration { opening_plies: self.config.opening_plies, share, temperature, random };
        // One side at a time is taken out of the pool, so that both may be the same player.
        let mut red = pool.take(players[0], 0);
        let mut blue = pool.take(players[1], 1);
        red.new_game(seeds[0]);
        blue.new_game(seeds[1]);
        let mut effort = began.map(|_| Effort::default());
        let seats: &mut [&mut dyn engine::player::Player<Standard>] = &mut [&mut *red, &mut *blue];
        let tables = self.tables.as_deref().map(|tables| tables as &dyn Oracle<Standard>);
        let mut record = play_guided(&self.game, start, seats, &mut dice, Some(&mut exploration), tables, effort.as_mut());
        for ply in &mut record.plies {
            // The probabilities of a loaded die may add up to a rounding error more than 1; sure results are then out by it.
            // Rounded now, so that games are the same before they are written and after.
            ply.value = ply.value.map(|value| shard::rounded(value.clamp(0.0, 1.0)));
        }
        pool.give_back(players[0], 0, red);
        pool.give_back(players[1], 1, blue);
        let mut game = PlayedGame { record, players: players.map(|player| player as u8), labels: Vec::new() };
        add_all(&mut pool.labellers, &mut game);
        if let (Some(began), Some(effort)) = (began, effort) {
            clock.note_game(began, effort.time.iter().sum());
        }
        game
    }

    fn draw_player(&self, random: &mut RandomStream) -> usize {
        let players = &self.config.players;
        let mut rest = random.unit() * players.iter().map(|weighted| weighted.weight).sum::<f64>();
        for (index, weighted) in players.iter().enumerate() {
            rest -= weighted.weight;
            if rest < 0.0 {
                return index;
            }
        }
        // Only rounding leads here.
        players.iter().rposition(|weighted| weighted.weight > 0.0).unwrap_or(0)
    }
}
