//! A player and the time it takes.
//!
//! Reading a clock costs as much as a third of a decision without search, so a player that says
//! itself how long it took is believed. Invariant: every decision is counted, and its time is read
//! once; in everything else it is the player within.

use engine::core::game::Game;
use engine::play::player::{Analysis, Decision, Failure, News, Player, Valuation};
use engine::search::limits::Limits;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// A player whose decisions are counted.
pub(super) struct Timed<G: Game> {
    pub(super) player: Box<dyn Player<G>>,
    /// Whether the player reports the time of its decisions; known after the first.
    reports: bool,
    /// Moves decided since somebody set it to 0.
    pub(super) decisions: u64,
    /// Time spent deciding since somebody set it to 0.
    pub(super) time: Duration,
    /// CPU time of another program since somebody took it, if it is one.
    pub(super) cpu_time: Option<Duration>,
    /// How long each decision took, since somebody took them, if that is wanted.
    pub(super) each: Vec<Duration>,
    keeps_each: bool,
}

impl<G: Game> Timed<G> {
    pub(super) fn new(player: Box<dyn Player<G>>, keeps_each: bool) -> Self {
        Self {
            player,
            reports: false,
            decisions: 0,
            time: Duration::ZERO,
            cpu_time: None,
            each: Vec::new(),
            keeps_each,
        }
    }
}

impl<G: Game> Player<G> for Timed<G> {
    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn ponders(&self) -> bool {
        self.player.ponders()
    }

    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        self.player.ponder(position, stop);
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Decision<G::Move> {
        self.decisions += 1;
        let began = (!self.reports).then(Instant::now);
        let decision = self.player.decide(position, legal, limits);
        let taken = began.map_or(decision.stats.time, |began| began.elapsed());
        self.time += taken;
        if let Some(cpu_time) = decision.cpu_time {
            *self.cpu_time.get_or_insert_default() += cpu_time;
        }
        if self.keeps_each {
            self.each.push(taken);
        }
        self.reports = decision.stats.time > Duration::ZERO;
        decision
    }

    fn failure(&mut self) -> Option<Failure> {
        self.player.failure()
    }

    fn notify(&mut self, news: News<'_, G>) {
        self.player.notify(news);
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Analysis<G::Move> {
        self.player.analyse(position, legal, limits)
    }

    fn exact_scores(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        self.player.exact_scores(position, moves, limits)
    }

    fn value(&mut self, position: &G::Position, limits: &Limits) -> Valuation {
        self.player.value(position, limits)
    }
}
