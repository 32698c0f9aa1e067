//! What a page says of each kind of result.

use super::Found;
use crate::arena::{
    report::{ReportMatch, arena, percent, summary_sentence},
    tournament::TournamentResult,
    warning_of_repeats,
};
use crate::error::Result;
use crate::page::{Block, Page};
use crate::plot::{
    Curve, LineChart, Row,
    heat_map::{HeatMap, heat_map},
    intervals::intervals,
    line_chart, range,
    scaled::scatter,
};
use crate::statistics::Interval;
use crate::studies::{
    atlas::result::Atlas,
    regret::report::{Measured, Report},
    reproduce::Reproduction,
    strength::{self, Front},
};
use crate::text_table::{Cell, TextTable};

/// The page of all results, in their order; matches that follow each other are one table.
///
/// # Errors
/// If a plot cannot be drawn.
pub fn page(title: &str, found: &[Found]) -> Result<Page> {
    let mut page = Page {
        title: title.to_owned(),
        ..Page::default()
    };
    let mut rest = found;
    while let Some(first) = rest.first() {
        let alike =
            |other: &&Found| std::mem::discriminant(*other) == std::mem::discriminant(first);
        let together = if matches!(first, Found::Match(_)) {
            rest.iter().take_while(alike).count()
        } else {
            1
        };
        let (these, others) = rest.split_at(together);
        rest = others;
        match first {
            Found::Match(_) => matches(&mut page, these)?,
            Found::Tournament(result) => tournament(&mut page, result)?,
            Found::Regret(report) => regret(&mut page, report)?,
            Found::Atlas(result) => atlas(&mut page, result)?,
            Found::Reproduction(result) => reproduction(&mut page, result)?,
            Found::Strength(front) => strength_front(&mut page, front)?,
            Found::Curve(chart) => page.push(
                "Training",
                vec![Block::chart(line_chart(chart)?, chart.title.clone())],
            ),
        }
    }
    Ok(page)
}

