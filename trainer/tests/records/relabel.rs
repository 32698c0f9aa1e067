//! Adding labels gives equal bytes in one run, in tasks and after interruption.

use crate::data_operations::{content_names, games, open};
use crate::{
    LabelSource, MIXED_PLAYERS, ShardReader, assert_refused, config, content, is_sound,
    label_config, run, scratch_paths, with_threads,
};
use alea_core::{
    files::{FileError, lock_directory},
    job_array::TaskSlice,
};
use engine::games::einstein::Standard;
use indicatif::ProgressBar;
use std::path::Path;
use trainer::Error;
use trainer::data::relabel::{relabel, unfinished_path};
use trainer::selfplay::{GAMES_PER_SHARD, SelfPlayConfig};

fn make_label_source(name: &str, by: &str) -> LabelSource {
    LabelSource::new(&label_config(name, by), &Standard::default()).unwrap()
}

fn make(
    source: &ShardReader,
    target: &Path,
    label_source: &LabelSource,
) -> Result<trainer::data::shard_writer::WriteSummary, Error> {
    relabel(
        source,
        target,
        label_source,
        TaskSlice::All,
        &ProgressBar::hidden(),
    )
}

#[test]
fn later_labels_equal_those_of_self_play() {
    let at = scratch_paths();
    let plain = config(&MIXED_PLAYERS, 100);
    let by = [
        "mcts(sims=10)",
        "tables(stones=4)",
        "rollout(eval=race, games=40, error=0.1)",
    ];
    let labelled = SelfPlayConfig {
        labels: vec![
            label_config("sampled", by[0]),
            label_config("exact", by[1]),
            label_config("rolled", by[2]),
        ],
        ..plain.clone()
    };
    run(&labelled, &at("at_once")).unwrap();
    run(&plain, &at("plain")).unwrap();
    let relabelled = |from, to, name, by| {
        make(&open(&[&at(from)]), &at(to), &make_label_source(name, by)).unwrap()
    };
    relabelled("plain", "one", "sampled", by[0]);
    relabelled("one", "two", "exact", by[1]);
    let written = relabelled("two", "both", "rolled", by[2]);
    let rolled = games(&[&at("both")]).into_iter().flat_map(|game| {
        let plies = 0..game.record.plies.len();
        plies.map(move |ply| {
            (
                game.label_value(1, ply),
                game.label_estimate(2, ply).unwrap(),
            )
        })
    });
    for (exact, rolled) in rolled {
        let error = rolled.error.unwrap();
        assert!(error < 0.15 && (error == 0.0 || exact.is_none()));
        assert!(exact.is_none_or(|exact| exact == rolled.value));
    }
    assert_eq!(games(&[&at("both")]), games(&[&at("at_once")]));
    assert_eq!((written.games, written.shards), (100, 1));
    assert!(is_sound(at("both")));
    relabelled("both", "replaced", "sampled", "race");
    let (old, new) = (games(&[&at("both")]), games(&[&at("replaced")]));
    let race = make_label_source("sampled", "race");
    for (old, new) in old.iter().zip(&new) {
        assert_eq!((&old.record, &old.players), (&new.record, &new.players));
        assert_eq!(new.labels[0], race.new_labeller().label_values(new));
        let same_labels = |ply| {
            [1, 2].map(|label| old.label_estimate(label, ply))
                == [1, 2].map(|label| new.label_estimate(label, ply))
        };
        assert!((0..old.record.plies.len()).all(same_labels));
    }
    let again = make(&open(&[&at("both")]), &at("replaced"), &race);
    assert_refused(again, &at("replaced"), "exists already");
    assert_eq!(
        content_names(&at("")),
        ["at_once", "both", "one", "plain", "replaced", "two"]
    );
}

#[test]
fn interrupted_relabelling_resumes_to_the_same_bytes() {
    let at = scratch_paths();
    run(
        &config(&["greedy", "random"], GAMES_PER_SHARD + 50),
        &at("a"),
    )
    .unwrap();
    run(
        &SelfPlayConfig {
            seed: 8,
            ..config(&["greedy", "random"], GAMES_PER_SHARD)
        },
        &at("b"),
    )
    .unwrap();
    let source = open(&[&at("a"), &at("b")]);
    let race = make_label_source("race", "race");
    let written = with_threads(1, || make(&source, &at("one"), &race)).unwrap();
    assert_eq!(
        (written.games, written.shards),
        (2 * GAMES_PER_SHARD + 50, 3)
    );
    with_threads(3, || make(&source, &at("three"), &race)).unwrap();
    let expected = content(&at("one"));
    assert!(content(&at("three")) == expected);
    let bare = |paths: &[&Path]| {
        games(paths)
            .into_iter()
            .map(|game| game.record)
            .collect::<Vec<_>>()
    };
    assert!(bare(&[&at("one")]) == bare(&[&at("a"), &at("b")]));
    assert!(is_sound(at("one")));
    // The state after a kill: the manifest, the second shard and a temporary file.
    let working = unfinished_path(&at("again"));
    std::fs::create_dir(&working).unwrap();
    for name in ["run.json", "000001.games"] {
        std::fs::copy(at("one").join(name), working.join(name)).unwrap();
    }
    let time = |directory: &Path| {
        let file = std::fs::metadata(directory.join("000001.games")).unwrap();
        file.modified().unwrap()
    };
    let written = time(&working);
    let before = content(&working);
    assert_refused(
        make(
            &source,
            &at("again"),
            &make_label_source("race", "star1(depth=1)"),
        ),
        &working,
        "another source",
    );
    assert_refused(
        make(&open(&[&at("b")]), &at("again"), &race),
        &working,
        "other records",
    );
    {
        let _lock = lock_directory(&working, TaskSlice::All).unwrap();
        assert!(matches!(
            make(&source, &at("again"), &race),
            Err(Error::File(FileError::Busy(_)))
        ));
        assert!(content(&working) == before);
    }
    std::fs::write(working.join(".alea-killed.tmp"), "half").unwrap();
    make(&source, &at("again"), &race).unwrap();
    assert!(content(&at("again")) == expected && !working.exists());
    assert_eq!(time(&at("again")), written);
    std::fs::create_dir(&working).unwrap();
    std::fs::remove_dir_all(at("again")).unwrap();
    std::fs::copy(at("one").join("run.json"), working.join("run.json")).unwrap();
    let shard = working.join("000000.games");
    std::fs::copy(at("b").join("000000.games"), &shard).unwrap();
    assert_refused(
        make(&source, &at("again"), &race),
        &shard,
        "does not hold these games",
    );
    let mut bytes = std::fs::read(at("one").join("000000.games")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&shard, bytes).unwrap();
    assert_refused(make(&source, &at("again"), &race), &shard, "");
    assert!(!at("again").exists());
}
