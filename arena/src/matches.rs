//! Matches between two players, A and B: pairs of games with sides swapped, in parallel, resumable.
//!
//! Both games of a pair have the same start and chance outcomes, and each seat the same player
//! seed, so a player scores exactly 50 % against itself. In games without chance, a pair whose game
//! repeats one of an earlier pair, up to symmetry, does not count.
//!
//! Invariant: the result of a pair depends on players, rules, starts, seed and the pair's number,
//! not on threads or interruptions.

mod collector;
mod finished_pairs;
mod lineups;
pub mod luck;
mod match_journal;
mod records;
mod result;
mod starts;
mod stopping;
mod timed_player;

use crate::error::Result;
use crate::statistics::{is_zero, sequential::EloModel};
use alea_core::{
    game::{Game, Seat},
    job_array::TaskSlice,
    random::{SeedSpace, derive_seed},
    record::{Ending, GameRecord},
};
use alea_play::{
    build::PlayerRecipe,
    canonical_game_hash::canonical_fingerprint,
    chance_sources::Repeatable,
    game_jsonl::GameLine,
    game_loop::{FailureCause, play_refereed},
    playable::Playable,
    player::{GameEvent, Player},
    player_notation::{NotationError, Text},
};
use collector::Collector;
pub use finished_pairs::{FinishedPairs, partial_result};
use indicatif::ProgressBar;
pub use lineups::ContestantMeans;
use lineups::{Lineup, lineups_of_pair, scored_points};
pub(crate) use match_journal::check_names;
use match_journal::{MatchJournal, match_identity};
pub use match_journal::{compute_missing, make_folder, state_path};
use rayon::{ThreadPool, ThreadPoolBuilder};
pub use result::{
    LuckResult, MatchResult, MeanPoints, PointsResult, SeatsResult, format_repeat_warning,
    warning_of_repeats,
};
use serde::{Deserialize, Serialize};
use starts::{Book, has_chance};
pub use starts::{Openings, Starts};
use std::{
    collections::{BTreeSet, HashSet},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
pub use stopping::{PairSamples, SequentialResult, StoppingRule};
use timed_player::TimedPlayer;

/// Factory of players, which several threads may call.
pub type PlayerFactory<G> = Arc<dyn Fn() -> Box<dyn Player<G>> + Send + Sync>;

/// Named factory of players: a participant of a match, or its luck evaluator.
#[derive(Clone)]
pub struct Contestant<G: Game> {
    /// Name in results and state files; contestants that play differently need different names.
    pub name: String,
    /// Factory, called for each worker thread and after a crash.
    pub make: PlayerFactory<G>,
}

impl<G: Playable> Contestant<G> {
    /// Creates a contestant from a player's notation, such as `star2(depth=3)`, which becomes its name.
    ///
    /// # Errors
    /// Those of [`PlayerRecipe::parse`].
    pub fn of<'t>(notation: impl Into<Text<'t>>, game: &G) -> Result<Self, NotationError> {
        let recipe = PlayerRecipe::parse(notation, game)?;
        Ok(Self {
            name: recipe.name().to_owned(),
            make: Arc::new(move || recipe.make()),
        })
    }
}

