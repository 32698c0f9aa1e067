//! The 16 random bits of a ply, and their generators: xoroshiro128+ (Blackman and Vigna 2018) for
//! 64 games in lockstep, SplitMix64 (Steele, Lea and Flood 2014) for a single game.

use super::LANES;
use alea_core::arrays::build_array;
use alea_core::random::{GOLDEN, RandomStream, mix64};

pub(super) const NUM_CODES: u16 = 18;

/// The 16 random bits `r` of one ply. Moves' probabilities err by at most 10⁻⁴.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyBits(pub u16);

impl PlyBits {
    /// Rolled face and random step: ⌊18 r / 2¹⁶⌋ = (face − 1) · 3 + step (0 diagonal, 1 sideways, 2
    /// forward). A stone with only one step makes that step instead.
    #[inline]
    pub fn face_step_code(self) -> usize {
        ((u32::from(self.0) * u32::from(NUM_CODES)) >> 16) as usize
    }

    /// Rolled face, 1–6.
    #[inline]
    pub fn face(self) -> u8 {
        (self.face_step_code() / 3) as u8 + 1
    }

    /// Random number, 0–3, that decides between two allowed stones: the first moves if this is
    /// below 2, plus 1 if only the second has a single step, minus 1 if only the first has. So all
    /// moves (3 or 1 per stone) are equally likely.
    #[inline]
    pub fn stone_choice(self) -> u8 {
        (self.0 & 3) as u8
    }
}

/// Random numbers for games in lockstep: sixteen generators of 64 bits, each for four games with 16
/// bits per ply.
///
/// Lane *i* reads field `i / 2 % 4` of generator `[i % 2][i / 8]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct LaneRandom {
    pub(super) state: [[[u64; 8]; 2]; 2],
}

impl LaneRandom {
    /// Generators seeded from `stream`.
    #[must_use]
    pub fn new(stream: &mut RandomStream) -> Self {
        let mut state = [[[0; 8]; 2]; 2];
        let [low, high] = &mut state;
        for (low, high) in low
            .as_flattened_mut()
            .iter_mut()
            .zip(high.as_flattened_mut())
        {
            // All zeros (probability 2⁻¹²⁸) would be a fixed point.
            *low = stream.next_u64() | 1;
            *high = stream.next_u64();
        }
        Self { state }
    }

    #[inline]
    pub(super) fn from_seed(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut state = [[[0; 8]; 2]; 2];
        state
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .for_each(|word| *word = random.next_u64());
        // Not all zeros, since successive outputs of SplitMix64 are distinct.
        Self { state }
    }

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
    pub(super) fn lane_ply_bits(outputs: &[[u64; 8]; 2], lane: usize) -> PlyBits {
        PlyBits((outputs[lane % 2][lane / 8] >> (lane / 2 % 4 * 16)) as u16)
    }

    /// The random bits of the next ply, by lane.
    pub fn next_plies(&mut self) -> [PlyBits; LANES] {
        let outputs = self.next();
        std::array::from_fn(|lane| Self::lane_ply_bits(&outputs, lane))
    }
}

/// The random number generator SplitMix64.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts the generator from any 64 bits.
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix64(self.0)
    }
}
