//! How large a transposition table should be: one search of one position with tables of rising
//! size, for each replacement policy (Rock'n'Roll, Schäfer 2006, section 6.3).

use super::{
    Report, SearchBenchError, Settings, Study,
    cost::Cost,
    filled,
    measure::{PlayerCosts, largest_disagreement, measure_suite, recipes},
    presets,
};
use crate::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use crate::sheet::{Cell, Sheet};
use crate::studies::suite::Suite;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

/// One search with one table.
#[derive(Clone, Debug, Serialize)]
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

/// Searches [`presets::TABLE_SIZE_POSITION`] with tables of 2 to the power of each of `exponents`
/// entries; `policies` name each player, whose notation holds `{entries}`. Players of the settings
/// take their place.
///
/// # Errors
/// If a player has no place for the size, cannot be read or gives no value.
pub fn run(
    policies: &[(&str, &str)],
    exponents: &[u32],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Report, SearchBenchError> {
    let named = |(name, template): &(&str, &str)| ((*name).to_owned(), (*template).to_owned());
    let given = settings
        .players
        .iter()
        .map(|player| (player.clone(), player.clone()));
    let policies: Vec<(String, String)> = if settings.players.is_empty() {
        policies.iter().map(named).collect()
    } else {
        given.collect()
    };
    let suite = Suite::parse(
        "the fixed start position",
        &format!("opening {}", presets::TABLE_SIZE_POSITION),
    )?;
    // Everything is read before anything is measured.
    let mut planned = Vec::new();
    for (policy, template) in &policies {
        let of_size = |exponent: &u32| {
            filled(
                Study::TableSize,
                template,
                "{entries}",
                1 << exponent,
                presets::TABLE_SIZE[0].1,
            )
        };
        planned.push((
            policy,
            recipes(
                &exponents
                    .iter()
                    .map(of_size)
                    .collect::<Result<Vec<_>, _>>()?,
            )?,
        ));
    }
    progress.set_length((policies.len() * exponents.len()) as u64);
    let (mut measured, mut costs): (Vec<Measured>, Vec<PlayerCosts>) = (Vec::new(), Vec::new());
    for (policy, recipes) in &planned {
        for (exponent, recipe) in exponents.iter().zip(recipes) {
            let found = measure_suite(recipe, &suite, settings, false, progress)?;
            let cost = found.total(None);
            let (rates, value) = (cost.rates(), found.positions[0].value);
            measured.push(Measured {
                policy: (*policy).clone(),
                entries: 1 << exponent,
                player: found.player.clone(),
                value,
                cost,
                hit_rate: rates.hit_rate,
                cut_rate: rates.cut_rate,
            });
            costs.push(found);
        }
    }
    let disagreement = largest_disagreement(&costs);
    let mut text = format!("position {}\n", presets::TABLE_SIZE_POSITION);
    for (policy, template) in &policies {
        let rows = measured.iter().filter(|one| one.policy == *policy);
        let heading = if policy == template {
            String::new()
        } else {
            format!("{policy}: ")
        };
        text += &format!("\n{heading}{template}\n{}", sheet(rows).text());
    }
    text += &format!("\nvalues differ by at most {disagreement:.1e} between tables");
    Ok(Report {
        text,
        csv: Sheet::of(&measured)?.csv(),
        json: json!({
            "study": Study::TableSize.name(),
            "position": presets::TABLE_SIZE_POSITION,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "largest_disagreement": disagreement,
            "tables": serde_json::to_value(&measured)?,
        }),
        svg: chart(&policies, &measured)?,
    })
}

fn sheet<'a>(rows: impl Iterator<Item = &'a Measured>) -> Sheet {
    let mut sheet = Sheet::new([
        "entries", "nodes", "leaves", "ms", "hit %", "cut %", "replaced",
    ]);
    for one in rows {
        sheet.push(vec![
            one.entries.into(),
            one.cost.nodes.into(),
            one.cost.leaves.into(),
            Cell::Number(one.cost.milliseconds(), 3),
            Cell::percent(one.hit_rate),
            Cell::percent(one.cut_rate),
            if one.cost.probes > 0 {
                one.cost.replacements.into()
            } else {
                Cell::Missing
            },
        ]);
    }
    sheet
}

/// Nodes by table size, a curve a policy.
fn chart(policies: &[(String, String)], measured: &[Measured]) -> Result<String, SearchBenchError> {
    let curve = |(policy, _): &(String, String)| {
        let of_policy = measured.iter().filter(|one| one.policy == *policy);
        Curve {
            name: policy.clone(),
            points: of_policy
                .map(|one| (one.entries as f64, one.cost.nodes as f64))
                .collect(),
        }
    };
    let chart = LineChart {
        title: "Size of the transposition table".to_owned(),
        x_label: "entries".to_owned(),
        y_label: "nodes".to_owned(),
        curves: policies.iter().map(curve).collect(),
    };
    Ok(scaled_chart(
        &chart,
        &Scale::Logarithmic(2),
        &Scale::Logarithmic(10),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_and_size_is_searched() {
        let policies = [
            ("newest", "star1(depth=4, table={entries})"),
            ("again", "star1(4, schwarz, table={entries})"),
        ];
        let report = run(
            &policies,
            &[0, 2],
            &Settings::for_tests(),
            &ProgressBar::hidden(),
        )
        .unwrap();
        let tables = report.json["tables"].as_array().unwrap();
        let sizes: Vec<(&str, u64)> = tables
            .iter()
            .map(|one| {
                (
                    one["policy"].as_str().unwrap(),
                    one["entries"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            sizes,
            [("newest", 1), ("newest", 4), ("again", 1), ("again", 4)]
        );
        assert_eq!(tables[0]["nodes"], tables[2]["nodes"]);
        assert_eq!(report.json["largest_disagreement"], 0.0);
        assert_eq!(report.csv.lines().count(), 5);
        assert!(
            report
                .text
                .contains("newest: star1(depth=4, table={entries})"),
            "{}",
            report.text
        );
        assert!(report.svg.contains("2^2"));
    }

    #[test]
    fn players_of_the_settings_take_the_place_of_the_policies() {
        let players = vec!["star1(depth=3, table={entries})".to_owned()];
        let report = run(
            &presets::TABLE_SIZE,
            &[0],
            &Settings {
                players,
                ..Settings::for_tests()
            },
            &ProgressBar::hidden(),
        )
        .unwrap();
        assert_eq!(report.json["tables"].as_array().unwrap().len(), 1);
        assert!(
            report.text.contains("\nstar1(depth=3, table={entries})\n"),
            "{}",
            report.text
        );
    }
}
