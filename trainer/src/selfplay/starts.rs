//! Where games start that do not start from random set-ups: positions of a file, and random
//! endgames.
//!
//! Invariant: no start is over, and which one a game has depends on the seed and its index alone.

use super::SelfPlayError;
use super::config::{EndgameStarts, SelfPlayOptions};
use engine::core::files;
use engine::core::game::{Game, Seat};
use engine::core::random::RandomStream;
use engine::games::einstein::position::Side;
use engine::games::einstein::{GONE, MAX_STONES, Position, Standard};
use std::path::Path;

/// The starts of a run's games.
#[derive(Clone, Default)]
pub(super) struct Starts {
    suite: Vec<Position>,
    suite_share: f64,
    /// The file's, as in the headers of shards; none without a file.
    checksum: Option<String>,
    endgames: Option<EndgameStarts>,
}

impl Starts {
    /// The starts that options ask for; reads the file they name.
    pub(super) fn new(options: &SelfPlayOptions, game: &Standard) -> Result<Self, SelfPlayError> {
        let mut starts = Self {
            endgames: options.endgames.clone(),
            ..Self::default()
        };
        if let Some(asked) = &options.starts {
            let path = Path::new(&asked.file);
            let bytes = files::read(path)?;
            let wrong = |problem: String| SelfPlayError::Starts {
                path: path.to_owned(),
                problem,
            };
            let text =
                std::str::from_utf8(&bytes).map_err(|_| wrong("not a text file".to_owned()))?;
            starts.suite = positions(text, game).map_err(wrong)?;
            starts.suite_share = asked.share;
            starts.checksum = Some(format!("{:016x}", files::checksum(&bytes)));
        }
        Ok(starts)
    }

    /// The file's checksum.
    pub(super) fn checksum(&self) -> Option<&str> {
        self.checksum.as_deref()
    }

    /// A game's start; `None` if it starts from set-ups. In a random endgame `first` is to move.
    pub(super) fn draw(&self, first: Seat, random: &mut RandomStream) -> Option<Position> {
        let draw = random.unit();
        if draw < self.suite_share && !self.suite.is_empty() {
            return Some(self.suite[random.below(self.suite.len())]);
        }
        let endgames = self
            .endgames
            .as_ref()
            .filter(|endgames| draw < self.suite_share + endgames.share)?;
        Some(endgame(endgames.stones, first, random))
    }
}

/// The positions of a text, one a line.
fn positions(text: &str, game: &Standard) -> Result<Vec<Position>, String> {
    let mut positions = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (position, die) = game
            .parse_position(line)
            .map_err(|error| format!("line {number}, {error}"))?;
        if die.is_some() {
            return Err(format!(
                "line {number}: games start before the roll; the die is '-'"
            ));
        }
        if game.payoffs(&position).is_some() {
            return Err(format!("line {number}: the game is over there"));
        }
        positions.push(position);
    }
    if positions.is_empty() {
        Err("holds no position".to_owned())
    } else {
        Ok(positions)
    }
}

/// A random endgame: every number of stones from `fewest` to `most` equally likely, then every way
/// to divide it between the sides (1 to 6 each), then every position of so many stones that is not
/// over.
fn endgame([fewest, most]: [u32; 2], first: Seat, random: &mut RandomStream) -> Position {
    let between =
        |low: usize, high: usize, random: &mut RandomStream| low + random.below(high - low + 1);
    let stones = between(fewest as usize, most as usize, random);
    let own = between(
        stones.saturating_sub(MAX_STONES).max(1),
        (stones - 1).min(MAX_STONES),
        random,
    );
    let goal = Standard::GOAL;
    loop {
        // In the mover's perspective.
        let mut squares: [u8; Standard::SQUARES as usize] =
            std::array::from_fn(|square| square as u8);
        for place in 0..stones {
            let drawn = between(place, usize::from(goal), random);
            squares.swap(place, drawn);
        }
        let (mover, other) = squares[..stones].split_at(own);
        let sides = [
            side(mover.iter().copied(), random),
            side(other.iter().map(|&square| goal - square), random),
        ];
        if sides.iter().all(|side| !side.occupies(goal)) {
            return Position::new(sides[0], sides[1], first);
        }
    }
}

