//! Lines that an engine hears in each of its protocols, with players that decide at once.

use crate::players::is_cheap;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use engine::play::notation::Notation;
use protocols::{
    games::Spoken,
    gtp::Gtp,
    nboard::NBoard,
    protocol::{Outside, Protocol},
    session::{Open, Session, Terms},
    sitting::Sitting,
    tcga::Tcga,
    ubgi::Ubgi,
};
use std::{sync::Arc, time::Duration};

/// Cheap, and of few kinds: the others are made of the same notation by `recipes`.
fn permit(text: &str) -> Result<String, String> {
    let notation = Notation::parse(text).map_err(|error| error.to_string())?;
    let shallow = notation.name == "star1" && text.contains("depth");
    match is_cheap(text) && (notation.name == "random" || shallow) {
        true => Ok(text.to_owned()),
        false => Err("only cheap players".to_owned()),
    }
}

fn opened<G: Spoken>(game: &str) -> Result<Box<dyn Session>, String> {
    let rules = G::from_notation(game, None).map_err(|error| error.to_string())?;
    let terms = Terms {
        permit: Arc::new(permit),
        longest: Duration::from_millis(1),
        keeps_players: true,
        seed: 1,
    };
    Ok(Box::new(Sitting::open(rules, "random", terms)?))
}

fn open(game: &str) -> Result<Box<dyn Session>, String> {
    let name = Notation::parse(game)
        .map_err(|error| error.to_string())?
        .name;
    match &*name {
        "einstein" => opened::<Standard>(game),
        "havannah" => opened::<Havannah>(game),
        "reversi" => opened::<Reversi>(game),
        _ => Err("there is no such game".to_owned()),
    }
}

struct Ears(String);

impl Outside for Ears {
    fn say(&mut self, text: &str) {
        self.0 += text;
        self.0.push('\n');
    }

    fn calls(&mut self) -> bool {
        true
    }
}

/// The first byte says which protocol, the lines behind it are heard.
pub(crate) fn protocols(bytes: &[u8]) {
    let Some((&which, heard)) = bytes.split_first() else {
        return;
    };
    let games: Open = Arc::new(open);
    let einstein = || open("einstein").expect("a game");
    let mut protocol: Box<dyn Protocol> = match which % 4 {
        0 => Box::new(Gtp::new(games, "einstein").expect("a game")),
        1 => Box::new(Tcga::new(einstein())),
        2 => Box::new(Ubgi::new(games, "einstein").expect("a game")),
        _ => Box::new(NBoard::new(open("reversi").expect("a game"))),
    };
    for line in String::from_utf8_lossy(heard).split('\n').take(50) {
        let mut ears = Ears(String::new());
        let goes_on = protocol.hear(line, &mut ears);
        let said = ears.0;
        let wrong = |sign: char| sign.is_control() && sign != '\n';
        assert!(!said.contains(wrong), "{line:?}: {said:?}");
        if which % 4 == 0 && !said.is_empty() {
            let end = said.find("\n\n").expect("an end");
            assert_eq!(end + 2, said.len(), "{line:?}: {said:?}");
        }
        if !goes_on {
            return;
        }
    }
}
