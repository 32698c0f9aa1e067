//! Self-play: players drawn by weight play games, which are written as shards. Without chance, a
//! game that repeats another of its shard is replayed from other openings.

mod config;
mod idle_players;
mod random_streams;
mod resumable_run;
mod starts;
mod summary;

pub use crate::shard::GAMES_PER_SHARD;
pub use config::{EndgameStarts, SelfPlayConfig, SelfPlayOptions, SuiteStarts, WeightedPlayer};
pub use resumable_run::Limits;
pub use summary::{PlayerTally, RunReport, SelfPlaySummary, Timing};

use crate::Error;
use crate::labeller::{
    LabelSource, add_models, label_game, load_tables, rename_model, rename_model_key,
};
use crate::shard::{self, PlayedGame, ShardHeader};
use alea_core::{oracle::Oracle, random::RandomStream};
use alea_play::{
    build::PlayerRecipe,
    game_loop::{GameCosts, play_with_oracle_moves},
    playable::Playable,
    player::Player,
    player_notation::{Notation, trusted_text},
};
use idle_players::PlayerPool;
use indicatif::ProgressBar;
use random_streams::{GAMES_PER_STREAM, GameStreams};
use starts::Starts;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Instant,
};
use summary::TimeTotals;

const MIN_EXPECTED_PLIES: u64 = 24;

const MAX_RETRIES: u64 = 8;

/// Self-play run with checked settings and loaded players.
#[derive(Clone)]
pub struct SelfPlay<G: Playable> {
    config: SelfPlayConfig,
    game: G,
    recipes: Vec<PlayerRecipe<G>>,
    labels: Vec<LabelSource<G>>,
    models: BTreeMap<String, String>,
    starts: Starts<G::Position>,
    tables: Option<Arc<dyn Oracle<G>>>,
}

impl<G: Playable> SelfPlay<G> {
    /// Checks settings and loads the models and other files that they name.
    pub fn new(mut config: SelfPlayConfig) -> Result<Self, Error> {
        config.check()?;
        let setting = Error::with_prefix("self-play");
        let game: G = shard::parse_rules(trusted_text(&config.game), None).map_err(&setting)?;
        // So that spelling does not change the run.
        config.game = game.notation();
        let mut recipes = Vec::with_capacity(config.players.len());
        let mut models = BTreeMap::new();
        for weighted in &mut config.players {
            let player = trusted_text(&weighted.player);
            let recipe = PlayerRecipe::parse(player, &game).map_err(Error::new)?;
            let notation = Notation::parse(player).map_err(Error::new)?;
            add_models(&notation, &mut models)?;
            weighted.player = recipe.name().to_owned();
            recipes.push(recipe);
        }
        let starts = Starts::new(&config.options, &game)?;
        let tables = config
            .options
            .adjudicate
            .map(|remaining| load_tables(&game, remaining))
            .transpose();
        // Errors of tablebases begin with their own option's name.
        let own = G::registry()
            .oracle
            .map_or(String::new(), |oracle| format!("'{}'", oracle.key));
        let tables = tables.map_err(|error| match error.strip_prefix(&own) {
            Some(problem) if !own.is_empty() => setting(format!("'adjudicate'{problem}")),
            _ => setting(format!("'adjudicate': {error}")),
        })?;
        let mut labels = Vec::with_capacity(config.labels.len());
        for label in &mut config.labels {
            let recipe = LabelSource::new(label, &game)?;
            recipe.label().by.clone_into(&mut label.by);
            labels.push(recipe);
        }
        shard::labels::check(
            &labels
                .iter()
                .map(|recipe| recipe.label().clone())
                .collect::<Vec<_>>(),
        )
        .map_err(setting)?;
        Ok(Self {
            config,
            game,
            recipes,
            labels,
            models,
            starts,
            tables,
        })
    }

    /// Sets the name by which records refer to the model file at `path`.
    #[must_use]
    pub fn with_model_name(mut self, path: &str, name: &str) -> Self {
        for weighted in &mut self.config.players {
            weighted.player = rename_model(&weighted.player, path, name);
        }
        rename_model_key(&mut self.models, path, name);
        self.labels = self
            .labels
            .into_iter()
            .map(|recipe| recipe.with_model_name(path, name))
            .collect();
        for (label, recipe) in self.config.labels.iter_mut().zip(&self.labels) {
            recipe.label().by.clone_into(&mut label.by);
        }
        self
    }

