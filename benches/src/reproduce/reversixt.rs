//! Minimax, alpha-beta with and without move ordering, and max^n on ReversiXT, at fixed depths.
//! Source: RWTH Aachen, Softwarepraktikum 2016, a report of curves without numbers.

use super::{
    Settings, Target,
    comparison::{ChartFiles, Claim, Reproduction},
};
use crate::search_bench::{
    clock_overhead::ClockCost,
    measure::{measure_position, no_value_error},
};
use arena::error::Result;
use arena::plot::{
    Curve, LineChart,
    scaled_charts::{Scale, scaled_chart},
};
use arena::text_table::{Cell, TextTable};
use engine::core::calibration::Calibrated;
use engine::games::reversixt::{
    ReversiXt,
    evaluators::{Lead, Mobility},
    map::Map,
};
use engine::play::{build::PlayerRecipe, player::Player, search_player::SearchPlayer};
use engine::search::limits::Limits;
use engine::search::{deepening::DeepeningOptions, limits::SearchLimits, max_n::MaxN};
use indicatif::ProgressBar;
use serde::Serialize;
use std::sync::Arc;

const PUBLISHED_MAP: &str = include_str!("../../../data/maps/13_published_10x10.map");

/// Maximum depths [of minimax and max^n, of alpha-beta] at full size, then at quick size.
const MAX_DEPTHS: [[u32; 2]; 2] = [[6, 8], [5, 7]];

const FIXED_TIME_MS: u32 = 1_000;

type Search = (&'static str, &'static str);

/// Published searches, each with Alea's notation; max^n has none.
const PUBLISHED_SEARCHES: [Search; 4] = [
    (
        "minimax",
        "minimax(depth={depth}, least={depth}, eval=mobility)",
    ),
    (
        "alpha-beta",
        "alphabeta(depth={depth}, least={depth}, eval=mobility)",
    ),
    (
        "alpha-beta, sorted",
        "alphabeta(depth={depth}, least={depth}, eval=mobility, order=all)",
    ),
    ("max^n", ""),
];

pub(super) fn seconds(settings: &Settings) -> f64 {
    settings.full_or_quick([250.0, 20.0])
}

#[derive(Serialize)]
struct Row {
    search: &'static str,
    depth: u32,
    nodes: u64,
    leaves: u64,
    milliseconds: f64,
    leaves_a_second: Option<f64>,
    #[serde(rename = "evaluation_share")]
    evaluation_fraction: Option<f64>,
}

fn make_player(
    notation: &str,
    game: &ReversiXt,
    depth: u32,
    timed: bool,
) -> Result<Box<dyn Player<ReversiXt>>> {
    if notation.is_empty() {
        // Without notation: parsed searches treat games of two seats as zero-sum.
        let limits = SearchLimits::to_depth(depth);
        let deepening = DeepeningOptions {
            step: depth,
            ..DeepeningOptions::default()
        };
        let evaluator = Calibrated {
            score: Lead(Mobility),
            calibration: Mobility::CALIBRATION,
        };
        let search = MaxN::new(game.clone(), evaluator, None);
        let search = search
            .into_deepening(deepening, limits)
            .with_eval_timer(timed);
        return Ok(Box::new(SearchPlayer::new(search)));
    }
    let recipe = PlayerRecipe::parse(&notation.replace("{depth}", &depth.to_string()), game)?;
    Ok(if timed {
        recipe.make_timed()
    } else {
        recipe.make()
    })
}

fn measure((search, notation): Search, game: &ReversiXt, depth: u32, seed: u64) -> Result<Row> {
    let mut plain = make_player(notation, game, depth, false)?;
    let mut instrumented = make_player(notation, game, depth, true)?;
    let timed = (instrumented.as_mut(), ClockCost::of_leaf_clock());
    let repeat = if depth < 5 { 5 } else { 1 };
    let found = measure_position(plain.as_mut(), Some(timed), &game.start(), seed, repeat);
    let (_, cost) = found.ok_or_else(|| no_value_error(search))?;
    let rates = cost.rates();
    Ok(Row {
        search,
        depth,
        nodes: cost.nodes,
        leaves: cost.leaves,
        milliseconds: rates.milliseconds_a_position,
        leaves_a_second: rates.leaves_a_second,
        evaluation_fraction: rates.evaluation_fraction,
    })
}

