//! The fast rules against the slow reference, on many boards, and perft.

use crate::reference_rules::{Board, Choice, Step};
use crate::support::{assert_near, moves_of, position, successors};
use engine::core::game::Game;
use engine::games::einstein::{
    BLUE, EinStein, GONE, MAX_STONES, Move, Position, RED, Standard, Variant,
    dice::{Die, RandomStream},
    position::Side,
};
use engine::play::perft::perft;
use proptest::prelude::*;
use std::collections::HashMap;

struct Rules<const COLUMNS: usize, const ROWS: usize> {
    game: EinStein<COLUMNS, ROWS>,
    choice: Choice,
    probabilities: Vec<f64>,
}

impl<const COLUMNS: usize, const ROWS: usize> Rules<COLUMNS, ROWS> {
    fn new(variant: Variant, stones: usize, weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().sum();
        let choice = match variant {
            Variant::Classic => Choice::NextHigherOrLower,
            Variant::NearestOnly => Choice::Nearest,
        };
        let die = Die::with_weights(weights).unwrap();
        Self {
            game: EinStein::with_stones(variant, die, stones),
            choice,
            probabilities: weights.iter().map(|weight| weight / sum).collect(),
        }
    }

    fn faces(&self) -> std::ops::RangeInclusive<u8> {
        1..=self.probabilities.len() as u8
    }

    fn names(&self, position: &Position, moves: &[Move]) -> Vec<String> {
        let names = moves.iter().map(|&mv| self.game.format_move(position, mv));
        names.collect()
    }

    fn check(&self, position: &Position, board: &Board) {
        let text = board.write();
        let game = &self.game;
        assert_eq!(game.format_position(position, None), text);
        assert_eq!(game.parse_position(&text), Ok((*position, None)), "{text}");
        let read = Position::from_bits(position.bits(), EinStein::<COLUMNS, ROWS>::SQUARES);
        assert_eq!(read, Some(*position), "{text}");
        let seat = |side| if side == 'r' { RED } else { BLUE };
        assert_eq!(game.to_move(position), seat(board.to_move), "{text}");
        let squares = board.rows.iter().flatten();
        let stones = squares.filter(|&&square| square != '.').count();
        assert_eq!(position.num_stones() as usize, stones, "{text}");

        let winner = board.winner().map(seat);
        assert_eq!(game.winner(position), winner, "{text}");
        match (game.payoffs(position), winner) {
            (None, None) => self.check_moves(position, board),
            (Some(payoffs), Some(winner)) => {
                assert_eq!((payoffs[winner], payoffs[1 - winner]), (1.0, 0.0), "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    fn check_moves(&self, position: &Position, board: &Board) {
        let text = board.write();
        let game = &self.game;
        let permitted = self
            .faces()
            .map(|face| board.permitted_stones(face, self.choice));
        let permitted: Vec<Vec<u8>> = permitted.collect();

        let expected: Vec<String> = (1..=6)
            .filter(|number| permitted.iter().any(|stones| stones.contains(number)))
            .flat_map(|number| board.steps_of(number))
            .map(|step| board.step_name(step))
            .collect();
        let moves = moves_of(game, position);
        assert_eq!(self.names(position, &moves), expected, "{text}");
        assert!(!expected.is_empty(), "{text}: a move always exists");

        let outcomes = game.outcomes(position, &moves);
        let mut weights = vec![0.0; outcomes.len()];
        for face in self.faces() {
            let steps = board.legal_steps(face, self.choice).into_iter();
            let legal: Vec<String> = steps.map(|step| board.step_name(step)).collect();
            let found = self.names(position, &game.legal_moves(position, face));
            assert_eq!(found, legal, "{text}, face {face}");
            let probability = self.probabilities[usize::from(face) - 1];
            if probability > 0.0 {
                let permits = |&index: &usize| {
                    self.names(position, &moves[outcomes[index].move_range()]) == legal
                };
                let matching: Vec<usize> = (0..outcomes.len()).filter(permits).collect();
                let [outcome] = matching[..] else {
                    panic!("{text}, face {face}: equal runs are merged")
                };
                weights[outcome] += probability;
            }
        }
        for (outcome, weight) in outcomes.iter().zip(&weights) {
            assert_near(outcome.weight, *weight, 1e-6, &text);
        }
        assert_near(weights.iter().sum::<f64>(), 1.0, 1e-6, &text);

        let mobility = game.move_probabilities(position.mover().living_set());
        for number in 1..=6 {
            let faces = permitted.iter().zip(&self.probabilities);
            let permitting = faces.filter(|(stones, _)| stones.contains(&number));
            let expected: f64 = permitting.map(|(_, probability)| probability).sum();
            assert_near(mobility[usize::from(number) - 1], expected, 1e-6, &text);
        }
    }

    fn play(&self, position: &Position, board: &Board, step: Step) -> (Position, Board) {
        let mv = self
            .game
            .parse_move(position, &board.step_name(step))
            .unwrap();
        (self.game.play(position, mv), board.after(step))
    }

    fn random_board(&self, random: &mut RandomStream) -> Board {
        let stones = usize::from(self.game.stones_per_side());
        let mut squares: Vec<char> = vec!['.'; COLUMNS * ROWS];
        let [red, blue] = ["123456", "abcdef"].map(|side| side.chars().take(stones));
        for character in red.chain(blue) {
            squares[random.below(COLUMNS * ROWS)] = character;
        }
        Board {
            rows: squares.chunks(COLUMNS).map(<[char]>::to_vec).collect(),
            to_move: if random.below(2) == 0 { 'r' } else { 'b' },
        }
    }

    fn check_random_games(&self, games: usize, seed: u64) {
        let mut random = RandomStream::new(seed);
        let mut key_of: HashMap<Position, u64> = HashMap::new();
        let mut text_of_key: HashMap<u64, String> = HashMap::new();
        for _ in 0..games {
            let mut board = self.random_board(&mut random);
            let Ok((mut position, None)) = self.game.parse_position(&board.write()) else {
                // Only boards without stones or with both goals reached are refused.
                let both_goals = board.rows[ROWS - 1][COLUMNS - 1].is_ascii_digit()
                    && board.rows[0][0].is_ascii_lowercase();
                assert!(both_goals, "{}", board.write());
                continue;
            };
            loop {
                self.check(&position, &board);
                let key = self.game.key(&position);
                assert_eq!(*key_of.entry(position).or_insert(key), key);
                let text = text_of_key.entry(key).or_insert_with(|| board.write());
                assert_eq!(*text, board.write(), "equal keys, equal positions");
                if board.winner().is_some() {
                    break;
                }
                let face = 1 + random.below(self.probabilities.len()) as u8;
                let steps = board.legal_steps(face, self.choice);
                (position, board) = self.play(&position, &board, steps[random.below(steps.len())]);
            }
        }
        assert!(!key_of.is_empty());
        assert_eq!(
            key_of.len(),
            text_of_key.len(),
            "equal positions, equal keys"
        );
    }
}

const FAIR: [f64; 6] = [1.0; 6];

fn check_board<const COLUMNS: usize, const ROWS: usize>(stones: usize, weights: &[f64]) {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        Rules::<COLUMNS, ROWS>::new(variant, stones, weights)
            .check_random_games(250, (COLUMNS * 10 + ROWS) as u64);
    }
}

#[test]
fn the_standard_board_agrees_with_the_reference() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        Rules::<5, 5>::new(variant, 6, &FAIR).check_random_games(1_500, 1);
    }
}

