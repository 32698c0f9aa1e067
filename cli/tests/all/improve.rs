//! `alea improve` of every game, beginning with TD learning.

use crate::support::{Folder, alea, list, number, read, word};
use engine::play::playable::Rules;
use serde_json::{Value, json};
use std::fs;

const SETTINGS: &str = r#"
seed = 1
generations = 2
patience = 2
start = "random"
[selfplay]
games = 100
opening_plies = 2
exploration = 0.1
game = "GAME"
[[selfplay.players]]
player = "star1(depth=1, eval={model})"
[train]
family = "network"
last_generations = 2
td_generations = 1
initial_weights = "best"
[train.training]
epochs = 2
[train.network]
hidden = [16]
batch = 256
[train.online]
games = 64
games_per_update = 16
batch = 256
report_every = 64
[gate]
player = "star1(depth=1, eval={model})"
elo0 = -20.0
elo1 = 20.0
alpha = 0.4
beta = 0.4
pairs = 20
[measure]
player = "star1(depth=1, eval={model})"
opponents = []
pairs = 2
"#;

macro_rules! names_of {
    ([$($name:ident = $game:ty),* $(,)?]) => {
        [$(<$game as Rules>::INFO.name),*]
    };
}

/// What a model file says of its training.
fn provenance(model: &str) -> String {
    let content = fs::read(model).unwrap();
    let (size, rest) = content.split_first_chunk().unwrap();
    let header = &rest[..u64::from_le_bytes(*size) as usize];
    let header: Value = serde_json::from_slice(header).unwrap();
    word(&header["__metadata__"]["provenance"]).to_owned()
}

#[test]
fn every_game_can_begin_with_td_learning() {
    let names = engine::for_games!(names_of!).into_iter();
    let names = names.map(|name| match name {
        // The usual board takes long.
        "havannah" => "havannah(base=4)",
        name => name,
    });
    for game in names.chain(["reversi(score=discs)"]) {
        let folder = Folder::new();
        let (settings, out) = (folder.at("settings.toml"), folder.at("out"));
        fs::write(&settings, SETTINGS.replace("GAME", game)).unwrap();
        alea!("improve --config {settings} --out {out}").succeeds();
        let ledger: Value = serde_json::from_str(&read(&format!("{out}/ledger.json"))).unwrap();
        let [td, fitted] = list(&ledger["generations"]) else {
            panic!("{game}: {ledger}");
        };
        let epochs =
            |entry: &Value| [&entry["games"], &entry["training"]["epochs"]].map(Value::clone);
        assert_eq!(epochs(td), [json!(64), Value::Null], "{game}");
        assert_eq!(epochs(fitted), [json!(100), json!(2)], "{game}");
        assert_eq!(td["positions"], td["training"]["samples"], "{game}");
        assert!(number(&td["positions"]) > 0.0, "{game}");
        let provenance = |entry: &Value| provenance(&format!("{out}/{}", word(&entry["model"])));
        assert!(
            provenance(td).contains("TD(0.5) on games against itself"),
            "{game}"
        );
        // What is trained afterwards begins with the result of TD learning, if that is the best.
        let begins = format!(r#""initial_weights":"{}""#, word(&td["checksum"]));
        let accepted = td["accepted"] == json!(true);
        assert_eq!(provenance(fitted).contains(&begins), accepted, "{game}");
        let best_before = if accepted {
            "model:generation-1"
        } else {
            "random"
        };
        assert_eq!(fitted["best_before"], best_before, "{game}");
    }
}

#[test]
fn td_learning_is_refused_where_it_cannot_be() {
    let folder = Folder::new();
    let (settings, out) = (folder.at("settings.toml"), folder.at("out"));
    let refused = |text: String| {
        fs::write(&settings, text).unwrap();
        let refused = alea!("improve --config {settings} --out {out}");
        assert_eq!(refused.code, 1, "{refused}");
        refused.err
    };
    let four = refused(SETTINGS.replace("GAME", "reversixt(map=four)"));
    assert!(
        four.ends_with("train.td_generations: TD learning is for games of two seats; reversixt(map=four) has 4\n"),
        "{four}"
    );
    let unused = SETTINGS
        .replace("GAME", "einstein")
        .replace("td_generations = 1", "");
    let unused = refused(unused);
    assert!(
        unused.ends_with(
            "train.online: only TD learning uses it; set train.td_generations, the number of generations that learn so\n"
        ),
        "{unused}"
    );
}
