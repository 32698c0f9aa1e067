//! Positions with their games, and arrays of them.
//!
//! Invariant: a position goes back to its type only in a game of the same notation and the same map,
//! so none is read by other rules.

use crate::games::{Game, Rules, any, each};
use crate::whole::{Whole, whole};
use crate::{Told, wrong};
use engine::core::game::{Game as _, Outcome};
use engine::games::einstein;
use engine::learned::inputs::Learnable;
use engine::play::playable::Playable as _;
use numpy::{PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{
    prelude::*,
    types::{PyString, PyType},
};
use std::{any::Any, sync::Arc};

/// A position before chance has spoken. It never changes.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Position(pub(crate) AnyAt);

/// A position of any game.
pub(crate) type AnyAt = any!(Shared);
type Shared<G> = Arc<At<G>>;

/// A position and what chance has said of it.
pub(crate) type Question = (AnyAt, Option<u8>);

/// Positions as Python has them.
pub(crate) enum Positions {
    Read(Vec<AnyAt>),
    Packed(Vec<u64>),
}

pub(crate) struct At<G: Learnable> {
    pub(crate) game: Arc<G>,
    pub(crate) position: G::Position,
}

impl<G: Learnable> At<G> {
    fn same_game(&self, game: &G) -> bool {
        std::ptr::eq(&raw const *self.game, &raw const *game)
            || self.game.notation() == game.notation() && self.game.map() == game.map()
    }

    /// Whether chance can say that, if it says something.
    pub(crate) fn check(&self, outcome: Option<u8>) -> Told<()> {
        let named = outcome.map(|outcome| outcome_named(&*self.game, outcome.into()));
        named.transpose().map(drop)
    }

    pub(crate) fn legal(&self, outcome: Option<u8>) -> Told<G::Moves> {
        self.check(outcome)?;
        Ok(self.game.legal(&self.position, outcome))
    }

    fn text(&self) -> String {
        self.game.format_position(&self.position, None)
    }

    fn names(&self, outcome: Option<u8>) -> Told<Vec<String>> {
        let name = |&mv| self.game.format_move(&self.position, mv);
        Ok(self.legal(outcome)?.iter().map(name).collect())
    }

    fn play(&self, mv: &Bound<'_, PyAny>, outcome: Option<u8>) -> PyResult<Arc<Self>> {
        let legal = self.legal(outcome)?;
        let mv = if let Ok(name) = mv.cast::<PyString>() {
            Ok(self.named(&name.to_cow()?, &legal)?)
        } else {
            let index = whole(mv, "a move is its text or its index, and that")?;
            usize::try_from(index)
                .ok()
                .and_then(|index| legal.get(index).copied())
                .ok_or_else(|| {
                    let count = legal.len();
                    let range = format!("below {count}, the number of moves, not {index}");
                    wrong(format!("a move's index is {range}"))
                })
        };
        Ok(Arc::new(Self {
            game: Arc::clone(&self.game),
            position: self.game.play(&self.position, mv?),
        }))
    }

    fn named(&self, name: &str, legal: &[G::Move]) -> Told<G::Move> {
        let is_named = |mv: &&G::Move| self.game.format_move(&self.position, **mv) == name;
        if let Some(mv) = legal.iter().find(is_named) {
            return Ok(*mv);
        }
        // The engine's reader says what is wrong, or knows another spelling.
        let read = self.game.parse_move(&self.position, name)?;
        let permitted = legal.contains(&read).then_some(read);
        Ok(permitted.ok_or_else(|| format!("'{name}' is not permitted here"))?)
    }
}

/// What chance says, if it can.
pub(crate) fn outcome_named<G: Learnable>(game: &G, outcome: i64) -> Told<u8> {
    let names = game.outcome_names();
    let named = u8::try_from(outcome).ok();
    let named = named.filter(|outcome| names.contains(outcome));
    let (first, last) = (names.start(), names.end());
    Ok(named.ok_or_else(|| format!("an outcome is {first} to {last}, not {outcome}"))?)
}

/// The outcome that Python names, if it names one.
pub(crate) fn heard<G: Learnable>(game: &G, outcome: Option<&Whole<i64>>) -> Told<Option<u8>> {
    let named = outcome.map(|&Whole(outcome)| outcome_named(game, outcome));
    named.transpose()
}

/// A position as one of this game.
pub(crate) fn own<'a, G: Learnable>(game: &G, position: &'a AnyAt) -> Told<&'a At<G>> {
    let any: &dyn Any = each!(position, at => &**at);
    let own = any.downcast_ref::<At<G>>().filter(|at| at.same_game(game));
    let other = || format!("the position is of another game than {}", game.notation());
    Ok(own.ok_or_else(other)?)
}

/// A position of EinStein from its 64 bits, see docs/reference/formats.md.
pub(crate) fn unpacked<G: Learnable>(game: &G, bits: u64, place: usize) -> Told<G::Position> {
    let position = einstein::Position::from_bits(bits, einstein::Standard::SQUARES);
    let position: Option<&dyn Any> = position.as_ref().map(|position| position as _);
    if G::NAME != einstein::Standard::NAME {
        let name = game.notation();
        return Err(format!(
            "positions of {name} have no packed form; texts and positions are taken"
        )
        .into());
    }
    let own = position.and_then(|position| position.downcast_ref().copied());
    Ok(own.ok_or_else(|| format!("at {place}: {bits} is no packed position"))?)
}

