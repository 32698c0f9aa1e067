//! The API without a server: examples of the documentation, values against the rules, sums of
//! reviews, and refused requests (`refused.jsonl`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use engine::{
    core::{game::ChanceSource, random::RandomStream},
    games::{
        einstein::{Standard, tables::shared_tables::shared_tables},
        reversi::Reversi,
        reversixt::ReversiXt,
    },
    play::{
        build::PlayerRecipe,
        playable::{Playable, Rules as _},
    },
    search::limits::Limits,
};
use serde_json::{Deserializer, Map, Value, json};
use web::{
    answer::{answer, answer_each},
    api_types::{GameReview, PlayedPly},
    limits::RequestLimits,
    position_values::{MoveValuer, has_chance},
    review::review,
};

const REVERSI: &str = "---------------------------OX------XO---------------------------";
const MIDDLE: &str = "215../64.../3...e/...fb/..acd b";

fn answer_to(request: &Value) -> Value {
    answer(request.to_string().as_bytes(), &RequestLimits::default())
}

fn answer_of_einstein(mut request: Value) -> Value {
    request["game"] = "einstein".into();
    answer_to(&request)
}

fn reversixt_start() -> String {
    let new = answer_to(&json!({ "ask": "new", "game": "reversixt(map=three)", "seed": 1 }));
    new["position"].as_str().unwrap().to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value}"))
}

#[track_caller]
fn assert_near(found: f64, expected: f64, error: f64) {
    assert!(
        (found - expected).abs() <= error,
        "{found} is not {expected}"
    );
}

fn matches_example(answer: &Value, example: &Value) -> bool {
    match example {
        Value::Object(keys) => keys
            .iter()
            .all(|(key, example)| matches_example(&answer[key], example)),
        Value::Array(all) => {
            let found = |example| list(answer).iter().any(|one| matches_example(one, example));
            all.iter().all(found)
        }
        Value::Number(_) => (number(answer) - number(example)).abs() < 1.1e-5,
        Value::String(text) => {
            let (begin, end) = text.split_once('…').unwrap_or((text, ""));
            let answer = answer.as_str().unwrap_or_default();
            answer.starts_with(begin)
                && (text.contains('…') || *answer == *text)
                && answer.ends_with(end)
        }
        other => answer == other,
    }
}

#[test]
fn answers_match_the_examples() {
    for line in include_str!("answers.jsonl").lines() {
        let [request, example]: [Value; 2] = serde_json::from_str(line).unwrap();
        let answer = answer_to(&request);
        assert!(
            matches_example(&answer, &example),
            "{example}\nis not\n{answer}"
        );
    }
    let blocks = include_str!("../../docs/reference/api.md")
        .split("```json\n")
        .skip(1);
    let mut compared = 0;
    for block in blocks.map(|block| block.split("```").next().unwrap()) {
        let values = Deserializer::from_str(block).into_iter::<Value>();
        let values: Vec<Value> = values.collect::<Result<_, _>>().unwrap();
        let (example, requests) = values.split_last().unwrap();
        let answers: Vec<Value> = requests.iter().map(answer_to).collect();
        let is_refused = |answer: &Value| !answer["error"].is_null();
        assert!(!answers.iter().any(is_refused), "{answers:?}");
        let is_it = |answer: &Value| matches_example(answer, example);
        assert!(
            answers.is_empty() || answers.iter().any(is_it),
            "{example}\nis not in\n{answers:?}"
        );
        compared += usize::from(!answers.is_empty());
    }
    assert_eq!(compared, 7);
}

