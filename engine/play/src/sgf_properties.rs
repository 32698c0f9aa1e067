//! Parser of games as properties, as in SGF and GGF: `(;PB[name]SZ[8];W[d4];B[e5])`. Of variations
//! only the first is read.
//!
//! Numbers (boards of a GGF match) and lines with `#` may precede a game. A `]` without a valid
//! continuation belongs to the value, since programs do not escape names.

use super::registry::PlainGame;
use alea_core::{
    search_game::SearchGame,
    text::{TextError, error_at, from_utf8_or_latin1},
};

/// A property with one value, such as `B[c3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SgfProperty {
    /// Name in capital letters.
    pub name: String,
    /// Value, with escapes resolved.
    pub value: String,
    /// Character index of the value in the file's text.
    pub at: usize,
}

/// Properties of one game in order, or its first error.
pub type SgfProperties = Result<Vec<SgfProperty>, TextError>;

type Read<G> = Result<PlainGame<G>, TextError>;

type ReadOtherText<G> = fn(&G, &str) -> Vec<Read<G>>;

/// Parses all games of a file: those in properties with `one`, given the character index of their
/// start, files in another format with `others`. `escapes`: `\` escapes a character, as in SGF.
pub fn read_games<G: SearchGame>(
    game: &G,
    bytes: &[u8],
    escapes: bool,
    one: fn(&G, usize, SgfProperties) -> Read<G>,
    others: Option<ReadOtherText<G>>,
) -> Vec<Read<G>> {
    let text = match from_utf8_or_latin1(bytes) {
        Ok(text) => text,
        Err(problem) => return vec![error_at(1, problem)],
    };
    let signs: Vec<char> = text.chars().collect();
    let results: Vec<_> = match others.filter(|_| !is_property_text(&signs)) {
        Some(others) => others(game, &text),
        None => split_games(&signs, escapes)
            .map(|(begin, properties)| one(game, begin, properties))
            .collect(),
    };
    let results = results.into_iter();
    results
        .map(|result| result.map_err(|error| error.relative_to_line(&text)))
        .collect()
}

/// Parses each line with `row`, given the character index of the line's start; drops games without
/// plies.
pub fn read_game_per_line<G: SearchGame>(
    game: &G,
    text: &str,
    row: fn(&G, &str, usize) -> Read<G>,
) -> Vec<Read<G>> {
    let (mut results, mut begin) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let read = row(game, line, begin);
        results
            .extend(Some(read).filter(|read| !matches!(read, Ok(read) if read.plies.is_empty())));
        begin += line.chars().count();
    }
    results
}

fn split_games(signs: &[char], escapes: bool) -> impl Iterator<Item = (usize, SgfProperties)> {
    let mut reader = Reader {
        signs,
        escapes,
        next: 0,
    };
    std::iter::from_fn(move || {
        reader.skip_to_game().then(|| {
            let begin = reader.next;
            let game = reader.game();
            if game.is_err() {
                reader.next = damaged_game_end(signs, begin, escapes);
            }
            (begin, game)
        })
    })
}

fn is_property_text(signs: &[char]) -> bool {
    let mut reader = Reader {
        signs,
        escapes: false,
        next: 0,
    };
    reader.skip_to_game() && reader.peek() == Some('(')
}

struct Reader<'a> {
    signs: &'a [char],
    escapes: bool,
    next: usize,
}

impl Reader<'_> {
    fn skip_while(&mut self, passes: impl Fn(char) -> bool) {
        let rest = self.signs[self.next..].iter();
        self.next += rest.take_while(|&&sign| passes(sign)).count();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_while(char::is_whitespace);
        self.signs.get(self.next).copied()
    }

    fn skip_to_game(&mut self) -> bool {
        loop {
            self.skip_while(|sign| sign.is_whitespace() || sign.is_ascii_digit());
            match self.signs.get(self.next) {
                Some('#') => self.skip_while(|sign| sign != '\n'),
                sign => return sign.is_some(),
            }
        }
    }

    fn game(&mut self) -> SgfProperties {
        if self.peek() != Some('(') {
            return error_at(self.next + 1, "expected '(', which begins a game");
        }
        let (mut depth, mut is_main, mut line) = (0, true, Vec::new());
        loop {
            match self.peek() {
                Some(';') => self.next += 1,
                Some('(') if depth > 0 && begins_game(self.signs, self.next, self.escapes) => {
                    return error_at(self.next + 1, "expected ')', found another game");
                }
                Some('(') => {
                    depth += 1;
                    self.next += 1;
                }
                Some(')') => {
                    (depth, is_main) = (depth - 1, false);
                    self.next += 1;
                    if depth == 0 {
                        return Ok(line);
                    }
                }
                _ => {
                    let properties = self.property()?;
                    line.extend(Some(properties).filter(|_| is_main).into_iter().flatten());
                }
            }
        }
    }

    fn property(&mut self) -> SgfProperties {
        let begin = self.next;
        self.skip_while(|sign| sign.is_ascii_alphabetic());
        let name: String = self.signs[begin..self.next].iter().collect();
        if name.is_empty() || self.peek() != Some('[') {
            return error_at(self.next + 1, "expected a property, as W[d4]");
        }
        let mut properties = Vec::new();
        while self.peek() == Some('[') {
            self.next += 1;
            properties.push(SgfProperty {
                name: name.to_ascii_uppercase(),
                at: self.next,
                value: self.value()?,
            });
        }
        Ok(properties)
    }

    fn value(&mut self) -> Result<String, TextError> {
        let mut value = String::new();
        loop {
            let Some(&sign) = self.signs.get(self.next) else {
                return error_at(self.signs.len() + 1, "expected ']', found the end");
            };
            if sign == '(' && begins_game(self.signs, self.next, self.escapes) {
                return error_at(self.next + 1, "expected ']', found another game");
            }
            self.next += 1;
            match sign {
                ']' if self.closes_value() => return Ok(value),
                '\\' if self.escapes => {
                    value.extend(self.signs.get(self.next));
                    self.next += 1;
                }
                sign => value.push(sign),
            }
        }
    }

    fn closes_value(&self) -> bool {
        let mut rest = self.signs[self.next..].iter().copied();
        let mut rest = rest.by_ref().skip_while(|sign| sign.is_whitespace());
        match rest.next() {
            None | Some('[' | ';' | '(' | ')') => true,
            Some(first) => {
                let next = rest.find(|sign| !sign.is_ascii_alphabetic() && !sign.is_whitespace());
                first.is_ascii_alphabetic() && next == Some('[')
            }
        }
    }
}

