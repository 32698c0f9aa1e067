//! `alea moves`, `analyse` and `evaluate` from outside: shapes, meanings, and streams.

use crate::support::{
    Folder, MIDDLE, alea, command, has_package, here, json_lines, keys, list, number, read, run,
    word,
};
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
    iter,
    path::Path,
    process::{Command, Stdio},
};

/// Red stands on its goal.
const RED_HAS_WON: &str = "...../...../...../....a/....1";

fn moves(position: &str) -> Value {
    alea!("moves '{position}' --json").json()
}

fn analysed(position: &str, player: &str) -> Value {
    alea!("analyse '{position}' --json --player '{player}'").json()
}

fn evaluated(position: &str, evaluator: &str) -> f64 {
    number(&alea!("evaluate '{position}' --json --eval '{evaluator}'").json()["value"])
}

fn largest<'a>(moves: impl IntoIterator<Item = &'a Value>) -> f64 {
    let values = moves.into_iter().map(|mv| number(&mv["value"]));
    values.fold(0.0, f64::max)
}

#[track_caller]
fn assert_near(a: f64, b: f64, error: f64, what: &str) {
    assert!((a - b).abs() < error, "{what}: {a} is not {b}");
}

#[test]
fn moves_have_the_fixed_shape() {
    let text = format!("{MIDDLE} 1");
    let answer = moves(&text);
    assert_eq!(keys(&answer), "position moves");
    assert_eq!(answer["position"], text.as_str());
    let listed = list(&answer["moves"]);
    assert_eq!(listed.len(), 3);
    for mv in listed {
        assert_eq!(keys(mv), "move position winner");
        assert!(word(&mv["position"]).ends_with(" r -"));
        assert!(mv["winner"].is_null());
    }
    assert_eq!(listed[0]["move"], "c1b2");
    assert_eq!(listed[0]["position"], "215../64.../3...e/.a.fb/...cd r -");
    // Before the roll: three steps of each of six stones.
    let before = moves(&format!("{MIDDLE} -"));
    assert_eq!(list(&before["moves"]).len(), 18);
}

#[test]
fn moves_name_the_winner_and_a_finished_position_has_none() {
    for (position, mv, winner, why) in [
        (
            "...../.a.../...../...../1.... b 4",
            "b4b5",
            json!(null),
            "next to the goal is not on it",
        ),
        (
            "...../.a.../...../...../1.... b 4",
            "b4a5",
            json!("b"),
            "on the goal",
        ),
        (
            "...../a..../...../...1./..... r 1",
            "d2e1",
            json!("r"),
            "on the goal",
        ),
        (
            "...../...../..1../...a./..... r 6",
            "c3d2",
            json!("r"),
            "the last stone is captured",
        ),
    ] {
        let answer = moves(position);
        let found = list(&answer["moves"])
            .iter()
            .find(|found| found["move"] == mv);
        assert_eq!(found.unwrap()["winner"], winner, "{why}");
    }
    for (side, value) in [("r", 1.0), ("b", 0.0)] {
        let text = format!("{RED_HAS_WON} {side} -");
        let answer = moves(&text);
        assert_eq!(keys(&answer), "position moves winner");
        assert_eq!(answer["moves"], json!([]));
        assert_eq!(answer["winner"], "r");
        let answer = analysed(&text, "star1(depth=2)");
        assert_eq!(number(&answer["value"]), value);
        assert_eq!(answer["winner"], "r");
        assert_eq!(answer["best"], Value::Null);
        assert_eq!(answer["moves"], json!([]));
        let answer = alea!("evaluate '{text}' --json --raw").json();
        assert_eq!(keys(&answer), "position value raw winner");
        assert_eq!(number(&answer["value"]), value);
    }
}

#[test]
fn other_games_say_who_has_won_and_how() {
    let asked = |command: &str, game: &str, text: &str| {
        alea!("{command} '{text}' --json --game {game}").json()
    };
    let (havannah, before) = ("havannah(base=4)", "a1 c3 a2 c4 a3 c5");
    let answer = asked("moves", havannah, before);
    let moves = list(&answer["moves"]);
    assert_eq!(keys(&answer), "position moves");
    assert_eq!(moves.len(), 31);
    let over = format!("{before} a4");
    let bridge = json!({ "move": "a4", "position": over, "winner": "1", "kind": ["bridge"] });
    assert_eq!(moves[0], bridge);
    assert_eq!(keys(&moves[1]), "move position winner");
    assert_eq!(moves[1]["winner"], Value::Null);
    for command in ["moves", "analyse", "evaluate"] {
        let answer = asked(command, havannah, &over);
        assert_eq!(answer["winner"], bridge["winner"]);
        assert_eq!(answer["kind"], bridge["kind"]);
    }
    alea!("moves '{before}' --game {havannah}").shows(&["\n  a4    a1 c3 a2 c4 a3 c5 a4  wins\n"]);
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
    assert_eq!(keys(&answer), "position value winner");
    assert_eq!(answer["winner"], json!([1, 2]));
}

