//! What the player thinks: live information, the tree, and proofs.

use super::{Answered, Call, syntax, text};
use crate::sitting::{Rate, Rates};
use crate::{Spoken, seconds};
use std::{
    thread::sleep,
    time::{Duration, Instant},
};

/// Between two looks for the next line.
const PATIENCE: Duration = Duration::from_millis(5);
/// How long a proof is looked for.
const USUAL_PROOF: Duration = Duration::from_secs(5);

impl<G: Spoken> Call<'_, G> {
    /// Thinks until the next line comes and says what, every so many centiseconds.
    pub(super) fn analyze(&mut self) -> Answered {
        let mut interval = 100;
        for word in self.words {
            match word.parse::<u64>() {
                Ok(number) => interval = number.clamp(1, 360_000),
                Err(_) if *word == "interval" => {}
                Err(_) => self.turn(word)?,
            }
        }
        let interval = Duration::from_millis(10 * interval);
        let mut began = Instant::now();
        let mut rates = self.sitting.rate(Some(interval))?;
        self.outside.say(&format!("={}", self.id));
        loop {
            self.outside.say(&information(&rates));
            // Who has no limit of time thinks the same again.
            while !self.outside.calls() && (began.elapsed() < interval || !rates.is_timed) {
                sleep(PATIENCE);
            }
            if self.outside.calls() {
                self.outside.say("");
                return Ok(None);
            }
            began = Instant::now();
            rates = self.sitting.rate(Some(interval))?;
        }
    }

    /// The moves of the root with what the search knows of them.
    pub(super) fn dump_tree(&mut self) -> Answered {
        let rates = self.sitting.rate(None)?;
        let (stats, line) = (rates.stats, rates.line.join(" "));
        let mut told = format!("nodes {} depth {} pv {line}", stats.nodes, stats.depth);
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

    /// What is proven of the best move within some seconds.
    pub(super) fn solve(&mut self) -> Answered {
        let time = match self.words {
            [] => Some(USUAL_PROOF),
            [word] => seconds(word),
            _ => None,
        };
        let rates = self
            .sitting
            .prove(time.map_or_else(|| syntax("solve [SECONDS]"), Ok)?)?;
        let most = |place: usize| {
            let bounds = rates.moves.iter().map(|rate| rate.proven[place]);
            bounds.fold(0.0, f32::max)
        };
        let (lower, upper) = (most(0), most(1));
        let best = rates.moves.iter().find(|rate| rate.proven[0] == lower);
        let best = best.map_or("", |best| &best.mv);
        text(match (lower, upper) {
            (lower, upper) if upper - lower > 1e-4 => "unknown".to_owned(),
            (1.0, _) => format!("win {best}"),
            (_, 0.0) => "loss".to_owned(),
            (0.5, 0.5) => format!("draw {best}"),
            _ => format!("{lower:.6} {best}"),
        })
    }
}

/// One line: for each move `info move … visits … winrate … order … pv …`, as `lz-analyze` has it.
fn information(rates: &Rates) -> String {
    let one = |(order, rate): (usize, &Rate)| {
        let visits = rate.visits.map_or(rates.stats.nodes, u64::from);
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
