//! Monte_Alpha's comparison of die tables: 10^8 look-ups of the stone that moves, in twelve exact
//! entries for each set of stones and in ten thousand that approximate them (Electronics 2023, 12,
//! 2936: 2,750 against 3,342 ms).

use arena::text_table::{Cell, TextTable};
use engine::games::einstein::{
    MAX_STONES, Variant,
    playout::{
        SmallRandom,
        die_table::{DieTable, ENTRIES},
    },
};
use serde::Serialize;
use std::{hint::black_box, time::Instant};

/// Look-ups of the published times.
pub const PUBLISHED_LOOK_UPS: u64 = 100_000_000;

/// Entries of the larger table for each set of stones.
const LARGE_TABLE_ENTRIES: usize = 10_000;

/// One table.
#[derive(Debug, Serialize)]
pub struct DieTableRow {
    /// Entries for each set of living stones.
    pub entries: u64,
    /// Bytes of all 64 sets.
    pub bytes: u64,
    /// Milliseconds for 10^8 look-ups, here.
    pub milliseconds: f64,
    /// The published ones, on a Ryzen 5 3600.
    pub published_milliseconds: f64,
    /// Largest error of a stone's probability.
    pub largest_error: f64,
}

/// Times `look_ups` look-ups in both tables.
#[must_use]
pub fn compare_die_tables(look_ups: u64) -> Vec<DieTableRow> {
    let exact = DieTable::new(Variant::Classic);
    let large = large_table(&exact);
    let time = |entries: usize, stones: &[u8]| {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let began = Instant::now();
            black_box(look_up(stones, entries, black_box(look_ups)));
            best = best.min(began.elapsed().as_secs_f64());
        }
        1000.0 * best * PUBLISHED_LOOK_UPS as f64 / look_ups.max(1) as f64
    };
    let small: Vec<u8> = (0..64).flat_map(|alive| *exact.stones(alive)).collect();
    [
        (ENTRIES, &small, 2750.0),
        (LARGE_TABLE_ENTRIES, &large, 3342.0),
    ]
    .into_iter()
    .map(|(entries, stones, published_milliseconds)| DieTableRow {
        entries: entries as u64,
        bytes: stones.len() as u64,
        milliseconds: time(entries, stones),
        published_milliseconds,
        largest_error: largest_error(&exact, stones, entries),
    })
    .collect()
}

/// Both tables as one table.
#[must_use]
pub fn format_die_table(rows: &[DieTableRow]) -> TextTable {
    let row = |row: &DieTableRow| {
        vec![
            row.entries.into(),
            row.bytes.into(),
            Cell::Number(row.milliseconds, 0),
            Cell::Number(row.published_milliseconds, 0),
            Cell::Number(row.largest_error, 6),
        ]
    };
    TextTable::from_rows(
        [
            "entries a set",
            "bytes",
            "ms for 10^8",
            "published ms",
            "largest error",
        ],
        rows.iter().map(row),
    )
}

/// A sum over stones looked up for random sets of living stones.
fn look_up(stones: &[u8], entries: usize, look_ups: u64) -> u64 {
    let mut random = SmallRandom::new(1);
    let mut sum = 0;
    for _ in 0..look_ups {
        let bits = random.next_u64();
        let alive = 1 + (bits >> 58) as usize % 63;
        let index = (((bits & 0xFFFF_FFFF) * entries as u64) >> 32) as usize;
        sum += u64::from(stones[alive * entries + index]);
    }
    sum
}

/// Ten thousand entries a set, each stone's share rounded so that all are used.
fn large_table(exact: &DieTable) -> Vec<u8> {
    let mut stones = Vec::with_capacity(64 * LARGE_TABLE_ENTRIES);
    for alive in 0..64 {
        let mut sorted = *exact.stones(alive);
        sorted.sort_unstable();
        stones.extend(
            (0..LARGE_TABLE_ENTRIES).map(|index| sorted[index * ENTRIES / LARGE_TABLE_ENTRIES]),
        );
    }
    stones
}

fn largest_error(exact: &DieTable, stones: &[u8], entries: usize) -> f64 {
    let mut largest = 0.0f64;
    for alive in 1..64u8 {
        let set = &stones[usize::from(alive) * entries..][..entries];
        for (stone, twelfths) in (0..MAX_STONES as u8).zip(exact.twelfths(alive)) {
            let count = set.iter().filter(|&&found| found == stone).count();
            let frequency = count as f64 / entries as f64;
            largest = largest.max((frequency - f64::from(twelfths) / 12.0).abs());
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_entries_are_exact_and_ten_thousand_are_not() {
        let rows = compare_die_tables(1000);
        assert_eq!([rows[0].entries, rows[1].entries], [12, 10_000]);
        assert_eq!(rows[0].largest_error, 0.0);
        // A third is 3,333 or 3,334 of 10,000.
        assert!(
            rows[1].largest_error > 3e-5 && rows[1].largest_error < 1e-4,
            "{rows:?}"
        );
        assert_eq!(format_die_table(&rows).rows.len(), 2);
        assert!(rows.iter().all(|row| row.milliseconds > 0.0));
    }
}
