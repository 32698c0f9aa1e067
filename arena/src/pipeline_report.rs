//! Report of a pipeline run (self-play, training, matches) as a [`Page`].

use crate::document::{Block, Page, Sentence};
use crate::error::Result;
use crate::matches::{MatchResult, warning_of_repeats};
use crate::plot::{CalibrationBin, LineChart, Row, calibration_plot, line_chart, score_chart};
use crate::statistics::Interval;
use crate::text_table::{Cell, TextTable};
use alea_core::files::write_atomically;
use alea_play::playable::Playable;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Contents of a report; a section without data is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportData {
    /// Heading of the report.
    pub title: String,
    /// Settings of the run as text, with defaults filled in.
    pub configuration: String,
    /// Command lines that repeat the run.
    pub commands: Vec<String>,
    /// Stages of the run in order.
    pub stages: Vec<Stage>,
    /// Names and values of self-play statistics, as text.
    pub self_play: Vec<(String, String)>,
    /// Training curves: one chart for each quantity, one curve for each family of models.
    pub curves: Vec<LineChart>,
    /// Matches of the trained models.
    pub matches: Vec<ReportMatch>,
    /// Calibration bins by evaluator's name.
    pub calibration: Vec<(String, Vec<CalibrationBin>)>,
    /// Picture of a position, usually the start.
    pub picture: Option<PositionPicture>,
}

/// Position with its picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionPicture {
    /// Picture as an `<svg>` element.
    pub svg: String,
    /// Position in the game's text format.
    pub position: String,
}

impl PositionPicture {
    /// Draws a position before an outcome of chance.
    #[must_use]
    pub fn of<G: Playable>(game: &G, position: &G::Position) -> Self {
        Self {
            svg: game.svg(position, None),
            position: game.format_position(position, None),
        }
    }
}

/// Finished stage of a pipeline run, such as training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the stage.
    pub name: String,
    /// Wall time of the stage.
    pub seconds: f64,
    /// Result of the stage in a few words.
    pub outcome: String,
}

/// Match in a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportMatch {
    /// Condition of the match, such as `depth 1`; may be empty.
    pub condition: String,
    /// Result of the match.
    pub result: MatchResult,
}

/// Writes a report as an HTML file, atomically; its footer names `program`.
///
/// # Errors
/// If a plot cannot be drawn or the file cannot be written.
pub fn write_report(path: &Path, data: &ReportData, program: &str) -> Result<()> {
    let html = page(data)?.html(program);
    Ok(write_atomically(path, |out| {
        out.write_all(html.as_bytes())
    })?)
}

/// Builds a report's page.
///
/// # Errors
/// If a plot cannot be drawn.
pub fn page(data: &ReportData) -> Result<Page> {
    let mut page = Page {
        title: data.title.clone(),
        summary: data.matches.iter().map(summary_sentence).collect(),
        sections: Vec::new(),
    };
    if !data.matches.is_empty() {
        page.push("Arena", match_blocks(&data.matches)?);
    }
    let curve = |chart: &LineChart| Ok(Block::chart(line_chart(chart)?, chart.title.clone()));
    page.push(
        "Training",
        data.curves.iter().map(curve).collect::<Result<_>>()?,
    );
    if !data.calibration.is_empty() {
        let mut blocks = vec![Block::Text(
            "Positions grouped by predicted win probability against the share of games the side to move went on to win; bars are two \
             standard errors, the diagonal is perfect."
                .to_owned(),
        )];
        for (name, bins) in &data.calibration {
            blocks.push(Block::chart(
                calibration_plot(name, bins)?,
                format!("Calibration of {name}"),
            ));
        }
        page.push("Calibration", blocks);
    }
    page.push("Self-play", self_play(data));
    if !data.stages.is_empty() {
        page.push("Stages", vec![Block::Table(stage_table(&data.stages))]);
    }
    if !data.configuration.is_empty() {
        page.push(
            "Configuration",
            vec![Block::Code(data.configuration.clone())],
        );
    }
    if !data.commands.is_empty() {
        let about = "Every game is a pure function of players, seed and index; the same commands give the same games and results, \
                     whatever the number of threads, unless a player thinks for a given time.";
        page.push(
            "How to reproduce",
            vec![
                Block::Text(about.to_owned()),
                Block::Code(data.commands.join("\n")),
            ],
        );
    }
    Ok(page)
}

/// Sentence with a match's result: whether A beats B, loses to B, or neither is certain by the 95 %
/// interval.
pub fn summary_sentence(entry: &ReportMatch) -> Sentence {
    let result = &entry.result;
    let verb = if result.interval.lower > 0.5 {
        "beats"
    } else if result.interval.upper < 0.5 {
        "loses to"
    } else {
        "cannot be told from"
    };
    let condition = if entry.condition.is_empty() {
        String::new()
    } else {
        format!(" at {}", entry.condition)
    };
    let score = score_text(result);
    vec![
        (result.a.clone(), true),
        (format!(" {verb} "), false),
        (result.b.clone(), true),
        (
            format!(
                "{condition}: {score} of {} ({} Elo).",
                result.games_in_words(),
                elo(result)
            ),
            false,
        ),
    ]
}

