//! The API from outside, without a server: what is said of positions against what follows from the
//! rules, ledgers that add up, and requests that are refused.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use engine::{
    core::{
        game::{Chance, Game},
        random::RandomStream,
    },
    games::{
        einstein::{Standard, tables::shared::shared},
        reversi::Reversi,
    },
    play::playable::Playable,
};
use serde_json::{Value, json};
use web::{answer::answer_text, bounds::Bounds};

const MIDDLE: &str = "215../64.../3...e/...fb/..acd b";

fn ask(request: &Value) -> Value {
    let text = serde_json::to_vec(request).unwrap();
    serde_json::to_value(answer_text(&text, &Bounds::default())).unwrap()
}

fn refused(request: &Value) -> String {
    let answer = ask(request);
    let error = answer["error"].as_str();
    let error = error.unwrap_or_else(|| panic!("not refused: {request}"));
    assert!(!error.contains('\n') && error.len() < 1500, "{error}");
    error.to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value}"))
}

#[track_caller]
fn near(found: f64, wanted: f64, error: f64) {
    assert!((found - wanted).abs() <= error, "{found} is not {wanted}");
}

fn analysed(position: &str, player: &str) -> Value {
    ask(&json!({ "ask": "analyse", "game": "einstein", "position": position, "player": player }))
}

#[test]
fn games_tell_what_may_be_asked_about_them() {
    let games = ask(&json!({ "ask": "games" }));
    let games = list(&games["games"]);
    let names: Vec<&str> = games
        .iter()
        .map(|game| game["name"].as_str().unwrap())
        .collect();
    assert!(
        ["einstein", "reversi", "havannah", "reversixt"]
            .iter()
            .all(|name| names.contains(name)),
        "{names:?}"
    );
    for game in games {
        assert_eq!(
            game["faces"],
            match game["name"].as_str() {
                Some("einstein") => json!([1, 2, 3, 4, 5, 6]),
                _ => json!(null),
            }
        );
        // Every evaluator that is told says something of the start, and every level moves.
        let notation = &game["notation"];
        let start = ask(&json!({ "ask": "new", "game": notation, "seed": 1 }));
        let rolled = ask(
            &json!({ "ask": "roll", "game": notation, "position": start["position"], "seed": 1, "ply": 0 }),
        );
        let evaluators = list(&game["evaluators"]).iter();
        let evaluators: Vec<&Value> = evaluators.map(|one| &one["name"]).collect();
        let values = ask(
            &json!({ "ask": "evaluate", "game": notation, "position": start["position"], "evaluators": evaluators }),
        );
        for value in list(&values["values"]) {
            assert!(
                (0.0..=1.0).contains(&number(&value["value"])),
                "{notation}: {value}"
            );
        }
        for level in list(&game["levels"]).iter().take(3) {
            let moved = ask(
                &json!({ "ask": "move", "game": notation, "position": rolled["position"], "player": level["player"], "seed": 1 }),
            );
            let mut moves = list(&rolled["moves"]).iter();
            assert!(
                moves.any(|one| one["move"] == moved["move"] && one["position"] == moved["position"]),
                "{notation} {level}: {moved}"
            );
        }
    }
}

#[test]
fn a_position_tells_its_moves_and_who_has_won() {
    let position =
        |text: &str| ask(&json!({ "ask": "position", "game": "einstein", "position": text }));
    // The same as `alea moves`: the stone a may go to b1, b2 and so on.
    let rolled = position(&format!("{MIDDLE} 1"));
    let moves = list(&rolled["moves"]);
    assert_eq!((moves.len(), &rolled["face"]), (3, &json!(1)));
    assert_eq!(moves[0]["move"], "c1b2");
    assert_eq!(moves[0]["position"], "215../64.../3...e/.a.fb/...cd r -");
    assert_eq!(
        (&rolled["seat"], &rolled["seat_name"]),
        (&json!(1), &json!("Blue"))
    );
    assert!(rolled["svg"].as_str().unwrap().starts_with("<svg"));
    // Three steps of each of six stones.
    let before = position(&format!("{MIDDLE} -"));
    assert_eq!(
        (list(&before["moves"]).len(), &before["face"]),
        (18, &json!(null))
    );
    let over = position("...../...../...../....a/....1 b -");
    assert_eq!(
        (&over["over"], &over["winner"]),
        (&json!(true), &json!("r"))
    );
    assert!(list(&over["moves"]).is_empty());
}

