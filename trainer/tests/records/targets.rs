//! Targets from labels and tablebases, several sources of games, and labels in model metadata.

use crate::dataset::{game_of_four_plies, training, with_other_rolls, write};
use crate::format::label;
use crate::labels::tiny_labelled;
use crate::{
    NEAREST, Samples, assert_refused, config, label_config, run, samples_in, scratch, scratch_paths,
};
use engine::games::einstein::{
    Position, Standard, learned::model_types::ModelFile, tables::shared_tables::shared_tables,
};
use indicatif::ProgressBar;
use trainer::config::{TargetConfig, TrainConfig};
use trainer::dataset::SampleOptions;
use trainer::sample::Sample;
use trainer::selfplay::SelfPlayConfig;
use trainer::shard::{self, Estimate, Label};
use trainer::training::{Family, TrainingRun, train};

fn deep_and_exact_labels() -> [Label; 2] {
    [
        label("deep", "star2(depth=4)"),
        label("exact", "tables(stones=5)"),
    ]
}

fn all_samples(samples: &Samples) -> Vec<Sample<Position>> {
    [&training(samples)[..], samples.validation()].concat()
}

fn options(label: &str, exact: bool) -> SampleOptions {
    SampleOptions::new(
        &TargetConfig {
            label: label.to_owned(),
            exact,
            ..TargetConfig::default()
        },
        0.3,
        3,
    )
}

