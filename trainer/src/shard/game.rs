//! A game: its players and its start, a few bytes a ply, and the columns it has.
//!
//! The only file that knows the bytes of such a game (`docs/formats.md`, "A game"). Invariant: what
//! is decoded was replayed by the rules, and encodes to the same bytes.

use super::{
    Estimate, PlayedGame, ShardHeader,
    replay::{Replay, check_players},
};
use crate::codec::{put_number, take_number};
use engine::core::{
    game::{MAX_SEATS, Payoffs},
    record::{Ending, GameRecord, Ply},
};
use engine::play::playable::Playable;
use xxhash_rust::xxh3::xxh3_64;

/// A value is stored as a whole number of this part of 1: rounding is off by at most 1/131,068, and
/// 0, 1/2 and 1 are exact.
pub const VALUE_STEPS: u16 = 65_534;
/// Stands where a ply has no value.
const NO_VALUE: u16 = u16::MAX;

/// What a column says of itself, two bits each: nothing is there, all plies are, or only those from
/// a later one on.
const NOTHING: u8 = 0;
const ALL: u8 = 1;
const LATER: u8 = 2;
/// Columns whose states are in one byte.
const STATES_A_BYTE: usize = 4;

const CHECK_BYTES: usize = 4;

/// Plies after which it is asked again whether there is time for more.
const CHECK_INTERVAL: usize = 64;

/// The value that is read where `value`, a probability, was written.
#[must_use]
pub fn rounded(value: f32) -> f32 {
    f32::from(steps_of(value)) / f32::from(VALUE_STEPS)
}

/// The nearest whole number of steps to a probability.
fn steps_of(value: f32) -> u16 {
    // From 0 to VALUE_STEPS for every probability. Product and sum are exact, so this rounds halves
    // up; `round` is a call where the instruction set is not known to have it.
    (f64::from(value) * f64::from(VALUE_STEPS) + 0.5) as u16
}

fn value_of(steps: u16) -> Option<f32> {
    (steps != NO_VALUE).then(|| f32::from(steps) / f32::from(VALUE_STEPS))
}

/// How the games of a shard are laid out.
pub(super) struct Form<G> {
    pub(super) game: G,
    /// Players of the header.
    players: usize,
    /// Whether times may be there.
    times: bool,
    /// For each label whether errors may be there.
    errors: Vec<bool>,
    /// Numbers of outcomes, from 0.
    outcomes: usize,
    /// Whether games say how they ended: version 5.
    endings: bool,
}

impl<G: Playable> Form<G> {
    pub(super) fn new(game: G, header: &ShardHeader, outcomes: usize) -> Self {
        Self {
            game,
            players: header.players.len(),
            times: header.times,
            errors: header.labels.iter().map(|label| label.errors).collect(),
            outcomes,
            endings: header.ended_early > 0,
        }
    }

    fn state_bytes(&self) -> usize {
        let columns: usize = self
            .errors
            .iter()
            .map(|&errors| 1 + usize::from(errors))
            .sum();
        (1 + usize::from(self.times) + columns).div_ceil(STATES_A_BYTE)
    }

    /// Appends the bytes of a game.
    ///
    /// # Errors
    /// In words, if [`Form::decode`] would refuse them: it breaks the rules, or has what the header
    /// does not name, or a value that is no probability.
    pub(super) fn encode(&self, played: &PlayedGame<G>, bytes: &mut Vec<u8>) -> Result<(), String> {
        let PlayedGame {
            record,
            labels,
            times,
            ..
        } = played;
        let from = bytes.len();
        let plies = record.plies.len();
        check_players(&self.game, &played.players, self.players)?;
        if !labels.is_empty()
            && (labels.len() != self.errors.len()
                || labels.iter().any(|label| label.len() != plies))
        {
            let known = self.errors.len();
            return Err(format!(
                "it has not {known} labels of {plies} plies, as the header and its moves say"
            ));
        }
        if !times.is_empty() && (!self.times || times.len() != plies) {
            return Err("it has not a time a ply, or the header says nothing of times".to_owned());
        }
        put_number(plies as u64, bytes);
        let mut columns = Columns {
            at: bytes.len(),
            column: 0,
            plies,
        };
        bytes.resize(bytes.len() + self.state_bytes(), 0);
        bytes.extend_from_slice(&played.players);
        if self.endings {
            self.put_ending(record, bytes);
        }
        self.game.encode(&record.start, bytes);
        let mut replay = Replay::new(&self.game, record.start);
        for ply in &record.plies {
            let index = replay.play(ply.outcome, ply.mv)?;
            let move_number = index * self.outcomes + usize::from(ply.outcome);
            put_number((2 * move_number + usize::from(ply.explored)) as u64, bytes);
        }
        if replay.finish(record.ending, &record.payoffs)? != record.payoffs {
            return Err("the payoffs are not those that the moves lead to".to_owned());
        }
        columns.put(bytes, "value", |ply| record.plies[ply].value, put_value)?;
        if self.times {
            let time = |ply: usize| *times.get(ply)?;
            columns.put(bytes, "time", time, |time, bytes| {
                put_number(time.map_or(0, |time: u64| time.saturating_add(1)), bytes);
                time != Some(u64::MAX)
            })?;
        }
        for (label, &errors) in self.errors.iter().enumerate() {
            let of = |ply: usize| -> Option<Estimate> { *labels.get(label)?.get(ply)? };
            columns.put(bytes, "label", |ply| Some(of(ply)?.value), put_value)?;
            if errors {
                columns.put(bytes, "error of a label", |ply| of(ply)?.error, put_value)?;
            } else if (0..plies).any(|ply| of(ply).is_some_and(|label| label.error.is_some())) {
                return Err("it has errors of a label of which the header says none".to_owned());
            }
        }
        let check = xxh3_64(&bytes[from..]) as u32;
        bytes.extend_from_slice(&check.to_le_bytes());
        Ok(())
    }

