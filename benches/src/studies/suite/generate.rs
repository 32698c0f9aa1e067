//! Makes the committed suite: positions from games that a small search plays against itself.
//!
//! Game `i` is a function of the seed and `i`. Every place of the suite has a wish; the first game
//! that has a position for a place fills it, and a game fills one place at most, so no two
//! positions of a suite come from one game. Invariant: the same seed gives the same text, as long
//! as the player decides as it does.

use super::Phase;
use engine::core::{
    game::Game,
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::games::einstein::{BLUE, GONE, Position, RED, Standard, dice::DiceStream};
use engine::play::{
    build::PlayerRecipe, game_loop::play_game, notation::PlayerError, player::Player,
};

/// The seed of the committed suite.
pub const SUITE_SEED: u64 = 1;

/// Who plays both sides.
pub const SUITE_PLAYER: &str = "star1(depth=3, eval=schwarz(slope=0.4, offset=0.274))";

/// What a place of the suite asks of a position.
#[derive(Clone, Copy)]
enum Wish {
    /// The position after so many plies.
    Plies(usize),
    /// The first position with so many stones.
    Stones(u32),
    /// The first position with so many stones in which no stone is nearer to its goal than
    /// [`ENDGAME_STEPS`].
    FarStones(u32),
}

/// In an endgame of the suite every stone is at least so many steps from its goal: nobody gets
/// there within the five plies of the usual search without the other having as many turns, so that
/// search is not over at once.
const ENDGAME_STEPS: u8 = 3;

const PLACES: [(Phase, Wish); 24] = [
    // In this order, with sides beginning in turn, Red and Blue are to move equally often.
    (Phase::Opening, Wish::Plies(0)),
    (Phase::Opening, Wish::Plies(2)),
    (Phase::Opening, Wish::Plies(1)),
    (Phase::Opening, Wish::Plies(3)),
    (Phase::Opening, Wish::Plies(4)),
    (Phase::Opening, Wish::Plies(2)),
    (Phase::Opening, Wish::Plies(1)),
    (Phase::Opening, Wish::Plies(3)),
    (Phase::Middle, Wish::Stones(9)),
    (Phase::Middle, Wish::Stones(9)),
    (Phase::Middle, Wish::Stones(9)),
    (Phase::Middle, Wish::Stones(8)),
    (Phase::Middle, Wish::Stones(8)),
    (Phase::Middle, Wish::Stones(8)),
    (Phase::Middle, Wish::Stones(7)),
    (Phase::Middle, Wish::Stones(7)),
    (Phase::Endgame, Wish::FarStones(6)),
    (Phase::Endgame, Wish::FarStones(6)),
    (Phase::Endgame, Wish::FarStones(6)),
    (Phase::Endgame, Wish::FarStones(5)),
    (Phase::Endgame, Wish::FarStones(5)),
    (Phase::Endgame, Wish::FarStones(4)),
    (Phase::Endgame, Wish::FarStones(4)),
    (Phase::Endgame, Wish::FarStones(3)),
];

/// The text of the suite of a seed.
///
/// # Errors
/// If this build does not know [`SUITE_PLAYER`].
pub fn generate(seed: u64) -> Result<String, PlayerError> {
    let game = Standard::default();
    let recipe = PlayerRecipe::parse(SUITE_PLAYER, &game)?;
    let mut players = [recipe.make(), recipe.make()];
    let mut found: [Option<Position>; PLACES.len()] = [None; PLACES.len()];
    let mut number = 0;
    while found.contains(&None) {
        let positions = positions_of_game(&game, &mut players, seed, number);
        number += 1;
        for (place, (_, wish)) in found.iter_mut().zip(PLACES) {
            if place.is_none()
                && let Some(position) = wish.choose(&game, &positions)
            {
                *place = Some(position);
                break;
            }
        }
    }
    let mut text = format!(
        "# Positions on which searches are compared: phase, position before the roll.\n\
         # From games of {SUITE_PLAYER} against itself, seed {seed}; no two from one game.\n\
         # Made by the function `generate` in benches/src/suite/generate.rs, which a test holds against this file.\n"
    );
    for ((phase, _), position) in PLACES.iter().zip(found.iter().flatten()) {
        text += &format!("{phase} {}\n", game.format_position(position, None));
    }
    Ok(text)
}

fn positions_of_game(
    game: &Standard,
    players: &mut [Box<dyn Player<Standard>>; 2],
    seed: u64,
    number: u64,
) -> Vec<Position> {
    let (start, mut dice) = begin_game(game, players, seed, number);
    let [red, blue] = players;
    let record = play_game(
        game,
        start,
        &mut [red.as_mut(), blue.as_mut()],
        &mut dice,
        None,
        None,
    );
    record.positions(game).collect()
}

/// The start and the dice of a game from its seed and number, of which its players are told. Red
/// begins every other one.
pub(crate) fn begin_game(
    game: &Standard,
    players: &mut [Box<dyn Player<Standard>>; 2],
    seed: u64,
    number: u64,
) -> (Position, DiceStream) {
    let game_seed = derive_seed(seed, SeedSpace::Arena, &[number]);
    let [of_start, of_dice] = [0, 1].map(|what| derive_seed(game_seed, SeedSpace::Arena, &[what]));
    for (seat, player) in (0..).zip(players) {
        player.new_game(derive_seed(game_seed, SeedSpace::Player, &[seat]));
    }
    let first = if number.is_multiple_of(2) { RED } else { BLUE };
    let start = game.random_start(&mut RandomStream::new(of_start), first);
    (start, DiceStream::new(of_dice, game.die()))
}

impl Wish {
    /// The first position that fits, is not over, and is not won with any roll.
    fn choose(self, game: &Standard, positions: &[Position]) -> Option<Position> {
        let fits = |(plies, position): &(usize, &Position)| match self {
            Self::Plies(wanted) => *plies == wanted,
            Self::Stones(wanted) => position.stones() == wanted,
            Self::FarStones(wanted) => {
                position.stones() == wanted && steps_left(position) >= ENDGAME_STEPS
            }
        };
        let open = |position: &Position| {
            game.winner(position).is_none() && !wins_with_any_roll(game, position)
        };
        positions
            .iter()
            .enumerate()
            .find(|found| fits(found) && open(found.1))
            .map(|(_, position)| *position)
    }
}

/// Whether every face permits a move that wins at once.
fn wins_with_any_roll(game: &Standard, position: &Position) -> bool {
    (1..=game.die().faces()).all(|face| {
        let moves = game.legal_moves(position, face);
        moves
            .iter()
            .any(|&mv| game.winner(&game.play(position, mv)) == Some(position.seat()))
    })
}

/// Steps of the stone that is nearest to its goal, on an empty board.
fn steps_left(position: &Position) -> u8 {
    let squares = [position.mover(), position.other()]
        .into_iter()
        .flat_map(|side| side.squares());
    squares
        .filter(|&square| square != GONE)
        .map(|square| (4 - square / 5).max(4 - square % 5))
        .min()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::suite::Suite;

    #[test]
    fn the_committed_suite_is_what_its_seed_gives() {
        assert_eq!(
            generate(SUITE_SEED).unwrap(),
            include_str!("../../../../data/suites/search.txt")
        );
    }

    #[test]
    fn positions_are_of_their_phases() {
        let game = Standard::default();
        for entry in Suite::built_in().unwrap().positions {
            let position = &entry.position;
            let fits = match entry.phase {
                Phase::Opening => position.stones() >= 9,
                Phase::Middle => (7..=9).contains(&position.stones()),
                Phase::Endgame => (3..=6).contains(&position.stones()) && steps_left(position) >= 3,
            };
            assert!(
                fits && game.winner(position).is_none() && !wins_with_any_roll(&game, position),
                "{}",
                entry.text
            );
        }
    }

    #[test]
    fn a_stone_beside_the_goal_wins_with_any_roll_and_two_need_the_right_one() {
        let game = Standard::default();
        let position = |text: &str| game.parse_position(text).unwrap().0;
        let wins = |text: &str| wins_with_any_roll(&game, &position(text));
        assert!(wins("...../a..../...../...1./..... r -"));
        assert!(!wins("1..../...../a..../...3./..... r -"));
        // Blue's stone a.
        assert_eq!(
            steps_left(&position("1..../a..../...../..3../..... r -")),
            1
        );
        assert_eq!(
            steps_left(&position("1..../...../..a../..3../..... r -")),
            2
        );
    }

    /// Writes the committed suite anew: `cargo test -p benches --release rewrite_the_suite --
    /// --ignored`.
    #[test]
    #[ignore = "writes into the sources"]
    fn rewrite_the_suite() {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/suites/search.txt");
        std::fs::write(path, generate(SUITE_SEED).unwrap()).unwrap();
    }
}
