//! Self-play: any mix of players plays games in parallel, and shards of records come out.
//!
//! Invariant: game `i` is a pure function of the run's settings (the content of model files
//! included) and `i`: a few games that follow each other share streams of random numbers, and are
//! played in their order (`streams.rs`). A shard is one of the games it covers, so the same seed
//! gives the same bytes whatever the number of threads, and a run goes on where it was stopped.
//! Only a player with a time limit breaks this. Without chance, a game that repeats an earlier one
//! of its shard is played again from another opening; what still repeats is not counted. Games of other settings are never mixed in, and
//! nothing is played or replaced before all that is there has been checked.

mod config;
mod directory;
mod pool;
mod starts;
mod streams;
mod summary;

pub use crate::shard::GAMES_PER_SHARD;
pub use config::{EndgameStarts, SelfPlayConfig, SelfPlayOptions, SuiteStarts, WeightedPlayer};
pub use directory::Limits;
pub use summary::{PlayerTally, RunReport, SelfPlaySummary, Timing};

use crate::Error;
use crate::label::{LabelRecipe, add_all, add_models, rename_key, renamed, tables};
use crate::shard::{self, PlayedGame, ShardHeader};
use engine::core::{oracle::Oracle, random::RandomStream};
use engine::play::{
    build::PlayerRecipe,
    game_loop::{Effort, play_guided},
    notation::{Notation, trusted},
    playable::Playable,
    player::Player,
};
use indicatif::ProgressBar;
use pool::PlayerPool;
use rayon::prelude::*;
use starts::Starts;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Instant,
};
use streams::{GAMES_PER_STREAM, Streams};
use summary::Clock;

/// Where the number of positions is what matters, games are played by so few at a time that hardly
/// one is in vain: as many as would be enough if each had this many plies, which most have not.
const PLIES_AT_LEAST: u64 = 24;

/// How often a game without chance is played again, with other random numbers, that repeats an
/// earlier one of its shard.
const MAX_RETRIES: u64 = 8;

/// A run whose settings have been checked.
#[derive(Clone)]
pub struct SelfPlay<G: Playable> {
    config: SelfPlayConfig,
    game: G,
    recipes: Vec<PlayerRecipe<G>>,
    labels: Vec<LabelRecipe<G>>,
    /// Checksum of each model file that a player names; the same path may hold another model
    /// tomorrow.
    models: BTreeMap<String, String>,
    starts: Starts<G::Position>,
    /// Who makes the moves once little is left.
    tables: Option<Arc<dyn Oracle<G>>>,
}

