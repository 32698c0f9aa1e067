//! Replays a game and checks its moves against the rules.

use alea_core::{
    game::{List, Payoffs},
    record::Ending,
};
use alea_play::playable::Playable;

pub(crate) const NO_RESULT: &str = "it stops without a result";

pub(crate) struct Replay<'a, G: Playable> {
    game: &'a G,
    position: G::Position,
    payoffs: Option<Payoffs>,
    permitted: G::Moves,
    plies: usize,
}

impl<'a, G: Playable> Replay<'a, G> {
    pub(crate) fn new(game: &'a G, start: G::Position) -> Self {
        Self {
            game,
            position: start,
            payoffs: game.payoffs(&start),
            permitted: G::Moves::default(),
            plies: 0,
        }
    }

    pub(crate) fn position(&self) -> &G::Position {
        &self.position
    }

    pub(crate) fn payoffs(&self) -> Option<Payoffs> {
        self.payoffs
    }

    #[cold]
    pub(crate) fn ply_error(&self, problem: &str) -> String {
        format!("ply {}: {problem}", self.plies)
    }

    /// Plays a move; returns its index among those that the outcome allows.
    #[inline]
    pub(crate) fn play(&mut self, outcome: u8, mv: G::Move) -> Result<usize, String> {
        self.list_moves(outcome)?;
        match self.permitted.iter().position(|&permitted| permitted == mv) {
            Some(index) => {
                self.apply_move(mv);
                Ok(index)
            }
            None => Err(self.ply_error("the outcome does not allow the move")),
        }
    }

    #[inline]
    pub(crate) fn play_at(&mut self, outcome: u8, index: usize) -> Result<G::Move, String> {
        self.list_moves(outcome)?;
        let Some(&mv) = self.permitted.get(index) else {
            return Err(self.ply_error("the outcome does not allow the move"));
        };
        self.apply_move(mv);
        Ok(mv)
    }

    #[inline]
    fn list_moves(&mut self, outcome: u8) -> Result<(), String> {
        if self.payoffs.is_some() {
            return Err(self.ply_error("the game was over before"));
        }
        self.permitted.clear();
        self.game
            .allowed_moves(&self.position, outcome, &mut self.permitted);
        if self.permitted.is_empty() {
            return Err(self.ply_error("there is no such outcome"));
        }
        Ok(())
    }

    #[inline]
    fn apply_move(&mut self, mv: G::Move) {
        self.position = self.game.play(&self.position, mv);
        self.payoffs = self.game.payoffs(&self.position);
        self.plies += 1;
    }

    /// Payoffs by the rules if they ended the game, else `stated`, the recorded ones.
    ///
    /// # Errors
    /// If ending and moves contradict each other, or the stated payoffs are impossible.
    pub(crate) fn finish(self, ending: Ending, stated: &Payoffs) -> Result<Payoffs, String> {
        let (given, others) = stated.split_at(self.game.seats());
        let sum: f32 = given.iter().sum();
        let possible = given.iter().all(|payoff| (0.0..=1.0).contains(payoff))
            && others.iter().all(|payoff| payoff.to_bits() == 0)
            && (given.len() > 2 || sum == 1.0);
        match (ending, self.payoffs) {
            (Ending::Played, Some(payoffs)) => Ok(payoffs),
            (Ending::Played, None) => Err(NO_RESULT.to_owned()),
            (_, Some(_)) => Err(format!(
                "its moves end it by the rules; its ending is not '{ending}'"
            )),
            (_, None) if self.plies == 0 => Err("it ended before its first move".to_owned()),
            (_, None) if !possible => Err("its payoffs are impossible".to_owned()),
            (_, None) => Ok(*stated),
        }
    }
}

pub(crate) fn check_players<G: Playable>(
    game: &G,
    players: &[u8],
    player_count: usize,
) -> Result<(), String> {
    let seats = game.seats();
    if players.len() != seats {
        return Err(format!("it has {} players, not {seats}", players.len()));
    }
    if players
        .iter()
        .any(|&player| usize::from(player) >= player_count)
    {
        return Err("has a player that is not in the header".to_owned());
    }
    Ok(())
}
