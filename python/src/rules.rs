//! Games behind pointers: Python has no type parameters.
//!
//! The one place of the package that lists the games. Invariant: a state goes back to its type only
//! in a game of the same notation and the same map, so no position is read by other rules. Errors
//! are the one line that the engine writes.

use crate::boards::{Boards, Env};
use crate::learned::{Looks, shown, view};
use engine::core::{
    chance::expectation,
    game::{Outcome, Seat},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::games::einstein;
use engine::learned::inputs::Learnable;
use engine::play::playable::Playable as _;
use engine::play::{
    build::{self, PlayerRecipe},
    notation::Notation,
    player::{Failure, Player},
    registry::AnyEvaluator,
};
use pyo3::IntoPyObject;
use std::{
    any::Any,
    fmt::Display,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// What went wrong, in one line.
pub(crate) type Told<T> = Result<T, String>;

/// Errors as their one line.
pub(crate) trait Worded<T> {
    fn worded(self) -> Told<T>;
}

impl<T, E: Display> Worded<T> for Result<T, E> {
    fn worded(self) -> Told<T> {
        self.map_err(|error| error.to_string())
    }
}

/// What is done with the rules of any game, in their type.
macro_rules! with_game {
    ($rules:expr, $of:ident => $act:expr) => {
        with_game!(
            $rules, $of => $act;
            einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt
        )
    };
    ($rules:expr, $of:ident => $act:expr; $($game:ident::$type:ident),*) => {'found: {
        let any: &dyn std::any::Any = &*$rules;
        $(if let Some($of) = any.downcast_ref::<$crate::rules::Of<engine::games::$game::$type>>() {
            break 'found $act;
        })*
        Err("these rules are not known".to_owned())
    }};
}
pub(crate) use with_game;

/// A game.
pub(crate) trait Rules: Any + Send + Sync {
    fn name(&self) -> &'static str;
    fn notation(&self) -> String;
    fn seats(&self) -> usize;
    fn start(&self, seed: u64, first: Seat) -> Told<Arc<dyn State>>;
    fn read(&self, text: &str) -> Told<(Arc<dyn State>, Option<u8>)>;
    fn player(&self, notation: &str, seed: u64) -> Told<Box<dyn Thinks>>;
    fn boards(&self, count: usize, seed: u64, explicit_chance: bool) -> Box<dyn Boards>;
}

/// A position with its game.
pub(crate) trait State: Any + Send + Sync {
    fn text(&self, outcome: Option<u8>) -> String;
    fn draw(&self, outcome: Option<u8>) -> String;
    fn svg(&self, outcome: Option<u8>) -> String;
    fn to_move(&self) -> Seat;
    fn payoffs(&self) -> Option<Vec<f32>>;
    fn outcomes(&self) -> Vec<(u8, f32)>;
    fn moves(&self, outcome: Option<u8>) -> Told<Vec<String>>;
    fn play(&self, mv: &str, outcome: Option<u8>) -> Told<Arc<dyn State>>;
    fn play_at(&self, index: usize, outcome: Option<u8>) -> Told<Arc<dyn State>>;
    fn key(&self) -> u64;
    fn equals(&self, other: &dyn State) -> bool;
}

/// Positions as Python has them.
pub(crate) enum Positions {
    States(Vec<Arc<dyn State>>),
    Packed(Vec<u64>),
}

/// A player that is asked.
pub(crate) trait Thinks: Send + Sync {
    fn name(&self) -> String;
    /// The answers to questions, in order, the same with any number of threads.
    fn analyse(&self, questions: &[Question], threads: usize) -> Told<Vec<Analysis>>;
    fn decide(&self, questions: &[Question], threads: usize) -> Told<Vec<String>>;
}

/// A position and what chance has said of it.
pub(crate) type Question = (Arc<dyn State>, Option<u8>);

/// What a player thinks of a position: a dict in Python.
#[derive(Default, IntoPyObject)]
pub(crate) struct Analysis {
    pub(crate) value: Option<f32>,
    /// What such a value has been worth in whole games, where that was fitted.
    pub(crate) calibrated: Option<f32>,
    pub(crate) best: Option<String>,
    pub(crate) moves: Vec<(String, Option<f32>)>,
    pub(crate) nodes: u64,
    pub(crate) evaluations: u64,
}

/// The game of a notation.
pub(crate) fn read(text: &str) -> Told<Arc<dyn Rules>> {
    use engine::games::{havannah, reversi, reversixt};

    fn of<G: Learnable>(text: &str) -> Told<Arc<dyn Rules>> {
        let game = G::from_notation(text, None).worded()?;
        Ok(Arc::new(Of {
            game: Arc::new(game),
            evaluators: Mutex::default(),
        }))
    }
    let notation = Notation::parse(text).worded()?;
    match notation.name.as_str() {
        einstein::Standard::NAME => of::<einstein::Standard>(text),
        havannah::Havannah::NAME => of::<havannah::Havannah>(text),
        reversi::Reversi::NAME => of::<reversi::Reversi>(text),
        reversixt::ReversiXt::NAME => of::<reversixt::ReversiXt>(text),
        name => Err(format!(
            "there is no game '{name}'; there are {}, {}, {}, {}",
            einstein::Standard::NAME,
            havannah::Havannah::NAME,
            reversi::Reversi::NAME,
            reversixt::ReversiXt::NAME
        )),
    }
}

pub(crate) struct Of<G: Learnable> {
    pub(crate) game: Arc<G>,
    evaluators: Mutex<Vec<Known<G>>>,
}

/// An evaluator by its notation, and when the file that it names was written.
type Known<G> = (String, Option<SystemTime>, Arc<dyn AnyEvaluator<G>>);

/// In place of a value that is asked for.
const OPEN: f32 = -1.0;

/// Evaluators that are kept; the one that was read longest ago goes first.
const KEPT: usize = 16;

struct At<G: Learnable> {
    game: Arc<G>,
    position: G::Position,
}

impl<G: Learnable> At<G> {
    fn same_game(&self, game: &G) -> bool {
        std::ptr::eq(&raw const *self.game, &raw const *game)
            || self.game.notation() == game.notation() && self.game.map() == game.map()
    }

    fn legal(&self, outcome: Option<u8>) -> Told<G::Moves> {
        let (game, mut moves) = (&self.game, G::Moves::default());
        let names = game.outcome_names();
        if let Some(outcome) = outcome.filter(|outcome| !names.contains(outcome)) {
            let (first, last) = (names.start(), names.end());
            return Err(format!("an outcome is {first} to {last}, not {outcome}"));
        }
        match outcome {
            _ if game.payoffs(&self.position).is_some() => {}
            Some(outcome) => game.permitted(&self.position, outcome, &mut moves),
            None => game.moves(&self.position, &mut moves),
        }
        Ok(moves)
    }

    fn after(&self, mv: G::Move) -> Arc<dyn State> {
        Arc::new(Self {
            game: Arc::clone(&self.game),
            position: self.game.play(&self.position, mv),
        })
    }
}

/// A state as one of this game.
fn own<'s, G: Learnable>(game: &G, state: &'s dyn State) -> Told<&'s At<G>> {
    let state: &dyn Any = state;
    let of_type = state.downcast_ref::<At<G>>();
    let own = of_type.filter(|state| state.same_game(game));
    own.ok_or_else(|| format!("the position is of another game than {}", game.notation()))
}

