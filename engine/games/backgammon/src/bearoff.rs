//! Bear-off tables, for positions whose men are all in their home boards.
//!
//! The one-sided table has, for up to 15 men of a side, the distribution of the number of own rolls
//! until all are off, if each play minimizes the mean. The two-sided table has, for one to six men
//! of either side, the exact probability that the side on roll wins; such sides have borne off men,
//! so that no gammon is possible. Tables are built on first use.

use super::{
    Backgammon, Men, Position,
    men::NUM_MEN,
    rolls::{NUM_ROLLS, roll_probability},
};
use alea_core::oracle::Oracle;
use alea_play::{player_notation::parse_number, registry::OracleEntry, rules::Rules};
use std::sync::{Arc, LazyLock};

const HOME_POINTS: usize = 6;

/// C(n, k + 1) at `[k][n]`.
static BINOMIALS: [[u32; 22]; HOME_POINTS] = {
    let (mut table, mut entry) = ([[0; 22]; HOME_POINTS], 0);
    while entry < HOME_POINTS * 21 {
        let (k, n) = (entry % HOME_POINTS, entry / HOME_POINTS);
        table[k][n + 1] = table[k][n] + if k == 0 { 1 } else { table[k - 1][n] };
        entry += 1;
    }
    table
};

/// Number of placements of at most `men` men of a side on its home board.
pub const fn num_positions(men: usize) -> usize {
    BINOMIALS[HOME_POINTS - 1][men + HOME_POINTS] as usize
}

/// Index of men, all at home, in the combinatorial number system: below [`num_positions`] of their
/// number, and above the index after any play.
#[inline]
pub fn home_index(men: Men) -> usize {
    let (mut sum, mut index) = (0, 0);
    for (rank, binomials) in BINOMIALS.iter().enumerate() {
        sum += men.count_on((HOME_POINTS - rank) as u8) as usize;
        index += binomials[sum + rank];
    }
    index as usize
}

/// All placements of at most `max_men` men on the home board, in the order of [`home_index`].
pub(crate) fn home_positions(max_men: usize) -> Vec<Men> {
    let (mut positions, mut sums) = (Vec::new(), [0; HOME_POINTS]);
    loop {
        let count = |rank: usize| sums[rank] - if rank == 0 { 0 } else { sums[rank - 1] };
        let men = |men, rank| men | (count(rank) as u128) << (4 * (HOME_POINTS - 1 - rank));
        positions.push(Men((0..HOME_POINTS).fold(0, men)));
        let grows = |rank: &usize| sums[*rank] < *sums.get(rank + 1).unwrap_or(&max_men);
        let Some(rank) = (0..HOME_POINTS).find(grows) else {
            return positions;
        };
        sums[rank] += 1;
        sums[..rank].fill(0);
    }
}

/// Calls `visit` with the [`home_index`] after each play of a roll by `men`, which are all at home.
fn visit_indices_after(men: Men, roll: usize, mut visit: impl FnMut(usize)) {
    let position = Position::new(men, Men::default(), 0);
    position.visit_plays(roll, |play| {
        visit(home_index(position.visit_steps(play, |_, _, _| {}).other))
    });
}

#[inline]
pub(super) fn is_at_home(men: Men) -> bool {
    men.rearmost() as usize <= HOME_POINTS
}

/// Length of a distribution: probabilities of 0 to 31 rolls.
pub const MAX_ROLLS: usize = 32;

/// Distributions of the number of own rolls until all men are off, by [`home_index`].
static ROLL_DISTRIBUTIONS: LazyLock<Vec<[f32; MAX_ROLLS]>> = LazyLock::new(|| {
    let positions = home_positions(NUM_MEN as usize);
    let mut distributions = vec![[0.0; MAX_ROLLS]; positions.len()];
    let mut means = vec![0.0; positions.len()];
    distributions[0][0] = 1.0;
    for (index, &men) in positions.iter().enumerate().skip(1) {
        let (mut distribution, mut mean) = ([0.0; MAX_ROLLS], 1.0);
        for roll in 0..NUM_ROLLS {
            let mut best = usize::MAX;
            visit_indices_after(men, roll, |after| {
                if best == usize::MAX || means[after] < means[best] {
                    best = after;
                }
            });
            let probability = roll_probability(roll);
            mean += probability * means[best];
            for (rolls, after) in distribution[1..].iter_mut().zip(&distributions[best]) {
                *rolls += probability * after;
            }
        }
        (distributions[index], means[index]) = (distribution, mean);
    }
    distributions
});

