//! Report pages with a section for each kind of result.

use super::ReportItem;
use crate::document::{Block, Page};
use crate::error::Result;
use crate::matches::warning_of_repeats;
use crate::pipeline_report::{ReportMatch, match_blocks, percent, summary_sentence};
use crate::plot::{
    Row,
    heat_map::{HeatMap, heat_map},
    intervals::interval_chart,
    line_chart,
};
use crate::regret::report::{ContestantReport, Report};
use crate::text_table::{Cell, TextTable};
use crate::tournament::TournamentResult;

/// Builds a page with the results in the given order; consecutive matches share a table.
///
/// # Errors
/// If a plot cannot be drawn.
pub fn page(title: &str, items: &[ReportItem]) -> Result<Page> {
    let mut page = Page {
        title: title.to_owned(),
        ..Page::default()
    };
    let mut rest = items;
    while let Some(first) = rest.first() {
        let alike =
            |other: &&ReportItem| std::mem::discriminant(*other) == std::mem::discriminant(first);
        let together = if matches!(first, ReportItem::Match(_)) {
            rest.iter().take_while(alike).count()
        } else {
            1
        };
        let (these, others) = rest.split_at(together);
        rest = others;
        match first {
            ReportItem::Match(_) => matches(&mut page, these)?,
            ReportItem::Tournament(result) => tournament(&mut page, result)?,
            ReportItem::Regret(report) => regret(&mut page, report)?,
            ReportItem::Other(section) => section.append_to(&mut page)?,
            ReportItem::Curve(chart) => page.push(
                "Training",
                vec![Block::chart(line_chart(chart)?, chart.title.clone())],
            ),
        }
    }
    Ok(page)
}

fn matches(page: &mut Page, items: &[ReportItem]) -> Result<()> {
    let matches: Vec<ReportMatch> = items
        .iter()
        .filter_map(|item| match item {
            ReportItem::Match(result) => Some(ReportMatch {
                condition: String::new(),
                result: (**result).clone(),
            }),
            _ => None,
        })
        .collect();
    page.summary.extend(matches.iter().map(summary_sentence));
    let mut blocks = match_blocks(&matches)?;
    for ReportMatch { result, .. } in &matches {
        let name = format!("{} – {}", result.a, result.b);
        if let Some(luck) = &result.luck {
            let factor = luck.games_factor.map_or(String::new(), |factor| {
                format!(", as precise as {factor:.1} times the games")
            });
            let points = result.points.as_ref().filter(|_| result.seats.is_none());
            let score = match points {
                None => percent(luck.score, luck.interval.half_width()),
                // Their text has the luck-adjusted mean.
                Some(points) => points.to_string(),
            };
            blocks.push(Block::Text(format!(
                "{name}, without luck as told by {}: {score}{factor}.",
                luck.evaluator
            )));
        }
        for (player, forfeits) in [&result.a, &result.b].into_iter().zip(&result.forfeits) {
            for (reason, games) in forfeits {
                blocks.push(Block::Text(format!(
                    "{player} lost {games} games because it failed: {reason}."
                )));
            }
        }
    }
    page.push("Matches", blocks);
    Ok(())
}