fn matches(page: &mut Page, found: &[Found]) -> Result<()> {
    let matches: Vec<ReportMatch> = found
        .iter()
        .filter_map(|found| match found {
            Found::Match(result) => Some(ReportMatch {
                condition: String::new(),
                result: (**result).clone(),
            }),
            _ => None,
        })
        .collect();
    page.summary.extend(matches.iter().map(summary_sentence));
    let mut blocks = arena(&matches)?;
    for ReportMatch { result, .. } in &matches {
        let name = format!("{} – {}", result.a, result.b);
        if let Some(luck) = &result.luck {
            let factor = luck.games_factor.map_or(String::new(), |factor| {
                format!(", as precise as {factor:.1} times the games")
            });
            let score = percent(luck.score, luck.interval.half_width());
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
    let mut text_table = TextTable::new(["", "player", "Elo", "±", "win %", "± "]);
    let mut rows = Vec::new();
    for (rank, &player) in ranking.iter().enumerate() {
        let (rating, share) = (result.ratings.get(player), result.mean_share(player));
        text_table.push(vec![
            Cell::Count(rank as u64 + 1),
            result.names[player].as_str().into(),
            Cell::number(rating.map(|rating| rating.elo), 1),
            Cell::number(rating.map(|rating| rating.interval.half_width()), 1),
            Cell::percent(share.map(|share| share.score)),
            Cell::percent(share.map(|share| share.interval.half_width())),
        ]);
        rows.extend(rating.map(|rating| Row {
            label: result.names[player].clone(),
            value: rating.elo,
            interval: rating.interval,
        }));
    }
    let cell =
        |&row: &usize, &column: &usize| result.share(row, column).map(|share| 100.0 * share.score);
    let map = HeatMap {
        title: "Games won against each other, %".to_owned(),
        rows: (1..)
            .zip(&ranking)
            .map(|(rank, &player)| format!("{rank}  {}", result.names[player]))
            .collect(),
        columns: (1..=ranking.len()).map(|rank| rank.to_string()).collect(),
        values: ranking
            .iter()
            .flat_map(|row| ranking.iter().map(move |column| cell(row, column)))
            .collect(),
        middle: 50.0,
        span: 30.0,
        decimals: 1,
    };
    if let (Some(&first), Some(games)) = (
        ranking.first(),
        result.matches.first().map(|found| found.games),
    ) {
        let words = format!(" comes first of {}; {games} games a match.", ranking.len());
        page.summary
            .push(vec![(result.names[first].clone(), true), (words, false)]);
    }
    let mut blocks: Vec<Block> = warning_of_repeats(&result.matches)
        .into_iter()
        .map(Block::Text)
        .collect();
    blocks.extend([
            Block::Table(text_table),
            Block::chart(
                intervals("Ratings (Bradley–Terry)", "Elo, mean 0; 95 % intervals", &rows, 1)?,
                "Ratings with their 95 % intervals",
            ),
            Block::chart(heat_map(&map)?, "Shares of games won, row against column"),
            Block::Note(
                "Row against column; blue: more than half. Matches share their dice; intervals take them as independent.".to_owned(),
            ),
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
    let row = |measured: &Measured| {
        let regret = measured.figures.regret;
        Row {
            label: measured.name.clone(),
            value: regret.value,
            interval: regret.interval(),
        }
    };
    let rows: Vec<Row> = report.contestants.iter().map(row).collect();
    let chart = intervals(
        "Regret",
        "win probability given away per decision; 95 % intervals",
        &rows,
        5,
    )?;
    blocks.push(Block::chart(chart, "Mean regret with 95 % intervals"));
    blocks.push(Block::Text("By stones (of suites: all stones; else those of the side to move against those of the other):".to_owned()));
    blocks.push(Block::Table(report.class_table()));
    if report.calibration().is_some() {
        blocks.push(Block::chart(
            report.svg()?,
            "Predicted against exact win probability",
        ));
    }
    page.push("Regret", blocks);
    Ok(())
}

fn atlas(page: &mut Page, result: &Atlas) -> Result<()> {
    let map = result.where_stones_belong()?;
    let map = Block::chart(map, "Mean rate of the set-ups with a stone on a square");
    page.push("Set-ups", vec![Block::Code(result.text()), map]);
    Ok(())
}

fn reproduction(page: &mut Page, result: &Reproduction) -> Result<()> {
    let mut blocks = vec![Block::Text(result.heading() + ".")];
    if let Some(details) = &result.details {
        blocks.push(Block::Code(details.trim_end().to_owned()));
    }
    for comparison in &result.comparisons {
        blocks.push(Block::Table(comparison.text_table()));
        blocks.extend(comparison.summary().map(Block::Note));
        let rows: Vec<(f64, f64, Option<Interval>)> = comparison
            .figures
            .iter()
            .filter_map(|figure| Some((figure.published?, figure.measured, figure.interval)))
            .collect();
        if rows.len() > 2 {
            blocks.push(Block::chart(
                against_published(&comparison.title, &comparison.unit, &rows)?,
                format!("{}: measured against published", comparison.title),
            ));
        }
    }
    for claim in &result.claims {
        blocks.push(Block::Text(format!(
            "Published: {} Measured: {}",
            claim.published, claim.measured
        )));
    }
    if !result.assumptions.is_empty() {
        blocks.push(Block::Text(
            "Left open by the report, and assumed here:".to_owned(),
        ));
        blocks.push(Block::List(result.assumptions.clone()));
    }
    page.push(format!("Published and measured: {}", result.target), blocks);
    Ok(())
}

/// Measured figures over published ones, and the line on which they would agree.
fn against_published(
    title: &str,
    unit: &str,
    rows: &[(f64, f64, Option<Interval>)],
) -> Result<String> {
    let (low, high) = range(rows.iter().flat_map(|row| [row.0, row.1]));
    let agree = Curve::new("the same", [(low, low), (high, high)]);
    let labels = ["published", "measured"].map(|what| format!("{what}, {unit}"));
    let chart = LineChart::new(title, labels.each_ref().map(String::as_str), [agree]);
    scatter(&chart, rows)
}

fn strength_front(page: &mut Page, front: &Front) -> Result<()> {
    page.push(
        format!("Strength against {}", front.against),
        vec![
            Block::Table(strength::text_table(front)),
            Block::chart(strength::chart(front)?, "Scores by the cost of a move"),
        ],
    );
    Ok(())
}
