//! Monte_Alpha's tables: simulations against Greedy, 1.2 seconds a move against its rivals, version
//! 2 against version 1.
//!
//! The seconds are those of the authors' machine, so they are played as the simulations that it
//! made in them, at the printed 200,000 and, for UCTcut, 50,000 a second: the same seed gives the
//! same games on any machine. Only ABSeval, which does not simulate, has time. Invariant: at the
//! quick size simulations against Greedy are those printed, with fewer games; what stands for 1.2
//! seconds is a fortieth.

use super::{
    Settings, Target,
    comparison::Reproduction,
    matches::{Planned, play},
    published::{MonteAlphaLine, monte_alpha},
};
use crate::error::Result;
use crate::studies::setups::Setups;

/// Milliseconds a move: as published, and at the quick size.
const MILLISECONDS: [f64; 2] = [1200.0, 30.0];

/// Simulations a millisecond, as printed: of Monte_Alpha, and of UCTcut.
const PUBLISHED_SPEED: f64 = 200.0;
const PUBLISHED_SPEED_UCTCUT: f64 = 50.0;

/// Moves of one side in a game, about.
const MOVES: f64 = 9.0;

/// Simulations a millisecond from the start position, about, for the estimate of time.
const SIMULATIONS_A_MILLISECOND: f64 = 1000.0;

/// Most simulations a move at the quick size, and the milliseconds of one match.
const QUICK_SIMULATIONS: f64 = 100_000.0;
const QUICK_MILLISECONDS: f64 = 12_000.0;

pub(super) fn plan(settings: &Settings) -> Result<Vec<Planned>> {
    Ok(monte_alpha()?
        .iter()
        .enumerate()
        .filter_map(|(index, line)| planned(index, line, settings))
        .collect())
}

/// `None` where the quick size leaves a line out.
fn planned(index: usize, line: &MonteAlphaLine, settings: &Settings) -> Option<Planned> {
    let limit = MILLISECONDS[usize::from(!settings.full)];
    let simulations = line
        .player
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(" sims)"))
        .and_then(|text| text.parse::<f64>().ok());
    if !settings.full && simulations.is_some_and(|simulations| simulations > QUICK_SIMULATIONS) {
        return None;
    }
    let (many, few) = (limit * PUBLISHED_SPEED, limit * PUBLISHED_SPEED_UCTCUT);
    let (opponent, of_opponent) = match line.opponent.split([' ', '(']).next().unwrap_or_default() {
        "Greedy" => ("greedy".to_owned(), 0.0),
        "UCTcut" | "Deku" => (
            format!("uctcut(sims={few})"),
            few / SIMULATIONS_A_MILLISECOND,
        ),
        "ABSeval" => (format!("abseval(ms={limit})"), limit),
        _ => (
            format!("monte_alpha(sims={many})"),
            many / SIMULATIONS_A_MILLISECOND,
        ),
    };
    let name = if line.player.contains("v2") {
        "monte_alpha_v2"
    } else {
        "monte_alpha"
    };
    let simulations = simulations.unwrap_or(many);
    let player = format!("{name}(sims={simulations})");
    let milliseconds = MOVES * (simulations / SIMULATIONS_A_MILLISECOND + of_opponent);
    let quick = ((QUICK_MILLISECONDS / milliseconds) as u64).clamp(4, line.games) / 2 * 2;
    Some(Planned {
        label: format!("table {}: {} – {}", line.table, line.player, line.opponent),
        file: format!("monte_alpha-{}-{index}-{limit}", line.table),
        players: [player, opponent],
        games: settings
            .games
            .unwrap_or(if settings.full { line.games } else { quick }),
        published: Some((line.percent, line.games)),
        setups: Setups::Random,
        milliseconds,
    })
}

pub(super) fn run(settings: &Settings, say: &mut dyn FnMut(&str)) -> Result<Reproduction> {
    let comparison = play("win % of the first", &plan(settings)?, settings, say)?;
    Ok(Reproduction {
        comparisons: vec![comparison],
        ..Reproduction::of(
            Target::MonteAlpha,
            "Monte_Alpha (Electronics 2023, 12(13), 2936), tables 1, 2 and 6",
            settings.full,
            &[
                "set-ups are not printed; here each is drawn at random",
                "Greedy is only said to use the shortest path; here the destination nearest to the goal, then the one with most progress",
                "details of ABSeval are unpublished; here Star1 with attack, block and threat",
                "what UCTcut prunes is not said; here it no longer tries moves proven worse than another",
                "for version 2 against version 1 no limit is stated; here that of table 2",
                "1.2 s a move are 240,000 simulations, of UCTcut 60,000, as the printed speeds say; ABSeval has its 1.2 s on this machine",
                "at the quick size it is a fortieth of that, and more than 100,000 simulations against Greedy are left out",
            ],
        )
    })
}
