//! Matches between two players: pairs of games with sides swapped and the same luck, in parallel, resumable.
//!
//! Pair `i` is a pure function of (players, rules, set-ups, seed, `i`). Within a pair both games share what belongs
//! to the *seats*: the start position (set-ups of Red and Blue, and who begins: Red in even pairs, Blue in odd
//! ones), the k-th roll of each seat, and the seed that a seat's player is given. What changes is who sits where:
//! A is Red in the first game and Blue in the second. So two copies of one player always score 50 %, and half of
//! all games are begun by A. Invariant: results do not depend on the number of threads or on interruptions.

mod journal;
pub mod setups;

use crate::statistics::{Interval, PairCounts};
use engine::dice::DuplicateDice;
use engine::games::einstein::{BLUE, RED, Standard, Variant};
use engine::play::{Effort, play_game};
use engine::player::Player;
use engine::random::{SeedSpace, derive_seed};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use journal::{Journal, MatchIdentity};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
pub use setups::{Setups, SetupsError};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Makes a player; each worker thread makes its own.
pub type PlayerFactory = Arc<dyn Fn() -> Box<dyn Player<Standard>> + Send + Sync>;

/// Someone who takes part in a match.
#[derive(Clone)]
pub struct Contestant {
    /// The name in tables and in state files. Two contestants that play differently need different names, or a
    /// match could be resumed with another player.
    pub name: String,
    /// Makes the player.
    pub make: PlayerFactory,
}

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchOptions {
    /// The rules; their die is the die really rolled.
    pub game: Standard,
    /// Pairs of games to play.
    pub pairs: u64,
    /// Rules all luck.
    pub seed: u64,
    /// Where the stones start.
    pub setups: Setups,
    /// Worker threads; 0 = as many as the machine has cores.
    pub threads: usize,
    /// Where finished pairs are kept. A match that finds some of its pairs there plays only the rest; it may also
    /// be made longer that way.
    pub state: Option<PathBuf>,
    /// Whether to show progress, if standard error is a terminal.
    pub progress: bool,
}

/// What came of a pair of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    /// Which pair.
    pub pair: u64,
    /// Whether A won the game as Red, and the game as Blue.
    pub won_by_a: [bool; 2],
    /// Plies of both games.
    pub plies: [u32; 2],
    /// Moves decided by A and by B, in both games together.
    pub decisions: [u64; 2],
    /// Wall time A and B spent deciding, in nanoseconds.
    pub nanoseconds: [u64; 2],
}

impl PairResult {
    /// How many of the two games A won.
    #[must_use]
    pub fn wins(&self) -> usize {
        self.won_by_a.iter().filter(|&&won| won).count()
    }

    /// How many of the two games were won by whoever began them.
    #[must_use]
    pub fn first_mover_wins(&self) -> usize {
        let red_begins = self.pair.is_multiple_of(2);
        usize::from(self.won_by_a[0] == red_begins) + usize::from(self.won_by_a[1] != red_begins)
    }
}

/// What came of a match; all shares and intervals are those of A.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Name of A.
    pub a: String,
    /// Name of B.
    pub b: String,
    /// The seed.
    pub seed: u64,
    /// The set-ups, in words.
    pub setups: String,
    /// Pairs played.
    pub pairs: u64,
    /// Games played.
    pub games: u64,
    /// Games won by A.
    pub wins: u64,
    /// Pairs by the number of games A won.
    pub pair_counts: PairCounts,
    /// Share of games won by A.
    pub score: f64,
    /// Standard error of the score, from pair means.
    pub standard_error: f64,
    /// 95 % interval of the score.
    pub interval: Interval,
    /// Elo of A minus Elo of B.
    pub elo: f64,
    /// 95 % interval of the Elo difference.
    pub elo_interval: Interval,
    /// Likelihood that A is the stronger one.
    pub superiority: f64,
    /// Share of games won by whoever began.
    pub first_mover_share: f64,
    /// Plies a game.
    pub mean_plies: f64,
    /// Seconds a move of A and of B.
    pub seconds_per_move: [f64; 2],
    /// Games a second of wall time, over all sessions of the match.
    pub games_per_second: f64,
    /// Wall time in seconds, over all sessions of the match.
    pub wall_seconds: f64,
}

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// No games were asked for.
    #[error("a match needs at least one pair of games")]
    NoPairs,
    /// The worker threads could not be started.
    #[error("cannot start {threads} worker threads: {source}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// Why not.
        source: rayon::ThreadPoolBuildError,
    },
    /// The state file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
    /// The state file is in use.
    #[error("{}: another match is writing this file", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The state file is no state file, or is damaged.
    #[error("{}:{line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The state file belongs to another match.
    #[error("{}: this is the state of another match: its {key} is {found}, not {wanted}; name another file or remove it", path.display())]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: &'static str,
        /// Its value in the file.
        found: String,
        /// Its value in this match.
        wanted: String,
    },
    /// The set-ups are wrong.
    #[error(transparent)]
    Setups(#[from] SetupsError),
}

