//! Lines that an engine hears in each of its protocols, with players that decide at once.

use crate::players::is_cheap;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use engine::play::{notation::Notation, playable::Playable};
use protocols::{Action, Protocol, ProtocolGame, ProtocolKind, SessionConfig};
use std::{sync::Arc, time::Duration};

/// Cheap, and of few kinds: `recipes` tries the others. Two plies of a large board of Havannah, each
/// move rated, are seconds under a sanitizer.
fn permit(notation: &Notation) -> Result<Notation, String> {
    let text = notation.to_string();
    let shallow =
        notation.name == "star1" && (text.contains("depth=1)") || text.contains("depth=1,"));
    let permitted = is_cheap(&text) && (notation.name == "random" || shallow);
    permitted
        .then(|| notation.clone())
        .ok_or("only cheap players".to_owned())
}

fn opened<G: ProtocolGame>(speech: ProtocolKind, game: &str) -> Result<Box<dyn Protocol>, String> {
    let rules = G::from_notation(game, None).map_err(|error| error.to_string())?;
    let config = SessionConfig {
        player_policy: Arc::new(permit),
        max_time: Duration::from_millis(1),
        keeps_players: true,
        seed: 1,
        open: Arc::new(move |game, _| begin(speech, &game.to_string())),
        read_file: |text| Ok(text.to_owned()),
    };
    protocols::open(speech, rules, Some(&Notation::new("random")), config)
}

fn begin(speech: ProtocolKind, game: &str) -> Result<Box<dyn Protocol>, String> {
    let name = Notation::parse(game)
        .map_err(|error| error.to_string())?
        .name;
    match &*name {
        Standard::NAME => opened::<Standard>(speech, game),
        Havannah::NAME => opened::<Havannah>(speech, game),
        Reversi::NAME => opened::<Reversi>(speech, game),
        _ => Err("there is no such game".to_owned()),
    }
}

/// Lines are answered in the form of the protocol.
fn check(speech: ProtocolKind, line: &str, said: &str) {
    let begins: &[&str] = match speech {
        ProtocolKind::Gtp if said.is_empty() => &[],
        ProtocolKind::Gtp => {
            assert!(said.starts_with(['=', '?']), "{line:?}: {said:?}");
            assert_eq!(
                said.find("\n\n"),
                Some(said.len() - 2),
                "{line:?}: {said:?}"
            );
            &[""]
        }
        ProtocolKind::Tcga => {
            let asks = line.split_whitespace().next().is_some();
            assert!(
                said.lines().count() <= usize::from(asks),
                "{line:?}: {said:?}"
            );
            &[""]
        }
        ProtocolKind::Ubgi => &[
            "id ",
            "proto ",
            "ubgiok",
            "readyok",
            "key ",
            "value ",
            "info ",
            "bestmove ",
            "error bad_command ",
            "error bad_value ",
            "error bad_state ",
            "error unsupported ",
        ],
        ProtocolKind::NBoard => &[
            "set myname ",
            "status",
            "nodestats ",
            "search ",
            "=== ",
            "pong ",
            "learned",
        ],
    };
    for said in said.lines() {
        let known = begins.iter().any(|begin| said.starts_with(begin));
        assert!(
            known && !said.contains(char::is_control),
            "{line:?}: {said:?}"
        );
    }
}

/// The first byte says which protocol, the lines behind it are heard.
pub(crate) fn protocols(bytes: &[u8]) {
    let Some((&which, heard)) = bytes.split_first() else {
        return;
    };
    let all = [ProtocolKind::Gtp, ProtocolKind::Tcga, ProtocolKind::Ubgi, ProtocolKind::NBoard];
    let speech = all[usize::from(which % 4)];
    let mut protocol = begin(speech, speech.default_game()).expect("a game");
    for line in String::from_utf8_lossy(heard).split('\n').take(50) {
        let mut said = String::new();
        let next = protocol.handle_line(line, &mut said);
        check(speech, line, &said);
        match next {
            Action::Continue => {}
            Action::Quit => return,
            Action::Replace(other) => protocol = other,
        }
    }
}
