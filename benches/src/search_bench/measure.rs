//! Measures the costs of players on positions.
//!
//! A plain player values each position in a new game, repeatedly; an instrumented one measures
//! evaluation time.

use super::{Settings, clock_overhead::ClockCost, cost::Cost};
use crate::suite::Phase;
use arena::error::Result;
use engine::core::game::Game;
use engine::games::einstein::Standard;
use engine::play::{build::PlayerRecipe, player::Player, player_notation::trusted_text};
use engine::search::SearchStats;
use engine::search::limits::Limits;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::time::Instant;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PositionCost {
    pub phase: Phase,
    pub position: String,
    /// Win probability of the side to move, before the roll.
    pub value: f32,
    pub cost: Cost,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlayerCosts {
    pub player: String,
    pub positions: Vec<PositionCost>,
}

impl PlayerCosts {
    pub(crate) fn total_cost(&self, phase: Option<Phase>) -> Cost {
        let selected = |one: &&PositionCost| phase.is_none_or(|phase| one.phase == phase);
        Cost::sum(self.positions.iter().filter(selected).map(|one| &one.cost))
    }
}

/// Maximum difference between a value of the first player and another's of the same position.
pub(crate) fn largest_disagreement<'a>(players: impl IntoIterator<Item = &'a PlayerCosts>) -> f32 {
    let mut others = players.into_iter();
    let Some(first) = others.next() else {
        return 0.0;
    };
    let pairs = others.flat_map(|other| other.positions.iter().zip(&first.positions));
    pairs
        .map(|(one, other)| (one.value - other.value).abs())
        .fold(0.0, f32::max)
}

/// Parses players; fails if one gives positions no values.
pub(crate) fn parse_players<S: AsRef<str>>(
    notations: impl IntoIterator<Item = S>,
) -> Result<Vec<PlayerRecipe<Standard>>> {
    let game = Standard::default();
    let notations = notations.into_iter();
    let recipes =
        notations.map(|notation| PlayerRecipe::parse(trusted_text(notation.as_ref()), &game));
    let recipes = recipes.collect::<Result<Vec<_>, _>>()?;
    let (near_the_end, _) = game
        .parse_position(NEAR_END_POSITION)
        .map_err(|error| format!("the study's own position: {error}"))?;
    for recipe in &recipes {
        let mut player = recipe.make();
        player.new_game(0);
        if player.value(&near_the_end, &Limits::NONE).value.is_none() {
            return Err(no_value_error(recipe.name()).into());
        }
    }
    Ok(recipes)
}

pub(crate) fn no_value_error(player: &str) -> String {
    format!(
        "{player} gives positions no value, so there is no search to measure; compare players that search, such as star1 or mcts"
    )
}

const NEAR_END_POSITION: &str = "...../...../.a.../...1./..... r -";

pub(crate) fn measure_suite(
    recipe: &PlayerRecipe<Standard>,
    settings: &Settings,
    instrument: bool,
    progress: &ProgressBar,
) -> Result<PlayerCosts> {
    progress.set_message(recipe.name().to_owned());
    let mut plain = recipe.make();
    let mut instrumented = instrument.then(|| (recipe.make_timed(), ClockCost::of_leaf_clock()));
    if let Some(first) = settings.suite.positions.first() {
        // Untimed, because the first search touches fresh memory.
        plain.new_game(settings.seed);
        plain.value(&first.position, &Limits::NONE);
    }
    let mut positions = Vec::with_capacity(settings.suite.positions.len());
    for entry in &settings.suite.positions {
        let instrumented = instrumented
            .as_mut()
            .map(|(player, clock)| (player.as_mut(), *clock));
        let (seed, repeat) = (settings.seed, settings.repeat);
        let found = measure_position(plain.as_mut(), instrumented, &entry.position, seed, repeat);
        let (value, cost) = found.ok_or_else(|| no_value_error(recipe.name()))?;
        positions.push(PositionCost {
            phase: entry.phase,
            position: entry.text.clone(),
            value,
            cost,
        });
        progress.inc(1);
    }
    Ok(PlayerCosts {
        player: recipe.name().to_owned(),
        positions,
    })
}

