//! ReversiXT against outside vectors and a plain board with its own map reader.

use crate::architecture::folder;
use crate::support::{moves_of, parse_json_rows, successors};
use engine::core::{
    game::{DRAW, Game, uniform_index},
    random::RandomStream,
};
use engine::games::reversixt::{
    Move, Phase, Position, ReversiXt,
    map::{Cell, Map},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

fn maps_in(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).unwrap();
    let map = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(&file).unwrap())
    };
    files.map(|file| map(file.unwrap().path())).collect()
}

fn vector_maps() -> BTreeMap<String, String> {
    let maps = maps_in(&folder("engine").join("tests/vectors/maps"));
    assert_eq!(maps.len(), 15);
    maps
}

fn game(text: &str) -> ReversiXt {
    ReversiXt::new(Arc::new(Map::parse(text).unwrap()))
}

pub(crate) fn vector_game(name: &str) -> ReversiXt {
    game(&vector_maps()[name])
}

fn xy_choice_triples(game: &ReversiXt, moves: &[Move]) -> Vec<[usize; 3]> {
    let width = game.map().width();
    let triple = |mv: &Move| {
        [
            mv.cell() % width,
            mv.cell() / width,
            mv.special_choice().into(),
        ]
    };
    moves.iter().map(triple).collect()
}

fn joined(items: impl IntoIterator<Item = impl ToString>, between: &str) -> String {
    let items = items.into_iter().map(|item| item.to_string());
    items.collect::<Vec<_>>().join(between)
}

fn text_of(state: &Value) -> String {
    let numbers = |name: &str| joined(state[name].as_array().unwrap(), ",");
    format!(
        "{} {} {} {} {}",
        state["board"].as_str().unwrap(),
        state["phase"].as_str().unwrap(),
        state["player"],
        numbers("override"),
        numbers("bombs")
    )
}

#[test]
fn positions_of_other_programs_have_their_moves_and_what_follows() {
    let games = vector_maps()
        .into_iter()
        .map(|(name, text)| (name, game(&text)));
    let games: HashMap<String, ReversiXt> = games.collect();
    let mut kinds = HashSet::new();
    for case in parse_json_rows::<Value>(include_str!("../vectors/reversixt.jsonl")) {
        let game = &games[case["map"].as_str().unwrap()];
        let position = game.parse_position(&text_of(&case)).unwrap();
        let move_count = moves_of(game, &position);
        let legal: Vec<[usize; 3]> = serde_json::from_value(case["legal"].clone()).unwrap();
        assert_eq!(xy_choice_triples(game, &move_count), legal, "{case}");
        let [x, y, special]: [usize; 3] = serde_json::from_value(case["move"].clone()).unwrap();
        let mv = Move::new(y * game.map().width() + x, special as u8);
        let after = game.play(&position, mv);
        assert_eq!(
            game.format_position(&after),
            text_of(&case["after"]),
            "{case}"
        );
        kinds.insert(case["kind"].as_str().unwrap().to_owned());
    }
    assert!(kinds.len() >= 6, "{kinds:?}");
}

fn leaves(game: &ReversiXt, position: &Position, depth: usize) -> u64 {
    if position.phase() == Phase::Over {
        return 0;
    }
    if depth == 1 {
        return moves_of(game, position).len() as u64;
    }
    let after = successors(game, position).into_iter();
    after.map(|next| leaves(game, &next, depth - 1)).sum()
}

#[test]
fn as_many_lines_of_play_as_other_programs_count() {
    let expected: BTreeMap<String, Vec<u64>> =
        serde_json::from_str(include_str!("../vectors/reversixt_perft.json")).unwrap();
    assert_eq!(expected.len(), vector_maps().len());
    for (name, counts) in expected {
        let game = vector_game(&name);
        for (depth, &count) in (1..).zip(&counts) {
            assert_eq!(leaves(&game, &game.start(), depth), count, "{name} {depth}");
        }
    }
}

#[derive(Clone, Debug)]
struct PlainBoard {
    players: u8,
    strength: usize,
    cells: BTreeMap<(i32, i32), char>,
    transitions: HashMap<(i32, i32, i32), (i32, i32, i32)>,
    overrides: Vec<u32>,
    bombs: Vec<u32>,
    phase: &'static str,
    turn: u8,
}

