//! Player notation: `name(key=value, …)`, such as `star1(depth=4, eval=schwarz)`. [`super::build`]
//! defines names and keys.
//!
//! Only text from [`trusted_text`] may name files and programs, not that of records, models and
//! protocols.

use alea_core::text::{joined, printable, shorten, suggestion};
use std::{fmt, ops::RangeInclusive, str::FromStr};

/// Text of a notation, and whether it may name files and programs.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    text: &'t str,
    is_trusted: bool,
}

/// Text by the program's own user, which may name files and programs.
#[must_use]
pub fn trusted_text(text: &str) -> Text<'_> {
    let is_trusted = true;
    Text { text, is_trusted }
}

impl<'t> Text<'t> {
    /// The text alone.
    #[must_use]
    pub fn as_str(self) -> &'t str {
        self.text
    }
}

impl<'t, S: AsRef<str> + ?Sized> From<&'t S> for Text<'t> {
    /// Untrusted text, by anybody else: may name no files or programs.
    fn from(text: &'t S) -> Self {
        Self {
            text: text.as_ref(),
            is_trusted: false,
        }
    }
}

/// A parsed notation: a name with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Notation {
    /// Name, number or text, without quotation marks.
    pub name: String,
    /// Arguments, in order.
    pub arguments: Vec<Argument>,
    /// Index of the first character in the parsed text, from 1.
    pub character: usize,
    is_trusted: bool,
}

/// `key=value`, or a value alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Key; `None` for a value alone.
    pub key: Option<String>,
    /// Value.
    pub value: Notation,
    /// Index of the first character in the parsed text, from 1.
    pub character: usize,
}

/// An error at a character of a player notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "player notation '{}', character {character}: {}",
    printable(text),
    printable(problem)
)]
pub struct NotationError {
    /// Complete text of the notation.
    pub text: String,
    /// Index in `text` of the character with the problem, from 1.
    pub character: usize,
    /// What is wrong, and the right form.
    pub problem: String,
}

/// Index of a character in a notation's text, from 1, and what is wrong there.
pub type Problem = (usize, String);

impl NotationError {
    pub(super) fn from_problem<'t>(
        text: impl Into<Text<'t>>,
        (character, problem): Problem,
    ) -> Self {
        Self {
            text: text.into().text.to_owned(),
            character,
            problem,
        }
    }
}

/// Maximal nesting, to protect the stack.
const MAX_NESTING: usize = 16;

