//! Values of positions before a chance event, `Σ_o p_o · max_{m ∈ moves(o)} v_m`, exact or bounded.
//! A move that several outcomes allow is searched once (Rock'n'Roll, Schäfer 2006).
//!
//! In search windows, outcomes with unsearched moves may be worth up to 1 (Star1, Ballard 1983).

use crate::game::{List, MAX_LISTED_OUTCOMES, Outcome, OutcomeList};
use serde::Serialize;

/// Bounds of a win probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Lower bound.
    pub lower: f32,
    /// Upper bound.
    pub upper: f32,
}

impl Bounds {
    /// Bounds 0 and 1.
    pub const UNKNOWN: Self = Self {
        lower: 0.0,
        upper: 1.0,
    };

    /// Bounds of a known value, both equal to it.
    #[inline]
    pub fn exact(value: f32) -> Self {
        Self {
            lower: value,
            upper: value,
        }
    }

    /// Bounds of `1 - value`, the win probability of the opponent.
    #[must_use]
    #[inline]
    pub fn flip(self) -> Self {
        Self {
            lower: 1.0 - self.upper,
            upper: 1.0 - self.lower,
        }
    }
}

/// `value` if `same`, else `1 - value`, the opponent's win probability.
#[inline]
pub fn flip_unless_same(value: f32, same: bool) -> f32 {
    if same { value } else { 1.0 - value }
}

/// Mean over `outcomes` of the best value among the moves that each allows; `values`, of all moves,
/// are win probabilities of the seat to move.
#[inline]
pub fn expectation(outcomes: &[Outcome], values: &[f32]) -> f32 {
    let mut mean = WeightedMean::default();
    for outcome in outcomes {
        let best = values[outcome.move_range()]
            .iter()
            .copied()
            .fold(0.0, f32::max);
        mean.add(outcome.weight, best);
    }
    mean.get()
}

/// `Σ weight · value`: at most 1 despite rounding, exactly ½ if all values are.
#[derive(Default)]
struct WeightedMean {
    sum: f32,
    has_non_draw: bool,
}

impl WeightedMean {
    #[inline]
    fn add(&mut self, weight: f32, value: f32) {
        self.sum += weight * value;
        self.has_non_draw |= value != 0.5;
    }

    #[inline]
    fn get(&self) -> f32 {
        if self.has_non_draw {
            self.sum.min(1.0)
        } else {
            0.5
        }
    }
}

/// Bounds of a position's value before its chance event, updated after each searched move.
#[derive(Clone, Debug, Default)]
pub struct ChanceBounds<O: OutcomeList> {
    outcomes: O::ListOf<OutcomeBounds>,
    /// Outcomes, as a bit set, that allow each of the first moves.
    allowing: [u64; MAX_MASKED_MOVES],
    lower: f32,
    upper: f32,
    /// Allowance for rounding errors of the bounds; 0 with a single outcome, which has none.
    margin: f32,
}

const MAX_MASKED_MOVES: usize = 32;

/// Margin that exceeds the rounding errors of the running sums.
const MARGIN: f32 = 1e-6;

#[derive(Clone, Copy, Debug, Default)]
struct OutcomeBounds {
    outcome: Outcome,
    lower: f32,
    searched_upper: f32,
    /// Upper bound of the best allowed move: 1 until all are searched, then `searched_upper`.
    upper: f32,
    unsearched: u16,
    reciprocal: f32,
}

impl<O: OutcomeList> ChanceBounds<O> {
    /// Bounds before any search; `listed` has all outcomes.
    #[inline]
    pub fn new(listed: &[Outcome]) -> Self {
        let mut bounds = Self::default();
        bounds.start(listed);
        bounds
    }

    /// [`Self::new`] in place, which saves copies.
    #[inline]
    pub fn start(&mut self, listed: &[Outcome]) {
        const {
            assert!(
                O::CAPACITY <= MAX_LISTED_OUTCOMES,
                "a set of outcomes is a word"
            )
        };
        let is_certain = listed.len() == 1 && listed[0].weight == 1.0;
        (self.lower, self.upper) = (0.0, 1.0);
        self.margin = if is_certain { 0.0 } else { MARGIN };
        self.allowing = [0; MAX_MASKED_MOVES];
        self.outcomes.clear();
        for (number, outcome) in listed.iter().enumerate() {
            let end = usize::from(outcome.end).min(MAX_MASKED_MOVES);
            for mask in &mut self.allowing[usize::from(outcome.start).min(end)..end] {
                *mask |= 1 << number;
            }
            self.outcomes.push(OutcomeBounds {
                outcome: *outcome,
                lower: 0.0,
                searched_upper: 0.0,
                upper: 1.0,
                unsearched: outcome.end - outcome.start,
                reciprocal: outcome.weight.recip(),
            });
        }
    }

