//! Monte_Alpha's tables: against Greedy by number of simulations, against rivals at 1.2 seconds per
//! move, and version 2 against version 1.
//!
//! Published times are converted to simulations by the printed speeds, so that equal seeds give
//! equal games. Only ABSeval, which does not simulate, is limited by time.

use super::{
    Settings, Target,
    comparison::Reproduction,
    matches::{PlannedMatch, play},
};
use crate::published::{MonteAlphaLine, monte_alpha_lines};
use arena::error::Result;
use arena::setup_starts::Setups;

const MOVE_MILLISECONDS: [f64; 2] = [1200.0, 30.0];

/// Simulations of the published Monte_Alpha per millisecond.
const PUBLISHED_SPEED: f64 = 200.0;

/// Simulations of the published UCTcut per millisecond.
const PUBLISHED_SPEED_UCTCUT: f64 = 50.0;

const MOVES_PER_GAME: f64 = 9.0;

/// Estimated simulations per millisecond of Alea's MCTS, from the start position.
const SIMULATIONS_A_MILLISECOND: f64 = 1000.0;

const MAX_QUICK_SIMULATIONS: f64 = 100_000.0;
const QUICK_MATCH_MS: f64 = 12_000.0;

pub(super) fn plan(settings: &Settings) -> Result<Vec<PlannedMatch>> {
    let lines = monte_alpha_lines()?.into_iter().enumerate();
    Ok(lines
        .filter_map(|(index, line)| plan_match(index, &line, settings))
        .collect())
}

fn milliseconds(notation: &str) -> f64 {
    let number = |start| {
        let (_, number) = notation.split_once(start)?;
        number.strip_suffix(')')?.parse::<f64>().ok()
    };
    let simulations = number("(sims=").unwrap_or(0.0);
    number("(ms=").unwrap_or(simulations / SIMULATIONS_A_MILLISECOND)
}

fn plan_match(index: usize, line: &MonteAlphaLine, settings: &Settings) -> Option<PlannedMatch> {
    let limit = settings.full_or_quick(MOVE_MILLISECONDS);
    let players = [&line.here, &line.opponent_here].map(|notation| {
        notation
            .replace("{limit}", &limit.to_string())
            .replace("{many}", &(limit * PUBLISHED_SPEED).to_string())
            .replace("{few}", &(limit * PUBLISHED_SPEED_UCTCUT).to_string())
    });
    let [own, of_opponent] = players.each_ref().map(|player| milliseconds(player));
    if !settings.full && own * SIMULATIONS_A_MILLISECOND > MAX_QUICK_SIMULATIONS {
        return None;
    }
    let milliseconds = MOVES_PER_GAME * (own + of_opponent);
    let quick = ((QUICK_MATCH_MS / milliseconds) as u64).clamp(4, line.games) / 2 * 2;
    Some(PlannedMatch {
        label: format!("table {}: {} – {}", line.table, line.player, line.opponent),
        file: format!("monte_alpha-{}-{index}-{limit}", line.table),
        players,
        games: settings.games_or([line.games, quick]),
        published: Some((line.percent, line.games)),
        setups: Setups::Random,
        milliseconds,
    })
}

pub(super) fn run(settings: &Settings, report: &mut dyn FnMut(&str)) -> Result<Reproduction> {
    let comparison = play("win % of the first", &plan(settings)?, settings, report)?;
    Ok(Reproduction {
        comparisons: vec![comparison],
        ..Reproduction::of(Target::MonteAlpha, settings.full, "")
    })
}
