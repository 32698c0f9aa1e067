//! What contestants choose, position by position.
//!
//! An evaluator rates each distinct successor once, which answers all six faces. A player decides
//! every roll that leaves a choice, each time told of a new game, so that no decision profits from
//! another. Invariant: the answers for a position depend on the contestant, the seed, the position
//! and its number alone.

use super::{
    Contestant,
    truth::{Labelled, MAX_STORED_MOVES, first_best, rate_moves},
};
use crate::error::Result;
use engine::core::random::{SeedSpace, derive_seed};
use engine::games::einstein::{MAX_OUTCOMES, Position, Standard};
use engine::play::{player::Player, registry::AnyEvaluator};
use engine::search::limits::Limits;
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What a contestant makes of one roll.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Choice {
    /// Each permitted move with the same chance.
    #[default]
    Uniform,
    /// The move at this place of the list of all moves.
    Move(u8),
}

/// What a contestant says of a position.
#[derive(Clone, Default)]
pub(super) struct Answer {
    /// For each outcome, in order, what is chosen.
    pub choices: [Choice; MAX_OUTCOMES],
    /// Win probability of the side to move before the roll, if the contestant says so.
    pub value: Option<f32>,
}

/// Positions that are answered by one thread at a time.
const BLOCK: usize = 128;

/// The answers of a contestant, one a position, in order.
pub(super) fn answers(
    contestant: &Contestant,
    game: &Standard,
    labelled: &[Labelled],
    seed: u64,
    progress: &ProgressBar,
) -> Result<Vec<Answer>> {
    let done = |block: &[Labelled]| progress.inc(block.len() as u64);
    match contestant {
        Contestant::Evaluator { evaluator, .. } => {
            let answer = |block: &[Labelled]| {
                let answers = by_evaluator(&**evaluator, game, block);
                done(block);
                answers
            };
            Ok(labelled.par_chunks(BLOCK).flat_map(answer).collect())
        }
        Contestant::Player(recipe) if recipe.is_uniform() => {
            done(labelled);
            Ok(vec![Answer::default(); labelled.len()])
        }
        Contestant::Player(recipe) => {
            // A player for each thread, for making one may take a large table.
            let positions = (0..).zip(labelled).par_bridge();
            let answer = |player: &mut Box<dyn Player<Standard>>, (number, labelled)| {
                let answer = by_player(player.as_mut(), game, labelled, seed, number)?;
                progress.inc(1);
                Ok((number, answer))
            };
            let answers = positions.map_init(|| recipe.make(), answer);
            let answers: BTreeMap<u64, Answer> = answers.collect::<Result<_>>()?;
            Ok(answers.into_values().collect())
        }
    }
}

fn by_player(
    player: &mut dyn Player<Standard>,
    game: &Standard,
    labelled: &Labelled,
    seed: u64,
    number: u64,
) -> Result<Answer> {
    let mut answer = Answer::default();
    let choices = answer.choices.iter_mut().enumerate();
    for ((index, choice), outcome) in choices.zip(labelled.outcomes(game).iter()) {
        let legal = &labelled.moves[outcome.move_range()];
        let index = if legal.len() == 1 {
            0
        } else {
            player.new_game(derive_seed(
                seed,
                SeedSpace::Regret,
                &[number, index as u64, PLAYER_SEED_STREAM],
            ));
            let decision = player.decide(&labelled.position, legal, &Limits::NONE);
            let best = decision.map_err(|failure| failure.to_string())?.best;
            legal.iter().position(|&mv| mv == best).unwrap_or(0)
        };
        *choice = Choice::Move((outcome.move_range().start + index) as u8);
    }
    Ok(answer)
}

/// Sets the seeds of players apart from those of positions, which have two indices.
const PLAYER_SEED_STREAM: u64 = 1;

fn by_evaluator(
    evaluator: &dyn AnyEvaluator<Standard>,
    game: &Standard,
    block: &[Labelled],
) -> Vec<Answer> {
    let own = block.iter().map(|labelled| labelled.position).collect();
    let values = |requested: &[Position]| {
        let mut values = vec![0.0; requested.len()];
        evaluator.values(game, requested, &mut values);
        Some(values)
    };
    let (own, rated) = rate_moves(game, block, own, values).unwrap_or_default();
    let answer = |((labelled, value), rated): ((&Labelled, f32), [f32; MAX_STORED_MOVES])| {
        let mut answer = Answer {
            value: Some(value),
            ..Answer::default()
        };
        let choices = answer.choices.iter_mut();
        for (choice, outcome) in choices.zip(labelled.outcomes(game).iter()) {
            *choice = Choice::Move(first_best(&rated, outcome.move_range()) as u8);
        }
        answer
    };
    block.iter().zip(own).zip(rated).map(answer).collect()
}
