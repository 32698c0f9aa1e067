//! Builds a game ply by ply and checks it against the rules.

use super::import_sink::Rejection;
use crate::shard::{Estimate, PlayedGame, Replay, ShardHeader, check_players, quantize_value};
use alea_core::{
    game::Payoffs,
    record::{Ending, GameRecord, Ply},
};
use alea_play::playable::Playable;

pub(super) struct GameBuilder<'a, G: Playable> {
    pub(super) replay: Replay<'a, G>,
    start: G::Position,
    pub(super) players: Vec<u8>,
    plies: Vec<Ply<G::Move>>,
    labels: Vec<Vec<Option<Estimate>>>,
    times: Vec<Option<u64>>,
    pub(super) result: (Ending, Payoffs),
}

#[derive(Default)]
pub(super) struct PlyExtras {
    pub(super) value: Option<f32>,
    pub(super) explored: bool,
    pub(super) time: Option<u64>,
    /// Value and standard error for each label.
    pub(super) labels: Vec<(Option<f32>, Option<f32>)>,
}

impl<'a, G: Playable> GameBuilder<'a, G> {
    pub(super) fn new(
        rules: &'a G,
        start: G::Position,
        players: Vec<u8>,
        header: &ShardHeader,
    ) -> Result<Self, String> {
        check_players(rules, &players, header.players.len())?;
        Ok(Self {
            replay: Replay::new(rules, start),
            start,
            players,
            plies: Vec::new(),
            labels: vec![Vec::new(); header.labels.len()],
            times: Vec::new(),
            result: Default::default(),
        })
    }

    pub(super) fn play(
        &mut self,
        outcome: u8,
        mv: G::Move,
        extras: PlyExtras,
    ) -> Result<(), String> {
        let probability = |value: Option<f32>| match value {
            Some(value) if !(0.0..=1.0).contains(&value) => {
                Err(self.replay.ply_error("the value is no probability"))
            }
            value => Ok(value.map(quantize_value)),
        };
        let value = probability(extras.value)?;
        for (own, (value, error)) in self.labels.iter_mut().zip(extras.labels) {
            let (value, error) = (probability(value)?, probability(error)?);
            if value.is_none() && error.is_some() {
                return Err(self
                    .replay
                    .ply_error("has an error of a label without value"));
            }
            own.push(value.map(|value| Estimate { value, error }));
        }
        self.replay.play(outcome, mv)?;
        self.times.push(extras.time);
        self.plies.push(Ply {
            outcome,
            mv,
            value,
            explored: extras.explored,
        });
        Ok(())
    }

    pub(super) fn plies(&self) -> usize {
        self.plies.len()
    }

    pub(super) fn finish(self) -> Result<PlayedGame<G>, Rejection> {
        let (ending, payoffs) = self.result;
        if ending.is_played() && self.replay.payoffs().is_none() {
            return Err(Rejection::Stopped);
        }
        let mut game = PlayedGame {
            record: GameRecord {
                start: self.start,
                plies: self.plies,
                payoffs: self.replay.finish(ending, &payoffs)?,
                ending,
            },
            players: self.players,
            labels: self.labels,
            times: self.times,
        };
        game.drop_empty_fields();
        Ok(game)
    }
}