/// Options of a match.
#[derive(Clone)]
pub struct MatchOptions<G: Playable> {
    /// Rules of the game, including its dice.
    pub game: G,
    /// Number of pairs of games, over all tasks of a job array; a stopping rule may end the match
    /// earlier.
    pub pairs: u64,
    /// Seed of starts, chance outcomes and players.
    pub seed: u64,
    /// Source of start positions.
    pub starts: Arc<dyn Starts<G>>,
    /// Number of worker threads; 0 = one per core.
    pub threads: usize,
    /// File with the results of finished pairs; a match that finds its file continues after them.
    /// `None` keeps results in memory only.
    pub state: Option<PathBuf>,
    /// Pairs that this process plays: all, or one task's of a job array; a merge plays none. Each
    /// task has its own files beside `state` and `records`.
    pub slice: TaskSlice,
    /// File for the moves of finished games, in JSON lines.
    pub records: Option<PathBuf>,
    /// Makes the progress bar of a match, in pairs; `None` for none.
    pub progress: Option<fn() -> ProgressBar>,
    /// Seed domain: [`SeedSpace::Arena`], or [`SeedSpace::Gate`] for a promotion test, whose games
    /// must differ from earlier measurements of the same model.
    pub space: SeedSpace,
    /// Sequential test that may end the match early.
    pub stop: Option<StoppingRule>,
    /// Evaluator for luck adjustment, only in games with chance; a state file belongs to one
    /// evaluator.
    pub luck: Option<Contestant<G>>,
    /// Plies after which a game is a draw; `None` for `Rules::max_plies`.
    pub max_plies: Option<u16>,
    /// Receives the pairs as they finish, for [`partial_result`]; every match needs its own.
    pub finished: Option<FinishedPairs>,
}

impl<G: Playable> MatchOptions<G> {
    /// Options of `pairs` pairs with the game's default openings, on all cores, without files.
    #[must_use]
    pub fn new(game: G, pairs: u64, seed: u64) -> Self {
        Self {
            game,
            pairs,
            seed,
            starts: Arc::new(Openings::by_default::<G>()),
            threads: 0,
            state: None,
            slice: TaskSlice::All,
            records: None,
            progress: None,
            space: SeedSpace::Arena,
            stop: None,
            luck: None,
            max_plies: None,
            finished: None,
        }
    }

    /// Copies the options for one of several matches: `state` and `records`, here folders, become
    /// the files `NAME.jsonl` in them, and `finished` is `None`.
    #[must_use]
    pub fn with_file_name(&self, name: &str) -> Self {
        let [state, records] = [&self.state, &self.records]
            .map(|folder| folder.as_deref().map(|folder| state_path(folder, name)));
        Self {
            state,
            records,
            finished: None,
            ..self.clone()
        }
    }

    fn pair_seed(&self, pair: u64) -> u64 {
        derive_seed(self.seed, self.space, &[pair])
    }
}

/// Results of two games between A and B with the same start and chance outcomes, sides swapped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    /// Number of the pair in its match, from 0.
    pub pair: u64,
    /// Seat that moves first in both games.
    pub first: Seat,
    /// Score of A in each game: loss 0, draw 1/2, win 1, or the payoff of its points. With two
    /// seats, A has seat 0 in the first game.
    #[serde(deserialize_with = "match_journal::deserialize_scores")]
    pub scores: [f64; 2],
    /// Number of plies of each game.
    pub plies: [u32; 2],
    /// Number of moves made by A and by B over both games, forced ones included.
    pub decisions: [u64; 2],
    /// Decision time of A and of B over both games.
    pub nanoseconds: [u64; 2],
    /// CPU time of A and of B over both games; `None` unless the player reports CPU time.
    #[serde(default, skip_serializing_if = "are_none")]
    pub cpu_nanoseconds: [Option<u64>; 2],
    /// Hash of each game, equal for mirror images; `None` in games with chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<[u64; 2]>,
    /// Luck of A in each game, in points, positive if chance favoured A; `None` without a luck
    /// evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<[f64; 2]>,
    /// Mean payoffs and ranks of each contestant's seats in both games; `None` with two seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat_means: Option<[ContestantMeans; 2]>,
    /// Number of games that reached the maximal number of plies and count as draws.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// Games that a player lost by a failure or an illegal move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<LostByForfeit>,
}

/// Game that a player lost by a failure or an illegal move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LostByForfeit {
    /// Index of the game in its pair; with two seats also the seat of A.
    pub game: usize,
    /// True if A lost the game, false if B did.
    pub by_a: bool,
    /// Failure or illegal move, in one line.
    pub reason: String,
}

fn are_none<T>(values: &[Option<T>; 2]) -> bool {
    values.iter().all(Option::is_none)
}

