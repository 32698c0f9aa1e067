//! Exact endgames, asked for whole arrays.
//!
//! Invariant: what the tables do not reach is NaN; positions that are over have their payoff, and no
//! moves.

use crate::{
    Game,
    rules::{self, Positions, with_game},
    told, wrong,
};
use engine::core::game::Game as _;
use engine::games::einstein::{
    MoveList, Position, Standard,
    tables::{Tables as Exact, shared},
};
use engine::play::playable::Playable as _;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// Most moves of a position.
const MOST_MOVES: usize = 18;
/// Positions that are looked up together: as many as the tables fetch at once.
const TOGETHER: usize = 32;

/// Exact values of all positions of EinStein with at most `stones` stones, both sides together.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Tables {
    game: Game,
    rules: Standard,
    tables: Arc<Exact>,
}

impl Tables {
    fn read(&self, positions: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
        let packed = match crate::positions_of(&self.game, positions)? {
            Positions::Packed(packed) => packed,
            states => told(with_game!(self.game.0, of => of.packed(&states)))?,
        };
        let places = packed.iter().enumerate();
        let read = places.map(|(place, &bits)| rules::unpacked(&self.rules, bits, place));
        told(read.collect())
    }

    fn values(&self, positions: &[Position]) -> Vec<f32> {
        let mut values = Vec::with_capacity(positions.len());
        for positions in positions.chunks(TOGETHER) {
            let over = |position: &Position| self.rules.payoff(position, position.seat());
            let (mut asked, mut open) = ([positions[0]; TOGETHER], 0);
            for position in positions.iter().filter(|position| over(position).is_none()) {
                asked[open] = *position;
                open += 1;
            }
            let mut found = [None; TOGETHER];
            self.tables.values(&asked[..open], &mut found[..open]);
            let mut found = found.into_iter();
            values.extend(positions.iter().map(|position| {
                let known = over(position).or_else(|| found.next()?);
                known.unwrap_or(f32::NAN)
            }));
        }
        values
    }

    /// What each move is worth to who makes it, of those that the outcome permits, or of all; in list
    /// order, NaN behind the last.
    fn rated(&self, positions: &[Position], outcomes: Option<&[u8]>) -> Vec<f32> {
        let (mut after, mut places) = (Vec::new(), Vec::new());
        for (number, position) in positions.iter().enumerate() {
            let mut moves = MoveList::default();
            match outcomes {
                _ if self.rules.payoffs(position).is_some() => {}
                Some(outcomes) => self.rules.permitted(position, outcomes[number], &mut moves),
                None => self.rules.moves(position, &mut moves),
            }
            for (place, &mv) in moves.iter().enumerate() {
                after.push(self.rules.play(position, mv));
                places.push(number * MOST_MOVES + place);
            }
        }
        let mut rated = vec![f32::NAN; positions.len() * MOST_MOVES];
        for (place, value) in places.into_iter().zip(self.values(&after)) {
            // Whoever moved sees the other side's value.
            rated[place] = 1.0 - value;
        }
        rated
    }
}

#[pymethods]
impl Tables {
    #[new]
    #[pyo3(signature = (stones = 5, game = "einstein"))]
    fn new(py: Python<'_>, stones: usize, game: &str) -> PyResult<Self> {
        let rules = Standard::from_notation(game, None).map_err(wrong)?;
        let made = py.detach(|| shared::shared(stones, rules.variant()));
        Ok(Self {
            game: crate::game(game)?,
            rules,
            tables: made.map_err(wrong)?,
        })
    }

    /// Win probabilities of the sides to move, before the roll: (n,) float32.
    fn value<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let read = self.read(positions)?;
        Ok(PyArray1::from_vec(py, py.detach(|| self.values(&read))))
    }

    /// What every move is worth to who makes it, or every one that `outcomes[i]` permits: (n, 18)
    /// float32, in list order, NaN behind the last.
    #[pyo3(signature = (positions, outcomes = None))]
    fn moves<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        outcomes: Option<Vec<u8>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let read = self.read(positions)?;
        let count = read.len();
        let names = self.rules.outcome_names();
        if let Some(outcomes) = &outcomes
            && (outcomes.len() != count || !outcomes.iter().all(|face| names.contains(face)))
        {
            return Err(wrong(format!(
                "{count} positions need as many outcomes, each 1 to 6"
            )));
        }
        let rated = py.detach(|| self.rated(&read, outcomes.as_deref()));
        PyArray1::from_vec(py, rated).reshape([count, MOST_MOVES])
    }
}
