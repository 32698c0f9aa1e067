//! Runs of every game that begin with TD learning.

use super::*;
use crate::games::{each_game, with_game};
use engine::play::{playable::Rules, player_notation::trusted_text};

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

fn settings_of(game: &str) -> ImproveConfig {
    settings::parse_toml(&SETTINGS.replace("GAME", game)).unwrap()
}

fn improve_by_td<G: Learnable>(game: &G) -> Result<()> {
    let (directory, notation) = (tempfile::tempdir().unwrap(), game.notation());
    let config = settings_of(&notation);
    let result = run(game, &config, directory.path(), None).context(notation.clone())?;
    let [td, fitted] = &result.ledger.generations[..] else {
        panic!("{notation}: {:?}", result.ledger);
    };
    assert_eq!((td.games, td.training.epochs), (64, None), "{notation}");
    assert_eq!(td.positions, td.training.samples as u64, "{notation}");
    assert_eq!(
        (fitted.games, fitted.training.epochs),
        (100, Some(2)),
        "{notation}"
    );
    let provenance = |entry: &ledger::Entry| {
        let model = directory.path().join(&entry.model);
        ModelFile::load(game, &model).unwrap().provenance
    };
    assert!(
        provenance(td).contains("TD(0.5) on games against itself"),
        "{notation}"
    );
    // What is trained afterwards begins with the result of TD learning, if that is the best.
    let begins = format!(r#""initial_weights":"{}""#, td.checksum);
    assert_eq!(
        provenance(fitted).contains(&begins),
        td.accepted,
        "{notation}"
    );
    let played_by = if td.accepted {
        "model:generation-1"
    } else {
        "random"
    };
    assert_eq!(fitted.best_before, played_by, "{notation}");
    Ok(())
}

#[test]
fn every_game_can_begin_with_td_learning() {
    let names = engine::for_games!(each_game! OneGame => OneGame::INFO.name);
    let names = names.into_iter().map(|name| match name {
        // The usual board takes long.
        "havannah" => "havannah(base=4)",
        name => name,
    });
    for notation in names.chain(["reversi(score=discs)"]) {
        let improve = || with_game!(trusted_text(notation), game => improve_by_td(&game));
        improve().unwrap();
    }
}

#[test]
fn td_learning_is_refused_where_it_cannot_be() {
    let refused = |notation: &str, change: &dyn Fn(&mut String)| -> Result<()> {
        let mut text = SETTINGS.replace("GAME", notation);
        change(&mut text);
        let config: ImproveConfig = settings::parse_toml(&text)?;
        with_game!(trusted_text(notation), game => {
            config.check(&game, &Evaluator::from_notation(&config.start)?)
        })
    };
    let message = |result: Result<()>| format!("{:#}", result.unwrap_err());
    let four = refused("reversixt(map=four)", &|_| {});
    assert_eq!(
        message(four),
        "train.td_generations: TD learning is for games of two seats; reversixt(map=four) has 4"
    );
    let unused = refused("einstein", &|text| {
        *text = text.replace("td_generations = 1", "")
    });
    assert_eq!(
        message(unused),
        "train.online: only TD learning uses it; set train.td_generations, the number of generations that learn so"
    );
    refused("einstein", &|_| {}).unwrap();
}
