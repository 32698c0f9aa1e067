//! Players without search: random moves, and greedy ones.

use crate::core::game::Game;
use crate::core::random::RandomStream;
use crate::games::einstein::{Move, Position, Standard};
use crate::play::player::{Analysis, Decision, Player};
use crate::search::SearchStats;

/// Plays any legal move with equal probability.
#[derive(Clone, Debug)]
pub struct RandomPlayer<G> {
    game: G,
    random: RandomStream,
}

impl<G> RandomPlayer<G> {
    /// A random player of a game.
    pub fn new(game: G) -> Self {
        Self {
            game,
            random: RandomStream::new(0),
        }
    }
}

impl<G: Game> Player<G> for RandomPlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.random = RandomStream::new(seed);
    }

    fn decide(&mut self, _position: &G::Position, legal: &[G::Move]) -> Decision<G::Move> {
        Decision {
            best: legal[self.random.below(legal.len())],
            value: None,
            stats: SearchStats::default(),
        }
    }

    fn analyse(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Analysis<G::Move> {
        unrated(&self.game, position, legal)
    }
}

/// Plays, of the legal moves, the one whose destination is nearest to the goal, then the one with
/// most progress along rows and columns, then the first (our reading of Monte_Alpha's Greedy).
#[derive(Clone, Debug)]
pub struct GreedyPlayer {
    game: Standard,
}

impl GreedyPlayer {
    /// A greedy player.
    #[must_use]
    pub fn new(game: Standard) -> Self {
        Self { game }
    }

    /// What it plays of some legal moves.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    #[inline]
    pub fn choice(position: &Position, legal: &[Move]) -> Move {
        // Of equal keys `min_by_key` takes the first.
        let best = legal
            .iter()
            .min_by_key(|&&mv| distances_to_goal(Standard::destination(position, mv)));
        *best.expect("a position that is not over has a legal move")
    }
}

/// How far a square is from the goal in king's moves, and then along rows and columns; smaller is
/// better.
fn distances_to_goal(square: u8) -> (u8, u8) {
    let (rows, columns) = (4 - square / 5, 4 - square % 5);
    (rows.max(columns), rows + columns)
}

impl Player<Standard> for GreedyPlayer {
    fn new_game(&mut self, _seed: u64) {}

    fn decide(&mut self, position: &Position, legal: &[Move]) -> Decision<Move> {
        let best = Self::choice(position, legal);
        Decision {
            best,
            value: None,
            stats: SearchStats::default(),
        }
    }

    fn analyse(&mut self, position: &Position, legal: Option<&[Move]>) -> Analysis<Move> {
        let line = legal.map(|legal| self.decide(position, legal).best);
        Analysis {
            line: line.into_iter().collect(),
            ..unrated(&self.game, position, legal)
        }
    }
}

/// The moves without values.
fn unrated<G: Game>(
    game: &G,
    position: &G::Position,
    legal: Option<&[G::Move]>,
) -> Analysis<G::Move> {
    let mut all = G::Moves::default();
    let moves = legal.unwrap_or_else(|| {
        game.moves(position, &mut all);
        &all
    });
    Analysis {
        moves: moves.iter().map(|&mv| (mv, None)).collect(),
        line: Vec::new(),
        stats: SearchStats::default(),
        tree: None,
    }
}
