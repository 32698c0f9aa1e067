//! Which set-ups the pairs of a match start from.
//!
//! Invariant: the set-ups of a pair depend on nothing but the pair and the match's seed.

use super::content_lines;
use crate::arena::Starts;
use crate::error::{MeasuringError, Result};
use engine::core::{
    files::read_text,
    game::Seat,
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::games::einstein::{
    Position, Standard,
    setup::{SETUPS, setup_index},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Where the stones start.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Setups {
    /// Every pair draws a set-up for Red and one for Blue.
    Random,
    /// Pair `i` takes entry `i` modulo the length: the set-up indices (0–719) of Red and of Blue.
    Index(Vec<(usize, usize)>),
    /// Every pair draws a set-up for Red and one for Blue from a mix: set-up indices and whole
    /// weights.
    Mix(Vec<(usize, u64)>),
}

/// The mix in `data/setups/nash.txt`; `alea atlas` makes others.
const SHIPPED_MIX: &str = include_str!("../../../data/setups/nash.txt");

/// The sixteen best of `data/setups/best.txt` against each other.
const SHIPPED_BEST: &str = include_str!("../../../data/setups/best.txt");

/// What is said where there is nothing to choose from.
const EMPTY: &str = "there is no set-up to start from; give 'random' or at least one RED:BLUE";

impl Setups {
    /// Reads a list: a pair of set-ups a line, Red's and Blue's, each an index or the stones over
    /// the home squares in reading order (`621534`); `#` begins a comment.
    ///
    /// # Errors
    /// If the file cannot be read, a line is no pair of set-ups, or there is none.
    pub fn read_list(path: &Path) -> Result<Self> {
        Self::parse_list(&path.display().to_string(), &read_text(path)?)
    }

    /// The best sixteen set-ups against each other, as they come with the program.
    ///
    /// # Errors
    /// As [`Setups::read_list`].
    pub fn shipped_best() -> Result<Self> {
        Self::parse_list("data/setups/best.txt", SHIPPED_BEST)
    }

    fn parse_list(name: &str, text: &str) -> Result<Self> {
        let mut pairs = Vec::new();
        for (line, content) in content_lines(text) {
            let words =
                content.split(|separator: char| separator.is_whitespace() || separator == ':');
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            pairs.push(parse_pair(&words).ok_or_else(|| {
                format!("{name}:{line}: '{content}' is no pair of set-ups; expected two numbers 0-719, or two orders of 123456")
            })?);
        }
        let list = Self::Index(pairs);
        Ok(list.checked().map(|()| list)?)
    }

    /// Every one of `setups` against every one, each with either side to begin: pair `i` of a match
    /// is begun by Red if `i` is even, so the list holds all meetings twice, the second time one
    /// place further.
    #[must_use]
    pub fn product(setups: &[usize]) -> Self {
        let meetings: Vec<(usize, usize)> = setups
            .iter()
            .flat_map(|&red| setups.iter().map(move |&blue| (red, blue)))
            .collect();
        let mut shifted = meetings.clone();
        // An odd list changes who begins by itself.
        shifted.rotate_left(usize::from(
            meetings.len().is_multiple_of(2) && !meetings.is_empty(),
        ));
        Self::Index([meetings, shifted].concat())
    }

    /// Reads a mix: a whole weight and a set-up a line; `#` begins a comment.
    pub(crate) fn read_mix(path: &Path) -> Result<Self> {
        Self::parse_mix(&path.display().to_string(), &read_text(path)?)
    }

    /// The mix that comes with the program.
    pub(crate) fn shipped_mix() -> Result<Self> {
        Self::parse_mix("data/setups/nash.txt", SHIPPED_MIX)
    }

    fn parse_mix(name: &str, text: &str) -> Result<Self> {
        let mut mix = Vec::new();
        for (line, content) in content_lines(text) {
            mix.push(parse_part(content).ok_or_else(|| {
                format!("{name}:{line}: '{content}' is no part of a mix; expected a whole weight and a set-up (0-719 or an order of 123456)")
            })?);
        }
        let mix = Self::Mix(mix);
        Ok(mix.checked().map(|()| mix)?)
    }

    /// Checks that every named set-up exists and that there is one.
    fn checked(&self) -> Result<(), String> {
        let (is_empty, indices): (bool, Vec<usize>) = match self {
            Self::Random => return Ok(()),
            Self::Index(pairs) => {
                let indices = pairs.iter().flat_map(|&(red, blue)| [red, blue]);
                (pairs.is_empty(), indices.collect())
            }
            Self::Mix(mix) => (
                mix.iter().all(|part| part.1 == 0),
                mix.iter().map(|part| part.0).collect(),
            ),
        };
        if is_empty {
            return Err(EMPTY.to_owned());
        }
        match indices.into_iter().find(|&index| index >= SETUPS) {
            None => Ok(()),
            Some(index) => Err(format!(
                "set-up {index} does not exist; they are numbered 0 to {}",
                SETUPS - 1
            )),
        }
    }

    /// The set-ups of Red and Blue in a pair; checked before.
    fn chosen(&self, pair: u64, pair_seed: u64) -> [usize; 2] {
        let mut random = RandomStream::new(derive_seed(pair_seed, SeedSpace::Arena, &[0]));
        match self {
            Self::Random => [(); 2].map(|()| random.below(SETUPS)),
            Self::Index(pairs) => pairs[(pair % pairs.len() as u64) as usize].into(),
            Self::Mix(mix) => {
                let total: u64 = mix.iter().map(|part| part.1).sum();
                [(); 2].map(|()| drawn(mix, random.below(total as usize) as u64))
            }
        }
    }
}

impl Starts<Standard> for Setups {
    /// Red begins in even pairs, Blue in odd ones.
    fn of_pair(&self, game: &Standard, pair: u64, pair_seed: u64) -> Position {
        game.start(self.chosen(pair, pair_seed), (pair % 2) as Seat)
    }

    fn identity(&self) -> Value {
        json!(self)
    }

    fn words(&self) -> String {
        self.to_string()
    }

    fn check(&self) -> Result<(), String> {
        self.checked()
    }
}

/// The set-up in whose part of the total weight `at` lies.
fn drawn(mix: &[(usize, u64)], mut at: u64) -> usize {
    for &(setup, weight) in mix {
        if at < weight {
            return setup;
        }
        at -= weight;
    }
    mix.last().map_or(0, |part| part.0)
}

impl std::str::FromStr for Setups {
    type Err = MeasuringError;

    /// Reads `random`, `nash`, `nash:FILE`, or pairs such as `0:719, 621534:12`.
    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "random" => return Ok(Self::Random),
            "nash" => return Self::shipped_mix(),
            text => {
                if let Some(path) = text.strip_prefix("nash:") {
                    return Self::read_mix(Path::new(path));
                }
            }
        }
        let pair = |text: &str| {
            let words: Vec<&str> = text.split(':').map(str::trim).collect();
            parse_pair(&words).ok_or_else(|| {
                format!("'{}' is no pair of set-ups; expected 'random', 'nash', 'nash:FILE', or RED:BLUE with two numbers 0-719 or two orders of 123456", text.trim())
            })
        };
        Ok(Self::Index(
            text.split(',').map(pair).collect::<Result<_, _>>()?,
        ))
    }
}

