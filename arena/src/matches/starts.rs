//! Start positions of a match's pairs. A start depends on the game, the number of the pair and the
//! seed alone.

use super::MatchOptions;
use alea_core::{
    game::Seat,
    random::{RandomStream, SeedSpace, derive_seed},
};
use alea_play::playable::Playable;
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

/// Source of start positions; both games of a pair have the same.
pub trait Starts<G: Playable>: Send + Sync {
    /// Start of a pair; `seed` determines random choices.
    fn of_pair(&self, game: &G, pair: u64, seed: u64) -> G::Position;

    /// Moves to the start of a pair, each with the position before it. Players are notified of
    /// them.
    fn opening_moves(&self, game: &G, pair: u64, seed: u64) -> Vec<(G::Position, G::Move)>;

    /// True for random starts; in games without chance one that was used is replaced.
    fn is_random(&self) -> bool {
        false
    }

    /// Distinguishes the starts in state files.
    fn identity(&self) -> Value;

    /// Short text for results.
    fn description(&self) -> String;

    /// Checks, before the first game, that every pair has a start.
    ///
    /// # Errors
    /// The reason, in one line.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The game's random start, then random moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Openings {
    /// Number of random moves; fewer if the next one would end the game.
    pub plies: usize,
}

impl Openings {
    /// Openings with the game's default number of random moves.
    #[must_use]
    pub fn by_default<G: Playable>() -> Self {
        Self {
            plies: G::INFO.opening_plies,
        }
    }

    /// Position after the random moves; `described` gets each move and the position before it.
    fn random_walk<G: Playable>(
        self,
        game: &G,
        pair: u64,
        seed: u64,
        mut described: impl FnMut(G::Position, G::Move),
    ) -> G::Position {
        let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[0]));
        let mut position = game.random_start(&mut random, (pair % 2) as Seat);
        for _ in 0..self.plies {
            let mv = game.sample_move(&position, random.next_u64());
            let next = game.play(&position, mv);
            if game.payoffs(&next).is_some() {
                break;
            }
            described(position, mv);
            position = next;
        }
        position
    }
}

impl<G: Playable> Starts<G> for Openings {
    fn of_pair(&self, game: &G, pair: u64, seed: u64) -> G::Position {
        self.random_walk(game, pair, seed, |_, _| {})
    }

    fn opening_moves(&self, game: &G, pair: u64, seed: u64) -> Vec<(G::Position, G::Move)> {
        let mut moves = Vec::new();
        self.random_walk(game, pair, seed, |position, mv| moves.push((position, mv)));
        moves
    }

    fn is_random(&self) -> bool {
        true
    }

    fn identity(&self) -> Value {
        match self.plies {
            0 => json!("random"),
            plies => json!({ "random_plies": plies }),
        }
    }

    fn description(&self) -> String {
        match self.plies {
            0 => "random".to_owned(),
            1 => "1 random ply".to_owned(),
            plies => format!("{plies} random plies"),
        }
    }
}

const MAX_START_ATTEMPTS: u64 = 100;

pub(super) struct Book<'a, G: Playable> {
    pub(super) options: &'a MatchOptions<G>,
    /// True in games without chance.
    pub(super) repeats_matter: bool,
    /// Keys of used starts, and for each pair the number of rejected samples; `None` if starts may
    /// repeat.
    sampled: Option<Mutex<(HashSet<u64>, Vec<u64>)>>,
}

impl<'a, G: Playable> Book<'a, G> {
    pub(super) fn new(options: &'a MatchOptions<G>, repeats_matter: bool) -> Self {
        let sampled = repeats_matter && options.starts.is_random();
        Self {
            options,
            repeats_matter,
            sampled: sampled.then(Mutex::default),
        }
    }

    pub(super) fn of_pair(&self, pair: u64) -> G::Position {
        let MatchOptions { game, starts, .. } = self.options;
        starts.of_pair(game, pair, self.seed_of_start(pair))
    }

    pub(super) fn opening_moves(&self, pair: u64) -> Vec<(G::Position, G::Move)> {
        let MatchOptions { game, starts, .. } = self.options;
        match self.repeats_matter {
            true => starts.opening_moves(game, pair, self.seed_of_start(pair)),
            false => Vec::new(),
        }
    }

    fn seed_of_start(&self, pair: u64) -> u64 {
        let MatchOptions { game, starts, .. } = self.options;
        let seed = |pair: u64, vain: u64| match (self.options.pair_seed(pair), vain) {
            (seed, 0) => seed,
            (seed, vain) => derive_seed(seed, SeedSpace::Arena, &[2, vain]),
        };
        let Some(sampled) = &self.sampled else {
            return seed(pair, 0);
        };
        let draw = |pair, vain| game.key(&starts.of_pair(game, pair, seed(pair, vain)));
        // In the order of pairs, so that threads do not decide which of two equal starts is
        // replaced.
        let mut sampled = sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let (seen, vain) = &mut *sampled;
        for next in vain.len() as u64..=pair {
            let new = (0..MAX_START_ATTEMPTS).find(|&vain| seen.insert(draw(next, vain)));
            vain.push(new.unwrap_or(0));
        }
        seed(pair, vain[pair as usize])
    }
}

/// True if some position of one random game has several outcomes of chance.
pub(super) fn has_chance<G: Playable>(game: &G) -> bool {
    let mut random = RandomStream::new(0);
    let mut position = game.random_start(&mut random, 0);
    while game.payoffs(&position).is_none() {
        let mut moves = G::Moves::default();
        game.moves(&position, &mut moves);
        if game.outcomes(&position, &moves).len() > 1 {
            return true;
        }
        position = game.play(&position, game.sample_move(&position, random.next_u64()));
    }
    false
}
