//! The studies of searches beside their published figures: what cuts save, depth against time,
//! tables.
//!
//! The studies are those of [`crate::studies::search_bench`]; here their results are put beside the printed
//! ones. Invariant: depths are the report's, which counts plies below the move: its depth d is our
//! d + 1.

use super::{
    ReproduceError, Settings, Target,
    comparison::{Claim, Comparison, Figure, Reproduction},
    matches::{self, Planned},
    published::star_depth,
};
use crate::studies::{
    search_bench::{
        self, Report, Study, chance,
        depth::AtDepth,
        measure::PlayerCosts,
        presets::{self, PUBLISHED_LEAVES},
        table_size,
    },
    setups::Setups,
    suite::{Phase, Suite},
};
use indicatif::ProgressBar;
use serde_json::Value;

/// Positions of each phase at the quick size: as many as the report has.
const QUICK_POSITIONS: usize = 2;

/// Deepest search of the study `depth`, as the report counts.
const DEPTHS: [u32; 2] = [6, 4];

/// Games against depth 0 for each depth: at full size with an interval of ±1 %, and quick.
const DEPTH_GAMES: [u64; 2] = [10_000, 1_000];

/// Milliseconds a game of the agent's depth 0, 1, …, about, for the estimate of time.
const DEPTH_MILLISECONDS: [f64; 7] = [0.02, 0.1, 0.5, 3.0, 20.0, 120.0, 700.0];

/// The evaluator of the published leaf counts: raw scores, whose bounds (a game won or lost) lie far
/// outside of what they are, as in a program that searches no win probabilities. Those cut much
/// more.
const STAR_EVALUATOR: &str = "schwarz(scale=raw, factor=10)";

/// Seconds on one thread.
#[must_use]
pub fn seconds(target: Target, full: bool) -> f64 {
    match target {
        Target::Depth => {
            let (depth, games) = (
                DEPTHS[usize::from(!full)] as usize,
                DEPTH_GAMES[usize::from(!full)] as f64,
            );
            10.0 + DEPTH_MILLISECONDS[1..=depth].iter().sum::<f64>() / 2.0 * games / 1000.0
        }
        Target::Star => {
            if full {
                60.0
            } else {
                20.0
            }
        }
        _ => {
            if full {
                120.0
            } else {
                20.0
            }
        }
    }
}

/// The settings of a study: the built-in suite, or its first positions of each phase.
fn study(settings: &Settings) -> Result<search_bench::Settings, ReproduceError> {
    let mut suite = Suite::built_in()?;
    if !settings.full {
        let of_phase = |phase: Phase| {
            suite
                .positions
                .iter()
                .filter(move |one| one.phase == phase)
                .take(QUICK_POSITIONS)
                .cloned()
        };
        suite.positions = Phase::ALL.into_iter().flat_map(of_phase).collect();
    }
    let max_depth = DEPTHS[usize::from(!settings.full)] + 1;
    Ok(search_bench::Settings {
        suite,
        players: Vec::new(),
        seed: settings.seed,
        repeat: 1,
        max_depth,
        games: 20,
    })
}

fn plain(label: String, published: Option<f64>, measured: f64) -> Figure {
    Figure {
        label,
        published,
        published_error: None,
        measured,
        interval: None,
        games: 0,
    }
}

