//! Depth against time: a search at depth 1, 2, …, on the suite and in complete games against
//! itself.
//!
//! The published agent's seconds per complete game stand beside ours. Games are those of
//! [`engine::play::game_loop::play_game`]: each move is searched after its roll. The same set-ups and dice
//! serve every depth.

use super::{
    Report, SearchBenchError, Settings, Study,
    compare::{lines, phase_names},
    cost::Compared,
    filled,
    measure::{PlayerCosts, measure_suite, recipes},
    presets,
};
use crate::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use crate::sheet::{Cell, Sheet};
use crate::studies::suite::Phase;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::games::einstein::{BLUE, RED, Standard, dice::DiceStream};
use engine::play::{build::PlayerRecipe, game_loop::play_game};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::{Duration, Instant};

/// No further game of a depth begins once its games have taken so long.
const GAMES_TIME: Duration = Duration::from_secs(3);

/// One search at one depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtDepth {
    /// The depth in plies, the root move included.
    pub depth: u32,
    /// The suite.
    pub costs: PlayerCosts,
    /// Complete games played.
    pub games: u32,
    /// Seconds of one of them.
    pub seconds_a_game: f64,
    /// Seconds of the published agent at the same depth, if it was measured there.
    pub published_seconds_a_game: Option<f64>,
}

/// Measures the players of the settings, or those of [`presets::DEPTH`], at depths from 1 to the
/// largest of the settings.
///
/// # Errors
/// If a player has no place for the depth, cannot be read or gives no value.
pub fn run(settings: &Settings, progress: &ProgressBar) -> Result<Report, SearchBenchError> {
    let templates = if settings.players.is_empty() {
        presets::DEPTH.map(str::to_owned).to_vec()
    } else {
        settings.players.clone()
    };
    let depths = 1..=settings.max_depth.max(1);
    // Everything is read before anything is measured.
    let mut planned = Vec::new();
    for template in &templates {
        let at = |depth| {
            filled(
                Study::Depth,
                template,
                "{depth}",
                u64::from(depth),
                presets::DEPTH[0],
            )
        };
        planned.push(recipes(
            &depths.clone().map(at).collect::<Result<Vec<_>, _>>()?,
        )?);
    }
    progress.set_length(
        (templates.len() * depths.clone().count() * settings.suite.positions.len()) as u64,
    );
    let mut searches = Vec::new();
    for recipes in &planned {
        let measure = |(depth, recipe)| at_depth(depth, recipe, settings, progress);
        searches.push(
            depths
                .clone()
                .zip(recipes)
                .map(measure)
                .collect::<Result<Vec<_>, _>>()?,
        );
    }
    let mut text = format!(
        "{}; nodes, leaves and ms are means a position; growth is the time over that of the depth before",
        settings.suite.summary()
    );
    let phases = settings.suite.phases();
    for (template, found) in templates.iter().zip(&searches) {
        text += &format!(
            "\n\n{template}\n{}\n{}",
            positions_sheet(found, &phases).text(),
            games_sheet(found).text().trim_end()
        );
    }
    text += "\n\npublished: a Star1 agent in C++, one game at a time; it counts plies below the move, so its depth d is d + 1 here";
    Ok(Report {
        text,
        csv: Sheet::of(&exact(&searches, &phases))?.csv(),
        json: json!({
            "study": Study::Depth.name(),
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "searches": templates.iter().zip(&searches).map(|(template, found)| {
                Ok(json!({ "player": template, "depths": serde_json::to_value(found)? }))
            }).collect::<Result<Vec<_>, serde_json::Error>>()?,
        }),
        svg: chart(&templates, &searches, &phases)?,
    })
}