#[test]
fn the_same_seed_and_ply_give_the_same_roll_and_all_faces_come() {
    let roll = |seed: u64, ply: u64| {
        let position = format!("{MIDDLE} -");
        let asked = json!({ "ask": "roll", "game": "einstein", "position": position, "seed": seed, "ply": ply });
        ask(&asked)["face"].as_u64().unwrap()
    };
    let mut seen = [0; 7];
    for ply in 0..120 {
        assert_eq!(roll(5, ply), roll(5, ply));
        seen[roll(5, ply) as usize] += 1;
    }
    // 20 of each are expected.
    assert!(
        seen[0] == 0 && seen[1..].iter().all(|&times| times > 5),
        "{seen:?}"
    );
    let no_chance = json!({ "ask": "new", "game": "reversi", "seed": 1 });
    let start = ask(&no_chance);
    let rolled = ask(
        &json!({ "ask": "roll", "game": "reversi", "position": start["position"], "seed": 1, "ply": 0 }),
    );
    assert_eq!(start, rolled);
}

#[test]
fn the_faces_are_a_position_before_and_after_its_roll() {
    for player in ["star2(depth=2, eval=schwarz)", "star1(depth=2, eval=best)"] {
        let before = analysed(&format!("{MIDDLE} -"), player);
        let faces = list(&before["faces"]);
        let sum = |of: &dyn Fn(&Value) -> f64| faces.iter().map(of).sum::<f64>();
        near(sum(&|face| number(&face["weight"])), 1.0, 1e-12);
        let mean = sum(&|face| number(&face["weight"]) * number(&face["value"]));
        near(number(&before["value"]), mean, 1e-12);
        for face in faces {
            let text = format!("{MIDDLE} {}", face["face"]);
            let after = analysed(&text, player);
            near(number(&after["value"]), number(&face["value"]), 1e-6);
            assert_eq!(after["best"], face["best"]);
            // The roll permits what the rules permit, and the faces are told all the same.
            let rules = ask(&json!({ "ask": "position", "game": "einstein", "position": text }));
            let names = |of: &Value| -> Vec<Value> {
                list(&of["moves"])
                    .iter()
                    .map(|one| one["move"].clone())
                    .collect()
            };
            assert_eq!(names(&after), names(&rules));
            assert_eq!(list(&after["faces"]).len(), 6);
        }
    }
}

#[test]
fn endgames_are_exact() {
    let game = Standard::default();
    let tables = shared(4, game.variant()).unwrap();
    for text in [
        "...../.1.../...../...../...fa r -",
        "..1../2..../....b/...a./..... b -",
    ] {
        let answer = analysed(text, "star1(depth=1)");
        assert_eq!(answer["exact"], true);
        let (position, _) = game.parse_position(text).unwrap();
        let probe = tables.probe_within(&game, &position, 0).unwrap();
        near(number(&answer["value"]), probe.value.into(), 4e-5);
        for (face, known) in list(&answer["faces"]).iter().zip(&probe.faces) {
            near(number(&face["value"]), known.value.into(), 4e-5);
        }
    }
}

/// Random games as a request tells them.
fn random_game<G: Playable>(game: &G, seed: u64) -> (Value, f64) {
    let mut random = RandomStream::new(seed);
    let start = game.random_start(&mut random, (seed % 2) as usize);
    let mut luck = game.luck(seed);
    let (mut position, mut plies) = (start, Vec::new());
    while game.payoffs(&position).is_none() {
        let (face, moves) = luck.draw(game, &position);
        let mv = moves[random.below(moves.len())];
        let mut ply = json!({ "move": game.format_move(&position, mv) });
        if G::NAME == "einstein" {
            ply["face"] = face.into();
        }
        plies.push(ply);
        position = game.play(&position, mv);
    }
    let result = game.payoff(&position, 0).unwrap();
    let request = json!({
        "ask": "judge", "game": G::NAME, "start": game.format_position(&start, None),
        "plies": plies, "player": "star1(depth=1)",
    });
    (request, result.into())
}

