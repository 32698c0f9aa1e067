//! Codec of a game, as specified by `docs/reference/formats.md`, "A game". Decoded games follow the
//! rules and encode to the same bytes.

use super::{
    Estimate, PlayedGame, ShardHeader,
    replay::{Replay, check_players},
};
use crate::codec::{put_leb128, take_leb128};
use alea_core::{
    game::{MAX_SEATS, Payoffs},
    record::{Ending, GameRecord, Ply},
};
use alea_play::playable::Playable;
use xxhash_rust::xxh3::xxh3_64;

/// Number of equal steps between 0 and 1 to which stored values are rounded; ½ is exact.
pub const VALUE_STEPS: u16 = 65_534;
const NO_VALUE: u16 = u16::MAX;

const COLUMN_EMPTY: u8 = 0;
const COLUMN_FULL: u8 = 1;
const COLUMN_LATE: u8 = 2;
const STATES_PER_BYTE: usize = 4;

const GAME_CHECKSUM_BYTES: usize = 4;

/// Plies between two calls of `should_stop`.
const STOP_CHECK_PLIES: usize = 64;

/// Rounds to the nearest value that shards can store.
#[must_use]
pub fn quantize_value(value: f32) -> f32 {
    f32::from(value_to_steps(value)) / f32::from(VALUE_STEPS)
}

fn value_to_steps(value: f32) -> u16 {
    // Rounds halves up; `round` is a function call on some instruction sets.
    (f64::from(value) * f64::from(VALUE_STEPS) + 0.5) as u16
}

fn steps_to_value(steps: u16) -> Option<f32> {
    (steps != NO_VALUE).then(|| f32::from(steps) / f32::from(VALUE_STEPS))
}

pub(super) struct GameCodec<G> {
    pub(super) game: G,
    players: usize,
    times: bool,
    /// By label: whether its values have standard errors.
    errors: Vec<bool>,
    outcomes: usize,
    /// Whether games store endings (format version 5).
    has_endings: bool,
}

impl<G: Playable> GameCodec<G> {
    pub(super) fn new(game: G, header: &ShardHeader, outcomes: usize) -> Self {
        Self {
            game,
            players: header.players.len(),
            times: header.times,
            errors: header.labels.iter().map(|label| label.errors).collect(),
            outcomes,
            has_endings: header.ended_early > 0,
        }
    }

    fn state_bytes(&self) -> usize {
        let columns: usize = self
            .errors
            .iter()
            .map(|&errors| 1 + usize::from(errors))
            .sum();
        (1 + usize::from(self.times) + columns).div_ceil(STATES_PER_BYTE)
    }

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
            let label_count = self.errors.len();
            return Err(format!(
                "it must have {label_count} labels of {plies} plies, as header and moves require"
            ));
        }
        if !times.is_empty() && (!self.times || times.len() != plies) {
            return Err(
                "it must have one time per ply, and the header must declare times".to_owned(),
            );
        }
        put_leb128(plies as u64, bytes);
        let mut columns = ColumnWriter {
            at: bytes.len(),
            column: 0,
            plies,
        };
        bytes.resize(bytes.len() + self.state_bytes(), 0);
        bytes.extend_from_slice(&played.players);
        if self.has_endings {
            self.put_ending(record, bytes);
        }
        self.game.encode(&record.start, bytes);
        let mut replay = Replay::new(&self.game, record.start);
        for ply in &record.plies {
            let index = replay.play(ply.outcome, ply.mv)?;
            let move_number = index * self.outcomes + usize::from(ply.outcome);
            put_leb128((2 * move_number + usize::from(ply.explored)) as u64, bytes);
        }
        if replay.finish(record.ending, &record.payoffs)? != record.payoffs {
            return Err("the payoffs contradict the moves".to_owned());
        }
        columns.put(bytes, "value", |ply| record.plies[ply].value, put_value)?;
        if self.times {
            let time = |ply: usize| *times.get(ply)?;
            columns.put(bytes, "time", time, |time, bytes| {
                put_leb128(time.map_or(0, |time: u64| time.saturating_add(1)), bytes);
                time != Some(u64::MAX)
            })?;
        }
        for (label, &errors) in self.errors.iter().enumerate() {
            let estimate = |ply: usize| -> Option<Estimate> { *labels.get(label)?.get(ply)? };
            columns.put(bytes, "label", |ply| Some(estimate(ply)?.value), put_value)?;
            if errors {
                columns.put(
                    bytes,
                    "error of a label",
                    |ply| estimate(ply)?.error,
                    put_value,
                )?;
            } else if (0..plies).any(|ply| estimate(ply).is_some_and(|label| label.error.is_some()))
            {
                return Err(
                    "it has errors of a label that the header declares without errors".to_owned(),
                );
            }
        }
        let check = xxh3_64(&bytes[from..]) as u32;
        bytes.extend_from_slice(&check.to_le_bytes());
        Ok(())
    }

    /// Decodes and replays a game.
    ///
    /// # Errors
    /// If the bytes are not a legal game, or `should_stop` returned true.
    pub(super) fn decode(
        &self,
        bytes: &[u8],
        should_stop: &dyn Fn() -> bool,
    ) -> Result<PlayedGame<G>, String> {
        const NOT_A_GAME: &str = "its bytes are not a game";
        let mut rest = strip_checksum(bytes)?;
        // A ply takes a byte or more, so damage allocates at most the file's size.
        let plies = take_leb128(&mut rest)
            .and_then(|plies| usize::try_from(plies).ok())
            .filter(|&plies| plies <= rest.len())
            .ok_or(NOT_A_GAME)?;
        let (states, after) = rest
            .split_at_checked(self.state_bytes())
            .ok_or(NOT_A_GAME)?;
        let (players, after) = after
            .split_at_checked(self.game.seats())
            .ok_or(NOT_A_GAME)?;
        rest = after;
        check_players(&self.game, players, self.players)?;
        let (ending, payoffs) = match self.has_endings {
            true => self.take_ending(&mut rest).ok_or(NOT_A_GAME)?,
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
            if ply % STOP_CHECK_PLIES == STOP_CHECK_PLIES - 1 && should_stop() {
                return Err(replay.ply_error("the time was over"));
            }
            let number = take_leb128(&mut rest).ok_or(NOT_A_GAME)? as usize;
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
        let mut columns = ColumnReader {
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
            .ok_or(NOT_A_GAME)?;
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
            columns.take(note, take_time).ok_or(NOT_A_GAME)?;
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
            columns.take(note, take_value).ok_or(NOT_A_GAME)?;
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
                    .ok_or(NOT_A_GAME)?;
            }
        }
        columns.finish().ok_or(NOT_A_GAME)?;
        Ok(played)
    }
}