    /// Reads and replays the bytes of one game, unless `is_over` ends that.
    ///
    /// # Errors
    /// In words, if they are not those of a game by the rules, or it was ended.
    pub(super) fn decode(
        &self,
        bytes: &[u8],
        is_over: &dyn Fn() -> bool,
    ) -> Result<PlayedGame<G>, String> {
        const NO_GAME: &str = "its bytes are no game";
        let mut rest = checked(bytes)?;
        // Every ply takes a byte, so that a damaged number claims no memory.
        let plies = take_number(&mut rest)
            .and_then(|plies| usize::try_from(plies).ok())
            .filter(|&plies| plies <= rest.len())
            .ok_or(NO_GAME)?;
        let (states, after) = rest.split_at_checked(self.state_bytes()).ok_or(NO_GAME)?;
        let (players, after) = after.split_at_checked(self.game.seats()).ok_or(NO_GAME)?;
        rest = after;
        check_players(&self.game, players, self.players)?;
        let (ending, payoffs) = match self.endings {
            true => self.take_ending(&mut rest).ok_or(NO_GAME)?,
            false => Default::default(),
        };
        let start = self.game.decode(&mut rest)?;
        let mut replay = Replay::new(&self.game, start);
        let mut record = GameRecord {
            start,
            plies: Vec::with_capacity(plies),
            payoffs,
            ending,
        };
        for ply in 0..plies {
            if ply % CHECK_INTERVAL == CHECK_INTERVAL - 1 && is_over() {
                return Err(replay.wrong("there was no time for more"));
            }
            let number = take_number(&mut rest).ok_or(NO_GAME)? as usize;
            let outcome = number / 2 % self.outcomes;
            let mv = replay.play_at(outcome as u8, number / 2 / self.outcomes)?;
            record.plies.push(Ply {
                outcome: outcome as u8,
                mv,
                value: None,
                explored: number % 2 == 1,
            });
        }
        record.payoffs = replay.finish(ending, &payoffs)?;
        let mut columns = Stored {
            states,
            column: 0,
            plies,
            rest,
        };
        columns
            .take(
                |ply, value| record.plies[ply].value = Some(value),
                take_value,
            )
            .ok_or(NO_GAME)?;
        let mut played = PlayedGame {
            record,
            players: players.to_vec(),
            labels: Vec::new(),
            times: Vec::new(),
        };
        if self.times {
            let mut times = Vec::new();
            let note = |ply: usize, time| {
                times.resize(plies, None);
                times[ply] = Some(time);
            };
            columns.take(note, take_time).ok_or(NO_GAME)?;
            played.times = times;
        }
        for (label, &errors) in self.errors.iter().enumerate() {
            let labels = &mut played.labels;
            let note = |ply: usize, value| {
                if labels.is_empty() {
                    *labels = vec![vec![None; plies]; self.errors.len()];
                }
                labels[label][ply] = Some(Estimate { value, error: None });
            };
            columns.take(note, take_value).ok_or(NO_GAME)?;
            if errors {
                let mut stray = false;
                let note = |ply: usize, error| match labels
                    .get_mut(label)
                    .and_then(|label| label[ply].as_mut())
                {
                    Some(estimate) => estimate.error = Some(error),
                    None => stray = true,
                };
                columns
                    .take(note, take_value)
                    .filter(|()| !stray)
                    .ok_or(NO_GAME)?;
            }
        }
        columns.finish().ok_or(NO_GAME)?;
        Ok(played)
    }
}