/// Value and cost of a position; `None` if the player gives no value.
pub(crate) fn measure_position<G: Game>(
    plain: &mut dyn Player<G>,
    instrumented: Option<(&mut (dyn Player<G> + 'static), ClockCost)>,
    position: &G::Position,
    seed: u64,
    repeat: u32,
) -> Option<(f32, Cost)> {
    let (value, stats, plain_seconds) = best_of(plain, position, seed, repeat)?;
    let timed = instrumented.and_then(|(player, clock)| {
        let (_, stats, seconds) = best_of(player, position, seed, repeat)?;
        Some(clock.evaluation_seconds(plain_seconds, seconds, stats.evaluation_time?.as_secs_f64()))
    });
    Some((value, Cost::of(&stats, plain_seconds, timed)))
}

fn best_of<G: Game>(
    player: &mut dyn Player<G>,
    position: &G::Position,
    seed: u64,
    repeat: u32,
) -> Option<(f32, SearchStats, f64)> {
    let mut best: Option<(f32, SearchStats, f64)> = None;
    for _ in 0..repeat.max(1) {
        player.new_game(seed);
        let began = Instant::now();
        let valuation = player.value(position, &Limits::NONE);
        let seconds = began.elapsed().as_secs_f64();
        let value = valuation.value?;
        if best.is_none_or(|(.., fastest)| seconds < fastest) {
            best = Some((value, valuation.stats, seconds));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamedValue;
    use engine::games::einstein::{MoveList, RED};

    #[test]
    fn costs_are_those_of_the_player_alone() {
        let settings = Settings {
            repeat: 2,
            ..Settings::for_tests(&[])
        };
        let recipe = &parse_players(["star1(depth=4, eval=schwarz)"]).unwrap()[0];
        let found = measure_suite(recipe, &settings, true, &ProgressBar::hidden()).unwrap();
        let suite = &settings.suite;
        assert_eq!(found.positions.len(), suite.positions.len());
        for (entry, measured) in suite.positions.iter().zip(&found.positions).step_by(5) {
            let mut player = recipe.make();
            player.new_game(7);
            let alone = player.value(&entry.position, &Limits::NONE);
            let (cost, stats) = (&measured.cost, &alone.stats);
            assert_eq!(
                (measured.phase, &measured.position),
                (entry.phase, &entry.text)
            );
            assert_eq!(
                [cost.nodes, cost.leaves, cost.cuts],
                [stats.nodes, stats.evaluations, stats.table.cuts]
            );
            assert_eq!(Some(measured.value), alone.value);
            assert!(cost.seconds > 0.0 && cost.evaluation_seconds.is_some());
        }
        let phases = Phase::NAMES
            .iter()
            .map(|(_, phase)| found.total_cost(Some(*phase)).nodes);
        assert_eq!(phases.sum::<u64>(), found.total_cost(None).nodes);
    }

    #[test]
    fn nodes_grow_with_depth_from_one_for_each_distinct_move() {
        let settings = Settings::for_tests(&[]);
        let players = [1, 2, 3].map(|depth| format!("star1(depth={depth}, eval=race, table=0)"));
        let costs: Vec<PlayerCosts> = parse_players(players)
            .unwrap()
            .iter()
            .map(|recipe| measure_suite(recipe, &settings, false, &ProgressBar::hidden()).unwrap())
            .collect();
        let nodes = costs.iter().map(|costs| costs.total_cost(None).nodes);
        assert!(nodes.is_sorted_by(|one, next| 2 * one < *next));
        for (entry, measured) in settings.suite.positions.iter().zip(&costs[0].positions) {
            let mut moves = MoveList::default();
            Standard::default().moves(&entry.position, &mut moves);
            assert_eq!(measured.cost.nodes, moves.len() as u64, "{}", entry.text);
        }
    }

    #[test]
    fn a_slow_evaluator_takes_nearly_all_the_time() {
        let game = Standard::default();
        let start = game.start([0, 0], RED);
        let fraction_of = |notation: &str| {
            let recipe = &parse_players([notation]).unwrap()[0];
            let (mut plain, mut instrumented) = (recipe.make(), recipe.make_timed());
            let instrumented = Some((instrumented.as_mut(), ClockCost::of_leaf_clock()));
            let found = measure_position(plain.as_mut(), instrumented, &start, 1, 1);
            found.unwrap().1.rates().evaluation_fraction
        };
        assert!(
            (0..20)
                .any(|_| fraction_of("star1(depth=2, eval=mrmonte(iterations=20))").unwrap() > 0.8)
        );
        assert_eq!(
            fraction_of("unified(depth=2, eval=schwarz)"),
            None,
            "the reference has no meter"
        );
    }

    #[test]
    fn disagreement_is_the_largest_difference() {
        let costs = |value: f32| PlayerCosts {
            player: "a".to_owned(),
            positions: vec![PositionCost {
                phase: Phase::Middle,
                position: String::new(),
                value,
                cost: Cost::default(),
            }],
        };
        assert_eq!(largest_disagreement(&[]), 0.0);
        assert!(
            (largest_disagreement(&[costs(0.5), costs(0.25), costs(0.625)]) - 0.25).abs() < 1e-7
        );
    }
}