impl PlainBoard {
    fn read(text: &str) -> Self {
        let mut words = text.split_whitespace();
        let mut number = || words.next().unwrap().parse::<i32>().unwrap();
        let (players, overrides, bombs) = (number() as u8, number() as u32, number() as u32);
        let (strength, height, width) = (number() as usize, number(), number());
        let mut cells = BTreeMap::new();
        for y in 0..height {
            for x in 0..width {
                let sign = words.next().unwrap().chars().next().unwrap();
                if sign != '-' {
                    cells.insert((x, y), sign);
                }
            }
        }
        let rest: Vec<i32> = words.filter_map(|word| word.parse().ok()).collect();
        let mut transitions = HashMap::new();
        for ends in rest.chunks(6) {
            let [x1, y1, d1, x2, y2, d2] = ends.try_into().unwrap();
            transitions.insert((x1, y1, d1), (x2, y2, (d2 + 4) % 8));
            transitions.insert((x2, y2, d2), (x1, y1, (d1 + 4) % 8));
        }
        let mut board = Self {
            players,
            strength,
            cells,
            transitions,
            overrides: vec![overrides; usize::from(players)],
            bombs: vec![bombs; usize::from(players)],
            phase: "play",
            turn: players,
        };
        board.hand_on();
        board
    }

    fn step(&self, (x, y, direction): (i32, i32, i32)) -> Option<(i32, i32, i32)> {
        if let Some(&there) = self.transitions.get(&(x, y, direction)) {
            return Some(there);
        }
        let right = [0, 1, 1, 1, 0, -1, -1, -1][direction as usize];
        let down = [-1, -1, 0, 1, 1, 1, 0, -1][direction as usize];
        let there = (x + right, y + down);
        self.cells
            .contains_key(&there)
            .then_some((there.0, there.1, direction))
    }

    fn captured_cells(&self, (x, y): (i32, i32), player: u8) -> HashSet<(i32, i32)> {
        let own = char::from(b'0' + player);
        let mut all = HashSet::new();
        for direction in 0..8 {
            let mut line = Vec::new();
            let mut at = (x, y, direction);
            while let Some(next) = self.step(at) {
                at = next;
                let cell = (at.0, at.1);
                let sign = self.cells[&cell];
                if cell == (x, y) || "0cbi".contains(sign) {
                    break;
                }
                if sign == own {
                    all.extend(line);
                    break;
                }
                line.push(cell);
            }
        }
        all
    }

    fn moves(&self, player: u8) -> Vec<[usize; 3]> {
        let mut moves = Vec::new();
        for y in 0..50 {
            for x in 0..50 {
                let Some(&sign) = self.cells.get(&(x, y)) else {
                    continue;
                };
                let captures = || !self.captured_cells((x, y), player).is_empty();
                let permitted = match sign {
                    _ if self.phase == "bomb" => true,
                    '0' | 'c' | 'b' | 'i' => captures(),
                    'x' => self.overrides[usize::from(player) - 1] > 0,
                    _ => self.overrides[usize::from(player) - 1] > 0 && captures(),
                };
                let specials: Vec<usize> = match sign {
                    _ if !permitted => vec![],
                    'c' if self.phase == "play" => (1..=usize::from(self.players)).collect(),
                    'b' if self.phase == "play" => vec![20, 21],
                    _ => vec![0],
                };
                let square = |special| [x as usize, y as usize, special];
                moves.extend(specials.into_iter().map(square));
            }
        }
        moves
    }

    fn hand_on(&mut self) {
        let (last, players) = (self.turn, self.players);
        let order: Vec<u8> = (0..players)
            .map(|after| (last + after) % players + 1)
            .collect();
        if self.phase == "play" {
            if let Some(&next) = order.iter().find(|&&player| !self.moves(player).is_empty()) {
                self.turn = next;
                return;
            }
            self.phase = "bomb";
        }
        match order
            .iter()
            .find(|&&player| self.bombs[usize::from(player) - 1] > 0)
        {
            Some(&next) if !self.cells.is_empty() => self.turn = next,
            _ => (self.phase, self.turn) = ("end", 0),
        }
    }

