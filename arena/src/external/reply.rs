//! Parser of programs' output: bytes to lines, and a line to a move. Only complete lines are
//! parsed, however the output is split into reads.

use alea_core::text::{is_unprintable, strip_bom};
use alea_play::{
    playable::Playable,
    player::Failure::{self, PlayerFault},
};

pub(super) const MAX_LINE: usize = 4096;

const MAX_BLOCK_BYTES: usize = 1 << 16;

/// Lines that a program may write at any time and that are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatterPolicy {
    /// Skips lines that begin with `#`.
    Comments,
    /// Skips blank lines.
    Blanks,
    /// Skips all lines that do not begin with one of these words.
    AllExcept(&'static [&'static str]),
}

/// Kind of reply that a program gives to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// No reply.
    Nothing,
    /// One line.
    Line,
    /// One line, the first two words of the line sent.
    Greeting,
    /// GTP response: `=` or `?`, then all lines up to an empty one.
    Block,
    /// One line that begins with this word, which is removed.
    Word(&'static str),
}

impl ChatterPolicy {
    fn is_skipped(self, line: &str) -> bool {
        match self {
            Self::Comments => line.starts_with('#'),
            Self::Blanks => line.trim().is_empty(),
            Self::AllExcept(words) => !words.iter().any(|word| line.starts_with(word)),
        }
    }
}

/// Buffer of a program's output that is not yet parsed.
#[derive(Debug)]
pub struct ReplyBuffer {
    bytes: Vec<u8>,
    chatter: ChatterPolicy,
}

impl ReplyBuffer {
    /// Creates an empty buffer that skips the lines of `chatter`.
    #[must_use]
    pub fn new(chatter: ChatterPolicy) -> Self {
        let bytes = Vec::new();
        Self { bytes, chatter }
    }

    /// Appends output of the program.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Removes the next reply from the buffer; `None` while it is incomplete.
    ///
    /// # Errors
    /// If another line comes first, the reply is too long, or a GTP response refuses the request.
    pub fn take_reply(&mut self, reply: Reply) -> Result<Option<String>, Failure> {
        if reply == Reply::Block {
            return self.take_block();
        }
        let Some(line) = self.take_line()? else {
            return Ok(None);
        };
        let Reply::Word(word) = reply else {
            return Ok(Some(line));
        };
        match line.strip_prefix(word) {
            Some(rest) => Ok(Some(rest.trim().to_owned())),
            None => unexpected_reply(&line, &format!(" instead of '{word}'")),
        }
    }

    fn take_block(&mut self) -> Result<Option<String>, Failure> {
        let mut lines: Vec<String> = Vec::new();
        let mut end = 0;
        while let Some(length) = self.bytes[end..].iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(strip_bom(&self.bytes[end..end + length]));
            let line = line.trim().to_owned();
            end += length + 1;
            match (line.is_empty(), lines.is_empty()) {
                (true, true) => {}
                (true, false) => {
                    self.bytes.drain(..end);
                    return answer_of_block(&lines.join(" ")).map(Some);
                }
                (false, true) if !line.starts_with(['=', '?']) => {
                    return unexpected_reply(&line, ", where an answer begins with '=' or '?'");
                }
                (false, _) => lines.push(line),
            }
        }
        self.check_length("an answer", MAX_BLOCK_BYTES)?;
        Ok(None)
    }

    fn check_length(&self, what: &str, max_bytes: usize) -> Result<(), Failure> {
        if self.bytes.len() < max_bytes {
            return Ok(());
        }
        let begins = printable_excerpt(&self.rest());
        let problem = format!("{what} of more than {max_bytes} bytes: '{begins}'");
        Err(PlayerFault(problem))
    }

    fn take_line(&mut self) -> Result<Option<String>, Failure> {
        let mut begin = 0;
        let mut first = None;
        while first.is_none()
            && let Some(length) = self.bytes[begin..].iter().position(|&byte| byte == b'\n')
        {
            if length >= MAX_LINE {
                break;
            }
            let line = String::from_utf8_lossy(strip_bom(&self.bytes[begin..begin + length]));
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

    /// Removes lines to skip and checks that no others are left.
    ///
    /// # Errors
    /// If there is other output.
    pub fn expect_silence(&mut self) -> Result<(), Failure> {
        let line = self.take_line()?;
        let rest = self.rest();
        match line.or_else(|| (!rest.is_empty() && !self.chatter.is_skipped(&rest)).then_some(rest))
        {
            Some(line) => unexpected_reply(&line, " without being asked"),
            None => Ok(()),
        }
    }

    /// Checks, when a program has closed its output, that no line or reply is incomplete.
    ///
    /// # Errors
    /// If there is an incomplete line or block.
    pub fn check_complete(&self) -> Result<(), Failure> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let rest = self.rest();
        Err(PlayerFault(format!(
            "broke off after '{}'",
            printable_excerpt(&rest)
        )))
    }

    fn rest(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

fn unexpected_reply<T>(line: &str, but: &str) -> Result<T, Failure> {
    Err(PlayerFault(format!(
        "said '{}'{but}",
        printable_excerpt(line)
    )))
}

fn answer_of_block(block: &str) -> Result<String, Failure> {
    let text = block[1..].trim_start_matches(|sign: char| sign.is_ascii_digit());
    match block.starts_with('=') {
        true => Ok(text.trim().to_owned()),
        false => Err(PlayerFault(format!(
            "refused, saying '{}'",
            printable_excerpt(text)
        ))),
    }
}

/// Parses a move in our notation as one of the `legal` moves.
///
/// # Errors
/// If it is not legal.
pub fn parse_reply<G: Playable>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    legal: &[G::Move],
    answer: &str,
) -> Result<G::Move, Failure> {
    let quote = printable_excerpt(answer);
    match game.parse_move(position, outcome, answer) {
        Ok(mv) if legal.contains(&mv) => Ok(mv),
        Ok(_) => Err(format!("made the move {quote}, which is not permitted")),
        Err(error) => Err(format!(
            "answered '{quote}', which is no move: {}",
            error.problem
        )),
    }
    .map_err(PlayerFault)
}

pub(super) fn printable_excerpt(line: &str) -> String {
    line.trim()
        .chars()
        .take(40)
        .map(|letter| if is_unprintable(letter) { ' ' } else { letter })
        .collect()
}