    /// Window `(low, high)` of the move at `index`, from that of the position: a value up to `low`
    /// changes nothing or makes the position fail low, one from `high` on makes it fail high.
    #[inline]
    pub fn window(&self, index: usize, alpha: f32, beta: f32) -> (f32, f32) {
        let (alpha, beta) = (alpha - self.margin, beta + self.margin);
        let mut allowing = self.outcomes_allowing(index);
        if allowing & allowing.wrapping_sub(1) == 0 {
            let Some(entry) = self.outcomes.get(allowing.trailing_zeros() as usize) else {
                return (1.0, 1.0);
            };
            if self.margin == 0.0 {
                return (
                    if alpha > entry.lower && alpha >= entry.searched_upper {
                        alpha
                    } else {
                        entry.lower
                    },
                    beta,
                );
            }
            let high = (beta - self.lower) * entry.reciprocal + entry.lower;
            let low = (alpha - self.upper) * entry.reciprocal + entry.upper;
            let low = if low < entry.searched_upper {
                f32::NEG_INFINITY
            } else {
                low
            };
            return (if low > entry.lower { low } else { entry.lower }, high);
        }
        let (mut lower_sum, mut upper_sum) = (
            PiecewiseLinear::<O>::from_constant(self.lower),
            PiecewiseLinear::<O>::from_constant(self.upper),
        );
        let outcomes = &*self.outcomes;
        let mut min_lower = 1.0_f32;
        while allowing != 0 {
            let entry = &outcomes[allowing.trailing_zeros() as usize];
            allowing &= allowing - 1;
            let weight = entry.outcome.weight;
            lower_sum.constant -= weight * entry.lower;
            lower_sum.add_term(weight, entry.lower);
            min_lower = min_lower.min(entry.lower);
            if entry.unsearched <= 1 {
                upper_sum.constant -= weight * entry.upper;
                upper_sum.add_term(weight, entry.searched_upper);
            }
        }
        (upper_sum.solve(alpha).max(min_lower), lower_sum.solve(beta))
    }

    #[inline]
    fn outcomes_allowing(&self, index: usize) -> u64 {
        if index < MAX_MASKED_MOVES {
            return self.allowing[index];
        }
        let mut allowing = 0;
        for (number, entry) in self.outcomes.iter().enumerate() {
            allowing |= u64::from(entry.outcome.allows(index)) << number;
        }
        allowing
    }

    /// Records the bounds of a move once its search is complete.
    #[inline]
    pub fn record(&mut self, index: usize, bounds: Bounds) {
        let mut allowing = self.outcomes_allowing(index);
        let outcomes = &mut *self.outcomes;
        while allowing != 0 {
            let entry = &mut outcomes[allowing.trailing_zeros() as usize];
            allowing &= allowing - 1;
            let lower = if bounds.lower > entry.lower {
                bounds.lower
            } else {
                entry.lower
            };
            self.lower = if self.margin == 0.0 {
                lower
            } else {
                self.lower + entry.outcome.weight * (lower - entry.lower)
            };
            entry.lower = lower;
            entry.searched_upper = if bounds.upper > entry.searched_upper {
                bounds.upper
            } else {
                entry.searched_upper
            };
            entry.unsearched -= 1;
            if entry.unsearched == 0 {
                self.upper = if self.margin == 0.0 {
                    entry.searched_upper
                } else {
                    self.upper - entry.outcome.weight * (entry.upper - entry.searched_upper)
                };
                entry.upper = entry.searched_upper;
            }
        }
    }

    /// Raises the lower bound of a move whose search is not complete.
    #[inline]
    pub fn raise_lower_bound(&mut self, index: usize, lower: f32) {
        let mut allowing = self.outcomes_allowing(index);
        let outcomes = &mut *self.outcomes;
        while allowing != 0 {
            let entry = &mut outcomes[allowing.trailing_zeros() as usize];
            allowing &= allowing - 1;
            if lower > entry.lower {
                self.lower = if self.margin == 0.0 {
                    lower
                } else {
                    self.lower + entry.outcome.weight * (lower - entry.lower)
                };
                entry.lower = lower;
            }
        }
    }

    /// Whether any outcome allows the move.
    #[inline]
    pub fn is_move_allowed(&self, index: usize) -> bool {
        self.outcomes_allowing(index) != 0
    }

    /// Whether the search can end: the bounds are equal, or outside the window.
    #[inline]
    pub fn is_decided(&self, alpha: f32, beta: f32) -> bool {
        let margin = self.margin / 2.0;
        self.lower >= beta + margin
            || self.upper <= alpha - margin
            || self.upper - self.lower < MARGIN && self.all_outcomes_exact()
    }

    fn all_outcomes_exact(&self) -> bool {
        self.outcomes.iter().all(|entry| entry.lower >= entry.upper)
    }

    /// Bounds of the position's value, without the rounding errors of running sums.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        let (mut lower, mut upper) = (WeightedMean::default(), WeightedMean::default());
        for entry in self.outcomes.iter() {
            lower.add(entry.outcome.weight, entry.lower);
            upper.add(entry.outcome.weight, entry.upper);
        }
        Bounds {
            lower: lower.get(),
            upper: upper.get(),
        }
    }
}

