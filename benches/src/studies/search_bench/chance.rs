//! What cuts at chance nodes save: Star0, Star0.5, Star1 and Star2 without and with a table, in
//! leaves.
//!
//! The tables have the form of the published ones: leaf counts position by position, and the share
//! saved against Star0 without a table. All searches of a position must agree on its value; the
//! largest difference is reported.

use super::{
    Report, SearchBenchError, Settings, Study,
    measure::{PlayerCosts, largest_disagreement, measure_suite, recipes},
    presets::{ChanceSearch, PUBLISHED_LEAVES, PUBLISHED_POSITIONS},
};
use crate::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use crate::sheet::{Cell, Sheet};
use crate::studies::suite::Phase;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

/// What one search cost.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    form: &'static str,
    search: &'static str,
    /// Share of leaves saved, over the whole suite, against the first search of the form.
    saved: Option<f64>,
    #[serde(flatten)]
    costs: PlayerCosts,
}

/// Compares searches; the first of each form is the baseline of that form.
///
/// # Errors
/// If a search cannot be read or gives no value.
pub fn run(
    searches: &[ChanceSearch],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Report, SearchBenchError> {
    let notations: Vec<String> = searches
        .iter()
        .map(|search| search.player.clone())
        .collect();
    let recipes = recipes(&notations)?;
    progress.set_length((recipes.len() * settings.suite.positions.len()) as u64);
    let mut measured: Vec<Measured> = Vec::new();
    for (search, recipe) in searches.iter().zip(&recipes) {
        let costs = measure_suite(recipe, &settings.suite, settings, false, progress)?;
        let baseline = measured
            .iter()
            .find(|other| other.form == search.form)
            .map(|other| leaves(&other.costs));
        let saved = baseline.map(|baseline| saved(&leaves(&costs), &baseline));
        measured.push(Measured {
            form: search.form,
            search: search.label,
            saved,
            costs,
        });
    }
    let all: Vec<PlayerCosts> = measured.iter().map(|one| one.costs.clone()).collect();
    let disagreement = largest_disagreement(&all);
    Ok(Report {
        text: text(&measured, disagreement, settings),
        csv: csv(&measured).csv(),
        json: json!({
            "study": Study::Chance.name(),
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "largest_disagreement": disagreement,
            "searches": serde_json::to_value(&measured)?,
            "published": PUBLISHED_LEAVES.map(|(search, leaves)| json!({ "search": search, "leaves": leaves })),
        }),
        svg: chart(&measured, &settings.suite.phases())?,
    })
}

fn leaves(costs: &PlayerCosts) -> Vec<u64> {
    costs
        .positions
        .iter()
        .map(|position| position.cost.leaves)
        .collect()
}

fn saved(leaves: &[u64], baseline: &[u64]) -> f64 {
    1.0 - leaves.iter().sum::<u64>() as f64 / baseline.iter().sum::<u64>() as f64
}

fn forms(measured: &[Measured]) -> Vec<&'static str> {
    let mut forms: Vec<&str> = measured.iter().map(|one| one.form).collect();
    forms.dedup();
    forms
}

fn text(measured: &[Measured], disagreement: f32, settings: &Settings) -> String {
    let mut text = format!(
        "leaves by position of {}; saved against the first line\n",
        settings.suite.name
    );
    for form in forms(measured) {
        for phase in settings.suite.phases() {
            let of_phase = |costs: &PlayerCosts| -> Vec<u64> {
                costs
                    .positions
                    .iter()
                    .filter(|position| position.phase == phase)
                    .map(|position| position.cost.leaves)
                    .collect()
            };
            let of_form = measured.iter().filter(|one| one.form == form);
            let rows: Vec<Row> = of_form
                .map(|one| {
                    (
                        one.search,
                        of_phase(&one.costs),
                        Some(one.costs.total(Some(phase)).milliseconds()),
                    )
                })
                .collect();
            let count = rows.first().map_or(0, |row| row.1.len());
            let names: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
            text += &format!(
                "\n{}",
                leaf_sheet(&format!("{form}, {phase}"), &names, &rows).text()
            );
        }
    }
    let published: Vec<Row> = PUBLISHED_LEAVES
        .iter()
        .map(|(search, leaves)| (*search, leaves.to_vec(), None))
        .collect();
    text += &format!(
        "\n{}\npublished: a Star1 agent in C++, outcome by outcome; it counts plies below the move, so its depth 4 is 5 here;\n\
         its positions and its evaluator are its own\n\
         values of a position differ by at most {disagreement:.1e} between searches",
        leaf_sheet(
            "published, depth 4",
            &PUBLISHED_POSITIONS.map(str::to_owned),
            &published
        )
        .text()
    );
    text
}

