//! The report of a pipeline run: one HTML page that stands alone.
//!
//! Invariant: the page refers to nothing outside itself and runs no script, so it can be mailed, archived and
//! printed; every text of the data is escaped.

use crate::arena::MatchResult;
use crate::board::board_svg;
use crate::plot::{CalibrationBin, LineChart, PlotError, ScoreBar, calibration_plot, line_chart, score_bars};
use engine::files::{FileError, write_atomically};
use engine::games::einstein::Standard;
use engine::games::einstein::notation::NotationError;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

/// Everything a report shows. Empty parts are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportData {
    /// The heading.
    pub title: String,
    /// The resolved configuration, as it would stand in its file.
    pub configuration: String,
    /// The commands that make this run again, one a line.
    pub commands: Vec<String>,
    /// Stages in order.
    pub stages: Vec<Stage>,
    /// What self-play produced: name and value, a row each.
    pub self_play: Vec<(String, String)>,
    /// Training curves, one chart a quantity, one curve a family of models.
    pub curves: Vec<LineChart>,
    /// Arena results.
    pub matches: Vec<ReportMatch>,
    /// How well evaluators are calibrated: name and bins.
    pub calibration: Vec<(String, Vec<CalibrationBin>)>,
    /// A position to show, usually the start of a game, in notation; empty for none.
    pub start: String,
}

/// One stage of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Wall time in seconds.
    pub seconds: f64,
    /// What it did, in a few words.
    pub outcome: String,
}

/// A match and under what condition it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportMatch {
    /// For example `depth 1`; may be empty.
    pub condition: String,
    /// What came of it.
    pub result: MatchResult,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The position to show cannot be read.
    #[error("the report's start position '{text}': {source}")]
    Start {
        /// The position.
        text: String,
        /// What is wrong with it.
        source: NotationError,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes the report to a file, which appears complete or not at all.
///
/// # Errors
/// If the report cannot be made or the file cannot be written.
pub fn write_report(path: &Path, data: &ReportData) -> Result<(), ReportError> {
    let page = report(data)?;
    Ok(write_atomically(path, |out| out.write_all(page.as_bytes()))?)
}

/// The report as a page of HTML.
///
/// # Errors
/// If a plot cannot be drawn or the start position is none.
pub fn report(data: &ReportData) -> Result<String, ReportError> {
    let mut body = String::with_capacity(100_000);
    // Writing to a string cannot fail.
    let _ = write!(body, "<header><h1>{}</h1>", escape(&data.title));
    for found in &data.matches {
        let _ = write!(body, "<p class=\"summary\">{}</p>", summary_sentence(found));
    }
    body.push_str("</header>");
    if !data.matches.is_empty() {
        section(&mut body, "Arena", &(arena_table(&data.matches) + &figure(&arena_bars(&data.matches)?) + ABOUT_BARS));
    }
    if !data.curves.is_empty() {
        let charts = data.curves.iter().map(|chart| line_chart(chart).map(|svg| figure(&svg))).collect::<Result<String, _>>()?;
        section(&mut body, "Training", &charts);
    }
    if !data.calibration.is_empty() {
        let plots = data.calibration.iter().map(|(name, bins)| calibration_plot(name, bins).map(|svg| figure(&svg)));
        let about = "<p>Positions grouped by predicted win probability against the share of games the side to move went on to win; \
                     bars are two standard errors, the diagonal is perfect.</p>";
        section(&mut body, "Calibration", &(about.to_owned() + &plots.collect::<Result<String, _>>()?));
    }
    if !data.self_play.is_empty() || !data.start.is_empty() {
        section(&mut body, "Self-play", &self_play(data)?);
    }
    if !data.stages.is_empty() {
        section(&mut body, "Stages", &stage_table(&data.stages));
    }
    if !data.configuration.is_empty() {
        section(&mut body, "Configuration", &format!("<pre>{}</pre>", escape(&data.configuration)));
    }
    if !data.commands.is_empty() {
        let about = "<p>Every game is a pure function of players, seed and index; the same commands give the same games and results, \
                     whatever the number of threads, unless a player thinks for a given time.</p>";
        section(&mut body, "How to reproduce", &format!("{about}<pre>{}</pre>", escape(&data.commands.join("\n"))));
    }
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title><style>{STYLE}</style></head>\n<body><main>{body}</main></body></html>\n",
        escape(&data.title)
    ))
}