#[test]
fn moves_agree_with_an_independent_program() {
    let vectors = json_lines(include_str!("../../../engine/tests/vectors/rules.jsonl"));
    let sample: Vec<Value> = vectors.into_iter().step_by(29).collect();
    assert!(sample.len() > 300);
    let positions = sample.iter().map(|vector| word(&vector["position"]));
    let input: String = positions.flat_map(|position| [position, "\n"]).collect();
    let ran = run("moves - --json", input.as_bytes());
    ran.succeeds();
    let answers = ran.lines();
    assert_eq!(answers.len(), sample.len());
    let mut won = 0;
    for (vector, answer) in iter::zip(&sample, &answers) {
        assert_eq!(vector["position"], answer["position"]);
        let found = list(&answer["moves"]);
        let names: BTreeSet<&str> = found.iter().map(|mv| word(&mv["move"])).collect();
        assert_eq!(names.len(), found.len());
        assert_eq!(names, list(&vector["moves"]).iter().map(word).collect());
        let mut moves = found.iter();
        let played = moves.find(|mv| mv["move"] == vector["played"]).unwrap();
        let red_moved = word(&vector["position"]).contains(" r ");
        let side = if red_moved { "b" } else { "r" };
        let after = format!("{} {side} -", word(&vector["board_after"]));
        assert_eq!(played["position"], after);
        assert_eq!(played["winner"], vector["winner"]);
        won += usize::from(!vector["winner"].is_null());
    }
    assert!(won > 0);
}

#[test]
fn the_variant_decides_what_a_missing_stone_permits() {
    // Rolled 3 with stones 2 and 5 left: classic rules permit both, 'nearest' the 2 alone.
    let of =
        |variant| alea!("moves '2..../.5.../...../...../....a r 3' --json --variant {variant}");
    for (variant, count) in [("classic", 6), ("nearest", 3)] {
        assert_eq!(list(&of(variant).json()["moves"]).len(), count, "{variant}");
    }
    of("other").is_wrong_usage();
}

#[test]
fn streams_answer_line_by_line_and_outlive_bad_lines() {
    let good = format!("{MIDDLE} 1");
    let huge = "a".repeat(1_000_000);
    let mut input = format!("{good}\r\n\nnonsense\n").into_bytes();
    input.extend(b"\xff\xfe\n");
    input.extend(format!("{huge}\n{good}").as_bytes());
    for line in [
        "moves - --json",
        "moves -",
        "analyse - --player star1(depth=1)",
        "evaluate -",
    ] {
        let ran = run(line, &input);
        assert_eq!(ran.code, 1);
        let answers = ran.lines();
        let is_error = answers.iter().map(|answer| answer.get("error").is_some());
        let is_error: Vec<bool> = is_error.collect();
        assert_eq!(is_error, [false, true, true, true, true, false]);
        let positions = [&good, "", "nonsense", "\u{fffd}\u{fffd}", &huge, &good];
        for (answer, position) in iter::zip(&answers, positions) {
            // What is longer than any position is neither kept nor repeated.
            let found = word(&answer["position"]);
            let is_short = position.len() < 80 && found == position;
            assert!(is_short || (found.starts_with("aaa") && found.len() < 100));
        }
        assert_eq!(keys(&answers[1]), "position error");
        let repeated = word(&answers[4]["error"]);
        assert!(repeated.len() < 300, "the line is not repeated");
    }
    let nothing = alea!("moves -");
    nothing.succeeds();
    assert_eq!(nothing.out, "");
    let twice = run("evaluate -", format!("{good}\n{good}\n").as_bytes());
    assert_eq!(twice.lines().len(), 2);
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let mut child = command("moves -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        // Fails as soon as the command ends.
        let _ = input.write_all(format!("{MIDDLE} 1\n").repeat(10_000).as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
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
            assert!(told(&answer).starts_with("position value best moves "));
            let moves = list(&answer["moves"]);
            let best = moves.iter().find(|mv| mv["move"] == answer["best"]);
            assert_eq!(answer["value"], best.unwrap()["value"]);
            assert!(number(&answer["nodes"]) > 0.0);
            if !player.starts_with("mcts") {
                assert_eq!(number(&answer["value"]), largest(moves));
                rolled.push(largest(moves));
            }
        }
        let answer = analysed(&format!("{MIDDLE} -"), player);
        let moves = list(&answer["moves"]);
        assert_eq!(answer["best"], Value::Null);
        assert_eq!(moves.len(), 18);
        // Every stone lives, so each face permits the three moves of its stone, which are
        // neighbours in the list.
        let expectation = moves.chunks(3).map(largest).sum::<f64>() / 6.0;
        assert_near(number(&answer["value"]), expectation, 1e-6, player);
        if !rolled.is_empty() {
            assert_near(rolled.iter().sum::<f64>() / 6.0, expectation, 1e-6, player);
        }
    }
}

