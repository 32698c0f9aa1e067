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
    random: [RandomPlayer<Standard>; 2],
    greedy: [GreedyPlayer; 2],
    /// Those of [`Source::Player`].
    own: Vec<Box<dyn Player<Standard>>>,
    positions: Vec<Position>,
}

impl<'a> Players<'a> {
    fn new(game: &'a Standard, source: &'a Source) -> Self {
        let own = match source {
            Source::Mixed => Vec::new(),
            Source::Player(recipe) => vec![recipe.make(), recipe.make()],
        };
        let random = std::array::from_fn(|_| RandomPlayer::new(game.clone()));
        let greedy = std::array::from_fn(|_| GreedyPlayer::new(game.clone()));
        Self { game, source, random, greedy, own, positions: Vec::new() }
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
        // Seeding a generator takes time: only those are seeded that are used.
        let [seed_of_explored, seed_of_one, seed_of_other] = std::array::from_fn(|_| random.next_u64());
        let mut explored = match self.source {
            Source::Mixed if is_random => None,
            _ => Some(Exploration { opening_plies: 0, share: EXPLORATION, random: RandomStream::new(seed_of_explored) }),
        };
        let seeds = [seed_of_one, if self.own.is_empty() && is_random { random.next_u64() } else { seed_of_other }];
        let mut players: Vec<&mut dyn Player<Standard>> = match self.source {
            Source::Mixed if is_random => self.random.iter_mut().map(|player| player as &mut dyn Player<Standard>).collect(),
            Source::Mixed => self.greedy.iter_mut().map(|player| player as &mut dyn Player<Standard>).collect(),
            Source::Player(_) => self.own.iter_mut().map(|player| &mut **player as &mut dyn Player<Standard>).collect(),
        };
        for (player, seed) in players.iter_mut().zip(seeds) {
            player.new_game(seed);
        }
        let record = play_game(self.game, start, &mut players, &mut dice, explored.as_mut(), None);
        self.positions.clear();
        self.positions.extend(record.positions(self.game).take(record.plies.len()));
    }
}
