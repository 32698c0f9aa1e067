//! Positions on which regret is measured: one of a game, drawn from self-play of a stated kind.
//!
//! Invariant: position `k` is a function of the source, the seed and `k`; the more positions are asked for, the same the
//! first of them are. A game that has no position with so many stones is followed by another one.

use super::RegretError;
use engine::dice::DiceStream;
use engine::games::einstein::{BLUE, Position, RED, Standard};
use engine::play::{Exploration, play_game};
use engine::player::Player;
use engine::player::build::PlayerRecipe;
use engine::player::notation::PlayerError;
use engine::player::simple::{GreedyPlayer, RandomPlayer};
use engine::random::{RandomStream, SeedSpace, derive_seed};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Share of random moves in games of players that are not random anyway.
pub const EXPLORATION: f64 = 0.1;

/// Games that are tried for one position.
const MOST_GAMES: u64 = 10_000;

/// The name of [`Source::Mixed`] in arguments.
pub const MIXED: &str = "mixed";

/// Who plays the games that positions are taken from, against themselves.
pub enum Source {
    /// Half the games uniformly random, half greedy with [`EXPLORATION`], whether or not they come to a wanted position.
    Mixed,
    /// One player with [`EXPLORATION`].
    Player(Box<PlayerRecipe>),
}

impl Source {
    /// `mixed`, or a player's notation.
    ///
    /// # Errors
    /// If the notation is wrong.
    pub fn parse(text: &str, game: &Standard) -> Result<Self, PlayerError> {
        if text.trim() == MIXED { Ok(Self::Mixed) } else { Ok(Self::Player(Box::new(PlayerRecipe::parse(text, game)?))) }
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

/// Draws `count` positions. `stones(k)` is how many stones position `k` may have in all; which of the positions of its
/// game that have so many is drawn with equal chances.
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
) -> Result<Vec<Position>, RegretError> {
    /// Positions drawn with the same players: more than a few, because players may own large tables.
    const BLOCK: u64 = 64;
    let blocks: Result<Vec<Vec<Position>>, RegretError> = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let mut players = Players::new(game, source);
            let numbers = block * BLOCK..count.min((block + 1) * BLOCK);
            let drawn = numbers.clone().map(|number| players.draw(stones(number), seed, number)).collect();
            progress.inc(numbers.end - numbers.start);
            drawn
        })
        .collect();
    Ok(blocks?.concat())
}

/// Players of one thread.
struct Players<'a> {
    game: &'a Standard,
    source: &'a Source,
    players: [Box<dyn Player<Standard>>; 2],
    positions: Vec<Position>,
}

impl<'a> Players<'a> {
    fn new(game: &'a Standard, source: &'a Source) -> Self {
        let players: [Box<dyn Player<Standard>>; 2] = match source {
            Source::Mixed => [Box::new(RandomPlayer::new(game.clone())), Box::new(GreedyPlayer::new(game.clone()))],
            Source::Player(recipe) => [recipe.make(), recipe.make()],
        };
        Self { game, source, players, positions: Vec::new() }
    }

    fn draw(&mut self, stones: RangeInclusive<u32>, seed: u64, number: u64) -> Result<Position, RegretError> {
        for attempt in 0..MOST_GAMES {
            let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Regret, &[number, attempt]));
            self.play(&mut random);
            self.positions.retain(|position| stones.contains(&position.stones()));
            if !self.positions.is_empty() {
                return Ok(self.positions[random.below(self.positions.len())]);
            }
        }
        let (fewest, most) = (*stones.start(), *stones.end());
        Err(RegretError::NoPosition { games: MOST_GAMES, from: self.source.name().to_owned(), fewest, most })
    }

    /// One game; its positions, but not the end.
    fn play(&mut self, random: &mut RandomStream) {
        // Half the games, not half the positions: greedy games are often over before few stones are left.
        let is_random = random.below(2) == 0;
        let first = if random.below(2) == 0 { RED } else { BLUE };
        let start = self.game.random_start(random, first);
        let mut dice = DiceStream::new(random.next_u64(), self.game.die());
        // Seeding a generator costs as much as half a game: only those are seeded that are used.
        let [seed_of_explored, seed_of_one, seed_of_other] = std::array::from_fn(|_| random.next_u64());
        let explored = || Exploration { opening_plies: 0, share: EXPLORATION, random: RandomStream::new(seed_of_explored) };
        let [one, other] = &mut self.players;
        let record = match self.source {
            Source::Mixed if is_random => {
                one.new_game(seed_of_one);
                let mut twin = RandomPlayer::new(self.game.clone());
                twin.new_game(random.next_u64());
                play_game(self.game, start, &mut [&mut **one, &mut twin], &mut dice, None, None)
            }
            Source::Mixed => {
                let mut twin = GreedyPlayer::new(self.game.clone());
                play_game(self.game, start, &mut [&mut **other, &mut twin], &mut dice, Some(&mut explored()), None)
            }
            Source::Player(_) => {
                one.new_game(seed_of_one);
                other.new_game(seed_of_other);
                play_game(self.game, start, &mut [&mut **one, &mut **other], &mut dice, Some(&mut explored()), None)
            }
        };
        self.positions.clear();
        self.positions.extend(record.positions(self.game).take(record.plies.len()));
    }
}
