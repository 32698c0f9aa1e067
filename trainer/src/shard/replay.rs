//! A game replayed ply by ply: every move is checked against the rules.

use engine::core::game::Game;
use engine::games::einstein::{Move, Position, Standard};

const FACES: u8 = 6;

/// A game of which some plies have been made.
pub struct Replay<'a> {
    rules: &'a Standard,
    position: Position,
    winner: Option<usize>,
    plies: usize,
}

impl<'a> Replay<'a> {
    /// A game that begins; its players are indices below `known`.
    ///
    /// # Errors
    /// In words, if there is no such player.
    pub fn new(
        rules: &'a Standard,
        start: Position,
        players: [u8; 2],
        known: usize,
    ) -> Result<Self, String> {
        if players.iter().any(|&player| usize::from(player) >= known) {
            return Err("names a player that the header does not".to_owned());
        }
        Ok(Self {
            rules,
            position: start,
            winner: rules.winner(&start),
            plies: 0,
        })
    }

    /// The position before the next ply.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Who has won, if it is over.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        self.winner
    }

    /// The problem with the current ply.
    #[cold]
    #[must_use]
    pub fn wrong(&self, problem: &str) -> String {
        format!("ply {}: {problem}", self.plies)
    }

    /// Makes a ply.
    ///
    /// # Errors
    /// In words, if the rules do not permit it.
    #[inline]
    pub fn play(&mut self, die: u8, mv: Move) -> Result<(), String> {
        if self.winner.is_some() {
            return Err(self.wrong("the game was over before"));
        }
        if !(1..=FACES).contains(&die) {
            return Err(self.wrong("the die shows no face"));
        }
        if !self.rules.permits(&self.position, die, mv) {
            return Err(self.wrong("the die does not permit the move"));
        }
        self.position = self.rules.play(&self.position, mv);
        self.winner = self.rules.winner(&self.position);
        self.plies += 1;
        Ok(())
    }

    /// The winner, who has to be the one stored.
    ///
    /// # Errors
    /// In words, if it is not, or the game has no end.
    pub fn finish(self, stored: u8) -> Result<usize, String> {
        let winner = self.winner.ok_or("it has no end")?;
        if winner == usize::from(stored) {
            Ok(winner)
        } else {
            Err("the winner is another than the moves say".to_owned())
        }
    }
}