impl<G: Learnable> Of<G> {
    /// The evaluator of a notation, read anew only if its file has changed.
    fn evaluator(&self, notation: &str) -> Told<Arc<dyn AnyEvaluator<G>>> {
        let path = notation.strip_prefix("model:").map(Path::new);
        let written = path.and_then(|path| path.metadata().ok()?.modified().ok());
        let known = self.evaluators.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let same = |(name, time, _): &&Known<G>| name == notation && *time == written;
        if let Some((.., evaluator)) = known.iter().find(same) {
            return Ok(Arc::clone(evaluator));
        }
        let evaluator = build::evaluator(notation, &*self.game).worded()?;
        known.retain(|(name, ..)| name != notation);
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push((notation.to_owned(), written, Arc::clone(&evaluator)));
        Ok(evaluator)
    }

    /// Positions as this game has them.
    fn own(&self, positions: &Positions) -> Told<Vec<G::Position>> {
        match positions {
            Positions::States(states) => {
                let own = |state: &Arc<dyn State>| Ok(own(&*self.game, &**state)?.position);
                states.iter().map(own).collect()
            }
            Positions::Packed(packed) => {
                let places = packed.iter().enumerate();
                let read = |(place, &bits)| unpacked::<G>(&self.game, bits, place);
                places.map(read).collect()
            }
        }
    }

