//! Scale in which payoffs are shown: points of the game, or hundredths of a win.

use arena::text_table::Cell;
use engine::play::{playable::Playable, points::Points};

#[derive(Clone, Copy)]
pub(crate) struct DisplayScale(Option<Points>);

impl DisplayScale {
    pub(crate) fn of<G: Playable>(game: &G) -> Self {
        Self(game.points())
    }

    pub(crate) fn value(self, payoff: f64) -> f64 {
        self.0
            .map_or(100.0 * payoff, |points| points.from_payoff(payoff))
    }

    pub(crate) fn difference(self, payoff: f64) -> f64 {
        self.0
            .map_or(100.0 * payoff, |points| points.difference(payoff))
    }

    /// An expected payoff with its unit, such as `61.2 %` or `+0.250 points`.
    pub(crate) fn value_text(self, payoff: f64) -> String {
        match self.0 {
            None => format!("{:.1} %", 100.0 * payoff),
            Some(points) => format!("{:+.3} {}", points.from_payoff(payoff), points.unit),
        }
    }

    /// A difference of expected payoffs with its unit, such as `2.8 points`.
    pub(crate) fn difference_text(self, payoff: f64) -> String {
        let decimals = if self.0.is_some() { 3 } else { 1 };
        format!("{:.decimals$} {}", self.difference(payoff), self.unit())
    }

    /// Mean of `count` payoffs with the sum `payoffs`, with its unit: `52.1 %`, or `+0.125 points`.
    pub(crate) fn mean_text(self, payoffs: f64, count: u64) -> String {
        let unit = self.0.map_or("%", |points| points.unit);
        format!("{} {unit}", self.mean_number(payoffs, count))
    }

    pub(crate) fn mean_heading(self) -> &'static str {
        self.0.map_or("won %", |points| points.unit)
    }

    pub(crate) fn mean_number(self, payoffs: f64, count: u64) -> String {
        if count == 0 {
            return "–".to_owned();
        }
        let count = count as f64;
        match self.0 {
            None => format!("{:.1}", 100.0 * payoffs / count),
            Some(points) => format!("{:+.3}", points.from_payoff(payoffs / count)),
        }
    }

    pub(crate) fn value_cell(self, payoff: f64) -> Cell {
        Cell::Number(self.value(payoff), self.decimals())
    }

    pub(crate) fn difference_cell(self, payoff: f64) -> Cell {
        Cell::Number(self.difference(payoff), self.decimals())
    }

    /// Number of decimals that tell values apart: a hundredth of a win is finer than a point.
    pub(crate) fn decimals(self) -> usize {
        if self.0.is_some() { 3 } else { 2 }
    }

    /// Unit, in the plural.
    pub(crate) fn unit(self) -> &'static str {
        self.0.map_or("points", |points| points.unit)
    }

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
    let points = DisplayScale(Some(Points {
        unit: "points",
        max: 3.0,
        default_win: 1.0,
        results: &[],
    }));
    assert_eq!((wins.value(0.75), wins.difference(0.25)), (75.0, 25.0));
    let texts = [wins.value_text(0.612), wins.difference_text(0.0281)];
    assert_eq!(texts, ["61.2 %", "2.8 points"]);
    let means = [wins, points].map(|scale| scale.mean_text(1.5, 2));
    assert_eq!(means, ["75.0 %", "+1.500 points"]);
    // Of a backgammon's three points a won gammon pays two; what divides both ends is six.
    assert!((points.value(5.0 / 6.0) - 2.0).abs() < 1e-12);
    assert!((points.difference(1.0) - 6.0).abs() < 1e-12);
    let texts = [points.value_text(0.625), points.difference_text(0.03125)];
    assert_eq!(texts, ["+0.750 points", "0.188 points"]);
}
