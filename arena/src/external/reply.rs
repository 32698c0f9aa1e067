//! What a program said, from bytes to answers and from an answer to a move.
//!
//! Knows nothing of processes and pipes, so that any bytes can be tried on it. Invariant: a line is
//! taken whole, in whatever pieces it came.

use engine::core::text::{is_obeyed, without_mark};
use engine::play::{
    playable::Playable,
    player::Failure::{self, PlayerFault},
};

/// Longest line that is read.
pub(super) const MAX_LINE: usize = 4096;

/// Most bytes of an answer of many lines.
const MAX_BLOCK: usize = 1 << 16;

/// What a program may say without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatterPolicy {
    /// Lines that begin with `#`.
    Comments,
    /// Empty lines.
    Blanks,
    /// All lines but those that begin with one of these.
    AllExcept(&'static [&'static str]),
}

/// What answers a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing.
    Nothing,
    /// One line.
    Line,
    /// The first two words of the line that was said.
    Greeting,
    /// As GTP has it: `=` or `?`, and lines up to an empty one.
    Block,
    /// The line that begins with this word.
    Word(&'static str),
}

impl ChatterPolicy {
    /// Whether a line, or what came of it so far, is passed over.
    fn is_skipped(self, line: &str) -> bool {
        match self {
            Self::Comments => line.starts_with('#'),
            Self::Blanks => line.trim().is_empty(),
            Self::AllExcept(words) => !words.iter().any(|word| line.starts_with(word)),
        }
    }
}

/// What was read and is no whole line yet, or not yet looked at.
#[derive(Debug)]
pub struct ReplyBuffer {
    bytes: Vec<u8>,
    chatter: ChatterPolicy,
}

impl ReplyBuffer {
    /// Nothing yet, of a program that may say so much unasked.
    #[must_use]
    pub fn new(chatter: ChatterPolicy) -> Self {
        let bytes = Vec::new();
        Self { bytes, chatter }
    }

    /// What was read now.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Takes an answer, if all of it is there.
    ///
    /// # Errors
    /// If what is there is another, or too long for one.
    pub fn reply(&mut self, reply: Reply) -> Result<Option<String>, Failure> {
        if reply == Reply::Block {
            return self.block();
        }
        let Some(line) = self.line()? else {
            return Ok(None);
        };
        let Reply::Word(word) = reply else {
            return Ok(Some(line));
        };
        match line.strip_prefix(word) {
            Some(rest) => Ok(Some(rest.trim().to_owned())),
            None => unexpected(&line, &format!(" instead of '{word}'")),
        }
    }

    /// Takes an answer of GTP: what follows its sign, in one line.
    fn block(&mut self) -> Result<Option<String>, Failure> {
        let mut lines: Vec<String> = Vec::new();
        let mut end = 0;
        while let Some(length) = self.bytes[end..].iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(without_mark(&self.bytes[end..end + length]));
            let line = line.trim().to_owned();
            end += length + 1;
            match (line.is_empty(), lines.is_empty()) {
                (true, true) => {}
                (true, false) => {
                    self.bytes.drain(..end);
                    return answer_of_block(&lines.join(" ")).map(Some);
                }
                (false, true) if !line.starts_with(['=', '?']) => {
                    return unexpected(&line, ", where an answer begins with '=' or '?'");
                }
                (false, _) => lines.push(line),
            }
        }
        self.check_length("an answer", MAX_BLOCK)?;
        Ok(None)
    }

    /// Refuses what has grown too long without coming to its end.
    fn check_length(&self, what: &str, max_bytes: usize) -> Result<(), Failure> {
        if self.bytes.len() < max_bytes {
            return Ok(());
        }
        let begins = quote(&self.rest());
        let problem = format!("{what} of more than {max_bytes} bytes: '{begins}'");
        Err(PlayerFault(problem))
    }

    /// Takes the first whole line that nobody passes over.
    fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut begin = 0;
        let mut first = None;
        while first.is_none()
            && let Some(length) = self.bytes[begin..].iter().position(|&byte| byte == b'\n')
        {
            // However it came: with its line feed it has one byte more.
            if length >= MAX_LINE {
                break;
            }
            let line = String::from_utf8_lossy(without_mark(&self.bytes[begin..begin + length]));
            if !self.chatter.is_skipped(&line) {
                first = Some(line.trim().to_owned());
            }
            begin += length + 1;
        }
        self.bytes.drain(..begin);
        if first.is_none() {
            self.check_length("a line", MAX_LINE)?;
        }
        Ok(first)
    }

    /// Nothing is there but what is passed over.
    ///
    /// # Errors
    /// If something is.
    pub fn expect_silence(&mut self) -> Result<(), Failure> {
        let line = self.line()?;
        let rest = self.rest();
        // The beginning of a comment is one already.
        match line.or_else(|| (!rest.is_empty() && !self.chatter.is_skipped(&rest)).then_some(rest))
        {
            Some(line) => unexpected(&line, " without being asked"),
            None => Ok(()),
        }
    }

    /// Nothing more can come.
    ///
    /// # Errors
    /// If that is within a line.
    pub fn end(&self) -> Result<(), Failure> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let rest = self.rest();
        Err(PlayerFault(format!("broke off after '{}'", quote(&rest))))
    }

    fn rest(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// A line that should not have been said.
fn unexpected<T>(line: &str, but: &str) -> Result<T, Failure> {
    Err(PlayerFault(format!("said '{}'{but}", quote(line))))
}

/// What GTP's answer says after its sign and number.
fn answer_of_block(block: &str) -> Result<String, Failure> {
    let text = block[1..].trim_start_matches(|sign: char| sign.is_ascii_digit());
    match block.starts_with('=') {
        true => Ok(text.trim().to_owned()),
        false => Err(PlayerFault(format!("refused, saying '{}'", quote(text)))),
    }
}

/// The move that an answer names.
///
/// # Errors
/// If it is none of those that are permitted.
pub fn parse_reply<G: Playable>(
    game: &G,
    position: &G::Position,
    legal: &[G::Move],
    answer: &str,
) -> Result<G::Move, Failure> {
    let quote = quote(answer);
    match game.parse_move(position, answer) {
        Ok(mv) if legal.contains(&mv) => Ok(mv),
        Ok(_) => Err(format!("made the move {quote}, which is not permitted")),
        Err(error) => Err(format!(
            "answered '{quote}', which is no move: {}",
            error.problem
        )),
    }
    .map_err(PlayerFault)
}

/// The beginning of a line, in one line.
pub(super) fn quote(line: &str) -> String {
    line.trim()
        .chars()
        .take(40)
        .map(|letter| if is_obeyed(letter) { ' ' } else { letter })
        .collect()
}