    /// Win probabilities of the seats to move; payoffs of positions that are over.
    pub(crate) fn values(&self, evaluator: &str, positions: &Positions) -> Told<Vec<f32>> {
        let (game, evaluator) = (&*self.game, self.evaluator(evaluator)?);
        let positions = self.own(positions)?;
        let over = |position| {
            game.payoff(position, game.to_move(position))
                .unwrap_or(OPEN)
        };
        let mut values: Vec<f32> = positions.iter().map(over).collect();
        let open = positions
            .iter()
            .zip(&values)
            .filter(|(_, value)| **value == OPEN);
        let open: Vec<G::Position> = open.map(|(position, _)| *position).collect();
        let mut found = vec![0.0; open.len()];
        evaluator.values(game, &open, &mut found);
        let places = values.iter_mut().filter(|value| **value == OPEN);
        places.zip(found).for_each(|(place, value)| *place = value);
        Ok(values)
    }

    /// Positions in 64 bits each, of games that have such a form.
    pub(crate) fn packed(&self, positions: &Positions) -> Told<Vec<u64>> {
        let bits = |position: &G::Position| {
            bits_of(position).ok_or_else(|| format!("positions of {} have no packed form", G::NAME))
        };
        self.own(positions)?.iter().map(bits).collect()
    }

    /// Of each position a row of what a model looks at, and how long a row is.
    pub(crate) fn rows(&self, looks: &Looks, positions: &Positions) -> Told<(Vec<u16>, usize)> {
        Ok(shown(&*self.game, view::<G>(looks)?, &self.own(positions)?))
    }

    /// The runs of rows of inputs of which one each is on, as `[start, end]`.
    pub(crate) fn runs(&self, looks: &Looks) -> Told<Vec<[usize; 2]>> {
        let runs = self.game.input_runs(view::<G>(looks)?.unwrap_or_default());
        Ok(runs.into_iter().map(|run| [run.start, run.end]).collect())
    }

    fn at(&self, position: G::Position) -> Arc<dyn State> {
        let game = Arc::clone(&self.game);
        Arc::new(At { game, position })
    }
}

/// A position of EinStein from its 64 bits, see docs/formats.md.
pub(crate) fn unpacked<G: Learnable>(game: &G, bits: u64, place: usize) -> Told<G::Position> {
    let position = einstein::Position::from_bits(bits, einstein::Standard::SQUARES);
    let position: Option<&dyn Any> = position.as_ref().map(|position| position as _);
    if G::NAME != einstein::Standard::NAME {
        let name = game.notation();
        return Err(format!(
            "positions of {name} have no packed form; texts and positions are taken"
        ));
    }
    let own = position.and_then(|position| position.downcast_ref().copied());
    own.ok_or_else(|| format!("at {place}: {bits} is no packed position"))
}

/// The 64 bits of a position of EinStein.
pub(crate) fn bits_of<P: 'static>(position: &P) -> Option<u64> {
    let position: &dyn Any = position;
    let position = position.downcast_ref::<einstein::Position>();
    position.map(einstein::Position::bits)
}

impl<G: Learnable> Rules for Of<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn notation(&self) -> String {
        self.game.notation()
    }

    fn seats(&self) -> usize {
        self.game.seats()
    }

    fn start(&self, seed: u64, first: Seat) -> Told<Arc<dyn State>> {
        let seats = self.game.seats();
        if first >= seats {
            return Err(format!("'first' is a seat below {seats}, not {first}"));
        }
        let mut random = RandomStream::new(seed);
        Ok(self.at(self.game.random_start(&mut random, first)))
    }

    fn read(&self, text: &str) -> Told<(Arc<dyn State>, Option<u8>)> {
        let read = self.game.parse_position(text);
        let (position, outcome) = read.worded()?;
        Ok((self.at(position), outcome))
    }

    fn player(&self, notation: &str, seed: u64) -> Told<Box<dyn Thinks>> {
        let recipe = PlayerRecipe::parse(notation, &*self.game);
        let recipe = recipe.worded()?;
        let game = Arc::clone(&self.game);
        let seed = derive_seed(seed, SeedSpace::Player, &[]);
        Ok(Box::new(Thinker { game, recipe, seed }))
    }

    fn boards(&self, count: usize, seed: u64, explicit_chance: bool) -> Box<dyn Boards> {
        let game = (*self.game).clone();
        Box::new(Env::new(game, count, seed, explicit_chance))
    }
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
    let names = game.outcome_names();
    let weights = outcomes.iter().map(|outcome: &Outcome| outcome.weight);
    names.zip(weights).collect()
}

