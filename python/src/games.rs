//! Games and their evaluators.
//!
//! The one place of the package that lists the games: Python has no type parameters, so what is
//! generic over them is one of [`Of`]. Invariant: evaluators are read once, and anew only if their
//! file has changed.

use crate::models::{Looks, shown, view};
use crate::positions::{At, Position, Positions, bits_of, own, positions_of, unpacked};
use crate::whole::Whole;
use crate::{Told, wrong};
use engine::core::{game::Game as _, random::RandomStream, text::suggestion};
use engine::games::{einstein, havannah, reversi, reversixt};
use engine::learned::inputs::Learnable;
use engine::play::{
    build,
    notation::{Notation, Text, trusted},
    playable::Playable as _,
    registry::AnyEvaluator,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::{prelude::*, types::PyType};
use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// Something of one of the games.
#[derive(Clone)]
pub(crate) enum Of<E, H, R, X> {
    EinStein(E),
    Havannah(H),
    Reversi(R),
    ReversiXt(X),
}

/// A type that is generic over games, of any of them.
macro_rules! any {
    ($of:ident) => {
        $crate::games::Of<
            $of<engine::games::einstein::Standard>,
            $of<engine::games::havannah::Havannah>,
            $of<engine::games::reversi::Reversi>,
            $of<engine::games::reversixt::ReversiXt>,
        >
    };
}
pub(crate) use any;

/// What is done with something of any game, in its type; after `=> in` the result is of that game.
macro_rules! each {
    (@ $($of:ident),*: $any:expr, $own:ident => in $act:expr) => {
        match $any { $($crate::games::Of::$of($own) => $crate::games::Of::$of($act)),* }
    };
    (@ $($of:ident),*: $any:expr, $own:ident => $act:expr) => {
        match $any { $($crate::games::Of::$of($own) => $act),* }
    };
    ($any:expr, $own:ident => $($act:tt)+) => {
        each!(@ EinStein, Havannah, Reversi, ReversiXt: $any, $own => $($act)+)
    };
}
pub(crate) use each;

/// A game with its rules: `alea.game("reversi(size=6)")`.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Game(pub(crate) any!(Rules));

pub(crate) struct Rules<G: Learnable> {
    pub(crate) game: Arc<G>,
    evaluators: Mutex<HashMap<String, Known<G>>>,
}

/// An evaluator, and when the file that its notation names was written.
type Known<G> = (Option<SystemTime>, Arc<dyn AnyEvaluator<G>>);

/// Most evaluators that are kept.
const KEPT: usize = 16;

impl<G: Learnable> Rules<G> {
    pub(crate) fn read<'t>(text: impl Into<Text<'t>>, map: Option<&str>) -> Told<Self> {
        Ok(Self::new(Arc::new(G::from_notation(text, map)?)))
    }

    pub(crate) fn new(game: Arc<G>) -> Self {
        Self {
            game,
            evaluators: Mutex::default(),
        }
    }

    fn name(&self) -> &'static str {
        G::NAME
    }

    fn map(&self) -> Option<String> {
        self.game.map()
    }

    fn start(&self, seed: u64, first: usize) -> Told<Arc<At<G>>> {
        let seats = self.game.seats();
        if first >= seats {
            return Err(format!("'first' is a seat below {seats}, not {first}").into());
        }
        let mut random = RandomStream::new(seed);
        Ok(self.at(self.game.random_start(&mut random, first)))
    }

    /// The position of a text, and what chance has said in it.
    pub(crate) fn parse(&self, text: &str) -> Told<(Arc<At<G>>, Option<u8>)> {
        let (position, outcome) = self.game.parse_position(text)?;
        Ok((self.at(position), outcome))
    }

    fn at(&self, position: G::Position) -> Arc<At<G>> {
        let game = Arc::clone(&self.game);
        Arc::new(At { game, position })
    }

    /// The evaluator of a notation, read anew only if its file has changed.
    fn evaluator(&self, notation: &str) -> Told<Arc<dyn AnyEvaluator<G>>> {
        let path = notation.strip_prefix("model:").map(Path::new);
        let written = path.and_then(|path| path.metadata().ok()?.modified().ok());
        let known = self.evaluators.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some((time, evaluator)) = known.get(notation)
            && *time == written
        {
            return Ok(Arc::clone(evaluator));
        }
        let evaluator = build::evaluator(trusted(notation), &*self.game)?;
        if known.len() == KEPT {
            known.clear();
        }
        known.insert(notation.to_owned(), (written, Arc::clone(&evaluator)));
        Ok(evaluator)
    }

    /// Positions as this game has them.
    pub(crate) fn own(&self, positions: &Positions) -> Told<Vec<G::Position>> {
        match positions {
            Positions::Read(read) => {
                let own = |position| Ok(own(&*self.game, position)?.position);
                read.iter().map(own).collect()
            }
            Positions::Packed(packed) => {
                let places = packed.iter().enumerate();
                let read = |(place, &bits)| unpacked::<G>(&self.game, bits, place);
                places.map(read).collect()
            }
        }
    }

    /// Win probabilities of the seats to move; payoffs of positions that are over.
    fn values(&self, evaluator: &str, positions: &Positions) -> Told<Vec<f32>> {
        let evaluator = self.evaluator(evaluator)?;
        Ok(valued(&*self.game, &*evaluator, &self.own(positions)?))
    }

    /// Positions in 64 bits each, of games that have such a form.
    fn packed(&self, positions: &Positions) -> Told<Vec<u64>> {
        let bits = |position: &G::Position| {
            bits_of(position).ok_or_else(|| format!("positions of {} have no packed form", G::NAME))
        };
        Ok(self
            .own(positions)?
            .iter()
            .map(bits)
            .collect::<Result<_, String>>()?)
    }
}

