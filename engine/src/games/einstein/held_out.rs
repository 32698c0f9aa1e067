//! Positions of the test suites, which training leaves out.
//!
//! `data/suites/held-out.bin`, written by `alea suite`, is part of the program:
//! [`Position::least_image`] of each position, sorted, 64 bits, little-endian. Invariant: of
//! symmetric positions, and of those that differ in the colours, all or none are held out.

use super::Position;
use std::sync::LazyLock;

static IMAGES: &[u8] = include_bytes!("../../../../data/suites/held-out.bin");

/// Bloom filter with one bit an image: one look-up rules out nine positions in ten.
static HASHES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut hashes = vec![0; 1 << 10];
    for &image in IMAGES.as_chunks().0 {
        let (word, bit) = bit_of(u64::from_le_bytes(image));
        hashes[word] |= bit;
    }
    hashes
});

/// Word and bit of an image's hash, 16 bits of it (Fibonacci hashing: Knuth, The Art of Computer
/// Programming, 6.4).
#[inline]
fn bit_of(image: u64) -> (usize, u64) {
    let hash = image.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
    ((hash >> 6) as usize, 1 << (hash & 63))
}

impl Position {
    /// Whether the position, or a symmetric one, belongs to a suite.
    #[must_use]
    pub fn is_held_out(&self) -> bool {
        let image = self.least_image();
        let (word, bit) = bit_of(image);
        let (images, _) = IMAGES.as_chunks();
        HASHES[word] & bit != 0
            && images
                .binary_search_by_key(&image, |&image| u64::from_le_bytes(image))
                .is_ok()
    }
}
