//! Sequential tests, promotion, luck and other programs at the command line, from outside.

use crate::support::{alea, text};
use std::fs;

const CANDIDATE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../models/quick-network.safetensors"
);
const LEDGER: &str = "# Models\n\n| file |\n|---|\n| [old](old.md) |\n<!-- A line for each shipped model goes here. -->\n\nText.\n";

#[test]
fn a_sequential_test_ends_a_match() {
    let play = |extra: &[&str]| {
        alea(
            &[
                &["arena", "--player", "greedy", "--player", "random"][..],
                extra,
            ]
            .concat(),
        )
    };
    let result = play(&["--sprt", "elo0=0", "elo1=60", "--json"]).json();
    let test = &result["sequential_test"];
    assert_eq!(
        (&test["verdict"], &test["elo1"], &test["model"]),
        (&"accepted".into(), &60.0.into(), &"logistic".into())
    );
    assert!(test["log_likelihood_ratio"].as_f64().unwrap() >= test["upper"].as_f64().unwrap());
    assert!(result["games"].as_u64().unwrap() < 2000);
    let shown = play(&[
        "--sprt",
        "elo0=0",
        "elo1=60",
        "model=normalized",
        "count=games",
        "beta=0.1",
    ]);
    assert!(
        shown.out.contains("SPRT            LLR +") && shown.out.contains("accepted: elo1 = 60"),
        "{}",
        shown.out
    );
    for (wrong, expected) in [
        (&["elo0=0"][..], "needs both hypotheses"),
        (&["elo0=5", "elo1=0"], "needs elo0 < elo1, not 5 and 0"),
        (&["elo0=0", "elo1=x"], "'elo1' is a number, not 'x'"),
        (&["elo0=0", "elo1=5", "alpha=0.7"], "between 0 and 0.5"),
        (&["elo0=0", "elo1=5", "elo2=9"], "there is no 'elo2'"),
        (
            &["elo0=0", "elo1=5", "model=bayes"],
            "logistic or normalized",
        ),
        (&["elo0"], "not 'elo0'"),
    ] {
        let refused = play(&[&["--sprt"][..], wrong].concat());
        assert!(refused.failure().contains(expected), "{}", refused.err);
    }
}

#[test]
fn luck_is_told_by_evaluators_and_players_that_rate_moves() {
    let play = |luck: &str| {
        alea(&[
            "arena",
            "--player",
            "MrBlack(0)",
            "--player",
            "FarmerBoy(0)",
            "--games",
            "400",
            "--luck",
            luck,
            "--json",
        ])
    };
    let result = play("abt").json();
    assert_eq!(result["luck"]["evaluator"], "star1(depth=1, eval=abt)");
    let (raw, adjusted) = (
        result["score"].as_f64().unwrap(),
        result["luck"]["score"].as_f64().unwrap(),
    );
    assert!((raw - adjusted).abs() < 0.1, "{result}");
    let deviation = |index: usize| result["luck"]["game_deviation"][index].as_f64().unwrap();
    assert!(deviation(1) < 0.7 * deviation(0), "{result}");
    // Exact where tables reach.
    let exact = play("star1(depth=1, eval=abt, tablebase=3)").json();
    assert!(exact["luck"]["score"] != result["luck"]["score"] && exact["score"] == result["score"]);
    assert!(play("mcts(sims=0)").failure().contains("'sims'"));
    assert!(play("MrRandom").failure().contains("rates no moves"));
}

#[test]
fn a_model_is_promoted_only_if_the_test_accepts() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = directory.path().join("README.md");
    fs::write(&ledger, LEDGER).unwrap();
    let gate = |against: &str, extra: &[&str]| {
        let basic = [
            "gate",
            CANDIDATE,
            "--against",
            against,
            "--ledger",
            text(&ledger),
            "--name",
            "new",
            "--sprt",
            "elo0=0",
            "elo1=40",
        ];
        alea(&[&basic[..], extra].concat())
    };
    let model = directory.path().join("new.safetensors");
    // Against itself every pair is split: not better. Nothing is written.
    let refused = gate(CANDIDATE, &["--json"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert_eq!(
        (
            &refused.lines()[0]["promoted"],
            &refused.lines()[0]["match"]["score"]
        ),
        (&false.into(), &0.5.into())
    );
    let undecided = gate("schwarz", &["--games", "2"]);
    assert!(
        undecided.code == 1
            && undecided.out.contains("open between")
            && undecided.out.contains("not promoted"),
        "{}",
        undecided.out
    );
    assert_eq!(fs::read_to_string(&ledger).unwrap(), LEDGER);
    assert!(!model.exists());
    // Better than Schwarz' evaluator.
    let promoted = gate("schwarz", &["--json"]).json();
    assert_eq!(
        (
            &promoted["promoted"],
            &promoted["match"]["sequential_test"]["verdict"]
        ),
        (&true.into(), &"accepted".into())
    );
    assert_eq!(fs::read(&model).unwrap(), fs::read(CANDIDATE).unwrap());
    let written = fs::read_to_string(&ledger).unwrap();
    let line = written.lines().find(|line| line.contains("[new]")).unwrap();
    assert_eq!(line.matches('|').count(), 10, "nine columns: {line}");
    assert!(
        line.contains("850993eb64e24e2c")
            && line.contains("23553")
            && line.contains("against `schwarz`"),
        "{line}"
    );
    assert_eq!(written.replace(&format!("{line}\n"), ""), LEDGER);
    // The name is taken now; so is a file of another model.
    assert!(
        gate("schwarz", &[])
            .failure()
            .contains("there is a model called new already")
    );
    fs::write(&ledger, LEDGER).unwrap();
    fs::write(&model, "other").unwrap();
    assert!(
        gate("schwarz", &[])
            .failure()
            .contains("keeps its file for ever")
    );
    fs::write(&ledger, "no ledger").unwrap();
    fs::remove_file(&model).unwrap();
    assert!(gate("schwarz", &[]).failure().contains("this is no ledger"));
    assert!(
        gate("schwarz", &["--player", "star1"])
            .failure()
            .contains("no ledger")
    );
}

#[cfg(unix)]
#[test]
fn other_programs_play_and_their_failures_are_losses() {
    let play = |player: &str, extra: &[&str]| {
        alea(
            &[
                &[
                    "arena", "--player", player, "--player", "greedy", "--games", "8",
                ][..],
                extra,
            ]
            .concat(),
        )
    };
    let dead = play("external(cmd=\"sh -c 'exit 3'\")", &["--json"]).json();
    assert_eq!(
        (
            &dead["wins"],
            &dead["forfeits"][0]["ended with exit status: 3"]
        ),
        (&0.into(), &8.into())
    );
    let missing = play("external(cmd=\"/no/such/program\", ms=50)", &[]);
    assert!(
        missing
            .failure()
            .contains("character 14: /no/such/program cannot be started"),
        "{}",
        missing.err
    );
    assert!(play("external", &[]).failure().contains("needs a program"));
    assert!(
        play("external(cmd=\"a 'b\")", &[])
            .failure()
            .contains("is no command")
    );
    assert!(
        play("external(cmd=sh, ms=0)", &[])
            .failure()
            .contains("'ms' is a number")
    );
    assert!(play("nobody", &[]).failure().contains("; and external"));
}
