//! Alea as an engine in the line protocols that other programs use: GTP, TCGA, UBGI and NBoard.
//!
//! A protocol maps lines to lines; the caller connects it to streams ([`Output`]) and bounds what a
//! line may name and cost ([`SessionConfig`]). Invariant: every reply is well formed, a refused line
//! changes nothing, and the session goes on until it is told to quit.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clock;
mod gtp;
mod nboard;
mod session;
mod tcga;
mod ubgi;

use alea_core::text::{is_unprintable, shorten};
use alea_play::{notation::Notation, playable::Playable};
use session::Session;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Maximal bytes of a line; of a longer one, one byte more is enough.
pub const MAX_LINE: usize = 1 << 16;

/// Maximal characters of a refusal.
const MAX_REFUSAL: usize = 1000;

/// A session in a line protocol.
pub trait Protocol: Send {
    /// Answers a line, which is given without its end.
    fn handle_line(&mut self, line: &str, output: &mut dyn Output) -> Action;
}

/// The caller's action after a line.
pub enum Action {
    /// Passes on the next line.
    Continue,
    /// Ends the session.
    Quit,
    /// Goes on with another session: the game has changed.
    Replace(Box<dyn Protocol>),
}

/// The connection of a session to its client.
pub trait Output {
    /// Writes lines at once, and the end of the last one.
    fn write_lines(&mut self, text: &str);

    /// Whether the next line has arrived or the client is gone; streaming commands then end.
    fn input_pending(&mut self) -> bool;

    /// The stop flag of a search that begins now. Any input sets it, and the end of input, if it
    /// comes later than `grace` after the line under way; earlier input was sent ahead and waits.
    fn stop_flag(&mut self, grace: Duration) -> Arc<AtomicBool>;
}

/// Input that follows the line of a search sooner was sent ahead, as by a script, and does not end
/// the search.
pub const INPUT_GRACE: Duration = Duration::from_millis(2);

/// Collects output; streaming commands end after their first part.
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

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names")]
pub enum ProtocolKind {
    Gtp,
    Tcga,
    Ubgi,
    NBoard,
}

/// The specs that a session accepts, and its limits.
#[derive(Clone)]
pub struct SessionConfig {
    /// Checks the players that lines name.
    pub player_policy: PlayerPolicy,
    /// The longest search of a line.
    pub max_time: Duration,
    /// Whether a player lives from one line to the next, with its tree and table.
    pub keeps_players: bool,
    /// Seed of starts, rolls and the random choices of players.
    pub seed: u64,
    /// Opens sessions of other games.
    pub open: OpenSession,
    /// Reads a file that a line names.
    pub read_file: ReadFile,
}

/// The text of a file, or in one line why it is not read.
pub type ReadFile = fn(&str) -> Result<String, String>;

/// A player's spec with the limits of the session, or in one line why it is refused.
pub type PlayerPolicy = Arc<dyn Fn(&Notation) -> Result<Notation, String> + Send + Sync>;

/// Opens a session of a game, with a player or the default one; or returns in one line why not.
pub type OpenSession =
    Arc<dyn Fn(&Notation, Option<&Notation>) -> Result<Box<dyn Protocol>, String> + Send + Sync>;

/// Opens a session of a game, with a player or else the strongest that decides within a second. Only
/// trusted specs of game and player may name files and programs.
///
/// # Errors
/// In one line, if the protocol is for other games, or the player is unknown or refused.
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

impl ProtocolKind {
    /// The game of a session that names none.
    #[must_use]
    pub fn default_game(self) -> &'static str {
        match self {
            Self::NBoard => "reversi",
            _ => "einstein",
        }
    }
}

/// Parses and answers the lines of a protocol, with the state that it has beside the session.
trait Handler<G: Playable>: Default + Send {
    /// The first word of a refusal.
    const ERROR_PREFIX: &'static str;

    /// The lines of the reply that are not yet written.
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

/// The words of a line.
fn words(line: &str) -> Result<Vec<&str>, String> {
    check_length(line)?;
    Ok(line.split_whitespace().collect())
}

/// A refusal as one line.
fn one_line(problem: &str) -> String {
    shorten(&problem.replace(is_unprintable, " "), MAX_REFUSAL)
}

fn check_length(line: &str) -> Result<(), String> {
    let fits = line.len() <= MAX_LINE;
    fits.then_some(())
        .ok_or_else(|| format!("a line has at most {MAX_LINE} bytes"))
}

/// Parses seconds, up to a year.
fn seconds(word: &str) -> Option<Duration> {
    let seconds: f64 = word.parse().ok()?;
    (0.0..=31_536_000.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}
