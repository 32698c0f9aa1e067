//! `alea train` from outside: several sources and labels, learning from own games, killed and
//! started again.

use crate::support::{Folder, alea, list, number, word};

/// Settings under which training takes a moment.
const QUICK: &str = "[training]\nepochs = 2\ncheckpoint_minutes = 0.0001\n[ntuple]\nset = \"stones\"\n[online]\nreport_every = 5000\n";

#[test]
fn games_and_endgames_with_exact_labels_are_two_sources() {
    let folder = Folder::new();
    let (games, endgames) = (folder.at("games"), folder.at("endgames"));
    let exact = "--games 300 --endgames 2-3 --label exact=tables(stones=3)";
    for (out, extra) in [(&games, "--games 200"), (&endgames, exact)] {
        alea!("selfplay --out {out} --player star1(depth=1) {extra}").succeeds();
    }
    let train = |out: &str, data: &str, label: &str| {
        let target = format!("[target]\nfinal_search_share = 0.2\nlabel = \"{label}\"\n");
        let settings = folder.file("train.toml", QUICK.to_owned() + &target);
        let out = folder.at(out);
        alea!("train --family ntuple --json --config {settings} --out {out} {data}")
    };
    let story = |out: &str, data: &str| {
        let model = train(out, data, "").json();
        alea!("models {} --json", word(&model["model"])).json()["provenance"].clone()
    };
    let data = format!("--data {games} --data {endgames}");
    let both = story("both", &data);
    assert_eq!(list(&both["data"]["records"]["sources"]).len(), 2);
    let tables = &both["table_labels"][0];
    // Every position of an endgame before a roll, and nothing else: the other games have no labels.
    assert_eq!(tables["by"], "tables(stones=3)");
    assert!(number(&tables["samples"]) > 600.0, "{tables}");
    let plain = story("plain", &format!("--data {games}"));
    assert!(
        plain.get("table_labels").is_none() && plain["data"]["records"]["seed"] == 1,
        "{plain}"
    );
    let unknown = train("no", &data, "deep");
    unknown.fails("target.label = 'deep'");
    assert!(unknown.failure().ends_with("there is 'exact'"), "{unknown}");
}

#[test]
fn learning_from_own_games_has_settings_of_its_own() {
    let folder = Folder::new();
    let (out, settings) = (folder.at("out"), folder.file("train.toml", QUICK));
    let line = format!("--games 30000 --json --config {settings} --out {out}");
    let train = |seed: u64| alea!("train --family ntuple {line} --seed {seed}");
    let report = train(1).json();
    assert_eq!(report["games"], 30_000);
    assert_eq!(list(&report["curve"]).len(), 6);
    assert!(number(&report["loss"]) < 0.68, "{report}");
    // Other settings are another training, and other families do not learn so.
    train(2).fails("seed = 1, not seed = 2");
    let other = format!("--games 10 --out {}", folder.at("x"));
    alea!("train {other}").fails("add --family ntuple");
    alea!("train {other} --data x --family ntuple").is_wrong_usage();
    alea!("train {other} --family integer").is_wrong_usage();
}