#[test]
fn loaded_dice_agree_with_the_reference() {
    check_board::<5, 5>(6, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    check_board::<5, 5>(6, &[0.0, 1.0, 0.0, 0.25, 0.0, 3.0]);
    check_board::<5, 5>(6, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    check_board::<4, 4>(6, &[0.5, 0.0, 0.5]);
}

#[test]
fn small_boards_fewer_stones_and_fewer_faces_agree_with_the_reference() {
    check_board::<2, 2>(1, &FAIR[..1]);
    check_board::<2, 2>(2, &FAIR[..2]);
    check_board::<2, 3>(2, &FAIR);
    check_board::<3, 2>(3, &FAIR[..2]);
    check_board::<2, 5>(3, &FAIR[..3]);
    check_board::<5, 2>(3, &FAIR[..4]);
    check_board::<3, 3>(3, &FAIR[..3]);
    check_board::<3, 3>(6, &FAIR);
    check_board::<3, 4>(4, &FAIR[..2]);
    check_board::<4, 3>(3, &FAIR);
    check_board::<3, 5>(5, &FAIR[..4]);
    check_board::<4, 4>(6, &FAIR[..1]);
    check_board::<4, 5>(6, &FAIR[..3]);
    check_board::<5, 4>(4, &FAIR[..5]);
}

#[test]
fn games_from_set_ups_agree_with_the_reference() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let rules = Rules::<5, 5>::new(variant, 6, &FAIR);
        let mut random = RandomStream::new(3);
        for index in 0..300 {
            let mut position = rules.game.random_start(&mut random, index % 2);
            let mut board = Board::read(&rules.game.format_position(&position, None));
            let count_in = |from: usize, to: usize| {
                let squares = (0..25).map(|square| (square / 5, square % 5));
                let inside = squares.filter(|(row, column)| (from..=to).contains(&(row + column)));
                inside
                    .filter(|&(row, column)| board.rows[row][column] != '.')
                    .count()
            };
            let triangles = [count_in(0, 2), count_in(6, 8)];
            assert_eq!(triangles, [6; 2], "both are full: {board:?}");
            assert_eq!(position.num_stones(), 12);
            while board.winner().is_none() {
                rules.check(&position, &board);
                let steps = board.legal_steps(1 + random.below(6) as u8, rules.choice);
                (position, board) = rules.play(&position, &board, steps[random.below(steps.len())]);
            }
            rules.check(&position, &board);
        }
    }
}

