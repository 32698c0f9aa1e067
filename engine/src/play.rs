//! The one game loop, shared by self-play, arena and every study.
//!
//! A game is a pure function of its start, its players (with the seed each was given) and its chance.

use crate::game::{Chance, Game};
use crate::player::Player;
use crate::random::RandomStream;
use crate::record::{GameRecord, Ply};
use std::time::{Duration, Instant};

/// Moves that are made at random instead of being chosen, so that training sees more than best play.
#[derive(Debug)]
pub struct Exploration {
    /// Plies at the start that are all random.
    pub opening_plies: usize,
    /// Probability of a random move at every later ply.
    pub share: f64,
    /// Where the choices come from.
    pub random: RandomStream,
}

/// What the players spent on a game, by seat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Moves decided.
    pub decisions: [u64; 2],
    /// Wall time spent deciding.
    pub time: [Duration; 2],
}

/// Plays one game to its end. `players[seat]` moves for that seat; each has been told of the new game.
///
/// Times are only taken if `effort` is given.
pub fn play_game<G: Game>(
    game: &G,
    start: G::Position,
    players: &mut [&mut dyn Player<G>],
    chance: &mut impl Chance<G>,
    mut exploration: Option<&mut Exploration>,
    mut effort: Option<&mut Effort>,
) -> GameRecord<G> {
    let mut position = start;
    let mut plies = Vec::with_capacity(24);
    loop {
        if let Some(payoffs) = game.payoffs(&position) {
            return GameRecord { start, plies, payoffs };
        }
        let seat = game.to_move(&position);
        let (outcome, legal) = chance.draw(game, &position);
        let explores = exploration.as_mut().is_some_and(|exploration| {
            // Drawn at every ply, so that the opening plies do not shift what follows.
            let draw = exploration.random.unit();
            plies.len() < exploration.opening_plies || draw < exploration.share
        });
        let began = effort.is_some().then(Instant::now);
        let (mv, value) = match exploration.as_mut() {
            Some(exploration) if explores => {
                let mv = legal[exploration.random.below(legal.len())];
                (mv, players[seat].analyse(&position, Some(&[mv])).moves[0].1)
            }
            _ => {
                let decision = players[seat].decide(&position, &legal);
                (decision.best, decision.value)
            }
        };
        if let (Some(effort), Some(began)) = (effort.as_mut(), began) {
            effort.decisions[seat] += 1;
            effort.time[seat] += began.elapsed();
        }
        plies.push(Ply { outcome, mv, value, explored: explores });
        position = game.play(&position, mv);
    }
}
