//! Review of a recorded game: luck, errors and other parts of each seat's result ([`SeatReview`]).

use crate::api_types::{
    GameReview, PlayedPly, PlyEquity, PlyReview, Problem, SeatEquity, SeatReview,
};
use crate::position_values::{MoveValuer, SeatValues, has_chance};
use engine::core::{monotonic_clock::Instant, text::shorten};
use engine::play::{playable::Playable, points::Points};
use std::array;

/// Minimal loss of each grade, in win probability, or in plain wins in games with points, as in GNU
/// Backgammon.
const ERROR_GRADES: [(f64, &str); 3] = [(0.16, "blunder"), (0.08, "error"), (0.04, "doubtful")];

/// Smallest loss of payoff that is graded with more than two seats: twice the change of a seat's
/// value from one search depth to the next.
pub const MIN_GRADED_LOSS: f64 = 0.08;

/// Grade of an error by the payoff lost, in games with points by the points in plain wins: empty,
/// `doubtful`, `error` or `blunder`.
#[must_use]
pub fn grade(error: f64, points: Option<Points>) -> &'static str {
    let in_wins = |points: Points| points.difference(error) / points.default_win;
    let error = points.map_or(error, in_wins);
    let found = ERROR_GRADES.iter().find(|(min, _)| error >= *min);
    found.map_or("", |(_, name)| name)
}

/// Reviews a game with the values of `valuer`. `payoffs` is the result if the rules did not end the
/// game, for example after a forfeit; without it, the last position's value counts.
///
/// # Errors
///
/// If a ply is illegal, the player of `valuer` gives no values, `payoffs` are impossible or given
/// although the rules ended the game, or `deadline` or the limits of `valuer` are reached.
pub fn review<G: Playable>(
    game: &G,
    start: G::Position,
    plies: &[PlayedPly],
    payoffs: Option<&[f32]>,
    valuer: &mut MoveValuer<'_, G>,
    deadline: Option<Instant>,
) -> Result<GameReview, Problem> {
    let list = |values: SeatValues| values[..game.seats()].to_vec();
    let points = game.points();
    let mut position = start;
    let mut values = valuer.analyse_all(&position)?;
    let seat_review = |start| SeatReview {
        start,
        ..SeatReview::default()
    };
    let mut review = GameReview {
        seats: (list(values.seat_values()).into_iter().map(seat_review)).collect(),
        plies: Vec::with_capacity(plies.len()),
        unit: points.map(|points| points.unit),
        scale: valuer.recipe.scale(),
        over: false,
        balance: 0.0,
    };
    for (number, ply) in (1..).zip(plies) {
        let is_late = deadline.is_some_and(|deadline| Instant::now() > deadline);
        if is_late || valuer.limits.is_stopped() {
            let problem = format!(
                "the time of a request is over at ply {number}; ask a quicker player, or for a shorter game"
            );
            return Err(Problem {
                out_of_time: true,
                ..Problem::invalid_request(problem)
            });
        }
        let wrong = |problem: &str| Problem::invalid_request(format!("ply {number}: {problem}"));
        if values.end.is_some() {
            return Err(wrong("the game is over before it"));
        }
        let permitted = values
            .allowed_moves(ply.face)
            .ok_or_else(|| match ply.face {
                Some(_) if !has_chance::<G>() => wrong("this game has no 'face'"),
                Some(face) => wrong(&format!("there is no roll {face}")),
                None => wrong("'face' is missing"),
            })?;
        let (moves, choices) = (values.moves(), permitted.len());
        let mv = game.parse_move(&position, ply.face, &ply.mv);
        let mv = mv.map_err(|error| wrong(&shorten(&error.to_string(), 200)))?;
        let chosen = permitted.clone().find(|&index| moves[index].mv == mv);
        let chosen = chosen.ok_or_else(|| {
            let mv = shorten(&ply.mv, 80);
            wrong(&format!("the move '{mv}' is not permitted"))
        })?;
        // A tree search may value a move above the one that it visited most.
        let is_better = |best: &usize| moves[*best].value > moves[chosen].value;
        let best = values.best(permitted).filter(is_better).unwrap_or(chosen);
        let [rolled, after] =
            [best, chosen].map(|index| moves[index].payoffs.unwrap_or_default().map(f64::from));
        let [best, chosen] =
            [best, chosen].map(|index| game.format_move(&position, moves[index].mv));
        let (seat, before) = (values.seat, values.seat_values());
        position = game.play(&position, mv);
        values = valuer.analyse_all(&position)?;
        let next = values.seat_values();
        let drift: SeatValues = array::from_fn(|seat| next[seat] - after[seat]);
        for (other, review) in review.seats.iter_mut().enumerate() {
            review.drift += drift[other];
            if other != seat {
                review.others += after[other] - before[other];
            }
        }
        let (luck, error) = (rolled[seat] - before[seat], rolled[seat] - after[seat]);
        let own = &mut review.seats[seat];
        own.luck += luck;
        own.errors += error;
        own.decisions += u32::from(choices > 1);
        review.plies.push(PlyReview {
            seat,
            face: ply.face,
            mv: chosen,
            choices,
            before: list(before),
            rolled: list(rolled),
            after: list(after),
            luck,
            error,
            drift: list(drift),
            best,
            verdict: match game.seats() > 2 && error < MIN_GRADED_LOSS {
                true => "",
                false => grade(error, points),
            },
            equity: points.map(|points| PlyEquity {
                luck: points.difference(luck),
                error: points.difference(error),
            }),
        });
    }
    review.over = values.end.is_some() || payoffs.is_some();
    let last = values.seat_values();
    let results = match payoffs {
        None => last,
        Some(_) if values.end.is_some() => {
            return Err(Problem::invalid_request("'payoffs' follow from the moves"));
        }
        Some(payoffs) => checked_payoffs(payoffs, game.seats())?,
    };
    for (seat, own) in review.seats.iter_mut().enumerate() {
        let result = results[seat];
        own.drift += result - last[seat];
        own.result = result;
        own.error_per_decision = own.errors / f64::from(own.decisions.max(1));
        let sum = own.start + own.luck - own.errors + own.others + own.drift;
        review.balance = review.balance.max((sum - result).abs());
        own.equity = points.map(|points| SeatEquity {
            start: points.from_payoff(own.start),
            luck: points.difference(own.luck),
            errors: points.difference(own.errors),
            others: points.difference(own.others),
            drift: points.difference(own.drift),
            result: points.from_payoff(own.result),
            error_per_decision: points.difference(own.error_per_decision),
        });
    }
    Ok(review)
}

