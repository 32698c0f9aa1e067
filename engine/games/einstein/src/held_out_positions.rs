//! Positions of the test suites, which training leaves out: `data/suites/held-out.bin`, written by
//! `alea suite` and compiled in, has sorted [`Position::canonical_bits`], 64 bits each,
//! little-endian.

use super::Position;
use std::sync::LazyLock;

static CANONICAL_POSITIONS: &[u8] = alea_data::HELD_OUT_POSITIONS;

/// Bloom filter of the positions, which rejects nine of ten others by one hash.
static BLOOM_FILTER: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut hashes = vec![0; 1 << 10];
    for &image in CANONICAL_POSITIONS.as_chunks().0 {
        let (word, bit) = bit_of(u64::from_le_bytes(image));
        hashes[word] |= bit;
    }
    hashes
});

#[inline]
fn bit_of(image: u64) -> (usize, u64) {
    let hash = image.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
    ((hash >> 6) as usize, 1 << (hash & 63))
}

impl Position {
    /// Whether this position or a symmetric one is in a test suite, so that training leaves it out.
    pub fn is_held_out(&self) -> bool {
        let image = self.canonical_bits();
        let (word, bit) = bit_of(image);
        let (images, _) = CANONICAL_POSITIONS.as_chunks();
        BLOOM_FILTER[word] & bit != 0
            && images
                .binary_search_by_key(&image, |&image| u64::from_le_bytes(image))
                .is_ok()
    }
}
