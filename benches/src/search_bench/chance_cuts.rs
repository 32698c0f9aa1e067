//! Leaves saved by cuts at chance nodes, in tables like the published ones. All searches should
//! give equal values; the report has the largest difference.

use super::{
    Report, Settings, chart,
    measure::{PlayerCosts, largest_disagreement, measure_suite, parse_players},
    presets::{self, ChanceSearch, PUBLISHED_LEAVES, PUBLISHED_POSITIONS},
};
use crate::{NamedValue, suite::Phase};
use arena::error::Result;
use arena::plot::{Curve, scaled_charts::Scale};
use arena::text_table::{Cell, TextTable};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{json, to_value};

#[derive(Serialize)]
pub(crate) struct ChanceCosts {
    form: &'static str,
    pub(crate) search: &'static str,
    /// Fraction of leaves saved against the first search of the same form.
    saved: Option<f64>,
    #[serde(flatten)]
    pub(crate) costs: PlayerCosts,
}

/// Compares cuts with both forms of chance nodes: searching each outcome separately (`outcomes`),
/// or each distinct move once (`unified`).
pub fn compare_cuts(settings: &Settings, progress: &ProgressBar) -> Result<Report> {
    if !settings.players.is_empty() {
        let problem = "the study 'chance' has its own players; leave out --player, or leave out --study to compare players";
        return Err(problem.to_owned().into());
    }
    let searches = presets::chance_searches(&presets::FORMS, &presets::SEARCH_LABELS, "schwarz");
    let measured = measure(&searches, settings, progress)?;
    progress.finish_and_clear();
    report(&measured, settings)
}

pub(crate) fn measure(
    searches: &[ChanceSearch],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Vec<ChanceCosts>> {
    let recipes = parse_players(searches.iter().map(|search| &search.player))?;
    progress.set_length((recipes.len() * settings.suite.positions.len()) as u64);
    let mut measured: Vec<ChanceCosts> = Vec::new();
    for (search, recipe) in searches.iter().zip(&recipes) {
        let costs = measure_suite(recipe, settings, false, progress)?;
        let baseline = measured.iter().find(|other| other.form == search.form);
        let saved =
            baseline.map(|baseline| saved_fraction(&leaves(&costs), &leaves(&baseline.costs)));
        measured.push(ChanceCosts {
            form: search.form,
            search: search.label,
            saved,
            costs,
        });
    }
    Ok(measured)
}

fn report(measured: &[ChanceCosts], settings: &Settings) -> Result<Report> {
    let disagreement = largest_disagreement(measured.iter().map(|one| &one.costs));
    Ok(Report {
        text: text(measured, disagreement, settings),
        csv: TextTable::of(&csv_rows(measured))?.csv(),
        json: json!({
            "study": "chance",
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "largest_disagreement": disagreement,
            "searches": to_value(measured)?,
            "published": PUBLISHED_LEAVES.map(|(search, leaves)| json!({ "search": search, "leaves": leaves })),
        }),
        svg: phase_chart(measured, &settings.suite.phases())?,
    })
}

fn leaves(costs: &PlayerCosts) -> Vec<u64> {
    let positions = costs.positions.iter();
    positions.map(|position| position.cost.leaves).collect()
}

fn saved_fraction(leaves: &[u64], baseline: &[u64]) -> f64 {
    1.0 - leaves.iter().sum::<u64>() as f64 / baseline.iter().sum::<u64>() as f64
}

fn text(measured: &[ChanceCosts], disagreement: f32, settings: &Settings) -> String {
    let mut text = format!(
        "leaves by position of {}; saved against the first line\n",
        settings.suite.name
    );
    let mut forms: Vec<&str> = measured.iter().map(|one| one.form).collect();
    forms.dedup();
    for form in forms {
        for phase in settings.suite.phases() {
            let row = |one: &ChanceCosts| {
                let positions = one.costs.positions.iter();
                let of_phase = positions.filter(|position| position.phase == phase);
                let leaves = of_phase.map(|position| position.cost.leaves).collect();
                let milliseconds = one.costs.total_cost(Some(phase)).milliseconds();
                (one.search, leaves, Some(milliseconds))
            };
            let of_form = measured.iter().filter(|one| one.form == form);
            let rows: Vec<Row> = of_form.map(row).collect();
            let count = rows.first().map_or(0, |row| row.1.len());
            let names: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
            text += &format!(
                "\n{}",
                leaf_table(&format!("{form}, {}", phase.name()), &names, &rows).text()
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
        leaf_table(
            "published, depth 4",
            &PUBLISHED_POSITIONS.map(str::to_owned),
            &published
        )
        .text()
    );
    text
}

type Row = (&'static str, Vec<u64>, Option<f64>);

fn leaf_table(heading: &str, positions: &[String], rows: &[Row]) -> TextTable {
    let mut text_table = TextTable::new([heading.to_owned()]);
    text_table.columns.extend_from_slice(positions);
    text_table
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
            (index > 0).then(|| saved_fraction(leaves, &rows[0].1)),
        ));
        row.push(Cell::number(*milliseconds, 3));
        text_table.push(row);
    }
    text_table
}

#[derive(Default, Serialize)]
struct CsvRow<'a> {
    form: &'a str,
    search: &'a str,
    player: Option<&'a str>,
    phase: Option<Phase>,
    position: &'a str,
    value: Option<f32>,
    leaves: u64,
    nodes: Option<u64>,
    seconds: Option<f64>,
    saved: f64,
}