#[test]
fn every_game_has_eight_to_ten_levels_that_move() {
    for game in list(&answer_to(&json!({ "ask": "games" }))["games"]) {
        let notation = &game["notation"];
        let levels = list(&game["levels"]);
        // The example game keeps the default of a game whose levels nobody has measured.
        let expected = if notation == "columns" { 3..=3 } else { 8..=10 };
        assert!(expected.contains(&levels.len()), "{notation}: {levels:?}");
        let new = answer_to(&json!({ "ask": "new", "game": notation, "seed": 1 }));
        let start = json!({ "game": notation, "position": new["position"], "seed": 1, "ply": 0 });
        let asked = |ask: &str, position: &Value, player: &Value| {
            let mut request = start.clone();
            request["ask"] = ask.into();
            request["position"] = position.clone();
            if !player.is_null() {
                request.as_object_mut().unwrap().remove("ply");
                request["player"] = player.clone();
            }
            answer_to(&request)
        };
        let rolled = asked("roll", &new["position"], &Value::Null);
        let moves = list(&rolled["moves"]);
        // The strongest levels take long on large boards.
        for level in levels.iter().take(5) {
            let answer = asked("move", &rolled["position"], &level["player"]);
            let is_it = |one: &Value| one["move"] == answer["move"];
            assert!(moves.iter().any(is_it), "{notation}, {level}: {answer}");
        }
        // All of them are permitted.
        let mut last = new["position"].clone();
        for ply in 0.. {
            let rolled = answer_to(
                &json!({ "ask": "roll", "game": notation, "position": last, "seed": 1, "ply": ply }),
            );
            match list(&rolled["moves"]) {
                [] => break,
                moves => last = moves[ply % moves.len()]["position"].clone(),
            }
        }
        for level in levels {
            let answer = answer_to(
                &json!({ "ask": "analyse", "game": notation, "position": last, "player": level["player"] }),
            );
            assert!(answer["error"].is_null(), "{notation}, {level}: {answer}");
        }
    }
}

#[test]
fn requests_name_no_programs_no_files_no_more_than_the_bounds_and_nothing_unknown() {
    for line in include_str!("refused.jsonl").lines() {
        let mut request = json!({ "ask": "analyse", "game": "einstein",
            "position": format!("{MIDDLE} -"), "player": "star1(depth=1)" });
        let mut expected_error = "player '".to_owned();
        let changes: Map<String, Value> = serde_json::from_str(line).unwrap();
        for (key, value) in changes {
            match (key.as_str(), value) {
                ("says", part) => part.as_str().unwrap().clone_into(&mut expected_error),
                (key, Value::Null) => drop(request.as_object_mut().unwrap().remove(key)),
                ("times", times) => {
                    let plies = request["plies"].as_array_mut().unwrap();
                    plies.resize(times.as_u64().unwrap() as usize, plies[0].clone());
                }
                (key, value) => request[key] = value,
            }
        }
        let answer = answer_to(&request);
        let error = answer["error"]
            .as_str()
            .unwrap_or_else(|| panic!("not refused: {request}"));
        assert!(error.contains(&expected_error), "{request}: {error}");
        assert!(!error.contains('\n') && error.len() < 1500, "{error}");
    }
    let values = answer_of_einstein(
        json!({ "ask": "evaluate", "position": format!("{MIDDLE} -"),
        "evaluators": ["model:/etc/passwd", "mrmonte", "schwarz", "best(x=1)", "random(seed=3)"] }),
    );
    let values = list(&values["values"]).iter();
    let is_allowed: Vec<bool> = values.map(|one| one["error"].is_null()).collect();
    assert_eq!(is_allowed, [false, false, true, false, true]);
}

fn answers_of_stream(request: &Value) -> (Vec<Value>, Value) {
    let mut depths = Vec::new();
    let mut receive = |answer: &Value, _| {
        depths.push(answer.clone());
        true
    };
    let text = request.to_string();
    answer_each(
        text.as_bytes(),
        &RequestLimits::default(),
        &Limits::NONE,
        &mut receive,
    );
    let last = depths.pop().unwrap();
    (depths, last)
}

