//! Start positions of a match.

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

/// Source of the start positions of a match, one for each pair of games.
pub trait Starts<G: Playable>: Send + Sync {
    /// Start position of both games of pair `pair`; `seed` determines random choices.
    fn of_pair(&self, game: &G, pair: u64, seed: u64) -> G::Position;

    /// Moves that lead to [`Self::of_pair`], each with the position before it; players are notified
    /// of these moves in games without chance.
    fn opening_moves(&self, game: &G, pair: u64, seed: u64) -> Vec<(G::Position, G::Move)>;

    /// True if starts depend on `seed`; in games without chance, a start that an earlier pair had
    /// is then sampled again.
    fn is_random(&self) -> bool {
        false
    }

    /// JSON that state files store: a match does not continue a file with other starts.
    fn identity(&self) -> Value;

    /// Short text for results, such as `4 random plies`.
    fn description(&self) -> String;

    /// Checks, before the first game, that every pair has a start.
    ///
    /// # Errors
    /// The reason, in one line.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Starts after random moves from a random start of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Openings {
    /// Number of random moves; a move that would end the game is not played, nor any after it.
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
    pub(super) repeats_matter: bool,
    /// Hashes of used starts, and for each pair the number of rejected samples; `None` if starts
    /// may repeat.
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
        // In the order of pairs: threads must not decide which of two equal starts is replaced.
        let mut sampled = sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let (seen, vain) = &mut *sampled;
        for next in vain.len() as u64..=pair {
            let new = (0..MAX_START_ATTEMPTS).find(|&vain| seen.insert(draw(next, vain)));
            vain.push(new.unwrap_or(0));
        }
        seed(pair, vain[pair as usize])
    }
}

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