/// What must hold of every ledger of a game that was played to its end.
fn adds_up(ledger: &Value, result: f64) {
    assert!(ledger["error"].is_null(), "{ledger}");
    near(number(&ledger["result"]), result, 0.0);
    near(number(&ledger["balance"]), 0.0, 1e-6);
    let (mut sum, mut luck, mut errors) = (number(&ledger["start_value"]), [0.0; 2], [0.0; 2]);
    let plies = list(&ledger["plies"]);
    for (number_of, ply) in plies.iter().enumerate() {
        let [before, rolled, after, lucky, error, drift] =
            ["before", "rolled", "after", "luck", "error", "drift"].map(|key| number(&ply[key]));
        let seat = ply["seat"].as_u64().unwrap() as usize;
        let sign = if seat == 0 { 1.0 } else { -1.0 };
        assert!(error >= 0.0);
        near(lucky, rolled - before, 1e-12);
        near(rolled - sign * error, after, 1e-12);
        let next = plies
            .get(number_of + 1)
            .map_or(result, |next| number(&next["before"]));
        near(drift, next - after, 1e-12);
        luck[seat] += sign * lucky;
        errors[seat] += error;
        sum += lucky - sign * error + drift;
        let verdict = match error {
            0.16.. => "blunder",
            0.08.. => "error",
            0.04.. => "doubtful",
            _ => "",
        };
        assert_eq!(ply["verdict"], verdict);
    }
    near(sum, result, 1e-6);
    for seat in 0..2 {
        near(number(&ledger["luck"][seat]), luck[seat], 1e-9);
        near(number(&ledger["errors"][seat]), errors[seat], 1e-9);
    }
}

#[test]
fn ledgers_of_random_games_of_einstein_add_up_and_endgames_have_no_drift() {
    let game = Standard::default();
    let tables = shared(4, game.variant()).unwrap();
    let mut endgame_plies = 0;
    for seed in 0..50 {
        let (request, result) = random_game(&game, seed);
        let ledger = ask(&request);
        adds_up(&ledger, result);
        // From the tables on, every error is the exact price.
        let (mut position, _) = game
            .parse_position(request["start"].as_str().unwrap())
            .unwrap();
        for ply in list(&ledger["plies"]) {
            let mv = game
                .parse_move(&position, ply["move"].as_str().unwrap())
                .unwrap();
            if position.stones() <= 4 {
                endgame_plies += 1;
                near(number(&ply["drift"]), 0.0, 4e-5);
                let probe = tables.probe_within(&game, &position, 0).unwrap();
                let face = ply["face"].as_u64().unwrap() as usize - 1;
                let value = probe
                    .moves
                    .iter()
                    .find(|(other, _)| *other == mv)
                    .unwrap()
                    .1;
                let price = f64::from(probe.faces[face].value) - f64::from(value);
                near(number(&ply["error"]), price, 1e-6);
            }
            position = game.play(&position, mv);
        }
    }
    assert!(endgame_plies > 20, "{endgame_plies}");
}

#[test]
fn ledgers_of_random_games_of_reversi_add_up_without_luck() {
    let game = Reversi::from_notation("reversi", None).unwrap();
    for seed in 0..50 {
        let (request, result) = random_game(&game, seed);
        let ledger = ask(&request);
        adds_up(&ledger, result);
        assert_eq!(ledger["luck"], json!([0.0, 0.0]));
        assert_eq!(ledger["over"], true);
    }
}

#[test]
fn a_game_may_be_judged_before_its_end_and_a_wrong_ply_is_named() {
    let game = Standard::default();
    let (mut request, _) = random_game(&game, 3);
    let plies = request["plies"].as_array_mut().unwrap();
    plies.truncate(4);
    let ledger = ask(&request);
    assert_eq!(ledger["over"], false);
    near(number(&ledger["balance"]), 0.0, 1e-6);
    let mut wrong = request.clone();
    wrong["plies"][2]["move"] = "a1a1".into();
    assert!(refused(&wrong).starts_with("ply 3: "));
    let mut wrong = request.clone();
    wrong["plies"][1]["face"] = 9.into();
    assert!(refused(&wrong).starts_with("ply 2: "));
    let mut wrong = request.clone();
    wrong["player"] = "random".into();
    assert!(refused(&wrong).contains("rates no moves"));
    request["plies"] = vec![json!({ "face": 1, "move": "a1b2" }); 601].into();
    assert!(refused(&request).contains("601 plies are more than the 600"));
}