#[test]
fn a_stream_has_the_values_of_each_depth_and_ends_when_nobody_receives_it() {
    let values = |answer: &Value| {
        let moves = list(&answer["moves"]).iter();
        let moves = moves.map(|rated| number(&rated["value"]));
        [number(&answer["value"])]
            .into_iter()
            .chain(moves)
            .collect()
    };
    for (game, position, player, max) in [
        ("einstein", format!("{MIDDLE} 2"), "star2(eval=schwarz", 4),
        ("einstein", format!("{MIDDLE} -"), "star1(table=0", 3),
        ("reversi", format!("{REVERSI} X"), "star2(threads=2", 5),
        (
            "reversixt(map=three)",
            reversixt_start(),
            "maxn(eval=random",
            3,
        ),
        (
            "reversixt(map=three)",
            reversixt_start(),
            "bestreply(eval=random",
            3,
        ),
    ] {
        let request = |depth: u32, stream| {
            json!({ "ask": "analyse", "game": game, "position": position,
                    "player": format!("{player}, depth={depth})"), "stream": stream })
        };
        let (depths, last) = answers_of_stream(&request(max, true));
        let numbers: Vec<u64> = depths
            .iter()
            .map(|one| one["depth"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, Vec::from_iter(1..u64::from(max)), "{player}");
        for (depth, found) in (1..).zip(depths.iter().chain([&last])) {
            let alone = answer_to(&request(depth, false));
            let [found, alone]: [Vec<f64>; 2] = [found, &alone].map(values);
            assert_eq!(found.len(), alone.len());
            for (found, alone) in found.into_iter().zip(alone) {
                assert_near(found, alone, 1e-6);
            }
        }
        let mut received = 0;
        let mut receive = |_: &Value, is_last| {
            received += 1;
            is_last
        };
        let text = request(max, true).to_string();
        let limits = RequestLimits::default();
        answer_each(text.as_bytes(), &limits, &Limits::NONE, &mut receive);
        assert_eq!(received, 2, "{player}");
    }
}

#[test]
fn the_moves_of_one_roll_have_the_same_values_without_those_of_others() {
    for (game, position, player) in [
        ("einstein", format!("{MIDDLE} 2"), "star1(depth=3, table=0)"),
        (
            "backgammon",
            "4HPwATDgc/ABMA w 31".to_owned(),
            "star1(depth=1, table=0)",
        ),
    ] {
        let mut request = json!({ "ask": "analyse", "game": game, "position": position,
                                  "player": player, "stream": true });
        let (depths_of_all, all) = answers_of_stream(&request);
        request["faces"] = false.into();
        let (depths, one) = answers_of_stream(&request);
        assert_eq!(depths.len(), depths_of_all.len());
        for (one, all) in depths
            .iter()
            .chain([&one])
            .zip(depths_of_all.iter().chain([&all]))
        {
            for key in ["value", "best", "moves", "results"] {
                assert_eq!(one[key], all[key], "{game}: {key}");
            }
            assert!(list(&all["faces"]).len() > 1 && one["faces"].is_null());
            assert!(number(&one["nodes"]) < number(&all["nodes"]), "{game}");
        }
    }
}

fn review_of_random_game<G: Playable>(
    game: &G,
    seed: u64,
    player: &str,
) -> (GameReview, Vec<G::Position>) {
    let mut random = RandomStream::new(seed);
    let mut position = game.random_start(&mut random, (seed % 2) as usize);
    let mut luck = game.chance(seed);
    let (mut positions, mut plies) = (vec![position], Vec::new());
    while game.payoffs(&position).is_none() {
        let (face, moves) = luck.draw(game, &position);
        let mv = moves[random.below(moves.len())];
        plies.push(PlayedPly {
            face: has_chance::<G>().then_some(face),
            mv: game.format_move(&position, mv),
        });
        position = game.play(&position, mv);
        positions.push(position);
    }
    let recipe = PlayerRecipe::parse(player, game).unwrap();
    let mut valuer = MoveValuer::new(game, &recipe);
    let ledger = review(game, positions[0], &plies, None, &mut valuer, None).unwrap();
    assert_near(ledger.balance, 0.0, 1e-6);
    assert!(ledger.over);
    for (seat, account) in ledger.seats.iter().enumerate() {
        let (mut value, mut luck, mut errors, mut others) = (account.start, 0.0, 0.0, 0.0);
        for ply in &ledger.plies {
            assert_near(ply.before[seat], value, 1e-9);
            value = ply.after[seat] + ply.drift[seat];
            let brought = ply.rolled[seat] - ply.before[seat];
            let lost = ply.rolled[seat] - ply.after[seat];
            if ply.seat != seat {
                others += brought - lost;
                continue;
            }
            assert_near(ply.luck, brought, 1e-12);
            assert_near(ply.error, lost, 1e-12);
            assert!(lost >= 0.0, "an error below 0: {ply:?}");
            luck += brought;
            errors += lost;
        }
        let result = game.payoff(&position, seat).unwrap().into();
        assert_near(value, result, 1e-6);
        assert_near(account.result, result, 0.0);
        assert_near(account.luck, luck, 1e-9);
        assert_near(account.errors, errors, 1e-9);
        assert_near(account.others, others, 1e-9);
        let sum = account.start + luck - errors + others + account.drift;
        assert_near(sum, result, 1e-6);
    }
    (ledger, positions)
}

#[test]
fn ledgers_of_random_games_of_einstein_add_up_and_endgames_have_no_drift() {
    let game = Standard::default();
    let tables = shared_tables(4, game.variant()).unwrap();
    let mut endgame_plies = 0;
    for seed in 0..50 {
        let (ledger, positions) = review_of_random_game(&game, seed, "star1(depth=1)");
        let plies = ledger.plies.iter().zip(&positions);
        for (ply, position) in plies.filter(|(_, position)| position.num_stones() <= 4) {
            endgame_plies += 1;
            assert_near(ply.drift[0], 0.0, 4e-5);
            let mv = game.parse_move(position, &ply.mv).unwrap();
            let probe = tables.probe_within(&game, position, 0).unwrap();
            let face = usize::from(ply.face.unwrap()) - 1;
            let mut moves = probe.moves.iter();
            let value = moves.find(|(other, _)| *other == mv).unwrap().1;
            let price = f64::from(probe.faces[face].value) - f64::from(value);
            assert_near(ply.error, price, 1e-6);
            assert_near(ply.before[ply.seat], probe.value.into(), 4e-5);
        }
    }
    assert!(endgame_plies > 20, "{endgame_plies}");
}

#[test]
fn ledgers_without_chance_add_up_without_luck_for_two_seats_three_and_four() {
    fn games<G: Playable>(notation: &str, player: &str, count: u64) {
        let game = G::from_notation(notation, None).unwrap();
        for seed in 0..count {
            let (ledger, _) = review_of_random_game(&game, seed, player);
            assert!(ledger.seats.iter().all(|seat| seat.luck == 0.0));
        }
    }
    games::<Reversi>("reversi", "star1(depth=1)", 30);
    games::<ReversiXt>("reversixt(map=three)", "maxn(depth=1)", 4);
    games::<ReversiXt>("reversixt(map=four)", "star1(depth=1)", 4);
}

#[test]
fn puzzles_have_one_best_move_by_the_tables_which_is_missed_without_search() {
    let game = Standard::default();
    let tables = shared_tables(4, game.variant()).unwrap();
    let puzzle = |number: u64| answer_of_einstein(json!({ "ask": "puzzle", "number": number }));
    for number in 0..300 {
        let puzzle = puzzle(number);
        let text = puzzle["position"].as_str().unwrap();
        let moves = list(&puzzle["moves"]);
        let value = |index: usize| self::number(&moves[index]["value"]);
        assert_eq!(puzzle["best"], moves[0]["move"]);
        assert!(value(0) - value(1) > 0.05, "{puzzle}");
        let guess = json!({ "ask": "move", "position": text, "seed": 1, "player": "star1(depth=1, eval=best)" });
        assert_ne!(answer_of_einstein(guess)["move"], puzzle["best"], "{text}");
        let (position, face) = game.parse_position(text).unwrap();
        if position.num_stones() <= 4 {
            let probe = tables.probe_within(&game, &position, 0).unwrap();
            let face = &probe.faces[usize::from(face.unwrap()) - 1];
            assert_near(value(0), face.value.into(), 1e-5);
            assert_eq!(game.format_move(&position, face.best[0]), puzzle["best"]);
        }
    }
}

#[test]
fn what_is_called_a_probability_is_fitted_to_complete_games_or_named_otherwise() {
    let asked = |player: &str| {
        answer_of_einstein(json!({ "ask": "analyse", "player": player,
            "position": "615../32.../4...e/...cd/..bfa r 1" }))
    };
    let reference = number(&asked("star2(depth=3, eval=best)")["value"]);
    let tree = asked("mcts(sims=5000)");
    assert_near(number(&tree["calibrated"]), reference, 0.05);
    assert!(number(&tree["value"]) > 0.7, "{tree}");
    for part in ["moves", "faces"] {
        let values = list(&tree[part])
            .iter()
            .map(|one| number(&one["calibrated"]));
        assert!(
            values.clone().all(|value| (0.3..0.7).contains(&value)),
            "{tree}"
        );
    }
    let evaluated = answer_of_einstein(json!({ "ask": "evaluate", "evaluators": ["schwarz"],
        "position": "615../32.../4...e/...cd/..bfa r -" }));
    let schwarz = &list(&evaluated["values"])[0];
    assert!(
        number(&schwarz["value"]) > number(&schwarz["calibrated"]) + 0.1,
        "{evaluated}"
    );
    let ledger = answer_of_einstein(json!({ "ask": "judge", "plies": [],
        "player": "star2(depth=2)", "start": "615../32.../4...e/...cd/..bfa r -" }));
    assert_near(number(&list(&ledger["seats"])[0]["start"]), reference, 0.06);
    let playouts = answer_to(&json!({ "ask": "analyse", "game": "havannah(base=4)",
        "position": "d4 a1", "player": "mcts(sims=100)" }));
    assert_eq!(playouts["scale"], "playouts");
}

#[test]
fn values_of_evaluators_that_only_order_positions_are_no_win_probabilities() {
    for (game, position, evaluator) in [
        ("havannah(base=4)", "d4 a1", "locality"),
        ("einstein", "615../32.../4...e/...cd/..bfa r -", "random"),
        (
            "einstein",
            "615../32.../4...e/...cd/..bfa r -",
            "schwarz(scale=raw)",
        ),
    ] {
        let search = |player: String| {
            answer_to(
                &json!({ "ask": "analyse", "game": game, "position": position, "player": player }),
            )
        };
        for player in [
            format!("star1(depth=1, eval={evaluator})"),
            format!("mcts(sims=50, leaf={evaluator})"),
        ] {
            let analysis = search(player);
            assert_eq!(analysis["scale"], "evaluator", "{analysis}");
        }
        let fitted = search("star1(depth=1)".to_owned());
        assert!(fitted.get("scale").is_none(), "{fitted}");
        let evaluated = answer_to(
            &json!({ "ask": "evaluate", "game": game, "position": position,
            "evaluators": [evaluator] }),
        );
        assert_eq!(
            list(&evaluated["values"])[0]["scale"],
            "evaluator",
            "{evaluated}"
        );
    }
    let games = answer_to(&json!({ "ask": "games" }));
    for game in list(&games["games"]) {
        let mut names = list(&game["evaluators"]).iter().map(|one| &one["name"]);
        assert!(
            names.all(|name| name != "locality" && name != "random"),
            "{game}"
        );
    }
}

#[test]
fn shares_of_three_and_four_seats_add_up_and_small_losses_have_no_grade() {
    for game in ["reversixt(map=three)", "reversixt(map=four)"] {
        let start = answer_to(&json!({ "ask": "new", "game": game, "seed": 1 }));
        let analysis = answer_to(&json!({ "ask": "analyse", "game": game,
            "position": start["position"], "player": "maxn(depth=2, eval=shares(best))" }));
        for shares in list(&analysis["moves"])
            .iter()
            .map(|one| list(&one["shares"]))
        {
            let sum: f64 = shares.iter().map(number).sum();
            assert_near(sum, 0.5 * shares.len() as f64, 1e-5);
        }
    }
    let game = ReversiXt::from_notation("reversixt(map=three)", None).unwrap();
    let (ledger, _) = review_of_random_game(&game, 3, "maxn(depth=1, eval=shares(best))");
    let graded = ledger.plies.iter().filter(|ply| !ply.verdict.is_empty());
    assert!(graded.clone().count() > 0 && graded.clone().all(|ply| ply.error >= 0.08));
}

#[test]
fn answers_about_a_game_that_pays_points_have_equities() {
    let games = answer_to(&json!({ "ask": "games" }));
    let mut games = list(&games["games"]).iter();
    let backgammon = games.find(|one| one["notation"] == "backgammon").unwrap();
    let expected = json!({ "unit": "points", "max": 3.0, "default_win": 1.0 });
    assert_eq!(backgammon["points"], expected);
    let start = "4HPwATDgc/ABMA";
    let request = |ask: &str, roll: &str, mut request: Value| {
        request["ask"] = ask.into();
        request["game"] = "backgammon".into();
        request["position"] = format!("{start} {roll}").into();
        answer_to(&request)
    };
    let player = "star1(depth=1, eval=best)";
    let analysis = request("analyse", "31", json!({ "player": player }));
    let check = |rated: &Value| {
        let fitted = rated.get("calibrated").unwrap_or(&rated["value"]);
        assert_near(number(&rated["equity"]), 6.0 * number(fitted) - 3.0, 1e-6);
    };
    // One ply deep the equity is what the results of the evaluator pay.
    let check_results = |rated: &Value| {
        let probability = |name: &str| number(&rated["results"][name]);
        let won = ["win", "win_gammon", "win_backgammon"].map(probability);
        let lost = ["loss", "lose_gammon", "lose_backgammon"].map(probability);
        let points = |[one, two, three]: [f64; 3]| one + 2.0 * two + 3.0 * three;
        assert_near([won, lost].concat().iter().sum(), 1.0, 1e-5);
        assert_near(number(&rated["equity"]), points(won) - points(lost), 1e-5);
    };
    check(&analysis);
    list(&analysis["moves"]).iter().for_each(check);
    list(&analysis["faces"]).iter().for_each(check);
    let values = request("evaluate", "-", json!({ "evaluators": ["best"] }));
    check(&list(&values["values"])[0]);
    let before_roll = request("analyse", "-", json!({ "player": player }));
    for rated in [&analysis, &before_roll, &list(&values["values"])[0]] {
        check_results(rated);
    }
    list(&analysis["moves"]).iter().for_each(check_results);
    list(&before_roll["faces"]).iter().for_each(check_results);
    let worst = list(&analysis["moves"]).iter();
    let worst =
        worst.min_by(|one, other| number(&one["value"]).total_cmp(&number(&other["value"])));
    let plies = json!([{ "face": 3, "move": worst.unwrap()["move"] }]);
    let review = answer_to(
        &json!({ "ask": "judge", "game": "backgammon", "player": player,
        "start": format!("{start} -"), "plies": plies, "payoffs": [1.0 / 3.0, 2.0 / 3.0] }),
    );
    let ply = &list(&review["plies"])[0];
    assert_near(
        number(&ply["equity"]["error"]),
        6.0 * number(&ply["error"]),
        1e-9,
    );
    assert_eq!(
        (&review["unit"], &ply["verdict"]),
        (&json!("points"), &json!("blunder"))
    );
    for (seat, result) in list(&review["seats"]).iter().zip([-1.0, 1.0]) {
        let term = |name: &str| number(&seat["equity"][name]);
        assert_near(term("result"), result, 1e-6);
        let sum = term("start") + term("luck") - term("errors") + term("others") + term("drift");
        assert_near(sum, result, 1e-6);
    }
    let einstein = answer_of_einstein(json!({ "ask": "evaluate", "evaluators": ["schwarz"],
        "position": format!("{MIDDLE} -") }));
    assert!(list(&einstein["values"])[0].get("equity").is_none());
}

#[test]
fn a_resigned_game_of_backgammon_has_its_points() {
    let read = |end: &str| {
        let text = format!("Game 1\n Ann : 0   Bob : 0\n 1) 31: 8/5 6/5\n {end}\n");
        let read = answer_to(
            &json!({ "ask": "read", "game": "backgammon", "format": "mat", "text": text }),
        );
        let [first, second] = [0, 1].map(|seat| number(&read["games"][0]["payoffs"][seat]));
        assert_near(first + second, 1.0, 1e-6);
        6.0 * first - 3.0
    };
    assert_near(read("Wins 2 points"), 2.0, 1e-6);
    assert_near(read("                            Wins 1 point"), -1.0, 1e-6);
}

#[test]
fn games_written_in_each_format_are_read_as_they_were() {
    let plies = json!([{ "face": 2, "move": "c1d1" }, { "face": 1, "move": "a2a3" }]);
    let start = "..1../...../...../a..../..2.. r -";
    let written = answer_of_einstein(json!({ "ask": "write", "format": "sgf", "start": start,
        "plies": plies, "players": ["person", "random"], "resigned": 1 }));
    let read =
        answer_of_einstein(json!({ "ask": "read", "format": "sgf", "text": written["text"] }));
    let game = &list(&read["games"])[0];
    assert_eq!(game["start"], start);
    assert_eq!(
        game["plies"],
        json!([{ "move": "c1d1", "outcome": 2 }, { "move": "a2a3", "outcome": 1 }])
    );
    assert_eq!(
        (&game["ending"], &game["payoffs"]),
        (&json!("resigned"), &json!([1.0, 0.0]))
    );
    for format in ["ggf", "transcript"] {
        let plies = json!([{ "move": "d3" }, { "move": "c3" }]);
        let reversi = |mut request: Value| {
            request["game"] = "reversi".into();
            request["format"] = format.into();
            answer_to(&request)
        };
        let start = format!("{REVERSI} X");
        let written =
            reversi(json!({ "ask": "write", "start": start, "plies": plies, "players": [] }));
        let read = reversi(json!({ "ask": "read", "text": written["text"] }));
        assert_eq!(
            list(&read["games"])[0]["plies"],
            plies,
            "{format}: {written} {read}"
        );
    }
    let games = answer_to(&json!({ "ask": "games" }));
    for (game, format) in [
        ("einstein", "sgf"),
        ("reversi", "ggf"),
        ("havannah(base=4)", "sgf"),
    ] {
        let facts = list(&games["games"]).iter();
        let facts = facts.clone().find(|one| one["notation"] == game).unwrap();
        assert_eq!(facts["writes"], json!([format]), "{game}");
        assert!(list(&facts["formats"]).contains(&json!(format)), "{game}");
    }
    let refused = answer_of_einstein(json!({ "ask": "read", "format": "exe", "text": "" }));
    assert!(
        refused["error"].as_str().unwrap().contains("there are sgf"),
        "{refused}"
    );
}
