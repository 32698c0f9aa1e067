//! What a page says of each kind of result.

use super::Found;
use crate::arena::{
    report::{ReportMatch, arena, percent, summary_sentence},
    tournament::TournamentResult,
};
use crate::error::Result;
use crate::page::{Block, Page};
use crate::plot::{
    Curve, LineChart,
    heat_map::{HeatMap, heat_map},
    intervals::{Row, intervals},
    line_chart,
    scaled::scatter,
};
use crate::sheet::{Cell, Sheet};
use crate::statistics::{Interval, QUANTILE_95};
use crate::studies::{
    opening::OpeningValue,
    regret::report::{Measured, Report},
    reproduce::Reproduction,
    setup_study::{
        StudyResult, draw,
        result::{SetupRate, order},
    },
    strength::{self, Front},
};

/// Set-ups that are drawn as the best and as the worst.
const DRAWN: usize = 16;

pub(super) fn page(title: &str, found: &[Found]) -> Result<Page> {
    let mut page = Page {
        title: title.to_owned(),
        ..Page::default()
    };
    let mut rest = found;
    while let Some(first) = rest.first() {
        let alike =
            |other: &&Found| std::mem::discriminant(*other) == std::mem::discriminant(first);
        // Matches, and players of the opening study, that follow each other are one table.
        let together = if matches!(first, Found::Match(_) | Found::Opening(_)) {
            rest.iter().take_while(alike).count()
        } else {
            1
        };
        let (these, others) = rest.split_at(together);
        rest = others;
        match first {
            Found::Match(_) => matches(&mut page, these)?,
            Found::Opening(_) => opening(&mut page, these)?,
            Found::Tournament(result) => tournament(&mut page, result)?,
            Found::Regret(report) => regret(&mut page, report)?,
            Found::Setups(result) => setups(&mut page, result)?,
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

fn opening(page: &mut Page, found: &[Found]) -> Result<()> {
    let values: Vec<&OpeningValue> = found
        .iter()
        .filter_map(|found| match found {
            Found::Opening(value) => Some(value),
            _ => None,
        })
        .collect();
    let cells = |value: &&OpeningValue| {
        vec![
            value.player.as_str().into(),
            Cell::Percent(value.score),
            Cell::Percent(value.interval.half_width()),
            Cell::Number(value.mean_plies, 2),
            value.games.into(),
        ]
    };
    let columns = ["player", "first mover wins %", "±", "plies", "games"];
    let sheet = Sheet::filled(columns, values.iter().map(cells));
    let row = |value: &&OpeningValue| Row {
        label: value.player.clone(),
        value: 100.0 * value.score,
        interval: value.interval.map(|share| 100.0 * share),
    };
    let rows: Vec<Row> = values.iter().map(row).collect();
    let chart = intervals(
        "What beginning is worth",
        "games won by who began, %",
        &rows,
        2,
    )?;
    page.push(
        "The first move",
        vec![
            Block::Table(sheet),
            Block::chart(chart, "Shares of games won by who began"),
        ],
    );
    Ok(())
}

fn tournament(page: &mut Page, result: &TournamentResult) -> Result<()> {
    let ranking = result.ranking();
    let mut sheet = Sheet::new(["", "player", "Elo", "±", "win %", "± "]);
    let mut rows = Vec::new();
    for (place, &player) in ranking.iter().enumerate() {
        let (rating, share) = (result.ratings.get(player), result.mean_share(player));
        sheet.push(vec![
            Cell::Count(place as u64 + 1),
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
        rows: ranking
            .iter()
            .enumerate()
            .map(|(place, &player)| format!("{}  {}", place + 1, result.names[player]))
            .collect(),
        columns: (1..=ranking.len()).map(|place| place.to_string()).collect(),
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
    page.push(
        "Tournament",
        vec![
            Block::Table(sheet),
            Block::chart(
                intervals("Ratings (Bradley–Terry)", "Elo, mean 0; 95 % intervals", &rows, 1)?,
                "Ratings with their 95 % intervals",
            ),
            Block::chart(heat_map(&map)?, "Shares of games won, row against column"),
            Block::Note(
                "Row against column; blue: more than half. Matches share their dice; intervals take them as independent.".to_owned(),
            ),
        ],
    );
    Ok(())
}

fn regret(page: &mut Page, report: &Report) -> Result<()> {
    let mut blocks = vec![
        Block::Text(format!(
            "{} positions, from {}. Truth: {}.",
            report.positions, report.from, report.truth
        )),
        Block::Table(report.sheet()),
    ];
    let row = |measured: &Measured| {
        let regret = measured.figures.regret;
        Row {
            label: measured.name.clone(),
            value: regret.value,
            interval: Interval::around(regret.value, QUANTILE_95 * regret.error),
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

fn setups(page: &mut Page, result: &StudyResult) -> Result<()> {
    let mut blocks = vec![Block::Text(format!(
        "{} plays {} games: each set-up meets {} others, {} games each. Whoever begins wins {}. Good set-ups differ from each other by {:.2} points \
         (standard deviation, luck taken away).",
        result.player,
        result.games,
        result.opponents,
        result.games_per_pairing,
        percent(
            result.first_mover_share,
            result.first_mover_interval.half_width()
        ),
        100.0 * result.deviation
    ))];
    let svg = draw::svg(result, DRAWN);
    blocks.push(Block::chart(
        svg,
        "The sixteen best and the sixteen worst set-ups, as Red's",
    ));
    let rates = result
        .ranking
        .iter()
        .enumerate()
        .map(|(place, &setup)| (place as f64 + 1.0, 100.0 * result.setups[setup].class_score));
    let chart = LineChart::new(
        "Set-ups from best to worst",
        ["place", "games won by the class, %"],
        [Curve::new(&result.player, rates)],
    );
    blocks.push(Block::chart(
        line_chart(&chart)?,
        "Rates of all set-ups in order",
    ));
    blocks.push(Block::chart(
        heat_map(&where_stones_belong(result))?,
        "Mean rate of the set-ups with a stone on a square",
    ));
    if let Some(mix) = &result.mix {
        let mut setups: Vec<usize> = (0..mix.shares.len())
            .filter(|&setup| mix.shares[setup] > 0.0)
            .collect();
        setups.sort_by(|&one, &other| mix.shares[other].total_cmp(&mix.shares[one]));
        let row = |&setup: &usize| vec![order(setup).into(), Cell::Percent(mix.shares[setup])];
        let columns = ["set-up over a5 b5 c5 a4 b4 a3", "share %"];
        let sheet = Sheet::filled(columns, setups.iter().map(row));
        blocks.push(Block::Text(
            "The mix that nobody can exploit, as far as these games tell:".to_owned(),
        ));
        blocks.push(Block::Table(sheet));
    }
    page.push("Set-ups", blocks);
    Ok(())
}

/// The mean rate of all set-ups that have a stone on a square.
fn where_stones_belong(result: &StudyResult) -> HeatMap {
    const SQUARES: [&str; 6] = ["a5", "b5", "c5", "a4", "b4", "a3"];
    let mean = |stone: char, square: usize| {
        let has_stone = |rate: &&SetupRate| rate.order.chars().nth(square) == Some(stone);
        let (sum, count) = result
            .setups
            .iter()
            .filter(has_stone)
            .fold((0.0, 0.0), |(sum, count), rate| {
                (sum + rate.score, count + 1.0)
            });
        (count > 0.0).then(|| 100.0 * sum / count)
    };
    let values: Vec<Option<f64>> = ('1'..='6')
        .flat_map(|stone| (0..6).map(move |square| mean(stone, square)))
        .collect();
    let span = values
        .iter()
        .flatten()
        .map(|value| (value - 50.0).abs())
        .fold(0.5, f64::max);
    HeatMap {
        title: "Mean rate with a stone on a square (Red's), %".to_owned(),
        rows: (1..=6).map(|stone| format!("stone {stone}")).collect(),
        columns: SQUARES.map(str::to_owned).to_vec(),
        values,
        middle: 50.0,
        span,
        decimals: 1,
    }
}

fn reproduction(page: &mut Page, result: &Reproduction) -> Result<()> {
    let size = if result.full {
        "the published size"
    } else {
        "a quick size"
    };
    let mut blocks = vec![Block::Text(format!("{}; {size}.", result.source))];
    if let Some(details) = &result.details {
        blocks.push(Block::Code(details.trim_end().to_owned()));
    }
    for comparison in &result.comparisons {
        blocks.push(Block::Table(comparison.sheet()));
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
    let ends = rows
        .iter()
        .flat_map(|row| [row.0, row.1])
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
    let agree = Curve::new("the same", [(ends.0, ends.0), (ends.1, ends.1)]);
    let labels = ["published", "measured"].map(|what| format!("{what}, {unit}"));
    let chart = LineChart::new(title, labels.each_ref().map(String::as_str), [agree]);
    scatter(&chart, rows)
}

fn strength_front(page: &mut Page, front: &Front) -> Result<()> {
    page.push(
        format!("Strength against {}", front.against),
        vec![
            Block::Table(strength::sheet(front)),
            Block::chart(strength::chart(front)?, "Scores by the cost of a move"),
        ],
    );
    Ok(())
}
