//! Exact endgames, asked for whole arrays.
//!
//! Invariant: what the tables do not reach is NaN; positions that are over have their payoff, and no
//! moves.

use crate::games::{Game, Rules, game};
use crate::positions::{outcome_named, positions_of};
use crate::whole::{Whole, all};
use crate::{Told, in_parallel, wrong};
use engine::core::game::Game as _;
use engine::games::einstein::{
    Position, Standard,
    tables::{Tables as Exact, shared},
};
use engine::play::playable::Playable as _;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::{path::PathBuf, sync::Arc};

/// Most moves of a position.
const MAX_STORED_MOVES: usize = 18;
/// In memory as many are looked up together as are fetched at once; in files many, in their order.
const TOGETHER: [usize; 2] = [32, 1 << 20];

/// Exact values of all positions of EinStein with at most `stones` stones, both sides together.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Tables {
    game: Game,
    pub(crate) rules: Rules<Standard>,
    pub(crate) tables: Arc<Exact>,
    /// Positions that are looked up together.
    together: usize,
}

impl Tables {
    fn read(&self, positions: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
        let positions = positions_of(&self.game, positions)?;
        Ok(self.rules.own(&positions)?)
    }

    fn values(&self, positions: &[Position]) -> Vec<f32> {
        let over = |position: &Position| self.rules.game.payoff(position, position.seat());
        let mut values = Vec::with_capacity(positions.len());
        let (mut asked, mut found) = (Vec::new(), Vec::new());
        for positions in positions.chunks(self.together) {
            asked.clear();
            asked.extend(positions.iter().filter(|position| over(position).is_none()));
            found.resize(asked.len(), None);
            self.tables.values(&asked, &mut found);
            let mut found = found.iter();
            values.extend(positions.iter().map(|position| {
                let known = over(position).or_else(|| *found.next()?);
                known.unwrap_or(f32::NAN)
            }));
        }
        values
    }

    /// What each move is worth to who makes it, of those that the outcome permits, or of all; in list
    /// order, NaN behind the last.
    fn rated(&self, positions: &[Position], outcomes: Option<&[u8]>) -> Vec<f32> {
        let game = &*self.rules.game;
        let (mut after, mut places) = (Vec::new(), Vec::new());
        for (number, position) in positions.iter().enumerate() {
            let outcome = outcomes.map(|outcomes| outcomes[number]);
            for (index, &mv) in game.legal(position, outcome).iter().enumerate() {
                after.push(game.play(position, mv));
                places.push(number * MAX_STORED_MOVES + index);
            }
        }
        let mut rated = vec![f32::NAN; positions.len() * MAX_STORED_MOVES];
        for (index, value) in places.into_iter().zip(self.values(&after)) {
            // Whoever moved sees the other side's value.
            rated[index] = 1.0 - value;
        }
        rated
    }
}

#[pymethods]
impl Tables {
    #[new]
    #[pyo3(signature = (stones, name, folder = None))]
    fn new(
        py: Python<'_>,
        stones: Whole<usize>,
        name: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let Whole(stones) = stones;
        let rules: Rules<Standard> = Rules::read(name, None)?;
        let variant = rules.game.variant();
        let tables = py.detach(|| match &folder {
            Some(folder) => Exact::open(folder, stones, variant, &in_parallel),
            None => shared::shared(stones, variant),
        });
        Ok(Self {
            game: game(name)?,
            rules,
            tables: tables.map_err(wrong)?,
            together: TOGETHER[usize::from(folder.is_some())],
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
        outcomes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let read = self.read(positions)?;
        let count = read.len();
        let named = |outcome: &i64| outcome_named(&*self.rules.game, *outcome);
        let outcomes = match outcomes {
            Some(outcomes) => {
                let outcomes = all(outcomes, "an outcome")?;
                let named = outcomes.iter().map(named);
                Some(named.collect::<Told<Vec<u8>>>()?)
            }
            None => None,
        };
        if let Some(found) = outcomes
            .as_ref()
            .map(Vec::len)
            .filter(|&found| found != count)
        {
            return Err(wrong(format!(
                "{count} positions need as many outcomes, not {found}"
            )));
        }
        let rated = py.detach(|| self.rated(&read, outcomes.as_deref()));
        PyArray1::from_vec(py, rated).reshape([count, MAX_STORED_MOVES])
    }
}
