//! Alea as an engine in the line protocols that other programs use: GTP, TCGA, UBGI and NBoard.
//!
//! The caller connects a session to streams ([`Output`]) and bounds what a line may name and cost
//! ([`SessionConfig`]). Replies are well formed, a refused line changes nothing, and the session
//! goes on until it is told to quit.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clock;
mod gtp;
mod nboard;
mod session;
mod tcga;
mod ubgi;

use alea_core::text::{is_unprintable, shorten};
use alea_play::{playable::Playable, player_notation::Notation};
use session::Session;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Maximal bytes of a line; longer ones are refused, so the caller may cut them after `MAX_LINE +
/// 1` bytes.
pub const MAX_LINE: usize = 1 << 16;

/// Maximal number of characters of an error message.
const MAX_ERROR_LENGTH: usize = 1000;

/// A session in a line protocol.
pub trait Protocol: Send {
    /// Answers a line, which has no line end.
    fn handle_line(&mut self, line: &str, output: &mut dyn Output) -> Action;
}

/// What the caller does after a line.
pub enum Action {
    /// Passes the next line to this session.
    Continue,
    /// Ends the session.
    Quit,
    /// Passes the next line to this session instead, because the game has changed.
    Replace(Box<dyn Protocol>),
}

/// The connection of a session to its client.
pub trait Output {
    /// Writes the lines of `text` and a final line end, and flushes them.
    fn write_lines(&mut self, text: &str);

    /// Whether another line has arrived or the client is gone; ends streaming commands.
    fn input_pending(&mut self) -> bool;

    /// The stop flag of a search that begins now, set by input (or its end) later than `grace`
    /// after the current line; earlier input was sent ahead.
    fn stop_flag(&mut self, grace: Duration) -> Arc<AtomicBool>;
}

/// Input within this time after the line that starts a search was sent ahead, as by a script, and
/// does not stop the search.
pub const INPUT_GRACE: Duration = Duration::from_millis(2);

/// Collects the output; streaming commands end after their first report.
impl Output for String {
    fn write_lines(&mut self, text: &str) {
        *self += text;
        self.push('\n');
    }

    fn input_pending(&mut self) -> bool {
        true
    }

    fn stop_flag(&mut self, _: Duration) -> Arc<AtomicBool> {
        Arc::default()
    }
}

/// A line protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names")]
pub enum ProtocolKind {
    Gtp,
    Tcga,
    Ubgi,
    NBoard,
}

/// Settings of a session: the players and files that its client may name, time limit, seed, and
/// whether players live from move to move.
#[derive(Clone)]
pub struct SessionConfig {
    /// Checks and restricts the players that the client names.
    pub player_policy: PlayerPolicy,
    /// The longest time of one search.
    pub max_time: Duration,
    /// Whether a player, with its tree and table, is kept between lines.
    pub keeps_players: bool,
    /// Seed of random starts, rolls and players.
    pub seed: u64,
    /// Opens the next session when the client changes the game.
    pub open: OpenSession,
    /// Reads a file that the client names.
    pub read_file: ReadFile,
}

/// Reads a file as text; the error is one line.
pub type ReadFile = fn(&str) -> Result<String, String>;

/// Returns a player's notation with the session's limits added, or one line on why it is refused.
pub type PlayerPolicy = Arc<dyn Fn(&Notation) -> Result<Notation, String> + Send + Sync>;

/// Opens a session of a game with a player or, for `None`, the default one; the error is one line.
pub type OpenSession =
    Arc<dyn Fn(&Notation, Option<&Notation>) -> Result<Box<dyn Protocol>, String> + Send + Sync>;

/// Opens a session of `game` with `player` or, for `None`, a search of one second per move. Only
/// trusted notations of game and player may name files and programs.
///
/// # Errors
/// One line, if the protocol is for another game, or the player is unknown or refused.
pub fn open<G: Playable>(
    protocol_kind: ProtocolKind,
    game: G,
    player: Option<&Notation>,
    config: SessionConfig,
) -> Result<Box<dyn Protocol>, String> {
    let only = protocol_kind.default_game();
    if matches!(protocol_kind, ProtocolKind::Tcga | ProtocolKind::NBoard) && G::INFO.name != only {
        return Err(format!(
            "game '{}': this protocol is for {only}",
            game.notation()
        ));
    }
    let session = Session::open(game, player, config)?;
    Ok(match protocol_kind {
        ProtocolKind::Gtp => start::<G, gtp::Gtp>(session),
        ProtocolKind::Tcga => start::<G, tcga::Tcga>(session),
        ProtocolKind::Ubgi => start::<G, ubgi::Ubgi>(session),
        ProtocolKind::NBoard => start::<G, nboard::NBoard>(session),
    })
}

/// Opens a session of GTP, as [`open`] does, for programs that speak no other protocol.
///
/// # Errors
/// One line, if the player is unknown or refused.
pub fn open_gtp<G: Playable>(
    game: G,
    player: Option<&Notation>,
    config: SessionConfig,
) -> Result<Box<dyn Protocol>, String> {
    Session::open(game, player, config).map(start::<G, gtp::Gtp>)
}

impl ProtocolKind {
    /// The game of a session if the user names none.
    #[must_use]
    pub fn default_game(self) -> &'static str {
        match self {
            Self::NBoard => "reversi",
            _ => "einstein",
        }
    }
}

/// Parses the lines of one protocol and holds the protocol's own state.
trait Handler<G: Playable>: Default + Send {
    /// The first word of an error message.
    const ERROR_PREFIX: &'static str;

    /// Returns the part of the reply that is not yet written to `output`.
    fn handle(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        output: &mut dyn Output,
    ) -> Result<String, String>;
}

struct ProtocolSession<G: Playable, H> {
    session: Session<G>,
    handler: H,
}

fn start<G: Playable, H: Handler<G> + 'static>(session: Session<G>) -> Box<dyn Protocol> {
    let handler = H::default();
    Box::new(ProtocolSession { session, handler })
}

impl<G: Playable, H: Handler<G>> Protocol for ProtocolSession<G, H> {
    fn handle_line(&mut self, line: &str, output: &mut dyn Output) -> Action {
        match self.handler.handle(&mut self.session, line, output) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => output.write_lines(&text),
            Err(problem) => {
                output.write_lines(&format!("{} {}", H::ERROR_PREFIX, one_line(&problem)));
            }
        }
        self.session.take_action()
    }
}

fn split_words(line: &str) -> Result<Vec<&str>, String> {
    check_length(line)?;
    Ok(line.split_whitespace().collect())
}

fn one_line(problem: &str) -> String {
    shorten(&problem.replace(is_unprintable, " "), MAX_ERROR_LENGTH)
}

fn check_length(line: &str) -> Result<(), String> {
    let fits = line.len() <= MAX_LINE;
    fits.then_some(())
        .ok_or_else(|| format!("a line has at most {MAX_LINE} bytes"))
}

/// Parses a number of seconds, up to a year.
fn parse_seconds(word: &str) -> Option<Duration> {
    let seconds: f64 = word.parse().ok()?;
    (0.0..=31_536_000.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}