impl<G: Playable> Form<G> {
    /// A byte for the ending, and unless it follows from the moves, what each seat got.
    fn put_ending(&self, record: &GameRecord<G>, bytes: &mut Vec<u8>) {
        bytes.push(record.ending as u8);
        if !record.ending.is_played() {
            let payoffs = &record.payoffs[..self.game.seats()];
            bytes.extend(payoffs.iter().flat_map(|payoff| payoff.to_le_bytes()));
        }
    }

    fn take_ending(&self, rest: &mut &[u8]) -> Option<(Ending, Payoffs)> {
        let (&ending, mut after) = rest.split_first()?;
        let ending = *Ending::ALL.get(usize::from(ending))?;
        let mut payoffs = [0.0; MAX_SEATS];
        if !ending.is_played() {
            for payoff in &mut payoffs[..self.game.seats()] {
                let (bytes, more) = after.split_first_chunk()?;
                (*payoff, after) = (f32::from_le_bytes(*bytes), more);
            }
        }
        *rest = after;
        Some((ending, payoffs))
    }
}

/// The bytes of a game before its checksum.
///
/// # Errors
/// In words, if that does not fit.
fn checked(bytes: &[u8]) -> Result<&[u8], String> {
    let (bytes, check) = bytes.split_last_chunk::<CHECK_BYTES>().ok_or("it is cut")?;
    if xxh3_64(bytes) as u32 != u32::from_le_bytes(*check) {
        return Err("its checksum does not fit".to_owned());
    }
    Ok(bytes)
}

/// Columns that are being written.
struct Columns {
    /// Where their states stand.
    at: usize,
    column: usize,
    plies: usize,
}

impl Columns {
    /// Appends the next column: from the first ply on that has an entry. `put` says whether the entry
    /// can be stored.
    fn put<T: Copy>(
        &mut self,
        bytes: &mut Vec<u8>,
        name: &str,
        entry: impl Fn(usize) -> Option<T>,
        mut put: impl FnMut(Option<T>, &mut Vec<u8>) -> bool,
    ) -> Result<(), String> {
        let first = (0..self.plies).find(|&ply| entry(ply).is_some());
        let state = match first {
            None => NOTHING,
            Some(0) => ALL,
            Some(_) => LATER,
        };
        let shift = 2 * (self.column % STATES_A_BYTE);
        bytes[self.at + self.column / STATES_A_BYTE] |= state << shift;
        self.column += 1;
        if state == LATER {
            put_number(first.unwrap_or(0) as u64, bytes);
        }
        for ply in first.unwrap_or(self.plies)..self.plies {
            if !put(entry(ply), bytes) {
                return Err(format!("ply {ply}: the {name} is out of range"));
            }
        }
        Ok(())
    }
}

fn put_value(value: Option<f32>, bytes: &mut Vec<u8>) -> bool {
    bytes.extend_from_slice(&value.map_or(NO_VALUE, steps_of).to_le_bytes());
    value.is_none_or(|value| (0.0..=1.0).contains(&value))
}

/// Columns that are being read.
struct Stored<'a> {
    states: &'a [u8],
    column: usize,
    plies: usize,
    rest: &'a [u8],
}

impl Stored<'_> {
    /// Gives the entries of the next column to `note`; `None` if it is not as it would be written.
    fn take<T>(
        &mut self,
        mut note: impl FnMut(usize, T),
        take: impl Fn(&mut &[u8]) -> Option<Option<T>>,
    ) -> Option<()> {
        let shift = 2 * (self.column % STATES_A_BYTE);
        let state = self.states[self.column / STATES_A_BYTE] >> shift & 3;
        self.column += 1;
        let first = match state {
            NOTHING => return Some(()),
            ALL => 0,
            LATER => usize::try_from(take_number(&mut self.rest)?)
                .ok()
                .filter(|&first| first > 0)?,
            _ => return None,
        };
        if first >= self.plies {
            return None;
        }
        for ply in first..self.plies {
            match take(&mut self.rest)? {
                Some(entry) => note(ply, entry),
                // What has no entry is not written: a game has one form only.
                None if ply == first => return None,
                None => {}
            }
        }
        Some(())
    }

    /// Whether nothing is left.
    fn finish(self) -> Option<()> {
        let after = self.column..self.states.len() * STATES_A_BYTE;
        let unused = after.fold(0, |bits, column| {
            bits | self.states[column / STATES_A_BYTE] >> (2 * (column % STATES_A_BYTE)) & 3
        });
        (self.rest.is_empty() && unused == 0).then_some(())
    }
}

fn take_value(bytes: &mut &[u8]) -> Option<Option<f32>> {
    let (steps, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(value_of(u16::from_le_bytes(*steps)))
}

fn take_time(bytes: &mut &[u8]) -> Option<Option<u64>> {
    Some(take_number(bytes)?.checked_sub(1))
}
