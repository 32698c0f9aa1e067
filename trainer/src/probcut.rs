//! Measures the errors of shallow searches as estimates of deep ones
//! ([`alea_core::probcut::ProbcutErrors`]).

use crate::Error;
use alea_core::{
    moments::Moments,
    probcut::{MIN_DEPTH, ProbcutErrors, SearchError, shallow_depths},
};
use alea_play::{
    build::PlayerRecipe, playable::Playable, player::Player, player_notation::trusted_text,
};
use alea_search::limits::Limits;
use indicatif::ProgressBar;
use std::collections::HashSet;

/// Moves left that share errors.
const MOVES_PER_STAGE: u32 = 3;

/// Positions that a stage needs; with fewer it gets the errors of the nearest stage that has them.
const MIN_POSITIONS: f64 = 40.0;

/// Values beyond are nearly decided, and their log odds tell of no evaluator's error.
const DECIDED: f32 = 0.995;

/// Searches positions without ProbCut to all depths up to `depth` by the evaluator of this
/// notation, and compares the depths that ProbCut pairs.
///
/// # Errors
/// If the notation is none of an evaluator, or no stage has enough positions.
pub fn measure<G: Playable>(
    game: &G,
    evaluator: &str,
    positions: &[G::Position],
    depth: u32,
    progress: &ProgressBar,
) -> Result<ProbcutErrors, Error> {
    let recipe = |depth| {
        let player = format!("star1(depth={depth}, eval={evaluator})");
        PlayerRecipe::parse(trusted_text(&player), game).map_err(Error::new)
    };
    let recipes: Vec<PlayerRecipe<G>> = (1..=depth).map(recipe).collect::<Result<_, _>>()?;
    let mut known = HashSet::new();
    let is_new = |position: &&G::Position| known.insert(game.key(position));
    let positions: Vec<&G::Position> = positions.iter().filter(is_new).collect();
    progress.set_length(positions.len() as u64);
    let found = alea_parallel::map_items_with(
        positions,
        || recipes.iter().map(PlayerRecipe::make).collect::<Vec<_>>(),
        |players, position| {
            progress.inc(1);
            differences(game, players, position)
        },
    );
    let mut sums: Vec<Vec<Moments>> = Vec::new();
    for (stage, differences) in found.into_iter().flatten() {
        if sums.len() <= stage {
            sums.resize(stage + 1, vec![Moments::default(); differences.len()]);
        }
        for (sum, difference) in sums[stage].iter_mut().zip(differences) {
            sum.add(f64::from(difference));
        }
    }
    let is_measured = |stage: &&Vec<Moments>| {
        let first = stage.first();
        first.is_some_and(|sum| sum.sample_count() >= MIN_POSITIONS)
    };
    if !sums.iter().any(|stage| is_measured(&stage)) {
        return Err(Error::new(format!(
            "ProbCut: no stage of the game has {MIN_POSITIONS} undecided positions; use more games"
        )));
    }
    let nearest = |stage: usize| {
        let measured = sums
            .iter()
            .enumerate()
            .filter(|(_, sums)| is_measured(sums));
        measured.min_by_key(|(other, _)| other.abs_diff(stage))
    };
    let error = |sum: &Moments| SearchError {
        mean: sum.mean() as f32,
        deviation: sum.deviation() as f32,
    };
    let errors_of_stage = |(_, sums): (_, &Vec<Moments>)| -> Vec<Vec<SearchError>> {
        let mut errors = sums.iter().map(error);
        let of_depth = |depth| {
            let count = shallow_depths(depth).count();
            errors.by_ref().take(count).collect()
        };
        (MIN_DEPTH..=depth).map(of_depth).collect()
    };
    let stages = (0..sums.len()).filter_map(nearest);
    Ok(ProbcutErrors {
        moves_per_stage: MOVES_PER_STAGE,
        stages: stages.map(errors_of_stage).collect(),
    })
}

/// The stage of a position and, for each depth from [`MIN_DEPTH`] and each of its shallow depths, how
/// far the deep value exceeds the shallow one in log odds; `None` if one is decided.
fn differences<G: Playable>(
    game: &G,
    players: &mut [Box<dyn Player<G>>],
    position: &G::Position,
) -> Option<(usize, Vec<f32>)> {
    let values = players.iter_mut().map(|player| {
        player.new_game(0);
        let value = player.value(position, &Limits::NONE).value?;
        let is_open = (1.0 - DECIDED..=DECIDED).contains(&value);
        is_open.then(|| (value / (1.0 - value)).ln())
    });
    let values: Vec<f32> = values.collect::<Option<_>>()?;
    let value = |depth: u32| values[depth as usize - 1];
    let depths = MIN_DEPTH..=values.len() as u32;
    let stage = game.expected_moves_left(position) / MOVES_PER_STAGE;
    let of_depth = |depth| shallow_depths(depth).map(move |shallow| (depth, shallow));
    let difference = |(depth, shallow)| value(depth) - value(shallow);
    Some((
        stage as usize,
        depths.flat_map(of_depth).map(difference).collect(),
    ))
}