impl<G: Playable> SelfPlay<G> {
    /// Checks the settings, which may name files and programs, and loads the players' models.
    ///
    /// # Errors
    /// If a setting is out of range or a player's notation is wrong.
    pub fn new(mut config: SelfPlayConfig) -> Result<Self, Error> {
        config.check()?;
        let setting = Error::of("self-play");
        let game: G = shard::rules(trusted(&config.game), None).map_err(&setting)?;
        // However it was spelt: the same game makes the same run.
        config.game = game.notation();
        let mut recipes = Vec::with_capacity(config.players.len());
        let mut models = BTreeMap::new();
        for weighted in &mut config.players {
            let player = trusted(&weighted.player);
            let recipe = PlayerRecipe::parse(player, &game).map_err(Error::new)?;
            let notation = Notation::parse(player).map_err(Error::new)?;
            add_models(&notation, &mut models)?;
            // However it was spelt: the same player makes the same run.
            weighted.player = recipe.name().to_owned();
            recipes.push(recipe);
        }
        let starts = Starts::new(&config.options, &game)?;
        let tables = config
            .options
            .adjudicate
            .map(|remaining| tables(&game, remaining))
            .transpose();
        // The game calls what it knows by the key of its players.
        let own = G::oracle().map_or(String::new(), |oracle| format!("'{}'", oracle.key));
        let tables = tables.map_err(|error| match error.strip_prefix(&own) {
            Some(problem) if !own.is_empty() => setting(format!("'adjudicate'{problem}")),
            _ => setting(format!("'adjudicate': {error}")),
        })?;
        let mut labels = Vec::with_capacity(config.labels.len());
        for label in &mut config.labels {
            let recipe = LabelRecipe::new(label, &game)?;
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

    /// The same games, in whose records a model file is called by a name of its own instead of its
    /// path: then they say the same wherever it lies. What is in it they tell by its checksum, as
    /// ever.
    #[must_use]
    pub fn naming(mut self, path: &str, name: &str) -> Self {
        for weighted in &mut self.config.players {
            weighted.player = renamed(&weighted.player, path, name);
        }
        rename_key(&mut self.models, path, name);
        self.labels = self
            .labels
            .into_iter()
            .map(|recipe| recipe.naming(path, name))
            .collect();
        for (label, recipe) in self.config.labels.iter_mut().zip(&self.labels) {
            recipe.label().by.clone_into(&mut label.by);
        }
        self
    }

    /// Whether the same settings give the same games: not if a player has a time limit.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        self.recipes.iter().all(PlayerRecipe::is_reproducible)
            && self.labels.iter().all(LabelRecipe::is_reproducible)
    }

    /// Number of shards of the run.
    #[must_use]
    pub fn shards(&self) -> u64 {
        self.config.games.div_ceil(GAMES_PER_SHARD)
    }

    /// Plays the games of one shard; none if the run has no such shard.
    #[must_use]
    pub fn play_shard(&self, index: u64, progress: &ProgressBar) -> Vec<PlayedGame<G>> {
        self.play_games(index, None, &Clock::default(), progress)
    }

    /// Plays the games of one shard in their order, until there are `positions` positions if that
    /// is given: the last game is then the first that reaches them.
    fn play_games(
        &self,
        index: u64,
        positions: Option<u64>,
        clock: &Clock,
        progress: &ProgressBar,
    ) -> Vec<PlayedGame<G>> {
        let ShardHeader {
            first_game,
            games: wanted,
            ..
        } = self.header(index);
        let mut games: Vec<PlayedGame<G>> = Vec::new();
        let mut seen = HashSet::new();
        let mut missing = positions;
        while (games.len() as u64) < wanted {
            let from = games.len() as u64;
            let enough = missing.map_or(wanted, |missing| {
                from + (missing / PLIES_AT_LEAST + 1).next_multiple_of(GAMES_PER_STREAM)
            });
            let to = wanted.min(enough);
            let groups = from / GAMES_PER_STREAM..to.div_ceil(GAMES_PER_STREAM);
            let play_group = |pool: &mut PlayerPool<'_, G>, group: u64| {
                let indices = group * GAMES_PER_STREAM..to.min((group + 1) * GAMES_PER_STREAM);
                let mut streams =
                    Streams::new(&self.config, &self.game, first_game + indices.start, 0);
                let play = |index| {
                    let game = self.play(first_game + index, &mut streams, pool, clock);
                    progress.inc(1);
                    game
                };
                (group, indices.map(play).collect::<Vec<_>>())
            };
            let new_pool = || PlayerPool::new(&self.game, &self.recipes, &self.labels);
            let played = groups.par_bridge().map_init(new_pool, play_group);
            let played: BTreeMap<u64, Vec<_>> = played.collect();
            games.extend(played.into_values().flatten());
            if repeats_itself::<G>() {
                let mut pool = new_pool();
                for (index, game) in (first_game..).zip(&mut games).skip(from as usize) {
                    for again in 1..=MAX_RETRIES {
                        if seen.insert(game.fingerprint(&self.game)) {
                            break;
                        }
                        let mut streams = Streams::new(&self.config, &self.game, index, again);
                        *game = self.play(index, &mut streams, &mut pool, clock);
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
            label.look_up(index, self.labels.len(), &mut games);
        }
        games
    }

    fn header(&self, index: u64) -> ShardHeader {
        let first_game = index.saturating_mul(GAMES_PER_SHARD);
        // The number of games of the whole run does not rule what a game is.
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
            ..ShardHeader::of(&self.game, run)
        }
    }

    /// Plays a game; those before it that share its streams have been played with them.
    fn play(
        &self,
        index: u64,
        streams: &mut Streams<G>,
        pool: &mut PlayerPool<'_, G>,
        clock: &Clock,
    ) -> PlayedGame<G> {
        let began = Clock::times(index).then(Instant::now);
        let seats = self.game.seats();
        let random = &mut streams.exploration.random;
        let players: Vec<usize> = (0..seats).map(|_| self.draw_player(random)).collect();
        let first = random.below(seats);
        let start = self
            .starts
            .draw(&self.game, first, random)
            .unwrap_or_else(|| self.game.random_start(random, first));
        // A seat at a time is taken out of the pool, so that all may be the same player.
        let mut taken: Vec<_> = (0..seats)
            .map(|seat| pool.take(players[seat], seat))
            .collect();
        for player in &mut taken {
            player.new_game(random.next_u64());
        }
        let mut effort = began.map(|_| Effort::default());
        let mut record = play_guided(
            &self.game,
            start,
            &mut taken
                .iter_mut()
                .map(|player| &mut **player as &mut dyn Player<G>)
                .collect::<Vec<_>>(),
            &mut streams.luck,
            Some(&mut streams.exploration),
            self.tables.as_deref(),
            effort.as_mut(),
        );
        for ply in &mut record.plies {
            // Weights of outcomes may add up to a rounding error more than 1; sure results are then
            // out by it. Rounded now, so that games are the same before they are
            // written and after.
            ply.value = ply.value.map(|value| shard::rounded(value.clamp(0.0, 1.0)));
        }
        for (seat, player) in taken.into_iter().enumerate() {
            pool.give_back(players[seat], seat, player);
        }
        let players = players.into_iter().map(|player| player as u8).collect();
        let mut game = PlayedGame::new(record, players);
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
        players
            .iter()
            .rposition(|weighted| weighted.weight > 0.0)
            .unwrap_or(0)
    }
}

/// Whether games of the same opening may be the same: those without chance.
fn repeats_itself<G: Playable>() -> bool {
    G::OPENING_PLIES > 0
}