    fn play(&mut self, [x, y, special]: [usize; 3]) {
        let (square, player) = ((x as i32, y as i32), self.turn);
        let own = char::from(b'0' + player);
        let stock = usize::from(player) - 1;
        if self.phase == "bomb" {
            let mut distance = HashMap::from([(square, 0)]);
            let mut queue = std::collections::VecDeque::from([square]);
            while let Some((x, y)) = queue.pop_front() {
                let so_far = distance[&(x, y)];
                for direction in 0..8 {
                    let Some((x, y, _)) = self.step((x, y, direction)) else {
                        continue;
                    };
                    let exists = self.cells.contains_key(&(x, y));
                    if exists && so_far < self.strength && !distance.contains_key(&(x, y)) {
                        distance.insert((x, y), so_far + 1);
                        queue.push_back((x, y));
                    }
                }
            }
            self.cells.retain(|cell, _| !distance.contains_key(cell));
            self.bombs[stock] -= 1;
        } else {
            let captured = self.captured_cells(square, player);
            let filled = self.cells.insert(square, own).unwrap();
            for cell in captured {
                self.cells.insert(cell, own);
            }
            let players = self.players;
            let mut change = |new: &dyn Fn(u8) -> u8| {
                for sign in self
                    .cells
                    .values_mut()
                    .filter(|sign| ('1'..='8').contains(sign))
                {
                    *sign = char::from(b'0' + new(*sign as u8 - b'0'));
                }
            };
            match (filled, special) {
                ('c', _) => change(&|owner| match owner as usize {
                    owner if owner == usize::from(player) => special as u8,
                    owner if owner == special => player,
                    owner => owner as u8,
                }),
                ('i', _) => change(&|owner| owner % players + 1),
                ('b', 20) => self.bombs[stock] += 1,
                ('b', _) => self.overrides[stock] += 1,
                ('0', _) => {}
                _ => self.overrides[stock] -= 1,
            }
        }
        self.hand_on();
    }

    fn text(&self, width: i32, height: i32) -> String {
        let sign = |x, y| self.cells.get(&(x, y)).copied().unwrap_or('-');
        let row = |y| (0..width).map(|x| sign(x, y)).collect::<String>();
        format!(
            "{} {} {} {} {}",
            joined((0..height).map(row), "/"),
            self.phase,
            self.turn,
            joined(&self.overrides, ","),
            joined(&self.bombs, ",")
        )
    }
}

fn random_map(random: &mut RandomStream) -> String {
    let mut below = |count: usize| uniform_index(count, (random.next_u64() >> 32) as u32);
    let (players, width, height) = (2 + below(7), 3 + below(8), 3 + below(8));
    let mut rows = vec![vec!['0'; width]; height];
    for sign in rows.iter_mut().flatten() {
        let stones = 8 + below(8);
        *sign = match below(40) {
            0..5 => '-',
            5 => 'x',
            6 => 'c',
            7 => 'b',
            8 => 'i',
            number if number < 9 + stones => char::from(b'1' + below(players) as u8),
            _ => '0',
        };
    }
    let mut map = format!(
        "{players}\n{}\n{} {}\n{height} {width}\n{}\n",
        below(3),
        below(4),
        below(4),
        joined(rows.iter().map(|row| joined(row, " ")), "\n")
    );
    let plain = PlainBoard::read(&map);
    let mut open: Vec<(i32, i32, i32)> = Vec::new();
    for &(x, y) in plain.cells.keys() {
        let sides = (0..8).map(|direction| (x, y, direction));
        open.extend(sides.filter(|&side| plain.step(side).is_none()));
    }
    for _ in 0..below(open.len() / 2 + 1) {
        let mut side = || {
            let (x, y, direction) = open.swap_remove(below(open.len()));
            format!("{x} {y} {direction}")
        };
        map += &format!("{} <-> {}\n", side(), side());
    }
    map
}

