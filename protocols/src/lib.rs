//! Alea as an engine in line protocols: GTP, TCGA, UBGI and NBoard.
//!
//! The caller connects a session to streams ([`Output`]) and bounds what a line may name and cost
//! ([`SessionConfig`]). Replies are well formed, a refused line changes nothing, and the session
//! goes on until told to quit.

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

/// Maximum bytes of a line; longer ones are refused, so the caller may cut them after `MAX_LINE +
/// 1` bytes.
pub const MAX_LINE: usize = 1 << 16;

/// Maximum characters of an error message.
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

    /// Stop flag of a search that begins now, set by input (or its end) later than `grace` after
    /// the current line; earlier input was sent ahead.
    fn stop_flag(&mut self, grace: Duration) -> Arc<AtomicBool>;
}

/// Input within this time after a line was sent ahead, as by a script, and does not stop the line's
/// search.
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

/// What a session permits: players, files, time.
#[derive(Clone)]
pub struct SessionConfig {
    /// Checks and restricts players.
    pub player_policy: PlayerPolicy,
    /// Maximum time of one search.
    pub max_time: Duration,
    /// Whether players, with tree and table, are kept between lines.
    pub keeps_players: bool,
    /// Seed of random starts, rolls and players.
    pub seed: u64,
    /// Opens the next session when the client changes the game.
    pub open: OpenSession,
    /// Reads files that the client names.
    pub read_file: ReadFile,
}

/// Reads a file as text; errors have one line.
pub type ReadFile = fn(&str) -> Result<String, String>;

/// Adds the session's limits to a player's notation, or says in one line why it is refused.
pub type PlayerPolicy = Arc<dyn Fn(&Notation) -> Result<Notation, String> + Send + Sync>;

/// Opens a session, with the default player for `None`; errors have one line.
pub type OpenSession =
    Arc<dyn Fn(&Notation, Option<&Notation>) -> Result<Box<dyn Protocol>, String> + Send + Sync>;

/// Opens a session of `game` with `player` or, for `None`, a search of at most one second per move.
/// Only trusted notations of game and player may name files and programs.
///
/// # Errors
/// One line, if the protocol is for another game, the game not for two seats, or the player unknown
/// or refused.
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

/// Opens GTP, as [`open`] does, for programs that speak no other protocol.
///
/// # Errors
/// One line, if the game is not for two seats, or the player unknown or refused.
pub fn open_gtp<G: Playable>(
    game: G,
    player: Option<&Notation>,
    config: SessionConfig,
) -> Result<Box<dyn Protocol>, String> {
    Session::open(game, player, config).map(start::<G, gtp::Gtp>)
}

impl ProtocolKind {
    /// Game of a session if the user names none.
    #[must_use]
    pub fn default_game(self) -> &'static str {
        match self {
            Self::NBoard => "reversi",
            _ => "einstein",
        }
    }
}

/// Parses one protocol's lines and holds its state.
trait Handler<G: Playable>: Default + Send {
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

/// Parses seconds, at most a year.
fn parse_seconds(word: &str) -> Option<Duration> {
    let seconds: f64 = word.parse().ok()?;
    (0.0..=31_536_000.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}