/// The 64 bits of a position of EinStein.
pub(crate) fn bits_of<P: 'static>(position: &P) -> Option<u64> {
    let position: &dyn Any = position;
    let position = position.downcast_ref::<einstein::Position>();
    position.map(einstein::Position::bits)
}

/// Every outcome by its name, with its probability.
pub(crate) fn named_outcomes<G: Learnable>(game: &G, position: &G::Position) -> Vec<(u8, f32)> {
    if game.payoffs(position).is_some() {
        return Vec::new();
    }
    let apart = game.outcome_by_outcome();
    let mut moves = G::Moves::default();
    apart.moves(position, &mut moves);
    let outcomes = apart.outcomes(position, &moves);
    let weights = outcomes.iter().map(|outcome: &Outcome| outcome.weight);
    game.outcome_names().zip(weights).collect()
}

/// A position or its text, and what chance has said if the text says so.
pub(crate) fn question(game: &Game, position: &Bound<'_, PyAny>) -> PyResult<Question> {
    if let Ok(position) = position.cast::<Position>() {
        return Ok((position.get().0.clone(), None));
    }
    let Ok(text) = position.cast::<PyString>() else {
        let kind = position.get_type().name()?;
        let line = format!("a position is an alea.Position or its text, not of type {kind}");
        return Err(wrong(line));
    };
    let (text, said) = (text.to_cow()?, &mut None);
    let read = each!(&game.0, rules => in {
        let (at, outcome) = rules.parse(&text)?;
        *said = outcome;
        at
    });
    Ok((read, *said))
}

/// Many positions: an array of packed ones, or positions and texts.
pub(crate) fn positions_of(game: &Game, positions: &Bound<'_, PyAny>) -> PyResult<Positions> {
    if let Ok(packed) = positions.extract::<PyReadonlyArray1<'_, u64>>() {
        let packed = packed.as_array().iter().copied().collect();
        return Ok(Positions::Packed(packed));
    }
    if let Ok(array) = positions.cast::<PyUntypedArray>()
        && array.dtype().kind() != b'O'
    {
        let (kind, shape) = (array.dtype(), array.getattr("shape")?);
        let line = format!("packed positions are an array (n,) of uint64, not {kind} {shape}");
        return Err(wrong(line));
    }
    let positions: Vec<Bound<'_, PyAny>> = positions.extract()?;
    let read = positions.iter().map(|own| Ok(question(game, own)?.0));
    Ok(Positions::Read(read.collect::<PyResult<_>>()?))
}

#[pymethods]
impl Position {
    /// The position of a text; what chance has said in it is left out.
    #[new]
    fn new(game: &Game, text: &str) -> Told<Self> {
        game.position(text)
    }

    /// Its game and its text: what a copy in another process is made of.
    fn __reduce__<'py>(own: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Game, String))> {
        let game = each!(&own.get().0, at => in Rules::new(Arc::clone(&at.game)));
        Ok((own.get_type(), (Game(game), own.get().text())))
    }

    fn __copy__(own: &Bound<'_, Self>) -> Py<Self> {
        own.clone().unbind()
    }

    fn __deepcopy__(own: &Bound<'_, Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own.clone().unbind()
    }

    /// The position as text, as the command line has it.
    #[getter]
    fn text(&self) -> String {
        each!(&self.0, at => at.text())
    }

    /// The seat to move, from 0.
    #[getter]
    fn to_move(&self) -> usize {
        each!(&self.0, at => at.game.to_move(&at.position))
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.payoffs().is_some()
    }

    /// What each seat gets, in [0, 1], a draw half; `None` before the end.
    #[getter]
    fn payoffs(&self) -> Option<Vec<f32>> {
        each!(&self.0, at => {
            let payoffs = at.game.payoffs(&at.position)?;
            Some(payoffs[..at.game.seats()].to_vec())
        })
    }

    /// What chance may say, each with its probability; empty once the game is over.
    fn outcomes(&self) -> Vec<(u8, f32)> {
        each!(&self.0, at => named_outcomes(&*at.game, &at.position))
    }

    /// The moves that an outcome permits, or all that some outcome does, in list order.
    #[pyo3(signature = (outcome = None))]
    fn moves(&self, outcome: Option<Whole<i64>>) -> Told<Vec<String>> {
        each!(&self.0, at => at.names(heard(&*at.game, outcome.as_ref())?))
    }

    /// The position after a move, given as text or as its index in `moves(outcome)`.
    #[pyo3(signature = (mv, outcome = None))]
    fn play(&self, mv: &Bound<'_, PyAny>, outcome: Option<Whole<i64>>) -> PyResult<Self> {
        Ok(Self(each!(&self.0, at => in {
            at.play(mv, heard(&*at.game, outcome.as_ref())?)?
        })))
    }

    /// The position as one `<svg>` element.
    #[pyo3(signature = (outcome = None))]
    fn svg(&self, outcome: Option<Whole<i64>>) -> Told<String> {
        each!(&self.0, at => {
            let outcome = heard(&*at.game, outcome.as_ref())?;
            Ok(at.game.svg(&at.position, outcome))
        })
    }

    fn _repr_svg_(&self) -> Told<String> {
        self.svg(None)
    }

    fn __str__(&self) -> String {
        each!(&self.0, at => at.game.draw(&at.position, None))
    }

    fn __repr__(&self) -> String {
        format!("<alea.Position {:?}>", self.text())
    }

    fn __hash__(&self) -> u64 {
        each!(&self.0, at => at.game.key(&at.position))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else {
            return false;
        };
        each!(&self.0, at => {
            own(&*at.game, &other.get().0).is_ok_and(|other| other.position == at.position)
        })
    }
}
