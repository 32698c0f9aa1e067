//! MT19937-64 (Matsumoto and Nishimura 1998; Nishimura 2000), worked out no further than it is asked.
//!
//! Seeding all 312 words and turning them over costs more than a game takes from them: a game of self-play has three
//! streams and draws a few dozen numbers. Word `i` of the first round needs the seeds up to `i + 156` alone, so seeds and
//! words are made in small steps. Invariant: the outputs are those of the published generator, whatever the step (the
//! test compares with the crate `rand_mt`).

/// Words of state, and the distance of the two that are joined.
const WORDS: usize = 312;
const MIDDLE: usize = 156;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
/// The upper 33 bits of a word.
const UPPER: u64 = 0xffff_ffff_8000_0000;

/// Words made at a time in the first round; later rounds are made whole.
const STEP: usize = 8;
const _: () = assert!(WORDS == 2 * MIDDLE && WORDS.is_multiple_of(STEP));

/// The generator.
#[derive(Clone)]
pub(super) struct Mersenne {
    words: [u64; WORDS],
    /// How many words have been seeded, from the first; all of them from the second round on.
    seeded: usize,
    /// How many words of this round have been turned over.
    ready: usize,
    /// The word to be given out next.
    next: usize,
}

impl std::fmt::Debug for Mersenne {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Mersenne {{ next: {} }}", self.next)
    }
}

impl Mersenne {
    /// The generator of a seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = seed;
        Self { words, seeded: 1, ready: 0, next: 0 }
    }

    /// The next 64 bits.
    #[inline]
    pub(super) fn next_u64(&mut self) -> u64 {
        if self.next == self.ready {
            self.make_ready();
        }
        let mut bits = self.words[self.next];
        self.next += 1;
        bits ^= (bits >> 29) & 0x5555_5555_5555_5555;
        bits ^= (bits << 17) & 0x71d6_7fff_eda6_0000;
        bits ^= (bits << 37) & 0xfff7_eee0_0000_0000;
        bits ^ (bits >> 43)
    }

    /// Turns over the next words of this round, or all of a new one.
    #[inline(never)]
    fn make_ready(&mut self) {
        if self.ready == WORDS {
            turn_all(&mut self.words);
            self.next = 0;
            return;
        }
        let (from, to) = (self.ready, self.ready + STEP);
        // Every word is joined with the one after it and the one half a round further on.
        self.seed_up_to((to + MIDDLE).min(WORDS));
        for at in from..to {
            let further = if at < MIDDLE { at + MIDDLE } else { at - MIDDLE };
            self.words[at] = turned(self.words[at], self.words[(at + 1) % WORDS], self.words[further]);
        }
        self.ready = to;
    }

    fn seed_up_to(&mut self, end: usize) {
        let mut word = self.words[self.seeded - 1];
        for at in self.seeded..end {
            word = (word ^ (word >> 62)).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(at as u64);
            self.words[at] = word;
        }
        self.seeded = self.seeded.max(end);
    }
}

/// Turns over a whole round.
fn turn_all(words: &mut [u64; WORDS]) {
    for at in 0..MIDDLE {
        words[at] = turned(words[at], words[at + 1], words[at + MIDDLE]);
    }
    for at in MIDDLE..WORDS - 1 {
        words[at] = turned(words[at], words[at + 1], words[at - MIDDLE]);
    }
    words[WORDS - 1] = turned(words[WORDS - 1], words[0], words[MIDDLE - 1]);
}

/// What a word becomes, from its upper bits, the lower ones of the word after it, and the word half a round further on.
#[inline]
fn turned(word: u64, after: u64, further: u64) -> u64 {
    let joined = (word & UPPER) | (after & !UPPER);
    further ^ (joined >> 1) ^ (MATRIX & 0u64.wrapping_sub(joined & 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outputs_are_those_of_the_published_generator() {
        for seed in [0, 1, 5489, 42, u64::MAX, 0x0123_4567_89ab_cdef] {
            let mut ours = Mersenne::new(seed);
            let mut other = rand_mt::Mt64::new(seed);
            for at in 0..4 * WORDS + 5 {
                assert_eq!(ours.next_u64(), other.next_u64(), "output {at} of seed {seed}");
            }
        }
    }

    #[test]
    fn a_copy_goes_on_as_the_original() {
        let mut one = Mersenne::new(7);
        for drawn in 0..700 {
            let mut copy = one.clone();
            let all: Vec<u64> = (0..3).map(|_| copy.next_u64()).collect();
            assert_eq!(one.next_u64(), all[0], "after {drawn}");
        }
    }
}