impl Notation {
    /// Parses one notation.
    ///
    /// # Errors
    /// If the text is not of the form `name` or `name(arguments)`.
    pub fn parse<'t>(text: impl Into<Text<'t>>) -> Result<Self, NotationError> {
        Self::parse_text(text.into())
    }

    fn parse_text(text: Text<'_>) -> Result<Self, NotationError> {
        let mut reader = Reader {
            characters: text.text.chars().collect(),
            next: 0,
            is_trusted: text.is_trusted,
        };
        let read = reader.notation(0).and_then(|notation| match reader.peek() {
            None => Ok(notation),
            Some(found) => Err((
                reader.next + 1,
                format!("nothing may follow the player, found '{found}'"),
            )),
        });
        read.map_err(|problem| NotationError::from_problem(text, problem))
    }

    /// An untrusted name or number without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: Vec::new(),
            character: 1,
            is_trusted: false,
        }
    }

    /// An untrusted text without arguments, which can be printed in quotation marks and parsed
    /// again.
    ///
    /// # Errors
    /// If the text has both kinds of quotation marks.
    pub fn from_text(text: &str) -> Result<Self, String> {
        match text.contains('"') && text.contains('\'') {
            true => Err("it has apostrophes and quotation marks, and may have one kind".to_owned()),
            false => Ok(Self::new(text)),
        }
    }

    /// Returns `path`, a file or program, if this notation is trusted.
    ///
    /// # Errors
    /// If the notation is not from [`trusted_text`].
    pub fn trusted_path<'p>(&self, path: &'p str) -> Result<&'p str, Problem> {
        self.is_trusted.then_some(path).ok_or_else(|| {
            let path = shorten(path, 80);
            self.problem_here(format!(
                "'{path}' names a file or a program, which only your own command line and settings may: what others wrote opens and starts nothing"
            ))
        })
    }

    /// First notation in this one that is neither trusted nor a number.
    pub(super) fn untrusted_part(&self) -> Option<&Self> {
        let is_number = || self.arguments.is_empty() && self.name.parse::<f64>().is_ok();
        if !self.is_trusted && !is_number() {
            return Some(self);
        }
        let mut values = self.arguments.iter().map(|argument| &argument.value);
        values.find_map(Self::untrusted_part)
    }

    #[must_use]
    pub(super) fn reparsed_as_printed(&self) -> Self {
        fn trust_as(placed: &mut Notation, notation: &Notation) {
            placed.is_trusted = notation.is_trusted;
            for (placed, argument) in placed.arguments.iter_mut().zip(&notation.arguments) {
                trust_as(&mut placed.value, &argument.value);
            }
        }
        let mut placed = Self::parse(&self.to_string()).unwrap_or_else(|_| self.clone());
        trust_as(&mut placed, self);
        placed
    }

    /// A [`Problem`] at this notation's first character.
    pub fn problem_here(&self, problem: impl Into<String>) -> Problem {
        (self.character, problem.into())
    }

    pub(super) fn name_if_plain(&self) -> Option<&str> {
        self.arguments.is_empty().then_some(&*self.name)
    }

    /// Value of the first argument with `key`.
    #[must_use]
    pub fn argument(&self, key: &str) -> Option<&Self> {
        let arguments = self.arguments.iter();
        let mut of_key = arguments.filter(|arg| arg.key.as_deref() == Some(key));
        of_key.next().map(|arg| &arg.value)
    }

    /// Removes all arguments with these keys.
    #[must_use]
    pub fn without_arguments(mut self, keys: &[&str]) -> Self {
        let arguments = &mut self.arguments;
        arguments.retain(|arg| arg.key.as_deref().is_none_or(|key| !keys.contains(&key)));
        self
    }

    /// Appends an argument, unless `value` is `None`.
    #[must_use]
    pub fn with_argument(mut self, key: &str, value: impl Into<Option<Self>>) -> Self {
        self.arguments.extend(value.into().map(|value| Argument {
            key: Some(key.to_owned()),
            character: value.character,
            value,
        }));
        self
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_word(formatter, &self.name)?;
        if !self.arguments.is_empty() {
            write!(formatter, "(")?;
            for (index, argument) in self.arguments.iter().enumerate() {
                let separator = if index > 0 { ", " } else { "" };
                write!(formatter, "{separator}")?;
                if let Some(key) = &argument.key {
                    write_word(formatter, key)?;
                    write!(formatter, "=")?;
                }
                write!(formatter, "{}", argument.value)?;
            }
            write!(formatter, ")")?;
        }
        Ok(())
    }
}

fn write_word(formatter: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
    let plain = !word.is_empty() && !word.starts_with('\'') && word.chars().all(is_word_character);
    let quote = match plain {
        true => "",
        false if word.contains('"') => "'",
        false => "\"",
    };
    write!(formatter, "{quote}{word}{quote}")
}

fn is_word_character(character: char) -> bool {
    !character.is_whitespace() && !matches!(character, '(' | ')' | ',' | '=' | '"')
}

struct Reader {
    characters: Vec<char>,
    next: usize,
    is_trusted: bool,
}

impl Reader {
    fn peek(&mut self) -> Option<char> {
        while self
            .characters
            .get(self.next)
            .is_some_and(|character| character.is_whitespace())
        {
            self.next += 1;
        }
        self.characters.get(self.next).copied()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.next += usize::from(found);
        found
    }

    fn expected_problem(&mut self, what: &str) -> Problem {
        let found = self.peek();
        let found = found.map_or("the end".to_owned(), |found| format!("'{found}'"));
        (self.next + 1, format!("expected {what}, found {found}"))
    }

