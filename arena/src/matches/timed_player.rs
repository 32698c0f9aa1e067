//! Wrapper of a player that counts and times its decisions, failed ones included, by the time that
//! the player reports, or else by wall time.

use alea_core::game::Game;
use alea_play::player::{
    Analysis, AnalysisObserver, Decision, Failure, GameEvent, Player, PositionValue,
};
use alea_search::limits::Limits;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

pub(super) struct TimedPlayer<G: Game> {
    pub(super) player: Box<dyn Player<G>>,
    pub(super) decisions: u64,
    pub(super) time: Duration,
    pub(super) cpu_time: Option<Duration>,
    pub(super) each: Vec<Duration>,
    keeps_each: bool,
}

impl<G: Game> TimedPlayer<G> {
    pub(super) fn new(player: Box<dyn Player<G>>, keeps_each: bool) -> Self {
        Self {
            player,
            decisions: 0,
            time: Duration::ZERO,
            cpu_time: None,
            each: Vec::new(),
            keeps_each,
        }
    }
}

impl<G: Game> Player<G> for TimedPlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn can_ponder(&self) -> bool {
        self.player.can_ponder()
    }

    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        self.player.ponder(position, stop);
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        self.decisions += 1;
        let began = Instant::now();
        let decision = self.player.decide(position, legal, limits);
        let reported = decision.as_ref().map_or(Duration::ZERO, |it| it.stats.time);
        let duration = if reported.is_zero() {
            began.elapsed()
        } else {
            reported
        };
        self.time += duration;
        if let Some(cpu_time) = decision.as_ref().ok().and_then(|it| it.cpu_time) {
            *self.cpu_time.get_or_insert_default() += cpu_time;
        }
        if self.keeps_each {
            self.each.push(duration);
        }
        decision
    }

    fn notify(&mut self, event: GameEvent<'_, G>) {
        self.player.notify(event);
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.player.analyse(position, legal, limits)
    }

    fn analyse_observed(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
        observer: &mut AnalysisObserver<'_, G::Move>,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.player
            .analyse_observed(position, legal, limits, observer)
    }

    fn exact_scores(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        self.player.exact_scores(position, moves, limits)
    }

    fn value(&mut self, position: &G::Position, limits: &Limits) -> PositionValue {
        self.player.value(position, limits)
    }
}
