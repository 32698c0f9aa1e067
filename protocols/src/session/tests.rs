//! Tests that a session builds its player once and that tree and clock last from move to move.

use super::Session;
use crate::{Action, Handler, Output, Protocol, ProtocolKind, SessionConfig, gtp::Gtp, open};
use alea_play::{
    playable::Playable,
    player::{Analysis, Decision, Failure, Player},
    player_notation::{Notation, trusted_text},
    player_plugins::register,
};
use alea_search::limits::Limits;
use engine::games::{einstein::Standard, reversi::Reversi};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

static EVENTS: Mutex<Vec<Event>> = Mutex::new(Vec::new());

#[derive(Clone, Debug, PartialEq)]
enum Event {
    Build,
    NewGame,
    Decide(Option<u128>),
}
use Event::{Build, Decide, NewGame};

struct Recorded<G>(G);

impl<G: Playable> Player<G> for Recorded<G> {
    fn new_game(&mut self, _: u64) {
        EVENTS.lock().unwrap().push(NewGame);
    }

    fn decide(
        &mut self,
        _: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        let time = limits.time.map(|time| time.as_millis());
        EVENTS.lock().unwrap().push(Decide(time));
        Ok(Decision::without_values(legal[0]))
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        _: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        Ok(Analysis::without_values(&self.0, position, legal))
    }
}

fn config() -> SessionConfig {
    SessionConfig {
        player_policy: Arc::new(|player| Ok(player.clone())),
        max_time: Duration::MAX,
        keeps_players: true,
        seed: 1,
        open: Arc::new(|_, _| Err("one game alone".to_owned())),
        read_file: |_| Err("no files".to_owned()),
    }
}

fn session<G: Playable>(kind: ProtocolKind, game: G, player: &str) -> Box<dyn Protocol> {
    let player = Notation::parse(trusted_text(player)).unwrap();
    open(kind, game, Some(&player), config()).unwrap()
}

fn reply(protocol: &mut dyn Protocol, line: &str) -> String {
    let mut output = String::new();
    let action = protocol.handle_line(line, &mut output);
    assert!(matches!(action, Action::Continue), "{line}");
    output
}

fn events_of_session<G: Playable>(kind: ProtocolKind, game: G, lines: &[String]) -> Vec<Event> {
    register::<G>("recorded", |_, game| {
        let game = game.clone();
        Ok(Arc::new(move || {
            EVENTS.lock().unwrap().push(Build);
            Box::new(Recorded(game.clone()))
        }))
    });
    EVENTS.lock().unwrap().clear();
    let mut protocol = session(kind, game, "recorded");
    for line in lines {
        let reply = reply(&mut *protocol, line);
        assert!(!reply.starts_with(['?', 'e']), "{line}: {reply}");
    }
    std::mem::take(&mut EVENTS.lock().unwrap())
}

#[test]
fn a_player_is_built_once_and_given_its_part_of_the_clock() {
    let lines = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    let times = |events: &[Event]| {
        assert_eq!(events[..2], [Build, NewGame]);
        let time = |event: &Event| match event {
            Decide(time) => *time,
            event => panic!("{event:?}"),
        };
        events[2..].iter().map(time).collect::<Vec<_>>()
    };
    let mut gtp = lines(&["time_settings 100 0 0"]);
    gtp.extend((0..10).map(|_| "genmove".to_owned()));
    gtp.extend(lines(&[
        "time_left b 40 0",
        "genmove b 3",
        "time_left w 4 0",
        "genmove w",
    ]));
    let gtp = times(&events_of_session(ProtocolKind::Gtp, Reversi::EIGHT, &gtp));
    assert_eq!(gtp.len(), 12);
    assert!(
        gtp[..10]
            .iter()
            .all(|time| time.is_some_and(|ms| (1_000..25_000).contains(&ms)))
    );
    assert_eq!(gtp[10], Some(3_000));
    assert!(gtp[11].is_some_and(|ms| ms <= 1_000), "{gtp:?}");
    let tcga = lines(&[
        "time_setting 100",
        "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3",
        "get B 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 B3",
        "get R 3 E5 D5 C5 E4 D4 0 A1 B1 C1 A2 B2 B3",
    ]);
    let tcga = times(&events_of_session(
        ProtocolKind::Tcga,
        Standard::default(),
        &tcga,
    ));
    assert!(
        tcga.len() == 3 && tcga.iter().all(Option::is_some),
        "{tcga:?}"
    );
    let ubgi = lines(&[
        "newgame",
        "position alea 215../64.../3...e/...fb/..acd b",
        "dice 1",
        "go",
        "position alea 215../64.../3...e/...fb/.ac.d r",
        "dice 2",
        "go",
    ]);
    let ubgi = events_of_session(ProtocolKind::Ubgi, Standard::default(), &ubgi);
    assert_eq!(times(&ubgi), [None, None]);
    let ggf = "set game (;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 -------- -------- \
               -------- ---O*--- ---*O--- -------- -------- -------- *]";
    let nboard = lines(&[
        &format!("{ggf}B[F5]W[F6];)"),
        "go",
        &format!("{ggf}B[F5]W[F6]B[E6]W[F4];)"),
        "go",
        "move D3",
    ]);
    let nboard = events_of_session(ProtocolKind::NBoard, Reversi::EIGHT, &nboard);
    assert_eq!(times(&nboard), [None, None]);
}

#[test]
fn gtp_reuses_the_tree_from_move_to_move_under_time_settings() {
    for spec in [
        "mcts(sims=50, leaf=playout, keep=on)",
        "mcts(ms=50, leaf=playout)",
    ] {
        let player = Notation::parse(spec).unwrap();
        let mut session = Session::open(Reversi::SIX, Some(&player), config()).unwrap();
        let (mut gtp, mut output) = (Gtp::default(), String::new());
        gtp.handle(&mut session, "time_settings 2 0 0", &mut output)
            .unwrap();
        let mut reused = Vec::new();
        for _ in 0..10 {
            let reply = gtp.handle(&mut session, "genmove", &mut output).unwrap();
            assert!(reply.starts_with("= "), "{reply}");
            let (_, legal) = session.legal_moves().unwrap();
            let (player, time, is_timed) =
                session
                    .player
                    .player_for_query(Some(Duration::from_millis(1)), &session.game, 0);
            let limits = Limits {
                time,
                stop: Some(output.stop_flag(Duration::ZERO)),
            };
            let analysis = player
                .analyse(&session.position, Some(&legal), &limits)
                .unwrap();
            let moves = analysis.moves.iter().filter_map(|mv| mv.tree);
            let visits: u64 = moves.map(|tree| u64::from(tree.visits)).sum();
            let tree = analysis.tree.unwrap();
            assert!(is_timed && visits >= tree.simulations, "{spec}");
            reused.push(visits - tree.simulations);
        }
        let moves = reused.iter().filter(|visits| **visits > 0).count();
        assert!(moves >= 5, "{spec}: {reused:?}");
    }
}
