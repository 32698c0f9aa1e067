//! Matches between two players: pairs of games with sides swapped and the same luck, in parallel,
//! resumable.
//!
//! Pair `i` is a pure function of (players, rules, set-ups, seed, `i`). Within a pair both games
//! share what belongs to the *seats*: the start position (set-ups of Red and Blue, and who begins:
//! Red in even pairs, Blue in odd ones), the k-th roll of each seat, and the seed that a seat's
//! player is given. What changes is who sits where: A is Red in the first game and Blue in the
//! second. So two copies of one player always score 50 %, and half of all games are begun by A.
//! Invariant: results do not depend on the number of threads or on interruptions.

mod collector;
mod journal;
pub mod luck;
pub mod report;
pub mod result;
pub mod stopping;
mod timed;
pub mod tournament;

use crate::studies::setups::{Setups, SetupsError};
use collector::Collector;
use engine::core::random::{SeedSpace, derive_seed};
use engine::games::einstein::{BLUE, RED, Standard, Variant};
use engine::play::game_loop::{Forfeit, play_refereed};
use engine::play::playable::{Playable, Repeatable};
use engine::play::player::Player;
use journal::{Journal, MatchIdentity};
use rayon::ThreadPoolBuilder;
pub use result::{LuckResult, MatchResult};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
pub use stopping::{SequentialResult, StoppingRule};
use timed::Timed;

/// Makes a player; each worker thread makes its own.
pub type PlayerFactory = Arc<dyn Fn() -> Box<dyn Player<Standard>> + Send + Sync>;

/// Someone who takes part in a match.
#[derive(Clone)]
pub struct Contestant {
    /// The name in tables and in state files. Two contestants that play differently need different
    /// names, or a match could be resumed with another player.
    pub name: String,
    /// Makes the player.
    pub make: PlayerFactory,
}

impl std::fmt::Debug for Contestant {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("Contestant")
            .field(&self.name)
            .finish()
    }
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
    /// Where finished pairs are kept. A match that finds some of its pairs there plays only the
    /// rest; it may also be made longer that way.
    pub state: Option<PathBuf>,
    /// Whether to show progress, if standard error is a terminal.
    pub progress: bool,
    /// What the seeds are for: [`SeedSpace::Arena`], or [`SeedSpace::Gate`] so that promotion is
    /// never decided on the games that a model was measured on before.
    pub space: SeedSpace,
    /// When the match may end before its last pair.
    pub stop: Option<StoppingRule>,
    /// Who tells the luck of every roll: a player that rates moves. Its name belongs to the match.
    pub luck: Option<Contestant>,
}

impl MatchOptions {
    /// A match of so many pairs by the classic rules from random set-ups, on all cores, kept
    /// nowhere.
    #[must_use]
    pub fn new(pairs: u64, seed: u64) -> Self {
        Self {
            game: Standard::default(),
            pairs,
            seed,
            setups: Setups::Random,
            threads: 0,
            state: None,
            progress: false,
            space: SeedSpace::Arena,
            stop: None,
            luck: None,
        }
    }
}

/// What came of a pair of games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// How lucky A was in each game, in wins; `None` if nobody told luck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<[f64; 2]>,
    /// Games that ended because a player made no legal move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<LostByForfeit>,
}

/// A game lost without being played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostByForfeit {
    /// Which game of the pair, 0 or 1.
    pub game: usize,
    /// Whether A lost it.
    pub by_a: bool,
    /// Why, in one line.
    pub reason: String,
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
    /// Luck is to be told by a player that rates no moves.
    #[error(
        "{0} rates no moves, so it cannot tell luck; a search can, for example star1(depth=1, eval=schwarz)"
    )]
    Luck(String),
}

/// Plays a match, or what is left of it.
///
/// # Errors
/// If no pair is asked for, a set-up does not exist, or the state file cannot be used; see
/// [`ArenaError`].
pub fn play_match(
    a: &Contestant,
    b: &Contestant,
    options: &MatchOptions,
) -> Result<MatchResult, ArenaError> {
    let (results, wall) = play_pairs(a, b, options)?;
    Ok(MatchResult::of(a, b, options, &results, wall))
}

/// Plays a match and gives every pair, in order, and the wall time of all runs of the match.
///
/// With a stopping rule these are the pairs up to the one that decided it.
///
/// # Errors
/// As [`play_match`].
pub fn play_pairs(
    a: &Contestant,
    b: &Contestant,
    options: &MatchOptions,
) -> Result<(Vec<PairResult>, Duration), ArenaError> {
    if options.pairs == 0 {
        return Err(ArenaError::NoPairs);
    }
    options.setups.check()?;
    options
        .luck
        .as_ref()
        .map_or(Ok(()), |evaluator| luck::check(evaluator, &options.game))?;
    let (journal, known) = match &options.state {
        Some(path) => {
            let (journal, known) = Journal::open(path, &identity(a, b, options))?;
            (Some(journal), known)
        }
        None => (None, journal::Known::default()),
    };
    let earlier = known.wall;
    let results: Vec<PairResult> = known
        .results
        .into_values()
        .filter(|result| result.pair < options.pairs)
        .collect();
    let mut wanted = (0..options.pairs).collect::<Vec<u64>>();
    let mut done = results.iter().map(|result| result.pair).peekable();
    wanted.retain(|pair| done.next_if_eq(pair).is_none());
    let collector = Collector::new(results, journal, options);
    let began = Instant::now();
    let plays = !wanted.is_empty() && !collector.is_done();
    if plays {
        play_wanted(a, b, options, &wanted, &collector)?;
    }
    let wall = earlier
        + if plays {
            began.elapsed()
        } else {
            Duration::ZERO
        };
    Ok((collector.finish()?, wall))
}

