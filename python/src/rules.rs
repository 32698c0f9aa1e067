//! Games behind pointers: Python has no type parameters.
//!
//! The one place of the package that lists the games. Invariant: a state goes back to its type only
//! in a game of the same notation and the same map, so no position is read by other rules. Errors
//! are the one line that the engine writes.

use crate::boards::{Boards, Env};
use engine::core::{
    chance::expectation,
    game::{Outcome, Seat},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::learned::inputs::Learnable;
use engine::play::{
    build::{self, PlayerRecipe},
    notation::Notation,
    player::{Failure, Player},
};
use std::{any::Any, sync::Arc};

/// What went wrong, in one line.
pub(crate) type Told<T> = Result<T, String>;

/// A game.
pub(crate) trait Rules: Send + Sync {
    fn name(&self) -> &'static str;
    fn notation(&self) -> String;
    fn seats(&self) -> usize;
    fn start(&self, seed: u64, first: Seat) -> Told<Arc<dyn State>>;
    fn read(&self, text: &str) -> Told<(Arc<dyn State>, Option<u8>)>;
    /// Win probabilities of the seats to move; payoffs of positions that are over.
    fn values(&self, evaluator: &str, states: &[Arc<dyn State>]) -> Told<Vec<f32>>;
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

/// A player that is asked.
pub(crate) trait Thinks: Send + Sync {
    fn name(&self) -> String;
    /// The answers to questions, in order, the same with any number of threads.
    fn analyse(&self, questions: &[Question], threads: usize) -> Told<Vec<Analysis>>;
    fn decide(&self, questions: &[Question], threads: usize) -> Told<Vec<String>>;
}

/// A position and what chance has said of it.
pub(crate) type Question = (Arc<dyn State>, Option<u8>);

/// What a player thinks of a position.
#[derive(Default)]
pub(crate) struct Analysis {
    pub(crate) value: Option<f32>,
    pub(crate) best: Option<String>,
    pub(crate) moves: Vec<(String, Option<f32>)>,
    pub(crate) nodes: u64,
    pub(crate) evaluations: u64,
}

/// The game of a notation.
pub(crate) fn read(text: &str) -> Told<Arc<dyn Rules>> {
    use engine::games::{einstein, havannah, reversi, reversixt};
    use engine::play::playable::Playable as _;
    fn of<G: Learnable>(text: &str) -> Told<Arc<dyn Rules>> {
        let game = G::from_notation(text, None).map_err(|error| error.to_string())?;
        Ok(Arc::new(Of(Arc::new(game))))
    }
    let notation = Notation::parse(text).map_err(|error| error.to_string())?;
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

struct Of<G: Learnable>(Arc<G>);

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

impl<G: Learnable> Rules for Of<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn notation(&self) -> String {
        self.0.notation()
    }

    fn seats(&self) -> usize {
        self.0.seats()
    }

    fn start(&self, seed: u64, first: Seat) -> Told<Arc<dyn State>> {
        let seats = self.0.seats();
        if first >= seats {
            return Err(format!("'first' is a seat below {seats}, not {first}"));
        }
        let mut random = RandomStream::new(seed);
        Ok(Arc::new(At {
            game: Arc::clone(&self.0),
            position: self.0.random_start(&mut random, first),
        }))
    }

    fn read(&self, text: &str) -> Told<(Arc<dyn State>, Option<u8>)> {
        let read = self.0.parse_position(text);
        let (position, outcome) = read.map_err(|error| error.to_string())?;
        let game = Arc::clone(&self.0);
        Ok((Arc::new(At { game, position }), outcome))
    }

    fn values(&self, evaluator: &str, states: &[Arc<dyn State>]) -> Told<Vec<f32>> {
        let game = &*self.0;
        let evaluator = build::evaluator(evaluator, game).map_err(|error| error.to_string())?;
        let mut values = vec![0.0; states.len()];
        let (mut open, mut places) = (Vec::new(), Vec::new());
        for (place, state) in states.iter().enumerate() {
            let position = own(game, &**state)?.position;
            match game.payoff(&position, game.to_move(&position)) {
                Some(payoff) => values[place] = payoff,
                None => {
                    open.push(position);
                    places.push(place);
                }
            }
        }
        let mut found = vec![0.0; open.len()];
        evaluator.values(game, &open, &mut found);
        for (place, value) in places.into_iter().zip(found) {
            values[place] = value;
        }
        Ok(values)
    }

    fn player(&self, notation: &str, seed: u64) -> Told<Box<dyn Thinks>> {
        let recipe = PlayerRecipe::parse(notation, &*self.0).map_err(|error| error.to_string())?;
        let game = Arc::clone(&self.0);
        let seed = derive_seed(seed, SeedSpace::Player, &[]);
        Ok(Box::new(Thinker { game, recipe, seed }))
    }

    fn boards(&self, count: usize, seed: u64, explicit_chance: bool) -> Box<dyn Boards> {
        Box::new(Env::new((*self.0).clone(), count, seed, explicit_chance))
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
            let read = read.map_err(|error| error.to_string())?;
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
            analysis(&*self.game, player, state, outcome)
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
    game: &G,
    player: &mut dyn Player<G>,
    state: &At<G>,
    outcome: Option<u8>,
) -> Told<Analysis> {
    let position = &state.position;
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
    let value = match best {
        Some(best) => {
            let rated = analysis.moves.iter().find(|(mv, _)| *mv == best);
            rated.and_then(|(_, value)| *value)
        }
        // A move that a sampling player never tried is taken for worthless.
        None if analysis.moves.iter().any(|(_, value)| value.is_some()) => {
            let moves: Vec<_> = analysis.moves.iter().map(|(mv, _)| *mv).collect();
            let values = analysis.moves.iter().map(|(_, value)| value.unwrap_or(0.0));
            let values: Vec<f32> = values.collect();
            Some(expectation(&game.outcomes(position, &moves), &values))
        }
        None => None,
    };
    let name = |mv| game.format_move(position, mv);
    let moves = analysis.moves.iter().map(|&(mv, value)| (name(mv), value));
    Ok(Analysis {
        value,
        best: best.map(name),
        moves: moves.collect(),
        nodes: analysis.stats.nodes,
        evaluations: analysis.stats.evaluations,
    })
}
