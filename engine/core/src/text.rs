//! Decoding and checking text from people and other programs.

use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
};

/// An error at a character of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {character}: {problem}")]
pub struct TextError {
    /// Number of the character, from 1.
    pub character: usize,
    /// What is wrong there, and what would be valid.
    pub problem: String,
}

impl TextError {
    /// An error at a character, from 1; replaces unprintable characters in `problem`.
    pub fn new(character: usize, problem: impl Into<String>) -> Self {
        Self {
            character,
            problem: printable(&problem.into()).into_owned(),
        }
    }

    /// Counts `character` within its line of `text` instead; `problem` names the line unless it is
    /// the first.
    #[must_use]
    pub fn relative_to_line(self, text: &str) -> Self {
        let before: String = text.chars().take(self.character - 1).collect();
        let in_line = before.rsplit('\n').next().unwrap_or_default();
        let problem = match before.split('\n').count() {
            1 => self.problem,
            line => format!("{} (line {line})", self.problem),
        };
        Self::new(in_line.chars().count() + 1, problem)
    }
}

/// Creates an `Err` of [`TextError::new`].
pub fn error_at<T>(character: usize, problem: impl Into<String>) -> Result<T, TextError> {
    Err(TextError::new(character, problem))
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Strips a UTF-8 byte-order mark.
pub fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Strips a byte-order mark, decodes UTF-8 and converts CR LF to LF.
///
/// # Errors
/// If `bytes` are not UTF-8.
pub fn from_utf8(bytes: &[u8]) -> Result<String, &'static str> {
    match std::str::from_utf8(strip_bom(bytes)) {
        Ok(text) => Ok(text.replace("\r\n", "\n")),
        Err(_) if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") => {
            Err("it is text in UTF-16; save it in UTF-8")
        }
        Err(_) => Err("it is no text in UTF-8"),
    }
}

/// Decodes as [`from_utf8`] does, but lines in other encodings as Latin-1.
///
/// # Errors
/// If `bytes` are UTF-16, or contain a zero byte without being UTF-8.
pub fn from_utf8_or_latin1(bytes: &[u8]) -> Result<String, &'static str> {
    from_utf8(bytes).or_else(|problem| match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(problem),
        _ if bytes.contains(&0) => Err("it is no text"),
        _ => {
            let lines = strip_bom(bytes).split_inclusive(|byte| *byte == b'\n');
            let latin1 = |line: &[u8]| line.iter().copied().map(char::from).collect();
            let decode = |line| match std::str::from_utf8(line) {
                Ok(line) => Cow::Borrowed(line),
                Err(_) => Cow::<str>::Owned(latin1(line)),
            };
            let text: String = lines.map(decode).collect();
            Ok(text.replace("\r\n", "\n"))
        }
    })
}

