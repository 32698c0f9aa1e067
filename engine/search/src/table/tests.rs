//! Tests of replacement, generations, and torn or foreign entries.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

const POLICIES: [Replacement; 4] = [
    Replacement::Always,
    Replacement::DepthPreferred,
    Replacement::TwoLevel,
    Replacement::Bucketed,
];

fn table(entries: usize, replacement: Replacement, reuse: DepthPolicy) -> Table {
    Table::with_entries(entries, replacement, reuse).unwrap()
}

fn result(depth: u32, value: f32) -> NewEntry {
    NewEntry {
        depth,
        bounds: Bounds::exact(value),
        proven: false,
        hint: 0x1234,
    }
}

fn key(check: u32) -> u64 {
    0xABCD_EF01_0000_0000 | u64::from(check)
}

#[test]
fn an_entry_is_sixteen_bytes() {
    assert_eq!(size_of::<Entry>(), 16);
    let array = table(1 << 10, Replacement::Bucketed, DepthPolicy::SameDepth);
    assert_eq!(
        array.array.items().as_ptr() as usize % 64,
        0,
        "a bucket is a cache line"
    );
}

#[test]
fn an_entry_holds_at_its_depth_only() {
    for policy in POLICIES {
        let table = table(64, policy, DepthPolicy::SameDepth);
        assert_eq!(table.probe(key(7), 3), None);
        let bounds = Bounds {
            lower: 0.25,
            upper: 0.5,
        };
        table.store(
            key(7),
            &NewEntry {
                bounds,
                ..result(3, 0.0)
            },
        );
        assert_eq!(
            table.probe(key(7), 3),
            Some(Hit {
                bounds,
                is_usable: true,
                proven: false,
                hint: 0x1234
            })
        );
        for depth in [2, 4] {
            assert!(
                !table.probe(key(7), depth).unwrap().is_usable,
                "its hint is of use at depth {depth}, its bounds are not"
            );
        }
        assert_eq!(table.probe(key(8), 3), None);
    }
}

#[test]
fn what_is_proven_holds_deeper_and_deeper_results_if_they_may() {
    for (reuse, proven, depth, holding, failing) in [
        (DepthPolicy::SameDepth, true, 3, 5, 2),
        (DepthPolicy::Deeper, false, 5, 3, 6),
    ] {
        let table = table(64, Replacement::Bucketed, reuse);
        let result = result(depth, 0.75);
        table.store(key(7), &NewEntry { proven, ..result });
        let is_usable =
            [holding, failing].map(|depth| table.probe(key(7), depth).unwrap().is_usable);
        assert_eq!(is_usable, [true, false], "{reuse:?}");
    }
}

#[test]
fn the_newest_replaces() {
    let table = table(1, Replacement::Always, DepthPolicy::SameDepth);
    assert_eq!(table.store(key(1), &result(5, 0.5)), StoreOutcome::Fresh);
    assert_eq!(
        table.store(key(2), &result(3, 0.5)),
        StoreOutcome::Replacing
    );
    assert_eq!(table.probe(key(1), 5), None);
}

#[test]
fn depth_is_preferred_until_it_is_of_an_earlier_generation() {
    let table = table(1, Replacement::DepthPreferred, DepthPolicy::SameDepth);
    table.store(key(1), &result(5, 0.5));
    assert_eq!(table.store(key(2), &result(3, 0.5)), StoreOutcome::Rejected);
    assert!(table.probe(key(1), 5).is_some());
    table.new_generation();
    assert_eq!(
        table.store(key(2), &result(3, 0.5)),
        StoreOutcome::Replacing
    );
}

#[test]
fn the_lower_level_takes_what_the_upper_one_rejects_or_evicts() {
    let table = table(2, Replacement::TwoLevel, DepthPolicy::SameDepth);
    table.store(key(1), &result(3, 0.5));
    table.store(key(2), &result(5, 0.5));
    table.store(key(3), &result(2, 0.5));
    assert!(
        table.probe(key(2), 5).is_some(),
        "the deepest stands in the upper level"
    );
    assert!(
        table.probe(key(3), 2).is_some(),
        "the newest in the lower one"
    );
    assert_eq!(table.probe(key(1), 3), None);
}

