//! Many games of one kind that are stepped at once.
//!
//! An action is the index of a move among those that chance permits, in list order, as records have
//! it. A game that ends is followed by the next one on its board within the same step. Invariant:
//! equal seeds and actions give equal bytes: chance, starts and samples are drawn board by board.

use crate::models::symbols;
use crate::positions::{named_outcomes, outcome_named};
use crate::{Told, Wrong};
use engine::core::{
    game::{Chance as _, List as _},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::learned::inputs::Learnable;

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
    luck: Option<G::Luck>,
    starts: RandomStream,
    samples: RandomStream,
    /// Symbols of an observation, and columns of the mask.
    pub(crate) widths: [usize; 2],
}

/// Most symbols of all observations together.
const MOST_CELLS: usize = 1 << 31;

impl<G: Learnable> Env<G> {
    pub(crate) fn new(game: &G, count: usize, seed: u64, explicit_chance: bool) -> Told<Self> {
        let seed = |index| derive_seed(seed, SeedSpace::Playouts, &[index]);
        // A face permits two stones at most, and each has three steps.
        let most = match G::NAME {
            "einstein" => 6,
            _ => game.most_moves(),
        };
        let widths = [symbols(game), most];
        let bound = MOST_CELLS / widths[0].max(most).max(1);
        if !(1..=bound).contains(&count) {
            return Err(format!("'n' is 1 to {bound} boards, not {count}").into());
        }
        let luck = (!explicit_chance).then(|| game.luck(seed(0)));
        let (mut starts, samples) = (RandomStream::new(seed(1)), RandomStream::new(seed(2)));
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
}

/// The start of a game; whoever begins is drawn.
fn start<G: Learnable>(game: &G, random: &mut RandomStream) -> G::Position {
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
fn draw<G: Learnable>(game: &G, luck: &mut Option<G::Luck>, board: &mut Board<G>) {
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
    game.look(&board.position, seat, row);
    let count = board.moves.len();
    for (index, legal) in shown.mask[at * most..][..most].iter_mut().enumerate() {
        *legal = index < count;
    }
    shown.counts[at] = count as u16;
    shown.outcome[at] = board.outcome;
    shown.to_move[at] = seat as u8;
}

impl<G: Learnable> Env<G> {
    pub(crate) fn reset(&mut self, shown: &mut Shown<'_>) {
        shown.rewards.fill(0.0);
        shown.terminated.fill(false);
        for (at, board) in self.boards.iter_mut().enumerate() {
            board.position = start(&self.game, &mut self.starts);
            draw(&self.game, &mut self.luck, board);
            show(&self.game, self.widths, board, at, shown);
        }
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
        for (at, (board, &action)) in self.boards.iter_mut().zip(actions).enumerate() {
            let mover = self.game.to_move(&board.position);
            let mv = board.moves[action as usize];
            board.position = self.game.play(&board.position, mv);
            let payoff = self.game.payoff(&board.position, mover);
            shown.terminated[at] = payoff.is_some();
            shown.rewards[at] = payoff.map_or(0.0, |payoff| 2.0 * payoff - 1.0);
            if payoff.is_some() {
                board.position = start(&self.game, &mut self.starts);
            }
            draw(&self.game, &mut self.luck, board);
            show(&self.game, self.widths, board, at, shown);
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
        let random = &mut self.samples;
        let one = |board: &Board<G>| match board.moves.len() {
            0 => None,
            count => Some(random.below(count) as i64),
        };
        let all: Option<Vec<i64>> = self.boards.iter().map(one).collect();
        Ok(all.ok_or("chance has not spoken; reset() or step_chance()")?)
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