/// Leaves saved by Star0.5, Star1 and a table against Star0, by phase.
///
/// # Errors
/// If the study fails.
pub fn star(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction, ReproduceError> {
    let searches = presets::chance(
        &["outcomes"],
        &PUBLISHED_LEAVES.map(|(label, _)| label),
        STAR_EVALUATOR,
    );
    let report = chance::run(&searches, &study(settings)?, progress)?;
    progress.finish_and_clear();
    let searches = report.json["searches"]
        .as_array()
        .ok_or(ReproduceError::Shape("searches"))?;
    let costs = |name: &str| -> Result<PlayerCosts, ReproduceError> {
        let found = searches
            .iter()
            .find(|one| one["form"] == "outcomes" && one["search"] == name)
            .ok_or(ReproduceError::Shape("search"))?;
        serde_json::from_value(found.clone())
            .map_err(|_| ReproduceError::Shape("costs of a search"))
    };
    let baseline = costs("Star0")?;
    let leaves = |costs: &PlayerCosts, phase: Phase| costs.total(Some(phase)).leaves as f64;
    let (mut saved, mut counts) = (Vec::new(), Vec::new());
    for (name, published) in PUBLISHED_LEAVES {
        let costs = costs(name)?;
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            let printed = |leaves: &[u64; 6]| (leaves[2 * index] + leaves[2 * index + 1]) as f64;
            let positions = costs
                .positions
                .iter()
                .filter(|position| position.phase == phase)
                .count()
                .max(1) as f64;
            let label = format!("{name}, {phase}");
            counts.push(plain(
                label.clone(),
                Some(printed(&published) / 2e6),
                leaves(&costs, phase) / positions / 1e6,
            ));
            if name != "Star0" {
                let printed_saving =
                    100.0 * (1.0 - printed(&published) / printed(&PUBLISHED_LEAVES[0].1));
                saved.push(plain(
                    label,
                    Some(printed_saving),
                    100.0 * (1.0 - leaves(&costs, phase) / leaves(&baseline, phase)),
                ));
            }
        }
    }
    Ok(Reproduction {
        target: Target::Star.name().to_owned(),
        source: "Star1 agent in C++ (NTU), leaves at its depth 4".to_owned(),
        full: settings.full,
        comparisons: vec![
            Comparison { title: "leaves saved against Star0, %".to_owned(), unit: "points".to_owned(), figures: saved, decimals: 2 },
            Comparison { title: "million leaves a position".to_owned(), unit: "million leaves".to_owned(), figures: counts, decimals: 3 },
        ],
        claims: Vec::new(),
        assumptions: vec![
            "the report's six positions are not given; here positions of the built-in suite, the same phases".to_owned(),
            "its evaluator and the bounds of its values are not said; here raw Schwarz scores with a win at ±1000, because win probabilities cut far more".to_owned(),
            "its order of moves is not said; here that of the list, face by face, as its leaf counts without cuts suggest".to_owned(),
            "sizes of its table are not given; here 16 MiB".to_owned(),
            "positions were not chosen to match: leaf counts show the order of magnitude, shares are what compares".to_owned(),
        ],
        details: None,
        pictures: None,
    })
}

/// Seconds of a complete game and win rate against depth 0, by depth.
///
/// # Errors
/// If the study or a match fails.
pub fn depth(
    settings: &Settings,
    progress: &ProgressBar,
    say: &mut dyn FnMut(&str),
) -> Result<Reproduction, ReproduceError> {
    const PLAYER: &str = "star1(depth={depth}, eval=abt)";
    let mut study = study(settings)?;
    study.players = vec![PLAYER.to_owned()];
    let report = search_bench::run(Study::Depth, &study, progress)?;
    let found: Vec<AtDepth> = serde_json::from_value(report.json["searches"][0]["depths"].clone())
        .map_err(|_| ReproduceError::Shape("depths"))?;
    let published = star_depth()?;
    let (mut times, mut growth) = (Vec::new(), Vec::new());
    for (at, line) in found.iter().zip(&published) {
        times.push(plain(
            format!("depth {}", line.depth),
            Some(line.seconds),
            at.seconds_a_game,
        ));
    }
    // The first times are printed as hundredths of a second.
    for (ours, printed) in found.windows(2).zip(published.windows(2)).skip(3) {
        let factor = ours[1].seconds_a_game / ours[0].seconds_a_game;
        growth.push(plain(
            format!("depth {} over {}", printed[1].depth, printed[0].depth),
            Some(printed[1].seconds / printed[0].seconds),
            factor,
        ));
    }
    let notation = |depth: u32| PLAYER.replace("{depth}", &(depth + 1).to_string());
    let planned: Vec<Planned> = published
        .iter()
        .filter(|line| line.depth <= DEPTHS[usize::from(!settings.full)])
        .map(|line| Planned {
            label: format!("depth {} – depth 0", line.depth),
            file: format!("depth-{}", line.depth),
            players: [notation(line.depth), notation(0)],
            games: settings
                .games
                .unwrap_or(DEPTH_GAMES[usize::from(!settings.full)]),
            published: Some((line.percent, line.games)),
            setups: Setups::Random,
            milliseconds: DEPTH_MILLISECONDS[line.depth as usize % DEPTH_MILLISECONDS.len()],
        })
        .collect();
    let strength = matches::play("win % against depth 0", &planned, settings, say)?;
    Ok(Reproduction {
        target: Target::Depth.name().to_owned(),
        source: "Star1 agent in C++ (NTU), depth against time and strength, 20 games each".to_owned(),
        full: settings.full,
        comparisons: vec![
            strength,
            Comparison { title: "seconds a complete game".to_owned(), unit: "s".to_owned(), figures: times, decimals: 4 },
            Comparison { title: "growth of time".to_owned(), unit: "times".to_owned(), figures: growth, decimals: 1 },
        ],
        claims: Vec::new(),
        assumptions: vec![
            "weights and signs of its attack, block and threat are printed in two ways; here eval=abt as it is by default".to_owned(),
            "its set-ups are not given; here drawn at random".to_owned(),
            "its machine is not given: times say how much faster this program is, growth is what compares".to_owned(),
            "20 games have an interval of ± 22 points".to_owned(),
        ],
        details: None,
        pictures: None,
    })
}

