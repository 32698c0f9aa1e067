//! Positions with their games, and arrays of them.

use crate::game_dispatch::{Game, Rules, any_game, dispatch};
use crate::integers::{Integer, integer};
use crate::{PyRes, value_error};
use engine::core::game::{Game as _, Outcome};
use engine::games::einstein;
use engine::learned::inputs::Learnable;
use engine::play::playable::{GameText as _, Rules as _};
use numpy::{PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{
    prelude::*,
    types::{PyString, PyType},
};
use std::sync::Arc;

/// An immutable position before chance.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Position(pub(crate) AnyPosition);

pub(crate) type AnyPosition = any_game!(SharedPosition);
type SharedPosition<G> = Arc<GamePosition<G>>;

pub(crate) type PositionQuery = (AnyPosition, Option<u8>);

pub(crate) enum Positions {
    Listed(Vec<AnyPosition>),
    Packed(Vec<u64>),
}

pub(crate) struct GamePosition<G: Learnable> {
    pub(crate) game: Arc<G>,
    pub(crate) position: G::Position,
}

impl<G: Learnable> GamePosition<G> {
    fn is_of_game(&self, game: &G) -> bool {
        std::ptr::eq(&raw const *self.game, &raw const *game)
            || self.game.notation() == game.notation() && self.game.map_text() == game.map_text()
    }

    pub(crate) fn check(&self, outcome: Option<u8>) -> PyRes<()> {
        let checked = outcome.map(|outcome| check_outcome(&*self.game, outcome.into()));
        checked.transpose().map(drop)
    }

    pub(crate) fn legal_moves(&self, outcome: Option<u8>) -> PyRes<G::Moves> {
        self.check(outcome)?;
        Ok(self.game.legal_moves(&self.position, outcome))
    }

    fn text(&self) -> String {
        self.game.format_position(&self.position, None)
    }

    fn move_texts(&self, outcome: Option<u8>) -> PyRes<Vec<String>> {
        let name = |&mv| self.game.format_move(&self.position, mv);
        Ok(self.legal_moves(outcome)?.iter().map(name).collect())
    }

    fn play(&self, mv: &Bound<'_, PyAny>, outcome: Option<u8>) -> PyResult<Arc<Self>> {
        let legal = self.legal_moves(outcome)?;
        let mv = if let Ok(name) = mv.cast::<PyString>() {
            Ok(self.find_move(&name.to_cow()?, &legal)?)
        } else {
            let index = integer(mv, "a move is its text or its index, and that")?;
            usize::try_from(index)
                .ok()
                .and_then(|index| legal.get(index).copied())
                .ok_or_else(|| {
                    let count = legal.len();
                    let range = format!("below {count}, the number of moves, not {index}");
                    value_error(format!("a move's index is {range}"))
                })
        };
        Ok(Arc::new(Self {
            game: Arc::clone(&self.game),
            position: self.game.play(&self.position, mv?),
        }))
    }

    fn find_move(&self, name: &str, legal: &[G::Move]) -> PyRes<G::Move> {
        let is_named = |mv: &&G::Move| self.game.format_move(&self.position, **mv) == name;
        if let Some(mv) = legal.iter().find(is_named) {
            return Ok(*mv);
        }
        // Another spelling of a legal move, or the error.
        let read = self.game.parse_move(&self.position, None, name)?;
        let permitted = legal.contains(&read).then_some(read);
        Ok(permitted.ok_or_else(|| format!("'{name}' is not permitted here"))?)
    }
}

pub(crate) fn check_outcome<G: Learnable>(game: &G, outcome: i64) -> PyRes<u8> {
    let range = game.outcome_numbers();
    let valid = u8::try_from(outcome).ok();
    let valid = valid.filter(|outcome| range.contains(outcome));
    let (first, last) = (range.start(), range.end());
    Ok(valid.ok_or_else(|| format!("an outcome is {first} to {last}, not {outcome}"))?)
}

pub(crate) fn optional_outcome<G: Learnable>(
    game: &G,
    outcome: Option<&Integer<i64>>,
) -> PyRes<Option<u8>> {
    let checked = outcome.map(|&Integer(outcome)| check_outcome(game, outcome));
    checked.transpose()
}

/// Fails unless the position's game has the notation and map of `game`.
pub(crate) fn downcast_position<'a, G: Learnable>(
    game: &G,
    position: &'a AnyPosition,
) -> PyRes<&'a GamePosition<G>> {
    let position: &dyn std::any::Any = dispatch!(position, at => &**at);
    let own = position
        .downcast_ref::<GamePosition<G>>()
        .filter(|at| at.is_of_game(game));
    let other = || format!("the position is of another game than {}", game.notation());
    Ok(own.ok_or_else(other)?)
}

/// Unpacks a position of EinStein (docs/reference/formats.md); an error in other games.
pub(crate) fn unpack_position<G: Learnable>(
    game: &G,
    bits: u64,
    index: usize,
) -> PyRes<G::Position> {
    let position = einstein::Position::from_bits(bits, einstein::Standard::SQUARES);
    let position: Option<&dyn std::any::Any> = position.as_ref().map(|position| position as _);
    if G::INFO.name != einstein::Standard::INFO.name {
        let name = game.notation();
        return Err(format!(
            "positions of {name} have no packed form; texts and positions are taken"
        )
        .into());
    }
    let own = position.and_then(|position| position.downcast_ref().copied());
    Ok(own.ok_or_else(|| format!("at {index}: {bits} is no packed position"))?)
}

/// Packed form of a position of EinStein; `None` in other games.
pub(crate) fn packed_bits<P: 'static>(position: &P) -> Option<u64> {
    let position: &dyn std::any::Any = position;
    let position = position.downcast_ref::<einstein::Position>();
    position.map(einstein::Position::bits)
}

