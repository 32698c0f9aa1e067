//! HTML page of a league's standings.

use super::{crosstable, problem_lines, standings, status_sentence};
use anyhow::Result;
use arena::document::{Block, Page};
use arena::league::LeagueResult;
use arena::plot::{
    Curve, LineChart,
    scaled_charts::{ErrorBar, Scale, error_bar_chart},
};
use arena::statistics::Interval;

const RATINGS_NOTE: &str = "Ratings are those of the model of Bradley and Terry, about a mean of 0. Neighbours of different groups are more than two standard errors of their difference apart.";

pub(super) fn page(result: &LeagueResult) -> Result<Page> {
    let mut page = Page {
        title: format!("League of {}, seed {}", result.game, result.seed),
        summary: vec![vec![(status_sentence(result) + ".", false)]],
        sections: Vec::new(),
    };
    let mut blocks = Vec::new();
    if result.standings.iter().any(|one| one.elo.is_some()) {
        blocks.push(Block::chart(ratings_chart(result)?, "Ratings"));
    }
    blocks.push(Block::Table(standings(result)));
    blocks.push(Block::Note(RATINGS_NOTE.to_owned()));
    page.push("Standings", blocks);
    let note = "Points of the row against the column, in the order of the standings.";
    page.push(
        "Crosstable",
        vec![
            Block::Table(crosstable(result)),
            Block::Note(note.to_owned()),
        ],
    );
    let rated = |(_, elo): &&(u64, Vec<Option<f64>>)| elo.iter().any(Option::is_some);
    if result.history.iter().filter(rated).count() > 1 {
        page.push(
            "History",
            vec![Block::chart(history(result)?, "Ratings so far")],
        );
    }
    let players = result.standings.iter();
    let players = players.map(|one| format!("{}: {}", one.name, one.player));
    page.push("Entrants", vec![Block::List(players.collect())]);
    let troubles = problem_lines(result);
    if !troubles.is_empty() {
        page.push("Troubles", vec![Block::List(troubles)]);
    }
    Ok(page)
}

fn ratings_chart(result: &LeagueResult) -> Result<String> {
    let (mut names, mut bars) = (Vec::new(), Vec::new());
    for one in &result.standings {
        let (Some(elo), Some(interval)) = (one.elo, one.interval) else {
            continue;
        };
        let x = names.len() as f64;
        names.push(one.name.clone());
        // Points alone: a line would join different players.
        bars.extend(
            [interval, Interval::from_center(elo, 0.0)].map(|interval| ErrorBar {
                curve: 0,
                x,
                interval,
            }),
        );
    }
    let curves = [Curve::new("rating and 95 % interval", [])];
    let chart = LineChart::new("Ratings", ["", "Elo"], curves);
    let names = Scale::Categories(names);
    Ok(error_bar_chart(&chart, &bars, &names, &Scale::Linear)?)
}

fn history(result: &LeagueResult) -> Result<String> {
    let names = result.standings.iter().map(|one| &one.name);
    let curves = names.enumerate().map(|(index, name)| {
        let point = |(games, elo): &(u64, Vec<Option<f64>>)| Some((*games as f64, elo[index]?));
        Curve::new(name, result.history.iter().filter_map(point))
    });
    let chart = LineChart::new("Ratings so far", ["games", "Elo"], curves);
    Ok(error_bar_chart(
        &chart,
        &[],
        &Scale::Linear,
        &Scale::Linear,
    )?)
}
