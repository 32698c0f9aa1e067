//! Round robins: every contestant plays every other one, and a table shows who beats whom.
//!
//! All matches use the same seed, so every pairing has the same starts and the same dice and differences between
//! cells owe less to luck. Invariant: cell (i, j) and cell (j, i) come from one match and add up to 100 %.

use crate::arena::{ArenaError, Contestant, MatchOptions, MatchResult, play_match};
use crate::statistics::{Interval, QUANTILE_95};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What came of a round robin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentResult {
    /// The contestants, in the order they were given.
    pub names: Vec<String>,
    /// The match of `i` against `j` for all `i < j`: (0, 1), (0, 2), …, (1, 2), ….
    pub matches: Vec<MatchResult>,
}

/// One contestant's share of games won, against one other or all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Share of games won, in `[0, 1]`.
    pub score: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// Why a round robin could not be played.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// Nobody to play against.
    #[error("a tournament needs at least two contestants, not {0}")]
    TooFew(usize),
    /// Two contestants have the same name.
    #[error("two contestants are called {0}; names must differ")]
    SameName(String),
    /// The folder of the state files could not be made.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
    /// A match could not be played.
    #[error("{a} against {b}: {source}")]
    Match {
        /// First contestant.
        a: String,
        /// Second contestant.
        b: String,
        /// What happened.
        source: Box<ArenaError>,
    },
}

/// Plays a round robin. `options.state`, if given, names a folder: each match is kept there in a file of its own
/// (`0-1.jsonl`, …), and a tournament that was interrupted goes on where it stopped.
///
/// `watch` is told of every finished match.
///
/// # Errors
/// If there are fewer than two contestants, two have one name, or a match fails.
pub fn play_tournament(
    contestants: &[Contestant],
    options: &MatchOptions,
    mut watch: impl FnMut(&MatchResult),
) -> Result<TournamentResult, TournamentError> {
    if contestants.len() < 2 {
        return Err(TournamentError::TooFew(contestants.len()));
    }
    for (index, contestant) in contestants.iter().enumerate() {
        if contestants[..index].iter().any(|other| other.name == contestant.name) {
            return Err(TournamentError::SameName(contestant.name.clone()));
        }
    }
    if let Some(folder) = &options.state {
        std::fs::create_dir_all(folder).map_err(|source| TournamentError::Folder { path: folder.clone(), source })?;
    }
    let mut matches = Vec::new();
    for (i, a) in contestants.iter().enumerate() {
        for (j, b) in contestants.iter().enumerate().skip(i + 1) {
            let state = options.state.as_ref().map(|folder| folder.join(format!("{i}-{j}.jsonl")));
            let result = play_match(a, b, &MatchOptions { state, ..options.clone() });
            let result =
                result.map_err(|source| TournamentError::Match { a: a.name.clone(), b: b.name.clone(), source: Box::new(source) })?;
            watch(&result);
            matches.push(result);
        }
    }
    Ok(TournamentResult { names: contestants.iter().map(|contestant| contestant.name.clone()).collect(), matches })
}

impl TournamentResult {
    /// The share of games that `row` won against `column`; `None` on the diagonal and outside the table.
    #[must_use]
    pub fn share(&self, row: usize, column: usize) -> Option<Share> {
        let count = self.names.len();
        if row >= count || column >= count || row == column {
            return None;
        }
        let (low, high) = (row.min(column), row.max(column));
        // Matches before those of `low`: (count - 1) + (count - 2) + … , `low` terms.
        let before = low * (2 * count - low - 1) / 2;
        let found = self.matches.get(before + high - low - 1)?;
        let Interval { lower, upper } = found.interval;
        Some(if row < column {
            Share { score: found.score, interval: found.interval }
        } else {
            Share { score: 1.0 - found.score, interval: Interval { lower: 1.0 - upper, upper: 1.0 - lower } }
        })
    }

    /// The mean of a row, each opponent counting the same; the matches are taken as independent.
    #[must_use]
    pub fn mean_share(&self, row: usize) -> Option<Share> {
        let shares: Vec<Share> = (0..self.names.len()).filter_map(|column| self.share(row, column)).collect();
        if shares.is_empty() {
            return None;
        }
        let count = shares.len() as f64;
        let score = shares.iter().map(|share| share.score).sum::<f64>() / count;
        let error = shares.iter().map(|share| (share.interval.half_width() / QUANTILE_95).powi(2)).sum::<f64>().sqrt() / count;
        let half_width = QUANTILE_95 * error;
        Some(Share { score, interval: Interval { lower: (score - half_width).max(0.0), upper: (score + half_width).min(1.0) } })
    }

