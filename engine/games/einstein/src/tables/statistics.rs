//! Statistics of the tables by class. Results are independent of the order of jobs: sums are
//! integers, and the packed position breaks ties. Positions stored twice (see `index.rs`) count
//! twice.

use super::{Run, Tables, index::Class, visit::PositionVisitor};
use crate::{Move, Position, Standard};
use alea_core::game::Game;
use std::{
    cmp::Reverse,
    sync::{Mutex, PoisonError},
};

/// Statistics of the stored positions of a class, before the roll.
#[derive(Clone, Debug)]
pub struct ClassStatistics {
    /// Numbers of stones of the side to move and of the other side.
    pub class: Class,
    /// Number of positions; symmetric ones count once, as do all labels of a side's single stone.
    pub positions: u64,
    /// Number of positions that the side to move certainly wins.
    pub won: u64,
    /// Number of positions that the side to move certainly loses.
    pub lost: u64,
    /// Mean win probability of the side to move.
    pub mean: f64,
    /// Mean gain from having the move: a side's win probability when it is to move minus that when
    /// the other side is.
    pub tempo: f64,
    /// The position with the largest gain from having the move, and that gain.
    pub max_tempo: Option<(Position, f64)>,
    /// The position with the smallest gain from having the move (the worst zugzwang), and that
    /// gain.
    pub min_tempo: Option<(Position, f64)>,
    /// The self-capture with the largest lead (possibly negative) over the best other move.
    pub self_capture: Option<SelfCapture>,
}

/// A roll's best capture of an own stone, and the best other move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfCapture {
    /// The position before the roll.
    pub position: Position,
    /// The rolled face, 1 to 6.
    pub face: u8,
    /// The best legal move that captures an own stone.
    pub capture: Move,
    /// The mover's win probability after `capture`.
    pub value: f64,
    /// The best legal move that captures no own stone.
    pub instead: Move,
    /// The mover's win probability after `instead`.
    pub instead_value: f64,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    positions: u64,
    won: u64,
    lost: u64,
    values: u64,
    tempo: i64,
    max_tempo: Option<Extremum<Position>>,
    min_tempo: Option<Extremum<Position>>,
    self_capture: Option<Extremum<SelfCapture>>,
}

/// A value in units of 1/65535, the packed position, and data.
type Extremum<T> = (i64, Reverse<u64>, T);

fn replace_if_larger<T>(largest: &mut Option<Extremum<T>>, found: Option<Extremum<T>>) {
    let better = |found: &Extremum<T>| {
        largest
            .as_ref()
            .is_none_or(|largest| (found.0, found.1) > (largest.0, largest.1))
    };
    if found.as_ref().is_some_and(better) {
        *largest = found;
    }
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.won += other.won;
        self.lost += other.lost;
        self.values += other.values;
        self.tempo += other.tempo;
        replace_if_larger(&mut self.max_tempo, other.max_tempo);
        replace_if_larger(&mut self.min_tempo, other.min_tempo);
        replace_if_larger(&mut self.self_capture, other.self_capture);
    }

    fn add_position(&mut self, tables: &Tables, game: &Standard, position: &Position) {
        let Some(value) = tables.value_units(position) else {
            return;
        };
        self.positions += 1;
        self.won += u64::from(value == u16::MAX);
        self.lost += u64::from(value == 0);
        self.values += u64::from(value);
        if let Some(other) = tables.value_units(&position.pass_turn()) {
            let size = i64::from(value) + i64::from(other) - i64::from(u16::MAX);
            self.tempo += size;
            let extreme = |size| Some((size, Reverse(position.bits()), *position));
            replace_if_larger(&mut self.max_tempo, extreme(size));
            replace_if_larger(&mut self.min_tempo, extreme(-size));
        }
        self.add_self_captures(tables, game, position);
    }

    fn add_self_captures(&mut self, tables: &Tables, game: &Standard, position: &Position) {
        let moves = game.all_moves(position);
        let is_capture = |mv: Move| {
            position
                .mover()
                .occupies(Standard::destination(position, mv))
        };
        if !moves.iter().any(|&mv| is_capture(mv)) {
            return;
        }
        let mut units = [0u16; 18];
        for &mv in moves.iter() {
            let after = game.play(position, mv);
            units[usize::from(mv.number())] = match game.winner(&after) {
                Some(_) => u16::MAX,
                None => u16::MAX - tables.value_units(&after).unwrap_or(u16::MAX),
            };
        }
        for face in 1..=6 {
            let legal = game.legal_moves(position, face);
            let best = |captures: bool| {
                let some = legal
                    .iter()
                    .copied()
                    .filter(|&mv| is_capture(mv) == captures);
                some.map(|mv| (i64::from(units[usize::from(mv.number())]), mv))
                    .max_by_key(|(value, _)| *value)
            };
            if let (Some((value, capture)), Some((other, instead))) = (best(true), best(false)) {
                let found = SelfCapture {
                    position: *position,
                    face,
                    capture,
                    value: probability_of(value),
                    instead,
                    instead_value: probability_of(other),
                };
                let extreme = (value - other, Reverse(position.bits()), found);
                replace_if_larger(&mut self.self_capture, Some(extreme));
            }
        }
    }
}

fn probability_of(units: i64) -> f64 {
    units as f64 / 65535.0
}

impl Tables {
    /// Statistics of `class`; panics unless [`Self::matches_rules`] and the tables have the class.
    pub fn statistics(&self, game: &Standard, class: Class, run: Run<'_>) -> ClassStatistics {
        assert!(
            self.matches_rules(game) && class.stones() <= self.stones,
            "tables only know their own game and classes"
        );
        let walk = PositionVisitor::new(&self.index, class);
        let all = Mutex::new(Sums::default());
        run(walk.rows(), &|row| {
            let mut sums = Sums::default();
            walk.visit_row(row, None, |position| {
                sums.add_position(self, game, &position)
            });
            all.lock().unwrap_or_else(PoisonError::into_inner).add(sums);
        });
        let sums = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let number = sums.positions.max(1) as f64;
        ClassStatistics {
            class,
            positions: sums.positions,
            won: sums.won,
            lost: sums.lost,
            mean: probability_of(sums.values as i64) / number,
            tempo: probability_of(sums.tempo) / number,
            max_tempo: sums
                .max_tempo
                .map(|(size, _, position)| (position, probability_of(size))),
            min_tempo: sums
                .min_tempo
                .map(|(size, _, position)| (position, probability_of(-size))),
            self_capture: sums.self_capture.map(|(.., found)| found),
        }
    }
}