impl std::fmt::Display for Setups {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Random => formatter.write_str("random"),
            Self::Mix(mix) => write!(formatter, "a mix of {} set-ups", mix.len()),
            Self::Index(pairs) if pairs.len() > 4 => {
                write!(formatter, "{} given pairs", pairs.len())
            }
            Self::Index(pairs) => {
                let words: Vec<String> = pairs
                    .iter()
                    .map(|(red, blue)| format!("{red}:{blue}"))
                    .collect();
                formatter.write_str(&words.join(","))
            }
        }
    }
}

fn parse_pair(words: &[&str]) -> Option<(usize, usize)> {
    match words {
        [red, blue] => Some((parse_setup(red)?, parse_setup(blue)?)),
        _ => None,
    }
}

/// A part of a mix: a set-up and its weight, which stands first.
fn parse_part(text: &str) -> Option<(usize, u64)> {
    let [weight, setup] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    // Small enough that all of them add up.
    Some((parse_setup(setup)?, u64::from(weight.parse::<u32>().ok()?)))
}

/// An index, or six stones.
fn parse_setup(word: &str) -> Option<usize> {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if word.len() == 6 {
        return setup_index(&word.bytes().map(|byte| byte - b'0').collect::<Vec<_>>());
    }
    word.parse().ok().filter(|&index| index < SETUPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_ups_are_read_as_numbers_or_orders() {
        assert_eq!("random".parse::<Setups>().unwrap(), Setups::Random);
        assert_eq!(
            "0:719, 654321:123465".parse::<Setups>().unwrap(),
            Setups::Index(vec![(0, 719), (719, 1)])
        );
        for wrong in ["", "5", "720:0", "1:2:3", "123455:0", "-1:0", "a:b", "1:2,"] {
            assert!(wrong.parse::<Setups>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_mix_is_drawn_by_its_weights() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mix");
        std::fs::write(
            &path,
            "# half and a quarter\n300 123456\n100 719 # last\n0 5\n",
        )
        .unwrap();
        let setups = format!("nash:{}", path.display())
            .parse::<Setups>()
            .unwrap();
        assert_eq!(setups, Setups::Mix(vec![(0, 300), (719, 100), (5, 0)]));
        let drawn: Vec<usize> = (0..4000)
            .flat_map(|pair| setups.chosen(pair, derive_seed(1, SeedSpace::Arena, &[pair])))
            .collect();
        let count = |setup: usize| drawn.iter().filter(|&&drawn| drawn == setup).count() as f64;
        // Three quarters of 8000, give or take four standard deviations of 39.
        assert!(
            (count(0) - 6000.0).abs() < 156.0 && count(0) + count(719) == 8000.0,
            "{}",
            count(0)
        );
        assert_eq!([1, 2].map(|at| super::drawn(&[(7, 2), (8, 1)], at)), [7, 8]);
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Setups::read_mix(&path).unwrap_err().to_string()
        };
        assert!(refused("1 0\n2\n").contains("mix:2: '2'"));
        assert!(refused("-1 0\n").contains("mix:1:") && refused("1 720\n").contains("mix:1:"));
        assert!(refused("0 3\n").contains("no set-up to start from"));
        assert!(
            matches!(Setups::shipped_best().unwrap(), Setups::Index(pairs) if pairs.len() == 512)
        );
        assert!(matches!(Setups::shipped_mix().unwrap(), Setups::Mix(mix) if mix.len() >= 4));
    }

    #[test]
    fn a_product_holds_every_meeting_with_either_side_to_begin() {
        for chosen in [vec![4, 9], vec![1, 2, 3]] {
            let setups = Setups::product(&chosen);
            let meetings = chosen.len() * chosen.len();
            let mut seen: Vec<([usize; 2], u64)> = (0..2 * meetings as u64)
                .map(|pair| (setups.chosen(pair, 0), pair % 2))
                .collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 2 * meetings);
        }
    }

    #[test]
    fn lists_are_cycled_and_errors_name_the_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list");
        std::fs::write(&path, "# good ones\n0 1\n654321:2 # comment\n\n").unwrap();
        let setups = Setups::read_list(&path).unwrap();
        assert_eq!(setups, Setups::Index(vec![(0, 1), (719, 2)]));
        assert_eq!(
            [0, 1, 2].map(|pair| setups.chosen(pair, 9)),
            [[0, 1], [719, 2], [0, 1]]
        );
        std::fs::write(&path, "0 1\n0 1 2\n").unwrap();
        let error = Setups::read_list(&path).unwrap_err().to_string();
        assert!(error.contains("list:2: '0 1 2'"), "{error}");
        std::fs::write(&path, "# nothing\n").unwrap();
        assert_eq!(Setups::read_list(&path).unwrap_err().to_string(), EMPTY);
        assert!(matches!(
            Setups::read_list(&directory.path().join("none")),
            Err(MeasuringError::File(_))
        ));
        let beyond = Setups::Index(vec![(0, 720)]).checked().unwrap_err();
        assert_eq!(
            beyond,
            "set-up 720 does not exist; they are numbered 0 to 719"
        );
    }
}
