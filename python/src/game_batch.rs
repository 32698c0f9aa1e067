//! Games that are stepped together; an ended game is followed by the next within the same step.
//!
//! An action is the index of a move among those that the outcome allows. Equal seeds and actions
//! give equal arrays, also after a state is restored.

use crate::game_dispatch::Rules;
use crate::models::num_symbols;
use crate::positions::{check_outcome, outcome_probabilities};
use crate::{EngineError, PyRes};
use engine::core::{
    game::{ChanceSource as _, List as _},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::learned::inputs::Learnable;
use pyo3::{FromPyObject, IntoPyObject};
use std::sync::Arc;

/// Outputs of a step, a row per board.
pub(crate) struct BoardArrays<'a> {
    /// Cell symbols for the seat to move.
    pub(crate) observations: &'a mut [u8],
    /// For each index, whether it is a legal action.
    pub(crate) mask: &'a mut [bool],
    pub(crate) counts: &'a mut [u16],
    /// Outcome of chance; 255 if unknown.
    pub(crate) outcome: &'a mut [u8],
    pub(crate) to_move: &'a mut [u8],
    /// Reward of the seat that moved.
    pub(crate) rewards: &'a mut [f32],
    pub(crate) terminated: &'a mut [bool],
    /// Last symbols of games that the step ended, for the seat that moved; `None` unless requested.
    pub(crate) final_observations: Option<&'a mut [u8]>,
}

const NO_OUTCOME: u8 = u8::MAX;

struct Board<G: Learnable> {
    position: G::Position,
    outcome: u8,
    moves: G::Moves,
}

pub(crate) struct Env<G: Learnable> {
    game: G,
    boards: Vec<Board<G>>,
    /// Chance sources of the boards; `None` if the caller sets outcomes (`explicit_chance`).
    luck: Option<Stream<G::Chance>>,
    starts: Stream<RandomStream>,
    samples: Stream<RandomStream>,
    /// Symbols per observation, and columns of the action mask.
    pub(crate) widths: [usize; 2],
}

/// The state of all boards, for pickling.
#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct State {
    positions: Vec<String>,
    outcomes: Vec<u8>,
    /// Outcomes, starts and samples: how often each was reseeded, and draws since then.
    streams: [(u64, u64); 3],
}

/// Maximum of symbols, and of mask cells, of all boards together.
const MAX_OBSERVATION_SYMBOLS: usize = 1 << 31;

/// A random source whose state can be restored, because it is reseeded after many draws.
struct Stream<T> {
    seed: u64,
    number: u64,
    renewals: u64,
    draws: u64,
    source: T,
}

/// Draws until a stream is reseeded; restoring a state repeats about so many at most.
const DRAWS_PER_RESEED: u64 = 1 << 20;

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

    /// The source for `draws` draws, reseeded if due.
    #[inline]
    fn advance(&mut self, draws: usize, make: impl Fn(u64) -> T) -> &mut T {
        if self.draws >= DRAWS_PER_RESEED {
            *self = Self::new(self.seed, self.number, self.renewals + 1, make);
        }
        self.draws += draws as u64;
        &mut self.source
    }

    /// Restores the state after `renewals` reseedings and `draws` draws.
    fn restore_draws(
        &mut self,
        (renewals, draws): (u64, u64),
        max_draws: usize,
        make: impl Fn(u64) -> T,
        mut draw: impl FnMut(&mut T),
    ) -> PyRes<()> {
        if draws >= DRAWS_PER_RESEED + max_draws as u64 {
            return Err(format!("no stream has given {draws} draws").into());
        }
        *self = Self::new(self.seed, self.number, renewals, make);
        self.draws = draws;
        (0..draws).for_each(|_| draw(&mut self.source));
        Ok(())
    }
}

