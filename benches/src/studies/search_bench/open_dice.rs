//! Plain minimax against alpha-beta: nodes, leaves, speed and share of time in leaves.
//!
//! On two games: EinStein with all rolls known beforehand, and the tree of [`super::edge_tree`],
//! which has no chance at all and the same number of moves everywhere. There alpha-beta is Star1
//! without chance, which is textbook alpha-beta but for the last ply: one ply above the leaves it
//! values all moves.

use super::cost::{Compared, Cost, shown};
use super::edge_tree::{BRANCHING, EdgePosition, EdgeSum, EdgeTree, MoveOrder};
use super::measure::{PlayerCosts, largest_disagreement, measure_position, measure_suite, recipes};
use super::{Report, SearchBenchError, Settings, Study, presets};
use crate::plot::scaled::{Scale, scaled_chart};
use crate::plot::{Curve, LineChart};
use crate::sheet::Sheet;
use clocked::{ClockedEvaluator, ClockedPlayer};
use engine::core::evaluator::Evaluator;
use engine::core::random::{SeedSpace, derive_seed};
use engine::play::player::Player;
use engine::play::searching::SearchPlayer;
use engine::search::Search;
use engine::search::deepening::{Deepening, DeepeningSearch};
use engine::search::expectiminimax::{Expectiminimax, Form};
use engine::search::limits::Limits;
use engine::search::ordering::Ordering;
use engine::search::star::{Cuts, StarOptions};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

mod clocked;

/// What is searched how deep.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Searches of EinStein: name and notation with `{depth}` and `{seed}`; the first is the
    /// baseline.
    pub einstein: Vec<(&'static str, &'static str)>,
    /// Depths on EinStein.
    pub einstein_depths: Vec<u32>,
    /// Depths on the tree.
    pub tree_depths: Vec<u32>,
    /// How many trees.
    pub trees: u64,
}

impl Plan {
    /// That of [`presets`].
    #[must_use]
    pub fn preset() -> Self {
        Self {
            einstein: presets::OPEN_DICE.to_vec(),
            einstein_depths: presets::OPEN_DICE_DEPTHS.to_vec(),
            tree_depths: presets::EDGE_TREE_DEPTHS.to_vec(),
            trees: presets::EDGE_TREES,
        }
    }
}

/// One search of one game at one depth.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    game: &'static str,
    depth: u32,
    #[serde(flatten)]
    line: Compared,
}

const EINSTEIN: &str = "EinStein, dice known";
const TREE: &str = "tree of edge values";

/// Searches of the tree: the reference, and alpha-beta with moves in either order.
const TREE_SEARCHES: [&str; 3] = [
    "minimax",
    "alpha-beta, any order",
    "alpha-beta, largest edge first",
];

