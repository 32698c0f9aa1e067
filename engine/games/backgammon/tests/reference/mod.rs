//! A slow generator of plays, from the text of the rules: all orders of the dice, then the rule
//! that as many of them as possible, else the larger, must be used.

use alea_backgammon::{Men, Position};
use std::collections::HashSet;

/// Counts by point − 1, the bar last; the other side's from its own view.
type Sides = [[u8; 25]; 2];

fn successors([own, other]: &Sides, die: usize) -> Vec<Sides> {
    let mut found = Vec::new();
    for from in 1..=25 {
        if own[from - 1] == 0 || (own[24] > 0 && from != 25) {
            continue;
        }
        let [mut own, mut other] = [*own, *other];
        own[from - 1] -= 1;
        if from > die {
            let to = from - die;
            let enemy = &mut other[24 - to];
            if *enemy >= 2 {
                continue;
            }
            if *enemy == 1 {
                *enemy = 0;
                other[24] += 1;
            }
            own[to - 1] += 1;
        } else {
            let is_home = own[6..].iter().all(|&men| men == 0) && from <= 6;
            let is_rearmost = own[from..].iter().all(|&men| men == 0);
            if !is_home || (from < die && !is_rearmost) {
                continue;
            }
        }
        found.push([own, other]);
    }
    found
}

/// Sides after the dice in this order, as far as they can be used, with the number used.
fn after_dice(sides: &Sides, dice: &[usize], used: usize, found: &mut HashSet<(usize, Sides)>) {
    let next = match dice {
        [] => Vec::new(),
        [die, ..] => successors(sides, *die),
    };
    if next.is_empty() {
        found.insert((used, *sides));
    }
    for sides in next {
        after_dice(&sides, &dice[1..], used + 1, found);
    }
}

/// All different positions after a play of two dice.
pub(crate) fn reference_positions(
    position: &Position,
    (larger, smaller): (u8, u8),
) -> Vec<Position> {
    let sides = [position.mover().counts(), position.other().counts()];
    let [larger, smaller] = [larger, smaller].map(usize::from);
    let mut found = HashSet::new();
    if larger == smaller {
        after_dice(&sides, &[larger; 4], 0, &mut found);
    } else {
        after_dice(&sides, &[larger, smaller], 0, &mut found);
        let used_by_larger_first = found.iter().map(|after| after.0).max();
        let mut smaller_first = HashSet::new();
        after_dice(&sides, &[smaller, larger], 0, &mut smaller_first);
        // With one step, the larger die goes first; only if it has none, the smaller one.
        if used_by_larger_first != Some(1) {
            found.extend(smaller_first);
        } else {
            found.extend(smaller_first.into_iter().filter(|after| after.0 == 2));
        }
    }
    let most = found.iter().map(|after| after.0).max();
    let longest: HashSet<Sides> = found
        .into_iter()
        .filter(|after| Some(after.0) == most)
        .map(|after| after.1)
        .collect();
    let after = |[own, other]: [[u8; 25]; 2]| {
        let [own, other] = [own, other].map(|counts| Men::from_counts(counts).unwrap());
        Position::new(other, own, 1 - position.seat())
    };
    longest.into_iter().map(after).collect()
}
