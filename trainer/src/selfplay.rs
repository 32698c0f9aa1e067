//! Self-play: any mix of players plays games in parallel, and shards of records come out.
//!
//! Invariant: game `i` is a pure function of the run's settings (the content of model files included) and `i`, and a
//! shard of the games it covers, so the same seed gives the same bytes whatever the number of threads, and a run goes
//! on where it was stopped. Only a player with a time limit breaks this. Games of other settings are never mixed in,
//! and nothing is played or replaced before all that is there has been checked.

mod directory;

pub use crate::shard::GAMES_PER_SHARD;

use crate::label::{LabelConfig, LabelError, LabelRecipe, Labeller, add_all, add_models};
use crate::manifest::ManifestError;
use crate::shard::{self, PlayedGame, ShardError, ShardHeader};
use engine::dice::{Die, DuplicateDice};
use engine::files;
use engine::games::einstein::Standard;
use engine::play::{Exploration, play_game};
use engine::player::Player;
use engine::player::build::PlayerRecipe;
use engine::player::notation::{Notation, PlayerError};
use engine::random::{RandomStream, SeedSpace, derive_seed};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Games that one worker plays before it takes more; enough that making its players costs nothing.
const GAMES_PER_TASK: usize = 32;

/// Who plays, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedPlayer {
    /// Notation, for example `star1(depth=3, eval=abt)`.
    pub player: String,
    /// How likely the player is to be given a side, relative to the others.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

/// Settings of a run. Together with a game's index they determine the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// The players; each side of each game draws one by weight, so all meet each other and themselves.
    pub players: Vec<WeightedPlayer>,
    /// Number of games.
    pub games: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// Plies at the start of each game that are random moves.
    pub opening_plies: usize,
    /// Share of later moves that are random.
    pub exploration: f64,
    /// `classic` or `nearest`.
    pub variant: String,
    /// Values of the positions before each roll, besides those of the players; none by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelConfig>,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            players: vec![
                WeightedPlayer { player: "star1(depth=3, eval=abt)".to_owned(), weight: 0.97 },
                WeightedPlayer { player: "mcts(sims=400, leaf=playout)".to_owned(), weight: 0.03 },
            ],
            games: 20_000,
            seed: 1,
            opening_plies: 2,
            exploration: 0.08,
            variant: "classic".to_owned(),
            labels: Vec::new(),
        }
    }
}

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

/// What a run has produced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfPlaySummary {
    /// Games.
    pub games: u64,
    /// Positions before a move.
    pub positions: u64,
    /// Games won by the side that began.
    pub first_mover_wins: u64,
    /// Explored moves.
    pub explored: u64,
    /// Sides taken by each player, and how many of these games it won, in the order of the settings.
    pub players: Vec<PlayerTally>,
}

/// How one player fared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerTally {
    /// Notation.
    pub player: String,
    /// Sides it played.
    pub sides: u64,
    /// How many of them won.
    pub wins: u64,
}

impl SelfPlaySummary {
    fn new(config: &SelfPlayConfig) -> Self {
        let tally = |weighted: &WeightedPlayer| PlayerTally { player: weighted.player.clone(), ..PlayerTally::default() };
        Self { players: config.players.iter().map(tally).collect(), ..Self::default() }
    }

    fn count(&mut self, game: &PlayedGame) {
        let record = &game.record;
        self.games += 1;
        self.positions += record.plies.len() as u64;
        self.explored += record.plies.iter().filter(|ply| ply.explored).count() as u64;
        self.first_mover_wins += u64::from(record.payoffs[record.start.seat()] > 0.5);
        for (seat, &player) in game.players.iter().enumerate() {
            self.players[usize::from(player)].sides += 1;
            self.players[usize::from(player)].wins += u64::from(record.payoffs[seat] > 0.5);
        }
    }
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
}