/// `line` up to its first `#`, trimmed.
pub fn strip_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// Lines that [`strip_comment`] leaves nonempty, with numbers in `text` from 1.
pub fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(strip_comment));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Result of [`read_line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRead {
    /// A complete line.
    Complete,
    /// The beginning of a longer line; the next call continues within this line.
    Truncated,
    /// No line: the text has ended.
    End,
}

/// Reads the next line, or its first `max_length` bytes, without line end and byte-order mark.
pub fn read_line(
    text: &mut impl BufRead,
    max_length: usize,
    line: &mut Vec<u8>,
) -> io::Result<LineRead> {
    line.clear();
    let length = text.take(max_length as u64 + 1).read_until(b'\n', line)?;
    line.drain(..line.len() - strip_bom(line).len());
    Ok(if length == 0 {
        LineRead::End
    } else if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
        LineRead::Complete
    } else if length <= max_length {
        LineRead::Complete
    } else {
        line.truncate(max_length);
        LineRead::Truncated
    })
}

/// Joins items with a separator.
pub fn joined(items: impl IntoIterator<Item: ToString>, separator: &str) -> String {
    let mut text = String::new();
    for (index, item) in items.into_iter().enumerate() {
        text += if index > 0 { separator } else { "" };
        text += &item.to_string();
    }
    text
}

/// Replaces the middle of a text longer than `max_length` characters by ` … `, keeping that many.
pub fn shorten(text: &str, max_length: usize) -> String {
    let length = text.chars().count();
    if length <= max_length {
        return text.to_owned();
    }
    let (begin, end) = (max_length - max_length / 3, max_length / 3);
    let begin = text.chars().take(begin);
    begin
        .chain(" … ".chars())
        .chain(text.chars().skip(length - end))
        .collect()
}

/// Whether a character may garble a terminal or page: control characters, direction marks, line
/// separators.
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// Replaces unprintable characters, line feeds too, by U+FFFD.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(is_unprintable) {
        true => text.replace(is_unprintable, "\u{fffd}").into(),
        false => text.into(),
    }
}

/// Makes text [`printable`], but keeps line feeds.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_unprintable = |character| character != '\n' && is_unprintable(character);
    match text.contains(is_unprintable) {
        true => text.replace(is_unprintable, "\u{fffd}").into(),
        false => text.into(),
    }
}

/// Suffix for errors about unknown names, ` (did you mean 'star2'?)`; empty if none of [`names_in`]
/// `list` is similar.
pub fn suggestion(name: &str, list: &str) -> String {
    const MIN_SIMILARITY: f64 = 0.6;
    const MAX_NAME_BYTES: usize = 64;
    if name.len() > MAX_NAME_BYTES {
        return String::new();
    }
    let similarity = |candidate| strsim::normalized_damerau_levenshtein(name, candidate);
    let rated_names = names_in(list).map(|candidate| (similarity(candidate), candidate));
    let nearest = rated_names.reduce(|best, next| if next.0 > best.0 { next } else { best });
    match nearest {
        Some((similarity, candidate)) if similarity >= MIN_SIMILARITY => {
            format!(" (did you mean '{candidate}'?)")
        }
        _ => String::new(),
    }
}

/// Words of a text such as `star1(depth), mcts; …`, except in parentheses or after `;`.
pub fn names_in(list: &str) -> impl Iterator<Item = &str> {
    let list = list.split(';').next().unwrap_or_default();
    let mut depth = 0;
    let names = list.split(move |sign: char| {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth > 0 || !(sign.is_alphanumeric() || "._-".contains(sign))
    });
    names.filter(|name| !name.is_empty())
}

/// Formats a size in the largest fitting unit: `4.1 kB`.
pub fn format_bytes(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")];
    match units.iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", bytes as f64 / *size as f64),
        None => format!("{bytes} bytes"),
    }
}

/// Parses test cases, one JSON value per line.
///
/// # Panics
/// If a line is no JSON of a `T`.
#[expect(clippy::unwrap_used, reason = "tables of tests")]
pub fn parse_json_rows<T: serde::de::DeserializeOwned>(table: &str) -> impl Iterator<Item = T> {
    table.lines().map(|row| serde_json::from_str(row).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_of_a_list_is_suggested() {
        let list =
            "star2, star1(depth, eval, ms), mcts and random(seed), model:PATH; scores take slope";
        for (name, nearest) in [
            ("strat2", "star2"),
            ("mtcs", "mcts"),
            ("Random", "random"),
            ("star1x", "star1"),
            ("star9", "star2"),
        ] {
            assert_eq!(
                suggestion(name, list),
                format!(" (did you mean '{nearest}'?)")
            );
        }
        for name in ["depht", "slope", "nobody", "", "x", &"star2".repeat(20)] {
            assert_eq!(suggestion(name, list), "");
        }
    }

    #[test]
    fn unprintable_characters_are_replaced() {
        for (text, expected) in [
            ("Müller 李 🎲", "Müller 李 🎲"),
            ("\u{1b}[2Jgone", "�[2Jgone"),
            ("\u{9b}31mred\u{7}", "�31mred�"),
            ("two\nlines\r\n\tmore", "two�lines���more"),
            ("\u{202e}drawkcab\u{2066}\u{feff}", "�drawkcab��"),
            ("a\u{2028}b\u{200b}c\0", "a�b�c�"),
        ] {
            assert_eq!(printable(text), expected);
            let lines = printable_lines(text);
            assert_eq!(lines.replace('\n', "�"), expected);
            assert_eq!(lines.contains('\n'), text.contains('\n'));
        }
    }

    #[test]
    fn lines_have_an_end_or_are_cut() {
        let mut text = &b"four\n\nfiver\nfive"[..];
        let mut line = Vec::new();
        let mut next = |line: &mut Vec<u8>| {
            let read = read_line(&mut text, 4, line).unwrap();
            (read, String::from_utf8(line.clone()).unwrap())
        };
        let expected = [
            (LineRead::Complete, "four"),
            (LineRead::Complete, ""),
            (LineRead::Truncated, "five"),
            (LineRead::Complete, ""),
            (LineRead::Complete, "five"),
            (LineRead::End, ""),
        ];
        let expected = expected.map(|(read, line)| (read, line.to_owned()));
        for (index, expected) in expected.into_iter().enumerate() {
            assert_eq!(next(&mut line), expected, "{index}");
        }
        assert_eq!(format_bytes(22_945_000_000), "22.9 GB");
        assert_eq!(format_bytes(1_000_000), "1.0 MB");
        assert_eq!(format_bytes(4096), "4.1 kB");
        assert_eq!(format_bytes(999), "999 bytes");
        assert_eq!(shorten("short", 5), "short");
        assert_eq!(shorten("abcdefghij", 6), "abcd … ij");
    }

    #[test]
    fn texts_are_read_as_others_write_them() {
        type Text = Result<&'static str, &'static str>;
        let table: [(&[u8], Text, Text); 7] = [
            (b"", Ok(""), Ok("")),
            (b"\xef\xbb\xbfa\r\nb\r", Ok("a\nb\r"), Ok("a\nb\r")),
            ("Ré\n".as_bytes(), Ok("Ré\n"), Ok("Ré\n")),
            (
                b"R\xe9\n\xc3\xa9\r\n",
                Err("it is no text in UTF-8"),
                Ok("Ré\né\n"),
            ),
            (
                b"\xef\xbb\xbfR\xe9",
                Err("it is no text in UTF-8"),
                Ok("Ré"),
            ),
            (
                b"\xff\xfea\0",
                Err("it is text in UTF-16; save it in UTF-8"),
                Err("it is text in UTF-16; save it in UTF-8"),
            ),
            (
                b"\x80\0",
                Err("it is no text in UTF-8"),
                Err("it is no text"),
            ),
        ];
        for (bytes, strict, tolerant) in table {
            assert_eq!(from_utf8(bytes).as_deref().map_err(|error| *error), strict);
            assert_eq!(
                from_utf8_or_latin1(bytes)
                    .as_deref()
                    .map_err(|error| *error),
                tolerant
            );
        }
        let lines: Vec<_> = content_lines("# all\n\n a b # c\nd\n").collect();
        assert_eq!(lines, [(3, "a b"), (4, "d")]);
        let (mut text, mut line) = (&b"\xef\xbb\xbfa\r\n\xef\xbb\xbf\r\nb\r"[..], Vec::new());
        for expected in ["a", "", "b\r"] {
            assert_eq!(
                read_line(&mut text, 9, &mut line).unwrap(),
                LineRead::Complete
            );
            assert_eq!(line, expected.as_bytes());
        }
        assert_eq!(read_line(&mut text, 9, &mut line).unwrap(), LineRead::End);
    }
}