impl PairResult {
    /// Mean points of A per game, minus A's luck if measured; can be outside `[0, 1]`.
    pub(crate) fn mean_score(&self) -> f64 {
        let luck = self.luck.unwrap_or_default();
        (self.scores[0] - luck[0] + self.scores[1] - luck[1]) / 2.0
    }

    pub(crate) fn first_mover_score(&self) -> f64 {
        if let Some(games) = self.seat_means {
            return games.map(|means| means.first_mover).iter().sum();
        }
        (0..2)
            .map(|game| match self.scores[game] {
                of_a if game == self.first => of_a,
                of_a => 1.0 - of_a,
            })
            .sum()
    }
}

#[derive(Debug, Default)]
struct Repeats {
    seen: HashSet<u64>,
}

impl Repeats {
    /// Adds the hashes of a pair's games; false if one of them occurred in an earlier pair. Equal
    /// games within a pair are allowed.
    fn add_if_new(&mut self, games: Option<[u64; 2]>) -> bool {
        let games = games.into_iter().flatten();
        let new = games.clone().all(|game| !self.seen.contains(&game));
        self.seen.extend(games);
        new
    }
}

#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) pairs: Vec<PairResult>,
    pub(crate) repeats: u64,
    pub(crate) wall: Duration,
}

impl Played {
    fn new(mut pairs: Vec<PairResult>, wall: Duration) -> Self {
        let (all, mut seen) = (pairs.len(), Repeats::default());
        pairs.retain(|result| seen.add_if_new(result.games));
        Self {
            repeats: (all - pairs.len()) as u64,
            pairs,
            wall,
        }
    }
}

/// Plays the pairs missing in the state file, and returns the result of all pairs.
///
/// # Errors
/// If the options are invalid, a player cannot play, the state file cannot be used, or tasks are
/// missing in a merge and the sequential test is undecided without them.
pub fn play_match<G: Playable>(
    a: &Contestant<G>,
    b: &Contestant<G>,
    options: &MatchOptions<G>,
) -> Result<MatchResult> {
    let played = play_pairs(a, b, options)?;
    Ok(MatchResult::of(a, b, options, &played))
}

/// Plays missing pairs and returns those that count: no repeats, and none after the pair that
/// decides a sequential test.
pub(crate) fn play_pairs<G: Playable>(
    a: &Contestant<G>,
    b: &Contestant<G>,
    options: &MatchOptions<G>,
) -> Result<Played> {
    let game = &options.game;
    if options.pairs == 0 {
        return Err("a match needs at least one pair of games".to_owned().into());
    }
    let is_by_points = |rule: &StoppingRule| rule.test.model == EloModel::Points;
    if options.stop.as_ref().is_some_and(is_by_points) && scored_points(game).is_none() {
        let name = game.notation();
        return Err(format!("{name} has no points; a sequential test takes elo0 and elo1").into());
    }
    options.starts.check()?;
    let chance = has_chance(game);
    if let Some(evaluator) = &options.luck {
        if !chance || game.seats() != 2 {
            let name = game.notation();
            if chance {
                return Err(format!("luck is told for two seats, not for {name}").into());
            }
            return Err(
                format!("{name} leaves nothing to chance, so there is no luck to tell").into(),
            );
        }
        luck::check(evaluator, game)?;
    }
    let (identity, slice) = (
        match_identity(a, b, options),
        (options.slice, options.pairs),
    );
    let (mut state, mut results, earlier) = MatchJournal::open(
        options.state.as_deref(),
        &identity,
        slice,
        options.stop.is_some(),
    )?;
    let collected = state.journal.check_complete();
    let mut played: BTreeSet<u64> = results.iter().map(|result| result.pair).collect();
    let (records, lost) = records::open([a, b], identity, options, &played)?;
    state.remove(&lost)?;
    played.retain(|pair| !lost.contains(pair));
    results.retain(|result| result.pair < options.pairs && !lost.contains(&result.pair));
    let mut missing = Vec::from_iter(options.slice.part_range(options.pairs));
    missing.retain(|pair| !played.contains(pair));
    let collector = Collector::new(results, (state, records), earlier, options);
    if !collector.is_done() {
        collected?;
    }
    let began = Instant::now();
    let plays = !missing.is_empty() && !collector.is_done();
    if plays {
        let book = Book::new(options, !chance);
        play_missing([a, b], &book, &missing, &collector)?;
    }
    let wall = if plays {
        began.elapsed()
    } else {
        Duration::ZERO
    };
    Ok(Played::new(collector.finish()?, earlier + wall))
}

