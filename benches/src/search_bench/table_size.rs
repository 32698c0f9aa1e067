//! Sizes of the transposition table: one search of one position with tables of rising size, for
//! each replacement policy (Rock'n'Roll, Schäfer 2006, section 6.3).

use super::{
    Report, Settings, Study, chart,
    cost::Cost,
    fill_numbers,
    measure::{PlayerCosts, largest_disagreement, measure_suite},
    presets,
};
use crate::{Named, suite::Suite};
use arena::error::Result;
use arena::plot::{Curve, scaled::Scale};
use arena::text_table::{Cell, TextTable};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{json, to_value};

/// One search with one table.
#[derive(Serialize)]
struct Measured {
    policy: String,
    /// Size of the table in entries, or in whatever unit the player counts.
    entries: u64,
    player: String,
    value: f32,
    #[serde(flatten)]
    cost: Cost,
    hit_rate: Option<f64>,
    cut_rate: Option<f64>,
}

/// Results of searches with tables of rising size.
pub(crate) struct Tables {
    /// A name for each player, and its notation with `{entries}`.
    policies: Vec<(String, String)>,
    measured: Vec<Measured>,
    disagreement: f32,
}

/// Searches [`presets::TABLE_SIZE_POSITION`] with the players of the settings, or with every
/// replacement policy.
pub(crate) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Report> {
    let policies: Vec<(String, String)> = if settings.players.is_empty() {
        let search = |policy: &str| (policy.to_owned(), presets::table_size(policy, 6));
        presets::POLICIES.map(search).into()
    } else {
        let given = settings.players.iter().cloned();
        given.clone().zip(given).collect()
    };
    let exponents = &presets::TABLE_SIZE_EXPONENTS;
    measure(policies, exponents, settings, progress)?.report(settings)
}

/// Searches with tables of 2 to the power of each of `exponents` entries.
pub(crate) fn measure(
    policies: Vec<(String, String)>,
    exponents: &[u32],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Tables> {
    let position = format!("opening {}", presets::TABLE_SIZE_POSITION);
    let settings = Settings {
        suite: Suite::parse("the fixed start position", &position)?,
        ..settings.clone()
    };
    // Everything is read before anything is measured.
    let recipes = |(_, template): &(_, String)| {
        let sizes = exponents.iter().map(|exponent| 1 << exponent);
        let example = presets::table_size(presets::POLICIES[0], 6);
        fill_numbers(Study::TableSize, template, "{entries}", sizes, &example)
    };
    let planned = policies.iter().map(recipes).collect::<Result<Vec<_>>>()?;
    progress.set_length((policies.len() * exponents.len()) as u64);
    let (mut measured, mut costs): (Vec<Measured>, Vec<PlayerCosts>) = (Vec::new(), Vec::new());
    for ((policy, _), recipes) in policies.iter().zip(&planned) {
        for (exponent, recipe) in exponents.iter().zip(recipes) {
            let found = measure_suite(recipe, &settings, false, progress)?;
            let cost = found.total_cost(None);
            let rates = cost.rates();
            measured.push(Measured {
                policy: policy.clone(),
                entries: 1 << exponent,
                player: found.player.clone(),
                value: found.positions[0].value,
                cost,
                hit_rate: rates.hit_rate,
                cut_rate: rates.cut_rate,
            });
            costs.push(found);
        }
    }
    Ok(Tables {
        policies,
        measured,
        disagreement: largest_disagreement(&costs),
    })
}

impl Tables {
    /// Nodes with one policy and 2 to the power of so many entries; 0 if that was not searched.
    pub(crate) fn nodes(&self, policy: &str, exponent: u32) -> f64 {
        let mut found = self.of_policy(policy);
        let size = found.find(|one| one.entries == 1 << exponent);
        size.map_or(0.0, |one| one.cost.nodes as f64)
    }

    fn of_policy(&self, policy: &str) -> impl Iterator<Item = &Measured> {
        self.measured.iter().filter(move |one| one.policy == policy)
    }

    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("position {}\n", presets::TABLE_SIZE_POSITION);
        for (policy, template) in &self.policies {
            let heading = if policy == template {
                String::new()
            } else {
                format!("{policy}: ")
            };
            let text_table = text_table(self.of_policy(policy));
            text += &format!("\n{heading}{template}\n{}", text_table.text());
        }
        let disagreement = self.disagreement;
        text + &format!("\nvalues differ by at most {disagreement:.1e} between tables")
    }

    fn report(&self, settings: &Settings) -> Result<Report> {
        Ok(Report {
            text: self.text(),
            csv: TextTable::of(&self.measured)?.csv(),
            json: json!({
                "study": Study::TableSize.name(),
                "position": presets::TABLE_SIZE_POSITION,
                "seed": settings.seed,
                "repeat": settings.repeat,
                "largest_disagreement": self.disagreement,
                "tables": to_value(&self.measured)?,
            }),
            svg: self.by_size()?,
        })
    }

    /// Nodes by table size, a curve a policy.
    fn by_size(&self) -> Result<String> {
        let curve = |(policy, _): &(String, String)| {
            let found = self.of_policy(policy);
            let points = found.map(|one| (one.entries as f64, one.cost.nodes as f64));
            Curve::new(policy, points)
        };
        chart(
            "Size of the transposition table",
            ["entries", "nodes"],
            self.policies.iter().map(curve),
            &Scale::Logarithmic(2),
        )
    }
}

fn text_table<'a>(rows: impl Iterator<Item = &'a Measured>) -> TextTable {
    let mut text_table = TextTable::new([
        "entries", "nodes", "leaves", "ms", "hit %", "cut %", "replaced",
    ]);
    for one in rows {
        text_table.push(vec![
            one.entries.into(),
            one.cost.nodes.into(),
            one.cost.leaves.into(),
            Cell::Number(one.cost.milliseconds(), 3),
            Cell::percent(one.hit_rate),
            Cell::percent(one.cut_rate),
            one.cost
                .exact_replacements()
                .map_or(Cell::Missing, Cell::Count),
        ]);
    }
    text_table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_policy_and_size_is_searched() {
        let policies = [
            ("newest", "star1(depth=4, table={entries})"),
            ("again", "star1(4, schwarz, table={entries})"),
        ];
        let policies = policies.map(|(policy, player)| (policy.to_owned(), player.to_owned()));
        let settings = Settings::for_tests(&[]);
        let tables = measure(policies.into(), &[0, 2], &settings, &ProgressBar::hidden()).unwrap();
        assert!(tables.nodes("again", 2) > 0.0 && tables.nodes("again", 1) == 0.0);
        let report = tables.report(&settings).unwrap();
        let tables = report.json["tables"].as_array().unwrap();
        let size = |one: &Value| json!([one["policy"], one["entries"]]);
        assert_eq!(
            json!([["newest", 1], ["newest", 4], ["again", 1], ["again", 4]]),
            tables.iter().map(size).collect::<Value>()
        );
        assert_eq!(tables[0]["nodes"], tables[2]["nodes"]);
        assert_eq!(report.json["largest_disagreement"], 0.0);
        assert_eq!(report.csv.lines().count(), 5);
        let heading = "newest: star1(depth=4, table={entries})";
        assert!(report.text.contains(heading), "{}", report.text);
        assert!(report.svg.contains("2^2"));
    }
}
