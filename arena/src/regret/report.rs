//! Report of measured regret as tables, CSV and a chart.

use super::{
    Contestant,
    choices::answers,
    estimates::{Bin, DecisionSums, Figures, ValueErrors, ValueSums},
    reference_values::Labelled,
};
use crate::error::Result;
use crate::plot::{
    Curve, LineChart,
    scaled_charts::{Scale, scaled_chart},
};
use crate::statistics::Estimate;
use crate::text_table::{Cell, TextTable};
use alea_play::playable::Playable;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, iter::once, time::Instant};

/// Measured regret of all contestants on the same positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Source of the reference values of moves, as text.
    pub truth: String,
    /// Description of the games from which the positions were sampled.
    pub from: String,
    /// Seed of positions and players.
    pub seed: u64,
    /// Number of positions; each has a decision for every outcome of chance.
    pub positions: u64,
    /// Unit of the game's points, and the difference in points between payoffs 0 and 1; `None` in
    /// games without points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<(String, f64)>,
    /// Results of the contestants, in the order of the command line.
    pub contestants: Vec<ContestantReport>,
}

/// Regret of one contestant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContestantReport {
    /// Spec of the player or evaluator.
    pub name: String,
    /// `player` or `evaluator`.
    pub kind: String,
    /// Statistics over all positions.
    #[serde(flatten)]
    pub figures: Figures,
    /// Errors of an evaluator's win probabilities; `None` for a player.
    pub values: Option<ValueErrors>,
    /// Statistics by class of positions ([`alea_play::registry::OracleEntry::class`]); in suites
    /// the class is the number of stones, `5` for at most five.
    pub classes: BTreeMap<String, Figures>,
    /// Non-empty calibration bins of an evaluator; empty for a player.
    pub calibration: Vec<Bin>,
    /// Wall time of all decisions.
    pub seconds: f64,
}

/// Lets a contestant decide `labelled` positions and measures its regret, over all positions and by
/// `class`.
///
/// # Errors
/// If a player fails.
pub fn measure<G: Playable>(
    contestant: &Contestant<G>,
    game: &G,
    labelled: &[Labelled<G>],
    class: impl Fn(&G::Position) -> String,
    seed: u64,
    progress: &ProgressBar,
) -> Result<ContestantReport> {
    let began = Instant::now();
    let answers = answers(contestant, game, labelled, seed, progress)?;
    let seconds = began.elapsed().as_secs_f64();
    let (mut all, mut values) = (DecisionSums::new(game), ValueSums::default());
    let mut classes: BTreeMap<String, DecisionSums> = BTreeMap::new();
    for (labelled, answer) in labelled.iter().zip(&answers) {
        let of_class = classes.entry(class(&labelled.position));
        for sums in [
            &mut all,
            of_class.or_insert_with(|| DecisionSums::new(game)),
        ] {
            sums.add(game, labelled, answer);
        }
        if let Some(value) = answer.value {
            values.add(f64::from(value), labelled.value(game));
        }
    }
    let classes = classes.into_iter();
    let classes = classes.map(|(class, sums)| (class, sums.figures()));
    Ok(ContestantReport {
        name: contestant.name().to_owned(),
        kind: contestant.kind().to_owned(),
        figures: all.figures(),
        values: values.figures(),
        classes: classes.collect(),
        calibration: values.bins(),
        seconds,
    })
}

impl ContestantReport {
    fn name_cells(&self) -> [Cell; 2] {
        [self.name.as_str().into(), self.kind.as_str().into()]
    }
}

fn regret_cells(figures: &Figures) -> [Cell; 5] {
    let (all, choices) = (figures.regret, figures.regret_of_choices);
    [
        all.value,
        all.error,
        figures.of_labels,
        choices.value,
        choices.error,
    ]
    .map(|number| Cell::Number(number, 5))
}

impl Report {
    /// Table for a terminal, with a row for each contestant.
    #[must_use]
    pub fn text_table(&self) -> TextTable {
        let in_error = |measured: &ContestantReport| measured.figures.of_labels > 0.0;
        let labelled = self.contestants.iter().any(in_error);
        let columns = [
            "contestant",
            "kind",
            "regret",
            "±",
            "per choice",
            "± ",
            "optimal %",
            "±  ",
            "> 0.01 %",
            "> 0.05 %",
            "rmse",
            "±   ",
            "bias",
            "seconds",
            "of labels",
        ];
        let displayed = columns.len() - usize::from(!labelled);
        let in_points = self.points.iter();
        let in_points = in_points.flat_map(|(unit, _)| [unit.clone(), "±    ".to_owned()]);
        let columns = columns.into_iter().take(displayed).map(str::to_owned);
        let mut text_table = TextTable::new(columns.chain(in_points));
        for measured in &self.contestants {
            let figures = &measured.figures;
            let values = measured.values.as_ref();
            let mut row = measured.name_cells().to_vec();
            let [regret, error, of_labels, of_choice, its_error] = regret_cells(figures);
            row.extend([regret, error, of_choice, its_error]);
            let (optimal, above) = (figures.optimal, [figures.above_1, figures.above_5]);
            row.extend([optimal.value, optimal.error].map(Cell::Percent));
            row.extend(above.map(|fraction| Cell::Percent(fraction.value)));
            let of_values = [
                values.map(|values| values.rmse.value),
                values.map(|values| values.rmse.error),
                values.map(|values| values.bias.value),
            ];
            row.extend(of_values.map(|value| Cell::number(value, 5)));
            row.push(Cell::Number(measured.seconds, 2));
            row.extend(labelled.then_some(of_labels));
            let Estimate { value, error } = figures.regret;
            let in_points = self.points.iter();
            let in_points = in_points.flat_map(|(_, scale)| [value, error].map(|one| scale * one));
            row.extend(in_points.map(|number| Cell::Number(number, 5)));
            text_table.push(row);
        }
        text_table
    }

