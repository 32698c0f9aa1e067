//! Alea as an engine in the line protocols that other programs speak: GTP, TCGA, UBGI and NBoard.
//!
//! A protocol hears lines and says lines; where they come from and go to is the caller's business
//! ([`Outside`]), and what a line may name and cost, too ([`Terms`]). Invariant: whatever is heard,
//! what is said is well formed, what is refused changes nothing, and the conversation goes on until
//! it is told to quit.

mod clock;
mod games;
mod gtp;
mod nboard;
mod session;
mod tcga;
mod ubgi;

pub use games::ProtocolGame;

use engine::core::text::{is_obeyed, shortened};
use engine::play::notation::Notation;
use session::Session;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Bytes of the longest line that is heard; of a longer one it is enough to give one byte more.
pub const MAX_LINE: usize = 1 << 16;

/// Characters of a refusal at most.
const MAX_REFUSAL: usize = 1000;

/// A conversation in a line protocol.
pub trait Protocol: Send {
    /// Answers a line, which is given without its end.
    fn handle_line(&mut self, line: &str, outside: &mut dyn Outside) -> Next;
}

/// What comes after a line.
pub enum Next {
    /// The next one.
    Line,
    /// Nothing.
    End,
    /// The next one, to be heard by another: the game has changed.
    Other(Box<dyn Protocol>),
}

/// Who is talked with.
pub trait Outside {
    /// Says some lines, at once; the end of the last one is added.
    fn say(&mut self, text: &str);

    /// Whether the next line is there already, or nobody listens any more: what would go on for
    /// ever ends.
    fn calls(&mut self) -> bool;

    /// The stop flag of a search that begins now: it is set by whatever is heard, and by the end of
    /// what can be heard, later than `ahead` after the line that is answered was. What comes before
    /// was sent ahead, and waits.
    fn stop_flag(&mut self, ahead: Duration) -> Arc<AtomicBool>;
}

/// What is heard so soon after the line that a search answers was sent ahead, as by a script, and
/// does not end it.
pub const AHEAD: Duration = Duration::from_millis(2);

/// Keeps what is said, and does not let an answer go on after its first part.
impl Outside for String {
    fn say(&mut self, text: &str) {
        *self += text;
        self.push('\n');
    }

    fn calls(&mut self) -> bool {
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

/// What may be named and spent.
#[derive(Clone)]
pub struct Terms {
    /// Which players may be asked.
    pub permit: Permit,
    /// The longest search that a line may ask for.
    pub longest: Duration,
    /// Whether a player is kept from one line to the next, with all that it remembers.
    pub keeps_players: bool,
    /// Decides starts, rolls and all random choices of players.
    pub seed: u64,
    /// Begins conversations about other games.
    pub open: Open,
    /// Reads a file that a line names, or says in one line why it is not read.
    pub read_file: ReadFile,
}

/// The text of the file of a path, or in one line why there is none.
pub type ReadFile = fn(&str) -> Result<String, String>;

/// A player's notation as it may be asked, or in one line why it may not.
pub type Permit = Arc<dyn Fn(&Notation) -> Result<Notation, String> + Send + Sync>;

/// Begins a conversation about the game of a notation, with a player or the usual one; or says in
/// one line why there is none.
pub type Open =
    Arc<dyn Fn(&Notation, Option<&Notation>) -> Result<Box<dyn Protocol>, String> + Send + Sync>;

/// Begins a conversation about a game, with a player or else the strongest that decides within a
/// second. Game and player may name files and programs if they are trusted; what lines name is not.
///
/// # Errors
/// In one line, if the protocol is for other games, or the player is none or may not be asked.
pub fn engine<G: ProtocolGame>(
    speech: ProtocolKind,
    game: G,
    player: Option<&Notation>,
    terms: Terms,
) -> Result<Box<dyn Protocol>, String> {
    let only = speech.usual_game();
    if matches!(speech, ProtocolKind::Tcga | ProtocolKind::NBoard) && G::NAME != only {
        return Err(format!(
            "game '{}': this protocol is for {only}",
            game.notation()
        ));
    }
    let session = Session::open(game, player, terms)?;
    Ok(match speech {
        ProtocolKind::Gtp => talk::<G, gtp::Gtp>(session),
        ProtocolKind::Tcga => talk::<G, tcga::Tcga>(session),
        ProtocolKind::Ubgi => talk::<G, ubgi::Ubgi>(session),
        ProtocolKind::NBoard => talk::<G, nboard::NBoard>(session),
    })
}

impl ProtocolKind {
    /// The game where none is named.
    #[must_use]
    pub fn usual_game(self) -> &'static str {
        match self {
            Self::NBoard => "reversi",
            _ => "einstein",
        }
    }
}

/// How lines are understood and answered in a protocol, and what it remembers beside the game.
trait Answers<G: ProtocolGame>: Default + Send {
    /// What a line begins with that tells a problem.
    const PROBLEM: &'static str;

    /// The lines that answer, if there are any which have not been said.
    fn answer(
        &mut self,
        session: &mut Session<G>,
        line: &str,
        outside: &mut dyn Outside,
    ) -> Result<String, String>;
}

struct Conversation<G: ProtocolGame, A> {
    session: Session<G>,
    answers: A,
}

fn talk<G: ProtocolGame, A: Answers<G> + 'static>(session: Session<G>) -> Box<dyn Protocol> {
    let answers = A::default();
    Box::new(Conversation { session, answers })
}

impl<G: ProtocolGame, A: Answers<G>> Protocol for Conversation<G, A> {
    fn handle_line(&mut self, line: &str, outside: &mut dyn Outside) -> Next {
        match self.answers.answer(&mut self.session, line, outside) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => outside.say(&text),
            Err(problem) => outside.say(&format!("{} {}", A::PROBLEM, one_line(&problem))),
        }
        self.session.next()
    }
}

/// The words of a line.
fn words(line: &str) -> Result<Vec<&str>, String> {
    not_too_long(line)?;
    Ok(line.split_whitespace().collect())
}

/// A refusal as one line.
fn one_line(problem: &str) -> String {
    shortened(&problem.replace(is_obeyed, " "), MAX_REFUSAL)
}

fn not_too_long(line: &str) -> Result<(), String> {
    let fits = line.len() <= MAX_LINE;
    fits.then_some(())
        .ok_or_else(|| format!("a line has at most {MAX_LINE} bytes"))
}

/// Seconds, up to a year.
fn seconds(word: &str) -> Option<Duration> {
    let seconds: f64 = word.parse().ok()?;
    (0.0..=31_536_000.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}
