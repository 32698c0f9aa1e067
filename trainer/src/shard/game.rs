//! A game in versions 2 and 3: five bytes, one byte a ply, two bytes a value or label, and a
//! checksum of its own.
//!
//! The only file that knows the bytes of a game (`docs/formats.md`, "A game"). Invariant: what is
//! decoded was replayed by the rules, and encodes to the same bytes.

use super::replay::Replay;
use super::{PlayedGame, labels};
use engine::core::game::won_by;
use engine::core::record::{GameRecord, Ply};
use engine::games::einstein::position::Side;
use engine::games::einstein::setup::{SETUPS, setup_index, setup_stones};
use engine::games::einstein::{GONE, MAX_STONES, Move, Position, Standard};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// A value is stored as a whole number of this part of 1: rounding is off by at most 1/131,068, and
/// 0, 1/2 and 1 are exact.
pub const VALUE_STEPS: u16 = 65_534;
/// Stands where a ply has no value.
pub(super) const NO_VALUE: u16 = u16::MAX;

/// Numbers of moves, and of faces of the die.
const MOVES: u8 = 3 * MAX_STONES as u8;
const FACES: u8 = 6;

/// The first three bytes are a number: 720 times Red's set-up plus Blue's, or this if the start is
/// another position.
const OTHER_START: u32 = (SETUPS * SETUPS) as u32;
const START_BITS: u32 = 19;
const BLUE_BEGINS: u32 = 1 << START_BITS;
const BLUE_WINS: u32 = 1 << 20;
const HAS_VALUES: u32 = 1 << 21;
const HAS_LABELS: u32 = 1 << 22;
const UNUSED: u32 = 1 << 23;

const HEAD_BYTES: usize = 5;
const CHECK_BYTES: usize = 4;

/// A side for each set-up: Blue's is Red's in its own perspective.
static SIDES: LazyLock<Vec<Side>> = LazyLock::new(|| {
    let home = Standard::default().home_squares();
    let side = |index: usize| {
        let mut squares = [GONE; MAX_STONES];
        for (square, stone) in home.iter().zip(setup_stones(index, MAX_STONES)) {
            squares[usize::from(stone) - 1] = *square;
        }
        Side::new(squares)
    };
    (0..SETUPS).map(side).collect()
});

/// What each byte of a ply stands for: die, move, and whether it was explored.
static PLIES: LazyLock<[Option<(u8, Move, bool)>; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let byte = byte as u8;
        let (explored, roll) = (byte / (FACES * MOVES), byte % (FACES * MOVES));
        let mv = Move::from_number(roll % MOVES)?;
        (explored <= 1).then_some((roll / MOVES + 1, mv, explored == 1))
    })
});

/// The value that is read where `value`, a probability, was written.
#[must_use]
pub fn rounded(value: f32) -> f32 {
    value_of(steps_of(value))
}

pub(super) fn steps_of(value: f32) -> u16 {
    // From 0 to VALUE_STEPS for every probability. Product and sum are exact, so this rounds halves
    // up; `round` is a call where the instruction set is not known to have it.
    (f64::from(value) * f64::from(VALUE_STEPS) + 0.5) as u16
}

pub(super) fn value_of(steps: u16) -> f32 {
    f32::from(steps) / f32::from(VALUE_STEPS)
}

/// Whether `read` is `written` but for the rounding of values.
pub(super) fn is_rounding_of(read: &PlayedGame, written: &PlayedGame) -> bool {
    let same_ply = |(a, b): (&Ply<Move>, &Ply<Move>)| {
        Ply {
            value: b.value.map(rounded),
            ..*b
        } == *a
    };
    let (a, b) = (&read.record, &written.record);
    let same_labels = |plies: usize, labels: usize| {
        (0..labels).all(|label| {
            (0..plies).all(|ply| read.label(label, ply) == written.label(label, ply).map(rounded))
        })
    };
    read.players == written.players
        && same_labels(a.plies.len(), written.labels.len())
        && (a.start, a.payoffs, a.plies.len()) == (b.start, b.payoffs, b.plies.len())
        && a.plies.iter().zip(&b.plies).all(same_ply)
}

/// Appends the bytes of a game, in a shard with so many labels.
///
/// # Errors
/// If a value is no probability, a die shows no face of six, or the labels are not those of the
/// shard.
pub(super) fn encode(
    game: &PlayedGame,
    known_labels: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    let from = bytes.len();
    let record = &game.record;
    let has_values = record.plies.iter().any(|ply| ply.value.is_some());
    let counts = if game.is_labelled() {
        Some(labels::counts(game, known_labels)?)
    } else {
        None
    };
    let setups = setups_of(&record.start);
    let mut head = setups.unwrap_or(OTHER_START);
    for (flag, set) in [
        (BLUE_BEGINS, setups.is_some() && record.start.seat() == 1),
        (BLUE_WINS, record.payoffs[1] > 0.5),
        (HAS_VALUES, has_values),
        (HAS_LABELS, counts.is_some()),
    ] {
        head |= if set { flag } else { 0 };
    }
    bytes.extend_from_slice(&head.to_le_bytes()[..3]);
    bytes.extend_from_slice(&game.players);
    if setups.is_none() {
        bytes.extend_from_slice(&record.start.bits().to_le_bytes());
    }
    if let Some(counts) = &counts {
        bytes.extend_from_slice(counts);
    }
    for (number, ply) in record.plies.iter().enumerate() {
        if !(1..=FACES).contains(&ply.outcome) {
            return Err(format!("ply {number}: the die shows no face"));
        }
        bytes.push((u8::from(ply.explored) * FACES + ply.outcome - 1) * MOVES + ply.mv.number());
    }
    if has_values {
        for (number, ply) in record.plies.iter().enumerate() {
            if ply.value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
                return Err(format!("ply {number}: the value is no probability"));
            }
            bytes.extend_from_slice(&ply.value.map_or(NO_VALUE, steps_of).to_le_bytes());
        }
    }
    if let Some(counts) = &counts {
        labels::encode(game, counts, bytes);
    }
    let check = xxh3_64(&bytes[from..]) as u32;
    bytes.extend_from_slice(&check.to_le_bytes());
    Ok(())
}

