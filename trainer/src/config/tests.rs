//! Defaults, resolution and validation.

use super::*;
use engine::games::einstein::Standard;

#[test]
fn the_documented_defaults_are_the_defaults_and_complete() {
    let text = TrainConfig::default_toml();
    assert_eq!(
        TrainConfig::from_toml(text).unwrap(),
        TrainConfig::default()
    );
    assert_eq!(TrainConfig::from_toml("").unwrap(), TrainConfig::default());
    let keys = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| line.split_once(" = ").map(|(key, _)| key.to_owned()))
            .collect()
    };
    let resolve = TrainConfig::default().to_toml();
    assert_eq!(keys(text), keys(&resolve));
    assert_eq!(
        TrainConfig::from_toml(&resolve).unwrap(),
        TrainConfig::default()
    );
}

fn problem(text: &str) -> String {
    TrainConfig::from_toml(text).unwrap_err().to_string()
}

#[test]
fn non_finite_numbers_are_refused_everywhere() {
    let refused = |text: &str| parse_toml::<toml::Table>(text).unwrap_err().to_string();
    for number in ["nan", "-nan", "+inf", "inf", "-inf"] {
        for (text, line, key) in [
            ("a = 1.5\nprecision = @\n", 2, "precision"),
            ("[target]\n\nshare = @", 3, "share"),
            (
                "[[player]]\nname = 'b'\n[[player]]\nweight = @",
                4,
                "weight",
            ),
            ("needs = { hours = 1.0,\n core_hours = @ }", 2, "core_hours"),
            ("list = [1.0, [@]]", 1, "list"),
        ] {
            let error = refused(&text.replace('@', number));
            let number = number.trim_start_matches('+');
            let expected = format!("line {line}: {key} = {number}: it must be a finite number");
            assert_eq!(error.replace('+', ""), expected);
        }
    }
    assert!(refused("a = 1e999").starts_with("line 1: "));
}

#[test]
fn game_defaults_are_filled_in_and_unknown_names_are_refused() {
    let config = TrainConfig::default()
        .resolve(&Standard::default())
        .unwrap();
    assert_eq!(config.ntuple.set, "race-and-pairs");
    assert_eq!(config.online.learning_rate, Some(3.0));
    assert_eq!(
        config.network.inputs.unwrap().join(","),
        "mobility,turns,alive"
    );
    for (text, expected) in [
        (
            "[network]\ninputs = [\"colour\"]",
            "network.inputs: 'colour' is no group of inputs; there are mobility, ",
        ),
        (
            "[network]\nbuckets = [8, 5]",
            "network.buckets: buckets [8, 5]: numbers of stones must ascend",
        ),
        (
            "[network]\noutputs = \"results\"",
            "network.outputs = \"results\": einstein has no results with names; it must be \"win\"",
        ),
        (
            "[ntuple]\nset = \"no such\"",
            "ntuple.set: 'no such' is no tuple set; there are race-and-pairs, stones, ",
        ),
        (
            "[ntuple]\ntuples = [\"b0 b25\"]",
            "ntuple.tuples: 'b25' is no cell; there are b0-24, ",
        ),
        (
            "[ntuple]\ntuples = [\"b0 b1\", \"b1 b0\"]",
            "ntuple.tuples: the tuple 'b1 b0' is there twice",
        ),
        (
            "[ntuple]\nphases = [8, 5]",
            "ntuple.phases: phases [8, 5]: numbers of stones must ascend",
        ),
    ] {
        let config = TrainConfig::from_toml(text).unwrap();
        let error = config.resolve(&Standard::default()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with(expected) && !error.contains('\n'),
            "{error}"
        );
    }
}

#[test]
fn unknown_keys_are_refused_with_their_line_and_the_valid_keys() {
    for (text, expected) in [
        (
            "seed = 3\n[training]\nepoch = 4\n",
            &["line 3: ", "`epoch`", "`epochs`", "`patience`"][..],
        ),
        ("[integer]\n", &["line 1: ", "`network`"]),
        ("[network]\nfeatures = []\n", &["line 2: ", "`inputs`"]),
        ("[network]\nhidden = 64", &["line 2: "]),
        (
            "[ntuple]\nrule = \"momentum\"\n",
            &["line 2: ", "momentum", "temporal_coherence"],
        ),
    ] {
        let error = problem(text);
        assert!(
            expected.iter().all(|fragment| error.contains(fragment)) && !error.contains('\n'),
            "{error}"
        );
    }
}

