//! New sets of records when the disk is full: finished shards stay, and nothing half is there.

use crate::support::{Folder, alea, exists, fails_on_a_full_disk, names};

#[test]
fn a_full_disk_is_named_and_finished_shards_stay() {
    let folder = Folder::new();
    let [records, out, exported, set] =
        ["records", "out", "x.parquet", "set"].map(|name| folder.at(name));
    // Three shards of fast players.
    alea!("selfplay --out {records} --games 10000 --player star1(depth=1)").succeeds();
    let relabel = format!("data relabel {records} --out {out} --name race --by race");
    let error = fails_on_a_full_disk(&relabel);
    assert!(error.contains("000000.games"), "{error}");
    assert!(!exists(&out));
    // The last shard is the shortest, and the manifest there already: the first two stay whatever
    // follows.
    assert_eq!(names(&format!("{out}.unfinished")), ["run.json"]);
    alea!("{relabel}").succeeds();
    assert_eq!(
        names(&out),
        ["000000.games", "000001.games", "000002.games", "run.json"]
    );
    fails_on_a_full_disk(&format!("data export {records} --out {exported}"));
    fails_on_a_full_disk(&format!("data merge {records} --out {set}"));
    assert_eq!(names(&folder.path()), ["out", "records"]);
}
