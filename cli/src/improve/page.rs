//! HTML page of all generations, from the ledger and the stage times.

use super::{
    End,
    config::ImproveConfig,
    ledger::{Entry, Ledger, Strength},
};
use crate::output;
use anyhow::Result;
use arena::document::{Block, Page, Sentence};
use arena::pipeline_report::{self, ReportData, Stage};
use arena::plot::{
    Curve, LineChart, Row,
    scaled_charts::{ErrorBar, Scale, error_bar_chart},
    score_chart,
};
use arena::statistics::Interval;
use arena::text_table::{Cell, TextTable};
use std::path::{Path, PathBuf};

pub(super) fn write_page(
    directory: &Path,
    config: &ImproveConfig,
    ledger: &Ledger,
    stages: &[Stage],
    ended: Option<End>,
) -> Result<PathBuf> {
    let path = directory.join("history.html");
    let html = page(config, ledger, stages, ended)?.html(crate::PROGRAM);
    output::write_file(&path, html)?;
    Ok(path)
}

fn page(
    config: &ImproveConfig,
    ledger: &Ledger,
    stages: &[Stage],
    ended: Option<End>,
) -> Result<Page> {
    let report = pipeline_report::page(&ReportData {
        title: format!("Generations, seed {}", ledger.seed),
        configuration: toml::to_string(config)?,
        commands: (ledger.generations.last().iter())
            .map(|entry| entry.command.clone())
            .collect(),
        stages: stages.to_vec(),
        ..ReportData::default()
    })?;
    let mut page = Page {
        title: report.title,
        summary: summary(ledger, ended),
        sections: Vec::new(),
    };
    page.push("Strength", strength(ledger)?);
    if !ledger.generations.is_empty() {
        page.push("Gate", gate(ledger)?);
        let losses = Block::Note(LOSSES_NOTE.to_owned());
        page.push(
            "Games and training",
            vec![Block::Table(training_table(ledger)), losses],
        );
    }
    page.sections.extend(report.sections);
    Ok(page)
}

const LOSSES_NOTE: &str = "Losses are in nats; those of different generations are taken on different games and do not compare. That of TD learning is taken against results, before each update.";

fn summary(ledger: &Ledger, ended: Option<End>) -> Vec<Sentence> {
    let best = ledger.best().map_or_else(
        || ledger.start.evaluator.clone(),
        |entry| format!("generation {}", entry.generation),
    );
    let accepted = ledger.generations.iter().filter(|entry| entry.accepted);
    let accepted = accepted.count();
    let promoted = format!(
        " is the best one; {accepted} of {} generations were promoted.",
        ledger.generations.len()
    );
    let mut sentences = vec![vec![(best, true), (promoted, false)]];
    if let Some(ended) = ended {
        let reason = ended.describe(ledger);
        sentences.push(vec![(
            reason[..1].to_uppercase() + &reason[1..] + ".",
            false,
        )]);
    }
    sentences
}