#[test]
fn random_positions_of_random_maps_are_those_of_a_plain_board() {
    let positions = 20_000;
    let mut random = RandomStream::new(1);
    let (mut compared, mut phases) = (0, [0; 3]);
    while compared < positions {
        let map = random_map(&mut random);
        let game = game(&map);
        let (width, height) = (game.map().width() as i32, game.map().height() as i32);
        let (mut plain, mut position) = (PlainBoard::read(&map), game.start());
        loop {
            let text = game.format_position(&position);
            assert_eq!(text, plain.text(width, height), "{map}");
            assert_eq!(game.parse_position(&text), Ok(position), "{map}{text}");
            compared += 1;
            phases[position.phase() as usize] += 1;
            for seat in 0..plain.players {
                let own = char::from(b'1' + seat);
                let stones = plain.cells.values().filter(|&&sign| sign == own).count();
                assert_eq!(usize::from(position.num_stones(seat.into())), stones);
            }
            if position.phase() == Phase::Over {
                break;
            }
            let moves = moves_of(&game, &position);
            let expected = plain.moves(plain.turn);
            assert_eq!(xy_choice_triples(&game, &moves), expected, "{map}{text}");
            let chosen = uniform_index(moves.len(), random.next_u64() as u32);
            let name = game.format_move(moves[chosen]);
            assert_eq!(game.parse_move(&position, &name), Ok(moves[chosen]));
            position = game.play(&position, moves[chosen]);
            plain.play(expected[chosen]);
        }
    }
    assert!(
        phases.iter().all(|&count| count > positions / 200),
        "{phases:?}"
    );
}

#[test]
fn maps_are_read_as_written_or_refused_where_they_are_wrong() {
    for (name, text) in vector_maps() {
        let map = Map::parse(&text).unwrap();
        assert_eq!(Map::parse(&map.to_string()).as_ref(), Ok(&map), "{name}");
        let loose = text.replace('\n', "  \r\n").replace(' ', "  ") + "\r\n\n \n";
        let loose = loose.replace("\n2", "\n02");
        assert_eq!(Map::parse(&loose).as_ref(), Ok(&map), "{name}");
    }
    let good = "2\n1\n0 1\n2 3\n0 1 -\n2 c b\n0 0 0 <-> 1 0 2\n";
    Map::parse(good).unwrap();
    let wrong = parse_json_rows::<[String; 3]>(include_str!("../cases/maps_refused.jsonl"));
    for [from, to, message] in wrong {
        let error = Map::parse(&good.replacen(&from, &to, 1)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn equal_stones_tie_and_the_disqualified_come_last() {
    let rules = game("4\n0\n0 0\n2 4\n1 1 1 2\n2 3 3 3\n");
    let position = rules.start();
    assert_eq!(position.phase(), Phase::Over);
    assert_eq!(rules.ranks(&position)[..4], [0, 2, 0, 3]);
    assert_eq!(
        rules.payoffs(&position).unwrap()[..4],
        [1.0, 0.2, 1.0, 0.08]
    );
    let without = rules.disqualify(&position, 2);
    assert_eq!(rules.ranks(&without)[..4], [0, 1, 3, 2]);
    assert_eq!(rules.points(&without)[..4], [25, 11, 0, 5]);
    assert_eq!(
        rules.parse_position(&rules.format_position(&without)),
        Ok(without)
    );
    let level = game("2\n0\n0 0\n1 2\n1 2\n");
    assert_eq!(level.payoffs(&level.start()), Some(DRAW));
}

#[test]
fn the_maps_that_ship_are_sound_and_somebody_can_move() {
    let maps = maps_in(&folder("data").join("maps"));
    assert_eq!(maps.len(), 13);
    for (name, text) in &maps {
        assert_eq!(Map::parse(text).unwrap().to_string(), *text, "{name}");
        assert_eq!(game(text).start().phase(), Phase::Stones, "{name}");
    }
    let has = |rules: &ReversiXt, cell| rules.map().cells().contains(&cell);
    let specials = [
        Cell::EXPANSION,
        Cell::CHOICE,
        Cell::BONUS,
        Cell::INVERSION,
        Cell::HOLE,
    ];
    let of = |name| game(&maps[name]);
    let (plain, everything) = (of("01_plain_8x8"), of("12_everything_eight_30x30"));
    assert_eq!((plain.map().players(), plain.map().cells().len()), (2, 64));
    for special in specials {
        assert!(!has(&plain, special) && has(&everything, special));
    }
    assert!(everything.map().players() == 8 && !everything.map().transitions().is_empty());
}