fn at_depth(
    depth: u32,
    recipe: &PlayerRecipe<Standard>,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<AtDepth, SearchBenchError> {
    let costs = measure_suite(recipe, &settings.suite, settings, false, progress)?;
    let (games, seconds_a_game) = time_games(recipe, settings.seed, settings.games, GAMES_TIME);
    let published_seconds_a_game = presets::PUBLISHED_GAME_SECONDS
        .get(depth as usize - 1)
        .copied();
    Ok(AtDepth {
        depth,
        costs,
        games,
        seconds_a_game,
        published_seconds_a_game,
    })
}

/// Plays complete games of a player against itself, at least one and at most `most`, until `time`
/// has passed: how many, and seconds a game.
fn time_games(recipe: &PlayerRecipe<Standard>, seed: u64, most: u32, time: Duration) -> (u32, f64) {
    let game = Standard::default();
    let (mut red, mut blue) = (recipe.make(), recipe.make());
    let mut spent = Duration::ZERO;
    let mut games = 0;
    while games < most.max(1) && (games == 0 || spent < time) {
        let game_seed = derive_seed(seed, SeedSpace::Arena, &[u64::from(games)]);
        let first = if games.is_multiple_of(2) { RED } else { BLUE };
        let start = game.random_start(
            &mut RandomStream::new(derive_seed(game_seed, SeedSpace::Arena, &[0])),
            first,
        );
        let mut dice = DiceStream::new(derive_seed(game_seed, SeedSpace::Arena, &[1]), game.die());
        red.new_game(derive_seed(game_seed, SeedSpace::Player, &[0]));
        blue.new_game(derive_seed(game_seed, SeedSpace::Player, &[1]));
        let began = Instant::now();
        play_game(
            &game,
            start,
            &mut [red.as_mut(), blue.as_mut()],
            &mut dice,
            None,
            None,
        );
        spent += began.elapsed();
        games += 1;
    }
    (games, spent.as_secs_f64() / f64::from(games))
}

/// Nodes, leaves and time by phase.
fn positions_sheet(found: &[AtDepth], phases: &[Phase]) -> Sheet {
    let names = phase_names(phases);
    let mut sheet = Sheet::new(["depth"]);
    for name in &names {
        sheet.columns.extend([
            format!("{name} nodes"),
            "leaves".to_owned(),
            "ms".to_owned(),
        ]);
    }
    sheet.columns.push("growth".to_owned());
    let mut before: Option<f64> = None;
    for at in found {
        let mut row: Vec<Cell> = vec![u64::from(at.depth).into()];
        for name in &names {
            let cost = at.costs.total(name.parse().ok());
            let mean = |count: u64| Cell::Number(count as f64 / cost.positions as f64, 0);
            row.extend([
                mean(cost.nodes),
                mean(cost.leaves),
                Cell::Number(cost.milliseconds(), 3),
            ]);
        }
        let milliseconds = at.costs.total(None).milliseconds();
        row.push(Cell::number(before.map(|before| milliseconds / before), 1));
        before = Some(milliseconds);
        sheet.push(row);
    }
    sheet
}

/// Seconds per complete game beside the published ones.
fn games_sheet(found: &[AtDepth]) -> Sheet {
    let mut sheet = Sheet::new([
        "depth",
        "games",
        "seconds a game",
        "published depth",
        "published seconds",
        "times faster",
    ]);
    for at in found {
        let published = at.published_seconds_a_game;
        // The published times have two decimals: one of 0.00 says nothing about speed.
        let faster = published
            .filter(|seconds| *seconds > 0.0)
            .map(|seconds| seconds / at.seconds_a_game);
        sheet.push(vec![
            u64::from(at.depth).into(),
            u64::from(at.games).into(),
            Cell::Number(at.seconds_a_game, 6),
            published.map_or(Cell::Missing, |_| Cell::Count(u64::from(at.depth) - 1)),
            Cell::number(published, 2),
            Cell::number(faster, 1),
        ]);
    }
    sheet
}

/// What a search cost in a phase at a depth, as a row of the table with all digits.
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
fn exact(searches: &[Vec<AtDepth>], phases: &[Phase]) -> Vec<Exact> {
    let row = |found: &[AtDepth], at: &AtDepth, compared: Compared| {
        let baseline = found
            .first()
            .map(|first| first.costs.total(compared.phase.parse().ok()))
            .unwrap_or_default();
        Exact {
            depth: at.depth,
            games: at.games,
            seconds_a_game: at.seconds_a_game,
            published_seconds_a_game: at.published_seconds_a_game,
            compared: Compared {
                ratios: compared.cost.ratios(&baseline),
                ..compared
            },
        }
    };
    let of_depth = |found: &[AtDepth], at: &AtDepth| -> Vec<Exact> {
        lines(std::slice::from_ref(&at.costs), phases)
            .into_iter()
            .map(|compared| row(found, at, compared))
            .collect()
    };
    searches
        .iter()
        .flat_map(|found| found.iter().flat_map(|at| of_depth(found, at)))
        .collect()
}

/// Milliseconds a position by depth, a curve for each search and phase.
fn chart(
    templates: &[String],
    searches: &[Vec<AtDepth>],
    phases: &[Phase],
) -> Result<String, SearchBenchError> {
    let mut curves = Vec::new();
    for (template, found) in templates.iter().zip(searches) {
        for name in phase_names(phases) {
            let point = |at: &AtDepth| {
                (
                    f64::from(at.depth),
                    at.costs.total(name.parse().ok()).milliseconds(),
                )
            };
            curves.push(Curve {
                name: format!("{name}, {template}"),
                points: found.iter().map(point).collect(),
            });
        }
    }
    let chart = LineChart {
        title: "Depth against time".to_owned(),
        x_label: "depth in plies".to_owned(),
        y_label: "ms a position".to_owned(),
        curves,
    };
    Ok(scaled_chart(
        &chart,
        &Scale::Linear,
        &Scale::Logarithmic(10),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_searches_cost_more_and_stand_beside_the_published_times() {
        let settings = Settings {
            max_depth: 3,
            ..Settings::for_tests()
        };
        let report = run(&settings, &ProgressBar::hidden()).unwrap();
        let found: Vec<AtDepth> =
            serde_json::from_value(report.json["searches"][0]["depths"].clone()).unwrap();
        assert_eq!(
            found.iter().map(|at| at.depth).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        let nodes: Vec<u64> = found.iter().map(|at| at.costs.total(None).nodes).collect();
        assert!(nodes.is_sorted_by(|one, next| 2 * one < *next), "{nodes:?}");
        assert_eq!(
            found
                .iter()
                .map(|at| at.published_seconds_a_game)
                .collect::<Vec<_>>(),
            [Some(0.0), Some(0.01), Some(0.05)]
        );
        assert!(
            found
                .iter()
                .all(|at| at.games == 2 && at.seconds_a_game > 0.0)
        );
        assert_eq!(report.csv.lines().count(), 1 + 2 * 3 * 4);
        assert!(
            report.text.contains("times faster") && report.text.contains("opening nodes"),
            "{}",
            report.text
        );
        assert!(report.svg.contains("depth in plies"));
    }

    #[test]
    fn a_depth_of_one_visits_each_distinct_move() {
        let players = vec!["star1(depth={depth}, eval=race, table=0)".to_owned()];
        let settings = Settings {
            max_depth: 1,
            games: 1,
            players,
            ..Settings::for_tests()
        };
        let report = run(&settings, &ProgressBar::hidden()).unwrap();
        let found: Vec<AtDepth> =
            serde_json::from_value(report.json["searches"][0]["depths"].clone()).unwrap();
        let game = Standard::default();
        let moves = |position: &engine::games::einstein::Position| {
            let mut moves = Default::default();
            engine::core::game::Game::moves(&game, position, &mut moves);
            moves.len() as u64
        };
        let expected: Vec<u64> = settings
            .suite
            .positions
            .iter()
            .map(|entry| moves(&entry.position))
            .collect();
        assert_eq!(
            found[0]
                .costs
                .positions
                .iter()
                .map(|position| position.cost.nodes)
                .collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn games_stop_when_their_time_is_up() {
        let recipe = &recipes(&["star1(depth=2)".to_owned()]).unwrap()[0];
        assert_eq!(time_games(recipe, 1, 50, Duration::ZERO).0, 1);
        assert_eq!(time_games(recipe, 1, 5, Duration::from_secs(60)).0, 5);
    }
}