fn strength(ledger: &Ledger) -> Result<Vec<Block>> {
    let all: Vec<&[Strength]> = std::iter::once(&ledger.start.strength)
        .chain(ledger.generations.iter().map(|entry| &entry.strength))
        .map(Vec::as_slice)
        .collect();
    let start = ledger.start.evaluator.as_str();
    let mut opponents = vec![start];
    for strength in all.iter().copied().flatten() {
        if !opponents.contains(&strength.opponent.as_str()) {
            opponents.push(&strength.opponent);
        }
    }
    let (mut curves, mut bars) = (Vec::new(), Vec::new());
    for (curve, &opponent) in opponents.iter().enumerate() {
        let mut points = Vec::new();
        for (generation, strength) in all.iter().enumerate() {
            let x = generation as f64;
            match strength.iter().find(|found| found.opponent == opponent) {
                Some(Strength { score, .. }) => {
                    points.push((x, score.elo));
                    bars.push(ErrorBar {
                        curve,
                        x,
                        interval: score.elo_interval,
                    });
                }
                // Generation 0 has 0 Elo by definition.
                None if opponent == start => points.push((x, 0.0)),
                None => {}
            }
        }
        let name = if opponent == start {
            format!("generation 0 ({start})")
        } else {
            opponent.to_owned()
        };
        curves.push(Curve::new(name, points));
    }
    let title = "Elo of the best evaluator against fixed opponents";
    let chart = LineChart::new(title, ["generation", "Elo"], curves);
    let names = (0..all.len()).map(|generation| generation.to_string());
    let names = Scale::Categories(names.collect());
    let svg = error_bar_chart(&chart, &bars, &names, &Scale::Linear)?;
    let mut text_table = TextTable::new([
        "after generation",
        "against",
        "score, 95 %",
        "Elo",
        "95 % interval of Elo",
        "games",
    ]);
    for (generation, strength) in (0..).zip(all) {
        for Strength { opponent, score } in strength {
            let Interval { lower, upper } = score.elo_interval;
            text_table.push(vec![
                Cell::Count(generation),
                opponent.as_str().into(),
                score.to_string().into(),
                Cell::Right(format!("{:+.0}", score.elo)),
                Cell::Right(format!("{lower:+.0} – {upper:+.0}")),
                score.games.into(),
            ]);
        }
    }
    let note = "Bars are 95 % intervals. A generation that was not promoted leaves the best one, and its measurements, as they were.";
    Ok(vec![
        Block::chart(svg, title),
        Block::Note(note.to_owned()),
        Block::Table(text_table),
    ])
}

fn gate(ledger: &Ledger) -> Result<Vec<Block>> {
    let text_table = ledger.text_table(&[
        "generation",
        "accepted",
        "against",
        "score at the gate, 95 %",
        "Elo",
        "LLR",
        "bounds of LLR",
        "games",
        "model (xxh3)",
    ]);
    let first = ledger.generations.first();
    let unit = first.and_then(|entry| Some(entry.gate.score.points.as_ref()?.unit.as_str()));
    let bar = |entry: &Entry| {
        let score = &entry.gate.score;
        let (value, interval) = match &score.points {
            None => (score.score, score.interval),
            Some(points) => (points.mean, points.interval),
        };
        Row {
            label: format!("generation {} – {}", entry.generation, entry.best_before),
            value,
            interval,
        }
    };
    let bars = ledger.generations.iter().map(bar).collect();
    let text = "Each candidate meets the best one before it until a sequential test is decided; only if it accepts is the candidate the best \
                from then on. Intervals of matches that a test ended are a little too narrow, and scores a little too far from 50 %.";
    let (title, alt) = match unit {
        None => (
            "Share of games won at the gate",
            "Shares of games won at the gate, with their 95 % intervals",
        ),
        Some(_) => (
            "Points at the gate",
            "Mean points a game at the gate, with their 95 % intervals",
        ),
    };
    let svg = score_chart(title, unit, bars)?;
    Ok(vec![
        Block::Text(text.to_owned()),
        Block::Table(text_table),
        Block::chart(svg, alt),
    ])
}

fn training_table(ledger: &Ledger) -> TextTable {
    ledger.text_table(&[
        "generation",
        "games played",
        "positions",
        "family",
        "learning",
        "samples",
        "best epoch",
        "training loss",
        "validation loss",
    ])
}

#[cfg(test)]
mod tests {
    use super::super::ledger::tests::example_ledger;
    use super::*;
    use engine::games::einstein::Standard;
    use engine::play::playable::Rules;

    #[test]
    fn it_shows_every_generation_and_why_it_ended() {
        let config = crate::settings::parse_toml(Standard::INFO.improve_presets[0].1).unwrap();
        let html = page(
            &config,
            &example_ledger(&[true, false]),
            &[],
            Some(End::Patience),
        )
        .unwrap()
        .html(crate::PROGRAM);
        for part in [
            "generation 1</strong> is the best one; 1 of 2",
            "Ended: a generation brought no gain.",
            "generation 2 – abt",
            "last_generations",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert_eq!(html.matches("<svg").count(), 2);
        assert!(!html.contains("NaN"));
        let empty = page(&config, &example_ledger(&[]), &[], None)
            .unwrap()
            .html(crate::PROGRAM);
        assert!(empty.contains("<strong>abt</strong> is the best one; 0 of 0"));
    }
}
