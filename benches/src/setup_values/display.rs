//! Text and charts of set-ups and their values. Set-ups are drawn as Red's, with the corner at the
//! upper left.

use super::{
    SetupStudy,
    analysis::{ClassValue, SetupValues},
    arrangements::text,
};
use arena::error::Result;
use arena::plot::heat_map::{HeatMap, heat_map};
use arena::statistics::QUANTILE_95;
use arena::text_table::{Cell, TextTable};

const TRIANGLES_PER_LINE: usize = 8;

/// Number of best classes that `--best` writes: sixteen set-ups, as in Rock'n'Roll's tournament.
/// The text shows twice as many, and as many worst ones.
pub const MAX_DISPLAYED: usize = 4;

impl SetupValues {
    pub fn text(&self) -> String {
        let (displayed, seen) = (&self.second_sees, &self.first_sees);
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
            displayed.value,
            displayed.first,
            displayed.second,
            seen.value,
            seen.first,
            seen.second,
            100.0 * self.random_deficit,
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
            let held_out = fit.held_out.iter().enumerate().map(|(index, model)| {
                let mark = if index == fit.taken { " (taken)" } else { "" };
                let name = format!("{:?}{mark}", model.terms).to_lowercase();
                vec![
                    name.into(),
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
            text += &TextTable::from_rows(columns, held_out).text();
        }
        let classes = &self.classes;
        if self.stones == 6 {
            for (name, chosen) in [
                ("best", &classes[..2 * MAX_DISPLAYED]),
                ("worst", &classes[classes.len() - 2 * MAX_DISPLAYED..]),
            ] {
                text += &format!(
                    "\n{name} classes, as Red's; above each what it wins, %\n{}",
                    draw_triangles(chosen)
                );
            }
        }
        let mut text_table = TextTable::new([
            "place",
            "stones",
            "begins, wins %",
            "answers, wins %",
            "shares of who begins %",
            "answers %",
            "either %",
        ]);
        let ends =
            |index: usize| index < 2 * MAX_DISPLAYED || index + 2 * MAX_DISPLAYED >= classes.len();
        let mixed =
            |class: &ClassValue| class.weight + class.weight_first + class.weight_second > 0.0;
        let placed = classes.iter().enumerate();
        for (index, class) in placed.filter(|(index, class)| ends(*index) || mixed(class)) {
            text_table.push(vec![
                (index as u64 + 1).into(),
                class.orders.first().map_or("", String::as_str).into(),
                Cell::Percent(class.first),
                Cell::Percent(class.second),
                Cell::Percent(class.weight_first),
                Cell::Percent(class.weight_second),
                Cell::Percent(class.weight),
            ]);
        }
        text += &format!("\n{}", text_table.text());
        text.trim_end().to_owned()
    }
}

fn draw_triangles(classes: &[ClassValue]) -> String {
    let mut text = String::new();
    for line in classes.chunks(TRIANGLES_PER_LINE) {
        let pictures = line.iter().map(|class| {
            let stones: Vec<String> = class.orders[0]
                .chars()
                .map(|stone| format!("{stone} "))
                .collect();
            let rows = [0..3, 3..5, 5..6].map(|squares| stones[squares].concat());
            [&[format!("{:.1}", 100.0 * class.score)], &rows[..]].concat()
        });
        let pictures: Vec<Vec<String>> = pictures.collect();
        for row in 0..4 {
            let cells = pictures
                .iter()
                .map(|triangle| format!("{:<8}", triangle[row]));
            text += &format!("  {}\n", cells.collect::<String>().trim_end());
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

fn rate_heat_map(
    title: &str,
    rows: Vec<String>,
    columns: Vec<String>,
    values: Vec<Option<f64>>,
) -> Result<String> {
    let finite = values.iter().flatten();
    heat_map(&HeatMap {
        title: title.to_owned(),
        rows,
        columns,
        span: finite.fold(0.5, |span, value| span.max((value - 50.0).abs())),
        values,
        middle: 50.0,
        decimals: 1,
    })
}

impl SetupValues {
    /// Heat map of the mean score of set-ups, by stone and its square.
    pub(crate) fn placement_heat_map(&self) -> Result<String> {
        const SQUARE_NAMES: [&str; 6] = ["a5", "b5", "c5", "a4", "b4", "a3"];
        let mean = |stone: usize, square: usize| {
            let stands = |order: &&String| order.as_bytes()[square] == b'0' + stone as u8;
            let (mut sum, mut count) = (0.0, 0.0);
            for class in &self.classes {
                let stones_on = class.orders.iter().filter(stands).count() as f64;
                (sum, count) = (sum + stones_on * class.score, count + stones_on);
            }
            (count > 0.0).then(|| 100.0 * sum / count)
        };
        let stones = 1..=self.stones;
        let rates = stones
            .clone()
            .flat_map(|stone| (0..6).map(move |square| mean(stone, square)));
        rate_heat_map(
            "Mean rate with a stone on a square (Red's), %",
            stones
                .clone()
                .map(|stone| format!("stone {stone}"))
                .collect(),
            SQUARE_NAMES.map(str::to_owned).to_vec(),
            rates.collect(),
        )
    }
}

const MAX_HEAT_MAP_GROUPS: usize = 36;

impl SetupStudy {
    /// Table with a line for each set-up of the first side and each of the second, up to reversed
    /// labels: both, and the first side's win probability.
    pub fn text_table(&self) -> TextTable {
        let order = |row: usize| text(&self.rows.orders[row]);
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
        TextTable::from_rows(["first", "second", "first_wins"], meetings.map(row))
    }

    pub fn svg(&self) -> Result<String> {
        let classes = &self.setup_values.classes;
        let row = |order: &String| {
            let mut rows = self.rows.orders.iter();
            rows.position(|other| text(other) == *order)
        };
        let rows = |group: &[ClassValue]| {
            let orders = group.iter().flat_map(|class| &class.orders);
            orders.filter_map(row).collect()
        };
        let groups: Vec<Vec<usize>> = classes
            .chunks(classes.len().div_ceil(MAX_HEAT_MAP_GROUPS))
            .map(rows)
            .collect();
        let mean = |first: &Vec<usize>, second: &Vec<usize>| {
            let of_row =
                |&first: &usize| second.iter().map(move |&second| self.values[first][second]);
            let values = first.iter().flat_map(of_row);
            Some(100.0 * values.sum::<f64>() / (first.len() * second.len()) as f64)
        };
        let numbered = |prefix: &str| {
            let positions = 1..=groups.len();
            positions.map(|index| format!("{prefix}{index}")).collect()
        };
        rate_heat_map(
            "Who begins wins, %: its set-up (rows) against the other's (columns), best first",
            numbered("begins with "),
            numbered(""),
            groups
                .iter()
                .flat_map(|first| groups.iter().map(move |second| mean(first, second)))
                .collect(),
        )
    }
}