    fn word(&mut self) -> Result<(String, usize), Problem> {
        let quote = self.peek().filter(|begin| ['"', '\''].contains(begin));
        let character = self.next + 1;
        if let Some(quote) = quote {
            let rest = &self.characters[self.next + 1..];
            let Some(length) = rest.iter().position(|&end| end == quote) else {
                let problem = match quote {
                    '"' => "the quoted text has no end; expected '\"'",
                    _ => "the quoted text has no end; expected an apostrophe",
                };
                return Err((character, problem.to_owned()));
            };
            let text = rest[..length].iter().collect();
            self.next += length + 2;
            return Ok((text, character));
        }
        let length = self.characters[self.next..]
            .iter()
            .take_while(|&&letter| is_word_character(letter))
            .count();
        if length == 0 {
            return Err(self.expected_problem("a name or a number"));
        }
        let text = self.characters[self.next..self.next + length]
            .iter()
            .collect();
        self.next += length;
        Ok((text, character))
    }

    fn notation(&mut self, depth: usize) -> Result<Notation, Problem> {
        let (name, character) = self.word()?;
        self.arguments_of(name, character, depth)
    }

    fn arguments_of(
        &mut self,
        name: String,
        character: usize,
        depth: usize,
    ) -> Result<Notation, Problem> {
        let mut arguments = Vec::new();
        if self.eat('(') {
            if depth == MAX_NESTING {
                return Err((
                    self.next,
                    format!("notations nest at most {MAX_NESTING} deep"),
                ));
            }
            while !self.eat(')') {
                if !arguments.is_empty() && !self.eat(',') {
                    return Err(self.expected_problem("',' or ')'"));
                }
                arguments.push(self.argument(depth + 1)?);
            }
        }
        Ok(Notation {
            name,
            arguments,
            character,
            is_trusted: self.is_trusted,
        })
    }

    fn argument(&mut self, depth: usize) -> Result<Argument, Problem> {
        let (word, character) = self.word()?;
        let (key, value) = match self.eat('=') {
            true => (Some(word), self.notation(depth)?),
            false => (None, self.arguments_of(word, character, depth)?),
        };
        Ok(Argument {
            key,
            value,
            character,
        })
    }
}

/// Reader of a notation's arguments; [`Arguments::finish`] refuses the unread ones.
#[derive(Debug)]
pub struct Arguments<'a> {
    notation: &'a Notation,
    taken: Vec<bool>,
    keys: Vec<&'static str>,
}

impl<'a> Arguments<'a> {
    /// All arguments of `notation`, unread.
    #[must_use]
    pub fn of(notation: &'a Notation) -> Self {
        Self {
            notation,
            taken: vec![false; notation.arguments.len()],
            keys: Vec::new(),
        }
    }

    /// Reads the value of `key`, else the first unread value without a key.
    pub fn take(&mut self, key: &'static str) -> Result<Option<&'a Notation>, Problem> {
        self.keys.push(key);
        let arguments = &self.notation.arguments;
        let named = |index: &usize| arguments[*index].key.as_deref() == Some(key);
        let mut all_named = (0..arguments.len()).filter(named);
        let found = all_named.next();
        if let Some(again) = all_named.next() {
            return Err((
                arguments[again].character,
                format!("'{key}' is given twice"),
            ));
        }
        let found = found.or_else(|| {
            (0..arguments.len()).find(|&index| arguments[index].key.is_none() && !self.taken[index])
        });
        Ok(found.map(|index| {
            self.taken[index] = true;
            &arguments[index].value
        }))
    }

    /// Reads the value of `key`, given as `key=…`; `None` if missing.
    pub fn take_named(&mut self, key: &'static str) -> Result<Option<&'a Notation>, Problem> {
        if self.notation.argument(key).is_some() {
            return self.take(key);
        }
        self.keys.push(key);
        Ok(None)
    }

    /// Reads a number within `range`, with or without `key`; `default` if missing.
    pub fn number<T>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<T>,
        default: T,
    ) -> Result<T, Problem>
    where
        T: FromStr + PartialOrd + fmt::Display + Copy,
    {
        self.take(key)?
            .map_or(Ok(default), |value| parse_number(key, value, range))
    }

    /// Reads a number within `range` that has `key`; `None` if missing.
    pub fn number_named<T>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, Problem>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let value = self.take_named(key)?;
        value
            .map(|value| parse_number(key, value, range))
            .transpose()
    }

