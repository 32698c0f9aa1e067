//! `alea data info`: statistics of game records as text, JSON and pictures.

use super::{Records, format_endings};
use crate::commands::selfplay::players_table;
use crate::{display_scale::DisplayScale, output};
use anyhow::Result;
use arena::plot::scaled_charts::histogram;
use engine::core::{files, text::printable};
use engine::play::playable::Playable;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};
use trainer::data::statistics::{Info, NUM_VALUE_BINS, info};

/// Count games, results, plies, material, values and duplicates
#[derive(clap::Args)]
#[command(
    after_help = "Examples: alea data info runs/data\n          alea data info runs/data --plots runs/plots --json"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) records: Records,
    /// Draw values.svg, plies.svg and the material left (stones.svg) into this directory
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

impl Arguments {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        let source = self.records.open::<G>()?;
        let info = info(&source)?;
        if let Some(directory) = &self.plots {
            write_charts(directory, &info, G::INFO.remaining_unit)?;
        }
        output::print_result(self.records.json, &info, || text(&source.rules, &info))
    }
}

fn write_charts(directory: &Path, info: &Info, remaining: &str) -> Result<()> {
    files::prepare_directory(directory)?;
    let left = format!("Positions by {remaining}");
    let of_values = (0.0, 1.0 / NUM_VALUE_BINS as f64);
    let pictures = [
        (
            "values",
            "Plies by value",
            "value",
            of_values,
            &info.values_by_size[..],
        ),
        (
            remaining,
            &left,
            remaining,
            (-0.5, 1.0),
            &info.positions_by_remaining[..],
        ),
        (
            "plies",
            "Games by length",
            "plies",
            (-0.5, 1.0),
            &info.games_by_plies[..],
        ),
    ];
    for (name, title, label, (start, width), counts) in pictures {
        let picture = histogram(title, label, start, width, counts)?;
        let path = directory.join(name).with_extension("svg");
        files::write_atomically(&path, |file| file.write_all(picture.as_bytes()))?;
    }
    Ok(())
}

fn text<G: Playable>(game: &G, info: &Info) -> String {
    let percent_of = |part: f64, total: u64| 100.0 * part / total.max(1) as f64;
    let percent = |part: u64, total: u64| percent_of(part as f64, total);
    let difference = |error: Option<f64>| {
        error.map_or(String::new(), |error| {
            format!(", mean square difference from the result {error:.4}")
        })
    };
    let mut text = format!(
        "{} games, {} positions in {} shards: {} bytes, {:.2} a position\n",
        info.games, info.positions, info.shards, info.bytes, info.bytes_per_position
    );
    let mut line = |name: &str, what: String| {
        let _ = write!(text, "\n{name:<12}{}", printable(&what));
    };
    let plural = if info.runs == 1 { "" } else { "s" };
    line("rules", format!("{}, {} run{plural}", info.game, info.runs));
    let scale = DisplayScale::of(game);
    let mean = |points: f64| scale.mean_text(points, info.games);
    let seats = info.points.iter().enumerate().map(|(seat, &points)| {
        let title = game.seat_title(seat);
        format!("{} by {title}", mean(points))
    });
    let seats = seats.collect::<Vec<_>>().join(", ");
    let first = mean(info.first_mover_points);
    let drawn_percent = match info.draws {
        0 => String::new(),
        draws => format!("; {:.1} % drawn", percent(draws, info.games)),
    };
    line(
        "won",
        format!("{seats}; {first} by who began{drawn_percent}"),
    );
    if let Some(counts) = format_endings(&info.endings) {
        line("ended", counts);
    }
    let mean = info.positions as f64 / info.games.max(1) as f64;
    line(
        "plies",
        format!(
            "{mean:.1} a game, from {} to {}; {:.1} % explored",
            info.plies[0],
            info.plies[1],
            percent(info.explored, info.positions)
        ),
    );
    let error = difference(info.value_error);
    let valued = percent(info.values, info.positions);
    line("values", format!("{valued:.1} % of plies{error}"));
    for label in &info.labels {
        let error = difference(label.error);
        let labelled = percent(label.positions, info.positions);
        line(
            "label",
            format!(
                "{} by {}: {labelled:.1} % of positions{error}",
                label.name, label.by
            ),
        );
    }
    let (games, positions) = (info.duplicate_games, info.duplicate_positions);
    line(
        "duplicates",
        format!(
            "{games} games, {} up to symmetry; {positions} positions ({:.1} %)",
            info.duplicate_games_up_to_symmetry,
            percent(positions, info.positions)
        ),
    );
    text += &format!("\n\n{:<12}{:>10}  {:>6}\n", "value", "plies", "%");
    for (bin, &count) in info.values_by_size.iter().enumerate() {
        let from = bin as f64 / NUM_VALUE_BINS as f64;
        text += &histogram_row(
            &format!("{from:.2}-{:.2}", from + 1.0 / NUM_VALUE_BINS as f64),
            count,
            info.values,
        );
    }
    text += &format!(
        "\n{:<12}{:>10}  {:>6}\n",
        G::INFO.remaining_unit,
        "positions",
        "%"
    );
    for (remaining, &count) in info
        .positions_by_remaining
        .iter()
        .enumerate()
        .filter(|&(_, &count)| count > 0)
    {
        text += &histogram_row(&remaining.to_string(), count, info.positions);
    }
    let players = info.players.iter();
    let players = players.map(|count| (&*count.player, count.sides, count.points));
    text += "\n";
    text += &players_table(scale, players);
    text
}

/// Row of a text histogram; the bar is full at a quarter of `all`.
fn histogram_row(name: &str, count: u64, all: u64) -> String {
    let fraction = count as f64 / all.max(1) as f64;
    let bar = "#".repeat((fraction * 160.0).round().min(40.0) as usize);
    format!("{name:<12}{count:>10}  {:>6.2}  {bar}", 100.0 * fraction)
        .trim_end()
        .to_owned()
        + "\n"
}