/// Win probabilities of the seats to move; payoffs of positions that are over.
pub(crate) fn valued<G: Learnable>(
    game: &G,
    evaluator: &dyn AnyEvaluator<G>,
    positions: &[G::Position],
) -> Vec<f32> {
    /// In place of a value that is asked for.
    const OPEN: f32 = -1.0;
    let over = |position| game.payoff(position, game.to_move(position));
    let over = |position| over(position).unwrap_or(OPEN);
    let mut values: Vec<f32> = positions.iter().map(over).collect();
    let open = positions.iter().zip(&values);
    let open = open.filter(|(_, value)| **value == OPEN);
    let open: Vec<G::Position> = open.map(|(position, _)| *position).collect();
    let mut found = vec![0.0; open.len()];
    evaluator.values(game, &open, &mut found);
    let places = values.iter_mut().filter(|value| **value == OPEN);
    places.zip(found).for_each(|(place, value)| *place = value);
    values
}

/// The game of a notation, which may name a file with a map.
#[pyfunction]
pub(crate) fn game(notation: &str) -> Told<Game> {
    named(trusted(notation), None)
}

/// The game of a notation, with the text of its map.
fn named(notation: Text<'_>, map: Option<&str>) -> Told<Game> {
    macro_rules! named {
        ($($of:ident: $type:ty),*) => {{
            let name = Notation::parse(notation)?.name;
            let names = [$(<$type>::NAME),*].join(", ");
            match name.as_str() {
                $(<$type>::NAME => Rules::read(notation, map).map(Of::$of),)*
                name => {
                    let meant = suggestion(name, &names);
                    Err(format!("there is no game '{name}'{meant}; there are {names}").into())
                }
            }
        }};
    }
    let read = named!(
        EinStein: einstein::Standard,
        Havannah: havannah::Havannah,
        Reversi: reversi::Reversi,
        ReversiXt: reversixt::ReversiXt
    );
    read.map(Game)
}

