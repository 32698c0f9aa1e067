//! Commands with the game *Columns*, of which the program knows only its entry in the list of
//! games.

use crate::support::{Folder, alea, list, number, run, word};
use serde_json::{Value, json};
use web::{answer::answer, limits::RequestLimits};

/// A position with one throw left, of seat 0, whose columns 1, 2, 0 are opposite to 3, 4, 4.
const LAST_THROW: &str = "12034410";

#[test]
fn the_example_game_has_moves_and_analysis() {
    let moves = alea!("moves '{LAST_THROW} 2' --game columns --json").json();
    let after = list(&moves["moves"]).iter().map(|mv| word(&mv["position"]));
    let after: Vec<&str> = after.collect();
    assert_eq!(after, ["32004401 -", "13034401 -", "12334401 -"]);
    let analysis =
        alea!("analyse '{LAST_THROW} -' --game columns --player 'star1(depth=1)' --json").json();
    assert_eq!(list(&analysis["moves"]).len(), 12);
    let leaves = alea!("perft --game columns --depth 2 --json").json();
    assert_eq!(leaves["leaves"], json!(144));
}

#[test]
fn the_example_game_is_played_recorded_and_learned() {
    let folder = Folder::new();
    let (data, fit) = (folder.at("data"), folder.at("fit"));
    alea!("selfplay --game columns --games 300 --out {data}").succeeds();
    alea!("data verify {data}").succeeds();
    alea!("train --data {data} --family ntuple --out {fit}").succeeds();
    let players = "--player 'star1(depth=1, eval=lead)' --player random";
    let result = alea!("arena --game columns {players} --games 100 --json").json();
    assert!(number(&result["score"]) > 0.7, "{result}");
}

#[test]
fn the_example_game_is_played_by_gtp_and_on_the_page() {
    let line = "engine --protocol gtp --game columns --player 'star1(depth=2)'";
    let replies = run(line, b"roll\ngenmove\nroll\ngenmove\nquit\n");
    assert_eq!(replies.out.matches("= ").count(), 4, "{replies}");
    let ask = |request: Value| answer(request.to_string().as_bytes(), &RequestLimits::default());
    let games = ask(json!({ "ask": "games" }));
    let mut games = list(&games["games"]).iter();
    assert!(games.any(|game| game["name"] == "columns"));
    let question = json!({
        "ask": "analyse", "game": "columns", "position": format!("{LAST_THROW} -"), "player": "star1(depth=1)"
    });
    let analysis = ask(question);
    assert_eq!(list(&analysis["moves"]).len(), 12, "{analysis}");
}