impl<G: Learnable> Env<G> {
    pub(crate) fn new(game: &G, count: usize, seed: u64, explicit_chance: bool) -> PyRes<Self> {
        let max_actions = G::INFO
            .max_legal_moves
            .unwrap_or_else(|| game.branching_hint());
        let widths = [num_symbols(game), max_actions];
        let bound = MAX_OBSERVATION_SYMBOLS / widths[0].max(max_actions).max(1);
        if !(1..=bound).contains(&count) {
            return Err(format!("'n' is 1 to {bound} boards, not {count}").into());
        }
        let luck = (!explicit_chance).then(|| Stream::new(seed, 0, 0, |seed| game.chance(seed)));
        let mut starts = Stream::new(seed, 1, 0, RandomStream::new);
        let samples = Stream::new(seed, 2, 0, RandomStream::new);
        let boards = (0..count).map(|_| Board {
            position: next_start(game, &mut starts),
            outcome: NO_OUTCOME,
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

    /// Restores boards and random streams and writes the arrays. The environment must have the
    /// state's seed (unchecked) and number of boards (else an error).
    pub(crate) fn restore(&mut self, state: &State, arrays: &mut BoardArrays<'_>) -> PyRes<()> {
        let (game, count) = (&self.game, self.boards.len());
        if [state.positions.len(), state.outcomes.len()] != [count; 2] {
            return Err(format!("a state of {count} boards has as many positions").into());
        }
        let read = |(text, &outcome): (&String, &u8)| {
            let (position, _) = game.parse_position(text)?;
            let mut moves = G::Moves::default();
            if outcome != NO_OUTCOME {
                let outcome = check_outcome(game, outcome.into())?;
                game.allowed_moves(&position, outcome, &mut moves);
            }
            PyRes::Ok(Board {
                position,
                outcome,
                moves,
            })
        };
        let boards = state.positions.iter().zip(&state.outcomes).map(read);
        let boards = boards.collect::<PyRes<Vec<_>>>()?;
        let [luck, starts, samples] = state.streams;
        let mut random = RandomStream::new(0);
        let first = random_start(game, &mut random);
        if let Some(stream) = &mut self.luck {
            let make = |seed| game.chance(seed);
            stream.restore_draws(luck, count, make, |luck| drop(luck.draw(game, &first)))?;
        }
        let stream = &mut self.starts;
        stream.restore_draws(starts, 1, RandomStream::new, |random| {
            let _ = random_start(game, random);
        })?;
        let stream = &mut self.samples;
        stream.restore_draws(samples, count, RandomStream::new, |random| {
            let _ = random.next_u64();
        })?;
        self.boards = boards;
        for (index, board) in self.boards.iter().enumerate() {
            write_board(&self.game, self.widths, board, index, arrays);
        }
        Ok(())
    }
}

fn next_start<G: Learnable>(game: &G, starts: &mut Stream<RandomStream>) -> G::Position {
    random_start(game, starts.advance(1, RandomStream::new))
}

fn random_start<G: Learnable>(game: &G, random: &mut RandomStream) -> G::Position {
    loop {
        let first = random.below(game.seats());
        let position = game.random_start(random, first);
        if game.payoffs(&position).is_none() {
            return position;
        }
    }
}

#[inline]
fn draw_outcome<G: Learnable>(game: &G, luck: &mut Option<&mut G::Chance>, board: &mut Board<G>) {
    if let Some(luck) = luck {
        (board.outcome, board.moves) = luck.draw(game, &board.position);
    } else {
        board.outcome = NO_OUTCOME;
        board.moves.clear();
    }
}

/// Writes a board's row, but not rewards and ends of games.
#[inline]
fn write_board<G: Learnable>(
    game: &G,
    [cells, max_actions]: [usize; 2],
    board: &Board<G>,
    index: usize,
    arrays: &mut BoardArrays<'_>,
) {
    let seat = game.to_move(&board.position);
    let row = &mut arrays.observations[index * cells..][..cells];
    game.write_symbols(&board.position, seat, row);
    let count = board.moves.len();
    for (action, legal) in arrays.mask[index * max_actions..][..max_actions]
        .iter_mut()
        .enumerate()
    {
        *legal = action < count;
    }
    arrays.counts[index] = count as u16;
    arrays.outcome[index] = board.outcome;
    arrays.to_move[index] = seat as u8;
}

impl<G: Learnable> Env<G> {
    /// Begins new games on the boards of `mask`, or on all; `seed` reseeds outcomes, starts and
    /// samples.
    pub(crate) fn reset(
        &mut self,
        mask: Option<&[bool]>,
        seed: Option<u64>,
        arrays: &mut BoardArrays<'_>,
    ) -> PyRes<()> {
        let count = self.boards.len();
        if let Some(found) = mask.map(<[bool]>::len).filter(|&found| found != count) {
            return Err(format!("one truth value a board: {count}, not {found}").into());
        }
        if let Some(seed) = seed {
            let reseeded = Self::new(&self.game, count, seed, self.luck.is_none())?;
            (self.luck, self.starts, self.samples) =
                (reseeded.luck, reseeded.starts, reseeded.samples);
        }
        let game = &self.game;
        let reset_count = mask.map_or(count, |mask| mask.iter().filter(|&&reset| reset).count());
        let luck = self.luck.as_mut();
        let mut luck = luck.map(|luck| luck.advance(reset_count, |seed| game.chance(seed)));
        for (index, board) in self.boards.iter_mut().enumerate() {
            if mask.is_none_or(|mask| mask[index]) {
                board.position = next_start(game, &mut self.starts);
                draw_outcome(game, &mut luck, board);
                write_board(game, self.widths, board, index, arrays);
                arrays.rewards[index] = 0.0;
                arrays.terminated[index] = false;
            }
        }
        Ok(())
    }

    /// Makes moves; an illegal action leaves all boards unchanged.
    pub(crate) fn step(&mut self, actions: &[i64], arrays: &mut BoardArrays<'_>) -> PyRes<()> {
        let illegal = |(index, (action, board)): (usize, (&i64, &Board<G>))| {
            let count = board.moves.len();
            let is_legal = usize::try_from(*action).is_ok_and(|action| action < count);
            (!is_legal).then(|| match board.outcome {
                NO_OUTCOME => {
                    format!("board {index}: chance has not spoken; reset() or step_chance()")
                }
                _ => format!("board {index}: an action is below {count}, not {action}"),
            })
        };
        let mut pairs = actions.iter().zip(&self.boards).enumerate();
        if let Some(problem) = pairs.find_map(illegal) {
            return Err(problem.into());
        }
        let (game, luck) = (&self.game, self.luck.as_mut());
        let mut luck = luck.map(|luck| luck.advance(actions.len(), |seed| game.chance(seed)));
        for (index, (board, &action)) in self.boards.iter_mut().zip(actions).enumerate() {
            let mover = game.to_move(&board.position);
            let mv = board.moves[action as usize];
            board.position = game.play(&board.position, mv);
            let payoff = game.payoff(&board.position, mover);
            arrays.terminated[index] = payoff.is_some();
            arrays.rewards[index] = payoff.map_or(0.0, |payoff| 2.0 * payoff - 1.0);
            if payoff.is_some() {
                if let Some(last) = &mut arrays.final_observations {
                    let cells = self.widths[0];
                    game.write_symbols(&board.position, mover, &mut last[index * cells..][..cells]);
                }
                board.position = next_start(game, &mut self.starts);
            }
            draw_outcome(game, &mut luck, board);
            write_board(game, self.widths, board, index, arrays);
        }
        Ok(())
    }

    pub(crate) fn step_chance(
        &mut self,
        outcomes: &[i64],
        arrays: &mut BoardArrays<'_>,
    ) -> PyRes<()> {
        if self.luck.is_some() {
            return Err("chance is drawn inside unless explicit_chance=True".into());
        }
        let checked = |(index, &outcome)| {
            let checked = check_outcome(&self.game, outcome);
            checked.map_err(|EngineError(problem)| format!("board {index}: {problem}").into())
        };
        let outcomes = outcomes.iter().enumerate().map(checked);
        let outcomes = outcomes.collect::<PyRes<Vec<u8>>>()?;
        let has_outcome = |board: &Board<G>| board.outcome != NO_OUTCOME;
        if let Some(index) = self.boards.iter().position(has_outcome) {
            return Err(format!("board {index}: chance has spoken; step()").into());
        }
        for (index, (board, outcome)) in self.boards.iter_mut().zip(outcomes).enumerate() {
            board.outcome = outcome;
            (self.game).allowed_moves(&board.position, outcome, &mut board.moves);
            write_board(&self.game, self.widths, board, index, arrays);
        }
        Ok(())
    }

    pub(crate) fn chances(&self) -> Vec<Vec<f32>> {
        let weights = |board: &Board<G>| {
            let mut row = vec![0.0; self.game.outcome_numbers().count()];
            let outcomes = outcome_probabilities(&self.game, &board.position);
            for (cell, (_, weight)) in row.iter_mut().zip(outcomes) {
                *cell = weight;
            }
            row
        };
        self.boards.iter().map(weights).collect()
    }

    pub(crate) fn sample(&mut self) -> PyRes<Vec<i64>> {
        if self.boards.iter().any(|board| board.moves.is_empty()) {
            return Err("chance has not spoken; reset() or step_chance()".into());
        }
        let random = self.samples.advance(self.boards.len(), RandomStream::new);
        let one = |board: &Board<G>| random.below(board.moves.len()) as i64;
        Ok(self.boards.iter().map(one).collect())
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let text = |board: &Board<G>| {
            let outcome = Some(board.outcome).filter(|&outcome| outcome != NO_OUTCOME);
            self.game.format_position(&board.position, outcome)
        };
        self.boards.iter().map(text).collect()
    }
}
