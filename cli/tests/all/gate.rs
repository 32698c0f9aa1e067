//! Sequential tests, promotion, luck and other programs at the command line, from outside.

use crate::support::{Folder, alea, exists, here, number, read};
use std::fs;

const LEDGER: &str = "# Models\n\n| file |\n|---|\n| [old](old.md) |\n<!-- A line for each shipped model goes here. -->\n\nText.\n";

#[test]
fn a_sequential_test_ends_a_match() {
    let play = |sprt: &str| alea!("arena --player greedy --player random --sprt {sprt}");
    let result = play("elo0=0 elo1=60 --json").json();
    let test = &result["sequential_test"];
    assert_eq!(test["verdict"], "accepted");
    assert_eq!(test["elo1"], 60.0);
    assert_eq!(test["model"], "logistic");
    assert!(number(&test["log_likelihood_ratio"]) >= number(&test["upper"]));
    assert!(number(&result["games"]) < 2000.0);
    play("elo0=0 elo1=60 model=normalized count=games beta=0.1")
        .shows(&["SPRT            LLR +", "accepted: elo1 = 60"]);
}

#[test]
fn luck_is_told_by_evaluators_and_players_that_rate_moves() {
    let players = "--player MrBlack(0) --player FarmerBoy(0)";
    let play = |luck: &str| alea!("arena {players} --games 400 --luck '{luck}' --json");
    let result = play("abt").json();
    let luck = &result["luck"];
    assert_eq!(luck["evaluator"], "star1(depth=1, eval=abt)");
    let (raw, adjusted) = (number(&result["score"]), number(&luck["score"]));
    assert!((raw - adjusted).abs() < 0.1, "{result}");
    let deviation = |index: usize| number(&luck["game_deviation"][index]);
    assert!(deviation(1) < 0.7 * deviation(0), "{result}");
    // Exact where tables reach.
    let exact = play("star1(depth=1, eval=abt, tablebase=3)").json();
    assert!(exact["luck"]["score"] != luck["score"] && exact["score"] == result["score"]);
    play("mcts(sims=0)").fails("'sims'");
    play("MrRandom").fails("rates no moves");
}

#[test]
fn a_model_is_promoted_only_if_the_test_accepts() {
    let folder = Folder::new();
    let (ledger, model) = (
        folder.file("README.md", LEDGER),
        folder.at("new.safetensors"),
    );
    let candidate = here("models/quick-network.safetensors");
    let gate = |against: &str, extra: &str| {
        let place = format!("--ledger {ledger} --name new");
        alea!("gate {candidate} --against {against} {place} --sprt elo0=0 elo1=40 {extra}")
    };
    // Against itself every pair is split: not better. Nothing is written.
    let refused = gate(&candidate, "--json");
    assert_eq!(refused.code, 1, "{refused}");
    assert_eq!(refused.lines()[0]["promoted"], false);
    assert_eq!(refused.lines()[0]["match"]["score"], 0.5);
    let undecided = gate("schwarz", "--games 2");
    assert_eq!(undecided.code, 1);
    for part in ["open between", "not promoted"] {
        assert!(undecided.out.contains(part), "{undecided}");
    }
    assert_eq!(read(&ledger), LEDGER);
    assert!(!exists(&model));
    // Better than Schwarz' evaluator.
    let promoted = gate("schwarz", "--json").json();
    assert_eq!(promoted["promoted"], true);
    let test = &promoted["match"]["sequential_test"];
    assert_eq!(test["verdict"], "accepted");
    assert_eq!(fs::read(&model).unwrap(), fs::read(&candidate).unwrap());
    let written = read(&ledger);
    let line = written.lines().find(|line| line.contains("[new]")).unwrap();
    assert_eq!(line.matches('|').count(), 10, "nine columns: {line}");
    for part in ["6b189faf0429f7a9", "152449", "against `schwarz`"] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(written.replace(&format!("{line}\n"), ""), LEDGER);
    // The name is taken now; so is a file of another model.
    gate("schwarz", "").fails("there is a model called new already");
    fs::write(&ledger, LEDGER).unwrap();
    fs::write(&model, "other").unwrap();
    gate("schwarz", "").fails("keeps its file for ever");
    fs::write(&ledger, "no ledger").unwrap();
    fs::remove_file(&model).unwrap();
    gate("schwarz", "").fails("this is no ledger");
    gate("schwarz", "--player star1").fails("no ledger");
}

#[cfg(unix)]
#[test]
fn other_programs_play_and_their_failures_are_losses() {
    let play = |player: &str| {
        let mut alea = crate::support::command("arena --games 8 --json --player");
        crate::support::Ran::of(alea.args([player, "--player", "greedy"]), player, b"")
    };
    let dead = play("external(cmd=\"sh -c 'exit 3'\")").json();
    assert_eq!(dead["wins"], 0);
    assert_eq!(dead["forfeits"][0]["ended with exit status: 3"], 8);
    for (player, problem) in [
        (
            "external(cmd=\"/no/such/program\", ms=50)",
            "character 14: /no/such/program cannot be started",
        ),
        ("external", "needs a program"),
        ("external(cmd=\"a 'b\")", "is no command"),
        ("external(cmd=sh, ms=0)", "'ms' is a number"),
        ("nobody", "; and external"),
    ] {
        play(player).fails(problem);
    }
}