/// `constant + Σ weight · max(floor, x)`.
struct PiecewiseLinear<O: OutcomeList> {
    constant: f32,
    /// `(weight, floor)` by ascending floor.
    terms: O::ListOf<(f32, f32)>,
}

impl<O: OutcomeList> PiecewiseLinear<O> {
    #[inline]
    fn from_constant(constant: f32) -> Self {
        Self {
            constant,
            terms: O::ListOf::default(),
        }
    }

    #[inline]
    fn add_term(&mut self, weight: f32, floor: f32) {
        let mut slot = self.terms.len();
        self.terms.push((weight, floor));
        let terms = &mut *self.terms;
        while slot > 0 && terms[slot - 1].1 > floor {
            terms[slot] = terms[slot - 1];
            slot -= 1;
        }
        terms[slot] = (weight, floor);
    }

    /// The largest x at which the sum is at most `target`: -∞ if none, +∞ without terms.
    #[inline]
    fn solve(&self, target: f32) -> f32 {
        let terms = &*self.terms;
        let mut sum_at_floor: f32 = self.constant
            + terms
                .iter()
                .map(|(weight, floor)| weight * floor)
                .sum::<f32>();
        if sum_at_floor > target {
            return f32::NEG_INFINITY;
        }
        let mut slope = 0.0;
        for (position, (weight, floor)) in terms.iter().enumerate() {
            sum_at_floor -= weight * floor;
            slope += weight;
            let x = ((target - sum_at_floor) / slope).max(*floor);
            if terms.get(position + 1).is_none_or(|(_, next)| x < *next) {
                return x;
            }
        }
        f32::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::FixedList;

    fn outcome(weight: f32, start: u16, end: u16) -> Outcome {
        Outcome { weight, start, end }
    }

    fn window_is(found: (f32, f32), expected: (f32, f32)) {
        assert!(
            (found.0 - expected.0).abs() < 3e-6 && (found.1 - expected.1).abs() < 3e-6,
            "{found:?}, expected {expected:?}"
        );
        assert!(
            found.0 <= expected.0 && found.1 >= expected.1,
            "{found:?} is narrower than {expected:?}"
        );
    }

    #[test]
    fn expectation_takes_the_best_move_of_each_outcome() {
        let outcomes = [outcome(0.5, 0, 2), outcome(0.5, 1, 3)];
        assert!((expectation(&outcomes, &[0.8, 0.4, 0.6]) - 0.7).abs() < 1e-7);
    }

    #[test]
    fn bounds_that_are_close_decide_nothing_before_they_meet() {
        let outcomes = [outcome(0.5, 0, 1), outcome(0.5, 1, 2)];
        let mut bounds = ChanceBounds::<FixedList<_, 2>>::new(&outcomes);
        bounds.record(0, Bounds::exact(0.25));
        let nearly_won = 1.0 - f32::EPSILON;
        bounds.raise_lower_bound(1, nearly_won);
        assert!(!bounds.is_decided(0.0, 1.0));
        bounds.record(1, Bounds::exact(nearly_won));
        assert!(bounds.is_decided(0.0, 1.0));
    }

    #[test]
    fn a_game_without_chance_has_alpha_beta_windows() {
        let mut bounds = ChanceBounds::<FixedList<_, 2>>::new(&[outcome(1.0, 0, 3)]);
        window_is(bounds.window(0, 0.3, 0.7), (0.3, 0.7));
        bounds.record(0, Bounds::exact(0.5));
        window_is(bounds.window(1, 0.3, 0.7), (0.5, 0.7));
        bounds.record(
            1,
            Bounds {
                lower: 0.0,
                upper: 0.4,
            },
        );
        window_is(bounds.window(2, 0.6, 0.7), (0.6, 0.7));
        assert_eq!(
            bounds.bounds(),
            Bounds {
                lower: 0.5,
                upper: 1.0
            }
        );
    }

    #[test]
    fn star1_windows_follow_from_the_bounds_of_the_other_outcomes() {
        let mut bounds =
            ChanceBounds::<FixedList<_, 2>>::new(&[outcome(0.5, 0, 1), outcome(0.5, 1, 2)]);
        window_is(bounds.window(0, 0.4, 0.7), (0.0, 1.4));
        bounds.record(0, Bounds::exact(0.6));
        window_is(bounds.window(1, 0.4, 0.7), (0.2, 0.8));
    }

    #[test]
    fn one_move_shared_by_outcomes_with_different_floors() {
        // Move 1 makes the value 0.5 max(0.2, x) + 0.5 max(0.6, x).
        let mut bounds =
            ChanceBounds::<FixedList<_, 2>>::new(&[outcome(0.5, 0, 2), outcome(0.5, 1, 3)]);
        bounds.record(0, Bounds::exact(0.2));
        bounds.record(2, Bounds::exact(0.6));
        window_is(bounds.window(1, 0.5, 0.7), (0.4, 0.7));
    }
}
