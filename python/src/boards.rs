//! Many games of one kind that are stepped at once.
//!
//! An action is the index of a move among those that chance permits, in list order, as records have
//! it. A game that ends is followed by the next one on its board within the same step. Invariant:
//! equal seeds and actions give equal bytes: chance, starts and samples are drawn board by board, and
//! boards that were written down go on as they would have.

use crate::games::Rules;
use crate::models::symbols;
use crate::positions::{named_outcomes, outcome_named};
use crate::{Told, Wrong};
use engine::core::{
    game::{Chance as _, List as _},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::learned::inputs::Learnable;
use pyo3::{FromPyObject, IntoPyObject};
use std::sync::Arc;

/// Where boards write what they show; each slice has a row a board.
pub(crate) struct Shown<'a> {
    /// Symbols of the cells, as the seat to move sees them.
    pub(crate) observations: &'a mut [u8],
    /// Whether an index is an action.
    pub(crate) mask: &'a mut [bool],
    /// How many actions there are.
    pub(crate) counts: &'a mut [u16],
    /// What chance has said; 255: it has not spoken.
    pub(crate) outcome: &'a mut [u8],
    /// The seat to move.
    pub(crate) to_move: &'a mut [u8],
    /// For the seat that moved.
    pub(crate) rewards: &'a mut [f32],
    /// Whether the step ended a game.
    pub(crate) terminated: &'a mut [bool],
    /// What the games that the step ended showed at last to the seat that moved, if somebody wants to
    /// see it.
    pub(crate) final_observations: Option<&'a mut [u8]>,
}

/// Whoever draws what chance says has not spoken.
const UNSAID: u8 = u8::MAX;

struct Board<G: Learnable> {
    position: G::Position,
    outcome: u8,
    moves: G::Moves,
}

pub(crate) struct Env<G: Learnable> {
    game: G,
    boards: Vec<Board<G>>,
    /// `None` where the caller says what chance says.
    luck: Option<Stream<G::Luck>>,
    starts: Stream<RandomStream>,
    samples: Stream<RandomStream>,
    /// Symbols of an observation, and columns of the mask.
    pub(crate) widths: [usize; 2],
}

/// What boards are, in words and numbers.
#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct State {
    positions: Vec<String>,
    outcomes: Vec<u8>,
    /// Renewals and draws of each stream: chance, starts, samples.
    streams: [(u64, u64); 3],
}

/// Most symbols of all observations together.
const MAX_CELLS: usize = 1 << 31;

/// A source of random draws that can be written down and found again: it begins anew, with another
/// seed, once it has given many.
struct Stream<T> {
    seed: u64,
    number: u64,
    renewals: u64,
    draws: u64,
    source: T,
}

/// Draws after which a stream begins anew: what takes some milliseconds to repeat.
const RENEWED_AFTER: u64 = 1 << 20;

impl<T> Stream<T> {
    fn new(seed: u64, number: u64, renewals: u64, make: impl Fn(u64) -> T) -> Self {
        let indices = [number, renewals];
        let indices = if renewals == 0 {
            &indices[..1]
        } else {
            &indices
        };
        Self {
            seed,
            number,
            renewals,
            draws: 0,
            source: make(derive_seed(seed, SeedSpace::Playouts, indices)),
        }
    }

    /// The source, of which so many draws are taken.
    #[inline]
    fn take(&mut self, draws: usize, make: impl Fn(u64) -> T) -> &mut T {
        if self.draws >= RENEWED_AFTER {
            *self = Self::new(self.seed, self.number, self.renewals + 1, make);
        }
        self.draws += draws as u64;
        &mut self.source
    }

    /// The stream after so many renewals and draws; `most` are taken at a time.
    fn repeat(
        &mut self,
        (renewals, draws): (u64, u64),
        most: usize,
        make: impl Fn(u64) -> T,
        mut draw: impl FnMut(&mut T),
    ) -> Told<()> {
        if draws >= RENEWED_AFTER + most as u64 {
            return Err(format!("no stream has given {draws} draws").into());
        }
        *self = Self::new(self.seed, self.number, renewals, make);
        self.draws = draws;
        (0..draws).for_each(|_| draw(&mut self.source));
        Ok(())
    }
}

impl<G: Learnable> Env<G> {
    pub(crate) fn new(game: &G, count: usize, seed: u64, explicit_chance: bool) -> Told<Self> {
        // A face permits two stones at most, and each has three steps.
        let most = match G::NAME {
            "einstein" => 6,
            _ => game.most_moves(),
        };
        let widths = [symbols(game), most];
        let bound = MAX_CELLS / widths[0].max(most).max(1);
        if !(1..=bound).contains(&count) {
            return Err(format!("'n' is 1 to {bound} boards, not {count}").into());
        }
        let luck = (!explicit_chance).then(|| Stream::new(seed, 0, 0, |seed| game.luck(seed)));
        let mut starts = Stream::new(seed, 1, 0, RandomStream::new);
        let samples = Stream::new(seed, 2, 0, RandomStream::new);
        let boards = (0..count).map(|_| Board {
            position: start(game, &mut starts),
            outcome: UNSAID,
            moves: G::Moves::default(),
        });
        Ok(Self {
            boards: boards.collect(),
            game: game.clone(),
            luck,
            starts,
            samples,
            widths,
        })
    }