/// Probability of each number of own rolls, from 0, until all men are off; `None` unless all are at
/// home.
pub fn roll_distribution(men: Men) -> Option<&'static [f32; MAX_ROLLS]> {
    is_at_home(men).then(|| &ROLL_DISTRIBUTIONS[home_index(men)])
}

/// Probability that the side on roll bears off first, if each side minimizes its mean number of
/// rolls; `None` unless all men are at home.
pub fn one_sided_win(position: &Position) -> Option<f32> {
    let is_covered = is_at_home(position.mover) && is_at_home(position.other);
    let distribution = |men| is_covered.then(|| roll_distribution(men)).flatten();
    let (mut win, mut not_before) = (0.0, 1.0);
    for (mover, other) in distribution(position.mover)?
        .iter()
        .zip(distribution(position.other)?)
    {
        win += mover * not_before;
        not_before -= other;
    }
    Some(win.clamp(0.0, 1.0))
}

/// Maximal number of men of a side in the two-sided table.
pub const MAX_TWO_SIDED_MEN: usize = 6;

const NUM_TWO_SIDED: usize = num_positions(MAX_TWO_SIDED_MEN);

/// Exact win probabilities by [`home_index`] of the side on roll, then of the other side.
static WIN_PROBABILITIES: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let positions = home_positions(MAX_TWO_SIDED_MEN);
    let (mut indices, mut ends) = (Vec::new(), vec![0]);
    for entry in 0..NUM_TWO_SIDED * NUM_ROLLS {
        let (men, roll) = (positions[entry / NUM_ROLLS], entry % NUM_ROLLS);
        visit_indices_after(men, roll, |after| indices.push(after));
        ends.push(indices.len());
    }
    let mut wins = vec![0.0; NUM_TWO_SIDED * NUM_TWO_SIDED];
    // A play lowers the sum of the indices.
    for sum in 2..2 * NUM_TWO_SIDED {
        for mover in (sum + 1).saturating_sub(NUM_TWO_SIDED).max(1)..NUM_TWO_SIDED.min(sum) {
            let other = sum - mover;
            let of_other = &wins[other * NUM_TWO_SIDED..][..NUM_TWO_SIDED];
            let mut win = 0.0;
            for roll in 0..NUM_ROLLS {
                let entry = mover * NUM_ROLLS + roll;
                let after = &indices[ends[entry]..ends[entry + 1]];
                let least = after
                    .iter()
                    .map(|&after| of_other[after])
                    .fold(1.0, f32::min);
                win += roll_probability(roll) * (1.0 - least);
            }
            wins[mover * NUM_TWO_SIDED + other] = win;
        }
    }
    wins
});

/// Exact probability that the side on roll wins, before the roll; `None` outside of the two-sided
/// table.
#[inline]
pub fn two_sided_win(position: &Position) -> Option<f32> {
    let is_covered =
        |men: &Men| is_at_home(*men) && (1..=MAX_TWO_SIDED_MEN as u32).contains(&men.in_play());
    let sides = [position.mover, position.other];
    sides.iter().all(is_covered).then(|| {
        let [mover, other] = sides.map(home_index);
        WIN_PROBABILITIES[mover * NUM_TWO_SIDED + other]
    })
}

/// Expected payoff of a side that wins with probability `win`, where gammons are impossible.
pub fn single_game_payoff(win: f32) -> f32 {
    (1.0 + win) / 3.0
}

/// Option `bearoff=6` of searches: the two-sided table, or 0 for none.
pub(super) static BEAROFF: OracleEntry<Backgammon> = OracleEntry {
    key: "bearoff",
    read: |value, _| match parse_number("bearoff", value, 0..=MAX_TWO_SIDED_MEN)? {
        0 => Ok(None),
        MAX_TWO_SIDED_MEN => Ok(Some(Arc::new(BearoffOracle))),
        _ => Err(value.problem_here("'bearoff' is 6 men a side, or 0 for none")),
    },
    default: |_, _| Ok(Some(Arc::new(BearoffOracle))),
    instant: |_| Some(MAX_TWO_SIDED_MEN.to_string()),
    class: |game, position| Backgammon::INFO.parts[game.part(position)].to_owned(),
    win_probability: |value| Some(3.0 * value - 1.0),
};

/// Oracle of the two-sided table, which is built when first needed.
#[derive(Clone, Copy, Debug)]
pub struct BearoffOracle;

impl Oracle<Backgammon> for BearoffOracle {
    fn value(&self, _: &Backgammon, position: &Position) -> Option<f32> {
        two_sided_win(position).map(single_game_payoff)
    }

    fn may_cover_successors(&self, position: &Position) -> bool {
        let (mover, other) = (position.mover, position.other);
        is_at_home(other)
            && other.in_play() as usize <= MAX_TWO_SIDED_MEN
            && mover.in_play() as usize <= MAX_TWO_SIDED_MEN + 4
    }

