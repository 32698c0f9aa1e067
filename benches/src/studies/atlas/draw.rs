//! Set-ups and values as pictures: triangles of text, a table of all meetings, a map of classes.
//!
//! Set-ups are drawn as Red's, whose corner is the upper left one.

use super::{
    Found,
    result::{Atlas, ClassValue, Estimate},
};
use crate::error::Result;
use crate::plot::heat_map::{HeatMap, heat_map};
use crate::sheet::{Cell, Sheet};
use crate::statistics::QUANTILE_95;

/// Triangles in one line of text.
const A_LINE: usize = 8;

/// Classes at either end whose members are listed as the best, and half of those that are shown;
/// their members are as many as Rock'n'Roll's tournament took.
pub const SHOWN: usize = 4;

impl std::fmt::Display for Estimate {
    /// In percent, with half the 95 % interval where there is one.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = 100.0 * self.value;
        if self.error == 0.0 {
            return write!(formatter, "{value:.3} %");
        }
        write!(
            formatter,
            "{value:.2} % ± {:.2}",
            100.0 * QUANTILE_95 * self.error
        )
    }
}

impl Atlas {
    /// What a person reads.
    #[must_use]
    pub fn text(&self) -> String {
        let (shown, seen) = (&self.second_answers, &self.first_answers);
        let sure = match self.within {
            Some(within) => format!(
                "exact, by endgame tables, up to {:.4} points",
                100.0 * within
            ),
            None => format!(
                "estimated from {} games: {}; ± is what their dice leave open",
                self.games, self.source
            ),
        };
        let mut text = format!(
            "{} stones a side, {}\n{sure}\n\n\
         who begins wins\n  {} with random set-ups\n  {} if neither sees the other's set-up and both mix as they should (its own mix assures {:.3}, the other's allows {:.3})\n  \
         {} if the other sees its set-up: {} against {}\n  {} if it sees the other's: {} against {}\n\
         not knowing who begins, random set-ups lose {:.2} points to the best answer\n",
            self.stones,
            self.game,
            self.random,
            self.equilibrium,
            100.0 * self.assured.lower,
            100.0 * self.assured.upper,
            shown.value,
            shown.first,
            shown.second,
            seen.value,
            seen.first,
            seen.second,
            100.0 * self.random_loses,
        );
        for better in &self.better {
            text += &format!(
                "\nwith {} set-ups {} in the place of {} ({} games each) \n  changes that by {} if both play so, to {}\n  gains {} where it begins, {} where it answers: what better play may change\n",
                better.starts,
                better.players[1],
                better.players[0],
                better.games,
                better.change,
                better.both,
                better.first_gains,
                better.second_gains,
            );
        }
        if let Some(fit) = &self.fit {
            text += &format!(
                "\none game deviates by {:.1} points, meetings by {:.2}; what a class wins on one side is certain to ± {:.2}\n",
                100.0 * fit.deviation,
                100.0 * fit.spread,
                100.0 * QUANTILE_95 * fit.class_error,
            );
            let held_out = fit.held_out.iter().enumerate().map(|(place, model)| {
                vec![
                    format!(
                        "{:?}{}",
                        model.terms,
                        if place == fit.taken { " (taken)" } else { "" }
                    )
                    .to_lowercase()
                    .into(),
                    Cell::Percent(model.explained),
                    Cell::Number(model.slope, 3),
                    Cell::Percent(model.residual),
                    Cell::number(model.better_by, 1),
                ]
            });
            let columns = [
                "terms, on held-out games",
                "explain %",
                "slope",
                "left, points",
                "better by, errors",
            ];
            text += &Sheet::filled(columns, held_out).text();
        }
        let classes = &self.classes;
        if self.stones == 6 {
            for (name, chosen) in [
                ("best", &classes[..2 * SHOWN]),
                ("worst", &classes[classes.len() - 2 * SHOWN..]),
            ] {
                text += &format!(
                    "\n{name} classes, as Red's; above each what it wins, %\n{}",
                    triangles(chosen)
                );
            }
        }
        let mut sheet = Sheet::new([
            "place",
            "stones",
            "begins, wins %",
            "answers, wins %",
            "shares of who begins %",
            "answers %",
            "either %",
        ]);
        let ends = |place: usize| place < 2 * SHOWN || place + 2 * SHOWN >= classes.len();
        let mixed = |class: &ClassValue| class.share + class.share_first + class.share_second > 0.0;
        for (place, class) in classes
            .iter()
            .enumerate()
            .filter(|(place, class)| ends(*place) || mixed(class))
        {
            let mut row = vec![
                (place as u64 + 1).into(),
                class.orders.first().map_or("", String::as_str).into(),
            ];
            row.extend(
                [
                    class.first,
                    class.second,
                    class.share_first,
                    class.share_second,
                    class.share,
                ]
                .map(Cell::Percent),
            );
            sheet.push(row);
        }
        text += &format!("\n{}", sheet.text());
        text.trim_end().to_owned()
    }
}

