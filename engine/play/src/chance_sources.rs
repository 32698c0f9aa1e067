//! Chance outcomes of played and recorded games: sources, numbers and allowed moves.

use super::{
    player_notation::{Arguments, Problem},
    rules::Rules,
};
use alea_core::{
    game::{ChanceSource, List, Outcome, OutcomeList, keep_range},
    random::{RandomStream, SeedSpace, derive_seed},
    search_game::SearchGame,
};
use std::ops::RangeInclusive;

/// A [`ChanceSource`] whose outcomes a seed determines.
pub trait SeededChance<G: SearchGame>: ChanceSource<G> + Send {
    /// Makes the source that `seed` determines.
    fn from_seed(game: &G, seed: u64) -> Self;
}

/// A chance source that can restart for the second game of a pair.
pub trait Repeatable {
    /// Restarts at the first outcome.
    fn rewind(&mut self);
}

/// A game with its chance sources: [`NoChance`], [`OutcomeListSampler`], or types of its own.
pub trait ChanceSources: Rules {
    /// Source for games that are not paired.
    type Chance: SeededChance<Self>;

    /// Source for both games of a pair: a seat's k-th outcome depends only on the seed and k.
    type PairedChance: SeededChance<Self> + Repeatable;

    /// Makes the source for one game.
    fn chance(&self, seed: u64) -> Self::Chance {
        Self::Chance::from_seed(self, seed)
    }

    /// Makes the source for a pair of games.
    fn paired_chance(&self, seed: u64) -> Self::PairedChance {
        Self::PairedChance::from_seed(self, seed)
    }

    /// Replaces `moves` by those that an outcome allows, in list order; none for an invalid number.
    /// The position must not be over. By default outcomes are numbered by their index in
    /// `Game::outcomes`.
    fn allowed_moves(&self, position: &Self::Position, outcome: u8, moves: &mut Self::Moves) {
        let index = usize::from(outcome);
        if Self::SEPARATE_OUTCOMES {
            moves.clear();
            if index < self.outcomes(position, &[]).len() {
                self.moves_for(position, index, moves);
            }
            return;
        }
        self.moves(position, moves);
        let outcomes = self.outcomes(position, moves);
        let outcome = outcomes.get(index);
        keep_range(moves, outcome.map_or(0..0, Outcome::move_range));
    }

    /// Moves that a chance outcome allows, or all moves (`None`); none once the game is over.
    fn legal_moves(&self, position: &Self::Position, outcome: Option<u8>) -> Self::Moves {
        let mut moves = Self::Moves::default();
        match outcome {
            _ if self.payoffs(position).is_some() => {}
            Some(outcome) => self.allowed_moves(position, outcome, &mut moves),
            None => self.moves(position, &mut moves),
        }
        moves
    }

    /// Range of outcome numbers in records.
    fn outcome_numbers(&self) -> RangeInclusive<u8> {
        0..=(Self::Outcomes::CAPACITY - 1) as u8
    }

    /// Name of an outcome in texts, such as `3` or `31`.
    fn outcome_name(&self, outcome: u8) -> String {
        outcome.to_string()
    }

    /// Parses an [`ChanceSources::outcome_name`].
    ///
    /// # Errors
    /// If no outcome has this name.
    fn parse_outcome(&self, text: &str) -> Result<u8, String> {
        let mut outcomes = self.outcome_numbers();
        let (first, last) = (*outcomes.start(), *outcomes.end());
        outcomes
            .find(|&outcome| self.outcome_name(outcome) == text)
            .ok_or_else(|| {
                let [first, last] = [first, last].map(|outcome| self.outcome_name(outcome));
                format!("the die shows {first} to {last}, not {text}")
            })
    }

    /// The same rules with the chance that a player's options assume, such as a loaded die.
    ///
    /// # Errors
    /// If an option has an invalid value. The caller refuses unread options.
    fn with_assumed_chance(&self, arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let _ = arguments;
        Ok(self.clone())
    }

    /// The same rules, but outcomes with the same moves stay separate in `Game::outcomes`, as in
    /// published searches.
    #[must_use]
    fn with_unmerged_outcomes(&self) -> Self {
        self.clone()
    }
}

/// Source that samples from `Game::outcomes`, with one random stream per seat.
#[derive(Clone, Debug)]
pub struct OutcomeListSampler {
    seed: u64,
    seats: Vec<RandomStream>,
}

impl OutcomeListSampler {
    fn new(seed: u64, seats: usize) -> Self {
        let stream = |seat| RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[seat]));
        Self {
            seed,
            seats: (0..seats as u64).map(stream).collect(),
        }
    }
}

impl<G: SearchGame> SeededChance<G> for OutcomeListSampler {
    fn from_seed(game: &G, seed: u64) -> Self {
        Self::new(seed, game.seats())
    }
}

impl<G: SearchGame> ChanceSource<G> for OutcomeListSampler {
    fn draw(&mut self, game: &G, position: &G::Position) -> (u8, G::Moves) {
        let mut moves = G::Moves::default();
        if !G::SEPARATE_OUTCOMES {
            game.moves(position, &mut moves);
        }
        let outcomes = game.outcomes(position, &moves);
        let mut rest = self.seats[game.to_move(position)].uniform_f64() as f32;
        let passes = |outcome: &&Outcome| {
            rest -= outcome.weight;
            rest >= 0.0
        };
        let sampled = outcomes.iter().take_while(passes).count();
        let sampled = sampled.min(outcomes.len() - 1);
        if G::SEPARATE_OUTCOMES {
            game.moves_for(position, sampled, &mut moves);
        } else {
            keep_range(&mut moves, outcomes[sampled].move_range());
        }
        (sampled as u8, moves)
    }
}

impl Repeatable for OutcomeListSampler {
    fn rewind(&mut self) {
        *self = Self::new(self.seed, self.seats.len());
    }
}

/// Source for games without chance: outcome 0 allows every move.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoChance;

impl<G: SearchGame> SeededChance<G> for NoChance {
    fn from_seed(_: &G, _: u64) -> Self {
        Self
    }
}

impl<G: SearchGame> ChanceSource<G> for NoChance {
    fn draw(&mut self, game: &G, position: &G::Position) -> (u8, G::Moves) {
        let mut moves = G::Moves::default();
        game.moves(position, &mut moves);
        (0, moves)
    }
}

impl Repeatable for NoChance {
    fn rewind(&mut self) {}
}