fn tournament(page: &mut Page, result: &TournamentResult) -> Result<()> {
    let ranking = result.ranking();
    let unit = result.points.first().map(|points| points.unit.as_str());
    let mut text_table = TextTable::new(["", "player", "Elo", "±", unit.unwrap_or("win %"), "± "]);
    let mut rows = Vec::new();
    for (rank, &player) in ranking.iter().enumerate() {
        let (rating, score) = (result.ratings.get(player), result.mean_score(player));
        let score = match result.points.get(player) {
            None => [
                Cell::percent(score.map(|score| score.score)),
                Cell::percent(score.map(|score| score.interval.half_width())),
            ],
            Some(points) => {
                [points.mean, points.interval.half_width()].map(|number| Cell::Number(number, 3))
            }
        };
        let [score, half_width] = score;
        text_table.push(vec![
            Cell::Count(rank as u64 + 1),
            result.names[player].as_str().into(),
            Cell::number(rating.map(|rating| rating.elo), 1),
            Cell::number(rating.map(|rating| rating.interval.half_width()), 1),
            score,
            half_width,
        ]);
        rows.extend(rating.map(|rating| Row {
            label: result.names[player].clone(),
            value: rating.elo,
            interval: rating.interval,
        }));
    }
    let cell = |&row: &usize, &column: &usize| match unit {
        None => result
            .score_against(row, column)
            .map(|score| 100.0 * score.score),
        Some(_) => Some(result.points_against(row, column)?.mean),
    };
    let values = ranking.iter();
    let values = values.flat_map(|row| ranking.iter().map(move |column| cell(row, column)));
    let values: Vec<Option<f64>> = values.collect();
    let max = values
        .iter()
        .flatten()
        .fold(f64::EPSILON, |max, value| value.abs().max(max));
    let (title, middle, span, decimals) = match unit {
        None => ("Games won against each other, %".to_owned(), 50.0, 30.0, 1),
        Some(unit) => (
            format!("Mean {unit} a game against each other"),
            0.0,
            max,
            2,
        ),
    };
    let map = HeatMap {
        title,
        rows: (1..)
            .zip(&ranking)
            .map(|(rank, &player)| format!("{rank}  {}", result.names[player]))
            .collect(),
        columns: (1..=ranking.len()).map(|rank| rank.to_string()).collect(),
        values,
        middle,
        span,
        decimals,
    };
    if let (Some(&first), Some(games)) = (
        ranking.first(),
        result.matches.first().map(|result| result.games),
    ) {
        let words = format!(" comes first of {}; {games} games a match.", ranking.len());
        page.summary
            .push(vec![(result.names[first].clone(), true), (words, false)]);
    }
    let (about, above) = match unit {
        None => ("Shares of games won, row against column", "more than half"),
        Some(_) => ("Mean points a game, row against column", "above zero"),
    };
    let mut blocks: Vec<Block> = warning_of_repeats(&result.matches)
        .into_iter()
        .map(Block::Text)
        .collect();
    blocks.extend([
            Block::Table(text_table),
            Block::chart(
                interval_chart("Ratings (Bradley–Terry)", "Elo, mean 0; 95 % intervals", &rows, 1)?,
                "Ratings with their 95 % intervals",
            ),
            Block::chart(heat_map(&map)?, about),
            Block::Note(format!(
                "Row against column; blue: {above}. Matches share their dice; intervals take them as independent."
            )),
        ]);
    page.push("Tournament", blocks);
    Ok(())
}

fn regret(page: &mut Page, report: &Report) -> Result<()> {
    let mut blocks = vec![
        Block::Text(format!(
            "{} positions, from {}. Truth: {}.",
            report.positions, report.from, report.truth
        )),
        Block::Table(report.text_table()),
    ];
    let row = |measured: &ContestantReport| {
        let regret = measured.figures.regret;
        Row {
            label: measured.name.clone(),
            value: regret.value,
            interval: regret.interval(),
        }
    };
    let rows: Vec<Row> = report.contestants.iter().map(row).collect();
    let chart = interval_chart(
        "Regret",
        "win probability given away per decision; 95 % intervals",
        &rows,
        5,
    )?;
    blocks.push(Block::chart(chart, "Mean regret with 95 % intervals"));
    blocks.push(Block::Text("By stones (of suites: all stones; else those of the side to move against those of the other):".to_owned()));
    blocks.push(Block::Table(report.regret_by_class()));
    if report.calibration().is_some() {
        blocks.push(Block::chart(
            report.chart_svg()?,
            "Predicted against exact win probability",
        ));
    }
    page.push("Regret", blocks);
    Ok(())
}