#[test]
fn samples_have_values_of_players_and_labels() {
    let directory = scratch();
    write(
        &directory,
        &with_other_rolls(&tiny_labelled()),
        &deep_and_exact_labels(),
    );
    let rules = Standard::default();
    let positions: Vec<_> = game_of_four_plies().record.positions(&rules).collect();
    // Ply, value and result of each sample. Blue moves at plies 1 and 3 and wins.
    type Expected<'a> = &'a [(usize, f32, f32)];
    type Used<'a> = &'a [(&'a str, usize)];
    let exactly: Expected<'_> = &[(2, 0.6, 0.0), (3, 0.0, 0.0)];
    let cases: [(&str, bool, Expected<'_>, Used<'_>); 6] = [
        ("", false, &[(2, 0.6, 0.0), (3, 0.75, 1.0)], &[]),
        (
            "deep",
            false,
            &[(1, 0.5, 1.0), (2, 0.6, 0.0), (3, 1.0, 1.0)],
            &[("deep", 72)],
        ),
        ("", true, exactly, &[("exact", 36)]),
        (
            "deep",
            true,
            &[(1, 0.5, 1.0), exactly[0], exactly[1]],
            &[("deep", 36), ("exact", 36)],
        ),
        (
            "exact",
            false,
            &[(2, 0.6, 0.0), (3, 0.0, 1.0)],
            &[("exact", 36)],
        ),
        ("exact", true, exactly, &[("exact", 36)]),
    ];
    let mut fingerprints = Vec::new();
    for (name, exact, expected, used) in cases {
        let samples = samples_in(&directory, &options(name, exact)).unwrap();
        let all = all_samples(&samples);
        assert_eq!(all.len(), 36 * expected.len(), "{name} {exact}");
        for (found, &(ply, value, result)) in all.iter().zip(expected.iter().cycle()) {
            assert_eq!((found.position, found.result), (positions[ply], result));
            assert!(
                (found.value - value).abs() < 1e-5,
                "{name} {exact}: {found:?}"
            );
        }
        let found: Vec<(&str, usize)> = samples
            .used_labels()
            .iter()
            .map(|used| (used.label.name.as_str(), used.samples))
            .collect();
        assert_eq!(found, used, "{name} {exact}");
        fingerprints.push(samples.fingerprint());
    }
    assert_eq!(fingerprints[2], fingerprints[5]);
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 5);
}

#[test]
fn samples_are_weighted_by_label_errors() {
    let directory = scratch();
    let mut game = tiny_labelled();
    let estimates = [Some(0.05), Some(0.1), None].map(|error| Some(Estimate { value: 0.5, error }));
    let values = [None].into_iter().chain(estimates).collect();
    game.set_label(0, 2, values);
    let [deep, exact] = deep_and_exact_labels();
    let labels = [
        Label {
            errors: true,
            ..deep
        },
        exact,
    ];
    write(&directory, &with_other_rolls(&game), &labels);
    for (scale, expected) in [
        (None, [0.5, 0.2, 1.0]),
        (Some(0.1), [0.8, 0.5, 1.0]),
        (Some(0.0), [1.0; 3]),
    ] {
        let target = TargetConfig {
            label: "deep".to_owned(),
            exact: false,
            error_scale: scale,
            ..TargetConfig::default()
        };
        let samples = samples_in(&directory, &SampleOptions::new(&target, 0.3, 3)).unwrap();
        assert_eq!(samples.has_weights(), scale != Some(0.0));
        for (sample, expected) in all_samples(&samples).iter().zip(expected.iter().cycle()) {
            assert!(
                (sample.weight - expected).abs() < 1e-3,
                "{scale:?}: {sample:?}"
            );
        }
    }
}

#[test]
fn missing_labels_are_refused_and_existing_ones_listed() {
    let at = scratch_paths();
    write(
        &at("one"),
        &with_other_rolls(&tiny_labelled()),
        &deep_and_exact_labels(),
    );
    write(&at("none"), &with_other_rolls(&game_of_four_plies()), &[]);
    let text = assert_refused(
        samples_in(&at("one"), &options("deeper", true)),
        &at("one"),
        "target.label = 'deeper'",
    );
    assert!(text.ends_with("there are 'deep', 'exact'"), "{text}");
    let text = assert_refused(
        samples_in(&at("none"), &options("deep", true)),
        &at("none"),
        "no labels",
    );
    assert!(text.contains("alea data relabel"), "{text}");
    let both = Samples::open(&[at("none"), at("one")], &options("deep", true)).unwrap();
    assert_eq!(
        both.num_training() + both.validation().len(),
        36 * 2 + 36 * 3
    );
}

#[test]
fn games_of_several_sources_are_parts_in_their_order() {
    let at = scratch_paths();
    run(&config(&["star1(depth=1)"], 60), &at("a")).unwrap();
    run(
        &SelfPlayConfig {
            seed: 9,
            ..config(&["star1(depth=1)"], 40)
        },
        &at("b"),
    )
    .unwrap();
    let open = |names: &[&str]| {
        Samples::open(
            &names.iter().map(|name| at(name)).collect::<Vec<_>>(),
            &options("", true),
        )
    };
    let [a, b, both, reversed] =
        [&["a"][..], &["b"], &["a", "b"], &["b", "a"]].map(|names| open(names).unwrap());
    assert_eq!(
        (both.num_parts(), both.num_training()),
        (2, a.num_training() + b.num_training())
    );
    assert_eq!(training(&both), [training(&a), training(&b)].concat());
    assert_eq!(both.validation(), [a.validation(), b.validation()].concat());
    assert_ne!(both.fingerprint(), reversed.fingerprint());
    assert_refused(open(&["a", "c"]), &at("c"), "");
    run(
        &SelfPlayConfig {
            game: NEAREST.to_owned(),
            ..config(&["star1(depth=1)"], 30)
        },
        &at("c"),
    )
    .unwrap();
    let text = assert_refused(open(&["a", "c"]), &at("c"), &format!("'{NEAREST}'"));
    assert!(text.contains("'einstein'"), "{text}");
}

#[test]
fn exact_labels_are_targets_and_listed_in_the_model() {
    let at = scratch_paths();
    let labelled = SelfPlayConfig {
        labels: vec![
            label_config("other", "race"),
            label_config("exact", "tables(stones=3)"),
        ],
        ..config(&["star1(depth=1)"], 200)
    };
    run(&labelled, &at("data")).unwrap();
    let samples = samples_in(&at("data"), &options("", true)).unwrap();
    let tables = shared_tables(3, Standard::default().variant()).unwrap();
    let mut exact = 0;
    for sample in all_samples(&samples) {
        match tables.value_of(&sample.position) {
            Some(value) => {
                exact += 1;
                assert_eq!(
                    (sample.value, sample.result),
                    (shard::quantize_value(value), shard::quantize_value(value))
                );
            }
            None => assert!(sample.result == 0.0 || sample.result == 1.0),
        }
    }
    assert!(exact > 30, "{exact}");
    let metadata = |options: &SampleOptions, name: &str| -> serde_json::Value {
        let samples = samples_in(&at("data"), options).unwrap();
        let mut config = TrainConfig::default();
        config.training.epochs = 1;
        config.ntuple.set = "stones".to_owned();
        let report = train(&TrainingRun {
            config: &config,
            family: Family::NTuple,
            samples: &samples,
            initial_model: None,
            provenance: "",
            directory: &at(name),
            observer: (&ProgressBar::hidden()).into(),
        })
        .unwrap();
        serde_json::from_str(
            &ModelFile::load(&Standard::default(), &report.model)
                .unwrap()
                .provenance,
        )
        .unwrap()
    };
    let with_tables = metadata(&options("other", true), "told");
    assert_eq!(
        with_tables["table_labels"],
        serde_json::json!([{ "name": "exact", "by": "tables(stones=3)", "exact": true, "samples": exact }])
    );
    assert_eq!(
        (
            &with_tables["labels"][0]["name"],
            &with_tables["labels"][0]["by"]
        ),
        (&"other".into(), &"race".into())
    );
    assert_eq!(
        metadata(&options("exact", false), "mixed")["table_labels"],
        with_tables["table_labels"]
    );
    let plain = metadata(&options("", false), "plain");
    assert!(
        plain.get("table_labels").is_none() && plain.get("labels").is_none(),
        "{plain}"
    );
}
