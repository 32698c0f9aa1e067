//! GTP over HTTP: a request is a command of a named session, its answer the reply as text.
//!
//! Commands obey [`RequestLimits`]. Between commands, a session stores the game but no player.

use crate::api_types::Problem;
use crate::game_names::with_game;
use crate::limits::RequestLimits;
use engine::play::{playable::Playable, player_notation::Notation};
use protocols::{Action, INPUT_GRACE, Output, Protocol, ProtocolKind, SessionConfig};
use std::{
    sync::{
        Arc, Mutex, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

/// Maximum number of open sessions; one more replaces the session unused for longest.
pub const MAX_SESSIONS: usize = 16;
const MAX_NAME: usize = 32;

/// Maximum wait for the session's previous command to end.
const MAX_BUSY_WAIT: Duration = Duration::from_secs(1);
const BUSY_POLL_INTERVAL: Duration = Duration::from_millis(2);

struct Session {
    gtp: Mutex<Box<dyn Protocol>>,
    search: Mutex<Option<(Instant, Arc<AtomicBool>)>>,
}

type SharedSession = Arc<Session>;

struct Reply {
    text: String,
    count: usize,
    stop: Arc<AtomicBool>,
}

impl Output for Reply {
    fn write_lines(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
        self.count += 1;
    }

    fn input_pending(&mut self) -> bool {
        // The first write of a streamed reply is only its header.
        self.count > 1 || self.stop.load(Ordering::Relaxed)
    }

    fn stop_flag(&mut self, _: Duration) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

/// Open GTP sessions, by name.
pub struct Sessions {
    limits: RequestLimits,
    all: Mutex<Vec<(String, SharedSession)>>,
}

impl Sessions {
    /// Creates an empty set of sessions, all of whose commands obey `limits`.
    #[must_use]
    pub fn new(limits: RequestLimits) -> Self {
        let all = Mutex::default();
        Self { limits, all }
    }

    /// Whether `name` is valid for a session: at most 32 ASCII letters, digits, `-` and `_`.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || b"-_".contains(&sign);
        name.len() <= MAX_NAME && name.bytes().all(is_sign)
    }

    /// Stops the command of session `name` because a new one arrived, unless it began within
    /// [`INPUT_GRACE`]: then both were sent together.
    pub fn interrupt(&self, name: &str) {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let session = all.iter().find(|(other, _)| other == name);
        let search = session.map(|(_, session)| session.search.lock());
        let search = search.map(|search| search.unwrap_or_else(PoisonError::into_inner));
        if let Some(Some((since, stop))) = search.as_deref()
            && since.elapsed() > INPUT_GRACE
        {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// Replies to a GTP command in session `name`, which is opened if necessary; setting `stop`
    /// ends the command's search.
    ///
    /// # Errors
    ///
    /// If this session or all sessions are busy, this session has crashed, or `stop` is set before
    /// the command begins (then the command has no effect).
    pub fn run_command(
        &self,
        name: &str,
        command: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<String, &'static str> {
        let session = self.get_or_open(name)?;
        let arrival = Instant::now();
        let mut gtp = loop {
            match session.gtp.try_lock() {
                _ if stop.load(Ordering::Relaxed) => return Err("nobody waits for an answer"),
                Ok(gtp) => break gtp,
                Err(TryLockError::WouldBlock) if arrival.elapsed() < MAX_BUSY_WAIT => {
                    sleep(BUSY_POLL_INTERVAL)
                }
                Err(TryLockError::WouldBlock) => return Err("this session is busy; ask again"),
                Err(TryLockError::Poisoned(_)) => {
                    self.close(name);
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
            count: 0,
            stop: Arc::clone(stop),
        };
        match gtp.handle_line(command, &mut reply) {
            Action::Continue => {}
            Action::Quit => self.close(name),
            Action::Replace(other) => *gtp = other,
        }
        *search() = None;
        Ok(reply.text)
    }

    fn get_or_open(&self, name: &str) -> Result<SharedSession, &'static str> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = all.iter().position(|(other, _)| other == name) {
            let used = all.remove(index);
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
        let gtp = open_session(&self.limits, ProtocolKind::Gtp.default_game(), None);
        let gtp = gtp.map_err(|_| "a session cannot be opened")?;
        let session = Arc::new(Session {
            gtp: Mutex::new(gtp),
            search: Mutex::default(),
        });
        all.push((name.to_owned(), Arc::clone(&session)));
        Ok(session)
    }

    fn close(&self, name: &str) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(other, _)| other != name);
    }
}

fn open_session(
    limits: &RequestLimits,
    game: &str,
    player: Option<&Notation>,
) -> Result<Box<dyn Protocol>, Problem> {
    engine::for_games!(with_game! game, rules => session(limits, rules, player))
}

fn session<G: Playable>(
    limits: &RequestLimits,
    game: &G,
    player: Option<&Notation>,
) -> Result<Box<dyn Protocol>, Problem> {
    let (permit_limits, open_limits) = (limits.clone(), limits.clone());
    let permit = move |player: &Notation| {
        let permitted = permit_limits.restrict::<G>(player.clone());
        permitted.map_err(|(_, problem)| format!("player '{player}': {problem}"))
    };
    let open = move |game: &Notation, player: Option<&Notation>| {
        open_session(&open_limits, &game.to_string(), player).map_err(|problem| problem.error)
    };
    let config = SessionConfig {
        player_policy: Arc::new(permit),
        max_time: Duration::from_secs_f64(limits.milliseconds / 1000.0),
        keeps_players: false,
        seed: 1,
        open: Arc::new(open),
        read_file: |_| Err("no file is opened here".to_owned()),
    };
    protocols::open_gtp(game.clone(), player, config).map_err(Problem::invalid_request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_separate_and_limited_and_so_are_their_commands() {
        let sessions = Sessions::new(RequestLimits {
            milliseconds: 100.0,
            ..RequestLimits::default()
        });
        let stop = Arc::default();
        let send = |name: &str, command: &str| sessions.run_command(name, command, &stop).unwrap();
        send("a", "dice 3");
        assert!(send("a", "position").contains(" b 3"));
        assert!(send("b", "position").contains(" b -"));
        assert_eq!(send("a", "quit"), "=\n\n");
        assert!(send("a", "position").contains(" b -"));
        for other in 0..MAX_SESSIONS {
            send(&format!("other{other}"), "name");
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
            let reply = send("", refused);
            assert!(
                reply.starts_with('?') && reply.lines().count() == 2,
                "{reply}"
            );
        }
        let began = std::time::Instant::now();
        for slow in [
            "roll",
            "genmove b 1000",
            "analyze 100000",
            "roll",
            "solve 1000",
        ] {
            assert!(send("", slow).starts_with('='), "{slow}");
        }
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_command_of_a_client_that_is_gone_has_no_effect() {
        let sessions = Sessions::new(RequestLimits::default());
        let send = |command: &str, gone: bool| {
            sessions.run_command("a", command, &Arc::new(AtomicBool::new(gone)))
        };
        assert_eq!(send("dice 3", false), Ok("=\n\n".to_owned()));
        let before = send("position", false).unwrap();
        for command in ["genmove", "clear_board", "set_option ms 5", "quit"] {
            assert!(send(command, true).is_err(), "{command}");
            assert_eq!(send("position", false).unwrap(), before, "{command}");
        }
        let session = sessions.get_or_open("a").unwrap();
        let busy = session.gtp.lock().unwrap();
        let began = Instant::now();
        assert!(send("genmove", true).is_err() && began.elapsed() < MAX_BUSY_WAIT);
        drop(busy);
    }

    #[test]
    fn another_command_ends_a_search_and_so_does_the_end_of_its_client() {
        let sessions = Sessions::new(RequestLimits {
            milliseconds: 600_000.0,
            ..RequestLimits::default()
        });
        let send = |command: &str| sessions.run_command("a", command, &Arc::default()).unwrap();
        let stops: [fn(&Sessions, &AtomicBool); 2] = [
            |sessions, _| sessions.interrupt("a"),
            |_, gone| gone.store(true, Ordering::Relaxed),
        ];
        for player in ["star1(ms=600000)", "mcts(ms=600000)"] {
            assert!(
                send(&format!("set_option player {player}")).starts_with('='),
                "{player}"
            );
            for (number, end) in stops.iter().cycle().take(10).enumerate() {
                send("clear_board");
                send("roll");
                let gone = Arc::new(AtomicBool::new(false));
                std::thread::scope(|scope| {
                    let answer = scope.spawn(|| {
                        let command =
                            ["genmove", "lz-analyze 60000", "lz-genmove_analyze"][number % 3];
                        (
                            sessions.run_command("a", command, &gone).unwrap(),
                            Instant::now(),
                        )
                    });
                    while sessions
                        .get_or_open("a")
                        .unwrap()
                        .search
                        .lock()
                        .unwrap()
                        .is_none()
                    {
                        sleep(BUSY_POLL_INTERVAL);
                    }
                    sleep(Duration::from_millis(5 + 3 * number as u64));
                    let ended = Instant::now();
                    end(&sessions, &gone);
                    let (reply, answered) = answer.join().unwrap();
                    assert!(
                        reply.starts_with('=') && reply.ends_with("\n\n"),
                        "{player}: {reply}"
                    );
                    let took = answered.saturating_duration_since(ended);
                    assert!(took < Duration::from_secs(5), "{player}: {took:?}");
                });
                assert!(send("name").contains("Alea"));
            }
        }
    }
}
