//! Parts of a game with weights of their own: buckets of networks, phases of n-tuple networks.

use crate::inputs::TupleInputs;
use alea_core::text::joined;
use alea_play::rules::Rules;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Division of a game into numbered parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameParts {
    /// Maximal `Rules::remaining_length` of each part but the last; empty for one part.
    Limits(Vec<u8>),
    /// All parts that the game names, in the order of `GameInfo::parts`.
    Named(Vec<String>),
}

impl Default for GameParts {
    fn default() -> Self {
        Self::WHOLE_GAME
    }
}

impl GameParts {
    /// The undivided game, which is one part.
    pub const WHOLE_GAME: Self = Self::Limits(Vec::new());

    /// Parses limits such as `5,8`, or names such as `contact,race`.
    ///
    /// # Errors
    /// If an item is neither, or numbers and names are mixed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let items = text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty());
        Self::from_items(items.map(|item| item.parse().map_err(|_| item.to_owned())))
    }

    fn from_items(items: impl Iterator<Item = Result<u8, String>>) -> Result<Self, String> {
        let (mut limits, mut names) = (Vec::new(), Vec::new());
        for item in items {
            match item {
                Ok(limit) => limits.push(limit),
                Err(name)
                    if name
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte == b'_') =>
                {
                    names.push(name);
                }
                Err(name) => return Err(format!("'{name}' is neither a number nor a name")),
            }
        }
        match names.is_empty() {
            true => Ok(Self::Limits(limits)),
            false if limits.is_empty() => Ok(Self::Named(names)),
            false => Err("parts are numbers or names, not both".to_owned()),
        }
    }

    /// Number of parts.
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Self::Limits(limits) => limits.len() + 1,
            Self::Named(names) => names.len(),
        }
    }

    /// Whether the game is undivided.
    #[inline]
    pub fn is_whole_game(&self) -> bool {
        self.count() == 1
    }

    /// Maximal `Rules::remaining_length` of each part but the last; empty for named parts.
    pub fn limits(&self) -> &[u8] {
        match self {
            Self::Limits(limits) => limits,
            Self::Named(_) => &[],
        }
    }

    /// Index of a position's part.
    #[inline]
    pub fn index_of<G: Rules>(&self, game: &G, position: &G::Position) -> usize {
        match self {
            Self::Limits(limits) if limits.is_empty() => 0,
            Self::Limits(limits) => part_by_length(limits, game.remaining_length(position)),
            Self::Named(_) => game.part(position),
        }
    }

    /// Checks that limits ascend and leave no part empty, or that names are those of the game's
    /// parts; `what` names the setting.
    ///
    /// # Errors
    /// If not; the message has the valid values.
    pub fn check<G: TupleInputs>(&self, game: &G, what: &str) -> Result<(), String> {
        let limits = match self {
            Self::Named(names) if names.iter().eq(G::INFO.parts) => return Ok(()),
            Self::Named(names) => {
                let known = match G::INFO.parts {
                    [] => "names none".to_owned(),
                    parts => format!("names {}", parts.join(", ")),
                };
                let names = names.join(", ");
                return Err(format!("{what} {names}: {} {known}", G::INFO.name));
            }
            Self::Limits(limits) => limits,
        };
        let remaining = game.remaining_range();
        let (min, max) = (*remaining.start(), *remaining.end());
        let within = |limit: &u8| (min..max).contains(&usize::from(*limit));
        if limits.is_sorted_by(|a, b| a < b) && limits.iter().all(within) {
            return Ok(());
        }
        Err(format!(
            "{what} {limits:?}: numbers of {} must ascend, from {min} to {}",
            G::INFO.remaining_unit,
            max - 1
        ))
    }

    /// Text for the schema of a model's inputs; `what` names the parts.
    pub(crate) fn schema_text<G: TupleInputs>(&self, what: &str) -> String {
        match self {
            Self::Limits(limits) if limits.is_empty() => String::new(),
            Self::Limits(limits) => format!(
                "; {what} by {} up to {}",
                G::INFO.phase_unit(),
                joined(limits, " ")
            ),
            Self::Named(names) => format!("; {what} {}", names.join(" ")),
        }
    }
}

/// Index of the part with this `Rules::remaining_length`; `limits` are those of
/// [`GameParts::Limits`].
#[inline]
pub fn part_by_length(limits: &[u8], remaining: usize) -> usize {
    let below = |bound: &&u8| usize::from(**bound) < remaining;
    limits.iter().filter(below).count()
}

impl<T: AsRef<[u8]>> From<T> for GameParts {
    fn from(limits: T) -> Self {
        Self::Limits(limits.as_ref().to_vec())
    }
}

impl fmt::Display for GameParts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limits(limits) => formatter.write_str(&joined(limits, ",")),
            Self::Named(names) => formatter.write_str(&names.join(",")),
        }
    }
}

impl Serialize for GameParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Limits(limits) => limits.serialize(serializer),
            Self::Named(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for GameParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Item {
            Limit(u8),
            Name(String),
        }
        let items: Vec<Item> = Vec::deserialize(deserializer)?;
        let items = items.into_iter().map(|item| match item {
            Item::Limit(limit) => Ok(limit),
            Item::Name(name) => Err(name),
        });
        Self::from_items(items).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_json_read_back() {
        for (text, json, count) in [
            ("", "[]", 1),
            ("5,8", "[5,8]", 3),
            ("contact,race", r#"["contact","race"]"#, 2),
        ] {
            let parts = GameParts::parse(text).unwrap();
            assert_eq!((parts.to_string(), parts.count()), (text.to_owned(), count));
            assert_eq!(serde_json::to_string(&parts).unwrap(), json);
            assert_eq!(serde_json::from_str::<GameParts>(json).unwrap(), parts);
        }
        assert!(GameParts::parse("5,race").is_err());
        assert!(serde_json::from_str::<GameParts>("[300]").is_err());
    }

    #[test]
    fn a_limit_belongs_to_the_part_below_it() {
        let parts = [1, 5, 6, 8, 9].map(|remaining| part_by_length(&[5, 8], remaining));
        assert_eq!(parts, [0, 0, 1, 1, 2]);
    }
}