fn csv_rows(measured: &[ChanceCosts]) -> Vec<CsvRow<'_>> {
    let mut lines = Vec::new();
    for one in measured {
        let baseline = measured.iter().find(|other| other.form == one.form);
        let baseline = leaves(&baseline.unwrap_or(one).costs);
        for (position, of_baseline) in one.costs.positions.iter().zip(baseline) {
            let cost = &position.cost;
            lines.push(CsvRow {
                form: one.form,
                search: one.search,
                player: Some(&one.costs.player),
                phase: Some(position.phase),
                position: &position.position,
                value: Some(position.value),
                leaves: cost.leaves,
                nodes: Some(cost.nodes),
                seconds: Some(cost.seconds),
                saved: saved_fraction(&[cost.leaves], &[of_baseline]),
            });
        }
    }
    for (search, counts) in &PUBLISHED_LEAVES {
        let counts = counts.iter().zip(&PUBLISHED_LEAVES[0].1);
        let counts = PUBLISHED_POSITIONS.into_iter().zip(counts);
        lines.extend(counts.map(|(position, (&leaves, &of_baseline))| CsvRow {
            form: "published",
            search,
            position,
            leaves,
            saved: saved_fraction(&[leaves], &[of_baseline]),
            ..CsvRow::default()
        }));
    }
    lines
}

fn phase_chart(measured: &[ChanceCosts], phases: &[Phase]) -> Result<String> {
    let curve = |one: &ChanceCosts| {
        let mean = |(index, phase): (usize, &Phase)| {
            let total = one.costs.total_cost(Some(*phase));
            (index as f64, total.leaves as f64 / total.positions as f64)
        };
        let name = format!("{}, {}", one.form, one.search);
        Curve::new(name, phases.iter().enumerate().map(mean))
    };
    let names = phases.iter().map(|phase| phase.name().to_owned()).collect();
    chart(
        "Leaves by search and phase",
        ["", "leaves a position"],
        measured.iter().map(curve),
        &Scale::Categories(names),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_agree_on_values_and_save_against_the_first_of_their_form() {
        let searches_of_figures = [
            ("outcomes", "Star0", "textbook(depth=3)"),
            ("unified", "Star0", "unified(depth=3)"),
            ("unified", "Star1", "star1(depth=3, table=0)"),
            ("unified", "Star1, table", "star1(depth=3, table=1)"),
        ];
        let searches_of_figures = searches_of_figures.map(|(form, label, player)| ChanceSearch {
            form,
            label,
            player: player.to_owned(),
        });
        let settings = Settings::for_tests(&[]);
        let measured = measure(&searches_of_figures, &settings, &ProgressBar::hidden()).unwrap();
        let saved: Vec<Option<f64>> = measured.iter().map(|one| one.saved).collect();
        assert_eq!(saved[..2], [None; 2], "another form has its own baseline");
        let count = |one: &ChanceCosts| leaves(&one.costs).iter().sum::<u64>() as f64;
        let expected = 1.0 - count(&measured[2]) / count(&measured[1]);
        assert!((saved[2].unwrap() - expected).abs() < 1e-12 && expected > 0.0);
        let report = report(&measured, &settings).unwrap();
        assert!(report.json["largest_disagreement"].as_f64().unwrap() < 1e-5);
        assert_eq!(report.json["searches"][2]["saved"].as_f64(), saved[2]);
        let counted = report.json["searches"][2]["positions"][0]["cost"]["leaves"].as_u64();
        assert_eq!(counted, Some(leaves(&measured[2].costs)[0]));
        assert_eq!(report.csv.lines().count(), 1 + 4 * 24 + 4 * 6);
        for part in ["unified, endgame", "16156128"] {
            assert!(report.text.contains(part), "{}", report.text);
        }
        assert!(report.svg.contains("unified, Star1, table"));
    }

    #[test]
    fn published_savings_are_the_published_ones() {
        // The report states "69.99 to 98.64 percent fewer" with a table than without.
        let pairs = PUBLISHED_LEAVES[2].1.into_iter().zip(PUBLISHED_LEAVES[3].1);
        let mut ratios: Vec<f64> = pairs
            .map(|(without, with)| saved_fraction(&[with], &[without]))
            .collect();
        ratios.sort_by(f64::total_cmp);
        assert!((ratios[0] - 0.6999).abs() < 5e-5, "{ratios:?}");
        assert!((ratios[5] - 0.9864).abs() < 5e-5, "{ratios:?}");
    }
}
