//! GTP over HTTP: a command in a request, its answer as text.
//!
//! Sessions have names; each is a game with its history, and a player that is made anew for every
//! answer. A command ends the search of its session that is under way. Invariant: there are never
//! more than [`MAX_SESSIONS`] sessions, and what a command may name and cost is bounded as everywhere
//! ([`RequestLimits`]).

use crate::api::Problem;
use crate::games::for_board_games;
use crate::limits::RequestLimits;
use engine::play::notation::Notation;
use protocols::{AHEAD, Next, Outside, Protocol, ProtocolGame, ProtocolKind, Terms};
use std::{
    sync::{
        Arc, Mutex, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

/// Sessions at a time; for another one the one that was not used for longest ends.
pub const MAX_SESSIONS: usize = 16;
/// Characters of a session's name.
const MAX_NAME: usize = 32;

/// How long a command waits for the one before, whose search it has ended.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks whether it has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

struct Session {
    gtp: Mutex<Box<dyn Protocol>>,
    /// Since when a command is answered, and what ends its search.
    search: Mutex<Option<(Instant, Arc<AtomicBool>)>>,
}

type Shared = Arc<Session>;

/// What is said to a command: of live information one part.
struct Reply {
    text: String,
    parts: usize,
    stop: Arc<AtomicBool>,
}

impl Outside for Reply {
    fn say(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
        self.parts += 1;
    }

    fn calls(&mut self) -> bool {
        // The first is that the command is answered.
        self.parts > 1 || self.stop.load(Ordering::Relaxed)
    }

    fn stop_flag(&mut self, _: Duration) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

/// All sessions, the one that was used last at the end.
pub struct Sessions {
    bounds: RequestLimits,
    all: Mutex<Vec<(String, Shared)>>,
}

impl Sessions {
    /// No session yet.
    #[must_use]
    pub fn new(bounds: RequestLimits) -> Self {
        let all = Mutex::default();
        Self { bounds, all }
    }

    /// Whether a session can have this name.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || b"-_".contains(&sign);
        name.len() <= MAX_NAME && name.bytes().all(is_sign)
    }

    /// Ends the search of a session, as another command has come for it; not a search that is so
    /// young that both were sent at once.
    pub fn interrupt(&self, name: &str) {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let session = all.iter().find(|(known, _)| known == name);
        let search = session.map(|(_, session)| session.search.lock());
        let search = search.map(|search| search.unwrap_or_else(PoisonError::into_inner));
        if let Some(Some((since, stop))) = search.as_deref()
            && since.elapsed() > AHEAD
        {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// The answer to a command of a session, which begins if there is none of the name; `stop` ends
    /// its search. A command that is stopped before its turn is not heard at all.
    ///
    /// # Errors
    /// If it is busy, or all are, or nobody waits for the answer.
    pub fn answer(
        &self,
        name: &str,
        command: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<String, &'static str> {
        let session = self.session(name)?;
        let came = Instant::now();
        let mut gtp = loop {
            match session.gtp.try_lock() {
                // Another command ends the search of this one only once it has its turn.
                _ if stop.load(Ordering::Relaxed) => return Err("nobody waits for an answer"),
                Ok(gtp) => break gtp,
                Err(TryLockError::WouldBlock) if came.elapsed() < PATIENCE => sleep(BETWEEN_LOOKS),
                Err(TryLockError::WouldBlock) => return Err("this session is busy; ask again"),
                Err(TryLockError::Poisoned(_)) => {
                    self.end(name);
                    return Err("this session has failed and is ended");
                }
            }
        };
        let search = || {
            session
                .search
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        *search() = Some((Instant::now(), Arc::clone(stop)));
        let mut reply = Reply {
            text: String::new(),
            parts: 0,
            stop: Arc::clone(stop),
        };
        match gtp.handle_line(command, &mut reply) {
            Next::Line => {}
            Next::End => self.end(name),
            Next::Other(other) => *gtp = other,
        }
        *search() = None;
        Ok(reply.text)
    }

    fn session(&self, name: &str) -> Result<Shared, &'static str> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = all.iter().position(|(known, _)| known == name) {
            let used = all.remove(place);
            let session = Arc::clone(&used.1);
            all.push(used);
            return Ok(session);
        }
        if all.len() >= MAX_SESSIONS {
            let idle = all
                .iter()
                .position(|(_, session)| Arc::strong_count(session) == 1);
            all.remove(idle.ok_or("all sessions are busy; ask again")?);
        }
        let gtp = opened(&self.bounds, ProtocolKind::Gtp.usual_game(), None);
        let gtp = gtp.map_err(|_| "a session cannot be opened")?;
        let session = Arc::new(Session {
            gtp: Mutex::new(gtp),
            search: Mutex::default(),
        });
        all.push((name.to_owned(), Arc::clone(&session)));
        Ok(session)
    }

    fn end(&self, name: &str) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| known != name);
    }
}

/// A session of a game that a request may name, with a player that it may.
fn opened(
    bounds: &RequestLimits,
    game: &str,
    player: Option<&Notation>,
) -> Result<Box<dyn Protocol>, Problem> {
    for_board_games!(with_board_game game, rules => session(bounds, rules, player))
}

fn session<G: ProtocolGame>(
    bounds: &RequestLimits,
    game: &G,
    player: Option<&Notation>,
) -> Result<Box<dyn Protocol>, Problem> {
    let (permitting, opening) = (bounds.clone(), bounds.clone());
    let permit = move |player: &Notation| {
        let permitted = permitting.restrict::<G>(player.clone());
        permitted.map_err(|(_, problem)| format!("player '{player}': {problem}"))
    };
    let open = move |game: &Notation, player: Option<&Notation>| {
        opened(&opening, &game.to_string(), player).map_err(|problem| problem.error)
    };
    let terms = Terms {
        permit: Arc::new(permit),
        longest: Duration::from_secs_f64(bounds.milliseconds / 1000.0),
        keeps_players: false,
        seed: 1,
        open: Arc::new(open),
        read_file: |_| Err("no file is opened here".to_owned()),
    };
    protocols::engine(ProtocolKind::Gtp, game.clone(), player, terms).map_err(Problem::wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_told_apart_and_bounded_and_what_they_name_and_cost_is_too() {
        let sessions = Sessions::new(RequestLimits {
            milliseconds: 100.0,
            ..RequestLimits::default()
        });
        let stop = Arc::default();
        let ask = |name: &str, command: &str| sessions.answer(name, command, &stop).unwrap();
        ask("a", "dice 3");
        assert!(ask("a", "position").contains(" b 3"));
        assert!(ask("b", "position").contains(" b -"));
        assert_eq!(ask("a", "quit"), "=\n\n");
        assert!(ask("a", "position").contains(" b -"));
        for other in 0..MAX_SESSIONS {
            ask(&format!("other{other}"), "name");
        }
        assert_eq!(sessions.all.lock().unwrap().len(), MAX_SESSIONS);
        for wrong in ["a b", "../x", &"x".repeat(33)] {
            assert!(!Sessions::is_name(wrong), "{wrong}");
        }
        for refused in [
            "set_option player external(\"rm -r x\")",
            "set_option player star1(depth=99)",
            "set_option ms 600000",
            "set_option threads 64",
            "set_option eval model:/etc/passwd",
            "set_option tablebase 7",
            "set_game reversixt(map=/etc/passwd)",
            "loadsgf /etc/passwd",
            "loadsgf /etc/passwd 3",
        ] {
            let said = ask("", refused);
            assert!(said.starts_with('?') && said.lines().count() == 2, "{said}");
        }
        let began = std::time::Instant::now();
        for slow in [
            "roll",
            "genmove b 1000",
            "analyze 100000",
            "roll",
            "solve 1000",
        ] {
            assert!(ask("", slow).starts_with('='), "{slow}");
        }
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn who_goes_before_its_turn_is_not_heard() {
        let sessions = Sessions::new(RequestLimits::default());
        let ask = |command: &str, gone: bool| {
            sessions.answer("a", command, &Arc::new(AtomicBool::new(gone)))
        };
        assert_eq!(ask("dice 3", false), Ok("=\n\n".to_owned()));
        let before = ask("position", false).unwrap();
        for command in ["genmove", "clear_board", "set_option ms 5", "quit"] {
            assert!(ask(command, true).is_err(), "{command}");
            assert_eq!(ask("position", false).unwrap(), before, "{command}");
        }
        // Nor does it wait for one that is busy.
        let session = sessions.session("a").unwrap();
        let busy = session.gtp.lock().unwrap();
        let began = Instant::now();
        assert!(ask("genmove", true).is_err() && began.elapsed() < PATIENCE);
        drop(busy);
    }

    #[test]
    fn another_command_ends_a_search_and_so_does_who_goes() {
        let sessions = Sessions::new(RequestLimits {
            milliseconds: 600_000.0,
            ..RequestLimits::default()
        });
        let ask = |command: &str| sessions.answer("a", command, &Arc::default()).unwrap();
        let stops: [fn(&Sessions, &AtomicBool); 2] = [
            |sessions, _| sessions.interrupt("a"),
            |_, gone| gone.store(true, Ordering::Relaxed),
        ];
        for player in ["star1(ms=600000)", "mcts(ms=600000)"] {
            assert!(
                ask(&format!("set_option player {player}")).starts_with('='),
                "{player}"
            );
            for (number, end) in stops.iter().cycle().take(10).enumerate() {
                ask("clear_board");
                ask("roll");
                let gone = Arc::new(AtomicBool::new(false));
                std::thread::scope(|scope| {
                    let answer = scope.spawn(|| {
                        let command =
                            ["genmove", "lz-analyze 60000", "lz-genmove_analyze"][number % 3];
                        (
                            sessions.answer("a", command, &gone).unwrap(),
                            Instant::now(),
                        )
                    });
                    // A search that has not begun is not ended by a command.
                    while sessions
                        .session("a")
                        .unwrap()
                        .search
                        .lock()
                        .unwrap()
                        .is_none()
                    {
                        sleep(BETWEEN_LOOKS);
                    }
                    sleep(Duration::from_millis(5 + 3 * number as u64));
                    let ended = Instant::now();
                    end(&sessions, &gone);
                    let (said, answered) = answer.join().unwrap();
                    assert!(
                        said.starts_with('=') && said.ends_with("\n\n"),
                        "{player}: {said}"
                    );
                    let took = answered.saturating_duration_since(ended);
                    assert!(took < Duration::from_secs(5), "{player}: {took:?}");
                });
                assert!(ask("name").contains("Alea"));
            }
        }
    }
}
