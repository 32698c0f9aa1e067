//! Start positions of EinStein matches by set-up: the order of a side's stones on its home squares.

use crate::error::{MeasuringError, Result};
use crate::matches::Starts;
use alea_core::{
    files::{FileKind, read_text},
    game::Seat,
    random::{RandomStream, SeedSpace, derive_seed},
    text::content_lines,
};
use alea_einstein::{
    Move, Position, Standard,
    setup::{SETUPS, setup_index},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Choice of the set-ups of Red and Blue for each pair of games of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Setups {
    /// Random set-up for each side.
    Random,
    /// Listed set-ups: pair `i` of the match takes entry `i` modulo the length, indices (0 to 719)
    /// of Red's and Blue's set-up.
    Index(Vec<(usize, usize)>),
    /// Mixed strategy from which both sides sample: set-up indices (0 to 719) and weights.
    Mix(Vec<(usize, u64)>),
}

const MIX_SETUPS_FILE: (&str, &str) = ("data/setups/nash.txt", alea_data::MIXED_SETUPS);

const BEST_SETUPS_FILE: (&str, &str) = ("data/setups/best.txt", alea_data::BEST_SETUPS);

const NO_SETUPS_ERROR: &str =
    "there is no set-up to start from; give 'random' or at least one RED:BLUE";

impl Setups {
    /// Reads a file with Red's and Blue's set-up on each line, as index or as the stones on the
    /// home squares in reading order (`621534`); `#` begins a comment. Without a path, the built-in
    /// list.
    ///
    /// # Errors
    /// If the file cannot be read, a line is invalid, or there is none.
    pub fn read_list(path: Option<&Path>) -> Result<Self> {
        let expected = "pair of set-ups; expected two numbers 0-719, or two orders of 123456";
        Self::Index(read_lines(path, BEST_SETUPS_FILE, expected, parse_pair)?).validate()
    }

    /// Lists every two of `setups`, equal ones included, as Red's and Blue's, once for a pair that
    /// Red begins and once for one that Blue begins.
    #[must_use]
    pub fn product(setups: &[usize]) -> Self {
        let meetings: Vec<(usize, usize)> = setups
            .iter()
            .flat_map(|&red| setups.iter().map(move |&blue| (red, blue)))
            .collect();
        let mut shifted = meetings.clone();
        shifted.rotate_left(usize::from(
            meetings.len().is_multiple_of(2) && !meetings.is_empty(),
        ));
        Self::Index([meetings, shifted].concat())
    }

    fn read_mix(path: Option<&Path>) -> Result<Self> {
        let expected =
            "part of a mix; expected a whole weight and a set-up (0-719 or an order of 123456)";
        Self::Mix(read_lines(
            path,
            MIX_SETUPS_FILE,
            expected,
            parse_mix_entry,
        )?)
        .validate()
    }

    fn validate(self) -> Result<Self> {
        Ok(self.check().map(|()| self)?)
    }

    fn choose_setups(&self, pair: u64, pair_seed: u64) -> [usize; 2] {
        let mut random = RandomStream::new(derive_seed(pair_seed, SeedSpace::Arena, &[0]));
        match self {
            Self::Random => [(); 2].map(|()| random.below(SETUPS)),
            Self::Index(pairs) => pairs[(pair % pairs.len() as u64) as usize].into(),
            Self::Mix(mix) => {
                let total: u64 = mix.iter().map(|part| part.1).sum();
                [(); 2].map(|()| sample(mix, random.below(total as usize) as u64))
            }
        }
    }
}

impl Starts<Standard> for Setups {
    /// Red begins in pairs with even numbers, Blue in the others.
    fn of_pair(&self, game: &Standard, pair: u64, pair_seed: u64) -> Position {
        game.start(self.choose_setups(pair, pair_seed), (pair % 2) as Seat)
    }

    fn opening_moves(&self, _game: &Standard, _pair: u64, _seed: u64) -> Vec<(Position, Move)> {
        Vec::new()
    }

    fn identity(&self) -> Value {
        json!(self)
    }

    fn description(&self) -> String {
        self.to_string()
    }

    fn check(&self) -> Result<(), String> {
        let indices: Vec<usize> = match self {
            Self::Random => return Ok(()),
            Self::Index(pairs) => pairs.iter().flat_map(|&(red, blue)| [red, blue]).collect(),
            Self::Mix(mix) => {
                let sample = mix.iter().filter(|part| part.1 > 0);
                sample.map(|part| part.0).collect()
            }
        };
        if indices.is_empty() {
            return Err(NO_SETUPS_ERROR.to_owned());
        }
        let invalid = indices.into_iter().find(|&index| index >= SETUPS);
        invalid.map_or(Ok(()), |index| {
            let last = SETUPS - 1;
            Err(format!(
                "set-up {index} does not exist; they are numbered 0 to {last}"
            ))
        })
    }
}

fn sample(mix: &[(usize, u64)], mut at: u64) -> usize {
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

    /// Parses `random`, `nash` (built-in), `nash:FILE`, or set-ups of Red and Blue such as `0:719,
    /// 621534:12`.
    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "random" => return Ok(Self::Random),
            "nash" => return Self::read_mix(None),
            text => {
                if let Some(path) = text.strip_prefix("nash:") {
                    return Self::read_mix(Some(Path::new(path)));
                }
            }
        }
        let pair = |text: &str| {
            parse_pair(text).ok_or_else(|| {
                format!("'{}' is no pair of set-ups; expected 'random', 'nash', 'nash:FILE', or RED:BLUE with two numbers 0-719 or two orders of 123456", text.trim())
            })
        };
        let pairs = text.split(',').map(pair);
        Ok(Self::Index(pairs.collect::<Result<_, _>>()?))
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

fn read_lines<T>(
    path: Option<&Path>,
    (name, text): (&str, &str),
    expected: &str,
    parse: fn(&str) -> Option<T>,
) -> Result<Vec<T>> {
    let name = path.map_or(name.to_owned(), |path| path.display().to_string());
    let text = path.map_or(Ok(text.to_owned()), |path| read_text(path, FileKind::Text))?;
    let parsed = content_lines(&text).map(|(line, content)| {
        let unknown = || format!("{name}:{line}: '{content}' is no {expected}");
        Ok(parse(content).ok_or_else(unknown)?)
    });
    parsed.collect()
}

fn parse_pair(text: &str) -> Option<(usize, usize)> {
    let words = text.split(|separator: char| separator.is_whitespace() || separator == ':');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    match words[..] {
        [red, blue] => Some((parse_setup(red)?, parse_setup(blue)?)),
        _ => None,
    }
}

fn parse_mix_entry(text: &str) -> Option<(usize, u64)> {
    let (weight, setup) = text.split_once(char::is_whitespace)?;
    Some((
        parse_setup(setup.trim())?,
        weight.parse::<u32>().ok()?.into(),
    ))
}

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
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            format!("nash:{}", path.display()).parse::<Setups>()
        };
        let setups = read("# half and a quarter\n300 123456\n100 719 # last\n0 5\n").unwrap();
        assert_eq!(setups, Setups::Mix(vec![(0, 300), (719, 100), (5, 0)]));
        let sample = (0..4000)
            .flat_map(|pair| setups.choose_setups(pair, derive_seed(1, SeedSpace::Arena, &[pair])));
        let (first, others): (Vec<_>, Vec<_>) = sample.partition(|setup| *setup == 0);
        assert!(first.len().abs_diff(6000) < 156, "{}", first.len());
        assert!(others.iter().all(|setup| *setup == 719));
        assert_eq!(
            [1, 2].map(|at| super::sample(&[(7, 2), (8, 1)], at)),
            [7, 8]
        );
        for (text, problem) in [
            ("1 0\n2\n", "mix:2: '2'"),
            ("-1 0\n", "mix:1:"),
            ("1 720\n", "mix:1:"),
            ("0 3\n", "no set-up to start from"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        assert!(
            matches!(Setups::read_list(None).unwrap(), Setups::Index(pairs) if pairs.len() == 512)
        );
        assert!(matches!(Setups::read_mix(None).unwrap(), Setups::Mix(mix) if mix.len() >= 4));
    }

    #[test]
    fn a_product_holds_every_meeting_with_either_side_to_begin() {
        for chosen in [vec![4, 9], vec![1, 2, 3]] {
            let setups = Setups::product(&chosen);
            let meetings = chosen.len() * chosen.len();
            let mut seen: Vec<([usize; 2], u64)> = (0..2 * meetings as u64)
                .map(|pair| (setups.choose_setups(pair, 0), pair % 2))
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
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Setups::read_list(Some(&path))
        };
        let setups = read("# good ones\n0 1\n654321:2 # comment\n\n").unwrap();
        assert_eq!(setups, Setups::Index(vec![(0, 1), (719, 2)]));
        assert_eq!(
            [0, 1, 2].map(|pair| setups.choose_setups(pair, 9)),
            [[0, 1], [719, 2], [0, 1]]
        );
        let error = read("0 1\n0 1 2\n").unwrap_err().to_string();
        assert!(error.contains("list:2: '0 1 2'"), "{error}");
        assert_eq!(
            read("# nothing\n").unwrap_err().to_string(),
            NO_SETUPS_ERROR
        );
        assert!(matches!(
            Setups::read_list(Some(&directory.path().join("none"))),
            Err(MeasuringError::File(_))
        ));
        let invalid = Setups::Index(vec![(0, 720)]).check().unwrap_err();
        assert_eq!(
            invalid,
            "set-up 720 does not exist; they are numbered 0 to 719"
        );
    }
}
