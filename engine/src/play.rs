//! The one game loop, shared by self-play, arena and every study.
//!
//! A game is a pure function of its start, its players (with the seed each was given) and its chance, unless players
//! ponder: each of these has a thread of its own while another decides, which ends with the decision.

use crate::game::{Chance, Game, Seat};
use crate::player::{Decision, Player};
use crate::random::RandomStream;
use crate::record::{GameRecord, Ply};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
        let mut taken = None;
        let (mv, value) = match exploration.as_mut() {
            Some(exploration) if explores => {
                let mv = legal[exploration.random.below(legal.len())];
                (mv, players[seat].analyse(&position, Some(&[mv])).moves[0].1)
            }
            _ => {
                let decision = decide(players, seat, &position, &legal, &mut taken);
                (decision.best, decision.value)
            }
        };
        if let (Some(effort), Some(began)) = (effort.as_mut(), began) {
            effort.decisions[seat] += 1;
            effort.time[seat] += taken.unwrap_or_else(|| began.elapsed());
        }
        plies.push(Ply { outcome, mv, value, explored: explores });
        position = game.play(&position, mv);
    }
}

/// Asks a player while those of the others that ponder think about the position too; they do not know what chance said.
///
/// `taken` is the time of the decision alone, if it is not all that passes.
fn decide<G: Game>(
    players: &mut [&mut dyn Player<G>],
    seat: Seat,
    position: &G::Position,
    legal: &[G::Move],
    taken: &mut Option<Duration>,
) -> Decision<G::Move> {
    if players.iter().enumerate().all(|(other, player)| other == seat || !player.ponders()) {
        return players[seat].decide(position, legal);
    }
    let (before, rest) = players.split_at_mut(seat);
    let (decides, after) = rest.split_at_mut(1);
    let stop = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        for other in before.iter_mut().chain(after).filter(|other| other.ponders()) {
            let stop = &stop;
            scope.spawn(move || other.ponder(position, stop));
        }
        let _stops = StopsWhenDropped(&stop);
        let began = Instant::now();
        let decision = decides[0].decide(position, legal);
        *taken = Some(began.elapsed());
        decision
    })
}

/// Ends the pondering, even if the player that decides panics: the others would think for ever.
struct StopsWhenDropped<'a>(&'a AtomicBool);

impl Drop for StopsWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