/// Compares the searches of a plan.
///
/// # Errors
/// If a search cannot be read or gives no value.
pub fn run(
    plan: &Plan,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Report, SearchBenchError> {
    let positions =
        settings.suite.positions.len() * plan.einstein.len() * plan.einstein_depths.len();
    progress.set_length(
        (positions + plan.trees as usize * TREE_SEARCHES.len() * plan.tree_depths.len()) as u64,
    );
    let (mut measured, on_einstein) = einstein(plan, settings, progress)?;
    let (of_tree, on_tree) = tree(plan, settings, progress);
    measured.extend(of_tree);
    let mut text = format!(
        "{}, and {} trees with {BRANCHING} moves everywhere; nodes, leaves and ms are means; × compares with minimax",
        settings.suite.summary(),
        plan.trees
    );
    for (game, depths) in [(EINSTEIN, &plan.einstein_depths), (TREE, &plan.tree_depths)] {
        text += &format!("\n\n{game}");
        for depth in depths {
            let lines: Vec<&Compared> = measured
                .iter()
                .filter(|one| one.game == game && one.depth == *depth)
                .map(|one| &one.line)
                .collect();
            text += &format!("\n{}", shown(&format!("depth {depth}"), &lines).text());
            if game == TREE {
                text += &format!("least leaves possible: {}\n", least_leaves(*depth));
            }
        }
        text = text.trim_end().to_owned();
    }
    text += &format!(
        "\n\nvalues of a position differ by at most {:.1e} between searches of the same depth",
        on_einstein.max(on_tree)
    );
    Ok(Report {
        text,
        csv: Sheet::of(&measured)?.csv(),
        json: json!({
            "study": Study::OpenDice.name(),
            "suite": settings.suite.name,
            "trees": plan.trees,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "largest_disagreement": on_einstein.max(on_tree),
            "searches": serde_json::to_value(&measured)?,
        }),
        svg: chart(&measured)?,
    })
}

/// Leaves that any search of a uniform tree must see to be sure of its value (Knuth and Moore
/// 1975).
fn least_leaves(depth: u32) -> u64 {
    let branching = BRANCHING as u64;
    branching.pow(depth.div_ceil(2)) + branching.pow(depth / 2) - 1
}

fn einstein(
    plan: &Plan,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<(Vec<Measured>, f32), SearchBenchError> {
    // Everything is read before anything is measured.
    let mut planned = Vec::new();
    for &depth in &plan.einstein_depths {
        let filled = |(_, notation): &(&str, &str)| {
            notation
                .replace("{depth}", &depth.to_string())
                .replace("{seed}", &settings.seed.to_string())
        };
        planned.push((
            depth,
            recipes(&plan.einstein.iter().map(filled).collect::<Vec<_>>())?,
        ));
    }
    let (mut measured, mut disagreement) = (Vec::new(), 0.0_f32);
    for (depth, recipes) in planned {
        let costs = recipes
            .iter()
            .map(|recipe| measure_suite(recipe, &settings.suite, settings, true, progress));
        let costs: Vec<PlayerCosts> = costs.collect::<Result<_, _>>()?;
        disagreement = disagreement.max(largest_disagreement(&costs));
        let totals: Vec<Cost> = costs.iter().map(|costs| costs.total(None)).collect();
        let names = plan.einstein.iter().map(|search| search.0);
        measured.extend(names.zip(&totals).map(|(name, cost)| Measured {
            game: EINSTEIN,
            depth,
            line: Compared::new(name, "all", *cost, &totals[0]),
        }));
    }
    Ok((measured, disagreement))
}

fn tree(plan: &Plan, settings: &Settings, progress: &ProgressBar) -> (Vec<Measured>, f32) {
    let roots: Vec<EdgePosition> = (0..plan.trees)
        .map(|index| EdgePosition::root(derive_seed(settings.seed, SeedSpace::Playouts, &[index])))
        .collect();
    let clock = clocked::clock_share();
    let (mut measured, mut disagreement) = (Vec::new(), 0.0_f32);
    for &depth in &plan.tree_depths {
        let mut totals: Vec<Cost> = Vec::new();
        let mut first_values: Vec<f32> = Vec::new();
        for index in 0..TREE_SEARCHES.len() {
            let (mut plain, mut instrumented) = (
                tree_search(index, depth, EdgeSum),
                instrumented_tree_player(index, depth),
            );
            let costs = roots.iter().filter_map(|root| {
                progress.inc(1);
                measure_position(
                    plain.as_mut(),
                    Some((instrumented.as_mut(), clock)),
                    root,
                    settings,
                )
            });
            let (values, costs): (Vec<f32>, Vec<Cost>) = costs.unzip();
            if index == 0 {
                first_values.clone_from(&values);
            }
            let differences = values
                .iter()
                .zip(&first_values)
                .map(|(one, other)| (one - other).abs());
            disagreement = differences.fold(disagreement, f32::max);
            totals.push(Cost::sum(&costs));
        }
        let lines = TREE_SEARCHES
            .into_iter()
            .zip(&totals)
            .map(|(name, cost)| Compared::new(name, "all", *cost, &totals[0]));
        measured.extend(lines.map(|line| Measured {
            game: TREE,
            depth,
            line,
        }));
    }
    (measured, disagreement)
}

/// One of [`TREE_SEARCHES`] with an evaluator.
fn tree_search<E: Evaluator<EdgeTree> + Clone + 'static>(
    index: usize,
    depth: u32,
    evaluator: E,
) -> Box<dyn Player<EdgeTree>> {
    let order = if index == 2 {
        MoveOrder::LargestEdgeFirst
    } else {
        MoveOrder::Arbitrary
    };
    let game = EdgeTree { order };
    if index == 0 {
        boxed(Expectiminimax::new(game, evaluator, depth, Form::Unified))
    } else {
        // Moves are taken as the game lists them: what order is worth is what the two orders show.
        let options = StarOptions {
            cuts: Cuts::Star1,
            ordering: Ordering::NONE,
            ..StarOptions::default()
        };
        // One step: straight to the depth.
        let deepening = Deepening {
            step: depth,
            ..Deepening::default()
        };
        boxed(DeepeningSearch::new(
            game,
            evaluator,
            options,
            deepening,
            Limits::to_depth(depth),
            None,
            1,
        ))
    }
}

fn boxed(search: impl Search<EdgeTree> + 'static) -> Box<dyn Player<EdgeTree>> {
    Box::new(SearchPlayer::new(search))
}

fn instrumented_tree_player(index: usize, depth: u32) -> Box<dyn Player<EdgeTree>> {
    let (evaluator, spent) = ClockedEvaluator::new(EdgeSum);
    Box::new(ClockedPlayer::new(
        tree_search(index, depth, evaluator),
        spent,
    ))
}

/// Leaves by depth, a curve for each game and search.
fn chart(measured: &[Measured]) -> Result<String, SearchBenchError> {
    let mut curves: Vec<Curve> = Vec::new();
    for one in measured {
        let name = format!("{}: {}", one.game, one.line.player);
        let point = (
            f64::from(one.depth),
            one.line.cost.leaves as f64 / one.line.cost.positions as f64,
        );
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve {
                name,
                points: vec![point],
            }),
        }
    }
    let chart = LineChart {
        title: "Minimax and alpha-beta".to_owned(),
        x_label: "depth in plies".to_owned(),
        y_label: "leaves a position".to_owned(),
        curves,
    };
    Ok(scaled_chart(
        &chart,
        &Scale::Linear,
        &Scale::Logarithmic(10),
    )?)
}

#[cfg(test)]
mod tests;