/// Plays a match, or what is left of it.
///
/// # Errors
/// If no pair is asked for, a set-up does not exist, or the state file cannot be used; see [`ArenaError`].
pub fn play_match(a: &Contestant, b: &Contestant, options: &MatchOptions) -> Result<MatchResult, ArenaError> {
    let (results, wall) = play_pairs(a, b, options)?;
    Ok(summarise(a, b, options, &results, wall))
}

/// Plays a match and gives every pair, in order, and the wall time of all sessions.
///
/// # Errors
/// As [`play_match`].
pub fn play_pairs(a: &Contestant, b: &Contestant, options: &MatchOptions) -> Result<(Vec<PairResult>, Duration), ArenaError> {
    if options.pairs == 0 {
        return Err(ArenaError::NoPairs);
    }
    options.setups.check()?;
    let (journal, known) = match &options.state {
        Some(path) => {
            let (journal, known) = Journal::open(path, &identity(a, b, options))?;
            (Some(journal), known)
        }
        None => (None, journal::Known::default()),
    };
    let earlier = known.wall;
    let results: Vec<PairResult> = known.results.into_values().filter(|result| result.pair < options.pairs).collect();
    let mut wanted = (0..options.pairs).collect::<Vec<u64>>();
    let mut done = results.iter().map(|result| result.pair).peekable();
    wanted.retain(|pair| done.next_if_eq(pair).is_none());
    let collector = Collector::new(results, journal, options);
    let began = Instant::now();
    if !wanted.is_empty() {
        play_wanted(a, b, options, &wanted, &collector)?;
    }
    let wall = earlier + if wanted.is_empty() { Duration::ZERO } else { began.elapsed() };
    Ok((collector.finish()?, wall))
}

/// One pair of games between two players.
fn play_pair(pair: u64, a: &mut dyn Player<Standard>, b: &mut dyn Player<Standard>, options: &MatchOptions) -> PairResult {
    let pair_seed = derive_seed(options.seed, SeedSpace::Arena, &[pair]);
    let first = if pair.is_multiple_of(2) { RED } else { BLUE };
    let start = options.game.start(options.setups.of_pair(pair, pair_seed), first);
    let dice_seed = derive_seed(pair_seed, SeedSpace::Arena, &[1]);
    let mut result = PairResult { pair, won_by_a: [false; 2], plies: [0; 2], decisions: [0; 2], nanoseconds: [0; 2] };
    for (game_number, seat_of_a) in [RED, BLUE].into_iter().enumerate() {
        let seat_of_b = 1 - seat_of_a;
        a.new_game(derive_seed(pair_seed, SeedSpace::Player, &[seat_of_a as u64]));
        b.new_game(derive_seed(pair_seed, SeedSpace::Player, &[seat_of_b as u64]));
        let mut players: [&mut dyn Player<Standard>; 2] = if seat_of_a == RED { [a, b] } else { [b, a] };
        let mut dice = DuplicateDice::new(dice_seed, options.game.die());
        let mut effort = Effort::default();
        let record = play_game(&options.game, start, &mut players, &mut dice, None, Some(&mut effort));
        result.won_by_a[game_number] = record.payoffs[seat_of_a] > 0.5;
        result.plies[game_number] = record.plies.len() as u32;
        for (contestant, seat) in [seat_of_a, seat_of_b].into_iter().enumerate() {
            result.decisions[contestant] += effort.decisions[seat];
            result.nanoseconds[contestant] += effort.time[seat].as_nanos() as u64;
        }
    }
    result
}

/// Plays the pairs on worker threads, each with players of its own, in rising order as threads become free.
fn play_wanted(a: &Contestant, b: &Contestant, options: &MatchOptions, wanted: &[u64], collector: &Collector) -> Result<(), ArenaError> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|source| ArenaError::Threads { threads: options.threads, source })?;
    let next = AtomicU64::new(0);
    let workers = pool.current_num_threads().min(wanted.len());
    pool.scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|_| {
                let (mut player_a, mut player_b) = ((a.make)(), (b.make)());
                while !collector.failed.load(Ordering::Relaxed) {
                    let Some(&pair) = wanted.get(next.fetch_add(1, Ordering::Relaxed) as usize) else { break };
                    collector.add(play_pair(pair, player_a.as_mut(), player_b.as_mut(), options));
                }
            });
        }
    });
    Ok(())
}

/// Takes results from all workers: keeps them, saves them, shows them.
struct Collector {
    failed: AtomicBool,
    collected: Mutex<Collected>,
    bar: ProgressBar,
}