    /// Table with a row for each contestant and class, and for each contestant over all positions.
    #[must_use]
    pub fn contestant_class_table(&self) -> TextTable {
        let columns = [
            "contestant",
            "kind",
            "class",
            "positions",
            "regret",
            "±",
            "of labels",
            "per choice",
            "± ",
            "optimal %",
            "> 0.01 %",
            "> 0.05 %",
        ];
        let mut text_table = TextTable::new(columns);
        for measured in &self.contestants {
            for (class, figures) in
                once((&"all".to_owned(), &measured.figures)).chain(&measured.classes)
            {
                let mut row = measured.name_cells().to_vec();
                row.extend([class.as_str().into(), figures.positions.into()]);
                row.extend(regret_cells(figures));
                row.extend(
                    [figures.optimal, figures.above_1, figures.above_5]
                        .map(|fraction| Cell::Percent(fraction.value)),
                );
                text_table.push(row);
            }
        }
        text_table
    }

    /// Table of mean regret: a row for each contestant, a column for each class of positions.
    #[must_use]
    pub fn regret_by_class(&self) -> TextTable {
        let names = self.class_names();
        let mut text_table = TextTable::new(once("regret").chain(names.iter().map(String::as_str)));
        let mut push = |name: &str, measured: &ContestantReport, cell: fn(&Figures) -> Cell| {
            let of_class = |class| measured.classes.get(class).map_or(Cell::Missing, cell);
            text_table.push(
                once(name.into())
                    .chain(names.iter().map(of_class))
                    .collect(),
            );
        };
        for measured in &self.contestants {
            push(&measured.name, measured, |figures| {
                Cell::Number(figures.regret.value, 4)
            });
        }
        if let Some(first) = self.contestants.first() {
            push("(positions)", first, |figures| figures.positions.into());
        }
        text_table
    }

    /// Table of evaluators' mean win probabilities beside the reference ones, a row for each bin;
    /// `None` without an evaluator.
    #[must_use]
    pub fn calibration(&self) -> Option<TextTable> {
        let mut text_table =
            TextTable::new(["evaluator", "from", "positions", "predicted", "exact", "±"]);
        for measured in &self.contestants {
            for bin in &measured.calibration {
                text_table.push(vec![
                    measured.name.as_str().into(),
                    Cell::Number(bin.from, 2),
                    bin.positions.into(),
                    Cell::Number(bin.predicted, 4),
                    Cell::Number(bin.exact.value, 4),
                    Cell::Number(bin.exact.error, 4),
                ]);
            }
        }
        (!text_table.rows.is_empty()).then_some(text_table)
    }

    /// SVG chart: calibration of the evaluators or, without any, regret by class of positions.
    ///
    /// # Errors
    /// If the chart cannot be drawn.
    pub fn chart_svg(&self) -> Result<String> {
        let contestants = self.contestants.iter();
        let evaluators = contestants.filter(|measured| !measured.calibration.is_empty());
        if evaluators.clone().next().is_none() {
            return self.class_chart_svg();
        }
        let diagonal = Curve::new("predicted = exact", [(0.0, 0.0), (1.0, 1.0)]);
        let curve = |measured: &ContestantReport| {
            let bins = measured.calibration.iter();
            let points = bins.map(|bin| (bin.predicted, bin.exact.value));
            Curve::new(&measured.name, points)
        };
        let chart = LineChart::new(
            format!(
                "Predicted and exact win probability, {} positions",
                self.positions
            ),
            ["predicted win probability (mean of bins of 0.05)", "exact"],
            evaluators.map(curve).chain([diagonal]),
        );
        scaled_chart(&chart, &Scale::Linear, &Scale::Linear)
    }

    fn class_chart_svg(&self) -> Result<String> {
        let names = self.class_names();
        let curve = |measured: &ContestantReport| {
            let point = |(index, class): (usize, &String)| {
                Some((index as f64, measured.classes.get(class)?.regret.value))
            };
            Curve::new(&measured.name, names.iter().enumerate().filter_map(point))
        };
        let chart = LineChart::new(
            format!("Regret by class, {} positions", self.positions),
            [
                "class of positions",
                "win probability given away per decision",
            ],
            self.contestants.iter().map(curve),
        );
        let classes = Scale::Categories(names.clone());
        scaled_chart(&chart, &classes, &Scale::Logarithmic(10))
    }

    fn class_names(&self) -> Vec<String> {
        let contestants = self.contestants.iter();
        let names = contestants.flat_map(|measured| measured.classes.keys().cloned());
        let mut names: Vec<String> = names.collect();
        let order = |name: &String| {
            let stones = name.split('v').filter_map(|part| part.parse().ok());
            let stones: Vec<u32> = stones.collect();
            (stones.iter().sum::<u32>(), stones.first().copied())
        };
        names.sort_by_key(order);
        names.dedup();
        names
    }
}