    /// Whether a repeated run gives equal games and labels: false if they depend on timing.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        self.recipes.iter().all(PlayerRecipe::is_reproducible)
            && self.labels.iter().all(LabelSource::is_reproducible)
    }

    /// Number of shards of the complete run.
    #[must_use]
    pub fn num_shards(&self) -> u64 {
        self.config.games.div_ceil(GAMES_PER_SHARD)
    }

    /// Plays the games of one shard; returns none if the shard lies beyond the run.
    pub fn play_shard(
        &self,
        index: u64,
        progress: &ProgressBar,
    ) -> Result<Vec<PlayedGame<G>>, Error> {
        self.play_games(index, None, &TimeTotals::default(), progress)
    }

    /// Plays a shard's games; with `positions`, only up to the game that reaches this number.
    fn play_games(
        &self,
        index: u64,
        positions: Option<u64>,
        clock: &TimeTotals,
        progress: &ProgressBar,
    ) -> Result<Vec<PlayedGame<G>>, Error> {
        let ShardHeader {
            first_game,
            games: game_count,
            ..
        } = self.shard_header(index);
        let mut games: Vec<PlayedGame<G>> = Vec::new();
        let mut seen = HashSet::new();
        let mut missing = positions;
        while (games.len() as u64) < game_count {
            let from = games.len() as u64;
            let sufficient = missing.map_or(game_count, |missing| {
                from + (missing / MIN_EXPECTED_PLIES + 1).next_multiple_of(GAMES_PER_STREAM)
            });
            let to = game_count.min(sufficient);
            let groups = from / GAMES_PER_STREAM..to.div_ceil(GAMES_PER_STREAM);
            let play_group = |pool: &mut PlayerPool<'_, G>, group: usize| {
                let group = groups.start + group as u64;
                let indices = group * GAMES_PER_STREAM..to.min((group + 1) * GAMES_PER_STREAM);
                let mut random_streams =
                    GameStreams::new(&self.config, &self.game, first_game + indices.start, 0);
                let play = |index| {
                    let game = self.play_game(first_game + index, &mut random_streams, pool, clock);
                    progress.inc(1);
                    game
                };
                indices.map(play).collect::<Result<Vec<_>, Error>>()
            };
            let new_pool = || PlayerPool::new(&self.game, &self.recipes, &self.labels);
            let count = (groups.end - groups.start) as usize;
            let played = alea_parallel::try_map_with(count, new_pool, play_group)?;
            games.extend(played.into_iter().flatten());
            if games_may_repeat::<G>() {
                let mut pool = new_pool();
                for (index, game) in (first_game..).zip(&mut games).skip(from as usize) {
                    for retry in 1..=MAX_RETRIES {
                        if seen.insert(game.fingerprint(&self.game)) {
                            break;
                        }
                        let mut random_streams =
                            GameStreams::new(&self.config, &self.game, index, retry);
                        *game = self.play_game(index, &mut random_streams, &mut pool, clock)?;
                    }
                }
            }
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
        for (index, label) in self.labels.iter().enumerate() {
            label.set_exact_labels(index, self.labels.len(), &mut games);
        }
        Ok(games)
    }

    fn shard_header(&self, index: u64) -> ShardHeader {
        let first_game = index.saturating_mul(GAMES_PER_SHARD);
        // Left out, as a run may be extended without changing earlier games.
        let mut run = serde_json::to_value(&self.config).unwrap_or_default();
        if let Some(settings) = run.as_object_mut() {
            settings.remove("games");
            settings.insert(
                "games_per_stream".to_owned(),
                serde_json::json!(GAMES_PER_STREAM),
            );
            settings.insert("models".to_owned(), serde_json::json!(self.models));
            if let Some(serde_json::Value::Object(options)) = settings.get_mut("options") {
                options.retain(|_, option| !option.is_null());
            }
            if let Some(checksum) = self.starts.checksum() {
                settings.insert("starts".to_owned(), serde_json::json!(checksum));
            }
        }
        ShardHeader {
            players: self
                .config
                .players
                .iter()
                .map(|weighted| weighted.player.clone())
                .collect(),
            labels: self
                .labels
                .iter()
                .map(|recipe| recipe.label().clone())
                .collect(),
            first_game,
            games: GAMES_PER_SHARD.min(self.config.games.saturating_sub(first_game)),
            ..ShardHeader::new(&self.game, run)
        }
    }

    fn play_game(
        &self,
        index: u64,
        random_streams: &mut GameStreams<G>,
        pool: &mut PlayerPool<'_, G>,
        clock: &TimeTotals,
    ) -> Result<PlayedGame<G>, Error> {
        let began = TimeTotals::is_timed(index).then(Instant::now);
        let seats = self.game.seats();
        let random = &mut random_streams.exploration.random;
        let players: Vec<usize> = (0..seats).map(|_| self.sample_player(random)).collect();
        let first = random.below(seats);
        let start = self
            .starts
            .sample(&self.game, first, random)
            .unwrap_or_else(|| self.game.random_start(random, first));
        let mut seated: Vec<_> = (0..seats)
            .map(|seat| pool.acquire(players[seat], seat))
            .collect();
        for player in &mut seated {
            player.new_game(random.next_u64());
        }
        let mut effort = began.map(|_| GameCosts::default());
        let mut record = play_with_oracle_moves(
            &self.game,
            start,
            self.config.max_plies(&self.game),
            &mut seated
                .iter_mut()
                .map(|player| &mut **player as &mut dyn Player<G>)
                .collect::<Vec<_>>(),
            &mut random_streams.luck,
            Some(&mut random_streams.exploration),
            self.tables.as_deref(),
            effort.as_mut(),
        )
        .map_err(|failure| Error::new(format!("game {index}: {failure}")))?;
        for ply in &mut record.plies {
            // Outcome probabilities may sum to slightly more than 1; quantized, the game equals
            // what reading returns.
            ply.value = ply
                .value
                .map(|value| shard::quantize_value(value.clamp(0.0, 1.0)));
        }
        for (seat, player) in seated.into_iter().enumerate() {
            pool.release(players[seat], seat, player);
        }
        let players = players.into_iter().map(|player| player as u8).collect();
        let mut game = PlayedGame::new(record, players);
        label_game(&mut pool.labellers, &mut game);
        if let (Some(began), Some(effort)) = (began, effort) {
            clock.record_game_time(began, effort.time.iter().sum());
        }
        Ok(game)
    }

    fn sample_player(&self, random: &mut RandomStream) -> usize {
        let players = &self.config.players;
        let mut rest =
            random.uniform_f64() * players.iter().map(|weighted| weighted.weight).sum::<f64>();
        for (index, weighted) in players.iter().enumerate() {
            rest -= weighted.weight;
            if rest < 0.0 {
                return index;
            }
        }
        // Only rounding errors lead here.
        players
            .iter()
            .rposition(|weighted| weighted.weight > 0.0)
            .unwrap_or(0)
    }
}

fn games_may_repeat<G: Playable>() -> bool {
    G::INFO.opening_plies > 0
}