struct Collected {
    results: Vec<PairResult>,
    counts: PairCounts,
    journal: Option<Journal>,
    error: Option<ArenaError>,
    shown: Instant,
}

impl Collector {
    fn new(results: Vec<PairResult>, journal: Option<Journal>, options: &MatchOptions) -> Self {
        let bar = ProgressBar::new(options.pairs);
        // Drawing to a terminal only: a log file would fill with bars.
        let visible = options.progress && std::io::stderr().is_terminal();
        bar.set_draw_target(if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} pairs  {msg}  {eta} left") {
            bar.set_style(style);
        }
        bar.set_position(results.len() as u64);
        bar.reset_eta();
        let mut counts = PairCounts::default();
        results.iter().for_each(|result| counts.add(result.wins()));
        let collected = Collected { results, counts, journal, error: None, shown: Instant::now() };
        Self { failed: AtomicBool::new(false), collected: Mutex::new(collected), bar }
    }

    fn add(&self, result: PairResult) {
        let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(journal) = &mut collected.journal
            && let Err(error) = journal.add(&result)
        {
            collected.error.get_or_insert(error);
            self.failed.store(true, Ordering::Relaxed);
        }
        collected.counts.add(result.wins());
        collected.results.push(result);
        self.bar.inc(1);
        if !self.bar.is_hidden() && collected.shown.elapsed() > Duration::from_millis(200) {
            collected.shown = Instant::now();
            let tally = collected.counts.tally();
            self.bar.set_message(format!("{:.1} % ± {:.1}", 100.0 * tally.score(), 100.0 * tally.interval().half_width()));
        }
    }

    fn finish(self) -> Result<Vec<PairResult>, ArenaError> {
        self.bar.finish_and_clear();
        let mut collected = self.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = collected.error {
            return Err(error);
        }
        if let Some(journal) = collected.journal {
            journal.close()?;
        }
        collected.results.sort_unstable_by_key(|result| result.pair);
        Ok(collected.results)
    }
}

fn identity(a: &Contestant, b: &Contestant, options: &MatchOptions) -> MatchIdentity {
    let die = options.game.die();
    MatchIdentity {
        format: journal::FORMAT.to_owned(),
        a: a.name.clone(),
        b: b.name.clone(),
        seed: options.seed,
        setups: options.setups.clone(),
        variant: match options.game.variant() {
            Variant::Classic => "classic".to_owned(),
            Variant::NearestOnly => "nearest_only".to_owned(),
        },
        stones: options.game.stones(),
        die: (1..=die.faces()).map(|face| die.probability(face)).collect(),
    }
}

fn summarise(a: &Contestant, b: &Contestant, options: &MatchOptions, results: &[PairResult], wall: Duration) -> MatchResult {
    let mut pair_counts = PairCounts::default();
    let (mut plies, mut first_mover_wins) = (0.0, 0usize);
    let (mut decisions, mut seconds) = ([0.0_f64; 2], [0.0_f64; 2]);
    for result in results {
        pair_counts.add(result.wins());
        first_mover_wins += result.first_mover_wins();
        plies += result.plies.map(f64::from).iter().sum::<f64>();
        for contestant in 0..2 {
            decisions[contestant] += result.decisions[contestant] as f64;
            seconds[contestant] += result.nanoseconds[contestant] as f64 / 1e9;
        }
    }
    let (pairs, tally) = (pair_counts.pairs(), pair_counts.tally());
    let games = 2.0 * pairs as f64;
    MatchResult {
        a: a.name.clone(),
        b: b.name.clone(),
        seed: options.seed,
        setups: options.setups.to_string(),
        pairs,
        games: 2 * pairs,
        wins: pair_counts.wins(),
        pair_counts,
        score: tally.score(),
        standard_error: tally.standard_error(),
        interval: tally.interval(),
        elo: tally.elo(),
        elo_interval: tally.elo_interval(),
        superiority: tally.superiority(),
        first_mover_share: first_mover_wins as f64 / games,
        mean_plies: plies / games,
        seconds_per_move: [0, 1].map(|contestant| seconds[contestant] / decisions[contestant].max(1.0)),
        games_per_second: games / wall.as_secs_f64().max(1e-9),
        wall_seconds: wall.as_secs_f64(),
    }
}

impl std::fmt::Display for MatchResult {
    /// One line for a terminal.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} – {}: {:.2} % ± {:.2} of {} games, Elo {:+.1} ± {:.1}, superiority {:.2} %",
            self.a,
            self.b,
            100.0 * self.score,
            100.0 * self.interval.half_width(),
            self.games,
            self.elo,
            self.elo_interval.half_width(),
            100.0 * self.superiority
        )
    }
}

#[cfg(test)]
mod tests;
