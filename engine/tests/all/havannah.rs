//! Havannah against outside vectors, a plain board with flood fill, and statistics of random games.

use crate::support::{moves_of, parse_json_rows, random_game};
use engine::core::{
    game::{DRAW, Game, win_for},
    random::RandomStream,
    search_game::Playouts,
};
use engine::games::havannah::{BASES, Havannah, Move, Position};
use engine::play::playable::{Codec, GameText, Playable};
use serde_json::{Map, Value};

fn read(game: &Havannah, text: &str) -> Position {
    game.parse_position(text).unwrap()
}

const KINDS: [&str; 3] = ["ring", "bridge", "fork"];

fn assert_round_trip(game: &Havannah, position: &Position) {
    let again = read(game, &game.format_position(position));
    assert_eq!(
        (again, again.structures()),
        (*position, position.structures())
    );
    assert_eq!(game.key(&again), game.key(position));
}

#[test]
fn moves_wins_and_results_agree_with_other_programs() {
    let mut lines = [0; 2];
    for vector in parse_json_rows::<Value>(include_str!("../vectors/havannah.jsonl")) {
        let game = Havannah::new(vector["base"].as_u64().unwrap() as usize, false);
        let moves: Vec<String> = serde_json::from_value(vector["moves"].clone()).unwrap();
        let position = read(&game, &moves.join(" "));
        assert_round_trip(&game, &position);
        let results = [DRAW, win_for(0), win_for(1)];
        let payoffs = game.payoffs(&position);
        let winner = results.iter().position(|&result| payoffs == Some(result));
        assert_eq!(Value::from(winner), vector["winner"], "{vector}");
        assert_eq!(winner.is_some(), payoffs.is_some());
        let kinds = vector["kind"].as_array().cloned().unwrap_or_default();
        let found = Value::from(position.structures().names());
        assert_eq!(found, Value::from(kinds), "{vector}");
        lines[usize::from(payoffs.is_some())] += 1;
        let seat = payoffs.is_none().then_some(position.seat() + 1);
        assert_eq!(Value::from(seat), vector["to_move"]);
        let empties = game.empties(&position).filter(|_| seat.is_some());
        let empties: Vec<usize> = empties.collect();
        assert_eq!(Value::from(empties.len()), vector["legal"], "{vector}");
        for (seat, name) in ["wins1", "wins2"].into_iter().enumerate() {
            let mut wins = Map::new();
            for &cell in &empties {
                let kinds = game.would_win(&position, cell, seat);
                if kinds.any() {
                    wins.insert(game.cell_name(cell), kinds.names().into());
                }
            }
            let expected = vector[name].as_object().cloned().unwrap_or_default();
            assert_eq!(wins, expected, "{vector}");
        }
    }
    assert_eq!(lines, [1107, 363]);
}

struct PlainBoard {
    width: usize,
    /// 0 for empty, 1 and 2 for stones, 3 for off the board.
    cells: Vec<u8>,
}

impl PlainBoard {
    fn new(base: usize) -> Self {
        let width = 2 * base + 1;
        let on_board = |x: usize, y: usize| {
            (1..2 * base).contains(&x) && (1..2 * base).contains(&y) && x.abs_diff(y) < base
        };
        let cells = (0..width * width).map(|at| 3 * u8::from(!on_board(at / width, at % width)));
        Self {
            width,
            cells: cells.collect(),
        }
    }

    fn cell_index(&self, name: &str) -> usize {
        let letter = usize::from(name.as_bytes()[0] - b'a') + 1;
        letter * self.width + name[1..].parse::<usize>().unwrap()
    }

    fn neighbours(&self, at: usize) -> [usize; 6] {
        let width = self.width;
        [
            at + 1,
            at + width + 1,
            at + width,
            at - 1,
            at - width - 1,
            at - width,
        ]
    }

    fn off_board_directions(&self, at: usize) -> Vec<usize> {
        let near = self.neighbours(at);
        (0..6).filter(|&side| self.cells[near[side]] == 3).collect()
    }

    fn flood(&self, from: Vec<usize>, is_passable: impl Fn(usize) -> bool) -> Vec<bool> {
        let (mut run_ends, mut left) = (vec![false; self.cells.len()], from);
        left.iter().for_each(|&at| run_ends[at] = true);
        while let Some(at) = left.pop() {
            if is_passable(at) {
                for near in self.neighbours(at) {
                    if self.cells[near] != 3 && !run_ends[near] {
                        run_ends[near] = true;
                        left.push(near);
                    }
                }
            }
        }
        run_ends
    }