impl<G: Playable> GameCodec<G> {
    /// Appends the ending and, unless the rules ended the game, the payoffs.
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

fn strip_checksum(bytes: &[u8]) -> Result<&[u8], String> {
    let (bytes, check) = bytes
        .split_last_chunk::<GAME_CHECKSUM_BYTES>()
        .ok_or("it is cut")?;
    if xxh3_64(bytes) as u32 != u32::from_le_bytes(*check) {
        return Err("its checksum does not match".to_owned());
    }
    Ok(bytes)
}

struct ColumnWriter {
    at: usize,
    column: usize,
    plies: usize,
}

impl ColumnWriter {
    /// Appends a column from its first `Some` on; `put` returns whether an entry is in range.
    fn put<T: Copy>(
        &mut self,
        bytes: &mut Vec<u8>,
        name: &str,
        entry: impl Fn(usize) -> Option<T>,
        mut put: impl FnMut(Option<T>, &mut Vec<u8>) -> bool,
    ) -> Result<(), String> {
        let first = (0..self.plies).find(|&ply| entry(ply).is_some());
        let state = match first {
            None => COLUMN_EMPTY,
            Some(0) => COLUMN_FULL,
            Some(_) => COLUMN_LATE,
        };
        let shift = 2 * (self.column % STATES_PER_BYTE);
        bytes[self.at + self.column / STATES_PER_BYTE] |= state << shift;
        self.column += 1;
        if state == COLUMN_LATE {
            put_leb128(first.unwrap_or(0) as u64, bytes);
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
    bytes.extend_from_slice(&value.map_or(NO_VALUE, value_to_steps).to_le_bytes());
    value.is_none_or(|value| (0.0..=1.0).contains(&value))
}

struct ColumnReader<'a> {
    states: &'a [u8],
    column: usize,
    plies: usize,
    rest: &'a [u8],
}

impl ColumnReader<'_> {
    /// Passes a column's entries to `note`; `None` if they are cut off or not canonical.
    fn take<T>(
        &mut self,
        mut note: impl FnMut(usize, T),
        take: impl Fn(&mut &[u8]) -> Option<Option<T>>,
    ) -> Option<()> {
        let shift = 2 * (self.column % STATES_PER_BYTE);
        let state = self.states[self.column / STATES_PER_BYTE] >> shift & 3;
        self.column += 1;
        let first = match state {
            COLUMN_EMPTY => return Some(()),
            COLUMN_FULL => 0,
            COLUMN_LATE => usize::try_from(take_leb128(&mut self.rest)?)
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
                // A column begins at its first entry: a game has one encoding.
                None if ply == first => return None,
                None => {}
            }
        }
        Some(())
    }

    fn finish(self) -> Option<()> {
        let after = self.column..self.states.len() * STATES_PER_BYTE;
        let unused = after.fold(0, |bits, column| {
            bits | self.states[column / STATES_PER_BYTE] >> (2 * (column % STATES_PER_BYTE)) & 3
        });
        (self.rest.is_empty() && unused == 0).then_some(())
    }
}

fn take_value(bytes: &mut &[u8]) -> Option<Option<f32>> {
    let (steps, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(steps_to_value(u16::from_le_bytes(*steps)))
}

fn take_time(bytes: &mut &[u8]) -> Option<Option<u64>> {
    Some(take_leb128(bytes)?.checked_sub(1))
}
