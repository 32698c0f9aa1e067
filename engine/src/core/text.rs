//! Text from outside: what is wrong with it, and no more of it than memory and a line of an error
//! should hold.

use std::io::{self, BufRead, Read};

/// What is wrong with a text, and at which character (counted from 1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {character}: {problem}")]
pub struct TextError {
    /// The character, counted from 1, at which reading failed.
    pub character: usize,
    /// What is wrong there, and what would be right.
    pub problem: String,
}

impl TextError {
    /// A problem at a character, counted from 1. It is told in one line, whatever it quotes.
    pub fn new(character: usize, problem: impl Into<String>) -> Self {
        Self {
            character,
            problem: problem.into().replace(char::is_control, "\u{fffd}"),
        }
    }

    /// The same in a text of several lines: the character counts in its line, named if not the
    /// first.
    #[must_use]
    pub fn in_lines(self, text: &str) -> Self {
        let before: String = text.chars().take(self.character - 1).collect();
        let in_line = before.rsplit('\n').next().unwrap_or_default();
        let problem = match before.split('\n').count() {
            1 => self.problem,
            line => format!("{} (line {line})", self.problem),
        };
        Self::new(in_line.chars().count() + 1, problem)
    }
}

/// A problem at a character, as whoever reads answers.
pub(crate) fn wrong<T>(character: usize, problem: impl Into<String>) -> Result<T, TextError> {
    Err(TextError::new(character, problem))
}

/// What [`read_line`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRead {
    /// A line.
    Whole,
    /// The beginning of a line that is too long; its rest has not been read.
    Beginning,
    /// The end of the text.
    End,
}

/// Reads the next line of a text, without its end, and no more than `most` bytes of it.
pub fn read_line(text: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<LineRead> {
    line.clear();
    // One more, for the line feed.
    let length = text.take(most as u64 + 1).read_until(b'\n', line)?;
    Ok(if length == 0 {
        LineRead::End
    } else if line.pop_if(|last| *last == b'\n').is_some() || length <= most {
        LineRead::Whole
    } else {
        line.truncate(most);
        LineRead::Beginning
    })
}

/// Some things one after the other, with something between them.
pub(crate) fn joined(all: impl IntoIterator<Item: ToString>, between: &str) -> String {
    let mut text = String::new();
    for (place, one) in all.into_iter().enumerate() {
        text += if place > 0 { between } else { "" };
        text += &one.to_string();
    }
    text
}

/// A text in about `most` characters: one that is longer by its beginning and its end.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let (begin, end) = (most - most / 3, most / 3);
    let begin = text.chars().take(begin);
    begin
        .chain(" … ".chars())
        .chain(text.chars().skip(length - end))
        .collect()
}

/// The rows of a test's table, a line of JSON each.
#[cfg(test)]
pub(crate) fn rows<T: serde::de::DeserializeOwned>(table: &str) -> impl Iterator<Item = T> {
    table.lines().map(|row| serde_json::from_str(row).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_an_end_or_are_cut() {
        let mut text = &b"four\n\nfiver\nfive"[..];
        let mut line = Vec::new();
        let mut next = |line: &mut Vec<u8>| {
            let read = read_line(&mut text, 4, line).unwrap();
            (read, String::from_utf8(line.clone()).unwrap())
        };
        let expected = [
            (LineRead::Whole, "four"),
            (LineRead::Whole, ""),
            (LineRead::Beginning, "five"),
            (LineRead::Whole, ""),
            (LineRead::Whole, "five"),
            (LineRead::End, ""),
        ];
        // Of a long line the rest comes next: here nothing.
        let expected = expected.map(|(read, line)| (read, line.to_owned()));
        for (index, expected) in expected.into_iter().enumerate() {
            assert_eq!(next(&mut line), expected, "{index}");
        }
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("abcdefghij", 6), "abcd … ij");
    }
}