/// How large a table should be.
///
/// # Errors
/// If the study fails.
pub fn table(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction, ReproduceError> {
    let exponents: &[u32] = if settings.full {
        &presets::TABLE_SIZE_EXPONENTS
    } else {
        &[0, 6, 10, 14, 18, 22]
    };
    let policies: Vec<(&str, String)> = presets::TABLE_SIZE
        .iter()
        .filter(|(policy, _)| settings.full || matches!(*policy, "bucket" | "two_level"))
        .map(|(policy, player)| {
            (
                *policy,
                if settings.full {
                    player.replace("depth=6", "depth=7")
                } else {
                    (*player).to_owned()
                },
            )
        })
        .collect();
    let borrowed: Vec<(&str, &str)> = policies
        .iter()
        .map(|(policy, player)| (*policy, player.as_str()))
        .collect();
    let report = table_size::run(&borrowed, exponents, &study(settings)?, progress)?;
    progress.finish_and_clear();
    let nodes = |exponent: u32| nodes(&report, "two_level", exponent);
    let least = nodes(exponents[exponents.len() - 1]).max(1.0);
    let share = |exponent: u32| 100.0 * (nodes(0) - nodes(exponent)) / (nodes(0) - least).max(1.0);
    Ok(Reproduction {
        target: Target::Table.name().to_owned(),
        source: "Rock'n'Roll (A. Schäfer, Jena 2006), section 6.3: the size of the upper table, MrBlack(6)".to_owned(),
        full: settings.full,
        comparisons: Vec::new(),
        claims: vec![Claim {
            published: "fewer than 2^10 entries gain hardly anything, then comes a large gain".to_owned(),
            measured: format!(
                "two_level: of what the largest table saves ({:.1} times fewer nodes than one entry), 2^10 entries save {:.0} %, 2^14 {:.0} %, 2^18 {:.0} %",
                nodes(0) / least,
                share(10),
                share(14),
                share(18)
            ),
        }],
        assumptions: vec![
            "the curve is printed as a picture without numbers; here what its text says".to_owned(),
            "the start position is not given; here the first set-up on both sides".to_owned(),
            format!("its MrBlack(6) searches seven plies of ours; here {}, with Star2", if settings.full { "seven" } else { "six" }),
        ],
        details: Some(report.text),
        pictures: None,
    })
}

fn nodes(report: &Report, policy: &str, exponent: u32) -> f64 {
    let tables = report.json["tables"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let wanted = |one: &&Value| one["policy"] == policy && one["entries"] == 1_u64 << exponent;
    tables
        .iter()
        .find(wanted)
        .and_then(|one| {
            one["cost"]["nodes"]
                .as_f64()
                .or_else(|| one["nodes"].as_f64())
        })
        .unwrap_or(0.0)
}