/// Who plays on one thread: both contestants, and the evaluator that tells luck.
struct Table<'a> {
    contestants: [&'a Contestant; 2],
    players: [Timed; 2],
    luck: Option<Box<dyn Player<Standard>>>,
}

impl<'a> Table<'a> {
    fn new(a: &'a Contestant, b: &'a Contestant, options: &MatchOptions) -> Self {
        Self {
            contestants: [a, b],
            players: [a, b].map(|contestant| Timed::new((contestant.make)())),
            luck: options.luck.as_ref().map(|evaluator| (evaluator.make)()),
        }
    }

    /// One pair of games.
    fn play_pair(&mut self, pair: u64, options: &MatchOptions) -> PairResult {
        let pair_seed = derive_seed(options.seed, options.space, &[pair]);
        let first = if pair.is_multiple_of(2) { RED } else { BLUE };
        let start = options
            .game
            .start(options.setups.of_pair(pair, pair_seed), first);
        let mut dice = options
            .game
            .paired_luck(derive_seed(pair_seed, SeedSpace::Arena, &[1]));
        let mut result = PairResult {
            pair,
            ..PairResult::default()
        };
        let mut luck = [0.0; 2];
        for (game_number, seat_of_a) in [RED, BLUE].into_iter().enumerate() {
            let seats = [seat_of_a, 1 - seat_of_a];
            for (player, seat) in self.players.iter_mut().zip(seats) {
                player.new_game(derive_seed(pair_seed, SeedSpace::Player, &[seat as u64]));
            }
            let [a, b] = self
                .players
                .each_mut()
                .map(|player| player as &mut dyn Player<Standard>);
            let mut players = if seat_of_a == RED { [a, b] } else { [b, a] };
            dice.rewind();
            let (record, forfeit) =
                play_refereed(&options.game, start, &mut players, &mut dice, None);
            result.won_by_a[game_number] = record.payoffs[seat_of_a] > 0.5;
            result.plies[game_number] = record.plies.len() as u32;
            if let Some(evaluator) = &mut self.luck {
                evaluator.new_game(derive_seed(pair_seed, SeedSpace::Player, &[2]));
                luck[game_number] =
                    luck::of_game(&options.game, &record, seat_of_a, evaluator.as_mut());
            }
            if let Some(Forfeit {
                seat,
                reason,
                broken,
            }) = forfeit
            {
                let contestant = usize::from(seat != seat_of_a);
                if broken {
                    self.players[contestant].replace((self.contestants[contestant].make)());
                }
                result.forfeits.push(LostByForfeit {
                    game: game_number,
                    by_a: contestant == 0,
                    reason,
                });
            }
        }
        for (contestant, player) in self.players.iter_mut().enumerate() {
            result.decisions[contestant] = std::mem::take(&mut player.decisions);
            result.nanoseconds[contestant] = std::mem::take(&mut player.time).as_nanos() as u64;
        }
        result.luck = self.luck.is_some().then_some(luck);
        result
    }
}

/// Plays the pairs on worker threads, each with players of its own, in rising order as threads
/// become free.
fn play_wanted(
    a: &Contestant,
    b: &Contestant,
    options: &MatchOptions,
    wanted: &[u64],
    collector: &Collector,
) -> Result<(), ArenaError> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|source| ArenaError::Threads {
            threads: options.threads,
            source,
        })?;
    let next = AtomicU64::new(0);
    let workers = pool.current_num_threads().min(wanted.len());
    pool.scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|_| {
                let mut table = Table::new(a, b, options);
                while !collector.is_done() {
                    let Some(&pair) = wanted.get(next.fetch_add(1, Ordering::Relaxed) as usize)
                    else {
                        break;
                    };
                    collector.add(table.play_pair(pair, options));
                }
            });
        }
    });
    Ok(())
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
        die: (1..=die.faces())
            .map(|face| die.probability(face))
            .collect(),
        purpose: (options.space != SeedSpace::Arena)
            .then(|| format!("{:?}", options.space).to_lowercase()),
        luck: options
            .luck
            .as_ref()
            .map(|evaluator| evaluator.name.clone()),
    }
}

#[cfg(test)]
mod tests;