/// What is always told; what a value has been worth in whole games only where somebody fitted it.
fn told(answer: &Value) -> String {
    let told = keys(answer);
    let always: Vec<&str> = told.split(' ').filter(|&key| key != "calibrated").collect();
    always.join(" ")
}

#[test]
fn a_monte_carlo_player_shows_its_tree() {
    let (rolled, player) = (
        format!("{MIDDLE} 1"),
        "mcts(sims=2000, select=puct, prior=schwarz)",
    );
    let answer = analysed(&rolled, player);
    assert!(told(&answer).starts_with("position value best moves line "));
    let tree = &answer["tree"];
    assert_eq!(tree["simulations"], 2000);
    assert_eq!(tree["full"], false);
    assert!(number(&tree["positions"]) > 10.0 && number(&tree["depth"]) > 2.0);
    let (mut visits, mut priors) = (0.0, 0.0);
    for mv in list(&answer["moves"]) {
        assert_eq!(told(mv), "move value visits lower upper prior");
        let [lower, value, upper] = ["lower", "value", "upper"].map(|key| number(&mv[key]));
        assert!(lower <= value && value <= upper, "{mv}");
        visits += number(&mv["visits"]);
        priors += number(&mv["prior"]);
    }
    assert_eq!(visits, 2000.0);
    assert_near(priors, 1.0, 1e-4, "priors");
    // Without a prior there is none, and other searches have no tree.
    let answer = analysed(&format!("{MIDDLE} -"), "mcts(sims=500)");
    let shape = "move value visits lower upper";
    assert_eq!(told(&answer["moves"][0]), shape);
    let answer = analysed(&rolled, "star1(depth=2)");
    assert_eq!(told(&answer["moves"][0]), "move value");
    assert_eq!(answer.get("tree"), None);
    // As text: one line a move, all equally long up to the best one's mark.
    let ran = alea!("analyse '{rolled}' --player '{player}'");
    let lines = ran
        .out
        .lines()
        .skip_while(|line| !line.starts_with("  move"));
    let lines: Vec<&str> = lines.take(4).collect();
    let heading = "  move   value      visits   prior  at least  at most";
    assert_eq!(lines[0], heading);
    for line in lines {
        assert_eq!(
            line.trim_end_matches("  best").len(),
            heading.len(),
            "{ran}"
        );
    }
    ran.shows(&["\n  line c1", "2000 simulations, "]);
}

#[test]
fn the_expectation_knows_what_missing_stones_permit() {
    // Red has 2 and 5. Classic: faces 1, 2 move the 2; 3, 4 either; 5, 6 the 5. Nearest: 1-3 the 2,
    // 4-6 the 5.
    let text = "2..../.5.../...../...d./..b.. r -";
    for (variant, faces) in [("classic", [2.0, 2.0, 2.0]), ("nearest", [3.0, 0.0, 3.0])] {
        let ran = alea!("analyse '{text}' --json --player star1(depth=3) --variant {variant}");
        let answer = ran.json();
        let best_of = |from: &str| {
            let moves = list(&answer["moves"]).iter();
            largest(moves.filter(|mv| word(&mv["move"]).starts_with(from)))
        };
        let (two, five) = (best_of("a5"), best_of("b4"));
        let expectation = (faces[0] * two + faces[1] * two.max(five) + faces[2] * five) / 6.0;
        assert_near(number(&answer["value"]), expectation, 1e-6, variant);
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
                let pairs = iter::zip(list(&textbook["moves"]), list(&other["moves"]));
                for (one, other) in pairs {
                    assert_eq!(one["move"], other["move"]);
                    assert_near(number(&one["value"]), number(&other["value"]), 1e-5, player);
                }
            }
        }
    }
}

#[test]
fn depth_one_asks_the_evaluator_of_each_successor() {
    let position = format!("{MIDDLE} 4");
    let successors = moves(&position);
    for eval in [
        "schwarz",
        "race",
        "abt",
        "farmer_boy",
        "reciprocal",
        "greedy",
    ] {
        let rated = analysed(&position, &format!("star1(depth=1, eval={eval})"));
        for (mv, successor) in iter::zip(list(&rated["moves"]), list(&successors["moves"])) {
            assert_eq!(mv["move"], successor["move"]);
            let value = 1.0 - evaluated(word(&successor["position"]), eval);
            assert_near(number(&mv["value"]), value, 1e-6, eval);
        }
    }
}