/// Triangles of the first members of classes, the score in percent above each.
fn triangles(classes: &[ClassValue]) -> String {
    let mut text = String::new();
    for line in classes.chunks(A_LINE) {
        let score = |class: &ClassValue| format!("{:.1}", 100.0 * class.score);
        let row = |squares: std::ops::Range<usize>| {
            move |class: &ClassValue| {
                class.orders[0][squares.clone()]
                    .chars()
                    .map(|stone| format!("{stone} "))
                    .collect()
            }
        };
        let rows: [&dyn Fn(&ClassValue) -> String; 4] =
            [&score, &row(0..3), &row(3..5), &row(5..6)];
        for row in rows {
            let cells: String = line
                .iter()
                .map(|class| format!("{:<8}", row(class)))
                .collect();
            text += &format!("  {}\n", cells.trim_end());
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

/// Most groups of a map.
const GROUPS: usize = 36;

impl Found {
    /// What every meeting is worth to who begins: a class against a row.
    #[must_use]
    pub fn sheet(&self) -> Sheet {
        let order = |row: usize| super::arrangements::text(&self.rows.orders[row]);
        let firsts = self.rows.classes.iter();
        let meetings =
            firsts.flat_map(|&first| (0..self.rows.len()).map(move |second| [first, second]));
        let row = |[first, second]: [usize; 2]| {
            vec![
                order(first).into(),
                order(second).into(),
                Cell::Percent(self.values[first][second]),
            ]
        };
        Sheet::filled(["first", "second", "first_wins"], meetings.map(row))
    }

    /// Who begins against the other, classes from best to worst, several together where there are
    /// many.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let classes = &self.atlas.classes;
        let row = |order: &String| {
            self.rows
                .orders
                .iter()
                .position(|other| super::arrangements::text(other) == *order)
        };
        let groups: Vec<Vec<usize>> = classes
            .chunks(classes.len().div_ceil(GROUPS))
            .map(|group| {
                group
                    .iter()
                    .flat_map(|class| class.orders.iter().filter_map(row))
                    .collect()
            })
            .collect();
        let mean = |first: &Vec<usize>, second: &Vec<usize>| {
            let values = first
                .iter()
                .flat_map(|&first| second.iter().map(move |&second| self.values[first][second]));
            Some(100.0 * values.sum::<f64>() / (first.len() * second.len()) as f64)
        };
        let values: Vec<Option<f64>> = groups
            .iter()
            .flat_map(|first| groups.iter().map(move |second| mean(first, second)))
            .collect();
        let span = values
            .iter()
            .flatten()
            .map(|value| (value - 50.0).abs())
            .fold(0.5, f64::max);
        let numbered = |prefix: &str| {
            (1..=groups.len())
                .map(|place| format!("{prefix}{place}"))
                .collect()
        };
        heat_map(&HeatMap {
            title:
                "Who begins wins, %: its set-up (rows) against the other's (columns), best first"
                    .to_owned(),
            rows: numbered("begins with "),
            columns: numbered(""),
            values,
            middle: 50.0,
            span,
            decimals: 1,
        })
    }
}
