//! Alea as an engine in line protocols: GTP, TCGA, UBGI and NBoard.
//!
//! The caller connects a session to streams ([`Output`]) and restricts what lines may name and cost
//! ([`SessionConfig`]). Replies are well formed, a refused line changes nothing, and a session ends
//! only on request.

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

/// Maximum bytes of a line. Longer lines are refused, so the caller may cut lines after `MAX_LINE +
/// 1` bytes.
pub const MAX_LINE: usize = 1 << 16;

const MAX_ERROR_LENGTH: usize = 1000;

/// Session in a line protocol, independent of the game's type.
pub trait Protocol: Send {
    /// Executes a line, given without its line end, and writes the reply to `output`.
    fn handle_line(&mut self, line: &str, output: &mut dyn Output) -> Action;
}

/// What the caller must do after a line.
pub enum Action {
    /// Pass the next line to the same session.
    Continue,
    /// End the session.
    Quit,
    /// Pass the next line to this new session, because the client has changed the game.
    Replace(Box<dyn Protocol>),
}

/// Connection of a session to its client, implemented by the caller.
pub trait Output {
    /// Writes `text`, which may have several lines, and a line end, and flushes.
    fn write_lines(&mut self, text: &str);

    /// True if another line has arrived or the client is gone; commands that report continuously
    /// then end.
    fn input_pending(&mut self) -> bool;

    /// Stop flag of a search that begins now. Input that arrives, or ends, later than `grace` after
    /// the current line must set the flag; earlier input was sent ahead and must not.
    fn stop_flag(&mut self, grace: Duration) -> Arc<AtomicBool>;
}

/// Usual `grace` of [`Output::stop_flag`]: input within this time after a line was sent ahead, as
/// by a script.
pub const INPUT_GRACE: Duration = Duration::from_millis(2);

/// Output collected in memory; commands that report continuously end after one report.
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

/// Line protocol that a session speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names")]
pub enum ProtocolKind {
    Gtp,
    Tcga,
    Ubgi,
    NBoard,
}

/// Restrictions and settings of a session.
#[derive(Clone)]
pub struct SessionConfig {
    /// Checks and restricts the players that the client names.
    pub player_policy: PlayerPolicy,
    /// Maximum time of a search whose time the client sets, and of the default player's moves.
    pub max_time: Duration,
    /// True if players, with search tree and transposition table, are kept from line to line.
    pub keeps_players: bool,
    /// Seed of random starts, rolls and players.
    pub seed: u64,
    /// Opens the new session when the client changes the game.
    pub open: OpenSession,
    /// Reads the files that the client names.
    pub read_file: ReadFile,
}

/// Reads the file with this path as text; an error is one line.
pub type ReadFile = fn(&str) -> Result<String, String>;

/// Returns a player's spec with the session's limits, or the reason, in one line, why the player is
/// refused.
pub type PlayerPolicy = Arc<dyn Fn(&Notation) -> Result<Notation, String> + Send + Sync>;

/// Opens a session from the specs of game and player (`None` for the default player); an error is
/// one line.
pub type OpenSession =
    Arc<dyn Fn(&Notation, Option<&Notation>) -> Result<Box<dyn Protocol>, String> + Send + Sync>;

/// Opens a session of `game` with `player` or, for `None`, a search of at most one second per move.
/// Files and programs may be named only in trusted specs of game and player.
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

/// Opens a GTP session as [`open`] does, for callers that need no other protocol.
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
    /// Name of the game of a session if the user names none.
    #[must_use]
    pub fn default_game(self) -> &'static str {
        match self {
            Self::NBoard => "reversi",
            _ => "einstein",
        }
    }
}

/// Parser of one protocol's lines, with the protocol's own state.
trait Handler<G: Playable>: Default + Send {
    const ERROR_PREFIX: &'static str;

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

fn parse_seconds(word: &str) -> Option<Duration> {
    let seconds: f64 = word.parse().ok()?;
    (0.0..=31_536_000.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}