    /// Row numbers, best mean share first.
    #[must_use]
    pub fn ranking(&self) -> Vec<usize> {
        let mean = |row: usize| self.mean_share(row).map_or(0.0, |share| share.score);
        let mut rows: Vec<usize> = (0..self.names.len()).collect();
        rows.sort_by(|&left, &right| mean(right).total_cmp(&mean(left)));
        rows
    }

    /// The table for a terminal: one row a contestant, best first; each cell the row's percentage of games won
    /// against the column, give or take half its 95 % interval.
    #[must_use]
    pub fn table(&self) -> String {
        let ranking = self.ranking();
        let cell = |share: Option<Share>| {
            share.map_or("–".to_owned(), |share| format!("{:.1} ±{:.1}", 100.0 * share.score, 100.0 * share.interval.half_width()))
        };
        let mut rows = vec![vec![String::new(), "win %".to_owned(), "all".to_owned()]];
        rows[0].extend((1..=ranking.len()).map(|place| place.to_string()));
        for (place, &row) in ranking.iter().enumerate() {
            let mut cells = vec![(place + 1).to_string(), self.names[row].clone(), cell(self.mean_share(row))];
            cells.extend(ranking.iter().map(|&column| cell(self.share(row, column))));
            rows.push(cells);
        }
        align(&rows)
    }
}

/// Lines of columns as wide as their widest cell; the second column to the left, all others to the right.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let width = widths[column];
                if column == 1 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Setups;
    use crate::test_players::{contestant, first, greedy, random};
    use engine::games::einstein::Standard;

    fn options() -> MatchOptions {
        MatchOptions { game: Standard::default(), pairs: 40, seed: 3, setups: Setups::Random, threads: 1, state: None, progress: false }
    }

    #[test]
    fn every_cell_is_its_match_and_opposite_cells_add_up() {
        let contestants = [random(), greedy(), first()];
        let mut names = Vec::new();
        let result = play_tournament(&contestants, &options(), |found| names.push(format!("{}-{}", found.a, found.b))).unwrap();
        assert_eq!(names, ["random-greedy", "random-first", "greedy-first"]);
        for row in 0..3 {
            for column in 0..3 {
                let Some(share) = result.share(row, column) else {
                    assert_eq!(row, column);
                    continue;
                };
                let alone = play_match(&contestants[row], &contestants[column], &options()).unwrap();
                assert!((share.score - alone.score).abs() < 1e-12);
                assert!((share.interval.lower - alone.interval.lower).abs() < 1e-12);
                assert!((share.score + result.share(column, row).unwrap().score - 1.0).abs() < 1e-12);
            }
        }
        assert_eq!(result.share(0, 3), None);
        assert_eq!(result.names[result.ranking()[2]], "random");
        let json = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<TournamentResult>(&json).unwrap(), result);
    }

    #[test]
    fn the_table_lines_up() {
        let result = play_tournament(&[random(), greedy(), first()], &options(), |_| {}).unwrap();
        let table = result.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        let ends: Vec<usize> = lines.iter().skip(1).map(|line| line.chars().count()).collect();
        assert!(ends.iter().all(|&end| end == ends[0]), "{table}");
        assert!(lines[3].contains("random"), "{table}");
    }

    #[test]
    fn a_tournament_resumes_match_by_match() {
        let folder = tempfile::tempdir().unwrap();
        let stored = MatchOptions { state: Some(folder.path().join("state")), ..options() };
        play_tournament(&[random(), greedy(), first()], &stored, |_| {}).unwrap();
        // Read back without playing, twice: times included, everything comes from the files.
        let panics = |name: &str| contestant(name, || panic!("nobody needs to play"));
        let again = || play_tournament(&[panics("random"), panics("greedy"), panics("first")], &stored, |_| {}).unwrap();
        let unsaved = play_tournament(&[random(), greedy(), first()], &options(), |_| {}).unwrap();
        for (found, expected) in again().matches.iter().zip(&unsaved.matches) {
            assert_eq!((found.pair_counts, found.mean_plies), (expected.pair_counts, expected.mean_plies));
        }
        assert_eq!(again(), again());
    }

    #[test]
    fn impossible_tournaments_are_refused() {
        assert!(matches!(play_tournament(&[random()], &options(), |_| {}), Err(TournamentError::TooFew(1))));
        assert!(matches!(play_tournament(&[random(), random()], &options(), |_| {}), Err(TournamentError::SameName(_))));
        let error = play_tournament(&[random(), first()], &MatchOptions { pairs: 0, ..options() }, |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "random against first: a match needs at least one pair of games");
    }
}
