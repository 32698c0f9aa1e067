//! Where the result of a game came from: what the start was worth, the luck of each seat, its
//! errors, and what the judge thought otherwise a ply later.
//!
//! All sums are in `f64`, each term for itself. Invariant: for every seat start + luck − errors +
//! what the others' luck and errors brought it + drift = result; [`Ledger::balance`] is the most that
//! is missing, 0 up to rounding.

use crate::api::{Account, JudgedPly, Ledger, PlayedPly, Problem};
use crate::games::OnBoard;
use crate::rating::{Face, Rater, Rating, Shares, faces, shares_of};
use engine::core::{clock::Instant, text::shortened};

/// From such an error on, in wins, a move is called so.
const VERDICTS: [(f64, &str); 3] = [(0.16, "blunder"), (0.08, "error"), (0.04, "doubtful")];

const UNRATED: &str = "this player rates no moves; name one that searches";

/// What to call an error.
#[must_use]
pub fn verdict(error: f64) -> &'static str {
    let found = VERDICTS.iter().find(|(least, _)| error >= *least);
    found.map_or("", |(_, name)| name)
}

/// What is known of a position before its roll.
struct Stand<M> {
    shares: Shares,
    /// What its moves are worth, unless it is over.
    rating: Option<(Rating<M>, Vec<Face>)>,
}

/// Judges a game: what was rolled and played from its start. A game may end before its end. Values
/// are the `rater`'s.
///
/// # Errors
/// In one line, if a ply is not permitted, the player rates nothing, or `deadline` passes.
pub fn judge<G: OnBoard>(
    game: &G,
    start: G::Position,
    plies: &[PlayedPly],
    rater: &mut Rater<'_, G>,
    deadline: Option<Instant>,
) -> Result<Ledger, Problem> {
    let seats = 0..game.seats();
    let mut position = start;
    let mut stand = look(game, &position, rater)?;
    let account = |seat: usize| Account {
        start: stand.shares[seat],
        ..Account::default()
    };
    let mut ledger = Ledger {
        seats: seats.clone().map(account).collect(),
        plies: Vec::with_capacity(plies.len()),
        over: false,
        balance: 0.0,
    };
    for (number, ply) in (1..).zip(plies) {
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
        let face = faces.iter().find(|face| face.face == ply.face);
        let face = face.ok_or_else(|| {
            wrong(match (ply.face, faces[0].face) {
                (_, None) => "this game has no 'face'".to_owned(),
                (None, _) => "'face' is missing".to_owned(),
                (Some(face), _) => format!("there is no roll {face}"),
            })
        })?;
        let mv = game.parse_move(&position, &ply.mv);
        let mv = mv.map_err(|error| wrong(shortened(&error.to_string(), 200)))?;
        let mut permitted = face.permitted.iter();
        let chosen = permitted.find(|&&place| rating.moves[place].mv == mv);
        let chosen = *chosen.ok_or_else(|| {
            let mv = shortened(&ply.mv, 80);
            wrong(format!("the move '{mv}' is not permitted"))
        })?;
        let best = rating.best(&face.permitted);
        let best = best.ok_or_else(|| Problem::wrong(UNRATED))?;
        let shares = |place: usize| {
            let shares = rating.moves[place].shares;
            shares.ok_or_else(|| Problem::wrong(UNRATED))
        };
        let (before, rolled, after) = (stand.shares, shares(best)?, shares(chosen)?);
        let (seat, choices) = (rating.seat, face.permitted.len());
        let best = game.format_move(&position, rating.moves[best].mv);
        let name = game.format_move(&position, mv);
        position = game.play(&position, mv);
        stand = look(game, &position, rater)?;
        let drift: Shares = std::array::from_fn(|seat| stand.shares[seat] - after[seat]);
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
        let list = |shares: Shares| shares[seats.clone()].to_vec();
        ledger.plies.push(JudgedPly {
            seat,
            face: ply.face,
            mv: name,
            choices,
            before: list(before),
            rolled: list(rolled),
            after: list(after),
            luck,
            error,
            drift: list(drift),
            best,
            verdict: verdict(error),
        });
    }
    ledger.over = stand.rating.is_none();
    for (seat, account) in ledger.seats.iter_mut().enumerate() {
        account.result = stand.shares[seat];
        account.error_per_decision = account.errors / f64::from(account.decisions.max(1));
        let sum = account.start + account.luck - account.errors + account.others + account.drift;
        ledger.balance = ledger.balance.max((sum - account.result).abs());
    }
    Ok(ledger)
}

/// What a position is worth and, unless it is over, its moves.
fn look<G: OnBoard>(
    game: &G,
    position: &G::Position,
    rater: &mut Rater<'_, G>,
) -> Result<Stand<G::Move>, Problem> {
    if let Some(payoffs) = game.payoffs(position) {
        return Ok(Stand {
            shares: shares_of(&payoffs),
            rating: None,
        });
    }
    let rating = rater.rate(position, true)?;
    let faces = faces(game, position);
    let shares = rating.expected(&faces);
    Ok(Stand {
        shares: shares.ok_or_else(|| Problem::wrong(UNRATED))?,
        rating: Some((rating, faces)),
    })
}