pub(super) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction> {
    let game = published_game();
    let [plain, cut] = settings.full_or_quick(MAX_DEPTHS);
    progress.set_length(u64::from(2 * plain + 2 * cut));
    let mut rows = Vec::new();
    for (search, deepest) in PUBLISHED_SEARCHES.into_iter().zip([plain, cut, cut, plain]) {
        for depth in 1..=deepest {
            progress.set_message(format!("{}, depth {depth}", search.0));
            rows.push(measure(search, &game, depth, settings.seed)?);
            progress.inc(1);
        }
    }
    let fixed = evaluations_in_time(&game, settings.seed)?;
    progress.finish_and_clear();
    let branching = branching(&rows);
    let text_table = text_table(&rows, branching);
    Ok(Reproduction {
        claims: claims(&rows, branching, &fixed),
        details: Some(text_table.text()),
        pictures: Some(ChartFiles {
            csv: TextTable::of(&rows)?.csv(),
            svg: chart(&rows, branching)?,
        }),
        ..Reproduction::of(Target::ReversiXt, settings.full, "")
    })
}

fn published_game() -> ReversiXt {
    let map = Map::parse(PUBLISHED_MAP)
        .unwrap_or_else(|error| unreachable!("a shipped map is sound: {error}"));
    ReversiXt::new(Arc::new(map))
}

fn branching(rows: &[Row]) -> f64 {
    let deepest = rows
        .iter()
        .rfind(|row| row.search == PUBLISHED_SEARCHES[0].0);
    deepest.map_or(1.0, |row| {
        (row.leaves as f64).powf(1.0 / f64::from(row.depth))
    })
}

fn text_table(rows: &[Row], branching: f64) -> TextTable {
    let mut text_table = TextTable::new([
        "search",
        "depth",
        "nodes",
        "leaves",
        "ms",
        "evaluations/s",
        "evaluating %",
        "b^d",
        "b^(3d/4)",
    ]);
    for row in rows {
        let grown = |exponent_factor: f64| {
            Cell::Number(branching.powf(exponent_factor * f64::from(row.depth)), 0)
        };
        text_table.push(vec![
            row.search.into(),
            u64::from(row.depth).into(),
            row.nodes.into(),
            row.leaves.into(),
            Cell::Number(row.milliseconds, 2),
            Cell::number(row.leaves_a_second, 0),
            Cell::percent(row.evaluation_fraction),
            grown(1.0),
            grown(0.75),
        ]);
    }
    text_table
}

fn evaluations_in_time(game: &ReversiXt, seed: u64) -> Result<Vec<String>> {
    let count = |(name, notation): &Search| {
        let limit = format!("ms={FIXED_TIME_MS}");
        let notation = notation.replace("depth={depth}, least={depth}", &limit);
        let mut player = PlayerRecipe::parse(&notation, game)?.make();
        player.new_game(seed);
        let evaluations = player.value(&game.start(), &Limits::NONE).stats.evaluations;
        Ok(format!("{name} {evaluations}"))
    };
    PUBLISHED_SEARCHES[..3].iter().map(count).collect()
}

