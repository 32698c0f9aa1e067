//! `alea moves`, `analyse` and `evaluate` from outside: shapes, meanings, and streams.

use crate::support::{MIDDLE, alea, command, fed, keys};
use engine::games::einstein::{
    Standard,
    learned::{
        ntuple::{NTuple, TupleSet},
        weights::{Model, ModelFile},
    },
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::Write,
    process::{Command, Stdio},
};

/// Red stands on its goal.
const RED_HAS_WON: &str = "...../...../...../....a/....1";

fn number(object: &Value) -> f64 {
    object
        .as_f64()
        .unwrap_or_else(|| panic!("{object} is no number"))
}

fn analysed(position: &str, player: &str) -> Value {
    alea(&["analyse", position, "--json", "--player", player]).json()
}

fn evaluated(position: &str, evaluator: &str) -> f64 {
    number(&alea(&["evaluate", position, "--json", "--eval", evaluator]).json()["value"])
}

#[test]
fn moves_have_the_fixed_shape() {
    let text = format!("{MIDDLE} 1");
    let answer = alea(&["moves", &text, "--json"]).json();
    assert_eq!(keys(&answer), ["position", "moves"]);
    assert_eq!(answer["position"], text.as_str());
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3);
    for mv in moves {
        assert_eq!(keys(mv), ["move", "position", "winner"]);
        assert!(mv["position"].as_str().unwrap().ends_with(" r -"));
        assert!(mv["winner"].is_null());
    }
    assert_eq!(moves[0]["move"], "c1b2");
    assert_eq!(moves[0]["position"], "215../64.../3...e/.a.fb/...cd r -");
    // Before the roll: three steps of each of six stones.
    assert_eq!(
        alea(&["moves", &format!("{MIDDLE} -"), "--json"]).json()["moves"]
            .as_array()
            .unwrap()
            .len(),
        18
    );
}

#[test]
fn moves_name_the_winner_and_a_finished_position_has_none() {
    let winner = |position: &str, mv: &str| {
        let answer = alea(&["moves", position, "--json"]).json();
        answer["moves"]
            .as_array()
            .unwrap()
            .iter()
            .find(|found| found["move"] == mv)
            .unwrap()["winner"]
            .clone()
    };
    assert_eq!(
        winner("...../.a.../...../...../1.... b 4", "b4b5"),
        Value::Null,
        "next to the goal is not on it"
    );
    assert_eq!(winner("...../.a.../...../...../1.... b 4", "b4a5"), "b");
    assert_eq!(winner("...../a..../...../...1./..... r 1", "d2e1"), "r");
    assert_eq!(
        winner("...../...../..1../...a./..... r 6", "c3d2"),
        "r",
        "the last stone is captured"
    );
    for side in ["r", "b"] {
        let text = format!("{RED_HAS_WON} {side} -");
        let answer = alea(&["moves", &text, "--json"]).json();
        assert_eq!(keys(&answer), ["position", "moves", "winner"]);
        assert_eq!(
            (&answer["moves"], &answer["winner"]),
            (&Value::Array(vec![]), &"r".into())
        );
        let value = if side == "r" { 1.0 } else { 0.0 };
        let answer = analysed(&text, "star1(depth=2)");
        assert_eq!(
            (number(&answer["value"]), &answer["winner"], &answer["best"]),
            (value, &"r".into(), &Value::Null)
        );
        assert_eq!(answer["moves"], Value::Array(vec![]));
        let answer = alea(&["evaluate", &text, "--json", "--raw"]).json();
        assert_eq!(keys(&answer), ["position", "value", "raw", "winner"]);
        assert_eq!(number(&answer["value"]), value);
    }
}

