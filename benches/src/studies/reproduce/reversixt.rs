//! The measurements of the course that ReversiXT was made for: minimax, alpha-beta without and with
//! sorted moves, and max^n, depth by depth, beside what a tree of so many moves a position grows
//! like.
//!
//! Source: RWTH Aachen, Softwarepraktikum 2016; its report prints curves without numbers. Invariant:
//! every search goes straight to its depth from the same position, and minimax has as many leaves as
//! there are lines of play.

use super::{
    Settings, Target,
    comparison::{Claim, Pictures, Reproduction},
};
use crate::error::Result;
use crate::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use crate::sheet::{Cell, Sheet};
use crate::studies::search_bench::{
    clock::ClockShare,
    measure::{measure_position, no_value},
};
use engine::core::calibration::Calibrated;
use engine::games::reversixt::{ReversiXt, evaluators::Mobility, map::Map};
use engine::play::{build::PlayerRecipe, player::Player, searching::SearchPlayer};
use engine::search::{deepening::Deepening, limits::Limits, max_n::MaxNSearch};
use indicatif::ProgressBar;
use serde::Serialize;
use std::sync::Arc;

/// Two players with ten stones each on 10×10 cells, as the report says.
const MAP: &str = include_str!("../../../../data/maps/13_published_10x10.map");

/// Deepest search of minimax and max^n, and of alpha-beta, at full size and quick.
const DEPTHS: [[u32; 2]; 2] = [[6, 8], [5, 7]];

/// Time of the last measurement, in milliseconds.
const FIXED_TIME: u32 = 1_000;

/// Names and searches; the second and third are cut.
const SEARCHES: [(&str, &str); 3] = [
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
];

const MAX_N: &str = "max^n";

/// Seconds on one thread.
pub(super) fn seconds(full: bool) -> f64 {
    if full { 250.0 } else { 20.0 }
}

/// One search at one depth.
#[derive(Clone, Serialize)]
struct Row {
    search: &'static str,
    depth: u32,
    nodes: u64,
    leaves: u64,
    milliseconds: f64,
    leaves_a_second: Option<f64>,
    evaluation_share: Option<f64>,
}

/// A player that goes straight to a depth, plain or instrumented.
fn player(
    search: &'static str,
    game: &ReversiXt,
    depth: u32,
    timed: bool,
) -> Result<Box<dyn Player<ReversiXt>>> {
    let Some((_, notation)) = SEARCHES.iter().find(|(name, _)| *name == search) else {
        // With two seats players in notation search as two do.
        let limits = Limits::to_depth(depth);
        let deepening = Deepening {
            step: depth,
            ..Deepening::default()
        };
        let evaluator = Calibrated {
            score: Mobility,
            calibration: Mobility::CALIBRATION,
        };
        let search = MaxNSearch::new(game.clone(), evaluator, None, deepening, limits, timed);
        return Ok(Box::new(SearchPlayer::new(search)));
    };
    let recipe = PlayerRecipe::parse(&notation.replace("{depth}", &depth.to_string()), game)?;
    Ok(if timed {
        recipe.make_instrumented()
    } else {
        recipe.make()
    })
}

fn measure(search: &'static str, game: &ReversiXt, depth: u32, seed: u64) -> Result<Row> {
    let mut plain = player(search, game, depth, false)?;
    let mut instrumented = player(search, game, depth, true)?;
    let timed = (instrumented.as_mut(), ClockShare::of_leaf_clock());
    // The first searches take no time that could be measured once.
    let repeat = if depth < 5 { 5 } else { 1 };
    let found = measure_position(plain.as_mut(), Some(timed), &game.start(), seed, repeat);
    let (_, cost) = found.ok_or_else(|| no_value(search))?;
    let rates = cost.rates();
    Ok(Row {
        search,
        depth,
        nodes: cost.nodes,
        leaves: cost.leaves,
        milliseconds: rates.milliseconds_a_position,
        leaves_a_second: rates.leaves_a_second,
        evaluation_share: rates.evaluation_share,
    })
}

pub(super) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction> {
    let game = game();
    let [plain, cut] = DEPTHS[usize::from(!settings.full)];
    let searches = [SEARCHES[0].0, SEARCHES[1].0, SEARCHES[2].0, MAX_N];
    let deepest = |search| {
        if search == SEARCHES[0].0 || search == MAX_N {
            plain
        } else {
            cut
        }
    };
    progress.set_length(u64::from(2 * plain + 2 * cut));
    let mut rows = Vec::new();
    for search in searches {
        for depth in 1..=deepest(search) {
            progress.set_message(format!("{search}, depth {depth}"));
            rows.push(measure(search, &game, depth, settings.seed)?);
            progress.inc(1);
        }
    }
    let fixed = fixed_time(&game, settings.seed)?;
    progress.finish_and_clear();
    let branching = branching(&rows);
    let sheet = sheet(&rows, branching);
    Ok(Reproduction {
        claims: claims(&rows, branching, &fixed),
        details: Some(sheet.text()),
        pictures: Some(Pictures {
            csv: Sheet::of(&rows)?.csv(),
            svg: chart(&rows, branching)?,
        }),
        ..Reproduction::of(
            Target::ReversiXt,
            "RWTH Softwarepraktikum 2016: minimax, alpha-beta and max^n on 10×10 with two players",
            settings.full,
            &[
                "its map is not printed, only its size and about how many stones stand on it; here one with exactly ten each",
                "its evaluator is not given; here mobility, whose cost lies in its leaves like that of the report",
                "its curves have no numbers: what compares is how they grow, and the share of time in leaves",
                "its timer reads the clock at every leaf, which counts as evaluating; here what the readings take is taken off",
            ],
        )
    })
}

