//! Sections of a report page for the results of studies.

use crate::{
    reproduce::Reproduction,
    setup_values::analysis::{ClassValue, SetupValues},
    strength_curves::{self, StrengthCurves},
};
use arena::{
    document::{Block, Page},
    error::Result,
    plot::{Curve, LineChart, min_max, scaled_charts::scatter},
    results_report::Section,
    statistics::Interval,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Makes a report's section of a study's JSON result; `None` if `value` is of another kind.
pub fn read_section(value: &Value) -> Option<Result<Box<dyn Section>, String>> {
    fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
        T::deserialize(value).map_err(|problem| problem.to_string())
    }
    fn box_section<T: Section + 'static>(
        section: Result<T, String>,
    ) -> Result<Box<dyn Section>, String> {
        section.map(|section| Box::new(section) as _)
    }
    let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
    if has(&["equilibrium", "classes"]) {
        Some(box_section(read(value).and_then(setup_values)))
    } else if has(&["comparisons", "claims"]) {
        Some(box_section(read::<Reproduction>(value)))
    } else if has(&["curves", "against"]) {
        Some(box_section(read::<StrengthCurves>(value)))
    } else {
        None
    }
}

fn setup_values(found: SetupValues) -> Result<SetupValues, String> {
    let is_order = |order: &String| order.len() == 6 && order.is_ascii();
    let is_class =
        |class: &ClassValue| !class.orders.is_empty() && class.orders.iter().all(is_order);
    let enough = if found.stones == 6 { 8 } else { 1 };
    let is_complete = (1..=6).contains(&found.stones)
        && found.classes.len() >= enough
        && found.classes.iter().all(is_class);
    is_complete
        .then_some(found)
        .ok_or_else(|| "no atlas: classes of set-ups over six squares belong there".to_owned())
}

impl Section for SetupValues {
    fn append_to(&self, page: &mut Page) -> Result<()> {
        let map = self.placement_heat_map()?;
        let map = Block::chart(map, "Mean rate of the set-ups with a stone on a square");
        page.push("Set-ups", vec![Block::Code(self.text()), map]);
        Ok(())
    }
}

impl Section for Reproduction {
    fn append_to(&self, page: &mut Page) -> Result<()> {
        let mut blocks = vec![Block::Text(self.heading() + ".")];
        if let Some(details) = &self.details {
            blocks.push(Block::Code(details.trim_end().to_owned()));
        }
        for comparison in &self.comparisons {
            blocks.push(Block::Table(comparison.text_table()));
            blocks.extend(comparison.summary().map(Block::Note));
            let rows: Vec<(f64, f64, Option<Interval>)> = comparison
                .figures
                .iter()
                .filter_map(|figure| Some((figure.published?, figure.measured, figure.interval)))
                .collect();
            if rows.len() > 2 {
                blocks.push(Block::chart(
                    published_scatter(&comparison.title, &comparison.unit, &rows)?,
                    format!("{}: measured against published", comparison.title),
                ));
            }
        }
        for claim in &self.claims {
            blocks.push(Block::Text(format!(
                "Published: {} Measured: {}",
                claim.published, claim.measured
            )));
        }
        if !self.assumptions.is_empty() {
            blocks.push(Block::Text(
                "Left open by the report, and assumed here:".to_owned(),
            ));
            blocks.push(Block::List(self.assumptions.clone()));
        }
        page.push(format!("Published and measured: {}", self.target), blocks);
        Ok(())
    }
}

fn published_scatter(
    title: &str,
    unit: &str,
    rows: &[(f64, f64, Option<Interval>)],
) -> Result<String> {
    let (low, high) = min_max(rows.iter().flat_map(|row| [row.0, row.1]));
    let agree = Curve::new("the same", [(low, low), (high, high)]);
    let labels = ["published", "measured"].map(|what| format!("{what}, {unit}"));
    let chart = LineChart::new(title, labels.each_ref().map(String::as_str), [agree]);
    scatter(&chart, rows)
}

impl Section for StrengthCurves {
    fn append_to(&self, page: &mut Page) -> Result<()> {
        page.push(
            format!("Strength against {}", self.against),
            vec![
                Block::Table(strength_curves::text_table(self)),
                Block::chart(
                    strength_curves::chart(self)?,
                    "Scores by the cost of a move",
                ),
            ],
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{Claim, Comparison, Figure, Target};
    use arena::results_report;

    #[test]
    fn figures_stand_beside_published_ones() {
        let figure = |label: &str, published: f64, measured: f64| Figure {
            interval: Some(Interval::from_center(measured, 1.0)),
            games: 100,
            ..Figure::without_interval(label.to_owned(), published, measured)
        };
        let figures = vec![
            figure("one", 50.0, 51.0),
            figure("two", 60.0, 57.0),
            figure("three", 70.0, 70.0),
        ];
        let result = Reproduction {
            comparisons: vec![Comparison::new("score", "points", figures, 1)],
            claims: vec![Claim::new("It wins.", "It does.".to_owned())],
            assumptions: vec!["random set-ups".to_owned()],
            ..Reproduction::of(Target::Star, false, "")
        };
        let text = serde_json::to_string(&result).unwrap();
        let found = results_report::read("file.json", &text, read_section).unwrap();
        let html = results_report::page("Results", &found)
            .unwrap()
            .html("alea 1");
        assert!(
            html.contains("mean absolute difference 1.33 points")
                && html.contains("<li>random set-ups</li>"),
            "{html}"
        );
        assert!(html.contains("Published: It wins. Measured: It does."));
    }
}