#[test]
fn a_bucket_lets_go_of_the_shallowest() {
    let table = table(4, Replacement::Bucketed, DepthPolicy::SameDepth);
    for (check, depth) in [(1, 4), (2, 3), (3, 5), (4, 6)] {
        assert_eq!(
            table.store(key(check), &result(depth, 0.5)),
            StoreOutcome::Fresh
        );
    }
    assert_eq!(
        table.store(key(5), &result(2, 0.5)),
        StoreOutcome::Replacing
    );
    assert_eq!(table.probe(key(2), 3), None);
    table.new_generation();
    table.store(key(6), &result(1, 0.5));
    assert_eq!(table.probe(key(5), 2), None);
    assert!(table.probe(key(1), 4).is_some() && table.probe(key(6), 1).is_some());
}

#[test]
fn a_forgetful_table_is_an_empty_one() {
    for policy in POLICIES {
        let (used, fresh) = (
            table(6, policy, DepthPolicy::Deeper),
            table(6, policy, DepthPolicy::Deeper),
        );
        for game in 0..300_u32 {
            used.clear();
            fresh.clear();
            let fresh = if game % 7 == 0 {
                table(6, policy, DepthPolicy::Deeper)
            } else {
                continue;
            };
            for number in 0..40 {
                let number = number + 40 * u64::from(game);
                let (key, depth) = (
                    number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
                    1 + (number % 9) as u32,
                );
                assert_eq!(used.probe(key, depth), fresh.probe(key, depth));
                assert_eq!(
                    used.store(key, &result(depth, 0.5)),
                    fresh.store(key, &result(depth, 0.5)),
                    "{policy:?}, game {game}"
                );
                if number % 10 == 0 {
                    used.new_generation();
                    fresh.new_generation();
                }
            }
        }
    }
}

#[test]
fn a_torn_entry_is_not_believed() {
    // As if two writers had each written one of the two words last.
    let table = table(1, Replacement::Always, DepthPolicy::SameDepth);
    table.store(key(1), &result(3, 0.25));
    let torn = table.array.items()[0].bounds.load(Relaxed);
    table.store(key(1), &result(3, 0.75));
    table.array.items()[0].bounds.store(torn, Relaxed);
    assert_eq!(table.probe(key(1), 3), None);
}

#[test]
fn threads_read_complete_entries() {
    let table = table(8, Replacement::Bucketed, DepthPolicy::SameDepth);
    std::thread::scope(|scope| {
        for thread in 0..2_u64 {
            let table = &table;
            scope.spawn(move || {
                for round in 0..if cfg!(miri) { 300 } else { 200_000_u64 } {
                    let number = (round * 7 + thread) % 64;
                    let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | number;
                    if let Some(fallback) = table.probe(key, 1) {
                        assert_eq!(fallback.bounds, Bounds::exact(number as f32 / 64.0));
                    }
                    table.store(key, &result(1, number as f32 / 64.0));
                }
            });
        }
    });
}

proptest! {
    #[test]
    fn hits_are_of_the_probed_position(
        operations in proptest::collection::vec((0..40_u64, 1..6_u32, 0..1000_u16), 1..300),
        entries in 1..20_usize,
        policy in 0..4_usize,
    ) {
        let table = table(entries, POLICIES[policy], DepthPolicy::SameDepth);
        let mut stored = HashMap::new();
        for (position, depth, value) in operations {
            let key = (position + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if let Some(fallback) = table.probe(key, depth) && fallback.is_usable {
                let all: &Vec<f32> = &stored[&(position, depth)];
                prop_assert!(all.contains(&fallback.bounds.lower));
            }
            table.store(key, &result(depth, f32::from(value)));
            stored.entry((position, depth)).or_insert_with(Vec::new).push(f32::from(value));
        }
    }
}