/// Outcomes with their probabilities; empty once the game is over.
pub(crate) fn outcome_probabilities<G: Learnable>(
    game: &G,
    position: &G::Position,
) -> Vec<(u8, f32)> {
    if game.payoffs(position).is_some() {
        return Vec::new();
    }
    let by_outcome = game.with_unmerged_outcomes();
    let mut moves = G::Moves::default();
    by_outcome.moves(position, &mut moves);
    let outcomes = by_outcome.outcomes(position, &moves);
    let weights = outcomes.iter().map(|outcome: &Outcome| outcome.weight);
    game.outcome_numbers().zip(weights).collect()
}

/// A position, or a text with an optional outcome.
pub(crate) fn parse_query(game: &Game, position: &Bound<'_, PyAny>) -> PyResult<PositionQuery> {
    if let Ok(position) = position.cast::<Position>() {
        return Ok((position.get().0.clone(), None));
    }
    let Ok(text) = position.cast::<PyString>() else {
        let kind = position.get_type().name()?;
        let line = format!("a position is an alea.Position or its text, not of type {kind}");
        return Err(value_error(line));
    };
    let (text, outcome_in_text) = (text.to_cow()?, &mut None);
    let read = dispatch!(&game.0, rules => in {
        let (at, outcome) = rules.parse(&text)?;
        *outcome_in_text = outcome;
        at
    });
    Ok((read, *outcome_in_text))
}

/// An array of packed positions, or a sequence of positions and texts.
pub(crate) fn parse_positions(game: &Game, positions: &Bound<'_, PyAny>) -> PyResult<Positions> {
    if let Ok(packed) = positions.extract::<PyReadonlyArray1<'_, u64>>() {
        let packed = packed.as_array().iter().copied().collect();
        return Ok(Positions::Packed(packed));
    }
    if let Ok(array) = positions.cast::<PyUntypedArray>()
        && array.dtype().kind() != b'O'
    {
        let (kind, shape) = (array.dtype(), array.getattr("shape")?);
        let line = format!("packed positions are an array (n,) of uint64, not {kind} {shape}");
        return Err(value_error(line));
    }
    let positions: Vec<Bound<'_, PyAny>> = positions.extract()?;
    let read = positions
        .iter()
        .map(|position| Ok(parse_query(game, position)?.0));
    Ok(Positions::Listed(read.collect::<PyResult<_>>()?))
}

#[pymethods]
impl Position {
    /// The position of a text, without its outcome.
    #[new]
    fn new(game: &Game, text: &str) -> PyRes<Self> {
        game.position(text)
    }

    /// Type, game and text that make the position again, for pickling.
    fn __reduce__<'py>(own: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Game, String))> {
        let game = dispatch!(&own.get().0, at => in Rules::new(Arc::clone(&at.game)));
        Ok((own.get_type(), (Game(game), own.get().text())))
    }

    fn __copy__(own: &Bound<'_, Self>) -> Py<Self> {
        own.clone().unbind()
    }

    fn __deepcopy__(own: &Bound<'_, Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own.clone().unbind()
    }

    /// The position as text, as on the command line.
    #[getter]
    fn text(&self) -> String {
        dispatch!(&self.0, at => at.text())
    }

    /// The seat to move, from 0.
    #[getter]
    fn to_move(&self) -> usize {
        dispatch!(&self.0, at => at.game.to_move(&at.position))
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.payoffs().is_some()
    }

    /// The payoff of each seat, in [0, 1], a draw ½; `None` before the end.
    #[getter]
    fn payoffs(&self) -> Option<Vec<f32>> {
        dispatch!(&self.0, at => {
            let payoffs = at.game.payoffs(&at.position)?;
            Some(payoffs[..at.game.seats()].to_vec())
        })
    }

    /// The outcomes with their probabilities; empty once the game is over.
    fn outcomes(&self) -> Vec<(u8, f32)> {
        dispatch!(&self.0, at => outcome_probabilities(&*at.game, &at.position))
    }

    /// The moves that an outcome allows, or all of the position, in list order.
    #[pyo3(signature = (outcome = None))]
    fn moves(&self, outcome: Option<Integer<i64>>) -> PyRes<Vec<String>> {
        dispatch!(&self.0, at => at.move_texts(optional_outcome(&*at.game, outcome.as_ref())?))
    }

    /// The position after a move, given as text or as its index in `moves(outcome)`.
    #[pyo3(signature = (mv, outcome = None))]
    fn play(&self, mv: &Bound<'_, PyAny>, outcome: Option<Integer<i64>>) -> PyResult<Self> {
        Ok(Self(dispatch!(&self.0, at => in {
            at.play(mv, optional_outcome(&*at.game, outcome.as_ref())?)?
        })))
    }

    /// The position as one `<svg>` element.
    #[pyo3(signature = (outcome = None))]
    fn svg(&self, outcome: Option<Integer<i64>>) -> PyRes<String> {
        dispatch!(&self.0, at => {
            let outcome = optional_outcome(&*at.game, outcome.as_ref())?;
            Ok(at.game.svg(&at.position, outcome))
        })
    }

    fn _repr_svg_(&self) -> PyRes<String> {
        self.svg(None)
    }

    fn __str__(&self) -> String {
        dispatch!(&self.0, at => at.game.text_diagram(&at.position, None))
    }

    fn __repr__(&self) -> String {
        format!("<alea.Position {:?}>", self.text())
    }

    fn __hash__(&self) -> u64 {
        dispatch!(&self.0, at => at.game.key(&at.position))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else {
            return false;
        };
        dispatch!(&self.0, at => {
            downcast_position(&*at.game, &other.get().0).is_ok_and(|other| other.position == at.position)
        })
    }
}
