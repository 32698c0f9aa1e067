//! What a program said, from bytes to lines and from a line to a move.
//!
//! Knows nothing of processes and pipes, so that any bytes can be tried on it. Invariant: a line is
//! taken whole, in whatever pieces it came.

use engine::play::{
    playable::Playable,
    player::Failure::{self, OfPlayer},
};

/// Longest line that is read.
pub(super) const LONGEST_LINE: usize = 4096;

/// What was read and is no whole line yet, or not yet looked at.
#[derive(Debug, Default)]
pub struct Said(Vec<u8>);

impl Said {
    /// What was read now.
    pub fn more(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// Takes the first whole line that is no comment.
    ///
    /// # Errors
    /// If there is none, and what is there is too long for one.
    pub fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut begin = 0;
        let mut found = None;
        while found.is_none()
            && let Some(length) = self.0[begin..].iter().position(|&byte| byte == b'\n')
        {
            // However it came: with its line feed it has one byte more.
            if length >= LONGEST_LINE {
                break;
            }
            let line = &self.0[begin..begin + length];
            // What begins with '#' is for people.
            if !line.starts_with(b"#") {
                found = Some(String::from_utf8_lossy(line).trim().to_owned());
            }
            begin += length + 1;
        }
        self.0.drain(..begin);
        if found.is_none() && self.0.len() >= LONGEST_LINE {
            return Err(OfPlayer(format!(
                "a line of more than {LONGEST_LINE} bytes: '{}'",
                shown(&self.rest())
            )));
        }
        Ok(found)
    }

    /// Nothing is there but comments.
    ///
    /// # Errors
    /// If something is.
    pub fn nothing(&mut self) -> Result<(), Failure> {
        let line = self.line()?;
        let rest = self.rest();
        // The beginning of a comment is one already.
        match line.or_else(|| (!rest.is_empty() && !rest.starts_with('#')).then_some(rest)) {
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
        if self.0.is_empty() {
            return Ok(());
        }
        let rest = self.rest();
        Err(OfPlayer(format!("broke off after '{}'", shown(&rest))))
    }

    fn rest(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
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
