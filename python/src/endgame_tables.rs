//! Exact values of endgames: NaN outside of the tables, payoffs of finished positions.

use crate::game_dispatch::{Game, Rules, game};
use crate::integers::{Integer, extract_all};
use crate::positions::{check_outcome, parse_positions};
use crate::{PyRes, run_jobs, value_error};
use engine::core::game::Game as _;
use engine::games::einstein::{
    Position, Standard,
    tables::{Tables as Exact, shared_tables},
};
use engine::play::playable::ChanceSources;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::{path::PathBuf, sync::Arc};

/// The largest number of moves in a position.
const NUM_MOVE_COLUMNS: usize = 18;
/// Positions per batch: in memory as many as are prefetched together; from files more, to read them
/// in file order.
const BATCH_SIZES: [usize; 2] = [32, 1 << 20];

/// Exact values of all positions of EinStein with at most `stones` stones, both sides together.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Tables {
    game: Game,
    pub(crate) rules: Rules<Standard>,
    pub(crate) tables: Arc<Exact>,
    batch_size: usize,
}

impl Tables {
    fn parse(&self, positions: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
        let positions = parse_positions(&self.game, positions)?;
        Ok(self.rules.typed_positions(&positions)?)
    }

    fn values(&self, positions: &[Position]) -> Vec<f32> {
        let over = |position: &Position| self.rules.game.payoff(position, position.seat());
        let mut values = Vec::with_capacity(positions.len());
        let (mut unfinished, mut found) = (Vec::new(), Vec::new());
        for positions in positions.chunks(self.batch_size) {
            unfinished.clear();
            unfinished.extend(positions.iter().filter(|position| over(position).is_none()));
            found.resize(unfinished.len(), None);
            self.tables.values(&unfinished, &mut found);
            let mut found = found.iter();
            values.extend(positions.iter().map(|position| {
                let value = over(position).or_else(|| *found.next()?);
                value.unwrap_or(f32::NAN)
            }));
        }
        values
    }

    /// Values of each position's moves, or of those that its outcome allows, for the seat that
    /// moves; in list order, NaN behind the last.
    fn move_values(&self, positions: &[Position], outcomes: Option<&[u8]>) -> Vec<f32> {
        let game = &*self.rules.game;
        let (mut after, mut indices) = (Vec::new(), Vec::new());
        for (number, position) in positions.iter().enumerate() {
            let outcome = outcomes.map(|outcomes| outcomes[number]);
            for (index, &mv) in ChanceSources::legal_moves(game, position, outcome)
                .iter()
                .enumerate()
            {
                after.push(game.play(position, mv));
                indices.push(number * NUM_MOVE_COLUMNS + index);
            }
        }
        let mut move_values_of = vec![f32::NAN; positions.len() * NUM_MOVE_COLUMNS];
        for (index, value) in indices.into_iter().zip(self.values(&after)) {
            // A successor's value is for the other side.
            move_values_of[index] = 1.0 - value;
        }
        move_values_of
    }
}

#[pymethods]
impl Tables {
    #[new]
    #[pyo3(signature = (stones, name, folder = None))]
    fn new(
        py: Python<'_>,
        stones: Integer<usize>,
        name: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let Integer(stones) = stones;
        let rules: Rules<Standard> = Rules::from_text(name, None)?;
        let variant = rules.game.variant();
        let tables = py.detach(|| match &folder {
            Some(folder) => Exact::open(folder, stones, variant, &run_jobs),
            None => shared_tables::shared_tables(stones, variant),
        });
        Ok(Self {
            game: game(name)?,
            rules,
            tables: tables.map_err(value_error)?,
            batch_size: BATCH_SIZES[usize::from(folder.is_some())],
        })
    }

    /// Win probabilities of the sides to move, before the roll: (n,) float32.
    fn value<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let parse = self.parse(positions)?;
        Ok(PyArray1::from_vec(py, py.detach(|| self.values(&parse))))
    }

    /// The value of every move to the seat that makes it, or of those that `outcomes[i]` allows: (n, 18)
    /// float32, in list order, NaN behind the last.
    #[pyo3(signature = (positions, outcomes = None))]
    fn moves<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        outcomes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let parse = self.parse(positions)?;
        let count = parse.len();
        let check = |outcome: &i64| check_outcome(&*self.rules.game, *outcome);
        let outcomes = match outcomes {
            Some(outcomes) => {
                let outcomes = extract_all(outcomes, "an outcome")?;
                let check = outcomes.iter().map(check);
                Some(check.collect::<PyRes<Vec<u8>>>()?)
            }
            None => None,
        };
        if let Some(found) = outcomes
            .as_ref()
            .map(Vec::len)
            .filter(|&found| found != count)
        {
            return Err(value_error(format!(
                "{count} positions need as many outcomes, not {found}"
            )));
        }
        let move_values_of = py.detach(|| self.move_values(&parse, outcomes.as_deref()));
        PyArray1::from_vec(py, move_values_of).reshape([count, NUM_MOVE_COLUMNS])
    }
}