    fn completed_structures(&self, at: usize) -> Vec<&'static str> {
        let own = self.cells[at];
        let cells_of_board: Vec<usize> = (0..self.cells.len())
            .filter(|&at| self.cells[at] != 3)
            .collect();
        let near = self.flood(vec![at], |at| self.cells[at] == own);
        let in_chain = |at: usize| near[at] && self.cells[at] == own;
        let chain = cells_of_board.iter().filter(|&&at| in_chain(at));
        let mut rims: Vec<_> = chain.map(|&at| self.off_board_directions(at)).collect();
        let stones = rims.len();
        rims.sort();
        rims.dedup();
        let count = |directions| rims.iter().filter(|rim| rim.len() == directions).count();
        let outer = cells_of_board
            .iter()
            .filter(|&&at| !self.off_board_directions(at).is_empty());
        let seen = self.flood(outer.copied().collect(), |at| !in_chain(at));
        let ring = stones >= 6 && cells_of_board.iter().any(|&at| !seen[at]);
        let kinds = [ring, count(3) >= 2, count(2) >= 3].into_iter().zip(KINDS);
        kinds.filter(|kind| kind.0).map(|kind| kind.1).collect()
    }
}

/// Compares every `step`-th ply with the plain board; in every second game seats avoid wins and
/// block the enemy's. Returns the numbers of rings, bridges, forks and draws.
fn compare(base: usize, plies: usize, step: usize) -> [usize; 4] {
    let game = Havannah::new(base, false);
    let mut random = RandomStream::new(base as u64);
    let (mut compared, mut met, mut is_shy) = (0, [0; 4], false);
    let empty = PlainBoard::new(base);
    let cells_of_board = (0..game.num_cells()).map(|cell| empty.cell_index(&game.cell_name(cell)));
    let cells_of_board: Vec<usize> = cells_of_board.collect();
    while compared < plies {
        let (mut plain, mut position) = (PlainBoard::new(base), game.start());
        while game.payoffs(&position).is_none() {
            let seat = position.seat();
            let mut empties: Vec<usize> = game.empties(&position).collect();
            let checked = if compared % step == 0 {
                &empties[..]
            } else {
                &[]
            };
            for &cell in checked {
                for seat in [0, 1] {
                    plain.cells[cells_of_board[cell]] = seat as u8 + 1;
                    let found = game.would_win(&position, cell, seat).names();
                    let expected = plain.completed_structures(cells_of_board[cell]);
                    assert_eq!(found, expected, "{position:?} {cell} {seat}");
                }
                plain.cells[cells_of_board[cell]] = 0;
            }
            let rotation = random.below(empties.len());
            empties.rotate_left(rotation);
            let wins = |cell, seat| game.would_win(&position, cell, seat).any();
            let shy = |&cell: &usize| is_shy && (wins(cell, seat) || !wins(cell, 1 - seat));
            let worst = |&cell: &usize| (is_shy && wins(cell, seat), shy(&cell));
            let cell = empties.iter().copied().min_by_key(worst).unwrap();
            position = game.play(&position, Move::place(cell));
            plain.cells[cells_of_board[cell]] = seat as u8 + 1;
            let kinds = plain.completed_structures(cells_of_board[cell]);
            assert_eq!(position.structures().names(), kinds, "{position:?}");
            let draw = (empties.len() == 1).then_some(DRAW);
            let won = (!kinds.is_empty()).then(|| win_for(seat));
            assert_eq!(game.payoffs(&position), won.or(draw));
            compared += 1;
        }
        let kinds = position.structures().names();
        for (met, kind) in met.iter_mut().zip(KINDS) {
            *met += usize::from(kinds.contains(&kind));
        }
        met[3] += usize::from(kinds.is_empty());
        assert_eq!(game.win_kinds(&position), Some(kinds));
        assert_round_trip(&game, &position);
        is_shy = !is_shy;
    }
    let required = if base < 7 { 4 } else { 3 };
    assert!(
        met[..required].iter().all(|&met| met > 0),
        "base {base}: {met:?}"
    );
    met
}

