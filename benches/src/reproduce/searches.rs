//! Leaves saved by cuts, time and strength by depth, and transposition table sizes. Published
//! depths count plies below the move: depth d there is depth d + 1 here.

use super::{
    Settings, Target,
    comparison::{Claim, Comparison, Figure, Reproduction},
    matches::{self, PlannedMatch},
};
use crate::{
    NamedValue,
    published::star_depth_rows,
    search_bench::{
        self,
        chance_cuts::{self, ChanceCosts},
        presets::{self, PUBLISHED_LEAVES},
        table_size, time_by_depth,
    },
    suite::{Phase, Suite},
};
use arena::error::Result;
use arena::setup_starts::Setups;
use indicatif::ProgressBar;

const QUICK_PHASE_POSITIONS: usize = 2;

/// Maximum published depth that the target `depth` measures, at full and at quick size.
const MAX_DEPTHS: [u32; 2] = [6, 4];

/// Games of each depth against depth 0, at full size (±1 %) and at quick size.
const DEPTH_GAMES: [u64; 2] = [10_000, 1_000];

const DEPTH_GAME_MS: [f64; 7] = [0.02, 0.1, 0.5, 3.0, 20.0, 120.0, 700.0];

/// Evaluator for the published leaf counts: wins are far outside the range of its raw scores, so
/// that cuts are more frequent than with win probabilities.
const STAR_EVALUATOR: &str = "schwarz(scale=raw, factor=10)";

pub(super) fn seconds(target: Target, settings: &Settings) -> f64 {
    match target {
        Target::Depth => {
            let milliseconds = &DEPTH_GAME_MS[1..=settings.full_or_quick(MAX_DEPTHS) as usize];
            let games = settings.full_or_quick(DEPTH_GAMES) as f64;
            10.0 + milliseconds.iter().sum::<f64>() / 2.0 * games / 1000.0
        }
        _ if !settings.full => 20.0,
        Target::Star => 60.0,
        _ => 120.0,
    }
}

fn bench_settings(settings: &Settings) -> Result<search_bench::Settings> {
    let mut suite = Suite::built_in()?;
    if !settings.full {
        let of_phase = |phase: Phase| {
            let positions = suite.positions.iter().filter(move |one| one.phase == phase);
            positions.take(QUICK_PHASE_POSITIONS).cloned()
        };
        suite.positions = suite.phases().into_iter().flat_map(of_phase).collect();
    }
    Ok(search_bench::Settings {
        suite,
        players: Vec::new(),
        seed: settings.seed,
        repeat: 1,
    })
}