impl SelfPlay {
    /// Checks the settings and loads the players' models.
    ///
    /// # Errors
    /// If a setting is out of range or a player's notation is wrong.
    pub fn new(mut config: SelfPlayConfig) -> Result<Self, SelfPlayError> {
        let setting = |problem: &str| Err(SelfPlayError::Setting(problem.to_owned()));
        if config.players.is_empty() || config.players.len() > 255 {
            return setting("between 1 and 255 players can take part");
        }
        let sum: f64 = config.players.iter().map(|weighted| weighted.weight).sum();
        if config.players.iter().any(|weighted| weighted.weight.is_nan() || weighted.weight < 0.0) || !sum.is_finite() || sum <= 0.0 {
            return setting("'weight' is a number of at least 0, and not 0 for all players");
        }
        if !(0.0..=1.0).contains(&config.exploration) {
            return setting(&format!("'exploration' is a share from 0 to 1, not {}", config.exploration));
        }
        let Some(variant) = shard::variant_named(&config.variant) else {
            return setting(&format!("'variant' is classic or nearest, not {}", config.variant));
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
        let mut labels = Vec::with_capacity(config.labels.len());
        for label in &mut config.labels {
            let recipe = LabelRecipe::new(label, &game)?;
            recipe.label().by.clone_into(&mut label.by);
            labels.push(recipe);
        }
        shard::labels::check(&labels.iter().map(|recipe| recipe.label().clone()).collect::<Vec<_>>()).map_err(SelfPlayError::Setting)?;
        Ok(Self { config, game, recipes, labels, models })
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
        let header = self.header(index);
        // Only the smaller integers are indexed by rayon; a shard has few games.
        (0..header.games as u32)
            .into_par_iter()
            .with_min_len(GAMES_PER_TASK)
            .map_init(
                || PlayerPool {
                    recipes: &self.recipes,
                    players: self.recipes.iter().map(|_| [None, None]).collect(),
                    labellers: self.labels.iter().map(LabelRecipe::make).collect(),
                },
                |pool, index| {
                    let game = self.play(header.first_game + u64::from(index), pool);
                    progress.inc(1);
                    game
                },
            )
            .collect()
    }

    fn header(&self, index: u64) -> ShardHeader {
        let first_game = index.saturating_mul(GAMES_PER_SHARD);
        // The number of games of the whole run does not rule what a game is.
        let mut run = serde_json::to_value(&self.config).unwrap_or_default();
        if let Some(settings) = run.as_object_mut() {
            settings.remove("games");
            settings.insert("models".to_owned(), serde_json::json!(self.models));
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

    fn play(&self, index: u64, pool: &mut PlayerPool<'_>) -> PlayedGame {
        let seed = derive_seed(self.config.seed, SeedSpace::SelfPlay, &[index]);
        let mut random = RandomStream::new(seed);
        let players = [self.draw_player(&mut random), self.draw_player(&mut random)];
        let first = random.below(2);
        let start = self.game.random_start(&mut random, first);
        let mut dice = DuplicateDice::new(random.next_u64(), self.game.die());
        let seeds = [random.next_u64(), random.next_u64()];
        let mut exploration = Exploration { opening_plies: self.config.opening_plies, share: self.config.exploration, random };
        // One side at a time is taken out of the pool, so that both may be the same player.
        let mut red = pool.take(players[0], 0);
        let mut blue = pool.take(players[1], 1);
        red.new_game(seeds[0]);
        blue.new_game(seeds[1]);
        let mut record = play_game(&self.game, start, &mut [&mut *red, &mut *blue], &mut dice, Some(&mut exploration), None);
        for ply in &mut record.plies {
            // The probabilities of a loaded die may add up to a rounding error more than 1; sure results are then out by it.
            // Rounded now, so that games are the same before they are written and after.
            ply.value = ply.value.map(|value| shard::rounded(value.clamp(0.0, 1.0)));
        }
        pool.give_back(players[0], 0, red);
        pool.give_back(players[1], 1, blue);
        let mut game = PlayedGame { record, players: players.map(|player| player as u8), labels: Vec::new() };
        add_all(&mut pool.labellers, &mut game);
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

/// The players of one worker, made when first needed: one of each for either seat.
struct PlayerPool<'a> {
    recipes: &'a [PlayerRecipe],
    players: Vec<[Option<Box<dyn Player<Standard>>>; 2]>,
    labellers: Vec<Labeller<'a>>,
}

impl PlayerPool<'_> {
    fn take(&mut self, player: usize, seat: usize) -> Box<dyn Player<Standard>> {
        self.players[player][seat].take().unwrap_or_else(|| self.recipes[player].make())
    }

    fn give_back(&mut self, index: usize, seat: usize, player: Box<dyn Player<Standard>>) {
        self.players[index][seat] = Some(player);
    }
}