pub(crate) fn stored_pairs<G: Playable>(
    a: &Contestant<G>,
    b: &Contestant<G>,
    options: &MatchOptions<G>,
) -> Result<Played> {
    let (path, merged) = (options.state.as_deref(), (TaskSlice::All, options.pairs));
    let (_, mut results, _) =
        MatchJournal::open(path, &match_identity(a, b, options), merged, false)?;
    results.retain(|result| result.pair < options.pairs);
    Ok(Played::new(results, Duration::ZERO))
}

struct GameWorker<'a, G: Playable> {
    book: &'a Book<'a, G>,
    contestants: [&'a Contestant<G>; 2],
    /// Players of A and of B, as many as either has seats.
    players: [Vec<TimedPlayer<G>>; 2],
    luck: Option<Box<dyn Player<G>>>,
}

impl<'a, G: Playable> GameWorker<'a, G> {
    fn new(contestants: [&'a Contestant<G>; 2], book: &'a Book<'a, G>) -> Self {
        let options = book.options;
        Self {
            book,
            contestants,
            players: contestants.map(|contestant| {
                let player = || TimedPlayer::new((contestant.make)(), options.records.is_some());
                let seats = options.game.seats().div_ceil(2);
                std::iter::repeat_with(player).take(seats).collect()
            }),
            luck: options.luck.as_ref().map(|evaluator| (evaluator.make)()),
        }
    }

    /// The players in the order of their seats.
    fn seat_players(&mut self, lineup: &Lineup) -> Vec<&mut TimedPlayer<G>> {
        let mut players = self.players.each_mut().map(|players| players.iter_mut());
        let next = |&contestant: &usize| players[contestant].next().expect("a seat's player");
        lineup.iter().map(next).collect()
    }

    fn play_pair(&mut self, pair: u64) -> Result<(PairResult, Vec<GameLine>)> {
        let options = self.book.options;
        let game = &options.game;
        let pair_seed = options.pair_seed(pair);
        let start = self.book.of_pair(pair);
        let before = self.book.opening_moves(pair);
        let mut chance = game.paired_chance(derive_seed(pair_seed, SeedSpace::Arena, &[1]));
        let mut result = PairResult {
            pair,
            first: game.to_move(&start),
            ..PairResult::default()
        };
        let (mut luck, mut prints) = ([0.0; 2], [0; 2]);
        let mut games = Vec::new();
        let mut seat_means = [ContestantMeans::default(); 2];
        for (number, lineup) in lineups_of_pair(game.seats(), pair).iter().enumerate() {
            // With two seats, the game with A in seat 0 comes first.
            let seat_of_a = number;
            let mut seated = self.seat_players(lineup);
            for (seat, player) in seated.iter_mut().enumerate() {
                player.new_game(derive_seed(pair_seed, SeedSpace::Player, &[seat as u64]));
                for (position, mv) in &before {
                    player.notify(GameEvent::Ply(position, 0, *mv));
                }
            }
            let players = seated.iter_mut();
            let mut players: Vec<_> = players
                .map(|player| &mut **player as &mut dyn Player<G>)
                .collect();
            chance.rewind();
            let max_plies = options.max_plies.unwrap_or_else(|| game.max_plies());
            let (record, forfeit) = play_refereed(
                game,
                start,
                max_plies.into(),
                &mut players,
                &mut chance,
                None,
            );
            result.unfinished += u64::from(record.ending == Ending::Limit);
            let payoff = f64::from(record.payoffs[seat_of_a]);
            seat_means[number] = ContestantMeans::new(lineup, &record.payoffs, result.first);
            result.scores[number] = match game.points() {
                _ if game.seats() > 2 => seat_means[number].score(),
                None => (2.0 * payoff).round() / 2.0,
                Some(points) => points.to_payoff(points.final_points(payoff)),
            };
            result.plies[seat_of_a] = record.plies.len() as u32;
            if options.records.is_some() {
                let times = seated.iter_mut();
                let times = times.map(|player| std::mem::take(&mut player.each));
                let (which, times) = ((2 * pair + number as u64, lineup), times.collect());
                let line = records::line(game, &record, which, times, forfeit.as_ref());
                games.push(line);
            }
            if self.book.repeats_matter {
                prints[seat_of_a] = fingerprint(game, &record);
            }
            if let Some(evaluator) = &mut self.luck {
                evaluator.new_game(derive_seed(pair_seed, SeedSpace::Player, &[2]));
                luck[seat_of_a] = luck::of_game(game, &record, seat_of_a, evaluator.as_mut())?;
            }
            if let Some(forfeit) = forfeit {
                let contestant = lineup[forfeit.seat];
                let reason = forfeit.reason;
                match forfeit.cause {
                    FailureCause::System => {
                        let player = &self.contestants[contestant].name;
                        return Err(format!("{player} cannot play, and has not lost by that: {reason}; the match stops here").into());
                    }
                    FailureCause::Crash => {
                        let own = lineup[..forfeit.seat].iter();
                        let index = own.filter(|&&seated| seated == contestant).count();
                        let make = &self.contestants[contestant].make;
                        self.players[contestant][index].player = make();
                    }
                    FailureCause::Player => {}
                }
                result.forfeits.push(LostByForfeit {
                    game: seat_of_a,
                    by_a: contestant == 0,
                    reason,
                });
            }
        }
        for (contestant, players) in self.players.iter_mut().enumerate() {
            for player in players {
                result.decisions[contestant] += std::mem::take(&mut player.decisions);
                result.nanoseconds[contestant] +=
                    std::mem::take(&mut player.time).as_nanos() as u64;
                if let Some(time) = player.cpu_time.take() {
                    *result.cpu_nanoseconds[contestant].get_or_insert(0) += time.as_nanos() as u64;
                }
            }
        }
        result.seat_means = (game.seats() > 2).then_some(seat_means);
        result.luck = self.luck.is_some().then_some(luck);
        result.games = self.book.repeats_matter.then_some(prints);
        Ok((result, games))
    }
}

fn fingerprint<G: Playable>(game: &G, record: &GameRecord<G>) -> u64 {
    let as_it_is = || {
        let keys = record.positions(game).map(|position| game.key(&position));
        keys.fold(0, |print, key| {
            derive_seed(print, SeedSpace::Records, &[key])
        })
    };
    canonical_fingerprint(game, record).map_or_else(as_it_is, |print| print as u64)
}

fn play_missing<G: Playable>(
    contestants: [&Contestant<G>; 2],
    book: &Book<'_, G>,
    missing: &[u64],
    collector: &Collector,
) -> Result<()> {
    let pool = pool(book.options.threads)?;
    let next = AtomicU64::new(0);
    let workers = pool.current_num_threads().min(missing.len());
    pool.scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|_| {
                let mut table = GameWorker::new(contestants, book);
                while !collector.is_done() {
                    let Some(&pair) = missing.get(next.fetch_add(1, Ordering::Relaxed) as usize)
                    else {
                        break;
                    };
                    collector.add(table.play_pair(pair));
                }
            });
        }
    });
    Ok(())
}

/// Creates a pool of `threads` threads; 0 = one per core.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|error| match threads {
        0 => format!("cannot start a worker thread for each core: {error}"),
        _ => format!("cannot start {threads} worker threads: {error}"),
    })?)
}

#[cfg(test)]
mod points_tests;
#[cfg(test)]
mod reversi_tests;
#[cfg(test)]
mod tests;