/// What a match says, in one sentence of HTML: who is stronger, as far as its interval tells.
#[must_use]
pub fn summary_sentence(found: &ReportMatch) -> String {
    let result = &found.result;
    let verb = if result.interval.lower > 0.5 {
        "beats"
    } else if result.interval.upper < 0.5 {
        "loses to"
    } else {
        "cannot be told from"
    };
    let condition = if found.condition.is_empty() { String::new() } else { format!(" at {}", escape(&found.condition)) };
    format!(
        "<strong>{}</strong> {verb} <strong>{}</strong>{condition}: {} of {} games ({} Elo).",
        escape(&result.a),
        escape(&result.b),
        percent(result.score, result.interval.half_width()),
        result.games,
        elo(result)
    )
}

fn arena_table(matches: &[ReportMatch]) -> String {
    let head = ["Match", "Games", "Score", "95 % interval", "Elo", "Superiority", "Plies", "Begun and won", "Time a move"];
    let rows: Vec<Vec<String>> = matches
        .iter()
        .map(|found| {
            let result = &found.result;
            let condition = if found.condition.is_empty() { String::new() } else { format!(", {}", found.condition) };
            vec![
                format!("{} – {}{condition}", result.a, result.b),
                result.games.to_string(),
                percent(result.score, result.interval.half_width()),
                format!("{:.1} – {:.1} %", 100.0 * result.interval.lower, 100.0 * result.interval.upper),
                elo(result),
                format!("{:.1} %", 100.0 * result.superiority),
                format!("{:.1}", result.mean_plies),
                format!("{:.1} %", 100.0 * result.first_mover_share),
                result.seconds_per_move.map(duration).join(" / "),
            ]
        })
        .collect();
    let about = "<p>Each pair of games has the same set-ups, dice and first mover; only the sides are swapped. \
                 Intervals come from the variance of pair means.</p>";
    about.to_owned() + &table(&head, &rows)
}

fn arena_bars(matches: &[ReportMatch]) -> Result<String, PlotError> {
    let bars: Vec<ScoreBar> = matches
        .iter()
        .map(|found| {
            let result = &found.result;
            let condition = if found.condition.is_empty() { String::new() } else { format!(", {}", found.condition) };
            ScoreBar { label: format!("{} – {}{condition}", result.a, result.b), score: result.score, interval: result.interval }
        })
        .collect();
    score_bars("Share of games won, %", &bars)
}

fn self_play(data: &ReportData) -> Result<String, ReportError> {
    let mut content = String::from("<div class=\"columns\">");
    if !data.self_play.is_empty() {
        let rows: Vec<Vec<String>> = data.self_play.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
        content.push_str(&table(&["", ""], &rows));
    }
    if !data.start.is_empty() {
        let game = Standard::default();
        let (position, die) = game.parse_position(&data.start).map_err(|source| ReportError::Start { text: data.start.clone(), source })?;
        let _ = write!(content, "<figure>{}<figcaption>{}</figcaption></figure>", board_svg(&game, &position, die), escape(&data.start));
    }
    Ok(content + "</div>")
}

fn stage_table(stages: &[Stage]) -> String {
    let mut rows: Vec<Vec<String>> =
        stages.iter().map(|stage| vec![stage.name.clone(), duration(stage.seconds), stage.outcome.clone()]).collect();
    rows.push(vec!["all".to_owned(), duration(stages.iter().map(|stage| stage.seconds).sum()), String::new()]);
    table(&["Stage", "Time", "Outcome"], &rows)
}

