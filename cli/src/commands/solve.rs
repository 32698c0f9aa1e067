//! `alea solve`: builds the exact endgame tables.

use crate::endgame_tables::with_progress;
use crate::games::GameArguments;
use crate::output;
use crate::sharding::ShardArguments;
use anyhow::{Result, bail};
use engine::core::job_array::TaskSlice;
use engine::core::text::format_bytes;
use engine::games::einstein::{
    Standard,
    tables::{Class, ClassStatistics, Tables},
};
use engine::play::playable::Rules;
use serde_json::{Value, json};
use std::{path::PathBuf, time::Instant};

/// Build the exact endgame tables of all positions with few stones
///
/// One file for each class of positions. Valid files are kept, so an interrupted run resumes with
/// the class it was at. Disk space: 21 MB for 4 stones, 0.9 GB for 5, 23 GB for 6 (and up to 33 GB
/// for a while, where a class is larger than the allowed memory). With --shard the classes of
/// exactly so many stones are spread over tasks, as soon as all smaller tables are there: 1 pair of
/// classes of 2 and 3 stones, 2 of 4 and 5, 3 of 6.
#[derive(clap::Args)]
#[command(after_help = "Example: alea solve --stones 5\n         alea solve --stones 4 --facts")]
pub(crate) struct Arguments {
    /// Maximum stones on the board, both sides together
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=6))]
    stones: u8,
    /// Directory of the tables
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,
    /// About how much memory to use, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    memory: u64,
    /// Print statistics of the tables: means, the value of the move, surprising captures of one's
    /// own stones
    #[arg(long = "facts")]
    statistics: bool,
    #[command(flatten)]
    shard: ShardArguments,
    #[command(flatten)]
    game: GameArguments,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = self
            .game
            .require::<Standard>("endgame tables are those of EinStein")?;
        let stones = usize::from(self.stones);
        let bytes = Tables::bytes_on_disk(stones)?;
        if !self.json {
            output::note(&format!(
                "tables of at most {stones} stones in {}: {}",
                self.tables.display(),
                format_bytes(bytes)
            ));
        }
        let began = Instant::now();
        let Some(memory) = self.memory.checked_mul(1 << 20) else {
            bail!("--memory {} is more than there can be", self.memory)
        };
        let (directory, variant, slice) = (&self.tables, game.variant(), self.shard.slice());
        let tables = match slice {
            TaskSlice::Merge { .. } => {
                Tables::open(directory, stones, variant, &alea_parallel::for_each)?
            }
            _ => with_progress(|report_progress| {
                Tables::build(
                    directory,
                    stones,
                    variant,
                    memory,
                    slice,
                    &alea_parallel::for_each,
                    report_progress,
                )
            })?,
        };
        if self.shard.report_task_end(self.json)? {
            return Ok(());
        }
        let seconds = began.elapsed().as_secs_f64();
        let statistics: Vec<Value> = (self.statistics.then(|| Class::up_to(stones)).into_iter())
            .flatten()
            .map(|class| {
                statistics_json(
                    &game,
                    &tables.statistics(&game, class, &alea_parallel::for_each),
                )
            })
            .collect();
        if self.json {
            let mut object = json!({
                "tables": self.tables, "stones": stones, "game": game.notation(), "bytes": bytes, "seconds": seconds,
            });
            if self.statistics {
                object["facts"] = statistics.into();
            }
            output::print_json(&object)?;
        } else {
            output::print_line(&format!(
                "{} in {}, {seconds:.1} s",
                format_bytes(bytes),
                self.tables.display()
            ))?;
            show(&statistics)?;
        }
        Ok(())
    }
}

fn statistics_json(game: &Standard, statistics: &ClassStatistics) -> Value {
    let tempo = |found: Option<_>| {
        found.map(|(position, worth)| json!({ "position": game.format_position(&position, None), "worth": worth }))
    };
    let capture = statistics.self_capture.map(|found| {
        json!({
            "position": game.format_position(&found.position, Some(found.face)),
            "capture": game.format_move(&found.position, found.capture), "value": found.value,
            "instead": game.format_move(&found.position, found.instead), "instead_value": found.instead_value,
        })
    });
    json!({
        "class": statistics.class.to_string(), "positions": statistics.positions, "mean": statistics.mean,
        "won": statistics.won as f64 / statistics.positions as f64, "lost": statistics.lost as f64 / statistics.positions as f64,
        "worth_of_the_move": statistics.tempo, "most": tempo(statistics.max_tempo), "least": tempo(statistics.min_tempo), "self_capture": capture,
    })
}

fn show(statistics: &[Value]) -> Result<()> {
    if statistics.is_empty() {
        return Ok(());
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    output::print_line("\nstones     positions   value     won    lost   worth of the move")?;
    for one in statistics {
        let (class, positions, mean) =
            (text(&one["class"]), &one["positions"], number(&one["mean"]));
        let [won, lost] = ["won", "lost"].map(|key| 100.0 * number(&one[key]));
        let tempo = number(&one["worth_of_the_move"]);
        output::print_line(&format!(
            "{class:<6} {:>13}  {mean:.4}  {won:>5.1} %  {lost:>5.1} %  {tempo:.4}",
            positions.to_string()
        ))?;
    }
    let capture = "where capturing a stone of one's own gains most over the best other move";
    for (key, heading) in [
        ("most", "where the move is worth most"),
        (
            "least",
            "where it is worth least; below 0 one would rather not move",
        ),
        ("self_capture", capture),
    ] {
        output::print_line(&format!("\n{heading}"))?;
        for one in statistics.iter().filter(|one| !one[key].is_null()) {
            let (class, found) = (text(&one["class"]), &one[key]);
            let position = text(&found["position"]);
            let (capture, instead) = (text(&found["capture"]), text(&found["instead"]));
            let [value, other] = ["value", "instead_value"].map(|key| number(&found[key]));
            let details = match key {
                "self_capture" => format!(
                    "{capture} {value:.4}, else {instead} {other:.4}  {:+.4}",
                    value - other
                ),
                _ => format!("{:+.4}", number(&found["worth"])),
            };
            output::print_line(&format!("{class:<6} {position}  {details}"))?;
        }
    }
    Ok(())
}
