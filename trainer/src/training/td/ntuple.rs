//! TD(λ) of an n-tuple network, which learns after each game, on one thread (Szubert and Jaśkowski
//! 2014).

use super::{
    SelfPlay, TdLearner,
    episode::{Episode, GameEvaluator, Target},
};
use crate::Error;
use crate::config::TrainConfig;
use crate::models::tuple_optimizer::WeightTable;
use crate::training::ntuple::NTupleLearner;
use crate::training_results::Family;
use alea_core::random::RandomStream;
use alea_learned::{inputs::Learnable, tuples::TupleSet};
use std::ops::Range;

pub(super) struct TdNTuple<G: Learnable> {
    learner: NTupleLearner<G>,
    episode: Episode<G>,
    rows: GameRows,
    errors: Vec<f32>,
}

/// Table rows of the positions of a game, of the kept successor, and of the latest one.
#[derive(Debug, Default)]
struct GameRows {
    played: Vec<u32>,
    kept: Vec<u32>,
    latest: Vec<u32>,
}

struct TupleEvaluator<'a, G: Learnable> {
    set: &'a TupleSet<G>,
    table: &'a WeightTable,
    rows: &'a mut GameRows,
}

impl<G: Learnable> GameEvaluator<G> for TupleEvaluator<'_, G> {
    fn start_logit(&mut self, _: &G, start: &G::Position) -> f32 {
        let GameRows {
            played,
            kept,
            latest,
        } = self.rows;
        played.clear();
        kept.resize(self.set.tuple_count(), 0);
        latest.resize(self.set.tuple_count(), 0);
        self.set.row_indices(start, kept);
        played.extend_from_slice(kept);
        self.table.logit(kept)
    }

    #[inline]
    fn successor_logit(&mut self, _: &G, _: &G::Position, _: G::Move, after: &G::Position) -> f32 {
        self.set.row_indices(after, &mut self.rows.latest);
        self.table.logit(&self.rows.latest)
    }

    #[inline]
    fn keep_successor(&mut self) {
        std::mem::swap(&mut self.rows.kept, &mut self.rows.latest);
    }

    #[inline]
    fn advance(&mut self) {
        self.rows.played.extend_from_slice(&self.rows.kept);
    }
}

impl<G: Learnable> TdNTuple<G> {
    pub(super) fn new(learner: NTupleLearner<G>) -> Self {
        Self {
            learner,
            episode: Episode::default(),
            rows: GameRows::default(),
            errors: Vec::new(),
        }
    }

    pub(super) fn play_from(
        &mut self,
        rules: &G,
        start: G::Position,
        exploration: f64,
        random: &mut RandomStream,
    ) -> &Episode<G> {
        let (set, table) = self.learner.set_and_table();
        let rows = &mut self.rows;
        let mut evaluator = TupleEvaluator { set, table, rows };
        self.episode
            .play(rules, &mut evaluator, start, exploration, random);
        &self.episode
    }
}

impl<G: Learnable> TdLearner<G> for TdNTuple<G> {
    type Learner = NTupleLearner<G>;
    const FAMILY: Family = Family::NTuple;

    fn learner(&mut self) -> &mut NTupleLearner<G> {
        &mut self.learner
    }

    fn method(&self, config: &TrainConfig) -> String {
        format!("{:?}", config.ntuple.rule)
    }

    fn games_per_update(&self) -> u64 {
        1
    }

    fn play(
        &mut self,
        self_play: &SelfPlay<'_, G>,
        games: Range<u64>,
    ) -> Result<&[Episode<G>], Error> {
        for game in games {
            let (start, mut random) = self_play.draw_start(game);
            let exploration = self_play.exploration_rate(game);
            self.play_from(self_play.rules, start, exploration, &mut random);
        }
        Ok(std::slice::from_ref(&self.episode))
    }

    fn learn(
        &mut self,
        self_play: &SelfPlay<'_, G>,
        _: u64,
        learning_rate: f64,
    ) -> Result<(), Error> {
        let trace = self_play.config.online.trace as f32;
        let targets = self.episode.compute_targets(self_play.rules, trace);
        let error = |found: &Target| {
            found
                .lambda_return
                .map_or(0.0, |target| found.value - target)
        };
        self.errors.clear();
        self.errors.extend(targets.iter().map(error));
        let (set, table) = self.learner.set_and_table();
        let rate = (learning_rate / set.tuple_count() as f64) as f32;
        table.apply_errors(&self.rows.played, &self.errors, rate);
        Ok(())
    }
}