    pub(crate) fn rules(&self) -> Rules<G> {
        Rules::new(Arc::new(self.game.clone()))
    }

    /// The boards in words and numbers.
    pub(crate) fn state(&self) -> State {
        let luck = self.luck.as_ref();
        let luck = luck.map_or((0, 0), |luck| (luck.renewals, luck.draws));
        let randoms = [&self.starts, &self.samples];
        let [starts, samples] = randoms.map(|stream| (stream.renewals, stream.draws));
        let text = |board: &Board<G>| self.game.format_position(&board.position, None);
        State {
            positions: self.boards.iter().map(text).collect(),
            outcomes: self.boards.iter().map(|board| board.outcome).collect(),
            streams: [luck, starts, samples],
        }
    }

    /// Boards as they were written down, on as many of the same seed.
    pub(crate) fn restore(&mut self, state: &State, shown: &mut Shown<'_>) -> Told<()> {
        let (game, count) = (&self.game, self.boards.len());
        if [state.positions.len(), state.outcomes.len()] != [count; 2] {
            return Err(format!("a state of {count} boards has as many positions").into());
        }
        let read = |(text, &outcome): (&String, &u8)| {
            let (position, _) = game.parse_position(text)?;
            let mut moves = G::Moves::default();
            if outcome != UNSAID {
                let outcome = outcome_named(game, outcome.into())?;
                game.permitted(&position, outcome, &mut moves);
            }
            Told::Ok(Board {
                position,
                outcome,
                moves,
            })
        };
        let boards = state.positions.iter().zip(&state.outcomes).map(read);
        let boards = boards.collect::<Told<Vec<_>>>()?;
        let [luck, starts, samples] = state.streams;
        let mut random = RandomStream::new(0);
        let first = start_by(game, &mut random);
        if let Some(stream) = &mut self.luck {
            let make = |seed| game.luck(seed);
            stream.repeat(luck, count, make, |luck| drop(luck.draw(game, &first)))?;
        }
        let stream = &mut self.starts;
        stream.repeat(starts, 1, RandomStream::new, |random| {
            let _ = start_by(game, random);
        })?;
        let stream = &mut self.samples;
        stream.repeat(samples, count, RandomStream::new, |random| {
            let _ = random.next_u64();
        })?;
        self.boards = boards;
        for (at, board) in self.boards.iter().enumerate() {
            show(&self.game, self.widths, board, at, shown);
        }
        Ok(())
    }
}

/// The start of the next game; whoever begins is drawn.
fn start<G: Learnable>(game: &G, starts: &mut Stream<RandomStream>) -> G::Position {
    start_by(game, starts.take(1, RandomStream::new))
}

fn start_by<G: Learnable>(game: &G, random: &mut RandomStream) -> G::Position {
    loop {
        let first = random.below(game.seats());
        let position = game.random_start(random, first);
        if game.payoffs(&position).is_none() {
            return position;
        }
    }
}

/// Lets chance speak, if it is drawn here.
#[inline]
fn draw<G: Learnable>(game: &G, luck: &mut Option<&mut G::Luck>, board: &mut Board<G>) {
    if let Some(luck) = luck {
        (board.outcome, board.moves) = luck.draw(game, &board.position);
    } else {
        board.outcome = UNSAID;
        board.moves.clear();
    }
}

/// Writes what a board shows, but for rewards.
#[inline]
fn show<G: Learnable>(
    game: &G,
    [cells, most]: [usize; 2],
    board: &Board<G>,
    at: usize,
    shown: &mut Shown<'_>,
) {
    let seat = game.to_move(&board.position);
    let row = &mut shown.observations[at * cells..][..cells];
    game.write_symbols(&board.position, seat, row);
    let count = board.moves.len();
    for (index, legal) in shown.mask[at * most..][..most].iter_mut().enumerate() {
        *legal = index < count;
    }
    shown.counts[at] = count as u16;
    shown.outcome[at] = board.outcome;
    shown.to_move[at] = seat as u8;
}

