//! The game loop. Start, chance source and seeds determine a game of reproducible players.

mod decide;
mod exploration;

pub(crate) use exploration::boltzmann_index;
pub use exploration::{Exploration, Fading};

use crate::player::{Failure, GameEvent, MoveValue, Player};
use alea_core::{
    game::{ChanceSource, Game, MAX_SEATS, Seat, mean_other_payoff},
    monotonic_clock::Instant,
    oracle::Oracle,
    record::{Ending, GameRecord, Ply},
};
use alea_search::limits::Limits;
use decide::{Crash, decide};
use std::{any::Any, panic::resume_unwind, time::Duration};

/// Number and wall time of each seat's decisions, summed over games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameCosts {
    /// Decisions of each seat.
    pub decisions: [u64; MAX_SEATS],
    /// Wall time of each seat's decisions.
    pub time: [Duration; MAX_SEATS],
}

/// Reason why a game ended early: a player failed or made an illegal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// Seat of the failed player.
    pub seat: Seat,
    /// What happened, in one line.
    pub reason: String,
    /// Whether the player or the system is at fault.
    pub cause: FailureCause,
}

/// Kind of failure that ends a game early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The player failed or made an illegal move, and loses.
    Player,
    /// The player panicked, loses, and must not be called again.
    Crash,
    /// The system failed ([`Failure::SystemFault`]); the game has no result.
    System,
}

/// Plays one game to its end; players must have started a new game. `effort` receives the costs.
///
/// # Errors
/// If a player fails; the record is lost.
pub fn play_game<G: Game>(
    game: &G,
    start: G::Position,
    players: &mut [&mut dyn Player<G>],
    chance: &mut impl ChanceSource<G>,
    exploration: Option<&mut Exploration>,
    effort: Option<&mut GameCosts>,
) -> Result<GameRecord<G>, Failure> {
    play_with_oracle_moves(
        game,
        start,
        usize::MAX,
        players,
        chance,
        exploration,
        None,
        effort,
    )
}

/// Plays as [`play_game`] does, but where `oracle` knows all allowed successors of a two-seat
/// position, the first best move is played, unexplored and with its exact value. After `max_plies`
/// plies the game is a draw ([`Ending::Limit`]).
///
/// # Errors
/// If a player fails.
#[allow(clippy::too_many_arguments, reason = "each is one thing of a game")]
pub fn play_with_oracle_moves<G: Game>(
    game: &G,
    start: G::Position,
    max_plies: usize,
    players: &mut [&mut dyn Player<G>],
    chance: &mut impl ChanceSource<G>,
    mut exploration: Option<&mut Exploration>,
    oracle: Option<&dyn Oracle<G>>,
    effort: Option<&mut GameCosts>,
) -> Result<GameRecord<G>, Failure> {
    let mut plies = 0..;
    let answer = |players: &mut [&mut dyn Player<G>],
                  seat: Seat,
                  position: &G::Position,
                  legal: &[G::Move]| {
        let ply = plies.next().unwrap_or(usize::MAX);
        let failed = |failure| (seat, failure);
        if let Some((mv, value)) =
            oracle.and_then(|oracle| oracle_best_move(game, oracle, position, legal))
        {
            return Ok(Answer::without_time(mv, Some(value), false));
        }
        let explores = exploration
            .as_mut()
            .and_then(|exploration| exploration.draw_random_move(ply, legal.len()));
        if let Some(index) = explores {
            let mv = legal[index];
            let value = players[seat]
                .analyse(position, Some(&[mv]), &Limits::NONE)
                .map_err(failed)?
                .moves[0]
                .value;
            return Ok(Answer::without_time(mv, value, true));
        }
        let tempered = exploration
            .as_mut()
            .and_then(|exploration| exploration.draw_temperature(ply, legal.len()));
        if let Some((temperature, unit)) = tempered {
            let analysis = players[seat].analyse(position, Some(legal), &Limits::NONE);
            let analysis = analysis.map_err(failed)?;
            let drawn = boltzmann_index(
                analysis.moves.iter().map(|rated| rated.value),
                temperature,
                unit,
            );
            if let Some(index) = drawn {
                let MoveValue { mv, value, .. } = analysis.moves[index];
                let explored = analysis.line.first() != Some(&mv);
                return Ok(Answer::without_time(mv, value, explored));
            }
        }
        let (decision, taken) = decide(players, seat, position, legal)
            .unwrap_or_else(|crash| resume_unwind(crash.panic));
        let (mv, value) = decision.map_err(failed)?;
        Ok(Answer {
            taken,
            ..Answer::without_time(mv, value, false)
        })
    };
    let (record, failure) = play(game, start, max_plies, players, chance, answer, effort);
    failure.map_or(Ok(record), Err)
}

