//! One decision of a game, while other players may ponder in their own threads.

use crate::player::{Failure, Player};
use alea_core::{
    game::{Game, Seat},
    monotonic_clock::Instant,
};
use alea_search::limits::Limits;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

pub(super) struct Crash {
    pub(super) seat: Seat,
    pub(super) panic: Box<dyn Any + Send>,
}

type Choice<M> = Result<(M, Option<f32>), Failure>;

/// Calls `decide` of `seat`'s player while opponents ponder the position before chance; if any
/// does, also returns the decision's time.
pub(super) fn decide<G: Game>(
    players: &mut [&mut dyn Player<G>],
    seat: Seat,
    position: &G::Position,
    legal: &[G::Move],
) -> Result<(Choice<G::Move>, Option<Duration>), Crash> {
    let (before, rest) = players.split_at_mut(seat);
    let Some((decides, after)) = rest.split_first_mut() else {
        unreachable!("every seat has a player")
    };
    // Unwind safe: a panicked player is not called again before its panic is reported.
    let mut asked = || {
        catch_unwind(AssertUnwindSafe(|| {
            let decision = decides.decide(position, legal, &Limits::NONE);
            decision.map(|decision| (decision.best, decision.value))
        }))
        .map_err(|panic| Crash { seat, panic })
    };
    let others = (0..)
        .zip(before.iter_mut())
        .chain((seat + 1..).zip(after.iter_mut()));
    let mut pondering = others.filter(|(_, player)| player.can_ponder()).peekable();
    if pondering.peek().is_none() {
        return asked().map(|decision| (decision, None));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let crashed = Mutex::new(None);
    let (decided, taken) = std::thread::scope(|scope| {
        for (seat, player) in pondering {
            let (stop, crashed) = (&stop, &crashed);
            scope.spawn(move || {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| player.ponder(position, stop)))
                {
                    *crashed.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(Crash { seat, panic });
                }
            });
        }
        let began = Instant::now();
        let decided = asked();
        let taken = began.elapsed();
        stop.store(true, Ordering::Relaxed);
        (decided, taken)
    });
    match crashed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(crash) => Err(crash),
        None => decided.map(|decision| (decision, Some(taken))),
    }
}