/// A side with a random set of stones on some squares of its own perspective.
fn side(squares: impl Iterator<Item = u8>, random: &mut RandomStream) -> Side {
    let mut stones: [usize; MAX_STONES] = std::array::from_fn(|stone| stone);
    random.shuffle(&mut stones);
    let mut lanes = [GONE; MAX_STONES];
    stones
        .iter()
        .zip(squares)
        .for_each(|(&stone, square)| lanes[stone] = square);
    Side::new(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn endgames_are_spread_over_numbers_of_stones_and_positions() {
        let game = Standard::default();
        let mut random = RandomStream::new(3);
        let mut counts: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let draws = 60_000;
        for draw in 0..draws {
            let position = endgame([2, 4], draw % 2, &mut random);
            assert_eq!(position.seat(), draw % 2);
            assert_eq!(game.winner(&position), None);
            assert_eq!(
                Position::from_bits(position.bits(), Standard::SQUARES),
                Some(position)
            );
            *counts
                .entry((position.mover().count(), position.other().count()))
                .or_default() += 1;
        }
        // A third for each number of stones, divided among 1, 2 and 3 ways.
        let shares = [
            ((1, 1), 1.0 / 3.0),
            ((1, 2), 1.0 / 6.0),
            ((2, 1), 1.0 / 6.0),
            ((1, 3), 1.0 / 9.0),
            ((2, 2), 1.0 / 9.0),
            ((3, 1), 1.0 / 9.0),
        ];
        assert_eq!(counts.len(), shares.len());
        for (class, share) in shares {
            let deviation = (draws as f64 * share * (1.0 - share)).sqrt();
            assert!(
                (f64::from(counts[&class]) - draws as f64 * share).abs() < 5.0 * deviation,
                "{counts:?}"
            );
        }
        // All of them at the other end: six stones each.
        assert_eq!(endgame([12, 12], 0, &mut random).stones(), 12);
    }

    #[test]
    fn two_stones_stand_anywhere_but_on_their_goals() {
        // 24 squares for either stone less the 23 pairs on one square: 553 arrangements, each of 36
        // pairs of labels.
        let mut random = RandomStream::new(4);
        let mut counts: BTreeMap<(u8, u8), u32> = BTreeMap::new();
        let draws = 553 * 100;
        for _ in 0..draws {
            let position = endgame([2, 2], 0, &mut random);
            let square = |side: Side| {
                side.squares()
                    .into_iter()
                    .find(|&square| square != GONE)
                    .unwrap()
            };
            *counts
                .entry((square(position.mover()), 24 - square(position.other())))
                .or_default() += 1;
        }
        assert_eq!(counts.len(), 553);
        let chi_squared: f64 = counts
            .values()
            .map(|&count| (f64::from(count) - 100.0).powi(2) / 100.0)
            .sum();
        // Mean 552, standard deviation 33.
        assert!((400.0..720.0).contains(&chi_squared), "{chi_squared}");
    }

    #[test]
    fn files_of_positions_are_read_or_refused_by_line() {
        let game = Standard::default();
        let good = "# a suite\n\n215../64.../3...e/...fb/..acd b -   # the first\n123../45.../6...f/...ed/..cba r -\r\n";
        assert_eq!(positions(good, &game).unwrap().len(), 2);
        for (text, expected) in [
            ("", "no position"),
            ("# nothing\n", "no position"),
            (
                "\n215../64.../3...e/...fb/..acd b 1",
                "line 2: games start before the roll",
            ),
            ("215../64.../3...e/...fb/..ac b -", "line 1, character"),
            (
                "...../...../a..../...../....1 b -",
                "line 1: the game is over",
            ),
            (
                "a..../...../..1../...../..... r -",
                "line 1: the game is over",
            ),
        ] {
            let problem = positions(text, &game).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