fn claims(rows: &[Row], branching: f64, fixed: &[String]) -> Vec<Claim> {
    let [minimax, plain, sorted, max_n] = PUBLISHED_SEARCHES.map(|(name, _)| {
        let rows = rows.iter().filter(|row| row.search == name);
        rows.collect::<Vec<_>>()
    });
    let exponent = |rows: &[&Row]| {
        rows.last().map_or(0.0, |row| {
            (row.leaves as f64).ln() / branching.ln() / f64::from(row.depth)
        })
    };
    let exponent_factor = |rows: &[&Row]| {
        let exponent_factor = rows.last().and_then(|row| row.evaluation_fraction);
        exponent_factor.map_or("unknown".to_owned(), |exponent_factor| {
            format!("{:.0} %", 100.0 * exponent_factor)
        })
    };
    // Without depths 1 and 2, whose times are too short to be exact.
    let speed = |rows: &[&Row], odd: bool| {
        let chosen = rows
            .iter()
            .filter(|row| row.depth > 2 && (row.depth % 2 == 1) == odd);
        let (leaves, time) = chosen.fold((0, 0.0), |(leaves, time), row| {
            (leaves + row.leaves, time + row.milliseconds)
        });
        leaves as f64 / time
    };
    let alternation = |rows: &[&Row]| speed(rows, true) / speed(rows, false);
    vec![
        Claim::new(
            "minimax grows like b^d, alpha-beta about like b^(3d/4)",
            format!(
                "b = {branching:.2}; leaves of the deepest alpha-beta are b^({:.2} d), sorted b^({:.2} d)",
                exponent(&plain),
                exponent(&sorted),
            ),
        ),
        Claim::new(
            "about 75 % of the time goes into evaluating leaves, above 99 % with max^n",
            format!(
                "minimax {}, alpha-beta {}, sorted {}, max^n {}",
                exponent_factor(&minimax),
                exponent_factor(&plain),
                exponent_factor(&sorted),
                exponent_factor(&max_n),
            ),
        ),
        Claim::new(
            "evaluations a second level off with depth but alternate, fewer where the last ply was one's own",
            format!(
                "odd over even depths, from the third on: minimax {:.2}, alpha-beta {:.2}, sorted {:.2}",
                alternation(&minimax),
                alternation(&plain),
                alternation(&sorted),
            ),
        ),
        Claim::new(
            "evaluations in a fixed time were counted (no figures are printed)",
            format!("in {FIXED_TIME_MS} ms: {}", fixed.join(", ")),
        ),
    ]
}

fn chart(rows: &[Row], branching: f64) -> Result<String> {
    let curve = |(name, _): Search| {
        let found = rows.iter().filter(|row| row.search == name);
        let leaves = found.map(|row| (f64::from(row.depth), row.leaves as f64));
        Curve::new(name, leaves)
    };
    let mut curves: Vec<Curve> = PUBLISHED_SEARCHES.into_iter().map(curve).collect();
    let deepest = rows.iter().map(|row| row.depth).max().unwrap_or(1);
    for (name, exponent_factor) in [("b^d", 1.0), ("b^(3d/4)", 0.75)] {
        let point = |depth| {
            (
                f64::from(depth),
                branching.powf(exponent_factor * f64::from(depth)),
            )
        };
        curves.push(Curve::new(name, (1..=deepest).map(point)));
    }
    let labels = ["depth in plies", "leaves"];
    let chart = LineChart::new("ReversiXT, 10×10, two players", labels, curves);
    scaled_chart(&chart, &Scale::Linear, &Scale::Logarithmic(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimax_has_a_leaf_for_each_line_of_play_and_cuts_save_leaves() {
        let row = |at: usize, depth| {
            measure(PUBLISHED_SEARCHES[at], &published_game(), depth, 1).unwrap()
        };
        for (depth, leaves) in [(1, 16), (2, 250), (3, 3713), (4, 56_486)] {
            assert_eq!([0, 3].map(|at| row(at, depth).leaves), [leaves; 2]);
        }
        let [plain, sorted] = [1, 2].map(|at| row(at, 4).leaves);
        assert!(
            sorted < 56_486 / 4 && plain < 56_486 / 4,
            "{plain} {sorted}"
        );
        let rows = [0, 1].map(|at| row(at, 3));
        let branching = branching(&rows);
        assert!((branching.powi(3) - 3713.0).abs() < 1e-6);
        assert!(chart(&rows, branching).unwrap().contains("b^(3d/4)"));
        assert!(text_table(&rows, branching).text().contains("alpha-beta"));
        let claims = claims(&rows, branching, &["alpha-beta 7".to_owned()]);
        assert!(claims[3].measured.ends_with("alpha-beta 7"));
    }
}