fn perft_of_outcomes(game: &Standard, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let outcomes = game.outcomes(position, &moves_of(game, position));
    let after = successors(game, position).into_iter();
    let below = after.map(|next| perft_of_outcomes(game, &next, depth - 1));
    let below: Vec<u64> = below.collect();
    let paths = outcomes.iter().map(|outcome| {
        (outcome.weight * 6.0).round() as u64 * below[outcome.move_range()].iter().sum::<u64>()
    });
    paths.sum()
}

#[test]
fn perft_counts_those_of_two_independent_programs() {
    let game = Standard::default();
    let start = position("123../45.../6...a/...bc/..def r -");
    for (depth, paths) in [(1, 18), (2, 324), (3, 6162), (4, 117_369)] {
        let found = [
            perft(&game, &start, depth).leaves,
            perft_of_outcomes(&game, &start, depth),
        ];
        assert_eq!(found, [paths; 2], "depth {depth}");
    }
}

fn some_squares() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![2 => 0u8..31, 3 => Just(GONE)], 2 * MAX_STONES)
}

fn position_of(squares: &[u8], seat: usize) -> Position {
    let side = |from: usize| Side::new(std::array::from_fn(|stone| squares[from + stone]));
    Position::new(side(0), side(MAX_STONES), seat)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packed_forms_are_accepted_exactly_when_they_can_stand(squares in some_squares(), seat in 0usize..2, extra in prop_oneof![4 => Just(0u64), 1 => 1u64..8]) {
        let position = position_of(&squares, seat);
        let living = squares.iter().enumerate().filter(|(_, square)| **square != GONE);
        let seen: Vec<i32> = living.map(|(index, &square)| if index < MAX_STONES { i32::from(square) } else { 24 - i32::from(square) }).collect();
        let on_board = seen.iter().all(|square| (0..25).contains(square));
        let distinct = seen.iter().enumerate().all(|(index, square)| !seen[..index].contains(square));
        let bits = position.bits() | extra << 61;
        let expected = (on_board && distinct && extra == 0).then_some(position);
        prop_assert_eq!(Position::from_bits(bits, 25), expected);
        prop_assert_eq!(position.seat(), seat);
        prop_assert_eq!(position.mover().squares().to_vec(), squares[..MAX_STONES].to_vec());
        prop_assert_eq!(position.side(1 - seat).squares().to_vec(), squares[MAX_STONES..].to_vec());
        prop_assert_eq!(position.num_stones() as usize, seen.len());
        let alive = (0..MAX_STONES).fold(0u8, |alive, stone| alive | u8::from(squares[stone] != GONE) << stone);
        prop_assert_eq!(position.mover().living_set(), alive);
        prop_assert_eq!(position.mover().is_empty(), alive == 0);
        for square in 0..25 {
            let stone = squares[..MAX_STONES].iter().position(|&occupied| occupied == square);
            prop_assert_eq!(position.mover().stone_on(square), stone);
            prop_assert_eq!(position.mover().occupies(square), stone.is_some());
        }
    }

    #[test]
    fn keys_of_different_positions_differ(one in some_squares(), other in some_squares(), seats in (0usize..2, 0usize..2)) {
        let (first, second) = (position_of(&one, seats.0), position_of(&other, seats.1));
        prop_assert_eq!(first == second, first.key() == second.key());
        prop_assert_eq!(position_of(&one, seats.0).key(), first.key());
        prop_assert_ne!(position_of(&one, 1 - seats.0).key(), first.key());
    }
}

#[test]
fn lists_take_the_first_of_a_few_items() {
    let mut list = engine::core::game::FixedList::<u8, 6>::default();
    list.push_prefix([1, 2, 3], 2);
    list.push_prefix([4, 5, 6], 0);
    list.push_prefix([7, 8, 9], 3);
    assert_eq!(*list, [1, 2, 7, 8, 9]);
    list.push(10);
    assert_eq!(list.len(), 6);
}
