//! Oracle of wins in one ply and losses in two, with `deep` also wins in three: `mates=on|deep`.
//!
//! A side to move without a winning cell loses if the enemy has two. `deep` also proves moves that
//! create two winning cells. Source: *Inside Lajkonik*.

use super::{Havannah, Move, Position};
use alea_core::{
    chance_bounds::Bounds,
    game::{Game, Seat},
    oracle::Oracle,
};
use alea_play::playable::Rules;
use alea_play::registry::OracleEntry;
use std::sync::Arc;

pub(super) static MATES_ORACLE: OracleEntry<Havannah> = OracleEntry {
    key: "mates",
    read: |value, _| {
        let deep = match value.to_string().as_str() {
            "off" => return Ok(None),
            "on" => false,
            "deep" => true,
            other => {
                let problem = format!("'mates' is off, on or deep, not '{other}'");
                return Err((value.character, problem));
            }
        };
        Ok(Some(Arc::new(MatesOracle { deep }) as _))
    },
    default: |_, _| Ok(None),
    instant: |_| None,
    class: |game, position| game.remaining_length(position).to_string(),
    win_probability: |_| None,
};

#[derive(Debug)]
struct MatesOracle {
    deep: bool,
}

impl Havannah {
    #[inline]
    pub(super) fn may_threaten(&self, position: &Position) -> bool {
        // A bridge takes at least as many stones as a side has cells, a ring six.
        position.stones().div_ceil(2) >= self.base().min(6) - 1
    }

    /// Empty cells where a stone of `seat` would win.
    pub fn winning_cells<'a>(
        &'a self,
        position: &'a Position,
        seat: Seat,
    ) -> impl Iterator<Item = usize> + 'a {
        let enough = self.may_threaten(position);
        let cells = self.empties(position).filter(move |_| enough);
        cells.filter(move |&cell| self.would_win(position, cell, seat).any())
    }

    fn makes_double_threat(&self, position: &Position, cell: usize) -> bool {
        let seat = position.seat();
        let near = &self.shape.near[cell];
        let own = |&near: &u16| position.seat_at(usize::from(near)) == Some(seat);
        near.iter().any(own) && {
            let next = self.play(position, Move::place(cell));
            self.winning_cells(&next, seat).nth(1).is_some()
        }
    }
}

impl Oracle<Havannah> for MatesOracle {
    fn value(&self, game: &Havannah, position: &Position) -> Option<f32> {
        let seat = position.seat();
        if game.winning_cells(position, seat).next().is_some() {
            return Some(1.0);
        }
        let two = game.winning_cells(position, 1 - seat).nth(1).is_some();
        two.then_some(0.0)
    }

    fn move_bounds(
        &self,
        game: &Havannah,
        position: &Position,
        moves: &[Move],
        bounds: &mut [Bounds],
    ) -> bool {
        let seat = position.seat();
        let own = game.winning_cells(position, seat).next();
        let mut threats = game.winning_cells(position, 1 - seat);
        let (threat, deep) = (threats.next(), self.deep && threats.next().is_none());
        let mut is_proven = false;
        for (mv, bounds) in moves.iter().zip(bounds) {
            let Some(cell) = mv.cell() else { continue };
            let wins = match (own, threat) {
                (Some(_), _) => game.would_win(position, cell, seat).any(),
                (None, Some(threat)) if cell != threat => {
                    (*bounds, is_proven) = (Bounds::exact(0.0), true);
                    false
                }
                _ => deep && game.makes_double_threat(position, cell),
            };
            if wins {
                (*bounds, is_proven) = (Bounds::exact(1.0), true);
            }
        }
        is_proven
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{minimax, random_position};
    use super::*;
    use alea_core::random::RandomStream;
    use std::collections::HashMap;

    #[test]
    fn bounds_are_those_of_minimax() {
        let game = Havannah::new(3, false);
        let (mut random, mut is_proven) = (RandomStream::new(3), HashMap::new());
        let mut counts = [0; 4];
        for _ in 0..400 {
            let position = random_position(&game, 12, &mut random);
            if game.payoffs(&position).is_some() {
                continue;
            }
            let seat = position.seat();
            let mut own = |position: &Position| {
                let value = (1 + minimax(&game, position, &mut is_proven)) as f32 / 2.0;
                if position.seat() == seat {
                    value
                } else {
                    1.0 - value
                }
            };
            if let Some(value) = (MatesOracle { deep: false }).value(&game, &position) {
                assert_eq!(value, own(&position), "{position:?}");
                counts[usize::from(value == 1.0)] += 1;
            }
            let moves: Vec<Move> = game.empties(&position).map(Move::place).collect();
            for deep in [false, true] {
                let mut bounds = vec![Bounds::UNKNOWN; moves.len()];
                let oracle = MatesOracle { deep };
                let is_bounded = oracle.move_bounds(&game, &position, &moves, &mut bounds);
                let any = bounds.iter().any(|&bounds| bounds != Bounds::UNKNOWN);
                assert_eq!(is_bounded, any);
                for (&mv, &Bounds { lower, upper }) in moves.iter().zip(&bounds) {
                    let next = game.play(&position, mv);
                    assert!((lower..=upper).contains(&own(&next)), "{position:?}");
                    let won = lower == 1.0 && game.payoffs(&next).is_none();
                    counts[2] += usize::from(deep && won);
                    counts[3] += usize::from(upper == 0.0);
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    }
}
