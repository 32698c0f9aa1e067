//! Searches with endgame tables play perfectly inside them, and probe them where moves lead in.

use crate::support::{assert_near, player, random_positions};
use engine::core::game::Game;
use engine::games::einstein::{
    Move, Position, Standard,
    tables::{Tables, shared_tables::shared_tables},
};
use engine::play::{build::parse_evaluator, registry::AnyEvaluator};
use engine::search::limits::Limits;

const STONES: usize = 4;

fn endgames(game: &Standard, stones: std::ops::RangeInclusive<u32>) -> Vec<Position> {
    random_positions(game, 8_000, 77)
        .into_iter()
        .filter(|position| stones.contains(&position.num_stones()))
        .collect()
}

#[test]
fn no_move_gives_anything_away() {
    let game = Standard::default();
    let tables = shared_tables(STONES, game.variant()).unwrap();
    let small_endgames = endgames(&game, 2..=4);
    assert!(small_endgames.len() > 200, "{}", small_endgames.len());
    for notation in [
        "star2(depth=1, tablebase=4)",
        "star1(depth=3, eval=abt, tablebase=4, table=1)",
        "mcts(sims=200, tablebase=4)",
    ] {
        let mut player = player(notation, &game);
        for position in &small_endgames {
            let probe = tables.probe(&game, position).unwrap();
            for face in 1..=6 {
                let decision = player
                    .decide(position, &game.legal_moves(position, face), &Limits::NONE)
                    .unwrap();
                let best = &probe.faces[usize::from(face) - 1].best;
                let text = game.format_position(position, Some(face));
                assert!(best.contains(&decision.best), "{notation}: {text}");
            }
        }
    }
}

fn by_the_book(
    game: &Standard,
    tables: &Tables,
    evaluator: &dyn AnyEvaluator<Standard>,
    position: &Position,
    depth: u32,
) -> f32 {
    if let Some(value) = tables.value_of(position) {
        return value;
    }
    if depth == 0 {
        return evaluator.value_of(game, position);
    }
    let mut value = 0.0;
    for face in 1..=6 {
        let worth = |&mv: &Move| {
            let next = game.play(position, mv);
            let over = game.payoff(&next, game.to_move(position));
            over.unwrap_or_else(|| 1.0 - by_the_book(game, tables, evaluator, &next, depth - 1))
        };
        let legal = game.legal_moves(position, face);
        value += legal.iter().map(worth).fold(0.0, f32::max) / 6.0;
    }
    value
}

#[test]
fn before_the_tables_leaves_are_what_they_know() {
    let game = Standard::default();
    let tables = shared_tables(STONES, game.variant()).unwrap();
    for eval in ["schwarz", "abt"] {
        let evaluator = parse_evaluator(eval, &game).unwrap();
        for depth in 1..=3 {
            let notation = format!("star2(depth={depth}, eval={eval}, tablebase=4, table=1)");
            let mut player = player(&notation, &game);
            for position in endgames(&game, 5..=7).iter().take(100) {
                let expected = by_the_book(&game, &tables, &*evaluator, position, depth);
                let found = player.value(position, &Limits::NONE).value.unwrap();
                assert_near(found, expected, 1e-5, position);
            }
        }
    }
}