#[test]
fn values_out_of_range_are_named() {
    for (text, key) in [
        ("[target]\nsearch_share = 1.5", "target.search_share"),
        ("[target]\nerror_scale = -1", "target.error_scale"),
        (
            "[target]\nfinal_search_share = -0.5",
            "target.final_search_share",
        ),
        (
            "[network]\nhidden = [0, 32]",
            "network.hidden = [0, 32]: it must be one to three multiples of 16 up to 1024",
        ),
        (
            "[network]\nhidden = []",
            "network.hidden = []: it must be one to three multiples of 16 up to 1024",
        ),
        (
            "[network]\nhidden = [16, 16, 16, 16]",
            "network.hidden = [16, 16, 16, 16]: it must be one to three",
        ),
        (
            "[network]\nhidden = [64, 32, 1040]",
            "network.hidden = [64, 32, 1040]: it must be",
        ),
        ("[training]\nepochs = 0", "training.epochs"),
        ("[online]\ntrace = 1.1", "online.trace"),
        ("[online]\nreport_every = 0", "online.report_every"),
        (
            "[online]\ngames_per_update = 0",
            "online.games_per_update = 0: it must be in 1 to 1048576",
        ),
        ("[online]\nbatch = 2000000", "online.batch"),
        ("[online]\nlearning_rate = 0.0", "online.learning_rate"),
    ] {
        let error = problem(text);
        assert!(error.starts_with(key), "{error}");
    }
}

#[test]
fn tuples_with_phases_and_hidden_layers_are_read_as_they_are_written() {
    let config =
        TrainConfig::from_toml("[ntuple]\ntuples = [\"b0 b1 m24\", \"s0 s6\"]\nphases = [5, 8]")
            .unwrap();
    let set = config.ntuple.tuple_set(&Standard::default()).unwrap();
    assert_eq!(
        (set.tuple_count(), set.row_count()),
        (2, 3 * (13 * 13 * 5 + 26 * 26))
    );
    assert_eq!(TrainConfig::from_toml(&config.to_toml()).unwrap(), config);
    assert!(
        !TrainConfig::default().to_toml().contains("tuples =")
            && !TrainConfig::default().to_toml().contains("phases")
    );
    for hidden in [&[1024][..], &[64, 32], &[64, 32, 16]] {
        let config = TrainConfig::from_toml(&format!("[network]\nhidden = {hidden:?}")).unwrap();
        assert_eq!(config.network.hidden, hidden);
        assert_eq!(TrainConfig::from_toml(&config.to_toml()).unwrap(), config);
    }
}

#[test]
fn lambda_is_interpolated_linearly() {
    let lambdas = |text: &str, epochs: usize| -> Vec<f32> {
        let target = TrainConfig::from_toml(text).unwrap().target;
        (1..=epochs)
            .map(|epoch| target.lambda_in_epoch(epoch, epochs))
            .collect()
    };
    let falling = "[target]\nsearch_share = 0.75\nfinal_search_share = 0.25";
    assert_eq!(lambdas(falling, 5), [0.75, 0.625, 0.5, 0.375, 0.25]);
    assert_eq!(lambdas(falling, 1), [0.25]);
    assert_eq!(lambdas("", 3), [0.7; 3]);
}

#[test]
fn schedules_start_at_one_and_end_at_the_final_rate() {
    for schedule in [Schedule::Cosine, Schedule::Step] {
        assert_eq!(schedule.factor(0.0, 0.01), 1.0);
        assert!((schedule.factor(1.0, 0.01) - 0.01).abs() < 1e-12);
    }
    assert!((Schedule::Cosine.factor(0.5, 0.01) - 0.505).abs() < 1e-12);
    assert!((Schedule::Step.factor(0.7, 0.01) - 0.1).abs() < 1e-12);
    assert_eq!(Schedule::Constant.factor(1.0, 0.01), 1.0);
}