#[test]
fn other_games_say_who_has_won_and_how() {
    let asked = |command: &str, game: &str, text: &str| {
        alea(&[command, text, "--json", "--game", game]).json()
    };
    let (havannah, before) = ("havannah(base=4)", "a1 c3 a2 c4 a3 c5");
    let answer = asked("moves", havannah, before);
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(
        (keys(&answer), moves.len()),
        (vec!["position", "moves"], 31)
    );
    let over = format!("{before} a4");
    let bridge = json!({ "move": "a4", "position": over, "winner": "1", "kind": ["bridge"] });
    assert_eq!(moves[0], bridge);
    assert_eq!(keys(&moves[1]), ["move", "position", "winner"]);
    assert_eq!(moves[1]["winner"], Value::Null);
    for command in ["moves", "analyse", "evaluate"] {
        let answer = asked(command, havannah, &over);
        let expected = [&bridge["winner"], &bridge["kind"]];
        assert_eq!([&answer["winner"], &answer["kind"]], expected);
    }
    let told = alea(&["moves", before, "--game", havannah]).out;
    assert!(
        told.contains("\n  a4    a1 c3 a2 c4 a3 c5 a4  wins\n"),
        "{told}"
    );
    // One row turns, which is not enough; then four rows each.
    let rest = "/22222222".repeat(7);
    let answer = asked(
        "moves",
        "reversixt",
        &format!("02222221{rest} play 1 0,0 0,0"),
    );
    assert_eq!(answer["moves"][0]["winner"], json!([2]));
    let rows = ["11111111/".repeat(4), "22222222/".repeat(4)].concat();
    let level = format!("{} end 0 0,0 0,0", rows.trim_end_matches('/'));
    let answer = asked("evaluate", "reversixt", &level);
    assert_eq!(keys(&answer), ["position", "value", "winner"]);
    assert_eq!(answer["winner"], json!([1, 2]));
}

#[test]
fn moves_agree_with_an_independent_program() {
    let vectors = include_str!("../../../engine/tests/vectors/rules.jsonl");
    let sample: Vec<Value> = vectors
        .lines()
        .step_by(29)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(sample.len() > 300);
    let input: String = sample
        .iter()
        .map(|vector| vector["position"].as_str().unwrap().to_owned() + "\n")
        .collect();
    let ran = fed(&["moves", "-", "--json"], input.as_bytes());
    assert_eq!(ran.code, 0);
    let answers = ran.lines();
    assert_eq!(answers.len(), sample.len());
    let mut won = 0;
    for (vector, answer) in sample.iter().zip(&answers) {
        assert_eq!(vector["position"], answer["position"]);
        let found = answer["moves"].as_array().unwrap();
        let names: BTreeSet<&str> = found
            .iter()
            .map(|mv| mv["move"].as_str().unwrap())
            .collect();
        assert_eq!(names.len(), found.len());
        assert_eq!(
            names,
            vector["moves"]
                .as_array()
                .unwrap()
                .iter()
                .map(|mv| mv.as_str().unwrap())
                .collect()
        );
        let played = found
            .iter()
            .find(|mv| mv["move"] == vector["played"])
            .unwrap();
        let side = if vector["position"].as_str().unwrap().contains(" r ") {
            "b"
        } else {
            "r"
        };
        assert_eq!(
            played["position"],
            format!("{} {side} -", vector["board_after"].as_str().unwrap())
        );
        assert_eq!(played["winner"], vector["winner"]);
        won += usize::from(!vector["winner"].is_null());
    }
    assert!(won > 0);
}

