//! Where the result of a game came from: what the start was worth, the luck of each seat, its
//! errors, and what the judge thought otherwise a ply later.
//!
//! All sums are in `f64`, each term for itself. Invariant: for every seat start + luck − errors +
//! what the others' luck and errors brought it + drift = result; [`Ledger::balance`] is the most that
//! is missing, 0 up to rounding.

use crate::api::{Account, JudgedPly, Ledger, PlayedPly, Problem};
use crate::games::OnBoard;
use crate::rating::{Rater, Shares, has_chance};
use engine::core::{clock::Instant, text::shortened};
use std::array;

/// From such an error on, in wins, a move is called so.
const VERDICTS: [(f64, &str); 3] = [(0.16, "blunder"), (0.08, "error"), (0.04, "doubtful")];

/// What to call an error.
#[must_use]
pub fn verdict(error: f64) -> &'static str {
    let found = VERDICTS.iter().find(|(least, _)| error >= *least);
    found.map_or("", |(_, name)| name)
}

/// Judges a game: what was rolled and played from its start. A game may end before its end: its result
/// is then `payoffs`, where somebody resigned or the like, else what its last position is worth. Values
/// are the `rater`'s.
///
/// # Errors
/// In one line, if a ply is not permitted, the player rates nothing, `payoffs` are those of a game that
/// ended by the rules or cannot be, or `deadline` passes, or the limits of the `rater` say stop.
pub fn judge<G: OnBoard>(
    game: &G,
    start: G::Position,
    plies: &[PlayedPly],
    payoffs: Option<&[f32]>,
    rater: &mut Rater<'_, G>,
    deadline: Option<Instant>,
) -> Result<Ledger, Problem> {
    let list = |shares: Shares| shares[..game.seats()].to_vec();
    let mut position = start;
    let mut rating = rater.rate(&position, true)?;
    let account = |start| Account {
        start,
        ..Account::default()
    };
    let mut ledger = Ledger {
        seats: list(rating.shares()).into_iter().map(account).collect(),
        plies: Vec::with_capacity(plies.len()),
        over: false,
        balance: 0.0,
    };
    for (number, ply) in (1..).zip(plies) {
        let is_late = deadline.is_some_and(|deadline| Instant::now() > deadline);
        if is_late || rater.limits.is_stopped() {
            let problem = format!(
                "the time of a request is over at ply {number}; ask a quicker player, or for a shorter game"
            );
            return Err(Problem {
                out_of_time: true,
                ..Problem::wrong(problem)
            });
        }
        let wrong = |problem: &str| Problem::wrong(format!("ply {number}: {problem}"));
        if rating.end.is_some() {
            return Err(wrong("the game is over before it"));
        }
        let permitted = rating.permitted(ply.face).ok_or_else(|| match ply.face {
            Some(_) if !has_chance::<G>() => wrong("this game has no 'face'"),
            Some(face) => wrong(&format!("there is no roll {face}")),
            None => wrong("'face' is missing"),
        })?;
        let mv = game.parse_move(&position, &ply.mv);
        let mv = mv.map_err(|error| wrong(&shortened(&error.to_string(), 200)))?;
        let mut places = permitted.iter().copied();
        let chosen = places.find(|&index| rating.moves[index].mv == mv);
        let chosen = chosen.ok_or_else(|| {
            let mv = shortened(&ply.mv, 80);
            wrong(&format!("the move '{mv}' is not permitted"))
        })?;
        let best = rating.best(permitted).unwrap_or(chosen);
        let [rolled, after] =
            [best, chosen].map(|index| rating.moves[index].shares.unwrap_or_default());
        let (seat, choices) = (rating.seat, permitted.len());
        position = game.play(&position, mv);
        let next = rater.rate(&position, true)?;
        let (before, again) = (rating.shares(), next.shares());
        let drift: Shares = array::from_fn(|seat| again[seat] - after[seat]);
        for (other, account) in ledger.seats.iter_mut().enumerate() {
            account.drift += drift[other];
            if other != seat {
                account.others += after[other] - before[other];
            }
        }
        let (luck, error) = (rolled[seat] - before[seat], rolled[seat] - after[seat]);
        let own = &mut ledger.seats[seat];
        own.luck += luck;
        own.errors += error;
        own.decisions += u32::from(choices > 1);
        ledger.plies.push(JudgedPly {
            seat,
            face: ply.face,
            mv: rating.moves[chosen].name.clone(),
            choices,
            before: list(before),
            rolled: list(rolled),
            after: list(after),
            luck,
            error,
            drift: list(drift),
            best: rating.moves[best].name.clone(),
            verdict: verdict(error),
        });
        rating = next;
    }
    ledger.over = rating.end.is_some() || payoffs.is_some();
    let last = rating.shares();
    let result = match payoffs {
        None => last,
        Some(_) if rating.end.is_some() => {
            return Err(Problem::wrong("'payoffs' follow from the moves"));
        }
        Some(payoffs) => result(payoffs, game.seats())?,
    };
    for (seat, account) in ledger.seats.iter_mut().enumerate() {
        let result = result[seat];
        account.drift += result - last[seat];
        account.result = result;
        account.error_per_decision = account.errors / f64::from(account.decisions.max(1));
        let sum = account.start + account.luck - account.errors + account.others + account.drift;
        ledger.balance = ledger.balance.max((sum - result).abs());
    }
    Ok(ledger)
}

/// What seats got in a game that did not end by the rules.
fn result(payoffs: &[f32], seats: usize) -> Result<Shares, Problem> {
    let possible = payoffs.iter().all(|payoff| (0.0..=1.0).contains(payoff));
    if payoffs.len() != seats || !possible {
        let problem = format!("'payoffs' are a number from 0 to 1 for each of {seats} seats");
        return Err(Problem::wrong(problem));
    }
    let mut result = Shares::default();
    for (own, &payoff) in result.iter_mut().zip(payoffs) {
        *own = payoff.into();
    }
    Ok(result)
}