pub(super) fn reproduce_star(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction> {
    let searches = presets::chance_searches(
        &["outcomes"],
        &PUBLISHED_LEAVES.map(|(label, _)| label),
        STAR_EVALUATOR,
    );
    let measured = chance_cuts::measure(&searches, &bench_settings(settings)?, progress)?;
    progress.finish_and_clear();
    let (mut saved, mut counts) = (Vec::new(), Vec::new());
    for ((name, published), found) in PUBLISHED_LEAVES.into_iter().zip(&measured) {
        for (index, &(of_phase, phase)) in Phase::NAMES.iter().enumerate() {
            let printed = |leaves: [u64; 6]| (leaves[2 * index] + leaves[2 * index + 1]) as f64;
            let total = |found: &ChanceCosts| found.costs.total_cost(Some(phase));
            let saving = |leaves: f64, of_all: f64| 100.0 * (1.0 - leaves / of_all);
            let label = format!("{name}, {of_phase}");
            let (theirs, ours) = (printed(published), total(found));
            let (leaves, positions) = (ours.leaves as f64, ours.positions.max(1) as f64);
            let millions = leaves / positions / 1e6;
            counts.push(Figure::without_interval(
                label.clone(),
                theirs / 2e6,
                millions,
            ));
            if name != "Star0" {
                let theirs = saving(theirs, printed(PUBLISHED_LEAVES[0].1));
                let ours = saving(leaves, total(&measured[0]).leaves as f64);
                saved.push(Figure::without_interval(label, theirs, ours));
            }
        }
    }
    Ok(Reproduction {
        comparisons: vec![
            Comparison::new("leaves saved against Star0, %", "points", saved, 2),
            Comparison::new("million leaves a position", "million leaves", counts, 3),
        ],
        ..Reproduction::of(Target::Star, settings.full, "")
    })
}

pub(super) fn reproduce_depth(
    settings: &Settings,
    progress: &ProgressBar,
    report: &mut dyn FnMut(&str),
) -> Result<Reproduction> {
    const PUBLISHED_PLAYER: &str = "star1(depth={depth}, eval=abt)";
    let max_depth = settings.full_or_quick(MAX_DEPTHS) + 1;
    let found =
        time_by_depth::seconds_a_game(PUBLISHED_PLAYER, max_depth, settings.seed, progress)?;
    progress.finish_and_clear();
    let published = star_depth_rows()?;
    let (mut times, mut growth) = (Vec::new(), Vec::new());
    for (&seconds, line) in found.iter().zip(&published) {
        let label = format!("depth {}", line.depth);
        times.push(Figure::without_interval(label, line.seconds, seconds));
    }
    // Times at depths 0 to 2 are printed too coarsely for ratios.
    for (ours, printed) in found.windows(2).zip(published.windows(2)).skip(3) {
        growth.push(Figure::without_interval(
            format!("depth {} over {}", printed[1].depth, printed[0].depth),
            printed[1].seconds / printed[0].seconds,
            ours[1] / ours[0],
        ));
    }
    let notation = |depth: u32| PUBLISHED_PLAYER.replace("{depth}", &(depth + 1).to_string());
    let deepest = settings.full_or_quick(MAX_DEPTHS);
    let compared = published.iter().take_while(|line| line.depth <= deepest);
    let planned = compared
        .zip(DEPTH_GAME_MS)
        .map(|(line, milliseconds)| PlannedMatch {
            label: format!("depth {} – depth 0", line.depth),
            file: format!("depth-{}", line.depth),
            players: [notation(line.depth), notation(0)],
            games: settings.games_or(DEPTH_GAMES),
            published: Some((100.0 * line.share, line.games)),
            setups: Setups::Random,
            milliseconds,
        });
    let planned: Vec<PlannedMatch> = planned.collect();
    let strength = matches::play("win % against depth 0", &planned, settings, report)?;
    Ok(Reproduction {
        comparisons: vec![
            strength,
            Comparison::new("seconds a complete game", "s", times, 4),
            Comparison::new("growth of time", "times", growth, 1),
        ],
        ..Reproduction::of(Target::Depth, settings.full, "")
    })
}

pub(super) fn reproduce_table(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction> {
    let exponents: &[u32] =
        settings.full_or_quick([&presets::TABLE_SIZE_EXPONENTS, &[0, 6, 10, 14, 18, 22]]);
    let (depth, plies) = settings.full_or_quick([(7, "seven"), (6, "six")]);
    let policies = presets::POLICIES.into_iter();
    let policies = policies
        .filter(|policy| settings.full || matches!(*policy, "bucket" | "two_level"))
        .map(|policy| (policy.to_owned(), presets::table_size_player(policy, depth)));
    let found = table_size::measure(
        policies.collect(),
        exponents,
        &bench_settings(settings)?,
        progress,
    )?;
    progress.finish_and_clear();
    let nodes = |exponent: u32| found.nodes("two_level", exponent);
    let least = nodes(exponents[exponents.len() - 1]).max(1.0);
    let percent_saved =
        |exponent: u32| 100.0 * (nodes(0) - nodes(exponent)) / (nodes(0) - least).max(1.0);
    Ok(Reproduction {
        claims: vec![Claim::new(
            "fewer than 2^10 entries gain hardly anything, then comes a large gain",
            format!(
                "two_level: of what the largest table saves ({:.1} times fewer nodes than one entry), 2^10 entries save {:.0} %, 2^14 {:.0} %, 2^18 {:.0} %",
                nodes(0) / least,
                percent_saved(10),
                percent_saved(14),
                percent_saved(18)
            ),
        )],
        details: Some(found.text()),
        ..Reproduction::of(Target::Table, settings.full, plies)
    })
}
