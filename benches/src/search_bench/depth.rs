//! Depth against time: a search at depth 1, 2, …, on the suite and in complete games against
//! itself.
//!
//! The published agent's seconds per complete game stand beside ours. Games are those of
//! [`engine::play::game_loop::play_game`]: each move is searched after its roll. The same set-ups and dice
//! serve every depth.

use super::{
    Report, Settings, Study, chart,
    compare::parts,
    cost::Compared,
    fill_numbers,
    measure::{PlayerCosts, measure_suite},
    presets,
};
use crate::{Named, begin_game, play, published::star_depth, suite::Phase};
use arena::error::Result;
use arena::plot::{Curve, scaled::Scale};
use arena::text_table::{Cell, TextTable};
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::{json, to_value};
use std::time::{Duration, Instant};

/// No further game of a depth begins once its games have taken so long.
const GAMES_TIME: Duration = Duration::from_secs(3);

/// One search at one depth.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DepthCost {
    /// The depth in plies, the root move included.
    pub depth: u32,
    pub costs: PlayerCosts,
    pub games: u32,
    pub seconds_a_game: f64,
    /// Seconds of the published agent at the same depth, if it was measured there.
    pub published_seconds_a_game: Option<f64>,
}

type Parts = [(&'static str, Option<Phase>)];

/// A search at all depths.
pub(crate) struct Search {
    template: String,
    pub(crate) depths: Vec<DepthCost>,
}

/// Measures the players of the settings, or those of [`presets::DEPTH_STUDY_PLAYERS`], at depths from 1 to the
/// largest of the settings.
pub(crate) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Report> {
    let searches = measure(settings, progress)?;
    let mut text = format!(
        "{}; nodes, leaves and ms are means a position; growth is the time over that of the depth before",
        settings.suite.summary()
    );
    let parts = parts(&settings.suite.phases());
    for Search { template, depths } in &searches {
        text += &format!(
            "\n\n{template}\n{}\n{}",
            positions_table(depths, &parts).text(),
            games_table(depths).text().trim_end()
        );
    }
    text += "\n\npublished: a Star1 agent in C++, one game at a time; it counts plies below the move, so its depth d is d + 1 here";
    let as_json = |search: &Search| {
        Ok(json!({ "player": search.template, "depths": to_value(&search.depths)? }))
    };
    Ok(Report {
        text,
        csv: TextTable::of(&exact(&searches, &parts))?.csv(),
        json: json!({
            "study": Study::Depth.name(),
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "searches": searches.iter().map(as_json).collect::<Result<Vec<_>>>()?,
        }),
        svg: times(&searches, &parts)?,
    })
}

/// The measurements of [`run`].
pub(crate) fn measure(settings: &Settings, progress: &ProgressBar) -> Result<Vec<Search>> {
    let templates = settings.players_or(&presets::DEPTH_STUDY_PLAYERS);
    let depths = 1..=settings.max_depth.max(1);
    // Everything is read before anything is measured.
    let recipes = |template: &String| {
        let numbers = depths.clone().map(u64::from);
        let example = presets::DEPTH_STUDY_PLAYERS[0];
        fill_numbers(Study::Depth, template, "{depth}", numbers, example)
    };
    let planned = templates.iter().map(recipes).collect::<Result<Vec<_>>>()?;
    let published = star_depth()?;
    progress.set_length(
        (templates.len() * depths.clone().count() * settings.suite.positions.len()) as u64,
    );
    let at_depth = |(depth, recipe): (u32, &_)| {
        let costs = measure_suite(recipe, settings, false, progress)?;
        let (games, seconds_a_game) =
            time_games(recipe, settings.seed, settings.games, GAMES_TIME)?;
        // The published program counts the plies below the move.
        let published = published.get(depth as usize - 1);
        Ok(DepthCost {
            depth,
            costs,
            games,
            seconds_a_game,
            published_seconds_a_game: published.map(|line| line.seconds),
        })
    };
    let search = |(template, recipes): (String, &Vec<_>)| {
        let depths = depths
            .clone()
            .zip(recipes)
            .map(at_depth)
            .collect::<Result<_, _>>();
        depths.map(|depths| Search { template, depths })
    };
    templates.into_iter().zip(&planned).map(search).collect()
}

/// Plays complete games of a player against itself, at least one and at most `max_games`, until `time`
/// has passed: how many, and seconds a game.
fn time_games(
    recipe: &PlayerRecipe<Standard>,
    seed: u64,
    max_games: u32,
    time: Duration,
) -> Result<(u32, f64)> {
    let game = Standard::default();
    let mut players = [recipe.make(), recipe.make()];
    let mut spent = Duration::ZERO;
    let mut games = 0;
    while games < max_games.max(1) && (games == 0 || spent < time) {
        let (start, mut dice) = begin_game(&game, &mut players, seed, games.into());
        let began = Instant::now();
        play(&game, start, &mut players, &mut dice, None)?;
        spent += began.elapsed();
        games += 1;
    }
    Ok((games, spent.as_secs_f64() / f64::from(games)))
}

/// Nodes, leaves and time by phase.
fn positions_table(found: &[DepthCost], parts: &Parts) -> TextTable {
    let mut text_table = TextTable::new(["depth"]);
    for (name, _) in parts {
        let nodes = format!("{name} nodes");
        text_table
            .columns
            .extend([nodes, "leaves".to_owned(), "ms".to_owned()]);
    }
    text_table.columns.push("growth".to_owned());
    let mut before: Option<f64> = None;
    for at in found {
        let mut row: Vec<Cell> = vec![u64::from(at.depth).into()];
        for &(_, phase) in parts {
            let cost = at.costs.total_cost(phase);
            let mean = |count: u64| Cell::Number(count as f64 / cost.positions as f64, 0);
            row.extend([
                mean(cost.nodes),
                mean(cost.leaves),
                Cell::Number(cost.milliseconds(), 3),
            ]);
        }
        let milliseconds = at.costs.total_cost(None).milliseconds();
        row.push(Cell::number(before.map(|before| milliseconds / before), 1));
        before = Some(milliseconds);
        text_table.push(row);
    }
    text_table
}

/// Seconds per complete game beside the published ones.
fn games_table(found: &[DepthCost]) -> TextTable {
    let row = |at: &DepthCost| {
        let published = at.published_seconds_a_game;
        // The published times have two decimals, so 0.00 gives no speed.
        let faster = published
            .filter(|seconds| *seconds > 0.0)
            .map(|seconds| seconds / at.seconds_a_game);
        vec![
            u64::from(at.depth).into(),
            u64::from(at.games).into(),
            Cell::Number(at.seconds_a_game, 6),
            published.map_or(Cell::Missing, |_| Cell::Count(u64::from(at.depth) - 1)),
            Cell::number(published, 2),
            Cell::number(faster, 1),
        ]
    };
    TextTable::from_rows(
        [
            "depth",
            "games",
            "seconds a game",
            "published depth",
            "published seconds",
            "times faster",
        ],
        found.iter().map(row),
    )
}

/// The cost of a search in a phase at a depth, as a row of the table with all digits.
#[derive(Serialize)]
struct Exact {
    depth: u32,
    games: u32,
    seconds_a_game: f64,
    published_seconds_a_game: Option<f64>,
    #[serde(flatten)]
    compared: Compared,
}

/// The rows of all searches; a phase is compared with the same phase at depth 1.
fn exact(searches: &[Search], parts: &Parts) -> Vec<Exact> {
    let mut rows = Vec::new();
    for Search { depths, .. } in searches {
        for at in depths {
            let row = |&(name, phase): &(&str, Option<Phase>)| Exact {
                depth: at.depth,
                games: at.games,
                seconds_a_game: at.seconds_a_game,
                published_seconds_a_game: at.published_seconds_a_game,
                compared: Compared::new(&at.costs, name, phase, &depths[0].costs.total_cost(phase)),
            };
            rows.extend(parts.iter().map(row));
        }
    }
    rows
}

/// Milliseconds a position by depth, a curve for each search and phase.
fn times(searches: &[Search], parts: &Parts) -> Result<String> {
    let mut curves = Vec::new();
    for Search { template, depths } in searches {
        for &(name, phase) in parts {
            let milliseconds = |at: &DepthCost| at.costs.total_cost(phase).milliseconds();
            let points = depths
                .iter()
                .map(|at| (f64::from(at.depth), milliseconds(at)));
            curves.push(Curve::new(format!("{name}, {template}"), points));
        }
    }
    let labels = ["depth in plies", "ms a position"];
    chart("Depth against time", labels, curves, &Scale::Linear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_bench::measure::recipes;
    use engine::core::game::Game;
    use engine::games::einstein::MoveList;

    /// A study of players, and the costs of the first one at all depths.
    fn study(players: &[&str], max_depth: u32) -> (Report, Vec<DepthCost>) {
        let settings = Settings {
            max_depth,
            ..Settings::for_tests(players)
        };
        let report = run(&settings, &ProgressBar::hidden()).unwrap();
        let depths = report.json["searches"][0]["depths"].clone();
        (report, serde_json::from_value(depths).unwrap())
    }

    #[test]
    fn deeper_searches_cost_more_and_stand_beside_the_published_times() {
        let (report, found) = study(&[], 3);
        let depths: Vec<_> = found
            .iter()
            .map(|at| (at.depth, at.published_seconds_a_game))
            .collect();
        assert_eq!(depths, [(1, Some(0.0)), (2, Some(0.01)), (3, Some(0.05))]);
        let nodes: Vec<u64> = found
            .iter()
            .map(|at| at.costs.total_cost(None).nodes)
            .collect();
        assert!(nodes.is_sorted_by(|one, next| 2 * one < *next), "{nodes:?}");
        for at in &found {
            assert!(at.games == 2 && at.seconds_a_game > 0.0, "{at:?}");
        }
        assert_eq!(report.csv.lines().count(), 1 + 2 * 3 * 4);
        for part in ["times faster", "opening nodes"] {
            assert!(report.text.contains(part), "{}", report.text);
        }
        assert!(report.svg.contains("depth in plies"));
    }

    #[test]
    fn a_depth_of_one_visits_each_distinct_move() {
        let (_, found) = study(&["star1(depth={depth}, eval=race, table=0)"], 1);
        let positions = Settings::for_tests(&[]).suite.positions;
        assert_eq!(found[0].costs.positions.len(), positions.len());
        for (entry, found) in positions.iter().zip(&found[0].costs.positions) {
            let mut moves = MoveList::default();
            Standard::default().moves(&entry.position, &mut moves);
            assert_eq!(found.cost.nodes, moves.len() as u64, "{}", entry.text);
        }
    }

    #[test]
    fn games_stop_when_their_time_is_up() {
        let recipe = &recipes(["star1(depth=2)"]).unwrap()[0];
        for (max_games, seconds, expected) in [(50, 0, 1), (5, 60, 5)] {
            let (games, _) =
                time_games(recipe, 1, max_games, Duration::from_secs(seconds)).unwrap();
            assert_eq!(games, expected);
        }
    }
}