impl<G: Learnable> State for At<G> {
    fn text(&self, outcome: Option<u8>) -> String {
        self.game.format_position(&self.position, outcome)
    }

    fn draw(&self, outcome: Option<u8>) -> String {
        self.game.draw(&self.position, outcome)
    }

    fn svg(&self, outcome: Option<u8>) -> String {
        self.game.svg(&self.position, outcome)
    }

    fn to_move(&self) -> Seat {
        self.game.to_move(&self.position)
    }

    fn payoffs(&self) -> Option<Vec<f32>> {
        let payoffs = self.game.payoffs(&self.position)?;
        Some(payoffs[..self.game.seats()].to_vec())
    }

    fn outcomes(&self) -> Vec<(u8, f32)> {
        named_outcomes(&*self.game, &self.position)
    }

    fn moves(&self, outcome: Option<u8>) -> Told<Vec<String>> {
        let name = |&mv| self.game.format_move(&self.position, mv);
        Ok(self.legal(outcome)?.iter().map(name).collect())
    }

    fn play(&self, mv: &str, outcome: Option<u8>) -> Told<Arc<dyn State>> {
        let legal = self.legal(outcome)?;
        let name = |mv| self.game.format_move(&self.position, mv);
        let found = legal.iter().position(|&legal| name(legal) == mv);
        // The engine's reader says what is wrong, or knows another spelling.
        let Some(index) = found else {
            let read = self.game.parse_move(&self.position, mv);
            let read = read.worded()?;
            return if legal.contains(&read) {
                Ok(self.after(read))
            } else {
                Err(format!("'{mv}' is not permitted here"))
            };
        };
        Ok(self.after(legal[index]))
    }

    fn play_at(&self, index: usize, outcome: Option<u8>) -> Told<Arc<dyn State>> {
        let legal = self.legal(outcome)?;
        let mv = legal.get(index).ok_or_else(|| {
            let count = legal.len();
            format!("a move's index is below {count}, the number of moves, not {index}")
        })?;
        Ok(self.after(*mv))
    }

    fn key(&self) -> u64 {
        self.game.key(&self.position)
    }

    fn equals(&self, other: &dyn State) -> bool {
        own(&*self.game, other).is_ok_and(|other| other.position == self.position)
    }
}

struct Thinker<G: Learnable> {
    game: Arc<G>,
    recipe: PlayerRecipe<G>,
    seed: u64,
}

impl<G: Learnable> Thinker<G> {
    /// Asks players of their own on each thread; each question stands alone.
    fn ask<T: Send + Default>(
        &self,
        questions: &[Question],
        threads: usize,
        answer: impl Fn(&mut dyn Player<G>, &At<G>, Option<u8>) -> Told<T> + Sync,
    ) -> Told<Vec<T>> {
        let names = self.game.outcome_names();
        let certain = (names.start() == names.end()).then_some(*names.start());
        let some = |questions: &[Question]| {
            let mut player = self.recipe.make();
            let one = |(state, outcome): &Question| {
                player.new_game(self.seed);
                let state = own(&*self.game, &**state)?;
                let answered = answer(&mut *player, state, outcome.or(certain))?;
                match player.failure() {
                    Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) => {
                        Err(format!("{}: {reason}", self.recipe.name()))
                    }
                    None => Ok(answered),
                }
            };
            questions.iter().map(one).collect::<Told<Vec<T>>>()
        };
        let share = questions.len().div_ceil(threads.max(1)).max(1);
        if share >= questions.len() {
            return some(questions);
        }
        let answers = std::thread::scope(|scope| {
            let some = &some;
            let start = |share| scope.spawn(move || some(share));
            let running: Vec<_> = questions.chunks(share).map(start).collect();
            let ended = running.into_iter().map(|thread| {
                let ended = thread.join();
                ended.unwrap_or_else(|_| Err("a thread of the player panicked".to_owned()))
            });
            ended.collect::<Told<Vec<_>>>()
        })?;
        Ok(answers.into_iter().flatten().collect())
    }
}

