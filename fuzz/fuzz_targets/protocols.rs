//! Fuzz target for lines of the engine protocols, with fast players.

use crate::players::is_cheap;
use engine::play::{
    playable::{Playable, Rules as _},
    player_notation::Notation,
};
use protocols::{Action, Protocol, ProtocolKind, SessionConfig};
use std::{sync::Arc, time::Duration};

/// Permits random moves and searches of one ply: two plies on a large board of Havannah take
/// seconds under a sanitizer.
fn permit_cheap_player(notation: &Notation) -> Result<Notation, String> {
    let text = notation.to_string();
    let shallow =
        notation.name == "star1" && (text.contains("depth=1)") || text.contains("depth=1,"));
    let permitted = is_cheap(&text) && (notation.name == "random" || shallow);
    permitted
        .then(|| notation.clone())
        .ok_or("only cheap players".to_owned())
}

fn open_session<G: Playable>(
    protocol_kind: ProtocolKind,
    game: &str,
) -> Result<Box<dyn Protocol>, String> {
    let rules = G::from_notation(game, None).map_err(|error| error.to_string())?;
    let config = SessionConfig {
        player_policy: Arc::new(permit_cheap_player),
        max_time: Duration::from_millis(1),
        keeps_players: true,
        seed: 1,
        open: Arc::new(move |game, _| begin(protocol_kind, &game.to_string())),
        read_file: |text| Ok(text.to_owned()),
    };
    protocols::open(protocol_kind, rules, Some(&Notation::new("random")), config)
}

fn begin(protocol_kind: ProtocolKind, game: &str) -> Result<Box<dyn Protocol>, String> {
    let name = Notation::parse(game)
        .map_err(|error| error.to_string())?
        .name;
    macro_rules! open_game {
        ([$($name:ident = $type:ty),* $(,)?]) => {
            match &*name {
                $(found if found == <$type>::INFO.name => open_session::<$type>(protocol_kind, game),)*
                _ => Err("there is no such game".to_owned()),
            }
        };
    }
    engine::for_games!(open_game!)
}

fn check_reply(protocol_kind: ProtocolKind, line: &str, reply: &str) {
    let begins: &[&str] = match protocol_kind {
        ProtocolKind::Gtp if reply.is_empty() => &[],
        ProtocolKind::Gtp => {
            assert!(reply.starts_with(['=', '?']), "{line:?}: {reply:?}");
            assert_eq!(
                reply.find("\n\n"),
                Some(reply.len() - 2),
                "{line:?}: {reply:?}"
            );
            &[""]
        }
        ProtocolKind::Tcga => {
            let has_words = line.split_whitespace().next().is_some();
            assert!(
                reply.lines().count() <= usize::from(has_words),
                "{line:?}: {reply:?}"
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
    for reply in reply.lines() {
        let is_expected = begins.iter().any(|begin| reply.starts_with(begin));
        assert!(
            is_expected && !reply.contains(char::is_control),
            "{line:?}: {reply:?}"
        );
    }
}

/// Runs a session of a protocol; the first byte tells which, the rest are its lines.
pub(crate) fn protocols(bytes: &[u8]) {
    let Some((&which, input)) = bytes.split_first() else {
        return;
    };
    let all = [
        ProtocolKind::Gtp,
        ProtocolKind::Tcga,
        ProtocolKind::Ubgi,
        ProtocolKind::NBoard,
    ];
    let protocol_kind = all[usize::from(which % 4)];
    let mut protocol = begin(protocol_kind, protocol_kind.default_game()).expect("a game");
    for line in String::from_utf8_lossy(input).split('\n').take(50) {
        let mut reply = String::new();
        let next = protocol.handle_line(line, &mut reply);
        check_reply(protocol_kind, line, &reply);
        match next {
            Action::Continue => {}
            Action::Quit => return,
            Action::Replace(other) => protocol = other,
        }
    }
}