#[test]
fn random_games_are_those_of_a_plain_board() {
    for base in BASES {
        compare(base, 10_000, base * base / 4);
    }
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn many_random_games_are_those_of_a_plain_board() {
    for base in BASES {
        let met = compare(base, 100_000, 1);
        println!("base {base}: {KINDS:?} and draws {met:?}");
    }
}

#[test]
fn symmetries_change_nothing() {
    let mut random = RandomStream::new(1);
    for base in [3, 5, 8] {
        let game = Havannah::new(base, base == 5);
        for _ in 0..20 {
            let positions: Vec<_> = random_game(&game, game.start(), &mut random).collect();
            for (position, next) in positions.iter().zip(&positions[1..]) {
                for symmetry in 0..game.symmetries() {
                    let [rotated, image] =
                        [position, next].map(|each| game.transform_position(each, symmetry));
                    assert_round_trip(&game, &image);
                    assert_eq!(
                        (image.structures(), image.seat()),
                        (next.structures(), next.seat())
                    );
                    assert_eq!(game.payoffs(&image), game.payoffs(next));
                    let mv = match next.stones() == position.stones() {
                        true => Move::SWAP,
                        false => Move::place(image.last_cell().unwrap()),
                    };
                    let played = game.play(&rotated, mv);
                    assert_eq!((played, game.key(&played)), (image, game.key(&image)));
                }
            }
        }
    }
}

#[test]
fn the_second_player_may_take_the_first_stone() {
    let [fair, plain] = [true, false].map(|swap| Havannah::new(4, swap));
    let first = read(&fair, "a1");
    let count = |game: &Havannah, position: &Position| moves_of(game, position).len();
    let counts = |position| [&fair, &plain].map(|game| count(game, position));
    assert_eq!((counts(&fair.start()), counts(&first)), ([37; 2], [37, 36]));
    let swapped = fair.play(&first, fair.parse_move(&first, "swap").unwrap());
    assert_eq!(fair.format_position(&swapped), "a1 swap");
    assert_eq!(
        (swapped.seat_at(0), swapped.seat(), swapped.stones()),
        (Some(1), 0, 1)
    );
    assert_eq!(count(&fair, &swapped), 36);
    assert_eq!(fair.key(&read(&fair, "a1 swap")), fair.key(&swapped));
    assert_ne!(fair.key(&first), fair.key(&swapped));
    for (text, winner) in [
        ("a1 swap g7 a2 g6 a3 f6 a4", Some(1)),
        ("a1 swap a4 c3 a3 c4 a2 e5", None),
        ("b1 swap a4 c3 a3 c4 a2 e5 a1", Some(0)),
        ("a1 c3 a2 c4 a3 e5 a4", Some(0)),
    ] {
        let payoffs = fair.payoffs(&read(&fair, text));
        assert_eq!(payoffs, winner.map(win_for), "{text}");
    }
}

/// Compares random games with statistics of Castro's board: plies, and percentages of forks,
/// bridges, rings and draws. Of several structures the fork counts, else the bridge.
fn measure(base: usize, games: u32, expected: [f64; 5]) -> [f64; 5] {
    let game = Havannah::new(base, false);
    let mut random = RandomStream::new(7);
    let (mut found, mut first, mut at_once) = ([0.0; 5], 0.0, 0.0);
    for _ in 0..games {
        let position = random_game(&game, game.start(), &mut random)
            .last()
            .unwrap();
        found[0] += position.stones() as f64;
        let kind = position.structures().names().pop();
        let kind_index = ["fork", "bridge", "ring"]
            .iter()
            .position(|&name| Some(name) == kind);
        found[kind_index.map_or(4, |kind_index| kind_index + 1)] += 100.0;
        first += game.payoffs(&position).unwrap()[0];
        at_once += game.playout(&game.start(), || random.next_u64())[0];
    }
    let found = found.map(|sum| sum / f64::from(games));
    let [first, at_once] = [first, at_once].map(|sum| sum / games as f32);
    let noise = (100_000.0 / f64::from(games)).sqrt();
    for (index, allowed) in [0.2, 1.5, 1.5, 1.5, 0.03].into_iter().enumerate() {
        let away = (found[index] - expected[index]).abs();
        assert!(away < allowed * noise, "base {base}: {found:?}");
    }
    assert!(f64::from(first - at_once).abs() < 0.01 * noise);
    found
}

const MEASURED: [(usize, [f64; 5]); 4] = [
    (4, [27.9, 44.0, 50.0, 6.0, 0.07]),
    (5, [46.6, 51.0, 29.0, 19.0, 0.0]),
    (8, [120.5, 23.0, 5.0, 72.0, 0.0]),
    (10, [179.7, 8.0, 1.0, 91.0, 0.0]),
];

#[test]
fn random_games_end_as_has_been_measured() {
    for (base, expected) in MEASURED {
        measure(base, 5_000, expected);
    }
}

#[test]
#[ignore = "takes seconds"]
fn many_random_games_end_as_has_been_measured() {
    for (base, expected) in MEASURED {
        let found = measure(base, 100_000, expected);
        println!("base {base}: plies, forks, bridges, rings, draws {found:.2?}");
    }
}

#[test]
fn what_was_learned_comes_for_every_base() {
    for base in BASES {
        let game = Havannah::new(base, false);
        let learned = game
            .evaluator_from_model(game.best_model().unwrap())
            .unwrap();
        let value = learned.value_of(&game, &game.start());
        assert!((0.25..0.75).contains(&value), "base {base}: {value}");
    }
}
