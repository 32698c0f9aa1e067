//! The 16 random bits of a ply, and their generators.
//!
//! Bits `r` give face · 3 + step = ⌊18 r / 2^16⌋ and, by the two lowest, a choice of the stone; a
//! move's probability errs by at most 10⁻⁴. Generators, seeded from a Mersenne Twister:
//! xoroshiro128+ (Blackman and Vigna 2018: rotations 24 and 37, shift 16) for the lanes, SplitMix64
//! (Steele, Lea and Flood 2014) for a single game.

use super::LANES;
use alea_core::arrays::build_array;
use alea_core::random::{GOLDEN, RandomStream, mix64};

pub(super) const NUM_CODES: u16 = 18;

/// The 16 random bits of one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyBits(pub u16);

impl PlyBits {
    /// (Face − 1) · 3 + step (0 diagonal, 1 sideways, 2 forward); a stone with a single step takes
    /// that instead.
    #[inline]
    pub fn code(self) -> usize {
        ((u32::from(self.0) * u32::from(NUM_CODES)) >> 16) as usize
    }

    /// The rolled face, 1–6.
    #[inline]
    pub fn face(self) -> u8 {
        (self.code() / 3) as u8 + 1
    }

    /// 0–3. The first of two stones moves if this is below 2, plus 1 if only the second has a
    /// single step, minus 1 if only the first has: ratios 1 : 1, 3 : 1 and 1 : 3, as their numbers
    /// of moves.
    #[inline]
    pub fn stone_choice(self) -> u8 {
        (self.0 & 3) as u8
    }
}

/// The random streams of all lanes: sixteen generators of 64 bits, each for four lanes with 16 bits
/// per ply.
///
/// Bank *b* has eight generators; lane *i* reads field `i / 2 % 4` of generator `i / 8` of bank `i
/// % 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct LaneRandom {
    /// `state[word][bank][generator]`.
    pub(super) state: [[[u64; 8]; 2]; 2],
}

impl LaneRandom {
    /// Streams seeded by outputs of the Mersenne Twister.
    #[must_use]
    pub fn new(stream: &mut RandomStream) -> Self {
        let mut state = [[[0; 8]; 2]; 2];
        let [low, high] = &mut state;
        for (low, high) in low
            .as_flattened_mut()
            .iter_mut()
            .zip(high.as_flattened_mut())
        {
            // Excludes the state of all zeros, a fixed point, which has probability 2^-128.
            *low = stream.next_u64() | 1;
            *high = stream.next_u64();
        }
        Self { state }
    }

    /// Streams seeded by SplitMix64 from one word, for a few games.
    #[inline]
    pub(super) fn from_seed(seed: u64) -> Self {
        let mut random = SmallRandom::new(seed);
        let mut state = [[[0; 8]; 2]; 2];
        state
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .for_each(|word| *word = random.next_u64());
        // No state is all zeros, since successive outputs of SplitMix64 are distinct.
        Self { state }
    }

    /// The outputs of one ply: `[bank][generator]`.
    #[inline]
    pub(super) fn next(&mut self) -> [[u64; 8]; 2] {
        let [low, high] = &mut self.state;
        build_array(|bank| {
            build_array(|generator| {
                let (a, b) = (low[bank][generator], high[bank][generator]);
                let mixed = a ^ b;
                low[bank][generator] = a.rotate_left(24) ^ mixed ^ mixed << 16;
                high[bank][generator] = mixed.rotate_left(37);
                a.wrapping_add(b)
            })
        })
    }

    #[inline]
    pub(super) fn draw(outputs: &[[u64; 8]; 2], lane: usize) -> PlyBits {
        PlyBits((outputs[lane % 2][lane / 8] >> (lane / 2 % 4 * 16)) as u16)
    }

    /// The bits of the next ply, for each lane.
    pub fn draws(&mut self) -> [PlyBits; LANES] {
        let outputs = self.next();
        std::array::from_fn(|lane| Self::draw(&outputs, lane))
    }
}

/// The stream of a single game: each word serves four plies, the lowest bits first.
#[derive(Clone, Debug)]
pub struct SmallRandom(u64);

impl SmallRandom {
    /// The stream for `seed`, any 64 random bits.
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix64(self.0)
    }
}