/// Table of matches and chart of their scores, with a warning if games were repeated.
pub fn match_blocks(matches: &[ReportMatch]) -> Result<Vec<Block>> {
    let columns = [
        "Match",
        "Games",
        "Score",
        "95 % interval",
        "Elo",
        "Superiority",
        "Plies",
        "Begun and won",
        "Time a move",
    ];
    let mut text_table = TextTable::new(columns);
    let mut bars = Vec::new();
    let units = matches
        .iter()
        .map(|entry| Some(entry.result.mean_points()?.unit));
    let units: Option<Vec<String>> = units.collect();
    let units = units.unwrap_or_default();
    let unit = units
        .first()
        .filter(|first| units.iter().all(|unit| unit == *first));
    for ReportMatch { condition, result } in matches {
        let condition = if condition.is_empty() {
            String::new()
        } else {
            format!(", {condition}")
        };
        let label = format!("{} – {}{condition}", result.a, result.b);
        text_table.push(vec![
            label.clone().into(),
            result.games_in_words().trim_end_matches(" games").into(),
            score_text(result).into(),
            match result.mean_points() {
                None => format!(
                    "{:.1} – {:.1} %",
                    100.0 * result.interval.lower,
                    100.0 * result.interval.upper
                ),
                Some(points) => {
                    let Interval { lower, upper } = points.interval;
                    format!("{lower:+.3} – {upper:+.3}")
                }
            }
            .into(),
            elo(result).into(),
            format!("{:.1} %", 100.0 * result.superiority).into(),
            Cell::Number(result.mean_plies, 1),
            format!("{:.1} %", 100.0 * result.first_mover_share).into(),
            move_times_text(result).into(),
        ]);
        // Only points of one unit can be compared.
        let points = result.mean_points().filter(|_| unit.is_some());
        bars.push(match points {
            None => Row {
                label,
                value: result.score,
                interval: result.interval,
            },
            Some(points) => Row {
                label,
                value: points.mean,
                interval: points.interval,
            },
        });
    }
    let warning = warning_of_repeats(matches.iter().map(|entry| &entry.result));
    let mut blocks: Vec<Block> = warning.into_iter().map(Block::Text).collect();
    blocks.extend([
        Block::Text(
            "Both games of a pair have the same start, chance and first mover; only the sides are swapped. Intervals come from the variance \
             of pair means."
                .to_owned(),
        ),
        Block::Table(text_table),
        Block::chart(score_chart("Score", unit.map(String::as_str), bars)?, "Scores, with their 95 % intervals"),
    ]);
    if unit.is_none() {
        let note = "Blue: above 50 % with its whole 95 % interval; orange: below; grey: either is possible.";
        blocks.push(Block::Note(note.to_owned()));
    }
    Ok(blocks)
}

/// Mean points of A a game, or in games without points its score in percent.
fn score_text(result: &MatchResult) -> String {
    match result.mean_points() {
        None => percent(result.score, result.interval.half_width()),
        Some(points) => format!("{points} {} a game", points.unit),
    }
}

fn move_times_text(result: &MatchResult) -> String {
    let cpu = result.cpu_seconds_per_move;
    let cpu =
        cpu.map(|time| time.map_or(String::new(), |time| format!(" (CPU {})", duration(time))));
    let [a, b] = result.seconds_per_move.map(duration);
    format!("{a}{} / {b}{}", cpu[0], cpu[1])
}

fn self_play(data: &ReportData) -> Vec<Block> {
    let mut columns = Vec::new();
    if !data.self_play.is_empty() {
        let rows = data.self_play.iter();
        let rows = rows.map(|(name, value)| vec![name.as_str().into(), value.as_str().into()]);
        columns.push(Block::Table(TextTable::from_rows(["", " "], rows)));
    }
    columns.extend(data.picture.iter().map(|picture| Block::Picture {
        svg: picture.svg.clone(),
        alt: picture.position.clone(),
        wide: false,
    }));
    let any = !columns.is_empty();
    any.then_some(Block::Columns(columns)).into_iter().collect()
}

fn stage_table(stages: &[Stage]) -> TextTable {
    let mut text_table = TextTable::new(["Stage", "Time", "Outcome"]);
    for stage in stages {
        text_table.push(vec![
            stage.name.as_str().into(),
            duration(stage.seconds).into(),
            stage.outcome.as_str().into(),
        ]);
    }
    text_table.push(vec![
        "all".into(),
        duration(stages.iter().map(|stage| stage.seconds).sum()).into(),
        "".into(),
    ]);
    text_table
}

/// Formats a fraction and its interval in percent, such as `52.0 % ± 1.5`.
#[must_use]
pub fn percent(fraction: f64, half_width: f64) -> String {
    format!("{:.1} % ± {:.1}", 100.0 * fraction, 100.0 * half_width)
}

fn elo(result: &MatchResult) -> String {
    format!(
        "{:+.0} ± {:.0}",
        result.elo,
        result.elo_interval.half_width()
    )
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 3600.0 => format!("{:.1} h", seconds / 3600.0),
        seconds if seconds >= 120.0 => format!("{:.1} min", seconds / 60.0),
        seconds if seconds >= 1.0 => format!("{seconds:.1} s"),
        seconds if seconds >= 1e-3 => format!("{:.1} ms", 1e3 * seconds),
        seconds => format!("{:.1} µs", 1e6 * seconds),
    }
}

#[cfg(test)]
mod tests;
