//! Where the result of a game came from: what the start was worth, the luck of each seat, its
//! errors, and what the judge thought otherwise a ply later.
//!
//! All sums are in `f64`, each term for itself. Invariant: start value + luck − errors + drift =
//! result (luck and errors of seat 1 with the other sign); [`Ledger::balance`] is what is missing,
//! 0 up to rounding.

use crate::api::{JudgedPly, Ledger, Problem};
use crate::rating::{Rater, faces, has_chance};
use engine::{core::clock::Instant, play::playable::Playable};

/// From such an error on, in wins, a move is called so.
const VERDICTS: [(f64, &str); 3] = [(0.16, "blunder"), (0.08, "error"), (0.04, "doubtful")];

/// What to call an error.
#[must_use]
pub fn verdict(error: f64) -> &'static str {
    let found = VERDICTS.iter().find(|(least, _)| error >= *least);
    found.map_or("", |(_, name)| name)
}

/// What is known of a position before its roll.
struct Stand<M> {
    /// The value for seat 0.
    value: f64,
    rating: Option<(crate::rating::Rating<M>, Vec<crate::rating::Face>)>,
}

/// Judges a game of two seats: what was rolled and played from its start. A game may end before its
/// end. Values are the `rater`'s.
///
/// # Errors
/// In one line, if a ply is not permitted, the player rates nothing, or `deadline` passes.
pub fn judge<G: Playable>(
    game: &G,
    start: G::Position,
    plies: &[(u8, G::Move)],
    rater: &mut Rater<'_, G>,
    deadline: Option<Instant>,
) -> Result<Ledger, Problem> {
    if game.seats() != 2 {
        return Err(Problem::wrong("only games of two seats are judged"));
    }
    let mut position = start;
    let mut stand = look(game, &position, rater)?;
    let mut ledger = Ledger {
        start_value: stand.value,
        plies: Vec::with_capacity(plies.len()),
        luck: [0.0; 2],
        errors: [0.0; 2],
        error_per_decision: [0.0; 2],
        drift: 0.0,
        result: 0.0,
        over: false,
        balance: 0.0,
    };
    let mut decisions = [0u32; 2];
    for (number, &(outcome, mv)) in (1..).zip(plies) {
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(Problem {
                error: format!(
                    "the time of a request is over at ply {number}; ask a quicker player, or for a shorter game"
                ),
                out_of_time: true,
            });
        }
        let wrong = |problem: String| Problem::wrong(format!("ply {number}: {problem}"));
        let Some((rating, faces)) = &stand.rating else {
            return Err(wrong("the game is over before it".to_owned()));
        };
        let names = game.outcome_names();
        let face = faces.iter().find(|face| face.face == outcome);
        let face = face.ok_or_else(|| {
            let (first, last) = (names.start(), names.end());
            wrong(format!(
                "there is no roll {outcome}, only {first} to {last}"
            ))
        })?;
        let mut permitted = face.permitted.iter().copied();
        let place = permitted.find(|&place| rating.moves[place].mv == mv);
        let chosen = place.ok_or_else(|| {
            let name = game.format_move(&position, mv);
            wrong(format!("the move {name} is not permitted"))
        })?;
        let unrated = || Problem::wrong("this player rates no moves; name one that searches");
        let (best, best_value) = rating
            .best(&face.permitted, |rated| rated.value)
            .ok_or_else(unrated)?;
        let value = rating.moves[chosen].value.ok_or_else(unrated)?;
        let seat = game.to_move(&position);
        let own = |value: f64| if seat == 0 { value } else { 1.0 - value };
        let (before, rolled, after) = (stand.value, own(best_value), own(value));
        let error = best_value - value;
        let best = game.format_move(&position, rating.moves[best].mv);
        let name = game.format_move(&position, mv);
        let choices = face.permitted.len();
        decisions[seat] += u32::from(choices > 1);
        position = game.play(&position, mv);
        stand = look(game, &position, rater)?;
        let drift = stand.value - after;
        let luck = if has_chance::<G>() {
            rolled - before
        } else {
            0.0
        };
        ledger.luck[seat] += if seat == 0 { luck } else { -luck };
        ledger.errors[seat] += error;
        ledger.drift += drift;
        ledger.plies.push(JudgedPly {
            seat,
            face: has_chance::<G>().then_some(outcome),
            mv: name,
            choices,
            before,
            rolled,
            after,
            luck,
            error,
            drift,
            best,
            verdict: verdict(error),
        });
    }
    ledger.over = stand.rating.is_none();
    ledger.result = stand.value;
    ledger.error_per_decision = std::array::from_fn(|seat| match decisions[seat] {
        0 => 0.0,
        decisions => ledger.errors[seat] / f64::from(decisions),
    });
    let [luck, errors] = [ledger.luck, ledger.errors].map(|of| of[0] - of[1]);
    ledger.balance = ledger.start_value + luck - errors + ledger.drift - ledger.result;
    Ok(ledger)
}

/// The value of a position for seat 0 and, unless it is over, what its moves are worth.
fn look<G: Playable>(
    game: &G,
    position: &G::Position,
    rater: &mut Rater<'_, G>,
) -> Result<Stand<G::Move>, Problem> {
    if let Some(payoff) = game.payoff(position, 0) {
        return Ok(Stand {
            value: payoff.into(),
            rating: None,
        });
    }
    let rating = rater.rate(position, true).map_err(Problem::wrong)?;
    let faces = faces(game, position);
    let value = rating.expected(&faces, |rated| rated.value);
    let value = value
        .ok_or_else(|| Problem::wrong("this player rates no moves; name one that searches"))?;
    Ok(Stand {
        value: if game.to_move(position) == 0 {
            value
        } else {
            1.0 - value
        },
        rating: Some((rating, faces)),
    })
}
