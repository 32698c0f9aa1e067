//! Parsing of search limits from notation.

use crate::player_notation::{Arguments, Notation, Problem, parse_number};
use alea_search::{
    limits::{DepthRange, MAX_DEPTH, SearchLimits, TimeLimit},
    stopwatch::thread_time,
};
use std::time::Duration;

pub(super) fn read_search_limits(
    arguments: &mut Arguments<'_>,
    depth: Option<&Notation>,
) -> Result<SearchLimits, Problem> {
    let nodes = arguments.number_named("nodes", 1..=u64::MAX)?;
    let time = read_time_limit(arguments)?;
    let default = if nodes.is_some() || time.is_some() {
        MAX_DEPTH
    } else {
        3
    };
    let most = match (depth, arguments.take_named("depths")?) {
        (Some(_), Some(depths)) => {
            return Err(depths.problem_here("'depth' and 'depths' exclude each other"));
        }
        (None, Some(value)) => parse_phase_depths("depths", value)?,
        (Some(value), None) => [parse_number("depth", value, 1..=MAX_DEPTH)?; 3],
        (None, None) => [default; 3],
    };
    let least = match arguments.take_named("least")? {
        Some(value) => parse_phase_depths("least", value)?,
        None => [1; 3],
    };
    let depths = std::array::from_fn(|phase| DepthRange {
        min: least[phase].min(most[phase]),
        max: most[phase],
    });
    Ok(SearchLimits {
        depths,
        nodes,
        time,
    })
}

fn parse_phase_depths(key: &str, value: &Notation) -> Result<[u32; 3], Problem> {
    let depth = |text: &str| {
        let depth = text.parse().ok()?;
        (1..=MAX_DEPTH).contains(&depth).then_some(depth)
    };
    let depths = value
        .name_if_plain()
        .and_then(|text| text.split(':').map(depth).collect::<Option<Vec<u32>>>());
    match depths.as_deref() {
        Some(&[depth]) => Ok([depth; 3]),
        Some(&[opening, middle, endgame]) => Ok([opening, middle, endgame]),
        _ => Err(value.problem_here(format!(
            "'{key}' is a depth from 1 to {MAX_DEPTH}, or three joined by ':' (opening, middle, endgame), not '{value}'"
        ))),
    }
}

pub(super) fn read_time_limit(arguments: &mut Arguments<'_>) -> Result<Option<TimeLimit>, Problem> {
    let mut limit = None;
    for key in ["ms", "cpu_ms", "clock"] {
        let Some(value) = arguments.take_named(key)? else {
            continue;
        };
        if limit.is_some() {
            return Err(value.problem_here("only one of 'ms', 'cpu_ms' and 'clock' can be given"));
        }
        let milliseconds = || {
            let number: f64 = parse_number(key, value, 0.01..=86_400_000.0)?;
            Ok(Duration::from_secs_f64(number / 1000.0))
        };
        limit = Some(match key {
            "ms" => TimeLimit::Move(milliseconds()?),
            "cpu_ms" if thread_time().is_none() => {
                return Err(value.problem_here(
                    "this system does not tell a thread's time on a processor: use 'ms'",
                ));
            }
            "cpu_ms" => TimeLimit::Processor(milliseconds()?),
            _ => parse_game_clock(value)?,
        });
    }
    Ok(limit)
}

pub(super) fn read_thread_count(
    arguments: &mut Arguments<'_>,
    time: Option<TimeLimit>,
) -> Result<usize, Problem> {
    let Some(value) = arguments.take_named("threads")? else {
        return Ok(1);
    };
    match (parse_number("threads", value, 1..=256)?, time) {
        (2.., Some(TimeLimit::Processor(_))) => {
            Err(value.problem_here("'cpu_ms' is a limit of one thread: use 'ms'"))
        }
        (threads, _) => Ok(threads),
    }
}

fn parse_game_clock(value: &Notation) -> Result<TimeLimit, Problem> {
    let seconds = |text: &str| {
        text.parse()
            .ok()
            .filter(|seconds| (0.0..=1e6).contains(seconds))
            .map(Duration::from_secs_f64)
    };
    let (total, increment) = value.name.split_once('+').unwrap_or((&value.name, "0"));
    match (seconds(total), seconds(increment)) {
        (Some(total), Some(increment)) if value.arguments.is_empty() && !total.is_zero() => {
            Ok(TimeLimit::Game { total, increment })
        }
        _ => Err(value.problem_here(format!(
            "'clock' is seconds a game, and what each move adds: 60+0.5, not '{value}'"
        ))),
    }
}