fn checked_payoffs(payoffs: &[f32], seats: usize) -> Result<SeatValues, Problem> {
    let is_possible = payoffs.iter().all(|payoff| (0.0..=1.0).contains(payoff));
    if payoffs.len() != seats || !is_possible {
        let problem = format!("'payoffs' are a number from 0 to 1 for each of {seats} seats");
        return Err(Problem::invalid_request(problem));
    }
    let mut results = SeatValues::default();
    for (result, &payoff) in results.iter_mut().zip(payoffs) {
        *result = payoff.into();
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::{backgammon::Backgammon, reversi::Reversi};
    use engine::play::rules::Rules;

    #[test]
    fn errors_of_games_with_points_are_graded_by_points() {
        let payoffs = [0.039, 0.04, 0.08, 0.16];
        let verdicts = ["", "doubtful", "error", "blunder"];
        assert_eq!(payoffs.map(|error| grade(error, None)), verdicts);
        // A payoff of 1 and one of 0 are six points apart, a plain win is one.
        let backgammon = Backgammon.points();
        let of_points = |points: f64| grade(points / 6.0 + 1e-9, backgammon);
        assert_eq!(payoffs.map(of_points), verdicts);
        // Of 64 discs, 4 % are 2.56.
        let discs = Reversi::from_notation("reversi(score=discs)", None).unwrap();
        let of_discs = |lost: f64| grade(lost / 128.0, discs.points());
        assert_eq!([2.0, 3.0, 6.0, 11.0].map(of_discs), verdicts);
    }
}