/// Win probabilities of the sides to move, before chance has spoken: float32, one a position; what
/// the side to move gets where the game is over.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    game: &Game,
    positions: &Bound<'py, PyAny>,
    eval: &str,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let positions = positions_of(game, positions)?;
    let values = py.detach(|| each!(&game.0, rules => rules.values(eval, &positions)))?;
    Ok(PyArray1::from_vec(py, values))
}

#[pymethods]
impl Game {
    /// The game of a notation, with the text of its map if it has one. No file is opened.
    #[new]
    #[pyo3(signature = (notation, map = None))]
    fn new(notation: &str, map: Option<&str>) -> Told<Self> {
        named(notation.into(), map)
    }

    /// What a copy in another process is made of.
    fn __reduce__<'py>(own: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, Option<String>)) {
        let game = own.get();
        let map = each!(&game.0, rules => rules.map());
        (own.get_type(), (game.notation(), map))
    }

    fn __copy__(own: &Bound<'_, Self>) -> Py<Self> {
        own.clone().unbind()
    }

    fn __deepcopy__(own: &Bound<'_, Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own.clone().unbind()
    }

    /// Its name without parameters.
    #[getter]
    fn name(&self) -> &'static str {
        each!(&self.0, rules => rules.name())
    }

    /// Its name with the parameters that are not the usual ones.
    #[getter]
    fn notation(&self) -> String {
        each!(&self.0, rules => rules.game.notation())
    }

    /// How many seats play.
    #[getter]
    fn seats(&self) -> usize {
        each!(&self.0, rules => rules.game.seats())
    }

    /// A first position; `first` begins, unless the game says who does.
    #[pyo3(signature = (seed = Whole(1), first = Whole(0)))]
    fn start(&self, seed: Whole<u64>, first: Whole<usize>) -> Told<Position> {
        Ok(Position(
            each!(&self.0, rules => in rules.start(seed.0, first.0)?),
        ))
    }

    /// The position of a text; what chance has said in it is left out.
    pub(crate) fn position(&self, text: &str) -> Told<Position> {
        Ok(Position(each!(&self.0, rules => in rules.parse(text)?.0)))
    }

    /// Positions in 64 bits each: (n,) uint64. EinStein only.
    fn pack<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let positions = positions_of(self, positions)?;
        let packed = each!(&self.0, rules => rules.packed(&positions))?;
        Ok(PyArray1::from_vec(py, packed))
    }

    /// What a model looks at: (n, active) uint16, the rows of a network with these groups of inputs,
    /// or with `None` the symbols of all cells, as `VecEnv.observations` has them; as `seat` sees
    /// them, or each position's seat to move.
    #[pyo3(signature = (positions, inputs = None, seat = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        inputs: Looks,
        seat: Option<Whole<usize>>,
    ) -> PyResult<Bound<'py, PyArray2<u16>>> {
        let positions = positions_of(self, positions)?;
        let (seat, seats) = (seat.map(|Whole(seat)| seat), self.seats());
        if let Some(seat) = seat.filter(|&seat| seat >= seats) {
            return Err(wrong(format!("a seat is below {seats}, not {seat}")));
        }
        let rows = || {
            each!(&self.0, rules => {
                let own = rules.own(&positions)?;
                Told::Ok(shown(&*rules.game, view(&*rules.game, &inputs)?, &own, seat))
            })
        };
        let (rows, width) = py.detach(rows)?;
        let count = rows.len() / width;
        PyArray1::from_vec(py, rows).reshape([count, width])
    }

    /// The runs of rows of these inputs, `[start, end]`; in every position one of each is on.
    fn runs(&self, inputs: String) -> Told<Vec<[usize; 2]>> {
        each!(&self.0, rules => {
            let groups = view(&*rules.game, &Some(inputs))?.unwrap_or_default();
            let runs = rules.game.feature_slots(groups).into_iter();
            Ok(runs.map(|run| [run.start, run.end]).collect())
        })
    }

    fn __repr__(&self) -> String {
        format!("alea.game({:?})", self.notation())
    }
}
