//! What the player thinks: live information, the tree, and proofs.

use super::{Answer, Answered, Call, Gtp, commands::seconds, syntax, text};
use crate::session::{Rate, Rates};
use std::{
    thread::sleep,
    time::{Duration, Instant},
};

/// Between two looks for the next line.
const PATIENCE: Duration = Duration::from_millis(5);
/// Centiseconds between two pieces of information.
const USUAL_INTERVAL: u64 = 100;
/// How long a proof is looked for.
const USUAL_PROOF: Duration = Duration::from_secs(5);

/// Thinks until the next line comes and says what, every so many centiseconds.
pub(super) fn analyze(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let mut interval = USUAL_INTERVAL;
    for word in call.words {
        match word.parse() {
            Ok(number) => interval = number,
            Err(_) if *word == "interval" => {}
            Err(_) => gtp.turn(word)?,
        }
    }
    let interval = Duration::from_millis(interval.clamp(1, 360_000) * 10);
    let mut rates = gtp.session.rate(Some(interval))?;
    call.outside.say(&format!("={}", call.id));
    let mut began = Instant::now() - rates.cost.time;
    loop {
        call.outside.say(&information(&rates));
        // Who has no limit of time thinks the same again.
        while !call.outside.calls() && (began.elapsed() < interval || !rates.is_timed) {
            sleep(PATIENCE);
        }
        if call.outside.calls() {
            return Ok(Answer::Said);
        }
        began = Instant::now();
        rates = gtp.session.rate(Some(interval))?;
    }
}

/// One line: for each move `info move … visits … winrate … order … pv …`, as `lz-analyze` has it.
fn information(rates: &Rates) -> String {
    let one = |(order, rate): (usize, &Rate)| {
        let visits = rate.visits.map_or(rates.cost.nodes, u64::from);
        let line = match order {
            0 if !rates.line.is_empty() => rates.line.join(" "),
            _ => rate.mv.clone(),
        };
        let value = rate
            .value
            .map(|value| format!(" winrate {:.0}", 10_000.0 * value));
        let value = value.unwrap_or_default();
        format!(
            "info move {} visits {visits}{value} order {order} pv {line}",
            rate.mv
        )
    };
    let all: Vec<String> = rates.moves.iter().enumerate().map(one).collect();
    all.join(" ")
}

/// The moves of the root with what the search knows of them.
pub(super) fn dump_tree(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    if !call.words.is_empty() {
        return syntax("dump_tree");
    }
    let rates = gtp.session.rate(None)?;
    let cost = rates.cost;
    let milliseconds = cost.time.as_millis();
    let mut told = format!(
        "nodes {} depth {} ms {milliseconds}",
        cost.nodes, cost.depth
    );
    if !rates.line.is_empty() {
        told += &format!(" pv {}", rates.line.join(" "));
    }
    for rate in &rates.moves {
        told += &format!("\n{}", rate.mv);
        if let Some(visits) = rate.visits {
            told += &format!(" visits {visits}");
        }
        if let Some(value) = rate.value {
            told += &format!(" value {value:.4}");
        }
        let [lower, upper] = rate.proven;
        if lower > 0.0 || upper < 1.0 {
            told += &format!(" proven {lower:.4} {upper:.4}");
        }
    }
    text(told)
}

/// Whether the position is won for the seat to move, as far as a search finds a proof in some
/// seconds: `win MOVE`, `loss`, `draw MOVE`, with dice the exact probability and the move, or
/// `unknown`.
pub(super) fn solve(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let time = match call.words {
        [] => USUAL_PROOF,
        [word] => seconds(word).map_or_else(|| syntax("solve [SECONDS]"), Ok)?,
        _ => return syntax("solve [SECONDS]"),
    };
    let rates = gtp.session.prove(time)?;
    let bound = |place: usize| rates.moves.iter().map(move |rate| rate.proven[place]);
    let (lower, upper) = (bound(0).fold(0.0, f32::max), bound(1).fold(0.0, f32::max));
    let best = rates.moves.iter().find(|rate| rate.proven[0] == lower);
    let best = best.map_or("", |best| &best.mv);
    text(match (lower, upper) {
        (lower, upper) if upper - lower > 1e-4 => "unknown".to_owned(),
        (1.0, _) => format!("win {best}"),
        (_, 0.0) => "loss".to_owned(),
        (0.5, _) if gtp.session.faces().is_none() => format!("draw {best}"),
        _ => format!("{lower:.6} {best}"),
    })
}