/// Reads and replays the bytes of one game among `players` players, in a shard with so many labels.
///
/// # Errors
/// In words, if they are not those of a game by the rules.
pub(super) fn decode(
    bytes: &[u8],
    rules: &Standard,
    players: usize,
    known_labels: usize,
) -> Result<PlayedGame, String> {
    let (bytes, check) = bytes.split_last_chunk::<CHECK_BYTES>().ok_or("it is cut")?;
    if xxh3_64(bytes) as u32 != u32::from_le_bytes(*check) {
        return Err("its checksum does not fit".to_owned());
    }
    let (&[a, b, c, red, blue], rest) =
        bytes.split_first_chunk::<HEAD_BYTES>().ok_or("it is cut")?;
    let head = u32::from_le_bytes([a, b, c, 0]);
    let (start, rest) = start_of(head, rest).ok_or("its start is no position")?;
    let no_game = "its bytes are no game";
    let counts = if head & HAS_LABELS != 0 {
        known_labels
    } else {
        0
    };
    let (counts, rest) = rest.split_at_checked(counts).ok_or(no_game)?;
    let unlabelled = rest
        .len()
        .checked_sub(labels::bytes(counts))
        .ok_or(no_game)?;
    let (rest, labels) = rest.split_at(unlabelled);
    let has_values = head & HAS_VALUES != 0;
    let bytes_a_ply = if has_values { 3 } else { 1 };
    if head & UNUSED != 0 || rest.len() % bytes_a_ply != 0 {
        return Err(no_game.to_owned());
    }
    let (moves, values) = rest.split_at(rest.len() / bytes_a_ply);
    let labels = if head & HAS_LABELS != 0 {
        labels::decode(counts, labels, moves.len()).ok_or(no_game)?
    } else {
        Vec::new()
    };
    let mut values = values
        .as_chunks::<2>()
        .0
        .iter()
        .map(|&value| u16::from_le_bytes(value));
    let mut replay = Replay::new(rules, start, [red, blue], players)?;
    let mut plies = Vec::with_capacity(moves.len());
    let mut valued = false;
    let table = &*PLIES;
    for &byte in moves {
        let Some((outcome, mv, explored)) = table[usize::from(byte)] else {
            return Err(replay.wrong("the byte is no move"));
        };
        replay.play(outcome, mv)?;
        let value = values
            .next()
            .filter(|&steps| steps != NO_VALUE)
            .map(value_of);
        valued |= value.is_some();
        plies.push(Ply {
            outcome,
            mv,
            value,
            explored,
        });
    }
    if has_values && !valued {
        // Written without them: a game has one form only.
        return Err(no_game.to_owned());
    }
    let winner = replay.finish(u8::from(head & BLUE_WINS != 0))?;
    Ok(PlayedGame {
        record: GameRecord {
            start,
            plies,
            payoffs: won_by(winner),
        },
        players: [red, blue],
        labels,
    })
}

/// The start position of a game, and the bytes after it.
fn start_of(head: u32, rest: &[u8]) -> Option<(Position, &[u8])> {
    let number = head & ((1 << START_BITS) - 1);
    let first = usize::from(head & BLUE_BEGINS != 0);
    if number < OTHER_START {
        let setups = [number as usize / SETUPS, number as usize % SETUPS];
        return Some((
            Position::new(SIDES[setups[first]], SIDES[setups[1 - first]], first),
            rest,
        ));
    }
    let (bits, rest) = rest.split_first_chunk::<8>()?;
    let position = Position::from_bits(u64::from_le_bytes(*bits), Standard::SQUARES)?;
    (number == OTHER_START && first == 0 && setups_of(&position).is_none())
        .then_some((position, rest))
}

/// 720 times Red's set-up plus Blue's, if both sides stand on their home squares.
fn setups_of(start: &Position) -> Option<u32> {
    const HOME: [u8; MAX_STONES] = [0, 1, 2, 5, 6, 10];
    let index = |seat: usize| {
        let mut order = [0; MAX_STONES];
        for (stone, square) in (1..).zip(start.side(seat).squares()) {
            order[HOME.iter().position(|&home| home == square)?] = stone;
        }
        setup_index(&order)
    };
    Some((index(0)? * SETUPS + index(1)?) as u32)
}