/// Names of properties that only a game's first node has.
const ROOT_PROPERTIES: [&str; 12] = [
    "AP", "CA", "DT", "EV", "FF", "GC", "GM", "GN", "PB", "PC", "PW", "SZ",
];

/// Whether the `(` at `at` begins a game, even within a damaged one: a root property follows, and
/// with `in_line` (needed with variations) the `(` starts its line.
fn begins_game(signs: &[char], at: usize, in_line: bool) -> bool {
    let is_first = match signs[at..] {
        ['(', ';', a, b, '[', ..] => ROOT_PROPERTIES.iter().any(|first| first.chars().eq([a, b])),
        _ => false,
    };
    let mut before = signs[..at].iter().rev();
    let mut before = before
        .by_ref()
        .skip_while(|&&sign| sign == ' ' || sign.is_ascii_digit());
    is_first && (!in_line || before.next().is_none_or(|&sign| sign == '\n'))
}

fn damaged_game_end(signs: &[char], begin: usize, in_line: bool) -> usize {
    if signs[begin] != '(' {
        let length = signs[begin..].iter().take_while(|&&sign| sign != '(');
        return begin + length.count();
    }
    let (mut depth, mut in_value, mut at) = (0, false, begin);
    while let Some(&sign) = signs.get(at) {
        if at > begin && begins_game(signs, at, in_line) {
            return at;
        }
        match sign {
            '\\' if in_value => at += 1,
            '[' => in_value = true,
            ']' => in_value = false,
            '(' if !in_value => depth += 1,
            ')' if !in_value => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth <= 0 && sign == ')' && !in_value {
            return at;
        }
    }
    signs.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, escapes: bool) -> Vec<String> {
        let signs: Vec<char> = text.chars().collect();
        let shown = split_games(&signs, escapes).map(|(_, game)| match game {
            Ok(all) => {
                let all = all.iter().map(|one| format!("{}={}", one.name, one.value));
                all.collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.character.to_string(),
        });
        shown.collect()
    }

    #[test]
    fn games_are_read_as_programs_write_them() {
        for (text, expected) in [
            ("", &[][..]),
            ("(;)", &[""]),
            ("(;PB[a\\]b]b[d4])", &["PB=a]b B=d4"]),
            ("(;PB[[x] a]PW[b]c] ;W[d4])", &["PB=[x] a PW=b]c W=d4"]),
            ("(;AB[a1][b2]\n[c3])", &["AB=a1 AB=b2 AB=c3"]),
            (
                "(;W[a](;B[b];W[c](;B[d])(;B[e]))(;B[f](;W[g])))",
                &["W=a B=b W=c B=d"],
            ),
            ("(;W[a]\n(;B[b])\n(;B[c]))(;W[d])", &["W=a B=b", "W=d"]),
            ("# all\n2 (;W[a];)(;W[b];)\n# end", &["W=a", "W=b"]),
            ("(;W[a]\n(;W[b])", &["15"]),
            ("(;W[a\n(;SZ[8]W[b])", &["7", "SZ=8 W=b"]),
            ("(;W[a]\n(;SZ[8]W[b])", &["8", "SZ=8 W=b"]),
            (
                "(;W a]\n1 (;SZ[8]W[b])x(;W[c])",
                &["5", "SZ=8 W=b", "22", "W=c"],
            ),
        ] {
            assert_eq!(read(text, true), expected, "{text}");
        }
        assert_eq!(read("(;PB[a\\]W[b])", false), ["PB=a\\ W=b"]);
    }
}