/// A search, its leaves by position, and its milliseconds a position.
type Row = (&'static str, Vec<u64>, Option<f64>);

fn leaf_sheet(heading: &str, positions: &[String], rows: &[Row]) -> Sheet {
    let mut sheet = Sheet::new([heading.to_owned()]);
    sheet.columns.extend_from_slice(positions);
    sheet
        .columns
        .extend(["mean", "saved %", "ms"].map(str::to_owned));
    for (index, (search, leaves, milliseconds)) in rows.iter().enumerate() {
        let mut row: Vec<Cell> = vec![(*search).into()];
        row.extend(leaves.iter().map(|&count| Cell::Count(count)));
        row.push(Cell::Number(
            leaves.iter().sum::<u64>() as f64 / leaves.len() as f64,
            0,
        ));
        row.push(Cell::percent(
            (index > 0).then(|| saved(leaves, &rows[0].1)),
        ));
        row.push(Cell::number(*milliseconds, 3));
        sheet.push(row);
    }
    sheet
}

/// A line for every search and position, and for the published ones.
fn csv(measured: &[Measured]) -> Sheet {
    let mut sheet = Sheet::new([
        "form", "search", "player", "phase", "position", "value", "leaves", "nodes", "seconds",
        "saved",
    ]);
    for one in measured {
        let baseline = measured
            .iter()
            .find(|other| other.form == one.form)
            .unwrap_or(one);
        for (position, of_baseline) in one.costs.positions.iter().zip(&baseline.costs.positions) {
            let saved = saved(&[position.cost.leaves], &[of_baseline.cost.leaves]);
            sheet.push(vec![
                one.form.into(),
                one.search.into(),
                one.costs.player.as_str().into(),
                position.phase.name().into(),
                position.position.as_str().into(),
                Cell::Number(f64::from(position.value), 6),
                position.cost.leaves.into(),
                position.cost.nodes.into(),
                Cell::Number(position.cost.seconds, 6),
                Cell::Number(saved, 6),
            ]);
        }
    }
    for (search, counts) in PUBLISHED_LEAVES {
        for ((position, count), of_baseline) in PUBLISHED_POSITIONS
            .into_iter()
            .zip(counts)
            .zip(PUBLISHED_LEAVES[0].1)
        {
            let saved = Cell::Number(saved(&[count], &[of_baseline]), 6);
            let (form, empty) = ("published", Cell::Missing);
            let row = [
                form.into(),
                search.into(),
                empty.clone(),
                empty.clone(),
                position.into(),
                empty.clone(),
                count.into(),
            ];
            sheet.push(
                row.into_iter()
                    .chain([empty.clone(), empty, saved])
                    .collect(),
            );
        }
    }
    sheet
}

/// Mean leaves by phase, a curve a search.
fn chart(measured: &[Measured], phases: &[Phase]) -> Result<String, SearchBenchError> {
    let curve = |one: &Measured| {
        let mean = |(index, phase): (usize, &Phase)| {
            let total = one.costs.total(Some(*phase));
            (index as f64, total.leaves as f64 / total.positions as f64)
        };
        Curve {
            name: format!("{}, {}", one.form, one.search),
            points: phases.iter().enumerate().map(mean).collect(),
        }
    };
    let chart = LineChart {
        title: "Leaves by search and phase".to_owned(),
        x_label: String::new(),
        y_label: "leaves a position".to_owned(),
        curves: measured.iter().map(curve).collect(),
    };
    let names = phases.iter().map(|phase| phase.name().to_owned()).collect();
    Ok(scaled_chart(
        &chart,
        &Scale::Categories(names),
        &Scale::Logarithmic(10),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<ChanceSearch> {
        let known = [
            ("outcomes", "Star0", "textbook(depth=3)"),
            ("unified", "Star0", "unified(depth=3)"),
            ("unified", "Star1", "star1(depth=3, table=0)"),
            ("unified", "Star1, table", "star1(depth=3, table=1)"),
        ];
        known
            .map(|(form, label, player)| ChanceSearch {
                form,
                label,
                player: player.to_owned(),
            })
            .to_vec()
    }

    #[test]
    fn searches_agree_on_values_and_save_against_the_first_of_their_form() {
        let report = run(&known(), &Settings::for_tests(), &ProgressBar::hidden()).unwrap();
        assert!(report.json["largest_disagreement"].as_f64().unwrap() < 1e-5);
        let searches = report.json["searches"].as_array().unwrap();
        assert_eq!(searches[0]["saved"], serde_json::Value::Null);
        assert_eq!(
            searches[1]["saved"],
            serde_json::Value::Null,
            "another form has its own baseline"
        );
        let count = |search: &serde_json::Value| {
            search["positions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["cost"]["leaves"].as_u64().unwrap())
                .sum::<u64>() as f64
        };
        let expected = 1.0 - count(&searches[2]) / count(&searches[1]);
        assert!(
            (searches[2]["saved"].as_f64().unwrap() - expected).abs() < 1e-12 && expected > 0.0
        );
        assert_eq!(report.csv.lines().count(), 1 + 4 * 24 + 4 * 6);
        assert!(
            report.text.contains("unified, endgame") && report.text.contains("16156128"),
            "{}",
            report.text
        );
        assert!(report.svg.contains("unified, Star1, table"));
    }

    #[test]
    fn published_savings_are_the_published_ones() {
        // "69.99 to 98.64 percent fewer" with a table than without.
        let shares = PUBLISHED_LEAVES[2]
            .1
            .into_iter()
            .zip(PUBLISHED_LEAVES[3].1)
            .map(|(without, with)| saved(&[with], &[without]));
        let shares: Vec<f64> = shares.collect();
        let (least, most) = shares
            .iter()
            .fold((1.0, 0.0), |(least, most): (f64, f64), &share| {
                (least.min(share), most.max(share))
            });
        assert!(
            (least - 0.6999).abs() < 5e-5 && (most - 0.9864).abs() < 5e-5,
            "{shares:?}"
        );
    }
}