/// First best move with its value for the side to move; `None` unless the game has two seats and
/// `oracle` knows the position and all successors.
fn oracle_best_move<G: Game>(
    game: &G,
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    legal: &[G::Move],
) -> Option<(G::Move, f32)> {
    if game.seats() != 2 {
        return None;
    }
    oracle.value(game, position)?;
    let seat = game.to_move(position);
    let mut best: Option<(G::Move, f32)> = None;
    for &mv in legal {
        let after = game.play(position, mv);
        let value = match game.payoff(&after, seat) {
            Some(payoff) => payoff,
            None if game.to_move(&after) == seat => oracle.value(game, &after)?,
            None => 1.0 - oracle.value(game, &after)?,
        };
        if best.is_none_or(|(_, largest)| value > largest) {
            best = Some((mv, value));
        }
    }
    best
}

/// Plays one game. A player that panics, fails or makes an illegal move forfeits; the record ends
/// before that move. After `max_plies` plies the game is a draw ([`Ending::Limit`]).
pub fn play_refereed<G: Game>(
    game: &G,
    start: G::Position,
    max_plies: usize,
    players: &mut [&mut dyn Player<G>],
    chance: &mut impl ChanceSource<G>,
    effort: Option<&mut GameCosts>,
) -> (GameRecord<G>, Option<Forfeit>) {
    let answer = |players: &mut [&mut dyn Player<G>],
                  seat: Seat,
                  position: &G::Position,
                  legal: &[G::Move]| {
        let (decision, taken) =
            decide(players, seat, position, legal).map_err(|Crash { seat, panic }| {
                let reason = format!("crashed: {}", panic_message(panic.as_ref()));
                let cause = FailureCause::Crash;
                (
                    seat,
                    Forfeit {
                        seat,
                        reason,
                        cause,
                    },
                )
            })?;
        let failed = |failure| {
            let (cause, reason) = match failure {
                Failure::PlayerFault(reason) => (FailureCause::Player, reason),
                Failure::SystemFault(reason) => (FailureCause::System, reason),
            };
            (
                seat,
                Forfeit {
                    seat,
                    reason,
                    cause,
                },
            )
        };
        let (mv, value) = decision.map_err(failed)?;
        if !legal.contains(&mv) {
            let reason = format!("made the move {mv:?}, which is not permitted");
            return Err(failed(Failure::PlayerFault(reason)));
        }
        Ok(Answer {
            taken,
            ..Answer::without_time(mv, value, false)
        })
    };
    play(game, start, max_plies, players, chance, answer, effort)
}

struct Answer<M> {
    mv: M,
    value: Option<f32>,
    explored: bool,
    /// Time of the decision; `None` for the wall time of the whole call.
    taken: Option<Duration>,
}

impl<M> Answer<M> {
    fn without_time(mv: M, value: Option<f32>, explored: bool) -> Self {
        Self {
            mv,
            value,
            explored,
            taken: None,
        }
    }
}

/// Plays one game; the seat named in an error of `answer` loses.
fn play<G: Game, E>(
    game: &G,
    start: G::Position,
    max_plies: usize,
    players: &mut [&mut dyn Player<G>],
    chance: &mut impl ChanceSource<G>,
    mut answer: impl FnMut(
        &mut [&mut dyn Player<G>],
        Seat,
        &G::Position,
        &[G::Move],
    ) -> Result<Answer<G::Move>, (Seat, E)>,
    mut effort: Option<&mut GameCosts>,
) -> (GameRecord<G>, Option<E>) {
    let mut position = start;
    let mut plies = Vec::with_capacity(24);
    let mut ending = Ending::Played;
    let (payoffs, forfeit) = loop {
        if let Some(payoffs) = game.payoffs(&position) {
            break (payoffs, None);
        }
        if plies.len() >= max_plies {
            ending = Ending::Limit;
            let mut payoffs = [0.0; MAX_SEATS];
            payoffs[..game.seats()].fill(0.5);
            break (payoffs, None);
        }
        let seat = game.to_move(&position);
        let (outcome, legal) = chance.draw(game, &position);
        let began = effort.is_some().then(Instant::now);
        let answered = answer(players, seat, &position, &legal);
        if let (Some(effort), Some(began)) = (effort.as_mut(), began) {
            effort.decisions[seat] += 1;
            let taken = answered.as_ref().ok().and_then(|answer| answer.taken);
            effort.time[seat] += taken.unwrap_or_else(|| began.elapsed());
        }
        match answered {
            Ok(Answer {
                mv,
                value,
                explored,
                ..
            }) => {
                plies.push(Ply {
                    outcome,
                    mv,
                    value,
                    explored,
                });
                for player in players.iter_mut() {
                    player.notify(GameEvent::Ply(&position, outcome, mv));
                }
                position = game.play(&position, mv);
            }
            Err((seat, error)) => {
                let mut payoffs = [0.0; MAX_SEATS];
                payoffs[..game.seats()].fill(mean_other_payoff(0.0, game.seats()));
                payoffs[seat] = 0.0;
                break (payoffs, Some(error));
            }
        }
    };
    for player in players.iter_mut() {
        player.notify(GameEvent::End(&payoffs));
    }
    let record = GameRecord {
        start,
        plies,
        payoffs,
        ending: match forfeit {
            None => ending,
            Some(_) => Ending::Awarded,
        },
    };
    (record, forfeit)
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no reason given").replace('\n', " ")
}