    fn max_error(&self) -> f32 {
        1e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{game::Game, text::parse_json_rows};
    use serde_json::Value;
    use std::collections::HashMap;

    fn men(counts: &[u8]) -> Men {
        let mut all = [0; 25];
        all[..counts.len()].copy_from_slice(counts);
        Men::from_counts(all).unwrap()
    }

    fn reference_win(position: &Position, memo: &mut HashMap<Position, f64>) -> f64 {
        if let Some(points) = Backgammon.points_won(position, position.seat()) {
            return f64::from(u8::from(points > 0));
        }
        if let Some(&win) = memo.get(position) {
            return win;
        }
        let mut win = 0.0;
        for roll in 0..NUM_ROLLS {
            let mut best = 0.0f64;
            position.visit_plays(roll, |play| {
                best = best.max(1.0 - reference_win(&Backgammon.play(position, play), memo));
            });
            win += f64::from(roll_probability(roll)) * best;
        }
        memo.insert(*position, win);
        win
    }

    #[test]
    fn indices_are_dense_and_fall_with_every_play() {
        assert_eq!((num_positions(15), num_positions(6)), (54_264, 924));
        let positions = home_positions(7);
        for (index, &men) in positions.iter().enumerate() {
            assert_eq!(home_index(men), index);
            for roll in 0..NUM_ROLLS {
                visit_indices_after(men, roll, |after| assert!(after < index.max(1)));
            }
        }
    }

    #[test]
    fn two_sided_values_are_those_of_recursion_and_of_an_independent_program() {
        let game = Backgammon;
        let mut memo = HashMap::new();
        for (mover, other) in [
            (men(&[1]), men(&[0, 2])),
            (men(&[0, 0, 2, 1]), men(&[1, 1, 0, 0, 0, 1])),
        ] {
            let position = Position::new(mover, other, 1);
            let expected = reference_win(&position, &mut memo);
            let found = two_sided_win(&position).unwrap();
            assert!(
                (f64::from(found) - expected).abs() < 1e-6,
                "{found} {expected}"
            );
        }
        let vectors = include_str!("../../../tests/vectors/backgammon_bearoff.jsonl");
        let mut lines = 0;
        for vector in parse_json_rows::<Value>(vectors) {
            let (position, _) = game.parse_position(vector["id"].as_str().unwrap()).unwrap();
            let win = two_sided_win(&position).unwrap();
            let expected = vector["win"].as_f64().unwrap();
            assert!((f64::from(win) - expected).abs() < 6e-5, "{vector} {win}");
            let value = BearoffOracle.value(&game, &position).unwrap();
            assert_eq!(value, (1.0 + win) / 3.0);
            assert!(BearoffOracle.may_cover_successors(&position));
            lines += 1;
        }
        assert_eq!(lines, 750);
    }

    #[test]
    fn positions_with_a_gammon_or_contact_have_no_exact_value() {
        let other = men(&[0, 0, 0, 0, 0, 6]);
        for wrong in [
            men(&[7]),
            men(&[0, 0, 0, 0, 0, 0, 1]),
            Men::START,
            Men::default(),
        ] {
            for position in [
                Position::new(wrong, other, 0),
                Position::new(other, wrong, 0),
            ] {
                assert_eq!(BearoffOracle.value(&Backgammon, &position), None);
            }
        }
    }

    #[test]
    fn one_sided_distributions_agree_with_hand_counts_and_nearly_with_exact_values() {
        for (counts, rolls, of_36) in [
            (&[2][..], 1, 36.0),
            (&[0, 0, 0, 0, 0, 1], 1, 27.0),
            (&[0, 0, 0, 0, 0, 1], 2, 9.0),
            (&[0, 0, 1, 0, 1], 1, 14.0),
        ] {
            let found = roll_distribution(men(counts)).unwrap()[rolls];
            assert!((found - of_36 / 36.0).abs() < 1e-5, "{found} {of_36}");
        }
        assert_eq!(roll_distribution(Men::START), None);
        let full = roll_distribution(men(&[0, 0, 0, 0, 0, 15]));
        let sum: f32 = full.unwrap().iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        let positions = home_positions(MAX_TWO_SIDED_MEN);
        for (index, &mover) in positions.iter().enumerate().skip(1).step_by(5) {
            let position = Position::new(mover, positions[1 + index * 7 % 923], 0);
            let exact = two_sided_win(&position).unwrap();
            let found = one_sided_win(&position).unwrap();
            assert!((found - exact).abs() < 0.02, "{found} {exact}");
        }
    }
}
