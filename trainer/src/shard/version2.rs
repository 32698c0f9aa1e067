//! Games of versions 2 and 3, which are read but no longer written: three bytes of start and flags,
//! two of players, a byte a ply, two bytes a value or label.
//!
//! Only one game was kept so; what its bytes mean it says itself ([`Playable::old_records`]).
//! Invariant: as that of version 4, every game is replayed.

use super::{
    Estimate, PlayedGame, Replay, check_players,
    game::{checked, value_of},
};
use engine::core::{
    game::Payoffs,
    record::{Ending, GameRecord, Ply},
};
use engine::play::playable::{OldRecords, Playable};

/// Of the first three bytes, what is not the start: who has won, and what else is there.
const SECOND_WINS: u32 = 1 << 20;
const HAS_VALUES: u32 = 1 << 21;
const HAS_LABELS: u32 = 1 << 22;
const START: u32 = SECOND_WINS - 1;
const UNUSED: u32 = 1 << 23;

/// Reads and replays the bytes of one game among `players` players, in a shard with so many labels.
///
/// # Errors
/// In words, if they are not those of a game by the rules.
pub(super) fn decode<G: Playable>(
    bytes: &[u8],
    (game, old_ply): &OldRecords<G>,
    players: usize,
    known_labels: usize,
) -> Result<PlayedGame<G>, String> {
    const NO_GAME: &str = "its bytes are no game";
    let bytes = checked(bytes)?;
    let (&[a, b, c, first, second], rest) = bytes.split_first_chunk().ok_or("it is cut")?;
    check_players(game, &[first, second], players)?;
    let head = u32::from_le_bytes([a, b, c, 0]);
    // The start as it is now, without what stands between its first bytes and the others.
    let text = [
        &(head & START).to_le_bytes()[..3],
        &rest[..rest.len().min(8)],
    ]
    .concat();
    let mut left = &text[..];
    let start = game.decode(&mut left)?;
    let rest = &rest[text.len() - left.len() - 3..];
    let has_values = head & HAS_VALUES != 0;
    let counts = if head & HAS_LABELS != 0 {
        known_labels
    } else {
        0
    };
    let (counts, rest) = rest.split_at_checked(counts).ok_or(NO_GAME)?;
    let labelled: usize = counts.iter().map(|&count| 2 * usize::from(count)).sum();
    let unlabelled = rest.len().checked_sub(labelled).ok_or(NO_GAME)?;
    let bytes_a_ply = if has_values { 3 } else { 1 };
    if head & UNUSED != 0 || unlabelled % bytes_a_ply != 0 {
        return Err(NO_GAME.to_owned());
    }
    let (moves, rest) = rest.split_at(unlabelled / bytes_a_ply);
    let mut values = rest
        .as_chunks()
        .0
        .iter()
        .map(|&steps| value_of(u16::from_le_bytes(steps)));
    let mut replay = Replay::new(game, start);
    let mut plies = Vec::with_capacity(moves.len());
    for &byte in moves {
        let (outcome, mv, explored) =
            old_ply(byte).ok_or_else(|| replay.wrong("the byte is no move"))?;
        replay.play(outcome, mv)?;
        let value = if has_values {
            values.next().flatten()
        } else {
            None
        };
        plies.push(Ply {
            outcome,
            mv,
            value,
            explored,
        });
    }
    let payoffs = replay.finish(Ending::Played, &Payoffs::default())?;
    if payoffs[1] != f32::from(u8::from(head & SECOND_WINS != 0)) {
        return Err("the winner is another than the moves say".to_owned());
    }
    let mut labels = Vec::with_capacity(counts.len());
    for &count in counts {
        let absent = plies.len().checked_sub(count.into()).ok_or(NO_GAME)?;
        let mut label = vec![None; absent];
        label.extend(
            values
                .by_ref()
                .take(count.into())
                .map(|value| value.map(Estimate::from)),
        );
        labels.push(label);
    }
    let mut played = PlayedGame {
        record: GameRecord {
            start,
            plies,
            payoffs,
            ending: Ending::Played,
        },
        players: vec![first, second],
        labels,
        times: Vec::new(),
    };
    played.tidy();
    Ok(played)
}
