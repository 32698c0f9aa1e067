//! Checks a strategy against every reply, sharing no code with the prover.

use crate::{Havannah, Move, Position};
use alea_core::game::{Game, Seat};
use std::collections::{HashMap, HashSet};

/// Winning moves by [`position_number`]; positions won by threats alone have none.
pub type Strategy = HashMap<u64, Move>;

pub(super) fn has_position_numbers(game: &Havannah) -> bool {
    game.base() <= 4 && !game.swap
}

/// Unique number of a position of base 3 or 4: sum of 3^cell, twice for the second player's stones.
pub fn position_number(game: &Havannah, position: &Position) -> u64 {
    let cells = (0..game.num_cells()).rev();
    cells.fold(0, |sum, cell| {
        3 * sum + position.seat_at(cell).map_or(0, |seat| seat as u64 + 1)
    })
}

const MAX_THREAT_POSITIONS: u32 = 1_000_000;

/// Follows a strategy against every reply and returns the number of positions; the error is the
/// notation of a position that it fails to win. Panics on boards without [`position_number`]s.
pub fn check_strategy(
    game: &Havannah,
    position: &Position,
    winner: Seat,
    strategy: &Strategy,
) -> Result<u64, String> {
    assert!(
        has_position_numbers(game),
        "positions have numbers of 64 bits"
    );
    let (mut seen, mut left) = (HashSet::new(), vec![*position]);
    let mut hints = [None; 64];
    let hole = |position: &Position| Err(game.format_position(position));
    while let Some(position) = left.pop() {
        let number = position_number(game, &position);
        let mut moves = <Havannah as Game>::Moves::default();
        game.moves(&position, &mut moves);
        if let Some(payoffs) = game.payoffs(&position) {
            if payoffs[winner] < 1.0 {
                return hole(&position);
            }
        } else if !seen.insert(number) {
        } else if position.seat() != winner {
            left.extend(moves.iter().map(|&mv| game.play(&position, mv)));
        } else if let Some(mv) = strategy.get(&number) {
            if !moves.contains(mv) {
                return hole(&position);
            }
            left.push(game.play(&position, *mv));
        } else if !wins_by_threats(game, &position, &mut { MAX_THREAT_POSITIONS }, &mut hints) {
            return hole(&position);
        }
    }
    Ok(seen.len() as u64)
}

/// Whether the side to move wins by threats, found within `budget` positions; `hints` has the last
/// winning cell of each depth.
fn wins_by_threats(
    game: &Havannah,
    position: &Position,
    budget: &mut u32,
    hints: &mut [Option<usize>],
) -> bool {
    let seat = position.seat();
    if game.winning_cells(position, seat).next().is_some() {
        return true;
    }
    let mut blocks = game.winning_cells(position, 1 - seat);
    let block = blocks.next();
    let Some((hint, later)) = hints.split_first_mut() else {
        return false;
    };
    if blocks.next().is_some() || *budget == 0 {
        return false;
    }
    *budget -= 1;
    let empty = |cell: &usize| position.seat_at(*cell).is_none();
    let first = hint.filter(empty);
    let candidates = first.into_iter().chain(game.empties(position));
    for cell in candidates.filter(|&cell| block.is_none_or(|block| block == cell)) {
        let threatened = game.play(position, Move::place(cell));
        let mut wins = game.winning_cells(&threatened, seat);
        let won = match (wins.next(), wins.next()) {
            (Some(_), Some(_)) => true,
            (Some(answer), None) => {
                let answered = game.play(&threatened, Move::place(answer));
                wins_by_threats(game, &answered, budget, later)
            }
            _ => false,
        };
        if won {
            *hint = Some(cell);
            return true;
        }
    }
    false
}
