//! Generates the built-in suite from games of a small search against itself; each slot takes the
//! first matching position of the first unused game with one.

use super::{Phase, Suite};
use crate::{NamedValue, begin_game, play};
use engine::core::game::Game;
use engine::games::einstein::{GONE, Position, Standard};
use engine::play::build::PlayerRecipe;

const SUITE_SEED: u64 = 1;

const SUITE_PLAYER: &str = "star1(depth=3, eval=schwarz(slope=0.4, offset=0.274))";

/// Minimum distance of every stone to its goal in endgames: the default search depth reaches none.
const MIN_ENDGAME_STEPS: u8 = 3;

/// Conditions of each slot: plies before an opening, or remaining stones.
const SLOT_CONDITIONS: [(Phase, [u32; 8]); 3] = [
    (Phase::Opening, [0, 2, 1, 3, 4, 2, 1, 3]),
    (Phase::Middle, [9, 9, 9, 8, 8, 8, 7, 7]),
    (Phase::Endgame, [6, 6, 6, 5, 5, 4, 4, 3]),
];

fn generate(seed: u64) -> String {
    let game = Standard::default();
    let recipe = PlayerRecipe::parse(SUITE_PLAYER, &game).unwrap();
    let mut players = [recipe.make(), recipe.make()];
    let slots = SLOT_CONDITIONS.into_iter();
    let slots = slots.flat_map(|(phase, wishes)| wishes.map(|wish| (phase, wish)));
    let mut found: Vec<_> = slots.map(|index| (index, None)).collect();
    let mut number = 0;
    while found.iter().any(|(_, position)| position.is_none()) {
        let (start, mut dice) = begin_game(&game, &mut players, seed, number);
        let record = play(&game, start, &mut players, &mut dice, None).unwrap();
        let positions: Vec<Position> = record.positions(&game).collect();
        number += 1;
        for ((phase, wish), index) in &mut found {
            if index.is_none()
                && let Some(position) = choose(&game, *phase, *wish, &positions)
            {
                *index = Some(position);
                break;
            }
        }
    }
    let mut text = format!(
        "# Positions on which searches are compared: phase, position before the roll.\n\
         # From games of {SUITE_PLAYER} against itself, seed {seed}; no two from one game.\n\
         # Made by the function `generate` in benches/src/suite/generate.rs, which a test holds against this file.\n"
    );
    for ((phase, _), position) in found {
        let position = position.map(|position| game.format_position(&position, None));
        text += &format!("{} {}\n", phase.name(), position.unwrap_or_default());
    }
    text
}

fn choose(game: &Standard, phase: Phase, wish: u32, positions: &[Position]) -> Option<Position> {
    let fits = |plies: u32, position: &Position| match phase {
        Phase::Opening => plies == wish,
        Phase::Middle => position.num_stones() == wish,
        Phase::Endgame => {
            position.num_stones() == wish && steps_to_goal(position) >= MIN_ENDGAME_STEPS
        }
    };
    let is_open = |position: &Position| {
        game.winner(position).is_none() && !wins_with_any_roll(game, position)
    };
    let mut numbered = (0..).zip(positions);
    let found = numbered.find(|(plies, position)| fits(*plies, position) && is_open(position));
    found.map(|(_, position)| *position)
}

fn wins_with_any_roll(game: &Standard, position: &Position) -> bool {
    let wins = |mv| game.winner(&game.play(position, mv)) == Some(position.seat());
    (1..=game.die().faces()).all(|face| {
        let moves = game.legal_moves(position, face);
        moves.iter().any(|&mv| wins(mv))
    })
}

fn steps_to_goal(position: &Position) -> u8 {
    let sides = [position.mover(), position.other()];
    let squares = sides.iter().flat_map(|side| side.squares());
    squares
        .filter(|&square| square != GONE)
        .map(|square| (4 - square / 5).max(4 - square % 5))
        .min()
        .unwrap_or(0)
}

#[test]
fn the_committed_suite_is_what_its_seed_gives() {
    assert_eq!(
        generate(SUITE_SEED),
        include_str!("../../../data/suites/search.txt")
    );
}

#[test]
fn positions_are_of_their_phases() {
    let game = Standard::default();
    for entry in Suite::built_in().unwrap().positions {
        let position = &entry.position;
        let (stones, steps) = match entry.phase {
            Phase::Opening => (9..=12, 0),
            Phase::Middle => (7..=9, 0),
            Phase::Endgame => (3..=6, 3),
        };
        assert!(stones.contains(&position.num_stones()) && steps_to_goal(position) >= steps);
        assert!(game.winner(position).is_none() && !wins_with_any_roll(&game, position));
    }
}

#[test]
fn a_stone_beside_the_goal_wins_with_any_roll_and_two_need_the_right_one() {
    let game = Standard::default();
    let position = |text: &str| game.parse_position(text).unwrap().0;
    let wins = |text: &str| wins_with_any_roll(&game, &position(text));
    assert!(wins("...../a..../...../...1./..... r -"));
    assert!(!wins("1..../...../a..../...3./..... r -"));
    let steps = |text: &str| steps_to_goal(&position(text));
    assert_eq!(steps("1..../a..../...../..3../..... r -"), 1);
    assert_eq!(steps("1..../...../..a../..3../..... r -"), 2);
}

/// Rewrites the suite: `cargo test -p benches --release rewrite_the_suite -- --ignored`.
#[test]
#[ignore = "writes into the sources"]
fn rewrite_the_suite() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/suites/search.txt");
    std::fs::write(path, generate(SUITE_SEED)).unwrap();
}