impl<G: Learnable> Env<G> {
    /// Begins new games, where a mask says so if there is one; with a seed chance and starts are
    /// from then on those of that seed.
    pub(crate) fn reset(
        &mut self,
        mask: Option<&[bool]>,
        seed: Option<u64>,
        shown: &mut Shown<'_>,
    ) -> Told<()> {
        let count = self.boards.len();
        if let Some(found) = mask.map(<[bool]>::len).filter(|&found| found != count) {
            return Err(format!("one truth value a board: {count}, not {found}").into());
        }
        if let Some(seed) = seed {
            let fresh = Self::new(&self.game, count, seed, self.luck.is_none())?;
            (self.luck, self.starts, self.samples) = (fresh.luck, fresh.starts, fresh.samples);
        }
        let game = &self.game;
        let drawn = mask.map_or(count, |mask| mask.iter().filter(|&&reset| reset).count());
        let luck = self.luck.as_mut();
        let mut luck = luck.map(|luck| luck.take(drawn, |seed| game.luck(seed)));
        for (at, board) in self.boards.iter_mut().enumerate() {
            if mask.is_none_or(|mask| mask[at]) {
                board.position = start(game, &mut self.starts);
                draw(game, &mut luck, board);
                show(game, self.widths, board, at, shown);
                shown.rewards[at] = 0.0;
                shown.terminated[at] = false;
            }
        }
        Ok(())
    }

    /// Makes a move on every board, or none on any if an action is none.
    pub(crate) fn step(&mut self, actions: &[i64], shown: &mut Shown<'_>) -> Told<()> {
        let illegal = |(at, (action, board)): (usize, (&i64, &Board<G>))| {
            let count = board.moves.len();
            let is_legal = usize::try_from(*action).is_ok_and(|action| action < count);
            (!is_legal).then(|| match board.outcome {
                UNSAID => format!("board {at}: chance has not spoken; reset() or step_chance()"),
                _ => format!("board {at}: an action is below {count}, not {action}"),
            })
        };
        let mut pairs = actions.iter().zip(&self.boards).enumerate();
        if let Some(problem) = pairs.find_map(illegal) {
            return Err(problem.into());
        }
        let (game, luck) = (&self.game, self.luck.as_mut());
        let mut luck = luck.map(|luck| luck.take(actions.len(), |seed| game.luck(seed)));
        for (at, (board, &action)) in self.boards.iter_mut().zip(actions).enumerate() {
            let mover = game.to_move(&board.position);
            let mv = board.moves[action as usize];
            board.position = game.play(&board.position, mv);
            let payoff = game.payoff(&board.position, mover);
            shown.terminated[at] = payoff.is_some();
            shown.rewards[at] = payoff.map_or(0.0, |payoff| 2.0 * payoff - 1.0);
            if payoff.is_some() {
                if let Some(last) = &mut shown.final_observations {
                    let cells = self.widths[0];
                    game.write_symbols(&board.position, mover, &mut last[at * cells..][..cells]);
                }
                board.position = start(game, &mut self.starts);
            }
            draw(game, &mut luck, board);
            show(game, self.widths, board, at, shown);
        }
        Ok(())
    }

    pub(crate) fn step_chance(&mut self, outcomes: &[i64], shown: &mut Shown<'_>) -> Told<()> {
        if self.luck.is_some() {
            return Err("chance is drawn inside unless explicit_chance=True".into());
        }
        let named = |(at, &outcome)| {
            let named = outcome_named(&self.game, outcome);
            named.map_err(|Wrong(problem)| format!("board {at}: {problem}").into())
        };
        let outcomes = outcomes.iter().enumerate().map(named);
        let outcomes = outcomes.collect::<Told<Vec<u8>>>()?;
        let spoken = |board: &Board<G>| board.outcome != UNSAID;
        if let Some(at) = self.boards.iter().position(spoken) {
            return Err(format!("board {at}: chance has spoken; step()").into());
        }
        for (at, (board, outcome)) in self.boards.iter_mut().zip(outcomes).enumerate() {
            board.outcome = outcome;
            (self.game).permitted(&board.position, outcome, &mut board.moves);
            show(&self.game, self.widths, board, at, shown);
        }
        Ok(())
    }

    /// The probability of each outcome, a row a board.
    pub(crate) fn chances(&self) -> Vec<Vec<f32>> {
        let weights = |board: &Board<G>| {
            let mut row = vec![0.0; self.game.outcome_names().count()];
            let outcomes = named_outcomes(&self.game, &board.position);
            for (place, (_, weight)) in row.iter_mut().zip(outcomes) {
                *place = weight;
            }
            row
        };
        self.boards.iter().map(weights).collect()
    }

    /// An action a board, all equally likely.
    pub(crate) fn sample(&mut self) -> Told<Vec<i64>> {
        if self.boards.iter().any(|board| board.moves.is_empty()) {
            return Err("chance has not spoken; reset() or step_chance()".into());
        }
        let random = self.samples.take(self.boards.len(), RandomStream::new);
        let one = |board: &Board<G>| random.below(board.moves.len()) as i64;
        Ok(self.boards.iter().map(one).collect())
    }

    /// The positions as text.
    pub(crate) fn texts(&self) -> Vec<String> {
        let text = |board: &Board<G>| {
            let outcome = Some(board.outcome).filter(|&outcome| outcome != UNSAID);
            self.game.format_position(&board.position, outcome)
        };
        self.boards.iter().map(text).collect()
    }
}
