//! Scale in which texts show payoffs: points of the game, or hundredths of a win.

use arena::text_table::Cell;
use engine::play::{playable::Playable, points::Points};

#[derive(Clone, Copy)]
pub(crate) struct DisplayScale(Option<Points>);

impl DisplayScale {
    pub(crate) fn of<G: Playable>(game: &G) -> Self {
        Self(game.points())
    }

    /// An expected payoff in this scale.
    pub(crate) fn value(self, payoff: f64) -> f64 {
        self.0
            .map_or(100.0 * payoff, |points| points.from_payoff(payoff))
    }

    /// Difference of expected payoffs in this scale.
    pub(crate) fn difference(self, payoff: f64) -> f64 {
        self.0
            .map_or(100.0 * payoff, |points| points.difference(payoff))
    }

    pub(crate) fn value_cell(self, payoff: f64) -> Cell {
        Cell::Number(self.value(payoff), self.decimals())
    }

    pub(crate) fn difference_cell(self, payoff: f64) -> Cell {
        Cell::Number(self.difference(payoff), self.decimals())
    }

    /// Decimals that tell values apart: a hundredth of a win is finer than a point.
    pub(crate) fn decimals(self) -> usize {
        if self.0.is_some() { 3 } else { 2 }
    }

    /// Unit, in the plural.
    pub(crate) fn unit(self) -> &'static str {
        self.0.map_or("points", |points| points.unit)
    }

    /// What the unit is, for those who see it first.
    pub(crate) fn description(self) -> String {
        match self.0 {
            None => "points, hundredths of a win".to_owned(),
            Some(points) => format!("{} of the game", points.unit),
        }
    }
}

#[test]
fn payoffs_are_hundredths_of_a_win_or_the_points_of_the_game() {
    let wins = DisplayScale(None);
    assert_eq!((wins.value(0.75), wins.difference(0.25)), (75.0, 25.0));
    // Of a backgammon's three points a won gammon pays two; what divides both ends is six.
    let points = DisplayScale(Some(Points {
        unit: "points",
        max: 3.0,
        default_win: 1.0,
        results: &[],
    }));
    assert!((points.value(5.0 / 6.0) - 2.0).abs() < 1e-12);
    assert!((points.difference(1.0) - 6.0).abs() < 1e-12);
}
