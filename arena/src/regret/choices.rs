//! Decisions of contestants. An evaluator values each successor once, for all outcomes of chance; a
//! player decides each outcome in a new game, so that decisions are independent.

use super::{
    Contestant,
    reference_values::{Labelled, first_best, rate_moves},
};
use crate::error::Result;
use alea_core::random::{SeedSpace, derive_seed};
use alea_play::{playable::Playable, player::Player, registry::AnyEvaluator};
use alea_search::limits::Limits;
use indicatif::ProgressBar;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Choices {
    #[default]
    Uniform,
    Moves(Vec<u16>),
}

#[derive(Clone, Default)]
pub(super) struct Answer {
    pub choices: Choices,
    /// Win probability of the side to move, before chance; `None` for players.
    pub value: Option<f32>,
}

const BLOCK_POSITIONS: usize = 128;

pub(super) fn answers<G: Playable>(
    contestant: &Contestant<G>,
    game: &G,
    labelled: &[Labelled<G>],
    seed: u64,
    progress: &ProgressBar,
) -> Result<Vec<Answer>> {
    let done = |block: &[Labelled<G>]| progress.inc(block.len() as u64);
    match contestant {
        Contestant::Evaluator { evaluator, .. } => {
            let answer = |block: &[Labelled<G>]| {
                let answers = evaluator_answers(&**evaluator, game, block);
                done(block);
                answers
            };
            let blocks: Vec<_> = labelled.chunks(BLOCK_POSITIONS).collect();
            Ok(alea_parallel::map(blocks.len(), |index| answer(blocks[index])).concat())
        }
        Contestant::Player(recipe) if recipe.plays_uniformly() => {
            done(labelled);
            Ok(vec![Answer::default(); labelled.len()])
        }
        Contestant::Player(recipe) => {
            let answer = |player: &mut Box<dyn Player<G>>, index: usize| {
                let labelled = &labelled[index];
                let answer = player_answer(player.as_mut(), game, labelled, seed, index as u64)?;
                progress.inc(1);
                Ok(answer)
            };
            alea_parallel::try_map_with(labelled.len(), || recipe.make(), answer)
        }
    }
}

fn player_answer<G: Playable>(
    player: &mut dyn Player<G>,
    game: &G,
    labelled: &Labelled<G>,
    seed: u64,
    number: u64,
) -> Result<Answer> {
    let mut choices = Vec::new();
    for (index, outcome) in labelled.outcomes(game).iter().enumerate() {
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
        choices.push((outcome.move_range().start + index) as u16);
    }
    let choices = Choices::Moves(choices);
    Ok(Answer {
        choices,
        value: None,
    })
}

const PLAYER_SEED_STREAM: u64 = 1;

fn evaluator_answers<G: Playable>(
    evaluator: &dyn AnyEvaluator<G>,
    game: &G,
    block: &[Labelled<G>],
) -> Vec<Answer> {
    let own = block.iter().map(|labelled| labelled.position).collect();
    let values = |requested: &[G::Position]| {
        let mut values = vec![0.0; requested.len()];
        evaluator.values(game, requested, &mut values);
        Some(values)
    };
    let (own, rated) = rate_moves(game, block, own, values).unwrap_or_default();
    let answer = |((labelled, value), rated): ((&Labelled<G>, f32), Vec<f32>)| {
        let outcomes = labelled.outcomes(game);
        let best = outcomes
            .iter()
            .map(|outcome| first_best(&rated, outcome.move_range()) as u16);
        Answer {
            choices: Choices::Moves(best.collect()),
            value: Some(value),
        }
    };
    block.iter().zip(own).zip(rated).map(answer).collect()
}