#[test]
fn rock_n_rolls_names_mean_the_same_searches_one_ply_deeper() {
    let position = format!("{MIDDLE} 5");
    for (name, search) in [
        ("MrBlack(2)", "star1(depth=3, eval=schwarz)"),
        ("FarmerBoy(1)", "star1(depth=2, eval=farmer_boy)"),
        ("FarmerBoy(0)", "star1(depth=1, eval=farmer_boy)"),
        (
            "MrMonte(0, 20, FarmerBoy(0))",
            "star1(depth=1, eval=mrmonte(20, FarmerBoy(0), FarmerBoy(0)))",
        ),
    ] {
        let (one, other) = (analysed(&position, name), analysed(&position, search));
        for key in ["moves", "best", "value"] {
            assert_eq!(one[key], other[key], "{name}");
        }
    }
    for player in ["MrRandom", "random", "greedy"] {
        let answer = analysed(&position, player);
        let mut moves = list(&answer["moves"]).iter();
        let plays = moves.any(|mv| mv["move"] == answer["best"]);
        assert!(plays, "{player} plays some move");
        assert_eq!(answer["value"], Value::Null, "{player} rates none");
        let before = analysed(&format!("{MIDDLE} -"), player);
        assert_eq!(before["best"], Value::Null);
    }
}

#[test]
fn raw_scores_are_the_published_ones() {
    let start = "123../45.../6...f/...ed/..cba r -";
    // One stone each, Red two steps from its goal and Blue three.
    let lone = |side: &str| format!("...../...../..1../...a./..... {side} -");
    for (position, eval, raw, why) in [
        (start, "schwarz", json!(0.0), "both sides start alike"),
        (
            &lone("r"),
            "schwarz",
            json!(1.0),
            "the difference of expected turns",
        ),
        (
            &lone("b"),
            "schwarz",
            json!(-1.0),
            "the difference of expected turns",
        ),
        (
            &lone("r"),
            "farmer_boy",
            json!(2.0),
            "field values 4 and, by a half turn, 2 for d2",
        ),
        (
            start,
            "race",
            Value::Null,
            "the race is a probability from the start",
        ),
    ] {
        let answer = alea!("evaluate '{position}' --json --raw --eval {eval}").json();
        assert_eq!(told(&answer), "position value raw");
        assert_eq!(answer["raw"].as_f64(), raw.as_f64(), "{why}");
    }
    let plain = alea!("evaluate '{start}' --json").json();
    assert_eq!(told(&plain), "position value");
    // A die says nothing before the roll.
    let of = |die: &str| evaluated(&format!("{MIDDLE} {die}"), "abt");
    assert_eq!(of("3"), of("-"));
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
    if !has_package("numpy") {
        return;
    }
    let folder = Folder::new();
    let suite = read(&here("data/suites/search.txt"));
    let lines = suite.lines().filter(|line| !line.starts_with('#'));
    let positions = lines.filter_map(|line| Some(line.split_once(' ')?.1.trim()));
    let positions: Vec<&str> = positions.collect();
    assert_eq!(positions.len(), 24);
    for model in [
        here("models/quick-ntuple.safetensors"),
        model_of_all_cells(folder.at("cells.safetensors")),
    ] {
        let mut script = Command::new("python3")
            .args([&here("docs/read_model.py"), &model])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = script.stdin.take().unwrap();
        input.write_all(positions.join("\n").as_bytes()).unwrap();
        drop(input);
        let values = String::from_utf8(script.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(values.lines().count(), positions.len());
        for (position, value) in iter::zip(&positions, values.lines()) {
            let expected = evaluated(position, &format!("\"model:{model}\""));
            assert_near(value.parse().unwrap(), expected, 1e-6, position);
        }
    }
}

/// A model with cells of all kinds and three phases, whose weights are no matter.
fn model_of_all_cells(path: String) -> String {
    let cells = [
        "b3 b4 m0 m6",
        "o20 o21 o22 o16",
        "s0 s7",
        "d2 d8 a4",
        "m12 m18 m24 m23",
        "b24",
        "o24 m13",
    ];
    let set = TupleSet::custom(&Standard::default(), &cells).unwrap();
    let set = set.with_phases(&[5, 9]).unwrap();
    let weights = (0..set.rows() as u64)
        .map(|row| (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f32 / 8e6 - 1.0)
        .collect();
    let file = ModelFile {
        provenance: String::new(),
        model: Model::NTuple(NTuple::new(set, weights, 0.25).unwrap()),
    };
    file.save(Path::new(&path)).unwrap();
    path
}
