//! Samples positions to measure regret, one from each self-play game. Position `k` depends only on
//! the source, the seed, `k` and the allowed range of
//! [`remaining_length`](alea_play::rules::Rules::remaining_length), such as the number of stones.

use super::random_greedy_games::mixed_sampler;
use crate::error::{MeasuringError, Result};
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_einstein::Standard;
use alea_play::{
    build::PlayerRecipe,
    game_loop::{Exploration, play_game},
    playable::Playable,
    player::Player,
    player_notation::{NotationError, trusted_text},
};
use indicatif::ProgressBar;
use std::{any::Any, ops::RangeInclusive};

/// Probability, in each decision of a sampled game, of a random move instead of the player's.
pub const EXPLORATION_RATE: f64 = 0.1;

pub(crate) const BLOCK_POSITIONS: u64 = 64;

const MAX_GAMES: u64 = 10_000;

/// Spec of [`Source::Mixed`] on the command line.
pub const MIXED_SOURCE: &str = "mixed";

/// Plays a game and samples one of its positions with remaining length in the range; `None` if
/// there is none.
pub(super) type PickPosition<'a, G> =
    Box<dyn FnMut(&RangeInclusive<usize>) -> Option<<G as alea_core::game::Game>::Position> + 'a>;

/// Creates the sampler of [`Source::Mixed`] from the rules and a random stream.
pub type MixedSamplerFactory<G> = fn(&G, RandomStream) -> PickPosition<'_, G>;

/// Games from which positions are sampled.
pub enum Source<G: Playable> {
    /// Games of EinStein alone: half uniformly random, half greedy with [`EXPLORATION_RATE`].
    Mixed(MixedSamplerFactory<G>),
    /// Self-play of a player with [`EXPLORATION_RATE`].
    Player(Box<PlayerRecipe<G>>),
}

impl<G: Playable> Source<G> {
    /// `mixed` for EinStein, the player `random` for other games.
    ///
    /// # Errors
    /// Never: the notation `random` is valid.
    pub fn default_of(game: &G) -> Result<Self, NotationError> {
        Self::mixed_source().map_or_else(|| Self::parse("random", game), Ok)
    }

    fn mixed_source() -> Option<Self> {
        let games: MixedSamplerFactory<Standard> = mixed_sampler;
        (&games as &dyn Any)
            .downcast_ref()
            .copied()
            .map(Self::Mixed)
    }

    /// Parses `mixed` (EinStein only) or a player's notation.
    ///
    /// # Errors
    /// If the notation is invalid.
    pub fn parse(text: &str, game: &G) -> Result<Self, NotationError> {
        match (text.trim(), Self::mixed_source()) {
            (MIXED_SOURCE, Some(mixed)) => Ok(mixed),
            _ => Ok(Self::Player(Box::new(PlayerRecipe::parse(
                trusted_text(text),
                game,
            )?))),
        }
    }

    /// `mixed` or the player's notation.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Mixed(_) => MIXED_SOURCE,
            Self::Player(recipe) => recipe.name(),
        }
    }

    /// Description of the games for readers of a report.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Mixed(_) => {
                "half the games random, half greedy with 10 % random moves".to_owned()
            }
            Self::Player(recipe) => format!("games of {} with 10 % random moves", recipe.name()),
        }
    }
}

/// Samples `count` positions; position `k` is sampled uniformly from those of one game whose
/// remaining length is in the range `remaining(k)`.
///
/// # Errors
/// If too many games in a row have no such position.
pub fn draw_positions<G: Playable>(
    game: &G,
    source: &Source<G>,
    remaining: impl Fn(u64) -> RangeInclusive<usize> + Sync,
    count: u64,
    seed: u64,
    progress: &ProgressBar,
) -> Result<Vec<G::Position>> {
    let block = |block: usize| {
        let block = block as u64;
        let mut draw: DrawPosition<'_, G> = match source {
            Source::Mixed(games) => {
                let seed = derive_seed(seed, SeedSpace::Regret, &[block]);
                let mut pick = games(game, RandomStream::new(seed));
                Box::new(move |_, remaining| Ok(pick(remaining)))
            }
            Source::Player(recipe) => {
                let mut players = [recipe.make(), recipe.make()];
                let mut positions = Vec::new();
                Box::new(move |number_and_attempt, remaining| {
                    let seed = derive_seed(seed, SeedSpace::Regret, &number_and_attempt);
                    let mut random = RandomStream::new(seed);
                    play(game, &mut players, &mut random, &mut positions)?;
                    positions
                        .retain(|position| remaining.contains(&game.remaining_length(position)));
                    let count = positions.len();
                    Ok((count > 0).then(|| positions[random.below(count)]))
                })
            }
        };
        let numbers = block * BLOCK_POSITIONS..count.min((block + 1) * BLOCK_POSITIONS);
        progress.inc(numbers.end - numbers.start);
        let sampled = numbers.map(|number| {
            let remaining = remaining(number);
            (0..MAX_GAMES)
                .find_map(|attempt| draw([number, attempt], &remaining).transpose())
                .unwrap_or_else(|| Err(no_position_error::<G>(source.name(), &remaining)))
        });
        sampled.collect::<Result<Vec<_>>>()
    };
    Ok(alea_parallel::try_map(count.div_ceil(BLOCK_POSITIONS) as usize, block)?.concat())
}

type DrawPosition<'a, G> = Box<
    dyn FnMut(
            [u64; 2],
            &RangeInclusive<usize>,
        ) -> Result<Option<<G as alea_core::game::Game>::Position>>
        + 'a,
>;

fn no_position_error<G: Playable>(from: &str, remaining: &RangeInclusive<usize>) -> MeasuringError {
    let ((min, max), unit) = (remaining.clone().into_inner(), G::INFO.remaining_unit);
    format!("{MAX_GAMES} games of {from} had no position of {min} to {max} {unit}; ask for others")
        .into()
}

/// Plays a game with [`EXPLORATION_RATE`]; fills `positions` with all but the final one.
pub(super) fn play<G: Playable>(
    game: &G,
    players: &mut [Box<dyn Player<G>>; 2],
    random: &mut RandomStream,
    positions: &mut Vec<G::Position>,
) -> Result<()> {
    // Unused, but committed suites depend on this random number being consumed.
    let _ = random.next_u64();
    let first = random.below(2);
    let start = game.random_start(random, first);
    let mut chance = game.chance(random.next_u64());
    let [seed_of_explored, seed_of_one, seed_of_other] = std::array::from_fn(|_| random.next_u64());
    let mut explored = Exploration::new(0, EXPLORATION_RATE, RandomStream::new(seed_of_explored));
    players[0].new_game(seed_of_one);
    players[1].new_game(seed_of_other);
    let [one, other] = players;
    let players: &mut [&mut dyn Player<G>] = &mut [one.as_mut(), other.as_mut()];
    let record = play_game(game, start, players, &mut chance, Some(&mut explored), None);
    let record = record.map_err(|failure| failure.to_string())?;
    positions.clear();
    positions.extend(record.positions(game).take(record.plies.len()));
    Ok(())
}
