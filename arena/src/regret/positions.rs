//! Positions on which regret is measured: one of a game, drawn from self-play of a stated kind.
//!
//! Invariant: position `k` is a function of the source, the seed, `k` and the wanted numbers of
//! stones; the more positions are asked for, the same the first of them are. A game that has no
//! position with so many stones is followed by another one. A player's games have a stream of
//! random numbers for each game; those of [`Source::Mixed`] (`mixed.rs`), which are over in less
//! time than a stream takes to begin, share one in each block of `BLOCK` positions.

use super::mixed::MixedGames;
use crate::error::{MeasuringError, Result};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::games::einstein::{BLUE, Position, RED, Standard, dice::DiceStream};
use engine::play::{
    build::PlayerRecipe,
    game_loop::{Exploration, play_game},
    notation::{PlayerError, trusted},
    player::Player,
};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Share of random moves in games of players that are not random anyway.
pub const EXPLORATION: f64 = 0.1;

/// Positions drawn one after the other, with the same players (which may own large tables) or the
/// same stream.
pub(crate) const BLOCK: u64 = 64;

/// Games that are tried for one position.
const MAX_GAMES: u64 = 10_000;

/// The name of [`Source::Mixed`] in arguments.
pub const MIXED: &str = "mixed";

/// Who plays the games that positions are taken from, against themselves.
pub enum Source {
    /// Half the games uniformly random, half greedy with [`EXPLORATION`], whether or not they come
    /// to a wanted position.
    Mixed,
    /// One player with [`EXPLORATION`].
    Player(Box<PlayerRecipe<Standard>>),
}

impl Source {
    /// `mixed`, or a player's notation, as the user says.
    ///
    /// # Errors
    /// If the notation is wrong.
    pub fn parse(text: &str, game: &Standard) -> Result<Self, PlayerError> {
        if text.trim() == MIXED {
            Ok(Self::Mixed)
        } else {
            Ok(Self::Player(Box::new(PlayerRecipe::parse(
                trusted(text),
                game,
            )?)))
        }
    }

    /// The argument it is read from.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Mixed => MIXED,
            Self::Player(recipe) => recipe.name(),
        }
    }

    /// What the games are, in words.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Mixed => "half the games random, half greedy with 10 % random moves".to_owned(),
            Self::Player(recipe) => format!("games of {} with 10 % random moves", recipe.name()),
        }
    }
}

/// Draws `count` positions. `stones(k)` is how many stones position `k` may have in all; which of
/// the positions of its game that have so many is drawn with equal chances.
///
/// # Errors
/// If many games in a row have no such position.
pub fn draw_positions(
    game: &Standard,
    source: &Source,
    stones: impl Fn(u64) -> RangeInclusive<u32> + Sync,
    count: u64,
    seed: u64,
    progress: &ProgressBar,
) -> Result<Vec<Position>> {
    let block = |block: u64| {
        let mut draw: Draw<'_> = match source {
            Source::Mixed => {
                let seed = derive_seed(seed, SeedSpace::Regret, &[block]);
                let mut games = MixedGames::new(game, RandomStream::new(seed));
                Box::new(move |_, stones| Ok(games.draw(stones)))
            }
            Source::Player(recipe) => {
                let mut players = [recipe.make(), recipe.make()];
                let mut positions = Vec::new();
                Box::new(move |number_and_attempt, stones| {
                    let seed = derive_seed(seed, SeedSpace::Regret, &number_and_attempt);
                    let mut random = RandomStream::new(seed);
                    play(game, &mut players, &mut random, &mut positions)?;
                    positions.retain(|position| stones.contains(&position.stones()));
                    let count = positions.len();
                    Ok((count > 0).then(|| positions[random.below(count)]))
                })
            }
        };
        let numbers = block * BLOCK..count.min((block + 1) * BLOCK);
        progress.inc(numbers.end - numbers.start);
        let sampled = numbers.map(|number| {
            let stones = stones(number);
            (0..MAX_GAMES)
                .find_map(|attempt| draw([number, attempt], &stones).transpose())
                .unwrap_or_else(|| Err(no_position(source.name(), &stones)))
        });
        sampled.collect::<Result<Vec<_>>>()
    };
    let blocks = (0..count.div_ceil(BLOCK)).into_par_iter().map(block);
    Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
}

/// Plays a game for a position by its number and attempt: one that has so many stones, if there is
/// one.
type Draw<'a> = Box<dyn FnMut([u64; 2], &RangeInclusive<u32>) -> Result<Option<Position>> + 'a>;

fn no_position(from: &str, stones: &RangeInclusive<u32>) -> MeasuringError {
    let (min, max) = stones.clone().into_inner();
    format!("{MAX_GAMES} games of {from} had no position of {min} to {max} stones; ask for others")
        .into()
}

/// One game of players with [`EXPLORATION`]; its positions, but not the end.
pub(super) fn play(
    game: &Standard,
    players: &mut [Box<dyn Player<Standard>>; 2],
    random: &mut RandomStream,
    positions: &mut Vec<Position>,
) -> Result<()> {
    // Not used any more, but the positions that follow are those of the committed suite.
    let _ = random.next_u64();
    let first = if random.below(2) == 0 { RED } else { BLUE };
    let start = game.random_start(random, first);
    let mut dice = DiceStream::new(random.next_u64(), game.die());
    let [seed_of_explored, seed_of_one, seed_of_other] = std::array::from_fn(|_| random.next_u64());
    let mut explored = Exploration::new(0, EXPLORATION, RandomStream::new(seed_of_explored));
    players[0].new_game(seed_of_one);
    players[1].new_game(seed_of_other);
    let [one, other] = players;
    let players: &mut [&mut dyn Player<Standard>] = &mut [one.as_mut(), other.as_mut()];
    let record = play_game(game, start, players, &mut dice, Some(&mut explored), None);
    let record = record.map_err(|failure| failure.to_string())?;
    positions.clear();
    positions.extend(record.positions(game).take(record.plies.len()));
    Ok(())
}