fn section(body: &mut String, heading: &str, content: &str) {
    let _ = write!(body, "<section><h2>{}</h2>{content}</section>", escape(heading));
}

fn figure(svg: &str) -> String {
    format!("<figure class=\"scroll plot\">{}</figure>", svg.trim())
}

/// A table of plain text; an all-empty head is left out.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut html = String::from("<div class=\"scroll\"><table>");
    if head.iter().any(|cell| !cell.is_empty()) {
        let cells: String = head.iter().map(|cell| format!("<th scope=\"col\">{}</th>", escape(cell))).collect();
        let _ = write!(html, "<thead><tr>{cells}</tr></thead>");
    }
    html.push_str("<tbody>");
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        let _ = write!(html, "<tr>{cells}</tr>");
    }
    html + "</tbody></table></div>"
}

fn percent(share: f64, half_width: f64) -> String {
    format!("{:.1} % ± {:.1}", 100.0 * share, 100.0 * half_width)
}

fn elo(result: &MatchResult) -> String {
    format!("{:+.0} ± {:.0}", result.elo, result.elo_interval.half_width())
}

/// Seconds in the unit that suits them.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 3600.0 => format!("{:.1} h", seconds / 3600.0),
        seconds if seconds >= 120.0 => format!("{:.1} min", seconds / 60.0),
        seconds if seconds >= 1.0 => format!("{seconds:.1} s"),
        seconds if seconds >= 1e-3 => format!("{:.1} ms", 1e3 * seconds),
        seconds => format!("{:.1} µs", 1e6 * seconds),
    }
}

/// Text as HTML shows it.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

const ABOUT_BARS: &str = "<p class=\"note\">Blue: above 50 % with its whole 95 % interval; orange: below; grey: either is possible.</p>";

const STYLE: &str = "\
:root{color-scheme:light;--ink:#282c34;--soft:#5c6370;--rule:#dfe3e8;--accent:#0072b2}\
*{box-sizing:border-box}\
body{margin:0;background:#f6f7f9;color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif}\
main{max-width:60rem;margin:0 auto;padding:1rem}\
header{padding:1rem 0 .5rem}\
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .8rem;overflow-wrap:anywhere}\
h2{font-size:1.2rem;margin:0 0 .7rem}\
.summary{margin:.3rem 0;padding:.45rem .8rem;border-left:4px solid var(--accent);background:#fff;overflow-wrap:anywhere}\
section{background:#fff;border:1px solid var(--rule);border-radius:8px;padding:1rem;margin:1rem 0}\
p{margin:.2rem 0 .8rem}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--rule);white-space:nowrap}\
th{color:var(--soft);font-weight:600}\
td:first-child{font-weight:600;white-space:normal;min-width:9rem;overflow-wrap:anywhere}\
td:last-child{white-space:normal}\
figure{margin:1rem 0 0;text-align:center}\
figure svg{max-width:100%;height:auto}.plot svg{min-width:32rem}\
.note{font-size:.85rem;color:var(--soft);text-align:center;margin:.3rem 0 0}\
figcaption,figcaption *{font:.8rem ui-monospace,monospace;color:var(--soft)}\
.columns{display:flex;flex-wrap:wrap;gap:1.5rem;justify-content:space-between;align-items:flex-start}\
.columns>.scroll{flex:1 1 20rem}.columns>figure{margin:0 auto}.board{max-width:16rem}\
pre{margin:0;padding:.8rem;background:#f6f7f9;border-radius:6px;overflow-x:auto;font:.82rem/1.5 ui-monospace,Consolas,monospace}\
@media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}section{border:0;padding:0}\
figure,tr{break-inside:avoid}h2{break-after:avoid}.scroll{overflow:visible}.plot svg{min-width:0}\
th,td{white-space:normal;padding-right:.4rem}table{font-size:8pt}td:first-child{min-width:0}pre{white-space:pre-wrap}}";

#[cfg(test)]
mod tests;
