//! The loop of lockstep playouts: after every [`PLIES_PER_BATCH`] plies finished games are counted,
//! and their lanes take the next starts. Every game is completed: stopping early would
//! under-represent long games.

use super::{Choice, Tally, random_bits::LaneRandom, start_queue::Starts};
use crate::Position;
use alea_core::random::RandomStream;

/// Plies before finished games are replaced; even, since sides alternate.
pub(super) const PLIES_PER_BATCH: usize = 4;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Status {
    pub(super) running: u64,
    /// Bit set of lanes whose last game was won by the side that began.
    pub(super) first_won: u64,
}

impl Status {
    #[inline]
    pub(super) fn mark_running(&mut self, lanes: u64) {
        self.running |= lanes;
        self.first_won &= !lanes;
    }
}

pub(super) trait Lanes {
    fn status(&self) -> Status;

    fn count_plies(&mut self, lanes: u64, tally: &mut Tally);

    fn load_starts(&mut self, lanes: u64, starts: &Starts);

    /// Loads at most [`super::LANES`] positions into the lowest lanes.
    fn load_positions(&mut self, positions: &[Position]);

    fn play_plies<const BY_STONES: bool>(&mut self, random: &mut LaneRandom);
}

pub(super) fn play<L: Lanes>(
    lanes: &mut L,
    choice: Choice,
    random: &mut LaneRandom,
    starts: &mut Starts,
    stream: &mut RandomStream,
    games: u64,
) -> Tally {
    match choice {
        Choice::Moves => play_games::<L, false>(lanes, random, starts, stream, games),
        Choice::Stones => play_games::<L, true>(lanes, random, starts, stream, games),
    }
}

/// Plays one game from each unfinished position. Bit *i*: whether the mover of position *i* wins.
#[inline]
pub(super) fn play_positions<L: Lanes>(
    mut lanes: L,
    random: &mut LaneRandom,
    positions: &[Position],
) -> u64 {
    lanes.load_positions(positions);
    while lanes.status().running != 0 {
        lanes.play_plies::<false>(random);
    }
    lanes.status().first_won
}

#[inline]
fn play_games<L: Lanes, const BY_STONES: bool>(
    lanes: &mut L,
    random: &mut LaneRandom,
    starts: &mut Starts,
    stream: &mut RandomStream,
    games: u64,
) -> Tally {
    let mut tally = Tally::default();
    let mut to_begin = games;
    let mut occupied = 0;
    loop {
        let Status { running, first_won } = lanes.status();
        let over = occupied & !running;
        if over != 0 {
            tally.games += u64::from(over.count_ones());
            tally.first_mover_wins += u64::from((over & first_won).count_ones());
            lanes.count_plies(over, &mut tally);
        }
        let free = lowest_members(!running, to_begin);
        if free != 0 {
            lanes.load_starts(free, starts);
            let begun = free.count_ones();
            starts.advance(begun as usize, stream);
            to_begin -= u64::from(begun);
        }
        occupied = running | free;
        if occupied == 0 {
            return tally;
        }
        lanes.play_plies::<BY_STONES>(random);
    }
}

#[inline]
pub(super) fn first_lanes(count: usize) -> u64 {
    if count >= super::LANES {
        !0
    } else {
        (1 << count) - 1
    }
}

#[inline]
fn lowest_members(mut set: u64, count: u64) -> u64 {
    while u64::from(set.count_ones()) > count {
        set &= !(1 << (63 - set.leading_zeros()));
    }
    set
}
