//! Hashes of games up to symmetry.

use super::playable::Playable;
use alea_core::record::GameRecord;
use xxhash_rust::xxh3::xxh3_128;

/// Hash of a game, equal for images under symmetries and, if the rules treat seats alike, with
/// swapped colours; `None` if moves have no numbers. `docs/reference/formats.md` defines the bytes.
#[must_use]
pub fn canonical_fingerprint<G: Playable>(game: &G, record: &GameRecord<G>) -> Option<u128> {
    let mut start = record.start;
    if game.to_move(&start) != 0 {
        start = game.swap_colours(&start);
    }
    let (mut bytes, mut image, mut symmetries) = (Vec::new(), Vec::new(), Vec::new());
    for symmetry in 0..game.symmetries() {
        image.clear();
        game.encode(&game.transform_position(&start, symmetry), &mut image);
        if symmetries.is_empty() || image < bytes {
            symmetries.clear();
            std::mem::swap(&mut bytes, &mut image);
        } else if image > bytes {
            continue;
        }
        symmetries.push(symmetry);
    }
    for ply in &record.plies {
        let mut least = (u8::MAX, u32::MAX);
        let mut next = 0;
        for index in 0..symmetries.len() {
            let symmetry = symmetries[index];
            let (mv, after) = game.transform_move(ply.mv, symmetry)?;
            let image = (game.transform_outcome(ply.outcome, symmetry), mv);
            if image < least {
                (least, next) = (image, 0);
            }
            if image == least {
                symmetries[next] = after;
                next += 1;
            }
        }
        symmetries.truncate(next);
        bytes.push(least.0);
        bytes.extend_from_slice(&least.1.to_le_bytes());
    }
    // Equal moves on different maps are different games.
    bytes.extend(game.map_text().unwrap_or_default().into_bytes());
    Some(xxh3_128(&bytes))
}
