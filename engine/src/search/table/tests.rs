//! The table by its policies, one small table each: what stays, what goes, and that nothing torn or
//! foreign is believed.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

const POLICIES: [Replacement; 4] = [
    Replacement::Always,
    Replacement::DepthPreferred,
    Replacement::TwoLevel,
    Replacement::Bucketed,
];

fn table(entries: usize, replacement: Replacement, reuse: Reuse) -> Table {
    Table::with_entries(entries, replacement, reuse).unwrap()
}

fn found(depth: u32, value: f32) -> Found {
    Found {
        depth,
        bounds: Bounds::exact(value),
        proven: false,
        hint: 0x1234,
    }
}

/// A key of the same place (the high bits) with another check (the low bits).
fn key(check: u32) -> u64 {
    0xABCD_EF01_0000_0000 | u64::from(check)
}

#[test]
fn an_entry_is_sixteen_bytes() {
    assert_eq!(size_of::<Entry>(), 16);
    let memory = table(1 << 10, Replacement::Bucketed, Reuse::SameDepth);
    assert_eq!(
        memory.memory.items().as_ptr() as usize % 64,
        0,
        "a bucket is a cache line"
    );
}

#[test]
fn an_entry_holds_at_its_depth_only() {
    for policy in POLICIES {
        let table = table(64, policy, Reuse::SameDepth);
        assert_eq!(table.probe(key(7), 3), None);
        let bounds = Bounds {
            lower: 0.25,
            upper: 0.5,
        };
        table.store(
            key(7),
            &Found {
                bounds,
                ..found(3, 0.0)
            },
        );
        assert_eq!(
            table.probe(key(7), 3),
            Some(Hit {
                bounds,
                holds: true,
                proven: false,
                hint: 0x1234
            })
        );
        for depth in [2, 4] {
            assert!(
                !table.probe(key(7), depth).unwrap().holds,
                "its hint is of use at depth {depth}, its bounds are not"
            );
        }
        assert_eq!(table.probe(key(8), 3), None);
    }
}

#[test]
fn what_is_proven_holds_deeper_and_deeper_results_if_they_may() {
    // A shallower search might not see what is proven.
    for (reuse, proven, depth, holding, failing) in [
        (Reuse::SameDepth, true, 3, 5, 2),
        (Reuse::Deeper, false, 5, 3, 6),
    ] {
        let table = table(64, Replacement::Bucketed, reuse);
        let found = found(depth, 0.75);
        table.store(key(7), &Found { proven, ..found });
        let holds = [holding, failing].map(|depth| table.probe(key(7), depth).unwrap().holds);
        assert_eq!(holds, [true, false], "{reuse:?}");
    }
}

#[test]
fn the_newest_replaces() {
    let table = table(1, Replacement::Always, Reuse::SameDepth);
    assert_eq!(table.store(key(1), &found(5, 0.5)), Kept::Fresh);
    assert_eq!(table.store(key(2), &found(3, 0.5)), Kept::Replacing);
    assert_eq!(table.probe(key(1), 5), None);
}

#[test]
fn depth_is_preferred_until_it_is_of_an_earlier_generation() {
    let table = table(1, Replacement::DepthPreferred, Reuse::SameDepth);
    table.store(key(1), &found(5, 0.5));
    assert_eq!(table.store(key(2), &found(3, 0.5)), Kept::Rejected);
    assert!(table.probe(key(1), 5).is_some());
    table.step();
    assert_eq!(table.store(key(2), &found(3, 0.5)), Kept::Replacing);
}

#[test]
fn the_lower_level_takes_what_the_upper_one_rejects_or_evicts() {
    let table = table(2, Replacement::TwoLevel, Reuse::SameDepth);
    table.store(key(1), &found(3, 0.5));
    table.store(key(2), &found(5, 0.5));
    table.store(key(3), &found(2, 0.5));
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
    let table = table(4, Replacement::Bucketed, Reuse::SameDepth);
    for (check, depth) in [(1, 4), (2, 3), (3, 5), (4, 6)] {
        assert_eq!(table.store(key(check), &found(depth, 0.5)), Kept::Fresh);
    }
    assert_eq!(table.store(key(5), &found(2, 0.5)), Kept::Replacing);
    assert_eq!(table.probe(key(2), 3), None);
    // Four plies to a generation: what was searched three plies deep a move ago goes before what is
    // two plies deep now.
    table.step();
    table.store(key(6), &found(1, 0.5));
    assert_eq!(table.probe(key(5), 2), None);
    assert!(table.probe(key(1), 4).is_some() && table.probe(key(6), 1).is_some());
}

#[test]
fn a_forgetful_table_is_an_empty_one() {
    for policy in POLICIES {
        let (used, fresh) = (
            table(6, policy, Reuse::Deeper),
            table(6, policy, Reuse::Deeper),
        );
        // More games than there are generations.
        for game in 0..300_u32 {
            used.forget();
            fresh.forget();
            let fresh = if game % 7 == 0 {
                table(6, policy, Reuse::Deeper)
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
                    used.store(key, &found(depth, 0.5)),
                    fresh.store(key, &found(depth, 0.5)),
                    "{policy:?}, game {game}"
                );
                if number % 10 == 0 {
                    used.step();
                    fresh.step();
                }
            }
        }
    }
}

#[test]
fn a_torn_entry_is_not_believed() {
    // Two writers, of which each has written one of the two words last.
    let table = table(1, Replacement::Always, Reuse::SameDepth);
    table.store(key(1), &found(3, 0.25));
    let torn = table.memory.items()[0].bounds.load(Relaxed);
    table.store(key(1), &found(3, 0.75));
    table.memory.items()[0].bounds.store(torn, Relaxed);
    assert_eq!(table.probe(key(1), 3), None);
}

#[test]
fn threads_read_whole_entries() {
    let table = table(8, Replacement::Bucketed, Reuse::SameDepth);
    std::thread::scope(|scope| {
        for thread in 0..2_u64 {
            let table = &table;
            scope.spawn(move || {
                for round in 0..if cfg!(miri) { 300 } else { 200_000_u64 } {
                    let number = (round * 7 + thread) % 64;
                    let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | number;
                    if let Some(known) = table.probe(key, 1) {
                        assert_eq!(known.bounds, Bounds::exact(number as f32 / 64.0));
                    }
                    table.store(key, &found(1, number as f32 / 64.0));
                }
            });
        }
    });
}

proptest! {
    /// Whatever is found is what was stored last under that key, at that depth.
    #[test]
    fn a_table_never_tells_of_another_position(
        operations in proptest::collection::vec((0..40_u64, 1..6_u32, 0..1000_u16), 1..300),
        entries in 1..20_usize,
        policy in 0..4_usize,
    ) {
        let table = table(entries, POLICIES[policy], Reuse::SameDepth);
        let mut stored = HashMap::new();
        for (position, depth, value) in operations {
            let key = (position + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if let Some(known) = table.probe(key, depth) && known.holds {
                let all: &Vec<f32> = &stored[&(position, depth)];
                prop_assert!(all.contains(&known.bounds.lower));
            }
            table.store(key, &found(depth, f32::from(value)));
            stored.entry((position, depth)).or_insert_with(Vec::new).push(f32::from(value));
        }
    }
}
