//! The API from outside, without a server: what docs/api.md shows, what is said of positions against
//! what follows from the rules, ledgers that add up, and requests that are refused (`refused.jsonl`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use engine::{
    core::{
        game::{Chance, Game},
        random::RandomStream,
    },
    games::{
        einstein::{Standard, tables::shared::shared},
        reversi::Reversi,
        reversixt::ReversiXt,
    },
    play::playable::Playable,
};
use serde_json::{Deserializer, Map, Value, json};
use web::{answer::answer, bounds::Bounds};

const MIDDLE: &str = "215../64.../3...e/...fb/..acd b";

fn ask(request: &Value) -> Value {
    answer(request.to_string().as_bytes(), &Bounds::default())
}

fn ask_einstein(mut request: Value) -> Value {
    request["game"] = "einstein".into();
    ask(&request)
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

/// Whether an answer is what is shown of it: numbers rounded, texts up to `…`, of objects and lists
/// some.
fn is_shown(answer: &Value, shown: &Value) -> bool {
    match shown {
        Value::Object(keys) => keys
            .iter()
            .all(|(key, shown)| is_shown(&answer[key], shown)),
        Value::Array(all) => {
            let found = |shown| list(answer).iter().any(|one| is_shown(one, shown));
            all.iter().all(found)
        }
        Value::Number(_) => (number(answer) - number(shown)).abs() < 1.1e-5,
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
fn what_is_shown_is_answered() {
    for line in include_str!("answers.jsonl").lines() {
        let [request, shown]: [Value; 2] = serde_json::from_str(line).unwrap();
        let answer = ask(&request);
        assert!(is_shown(&answer, &shown), "{shown}\nis not\n{answer}");
    }
    // The documentation: requests, and what the last of them, or one before, is answered.
    let blocks = include_str!("../../docs/api.md").split("```json\n").skip(1);
    let mut compared = 0;
    for block in blocks.map(|block| block.split("```").next().unwrap()) {
        let values = Deserializer::from_str(block).into_iter::<Value>();
        let values: Vec<Value> = values.collect::<Result<_, _>>().unwrap();
        let (shown, requests) = values.split_last().unwrap();
        let answers: Vec<Value> = requests.iter().map(ask).collect();
        let is_refused = |answer: &Value| !answer["error"].is_null();
        assert!(!answers.iter().any(is_refused), "{answers:?}");
        let is_it = |answer: &Value| is_shown(answer, shown);
        assert!(
            answers.is_empty() || answers.iter().any(is_it),
            "{shown}\nis not in\n{answers:?}"
        );
        compared += usize::from(!answers.is_empty());
    }
    assert_eq!(compared, 7);
}

#[test]
fn requests_name_no_programs_no_files_no_more_than_the_bounds_and_nothing_unknown() {
    for line in include_str!("refused.jsonl").lines() {
        let mut request = json!({ "ask": "analyse", "game": "einstein",
            "position": format!("{MIDDLE} -"), "player": "star1(depth=1)" });
        let mut says = "player '".to_owned();
        let changes: Map<String, Value> = serde_json::from_str(line).unwrap();
        for (key, value) in changes {
            match (key.as_str(), value) {
                ("says", part) => part.as_str().unwrap().clone_into(&mut says),
                (key, Value::Null) => drop(request.as_object_mut().unwrap().remove(key)),
                // So many of the first.
                ("times", times) => {
                    let plies = request["plies"].as_array_mut().unwrap();
                    plies.resize(times.as_u64().unwrap() as usize, plies[0].clone());
                }
                (key, value) => request[key] = value,
            }
        }
        let answer = ask(&request);
        let error = answer["error"]
            .as_str()
            .unwrap_or_else(|| panic!("not refused: {request}"));
        assert!(error.contains(&says), "{request}: {error}");
        assert!(!error.contains('\n') && error.len() < 1500, "{error}");
    }
    let values = ask_einstein(
        json!({ "ask": "evaluate", "position": format!("{MIDDLE} -"),
        "evaluators": ["model:/etc/passwd", "mrmonte", "schwarz", "best(x=1)", "random(seed=3)"] }),
    );
    let values = list(&values["values"]).iter();
    let says: Vec<bool> = values.map(|one| one["error"].is_null()).collect();
    assert_eq!(says, [false, false, true, false, true]);
}

/// A random game, judged; what must hold of every ledger of a game that is over.
fn judged<G: Playable>(game: &G, seed: u64, player: &str) -> (Value, G::Position) {
    let mut random = RandomStream::new(seed);
    let start = game.random_start(&mut random, (seed % 2) as usize);
    let mut luck = game.luck(seed);
    let (mut position, mut plies) = (start, Vec::new());
    while game.payoffs(&position).is_none() {
        let (face, moves) = luck.draw(game, &position);
        let mv = moves[random.below(moves.len())];
        let face = if G::NAME == "einstein" {
            face.into()
        } else {
            Value::Null
        };
        plies.push(json!({ "face": face, "move": game.format_move(&position, mv) }));
        position = game.play(&position, mv);
    }
    let ledger = ask(&json!({
        "ask": "judge", "game": game.notation(), "start": game.format_position(&start, None),
        "plies": plies, "player": player,
    }));
    assert!(ledger["error"].is_null(), "{ledger}");
    near(number(&ledger["balance"]), 0.0, 1e-6);
    assert_eq!(ledger["over"], true);
    for seat in 0..game.seats() {
        let account = |key: &str| number(&ledger["seats"][seat][key]);
        let (mut value, mut own, mut others) = (account("start"), [0.0; 2], 0.0);
        for ply in list(&ledger["plies"]) {
            let of = |key: &str| number(&ply[key][seat]);
            near(of("before"), value, 1e-9);
            value = of("after") + of("drift");
            let changes = [of("rolled") - of("before"), of("rolled") - of("after")];
            if ply["seat"] != seat {
                others += changes[0] - changes[1];
                continue;
            }
            for (place, key) in ["luck", "error"].into_iter().enumerate() {
                near(number(&ply[key]), changes[place], 1e-12);
                own[place] += changes[place];
            }
            assert!(changes[1] >= 0.0, "an error below 0: {ply}");
        }
        let result = game.payoff(&position, seat).unwrap().into();
        near(value, result, 1e-6);
        near(account("result"), result, 0.0);
        let found = ["luck", "errors", "others"].map(account);
        for (found, wanted) in found.into_iter().zip([own[0], own[1], others]) {
            near(found, wanted, 1e-9);
        }
        let [luck, errors, others] = found;
        near(
            account("start") + luck - errors + others + account("drift"),
            result,
            1e-6,
        );
    }
    (ledger, start)
}

#[test]
fn ledgers_of_random_games_of_einstein_add_up_and_endgames_have_no_drift() {
    let game = Standard::default();
    let tables = shared(4, game.variant()).unwrap();
    let mut endgame_plies = 0;
    for seed in 0..50 {
        let (ledger, mut position) = judged(&game, seed, "star1(depth=1)");
        // From the tables on, every value and every error is exact.
        for ply in list(&ledger["plies"]) {
            let mv = ply["move"].as_str().unwrap();
            let mv = game.parse_move(&position, mv).unwrap();
            if position.stones() <= 4 {
                endgame_plies += 1;
                near(number(&ply["drift"][0]), 0.0, 4e-5);
                let probe = tables.probe_within(&game, &position, 0).unwrap();
                let face = ply["face"].as_u64().unwrap() as usize - 1;
                let mut moves = probe.moves.iter();
                let value = moves.find(|(other, _)| *other == mv).unwrap().1;
                let price = f64::from(probe.faces[face].value) - f64::from(value);
                near(number(&ply["error"]), price, 1e-6);
                let seat = ply["seat"].as_u64().unwrap() as usize;
                near(number(&ply["before"][seat]), probe.value.into(), 4e-5);
            }
            position = game.play(&position, mv);
        }
    }
    assert!(endgame_plies > 20, "{endgame_plies}");
}

#[test]
fn ledgers_without_chance_add_up_without_luck_for_two_seats_three_and_four() {
    fn games<G: Playable>(notation: &str, player: &str, count: u64) {
        let game = G::from_notation(notation, None).unwrap();
        for seed in 0..count {
            let (ledger, _) = judged(&game, seed, player);
            let mut seats = list(&ledger["seats"]).iter();
            assert!(seats.all(|seat| seat["luck"] == 0.0));
        }
    }
    games::<Reversi>("reversi", "star1(depth=1)", 30);
    games::<ReversiXt>("reversixt(map=three)", "maxn(depth=1)", 4);
    games::<ReversiXt>("reversixt(map=four)", "star1(depth=1)", 4);
}

#[test]
fn puzzles_have_one_best_move_by_the_tables_which_is_missed_without_search() {
    let game = Standard::default();
    let tables = shared(4, game.variant()).unwrap();
    let puzzle = |number: u64| ask_einstein(json!({ "ask": "puzzle", "number": number }));
    for number in 0..300 {
        let puzzle = puzzle(number);
        let text = puzzle["position"].as_str().unwrap();
        let moves = list(&puzzle["moves"]);
        let value = |place: usize| self::number(&moves[place]["value"]);
        assert_eq!(puzzle["best"], moves[0]["move"]);
        assert!(value(0) - value(1) > 0.05, "{puzzle}");
        let guess = json!({ "ask": "move", "position": text, "seed": 1, "player": "star1(depth=1, eval=best)" });
        assert_ne!(ask_einstein(guess)["move"], puzzle["best"], "{text}");
        let (position, face) = game.parse_position(text).unwrap();
        if position.stones() <= 4 {
            let probe = tables.probe_within(&game, &position, 0).unwrap();
            let face = &probe.faces[usize::from(face.unwrap()) - 1];
            near(value(0), face.value.into(), 1e-5);
            assert_eq!(game.format_move(&position, face.best[0]), puzzle["best"]);
        }
    }
}
