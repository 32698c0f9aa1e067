//! The positions of the suites that players are judged on, which training leaves out.
//!
//! `data/suites/held-out.bin` is part of the program: a key for each, sorted, 64 bits, little-endian;
//! `alea suite` writes it. Invariant: symmetric positions have one key, and so have those that
//! differ in who is Red.

use super::{
    Position,
    symmetry::{SYMMETRIES, symmetric},
};

static KEYS: &[u8] = include_bytes!("../../../../data/suites/held-out.bin");

impl Position {
    /// The same number for all positions that are alike but for symmetry or colours, and, but for
    /// chance, another for each other.
    #[must_use]
    pub fn suite_key(&self) -> u64 {
        let plain = Self::new(self.mover(), self.other(), 0);
        let images = (0..SYMMETRIES).map(|symmetry| symmetric(&plain, symmetry).key());
        images.min().unwrap_or_default()
    }

    /// Whether the position, or one that is alike, belongs to a suite.
    #[must_use]
    pub fn is_held_out(&self) -> bool {
        let (keys, _) = KEYS.as_chunks();
        keys.binary_search_by_key(&self.suite_key(), |&key| u64::from_le_bytes(key))
            .is_ok()
    }
}