/// The game on the published board.
fn game() -> ReversiXt {
    let map =
        Map::parse(MAP).unwrap_or_else(|error| unreachable!("a shipped map is sound: {error}"));
    ReversiXt::new(Arc::new(map))
}

/// Moves a position, by the leaves of the deepest minimax.
fn branching(rows: &[Row]) -> f64 {
    let minimax = rows.iter().filter(|row| row.search == SEARCHES[0].0);
    let deepest = minimax.max_by_key(|row| row.depth);
    deepest.map_or(1.0, |row| {
        (row.leaves as f64).powf(1.0 / f64::from(row.depth))
    })
}

fn sheet(rows: &[Row], branching: f64) -> Sheet {
    let mut sheet = Sheet::new([
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
        let grown = |share: f64| Cell::Number(branching.powf(share * f64::from(row.depth)), 0);
        sheet.push(vec![
            row.search.into(),
            Cell::Number(f64::from(row.depth), 0),
            Cell::Number(row.nodes as f64, 0),
            Cell::Number(row.leaves as f64, 0),
            Cell::Number(row.milliseconds, 2),
            Cell::number(row.leaves_a_second, 0),
            Cell::percent(row.evaluation_share),
            grown(1.0),
            grown(0.75),
        ]);
    }
    sheet
}

/// Evaluations of each cut search in [`FIXED_TIME`].
fn fixed_time(game: &ReversiXt, seed: u64) -> Result<Vec<(&'static str, u64)>> {
    let count = |&(name, notation): &(&'static str, &str)| {
        let limit = format!("ms={FIXED_TIME}");
        let notation = notation.replace("depth={depth}, least={depth}", &limit);
        let mut player = PlayerRecipe::parse(&notation, game)?.make();
        player.new_game(seed);
        let evaluations = player.value(&game.start()).stats.evaluations;
        Ok((name, evaluations))
    };
    SEARCHES.iter().map(count).collect()
}

/// What the report says, and what is found.
fn claims(rows: &[Row], branching: f64, fixed: &[(&str, u64)]) -> Vec<Claim> {
    let of = |search: &str| {
        let rows = rows.iter().filter(|row| row.search == search);
        rows.cloned().collect::<Vec<Row>>()
    };
    let [minimax, plain, sorted] = SEARCHES.map(|(name, _)| of(name));
    let exponent = |rows: &[Row]| {
        rows.last().map_or(0.0, |row| {
            (row.leaves as f64).ln() / branching.ln() / f64::from(row.depth)
        })
    };
    let share = |rows: &[Row]| {
        let share = rows.last().and_then(|row| row.evaluation_share);
        share.map_or("unknown".to_owned(), |share| {
            format!("{:.0} %", 100.0 * share)
        })
    };
    // From the third on: those before take microseconds.
    let speed = |rows: &[Row], odd: bool| {
        let chosen = rows
            .iter()
            .filter(|row| row.depth > 2 && (row.depth % 2 == 1) == odd);
        let (leaves, time) = chosen.fold((0, 0.0), |(leaves, time), row| {
            (leaves + row.leaves, time + row.milliseconds)
        });
        leaves as f64 / time
    };
    let alternation = |rows: &[Row]| speed(rows, true) / speed(rows, false);
    let fixed: Vec<String> = fixed
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
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
                share(&minimax),
                share(&plain),
                share(&sorted),
                share(&of(MAX_N)),
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
            format!("in {FIXED_TIME} ms: {}", fixed.join(", ")),
        ),
    ]
}

/// Leaves by depth.
fn chart(rows: &[Row], branching: f64) -> Result<String> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.search).collect();
    names.dedup();
    let curve = |name: &str| {
        let found = rows.iter().filter(|row| row.search == name);
        Curve::new(
            name,
            found.map(|row| (f64::from(row.depth), row.leaves as f64)),
        )
    };
    let mut curves: Vec<Curve> = names.into_iter().map(curve).collect();
    let deepest = rows.iter().map(|row| row.depth).max().unwrap_or(1);
    for (name, share) in [("b^d", 1.0), ("b^(3d/4)", 0.75)] {
        let point = |depth| (f64::from(depth), branching.powf(share * f64::from(depth)));
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
    fn minimax_has_as_many_leaves_as_there_are_lines_of_play_and_cuts_save_most() {
        let row = |search, depth| measure(search, &game(), depth, 1).unwrap();
        // Counted by an outside program.
        for (depth, leaves) in [(1, 16), (2, 250), (3, 3713), (4, 56_486)] {
            assert_eq!(row(SEARCHES[0].0, depth).leaves, leaves);
            assert_eq!(row(MAX_N, depth).leaves, leaves);
        }
        let [plain, sorted] = [1, 2].map(|at| row(SEARCHES[at].0, 4).leaves);
        assert!(
            sorted < 56_486 / 4 && plain < 56_486 / 4,
            "{plain} {sorted}"
        );
        let rows = vec![row(SEARCHES[0].0, 3), row(SEARCHES[1].0, 3)];
        let branching = branching(&rows);
        assert!((branching.powi(3) - 3713.0).abs() < 1e-6);
        assert!(chart(&rows, branching).unwrap().contains("b^(3d/4)"));
        assert!(sheet(&rows, branching).text().contains("alpha-beta"));
        let fixed = [("alpha-beta", 7)];
        let claims = claims(&rows, branching, &fixed);
        assert!(claims[3].measured.ends_with("alpha-beta 7"));
    }
}