#[test]
fn requests_name_no_programs_no_files_and_no_more_than_the_bounds() {
    for player in [
        "external(cmd=\"touch /tmp/x\")",
        "model:models/integer-1.safetensors",
        "star2(depth=2, eval=model:models/integer-1.safetensors)",
        "star2(depth=2, eval=\"model:/etc/passwd\")",
        "star2(2, model:x)",
        "mcts(sims=10, leaf=mix(0.5, model:x))",
        "mcts(sims=10, leaf=star(1, model:x))",
        "mcts(sims=10, prior=model:x)",
        "mcts(sims=10, playout=havannah(patterns=/etc/passwd))",
        "rollout(model:x)",
        "MrMonte(0, 1000000, external(x))",
        "star2(depth=2, tablebase=6)",
        "star2(depth=127)",
        "star2(depth=0)",
        "star2(depth=nan)",
        "star2(depth=2, threads=256)",
        "star2(ms=60000)",
        "star2(cpu_ms=1e300)",
        "star2(clock=1000+1)",
        "star2(depth=3, table=4096)",
        "star2(depth=3, eval=mrmonte(iterations=100000))",
        "mcts(sims=1000000000)",
        "mcts(sims=10, memory=100000)",
        "mcts(ms=1000, ponder=on)",
        "rollout(games=1000000)",
        "unified(depth=30)",
        "textbook(depth=30)",
        "star2(2, schwarz, 3)",
        "nobody",
        "",
        "star2((((",
    ] {
        let error = refused(
            &json!({ "ask": "analyse", "game": "einstein", "position": format!("{MIDDLE} -"), "player": player }),
        );
        assert!(error.starts_with("player '"), "{player}: {error}");
        let moved = json!({ "ask": "move", "game": "einstein", "position": format!("{MIDDLE} 1"), "player": player, "seed": 1 });
        assert_eq!(refused(&moved), error);
    }
    let values = ask(&json!({
        "ask": "evaluate", "game": "einstein", "position": format!("{MIDDLE} -"),
        "evaluators": ["model:/etc/passwd", "mrmonte", "schwarz", "best(x=1)", "random(seed=3)"],
    }));
    let says: Vec<bool> = list(&values["values"])
        .iter()
        .map(|one| one["error"].is_null())
        .collect();
    assert_eq!(says, [false, false, true, false, true]);
    for game in [
        "reversixt(map=/etc/passwd)",
        "reversixt(/etc/passwd)",
        "go",
        "",
        "havannah(base=99)",
        "einstein(variant=model:x)",
    ] {
        refused(&json!({ "ask": "new", "game": game, "seed": 1 }));
    }
}

#[test]
fn a_wrong_request_is_one_clear_line() {
    let error = refused(&json!({ "ask": "games", "gmae": 1 }));
    assert!(error.contains("gmae"), "{error}");
    let error = refused(&json!({ "ask": "new", "game": "einstein", "seed": 1, "more": 2 }));
    assert!(error.contains("more"), "{error}");
    refused(&json!({ "ask": "fly" }));
    refused(&json!([]));
    let error = refused(&json!({ "ask": "position", "game": "einstein", "position": "x" }));
    assert!(error.starts_with("position 'x': "), "{error}");
    let error = refused(
        &json!({ "ask": "move", "game": "einstein", "position": format!("{MIDDLE} -"), "player": "random", "seed": 1 }),
    );
    assert!(error.contains("before the roll"), "{error}");
}

#[test]
fn puzzles_have_one_best_move_by_the_tables_which_is_missed_without_search() {
    let game = Standard::default();
    let tables = shared(4, game.variant()).unwrap();
    let puzzle =
        |number: u64| ask(&json!({ "ask": "puzzle", "game": "einstein", "number": number }));
    let count = puzzle(0)["count"].as_u64().unwrap();
    assert!(count >= 300);
    assert_eq!(puzzle(count + 7), puzzle(7));
    for number in 0..count {
        let puzzle = puzzle(number);
        let text = puzzle["position"].as_str().unwrap();
        let moves = list(&puzzle["moves"]);
        let value = |place: usize| self::number(&moves[place]["value"]);
        assert_eq!(puzzle["best"], moves[0]["move"]);
        assert!(value(0) - value(1) > 0.05, "{puzzle}");
        let guess = json!({ "ask": "move", "game": "einstein", "position": text, "seed": 1, "player": "star1(depth=1, eval=best)" });
        let (position, face) = game.parse_position(text).unwrap();
        assert_ne!(ask(&guess)["move"], puzzle["best"], "{text}");
        if position.stones() > 4 {
            continue;
        }
        let probe = tables.probe_within(&game, &position, 0).unwrap();
        let face = &probe.faces[usize::from(face.unwrap()) - 1];
        near(value(0), face.value.into(), 1e-5);
        assert_eq!(game.format_move(&position, face.best[0]), puzzle["best"]);
    }
    assert!(
        refused(&json!({ "ask": "puzzle", "game": "reversi", "number": 0 })).contains("no puzzles")
    );
}

#[test]
fn the_best_set_ups_are_of_the_list_and_differ_by_the_seed() {
    let start = |seed: u64| {
        ask(&json!({ "ask": "new", "game": "einstein", "seed": seed, "best": true }))["position"]
            .clone()
    };
    // The first line of data/setups/best.txt is 145236:145236, over a5 b5 c5 a4 b4 a3.
    assert_eq!(start(0), "145../23.../6...f/...cb/..eda r -");
    assert_ne!(start(0), start(1));
}
