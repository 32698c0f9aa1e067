//! What a program said, from bytes to answers and from an answer to a move.
//!
//! Knows nothing of processes and pipes, so that any bytes can be tried on it. Invariant: a line is
//! taken whole, in whatever pieces it came.

use engine::play::{
    playable::Playable,
    player::Failure::{self, OfPlayer},
};

/// Longest line that is read.
pub(super) const LONGEST_LINE: usize = 4096;

/// Most bytes of an answer of many lines.
const LONGEST_BLOCK: usize = 1 << 16;

/// What a program may say without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    /// Lines that begin with `#`.
    Comments,
    /// Empty lines.
    Blanks,
    /// All lines but those that begin with one of these.
    Unless(&'static [&'static str]),
}

/// What answers a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing.
    Nothing,
    /// One line.
    Line,
    /// The line that was said, without its last word.
    Greeting,
    /// As GTP has it: `=` or `?`, and lines up to an empty one.
    Block,
    /// The line that begins with this word.
    Word(&'static str),
}

impl Talk {
    /// Whether a line, or what came of it so far, is passed over.
    fn passes(self, line: &str) -> bool {
        match self {
            Self::Comments => line.starts_with('#'),
            Self::Blanks => line.trim().is_empty(),
            Self::Unless(words) => !words.iter().any(|word| line.starts_with(word)),
        }
    }
}

/// What was read and is no whole line yet, or not yet looked at.
#[derive(Debug)]
pub struct Said {
    bytes: Vec<u8>,
    talk: Talk,
}

impl Said {
    /// Nothing yet, of a program that may say so much unasked.
    #[must_use]
    pub fn new(talk: Talk) -> Self {
        let bytes = Vec::new();
        Self { bytes, talk }
    }

    /// What was read now.
    pub fn more(&mut self, bytes: &[u8]) {
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
        let rest = line.strip_prefix(word).map(|rest| rest.trim().to_owned());
        let line = shown(&line);
        let problem = || OfPlayer(format!("said '{line}' instead of '{word}'"));
        rest.ok_or_else(problem).map(Some)
    }

    /// Takes an answer of GTP: what follows its sign, in one line.
    fn block(&mut self) -> Result<Option<String>, Failure> {
        let mut lines: Vec<String> = Vec::new();
        let mut end = 0;
        while let Some(length) = self.bytes[end..].iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&self.bytes[end..end + length]);
            let line = line.trim().to_owned();
            end += length + 1;
            match (line.is_empty(), lines.is_empty()) {
                (true, true) => {}
                (true, false) => {
                    self.bytes.drain(..end);
                    return answer_of_block(&lines.join(" ")).map(Some);
                }
                (false, true) if !line.starts_with(['=', '?']) => {
                    let line = shown(&line);
                    return Err(OfPlayer(format!(
                        "said '{line}', where an answer begins with '=' or '?'"
                    )));
                }
                (false, _) => lines.push(line),
            }
        }
        if self.bytes.len() >= LONGEST_BLOCK {
            return Err(OfPlayer(format!(
                "an answer of more than {LONGEST_BLOCK} bytes: '{}'",
                shown(&self.rest())
            )));
        }
        Ok(None)
    }

    /// Takes the first whole line that nobody passes over.
    fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut begin = 0;
        let mut found = None;
        while found.is_none()
            && let Some(length) = self.bytes[begin..].iter().position(|&byte| byte == b'\n')
        {
            // However it came: with its line feed it has one byte more.
            if length >= LONGEST_LINE {
                break;
            }
            let line = String::from_utf8_lossy(&self.bytes[begin..begin + length]);
            if !self.talk.passes(&line) {
                found = Some(line.trim().to_owned());
            }
            begin += length + 1;
        }
        self.bytes.drain(..begin);
        if found.is_none() && self.bytes.len() >= LONGEST_LINE {
            return Err(OfPlayer(format!(
                "a line of more than {LONGEST_LINE} bytes: '{}'",
                shown(&self.rest())
            )));
        }
        Ok(found)
    }

    /// Nothing is there but what is passed over.
    ///
    /// # Errors
    /// If something is.
    pub fn nothing(&mut self) -> Result<(), Failure> {
        let line = self.line()?;
        let rest = self.rest();
        // The beginning of a comment is one already.
        match line.or_else(|| (!rest.is_empty() && !self.talk.passes(&rest)).then_some(rest)) {
            Some(line) => Err(OfPlayer(format!(
                "said '{}' without being asked",
                shown(&line)
            ))),
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
        Err(OfPlayer(format!("broke off after '{}'", shown(&rest))))
    }

    fn rest(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// What GTP's answer says after its sign and number.
fn answer_of_block(block: &str) -> Result<String, Failure> {
    let text = block[1..].trim_start_matches(|sign: char| sign.is_ascii_digit());
    match block.starts_with('=') {
        true => Ok(text.trim().to_owned()),
        false => Err(OfPlayer(format!("refused, saying '{}'", shown(text)))),
    }
}

/// The move that an answer names.
///
/// # Errors
/// If it is none of those that are permitted.
pub fn answered<G: Playable>(
    game: &G,
    position: &G::Position,
    legal: &[G::Move],
    answer: &str,
) -> Result<G::Move, Failure> {
    let mv = game.parse_move(position, answer).map_err(|error| {
        let problem = error.problem;
        OfPlayer(format!(
            "answered '{}', which is no move: {problem}",
            shown(answer)
        ))
    })?;
    if legal.contains(&mv) {
        Ok(mv)
    } else {
        Err(OfPlayer(format!(
            "made the move {}, which is not permitted",
            shown(answer)
        )))
    }
}

/// The beginning of a line, in one line.
pub(super) fn shown(line: &str) -> String {
    line.trim()
        .chars()
        .take(40)
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}