    /// Reads one of `choices`, named by the value of `key`; the first if missing.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, Problem> {
        let Some(value) = self.take_named(key)? else {
            return Ok(choices[0].1);
        };
        let chosen = choices
            .iter()
            .find(|(name, _)| value.name_if_plain() == Some(name));
        chosen.map(|(_, choice)| *choice).ok_or_else(|| {
            let names = joined(choices.iter().map(|(name, _)| name), " or ");
            value.problem_here(format!("'{key}' is {names}, not '{value}'"))
        })
    }

    /// Refuses unread arguments; returns all keys that were requested.
    pub fn finish(self) -> Result<Vec<&'static str>, Problem> {
        for (argument, taken) in self.notation.arguments.iter().zip(&self.taken) {
            if !taken {
                let keys = match self.keys.is_empty() {
                    true => "none".to_owned(),
                    false => self.keys.join(", "),
                };
                let valid = format!("{} takes {keys}", self.notation.name);
                let problem = match &argument.key {
                    Some(key) => {
                        let meant = suggestion(key, &keys);
                        format!("there is no '{key}' here{meant}; {valid}")
                    }
                    None => format!("one value too many; {valid}"),
                };
                return Err((argument.character, problem));
            }
        }
        Ok(self.keys)
    }
}

/// Parses a number within `range`; `key` is for the error.
pub fn parse_number<T>(key: &str, value: &Notation, range: RangeInclusive<T>) -> Result<T, Problem>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    let number = value.name_if_plain().and_then(|text| text.parse().ok());
    let number = number.filter(|number| range.contains(number));
    let (least, most) = (range.start(), range.end());
    number.ok_or_else(|| {
        value.problem_here(format!(
            "'{key}' is a number from {least} to {most}, not '{value}'"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn notations_nest() {
        let parsed = Notation::parse("MrMonte( 2,40,  FarmerBoy(0) )").unwrap();
        assert_eq!(parsed.to_string(), "MrMonte(2, 40, FarmerBoy(0))");
        assert_eq!(parsed.arguments[2].character, 17);
        let parsed = Notation::parse("star1(depth=4, eval=model:models/x.safetensors)").unwrap();
        assert_eq!(parsed.arguments[1].key.as_deref(), Some("eval"));
        assert_eq!(parsed.arguments[1].value.name, "model:models/x.safetensors");
        let mut spaced = Notation::parse(" random() ").unwrap();
        spaced.character = 1;
        assert_eq!(Notation::parse("random").unwrap(), spaced);
        let parsed = Notation::parse("star1(eval=\"model:a b.x\")").unwrap();
        assert_eq!(parsed.arguments[0].value.name, "model:a b.x");
    }

    #[test]
    fn quoted_words_are_printed_as_they_are_read() {
        let text = r#""a b"("c d"="e, f", "", "="=1)"#;
        assert_eq!(Notation::parse(text).unwrap().to_string(), text);
        let read = Notation::parse(r#"a("b c"="d"( "e" ))"#).unwrap();
        assert_eq!(read.to_string(), r#"a("b c"=d(e))"#);
    }

    #[test]
    fn apostrophes_quote_as_quotation_marks_do() {
        for (text, name, written) in [
            ("a('b, c')", "b, c", r#"a("b, c")"#),
            (r#"a('say "no"')"#, r#"say "no""#, r#"a('say "no"')"#),
            (r#"a("it's")"#, "it's", "a(it's)"),
            ("a(it's)", "it's", "a(it's)"),
            (r#"a("'b'")"#, "'b'", r#"a("'b'")"#),
            ("a('')", "", r#"a("")"#),
        ] {
            let read = Notation::parse(text).unwrap();
            assert_eq!(read.arguments[0].value.name, name);
            assert_eq!(read.to_string(), written);
            assert_eq!(Notation::parse(written).unwrap().to_string(), written);
        }
        let open = Notation::parse("a('b)").unwrap_err();
        assert_eq!(open.character, 3);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(a|\\(|\\)|,|=| |\"|'|\"b c\"|é){0,40}") {
            if let Ok(notation) = Notation::parse(&text) {
                let again = Notation::parse(&notation.to_string()).unwrap();
                prop_assert_eq!(again.to_string(), notation.to_string());
            }
        }
    }
}
