//! Published figures beside measured ones.

use super::Target;
use crate::{NamedValue, published::source_of_report};
use arena::statistics::{Interval, QUANTILE_95};
use arena::text_table::{Cell, TextTable};
use engine::core::moments::Moments;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub label: String,
    pub published: Option<f64>,
    /// Half-width of the 95 % interval of `published`; `None` if the number of games is unknown.
    pub published_error: Option<f64>,
    pub measured: f64,
    /// 95 % interval of `measured`, if that is the mean of a sample.
    pub interval: Option<Interval>,
    /// Number of games of `measured`; 0 if it is not from games.
    pub games: u64,
}

impl Figure {
    pub fn without_interval(label: String, published: f64, measured: f64) -> Self {
        Self {
            label,
            published: Some(published),
            measured,
            ..Self::default()
        }
    }

    pub fn difference(&self) -> Option<f64> {
        self.published.map(|published| self.measured - published)
    }

    pub(crate) fn with_published_percent(self, percent: f64, games: u64) -> Self {
        let fraction = percent / 100.0;
        let error = (fraction * (1.0 - fraction) / games.max(1) as f64).sqrt();
        Self {
            published: Some(percent),
            published_error: Some(100.0 * QUANTILE_95 * error),
            ..self
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub title: String,
    pub unit: String,
    pub figures: Vec<Figure>,
    pub decimals: usize,
}

impl Comparison {
    pub fn new(title: &str, unit: &str, figures: Vec<Figure>, decimals: usize) -> Self {
        Self {
            title: title.to_owned(),
            unit: unit.to_owned(),
            figures,
            decimals,
        }
    }

    pub(crate) fn mean_difference(&self) -> Option<f64> {
        let differences = self.figures.iter().filter_map(Figure::difference);
        mean(differences.map(f64::abs))
    }

    /// Mean absolute difference that sampling errors of both values alone would cause.
    pub(crate) fn difference_by_luck(&self) -> Option<f64> {
        let error = |figure: &Figure| {
            let own = figure.interval?.half_width() / QUANTILE_95;
            let printed = figure.published_error? / QUANTILE_95;
            // Mean of |x| for a normally distributed x.
            Some((std::f64::consts::FRAC_2_PI * (own * own + printed * printed)).sqrt())
        };
        mean(self.figures.iter().filter_map(error))
    }

    pub fn text_table(&self) -> TextTable {
        let mut text_table = TextTable::new([
            self.title.as_str(),
            "published",
            "± ",
            "measured",
            "±",
            "difference",
            "games",
        ]);
        for figure in &self.figures {
            let number = |value: Option<f64>| Cell::number(value, self.decimals);
            text_table.push(vec![
                figure.label.as_str().into(),
                number(figure.published),
                number(figure.published_error),
                number(Some(figure.measured)),
                number(figure.interval.map(|interval| interval.half_width())),
                number(figure.difference()),
                match figure.games {
                    0 => Cell::Missing,
                    games => Cell::Count(games),
                },
            ]);
        }
        text_table
    }

    pub fn summary(&self) -> Option<String> {
        let (decimals, unit) = (self.decimals.max(2), &self.unit);
        let mut text = format!(
            "mean absolute difference {:.decimals$} {unit}",
            self.mean_difference()?
        );
        if let Some(by_luck) = self.difference_by_luck() {
            text += &format!("; luck alone would make it {by_luck:.decimals$}");
        }
        Some(text)
    }

    pub fn text(&self) -> String {
        let summary = self.summary().map(|summary| summary + "\n");
        self.text_table().text() + &summary.unwrap_or_default()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let moments: Moments = values.collect();
    (moments.sample_count() > 0.0).then(|| moments.mean())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub published: String,
    pub measured: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    pub target: String,
    pub source: String,
    pub full: bool,
    pub comparisons: Vec<Comparison>,
    pub claims: Vec<Claim>,
    pub assumptions: Vec<String>,
    pub details: Option<String>,
    #[serde(skip)]
    pub pictures: Option<ChartFiles>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChartFiles {
    pub csv: String,
    pub svg: String,
}

impl Claim {
    pub fn new(published: &str, measured: String) -> Self {
        Self {
            published: published.to_owned(),
            measured,
        }
    }
}

impl Reproduction {
    pub fn of(target: Target, full: bool, uncertainty: &str) -> Self {
        let (source, assumptions) = source_of_report(target.name());
        Self {
            target: target.name().to_owned(),
            source,
            full,
            assumptions: (assumptions.iter())
                .map(|one| one.replace("{}", uncertainty))
                .collect(),
            ..Self::default()
        }
    }

    pub(crate) fn heading(&self) -> String {
        let size = ["a quick size", "the published size"][usize::from(self.full)];
        format!("{}; {size}", self.source)
    }

    pub fn text(&self) -> String {
        let mut text = self.heading() + "\n";
        if let Some(details) = &self.details {
            text += &format!("\n{}\n", details.trim_end());
        }
        for comparison in &self.comparisons {
            text += &format!("\n{}", comparison.text());
        }
        for claim in &self.claims {
            text += &format!(
                "\npublished: {}\nmeasured:  {}\n",
                claim.published, claim.measured
            );
        }
        text += "\nleft open by the report, and assumed here:\n";
        for assumption in &self.assumptions {
            text += &format!("  - {assumption}\n");
        }
        text.trim_end().to_owned()
    }
}