impl<G: Learnable> Thinks for Thinker<G> {
    fn name(&self) -> String {
        self.recipe.name().to_owned()
    }

    fn analyse(&self, questions: &[Question], threads: usize) -> Told<Vec<Analysis>> {
        self.ask(questions, threads, |player, state, outcome| {
            analysis(&self.recipe, player, state, outcome)
        })
    }

    fn decide(&self, questions: &[Question], threads: usize) -> Told<Vec<String>> {
        self.ask(questions, threads, |player, state, outcome| {
            let outcome = outcome.ok_or("a decision needs to know what chance has said")?;
            let legal = state.legal(Some(outcome))?;
            if legal.is_empty() {
                return Err("the position has no moves".to_owned());
            }
            let best = player.decide(&state.position, &legal).best;
            Ok(self.game.format_move(&state.position, best))
        })
    }
}

/// What `alea analyse` says of a position.
fn analysis<G: Learnable>(
    recipe: &PlayerRecipe<G>,
    player: &mut dyn Player<G>,
    state: &At<G>,
    outcome: Option<u8>,
) -> Told<Analysis> {
    let (game, position) = (&*state.game, &state.position);
    if let Some(payoff) = game.payoff(position, game.to_move(position)) {
        return Ok(Analysis {
            value: Some(payoff),
            ..Analysis::default()
        });
    }
    let legal = match outcome {
        Some(_) => Some(state.legal(outcome)?),
        None => None,
    };
    let analysis = player.analyse(position, legal.as_deref());
    // A player that rates no moves still plays one.
    let best = legal.map(|legal| match analysis.line.first() {
        Some(&best) => best,
        None => player.decide(position, &legal).best,
    });
    let calibrated = |place: usize, mv: G::Move, value: f32| {
        // Nothing was taken on trust where no leaf was evaluated.
        let tree = analysis
            .tree
            .as_ref()
            .and_then(|tree| tree.moves.get(place));
        let proven = tree.is_some_and(|mv| mv.proven.lower == mv.proven.upper);
        let next = game.play(position, mv);
        // The fit is for the side to move.
        let turned = game.to_move(&next) != game.to_move(position);
        let own = |value: f32| if turned { 1.0 - value } else { value };
        let fitted = own(recipe.in_whole_games(&next, own(value))?);
        Some(if proven || analysis.stats.evaluations == 0 {
            value
        } else {
            fitted
        })
    };
    let rated = analysis.moves.iter().enumerate();
    let calibrated: Vec<Option<f32>> = rated
        .map(|(place, &(mv, value))| calibrated(place, mv, value?))
        .collect();
    let values: Vec<Option<f32>> = analysis.moves.iter().map(|(_, value)| *value).collect();
    let whole = |values: &[Option<f32>]| match best {
        Some(best) => values[analysis.moves.iter().position(|(mv, _)| *mv == best)?],
        // A move that a sampling player never tried is taken for worthless.
        None if values.iter().any(Option::is_some) => {
            let values: Vec<f32> = values.iter().map(|value| value.unwrap_or(0.0)).collect();
            let moves: Vec<_> = analysis.moves.iter().map(|(mv, _)| *mv).collect();
            Some(expectation(&game.outcomes(position, &moves), &values))
        }
        None => None,
    };
    let name = |mv| game.format_move(position, mv);
    let moves = analysis.moves.iter().map(|&(mv, value)| (name(mv), value));
    Ok(Analysis {
        value: whole(&values),
        calibrated: whole(&calibrated),
        best: best.map(name),
        moves: moves.collect(),
        nodes: analysis.stats.nodes,
        evaluations: analysis.stats.evaluations,
    })
}
