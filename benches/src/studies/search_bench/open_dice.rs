//! Plain minimax against alpha-beta where all rolls are known: nodes, leaves, speed and share of
//! time in leaves.
//!
//! Alpha-beta is Star1 without chance: textbook alpha-beta but for the last ply, where all moves
//! are valued at once.

use super::cost::{Compared, Cost, shown};
use super::measure::{PlayerCosts, largest_disagreement, measure_suite, recipes};
use super::presets::OPEN_DICE;
use super::{Report, SearchBenchError, Settings, Study};
use crate::plot::scaled::{Scale, scaled_chart};
use crate::plot::{Curve, LineChart};
use crate::sheet::Sheet;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

/// One search at one depth.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    depth: u32,
    #[serde(flatten)]
    line: Compared,
}

/// Compares the searches of [`OPEN_DICE`] at these depths; the first is the baseline.
///
/// # Errors
/// If a search gives no value.
pub fn run(
    depths: &[u32],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Report, SearchBenchError> {
    progress.set_length((settings.suite.positions.len() * OPEN_DICE.len() * depths.len()) as u64);
    let mut text = format!(
        "{}, dice known; nodes, leaves and ms are means; × compares with minimax",
        settings.suite.summary(),
    );
    let (mut measured, mut disagreement) = (Vec::new(), 0.0_f32);
    for &depth in depths {
        let filled = OPEN_DICE.map(|(_, notation)| {
            notation
                .replace("{depth}", &depth.to_string())
                .replace("{seed}", &settings.seed.to_string())
        });
        let recipes = recipes(&filled)?;
        let costs = recipes
            .iter()
            .map(|recipe| measure_suite(recipe, &settings.suite, settings, true, progress));
        let costs: Vec<PlayerCosts> = costs.collect::<Result<_, _>>()?;
        disagreement = disagreement.max(largest_disagreement(&costs));
        let totals: Vec<Cost> = costs.iter().map(|costs| costs.total(None)).collect();
        let names = OPEN_DICE.iter().map(|search| search.0).zip(&totals);
        let lines: Vec<Compared> = names
            .map(|(name, cost)| Compared::new(name, "all", *cost, &totals[0]))
            .collect();
        let sheet = shown(&format!("depth {depth}"), &lines.iter().collect::<Vec<_>>());
        text += &format!("\n\n{}", sheet.text().trim_end());
        measured.extend(lines.into_iter().map(|line| Measured { depth, line }));
    }
    text += &format!(
        "\n\nvalues of a position differ by at most {disagreement:.1e} between searches of the same depth",
    );
    Ok(Report {
        text,
        csv: Sheet::of(&measured)?.csv(),
        json: json!({
            "study": Study::OpenDice.name(),
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "largest_disagreement": disagreement,
            "searches": serde_json::to_value(&measured)?,
        }),
        svg: chart(&measured)?,
    })
}

/// Leaves by depth, a curve for each search.
fn chart(measured: &[Measured]) -> Result<String, SearchBenchError> {
    let curves = OPEN_DICE.iter().map(|(name, _)| Curve {
        name: (*name).to_owned(),
        points: measured
            .iter()
            .filter(|one| one.line.player == *name)
            .map(|one| {
                let leaves = one.line.cost.leaves as f64;
                (
                    f64::from(one.depth),
                    leaves / one.line.cost.positions as f64,
                )
            })
            .collect(),
    });
    let chart = LineChart {
        title: "Minimax and alpha-beta".to_owned(),
        x_label: "depth in plies".to_owned(),
        y_label: "leaves a position".to_owned(),
        curves: curves.collect(),
    };
    Ok(scaled_chart(
        &chart,
        &Scale::Linear,
        &Scale::Logarithmic(10),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_beta_finds_the_value_of_minimax_with_fewer_leaves() {
        let report = run(&[2, 5], &Settings::for_tests(), &ProgressBar::hidden()).unwrap();
        assert!(report.json["largest_disagreement"].as_f64().unwrap() < 1e-5);
        assert_eq!(report.csv.lines().count(), 1 + 2 * 2);
        assert!(report.text.contains("depth 5") && report.svg.contains("alpha-beta"));
        let leaves: Vec<u64> = report.json["searches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|search| search["leaves"].as_u64().unwrap())
            .collect();
        assert!(
            leaves[1] <= leaves[0] && 2 * leaves[3] < leaves[2],
            "{leaves:?}"
        );
    }
}
