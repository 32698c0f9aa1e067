//! Rock'n'Roll's tournament of 24 players, with 10,240 games per pair: 16 × 16 good set-ups, either
//! side begins, 20 repetitions.
//!
//! Results are printed for 15 of the players; the other nine play only against one of these. The
//! report's depths are one less than Alea's.

use super::{
    Figure, Settings, Target,
    comparison::{Claim, Comparison, Reproduction},
    matches::{PlannedMatch, play},
};
use crate::published::{Entrant, ROCKNROLL_GAMES, rocknroll_table};
use arena::error::Result;

const REFERENCE_OPPONENT: u32 = 8;

const QUICK_MATCH_MS: f64 = 800.0;
const QUICK_GAME_LIMITS: [u64; 2] = [4, 2048];

pub(super) fn plan(settings: &Settings) -> Result<Vec<PlannedMatch>> {
    let entrants = rocknroll_table()?;
    let mut selected = settings.only.iter();
    if let Some(number) =
        selected.find(|&&selected| entrants.iter().all(|one| one.number != selected))
    {
        return Err(format!(
            "Rock'n'Roll's tournament has no player {number}; they are numbered 1 to 24"
        )
        .into());
    }
    let is_chosen =
        |one: &&Entrant| settings.only.is_empty() || settings.only.contains(&one.number);
    let chosen = entrants.iter().filter(is_chosen);
    let (printed, others): (Vec<_>, Vec<_>) = chosen.partition(|one| !one.percent.is_empty());
    let mut planned = Vec::new();
    for (index, a) in printed.iter().enumerate() {
        let opponents = printed[index + 1..].iter();
        planned.extend(opponents.map(|b| plan_match(a, b, settings)));
    }
    // At full size, matches without printed results would take weeks.
    let quick = Settings {
        full: false,
        ..settings.clone()
    };
    let opponent = entrants.iter().find(|b| b.number == REFERENCE_OPPONENT);
    let pairs = others.into_iter().zip(opponent.into_iter().cycle());
    planned.extend(pairs.map(|(a, b)| plan_match(a, b, &quick)));
    Ok(planned)
}

fn plan_match(a: &Entrant, b: &Entrant, settings: &Settings) -> PlannedMatch {
    // 7 µs for a game without its searches.
    let milliseconds = a.milliseconds + b.milliseconds + 0.007;
    let [min_games, max_games] = QUICK_GAME_LIMITS;
    let quick = ((QUICK_MATCH_MS / milliseconds) as u64)
        .clamp(min_games, max_games)
        .next_power_of_two();
    let printed = a.percent.get(&b.number.to_string());
    PlannedMatch {
        label: format!("{} {} – {} {}", a.number, a.name, b.number, b.name),
        file: format!("rocknroll-{}-{}", a.number, b.number),
        players: [a.player.clone(), b.player.clone()],
        games: settings.games_or([ROCKNROLL_GAMES, quick]),
        published: printed.map(|&percent| (percent, ROCKNROLL_GAMES)),
        setups: settings.setups.clone(),
        milliseconds,
    }
}

pub(super) fn run(settings: &Settings, report: &mut dyn FnMut(&str)) -> Result<Reproduction> {
    let planned = plan(settings)?;
    let (printed, others): (Vec<PlannedMatch>, Vec<PlannedMatch>) =
        planned.into_iter().partition(|one| one.published.is_some());
    let mut comparisons = Vec::new();
    for (title, planned) in [("win % of the first", printed), ("not printed", others)] {
        if !planned.is_empty() {
            comparisons.push(play(title, &planned, settings, report)?);
        }
    }
    let setups = settings.setups.to_string();
    Ok(Reproduction {
        claims: comparisons
            .first()
            .and_then(largest_difference)
            .into_iter()
            .collect(),
        comparisons,
        ..Reproduction::of(Target::RockNRoll, settings.full, &setups)
    })
}

fn largest_difference(comparison: &Comparison) -> Option<Claim> {
    let size = |figure: &Figure| figure.difference().unwrap_or(0.0).abs();
    let figure = comparison
        .figures
        .iter()
        .max_by(|left, right| size(left).total_cmp(&size(right)))?;
    Some(Claim::new(
        &format!("{:.2} % for {}", figure.published?, figure.label),
        format!("{:.2} %, which differs most", figure.measured),
    ))
}