#[test]
fn the_variant_decides_what_a_missing_stone_permits() {
    // Rolled 3 with stones 2 and 5 left: classic rules permit both, 'nearest' the 2 alone.
    let text = "2..../.5.../...../...../....a r 3";
    let count = |variant| {
        alea(&["moves", text, "--json", "--variant", variant]).json()["moves"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((count("classic"), count("nearest")), (6, 3));
    assert_eq!(alea(&["moves", text, "--variant", "other"]).code, 2);
}

#[test]
fn streams_answer_line_by_line_and_outlive_bad_lines() {
    let good = format!("{MIDDLE} 1");
    let huge = "a".repeat(1_000_000);
    let mut input = format!("{good}\r\n\nnonsense\n").into_bytes();
    input.extend(b"\xff\xfe\n");
    input.extend(huge.as_bytes());
    input.extend(format!("\n{good}").as_bytes());
    for arguments in [
        &["moves", "-", "--json"][..],
        &["moves", "-"],
        &["analyse", "-", "--player", "star1(depth=1)"],
        &["evaluate", "-"],
    ] {
        let ran = fed(arguments, &input);
        assert_eq!(ran.code, 1);
        let answers = ran.lines();
        assert_eq!(answers.len(), 6);
        let is_error: Vec<bool> = answers
            .iter()
            .map(|answer| answer.get("error").is_some())
            .collect();
        assert_eq!(is_error, [false, true, true, true, true, false]);
        for (answer, position) in
            answers
                .iter()
                .zip([&good, "", "nonsense", "\u{fffd}\u{fffd}", &huge, &good])
        {
            // What is longer than any position is neither kept nor repeated.
            let found = answer["position"].as_str().unwrap();
            let is_short = position.len() < 80 && found == position;
            assert!(is_short || (found.starts_with("aaa") && found.len() < 100));
        }
        assert_eq!(keys(&answers[1]), ["position", "error"]);
        assert!(
            answers[4]["error"].as_str().unwrap().len() < 300,
            "the line is not repeated"
        );
    }
    let nothing = fed(&["moves", "-"], b"");
    assert_eq!((nothing.code, nothing.out.as_str()), (0, ""));
    assert_eq!(
        fed(&["evaluate", "-"], format!("{good}\n{good}\n").as_bytes())
            .lines()
            .len(),
        2
    );
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let mut child = command(&["moves", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        // Fails as soon as the command ends.
        let _ = input.write_all(format!("{MIDDLE} 1\n").repeat(10_000).as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap().as_str()
        ),
        (Some(0), "")
    );
}

#[test]
fn analyse_gives_the_best_move_after_a_roll_and_the_expectation_before_it() {
    for player in [
        "star1(depth=1)",
        "star1(depth=3, eval=race)",
        "unified(depth=2, eval=abt)",
        "textbook(depth=3)",
        "mcts(sims=500)",
    ] {
        let mut rolled = Vec::new();
        for die in 1..=6 {
            let answer = analysed(&format!("{MIDDLE} {die}"), player);
            assert_eq!(told(&answer)[..4], ["position", "value", "best", "moves"]);
            let best = answer["moves"]
                .as_array()
                .unwrap()
                .iter()
                .find(|mv| mv["move"] == answer["best"])
                .unwrap();
            assert_eq!(answer["value"], best["value"]);
            assert!(number(&answer["nodes"]) > 0.0);
            if !player.starts_with("mcts") {
                let largest = answer["moves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|mv| number(&mv["value"]))
                    .fold(0.0, f64::max);
                assert_eq!(number(&answer["value"]), largest);
                rolled.push(largest);
            }
        }
        let answer = analysed(&format!("{MIDDLE} -"), player);
        assert_eq!(
            (&answer["best"], answer["moves"].as_array().unwrap().len()),
            (&Value::Null, 18)
        );
        // Every stone lives, so each face permits the three moves of its stone, which are
        // neighbours in the list.
        let values: Vec<f64> = answer["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mv| number(&mv["value"]))
            .collect();
        let expectation = values
            .chunks(3)
            .map(|stone| stone.iter().copied().fold(0.0, f64::max))
            .sum::<f64>()
            / 6.0;
        assert!(
            (number(&answer["value"]) - expectation).abs() < 1e-6,
            "{player}"
        );
        if !rolled.is_empty() {
            assert!(
                (expectation - rolled.iter().sum::<f64>() / 6.0).abs() < 1e-6,
                "{player}"
            );
        }
    }
}

/// What is always told; what a value has been worth in whole games only where somebody fitted it.
fn told(answer: &Value) -> Vec<&str> {
    let mut told = keys(answer);
    told.retain(|key| *key != "calibrated");
    told
}

#[test]
fn a_monte_carlo_player_shows_its_tree() {
    let answer = analysed(
        &format!("{MIDDLE} 1"),
        "mcts(sims=2000, select=puct, prior=schwarz)",
    );
    assert_eq!(
        told(&answer)[..5],
        ["position", "value", "best", "moves", "line"]
    );
    let tree = &answer["tree"];
    assert_eq!(
        (&tree["simulations"], &tree["full"]),
        (&Value::from(2000), &Value::from(false))
    );
    assert!(number(&tree["positions"]) > 10.0 && number(&tree["depth"]) > 2.0);
    let moves = answer["moves"].as_array().unwrap();
    assert!(
        moves
            .iter()
            .all(|mv| told(mv) == ["move", "value", "visits", "lower", "upper", "prior"]),
        "{answer}"
    );
    assert_eq!(
        moves.iter().map(|mv| number(&mv["visits"])).sum::<f64>(),
        2000.0
    );
    assert!((moves.iter().map(|mv| number(&mv["prior"])).sum::<f64>() - 1.0).abs() < 1e-4);
    assert!(
        moves
            .iter()
            .all(|mv| number(&mv["lower"]) <= number(&mv["value"])
                && number(&mv["value"]) <= number(&mv["upper"]))
    );
    // Without a prior there is none, and other searches have no tree.
    let answer = analysed(&format!("{MIDDLE} -"), "mcts(sims=500)");
    assert_eq!(
        told(&answer["moves"][0]),
        ["move", "value", "visits", "lower", "upper"]
    );
    let answer = analysed(&format!("{MIDDLE} 1"), "star1(depth=2)");
    assert_eq!(
        (told(&answer["moves"][0]), answer.get("tree")),
        (vec!["move", "value"], None)
    );
    // As text: one line a move, all equally long up to the best one's mark.
    let text = alea(&[
        "analyse",
        &format!("{MIDDLE} 1"),
        "--player",
        "mcts(sims=2000, select=puct, prior=schwarz)",
    ])
    .out;
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("  move"))
        .take(4)
        .collect();
    assert_eq!(
        lines[0],
        "  move   value      visits   prior  at least  at most"
    );
    assert!(
        lines
            .iter()
            .all(|line| line.trim_end_matches("  best").len() == lines[0].len()),
        "{text}"
    );
    assert!(
        text.contains("\n  line c1") && text.contains("2000 simulations, "),
        "{text}"
    );
}

#[test]
fn the_expectation_knows_what_missing_stones_permit() {
    // Red has 2 and 5. Classic: faces 1, 2 move the 2; 3, 4 either; 5, 6 the 5. Nearest: 1-3 the 2,
    // 4-6 the 5.
    let text = "2..../.5.../...../...d./..b.. r -";
    for (variant, expected) in [("classic", [2.0, 2.0, 2.0]), ("nearest", [3.0, 0.0, 3.0])] {
        let answer = alea(&[
            "analyse",
            text,
            "--json",
            "--player",
            "star1(depth=3)",
            "--variant",
            variant,
        ])
        .json();
        let best_of = |from: &str| {
            let moves = answer["moves"].as_array().unwrap().iter();
            moves
                .filter(|mv| mv["move"].as_str().unwrap().starts_with(from))
                .map(|mv| number(&mv["value"]))
                .fold(0.0, f64::max)
        };
        let (two, five) = (best_of("a5"), best_of("b4"));
        let expectation =
            (expected[0] * two + expected[1] * two.max(five) + expected[2] * five) / 6.0;
        assert!(
            (number(&answer["value"]) - expectation).abs() < 1e-6,
            "{variant}"
        );
    }
}

#[test]
fn all_searches_agree() {
    for position in [
        format!("{MIDDLE} 2"),
        format!("{MIDDLE} -"),
        "2..../.5.../...../...d./..b.. b 3".to_owned(),
    ] {
        for eval in ["schwarz", "abt", "race"] {
            let textbook = analysed(&position, &format!("textbook(depth=3, eval={eval})"));
            for player in [
                "star1(depth=3, table=0",
                "star1(depth=3, table=1",
                "unified(depth=3",
            ] {
                let other = analysed(&position, &format!("{player}, eval={eval})"));
                assert_eq!(other["best"], textbook["best"]);
                for (one, other) in textbook["moves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .zip(other["moves"].as_array().unwrap())
                {
                    assert_eq!(one["move"], other["move"]);
                    assert!((number(&one["value"]) - number(&other["value"])).abs() < 1e-5);
                }
            }
        }
    }
}

#[test]
fn depth_one_asks_the_evaluator_of_each_successor() {
    for eval in [
        "schwarz",
        "race",
        "abt",
        "farmer_boy",
        "reciprocal",
        "greedy",
    ] {
        let position = format!("{MIDDLE} 4");
        let rated = analysed(&position, &format!("star1(depth=1, eval={eval})"));
        let successors = alea(&["moves", &position, "--json"]).json();
        for (mv, successor) in rated["moves"]
            .as_array()
            .unwrap()
            .iter()
            .zip(successors["moves"].as_array().unwrap())
        {
            assert_eq!(mv["move"], successor["move"]);
            let value = 1.0 - evaluated(successor["position"].as_str().unwrap(), eval);
            assert!((number(&mv["value"]) - value).abs() < 1e-6, "{eval}");
        }
    }
}

#[test]
fn rock_n_rolls_names_mean_the_same_searches_one_ply_deeper() {
    let position = format!("{MIDDLE} 5");
    let same = |one: &str, other: &str| {
        let (one, other) = (analysed(&position, one), analysed(&position, other));
        assert_eq!(
            (&one["moves"], &one["best"], &one["value"]),
            (&other["moves"], &other["best"], &other["value"])
        );
    };
    same("MrBlack(2)", "star1(depth=3, eval=schwarz)");
    same("FarmerBoy(1)", "star1(depth=2, eval=farmer_boy)");
    same("FarmerBoy(0)", "star1(depth=1, eval=farmer_boy)");
    same(
        "MrMonte(0, 20, FarmerBoy(0))",
        "star1(depth=1, eval=mrmonte(20, FarmerBoy(0), FarmerBoy(0)))",
    );
    for player in ["MrRandom", "random", "greedy"] {
        let answer = analysed(&position, player);
        assert!(
            answer["moves"]
                .as_array()
                .unwrap()
                .iter()
                .any(|mv| mv["move"] == answer["best"]),
            "{player} plays some move"
        );
        assert_eq!(answer["value"], Value::Null, "{player} rates none");
        assert_eq!(
            analysed(&format!("{MIDDLE} -"), player)["best"],
            Value::Null
        );
    }
}

#[test]
fn raw_scores_are_the_published_ones() {
    let raw = |position: &str, eval: &str| {
        let answer = alea(&["evaluate", position, "--json", "--raw", "--eval", eval]).json();
        assert_eq!(told(&answer), ["position", "value", "raw"]);
        answer["raw"].clone()
    };
    let start = "123../45.../6...f/...ed/..cba r -";
    assert_eq!(
        number(&raw(start, "schwarz")),
        0.0,
        "both sides start alike"
    );
    // One stone each, Red two steps from its goal and Blue three: the difference of expected turns.
    assert_eq!(
        number(&raw("...../...../..1../...a./..... r -", "schwarz")),
        1.0
    );
    assert_eq!(
        number(&raw("...../...../..1../...a./..... b -", "schwarz")),
        -1.0
    );
    // Field values 4 for Red's stone and, by a half turn, 2 for Blue's on d2.
    assert_eq!(
        number(&raw("...../...../..1../...a./..... r -", "farmer_boy")),
        2.0
    );
    assert_eq!(
        raw(start, "race"),
        Value::Null,
        "the race is a probability from the start"
    );
    assert_eq!(
        told(&alea(&["evaluate", start, "--json"]).json()),
        ["position", "value"]
    );
    // A die says nothing before the roll.
    assert_eq!(
        evaluated(&format!("{MIDDLE} 3"), "abt"),
        evaluated(&format!("{MIDDLE} -"), "abt")
    );
}

#[test]
fn the_race_of_two_lone_stones_is_certain() {
    // d steps for the side to move against d' for the other, and no capture possible: it wins
    // exactly if d <= d'. Nothing but a finished game is quite certain, so that a win now beats one
    // later.
    assert!(evaluated("...../...../....1/a..../..... r -", "race") > 0.99999);
    assert!(evaluated("....1/...../...../a..../..... r -", "race") < 0.00001);
}

#[test]
fn a_script_reads_a_model_and_gives_its_values() {
    let has_numpy = Command::new("python3")
        .args(["-c", "import numpy"])
        .stderr(Stdio::null())
        .status();
    if !has_numpy.is_ok_and(|status| status.success()) {
        eprintln!("skipped: python3 has no package numpy");
        return;
    }
    let here = |path: &str| format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir().unwrap();
    let models = [
        here("models/quick-ntuple.safetensors"),
        model_of_all_cells(directory.path()),
    ];
    let suite = std::fs::read_to_string(here("data/suites/search.txt")).unwrap();
    let positions: Vec<&str> = suite
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once(' ')?.1.trim()))
        .collect();
    assert_eq!(positions.len(), 24);
    for model in models {
        let mut script = Command::new("python3")
            .args([here("docs/read_model.py"), model.clone()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        script
            .stdin
            .take()
            .unwrap()
            .write_all(positions.join("\n").as_bytes())
            .unwrap();
        let values = String::from_utf8(script.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(values.lines().count(), positions.len());
        for (position, value) in positions.iter().zip(values.lines()) {
            let expected = evaluated(position, &format!("\"model:{model}\""));
            assert!(
                (value.parse::<f64>().unwrap() - expected).abs() < 1e-6,
                "{position}: {value} is not {expected}"
            );
        }
    }
}

/// A model with cells of all kinds and three phases, whose weights are no matter.
fn model_of_all_cells(directory: &std::path::Path) -> String {
    let set = TupleSet::custom(
        &Standard::default(),
        &[
            "b3 b4 m0 m6",
            "o20 o21 o22 o16",
            "s0 s7",
            "d2 d8 a4",
            "m12 m18 m24 m23",
            "b24",
            "o24 m13",
        ],
    )
    .unwrap();
    let set = set.with_phases(&[5, 9]).unwrap();
    let weights = (0..set.rows() as u64)
        .map(|row| (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f32 / 8e6 - 1.0)
        .collect();
    let model = Model::NTuple(NTuple::new(set, weights, 0.25).unwrap());
    let path = directory.join("cells.safetensors");
    ModelFile {
        provenance: String::new(),
        model,
    }
    .save(&path)
    .unwrap();
    path.to_str().unwrap().to_owned()
}
