//! Round robins: every contestant plays every other one, and a table shows who beats whom.
//!
//! All matches use the same seed, so every pairing has the same starts and the same chance and
//! differences between cells owe less to luck. Invariant: cell (i, j) and cell (j, i) come from one
//! match and add up to 100 %.

use crate::arena::{ArenaError, Contestant, MatchOptions, MatchResult, play_match};
use crate::sheet::{Cell, Sheet};
use crate::statistics::{
    Interval, QUANTILE_95,
    comparisons::{holm, simultaneous_quantile, two_sided},
    ratings::{Meeting, Ratings, ratings},
};
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What came of a round robin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentResult {
    /// The contestants, in the order they were given.
    pub names: Vec<String>,
    /// The match of `i` against `j` for all `i < j`: (0, 1), (0, 2), …, (1, 2), ….
    pub matches: Vec<MatchResult>,
    /// Elo of each contestant from all matches together, in the order of the names.
    #[serde(default)]
    pub ratings: Vec<Rating>,
    /// For each match the probability of a score as far from 50 % between equals, adjusted for the
    /// number of matches (Holm): below 0.05 the two differ, with 95 % certainty for all such
    /// statements together.
    #[serde(default)]
    pub adjusted_probabilities: Vec<f64>,
}

/// A rating by the model of Bradley and Terry; the ratings of a tournament have mean 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The rating.
    pub elo: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// The interval that holds with 95 % certainty for all contestants at once.
    pub simultaneous_interval: Interval,
}

/// One contestant's share of points made, against one other or all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Share of points made, in `[0, 1]`.
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

/// Plays a round robin. `options.state`, if given, names a folder: each match is kept there in a
/// file of its own (`0-1.jsonl`, …), and a tournament that was interrupted goes on where it
/// stopped.
///
/// `watch` is told of every finished match.
///
/// # Errors
/// If there are fewer than two contestants, two have one name, or a match fails.
pub fn play_tournament<G: Playable>(
    contestants: &[Contestant<G>],
    options: &MatchOptions<G>,
    mut watch: impl FnMut(&MatchResult),
) -> Result<TournamentResult, TournamentError> {
    if contestants.len() < 2 {
        return Err(TournamentError::TooFew(contestants.len()));
    }
    for (index, contestant) in contestants.iter().enumerate() {
        if contestants[..index]
            .iter()
            .any(|other| other.name == contestant.name)
        {
            return Err(TournamentError::SameName(contestant.name.clone()));
        }
    }
    if let Some(folder) = &options.state {
        std::fs::create_dir_all(folder).map_err(|source| TournamentError::Folder {
            path: folder.clone(),
            source,
        })?;
    }
    let mut matches = Vec::new();
    for (i, a) in contestants.iter().enumerate() {
        for (j, b) in contestants.iter().enumerate().skip(i + 1) {
            let state = options
                .state
                .as_ref()
                .map(|folder| folder.join(format!("{i}-{j}.jsonl")));
            let result = play_match(
                a,
                b,
                &MatchOptions {
                    state,
                    ..options.clone()
                },
            );
            let result = result.map_err(|source| TournamentError::Match {
                a: a.name.clone(),
                b: b.name.clone(),
                source: Box::new(source),
            })?;
            watch(&result);
            matches.push(result);
        }
    }
    Ok(TournamentResult::of(
        contestants
            .iter()
            .map(|contestant| contestant.name.clone())
            .collect(),
        matches,
    ))
}

impl TournamentResult {
    /// The figures of matches (0, 1), (0, 2), …, (1, 2), ….
    fn of(names: Vec<String>, matches: Vec<MatchResult>) -> Self {
        let pairings = (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| (a, b)));
        let meetings: Vec<Meeting<5>> = pairings
            .zip(&matches)
            .map(|((a, b), found)| Meeting {
                a,
                b,
                tally: found.pair_counts.tally(),
            })
            .collect();
        let simultaneous = simultaneous_quantile(names.len());
        let rating = |ratings: &Ratings, index: usize| Rating {
            elo: ratings.elo[index],
            interval: ratings.interval(index, QUANTILE_95),
            simultaneous_interval: ratings.interval(index, simultaneous),
        };
        let ratings = ratings(names.len(), &meetings);
        let ratings = ratings.map_or(Vec::new(), |ratings| {
            (0..names.len())
                .map(|index| rating(&ratings, index))
                .collect()
        });
        let adjusted_probabilities = holm(
            &meetings
                .iter()
                .map(|meeting| two_sided(&meeting.tally))
                .collect::<Vec<_>>(),
        );
        Self {
            names,
            matches,
            ratings,
            adjusted_probabilities,
        }
    }

    /// Whether the match of two contestants shows that they differ, all matches taken together.
    #[must_use]
    pub fn differ(&self, row: usize, column: usize) -> bool {
        self.pairing(row, column)
            .and_then(|index| self.adjusted_probabilities.get(index))
            .is_some_and(|&probability| probability < 0.05)
    }

    /// The number of the match of two contestants.
    fn pairing(&self, row: usize, column: usize) -> Option<usize> {
        let count = self.names.len();
        if row >= count || column >= count || row == column {
            return None;
        }
        let (low, high) = (row.min(column), row.max(column));
        // Matches before those of `low`: (count - 1) + (count - 2) + … , `low` terms.
        Some(low * (2 * count - low - 1) / 2 + high - low - 1)
    }

    /// The share of points that `row` made against `column`; `None` on the diagonal and outside the
    /// table.
    #[must_use]
    pub fn share(&self, row: usize, column: usize) -> Option<Share> {
        let found = self.matches.get(self.pairing(row, column)?)?;
        let Interval { lower, upper } = found.interval;
        Some(if row < column {
            Share {
                score: found.score,
                interval: found.interval,
            }
        } else {
            Share {
                score: 1.0 - found.score,
                interval: Interval {
                    lower: 1.0 - upper,
                    upper: 1.0 - lower,
                },
            }
        })
    }

    /// The mean of a row, each opponent counting the same; the matches are taken as independent.
    #[must_use]
    pub fn mean_share(&self, row: usize) -> Option<Share> {
        let shares: Vec<Share> = (0..self.names.len())
            .filter_map(|column| self.share(row, column))
            .collect();
        if shares.is_empty() {
            return None;
        }
        let count = shares.len() as f64;
        let score = shares.iter().map(|share| share.score).sum::<f64>() / count;
        let error = shares
            .iter()
            .map(|share| (share.interval.half_width() / QUANTILE_95).powi(2))
            .sum::<f64>()
            .sqrt()
            / count;
        let half_width = QUANTILE_95 * error;
        Some(Share {
            score,
            interval: Interval {
                lower: (score - half_width).max(0.0),
                upper: (score + half_width).min(1.0),
            },
        })
    }

    /// Row numbers, best mean share first.
    #[must_use]
    pub fn ranking(&self) -> Vec<usize> {
        let mean = |row: usize| self.mean_share(row).map_or(0.0, |share| share.score);
        let mut rows: Vec<usize> = (0..self.names.len()).collect();
        rows.sort_by(|&left, &right| mean(right).total_cmp(&mean(left)));
        rows
    }

    /// The table for a terminal: one row a contestant, best first; each cell the row's percentage
    /// of games won against the column, give or take half its 95 % interval, with a `*` where the
    /// two differ even if all matches are taken together.
    #[must_use]
    pub fn table(&self) -> String {
        let ranking = self.ranking();
        let give_or_take = |share: Option<Share>| {
            share.map_or("–".to_owned(), |share| {
                let half_width = 100.0 * share.interval.half_width();
                format!("{:.1} ±{half_width:.1}", 100.0 * share.score)
            })
        };
        let heads = ["", "win %", "Elo", "all"].map(str::to_owned);
        let mut sheet = Sheet::new(
            heads
                .into_iter()
                .chain((1..=ranking.len()).map(|place| place.to_string())),
        );
        for (place, &row) in ranking.iter().enumerate() {
            let elo = self.ratings.get(row).map_or("–".to_owned(), |rating| {
                format!("{:+.1} ±{:.1}", rating.elo, rating.interval.half_width())
            });
            let mark = |column| if self.differ(row, column) { "*" } else { "" };
            let cell = |&column: &usize| {
                Cell::Right(mark(column).to_owned() + &give_or_take(self.share(row, column)))
            };
            let mut cells = vec![
                Cell::Count(place as u64 + 1),
                self.names[row].as_str().into(),
                Cell::Right(elo),
                Cell::Right(give_or_take(self.mean_share(row))),
            ];
            cells.extend(ranking.iter().map(cell));
            sheet.push(cells);
        }
        sheet.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_players::{contestant, first, greedy, random};
    use engine::games::einstein::Standard;

    fn options() -> MatchOptions<Standard> {
        MatchOptions {
            threads: 1,
            ..MatchOptions::new(Standard::default(), 40, 3)
        }
    }

    #[test]
    fn every_cell_is_its_match_and_opposite_cells_add_up() {
        let contestants = [random(), greedy(), first()];
        let mut names = Vec::new();
        let result = play_tournament(&contestants, &options(), |found| {
            names.push(format!("{}-{}", found.a, found.b))
        })
        .unwrap();
        assert_eq!(names, ["random-greedy", "random-first", "greedy-first"]);
        for row in 0..3 {
            for column in 0..3 {
                let Some(share) = result.share(row, column) else {
                    assert_eq!(row, column);
                    continue;
                };
                let alone =
                    play_match(&contestants[row], &contestants[column], &options()).unwrap();
                assert!((share.score - alone.score).abs() < 1e-12);
                assert!((share.interval.lower - alone.interval.lower).abs() < 1e-12);
                assert!(
                    (share.score + result.share(column, row).unwrap().score - 1.0).abs() < 1e-12
                );
            }
        }
        assert_eq!(result.share(0, 3), None);
        assert_eq!(result.names[result.ranking()[2]], "random");
        let json = serde_json::to_string(&result).unwrap();
        assert_eq!(
            serde_json::from_str::<TournamentResult>(&json).unwrap(),
            result
        );
    }

    #[test]
    fn the_table_lines_up() {
        let result = play_tournament(&[random(), greedy(), first()], &options(), |_| {}).unwrap();
        let table = result.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        let ends: Vec<usize> = lines
            .iter()
            .skip(1)
            .map(|line| line.chars().count())
            .collect();
        assert!(ends.iter().all(|&end| end == ends[0]), "{table}");
        assert!(lines[3].contains("random"), "{table}");
    }

    #[test]
    fn ratings_follow_the_ranking_and_differences_are_marked() {
        let result = play_tournament(
            &[random(), greedy(), first()],
            &MatchOptions {
                pairs: 300,
                ..options()
            },
            |_| {},
        )
        .unwrap();
        let order = result.ranking();
        assert!(
            order
                .windows(2)
                .all(|pair| result.ratings[pair[0]].elo > result.ratings[pair[1]].elo),
            "{result:?}"
        );
        assert!(
            result
                .ratings
                .iter()
                .all(|rating| rating.simultaneous_interval.half_width()
                    > rating.interval.half_width())
        );
        assert!(result.differ(0, 1) && result.differ(1, 0) && !result.differ(1, 1));
        assert!(result.table().contains('*'));
        // One match: the probability needs no adjustment.
        let two = play_tournament(&[random(), greedy()], &options(), |_| {}).unwrap();
        assert_eq!(
            two.adjusted_probabilities,
            [two_sided(&two.matches[0].pair_counts.tally())]
        );
        assert!((two.ratings[1].elo - two.ratings[0].elo + two.matches[0].elo).abs() < 1e-6);
    }

    #[test]
    fn a_tournament_resumes_match_by_match() {
        let folder = tempfile::tempdir().unwrap();
        let stored = MatchOptions {
            state: Some(folder.path().join("state")),
            ..options()
        };
        play_tournament(&[random(), greedy(), first()], &stored, |_| {}).unwrap();
        // Read back without playing, twice: times included, everything comes from the files.
        let panics = |name: &str| contestant(name, || panic!("nobody needs to play"));
        let again = || {
            play_tournament(
                &[panics("random"), panics("greedy"), panics("first")],
                &stored,
                |_| {},
            )
            .unwrap()
        };
        let unsaved = play_tournament(&[random(), greedy(), first()], &options(), |_| {}).unwrap();
        for (found, expected) in again().matches.iter().zip(&unsaved.matches) {
            assert_eq!(
                (found.pair_counts, found.mean_plies),
                (expected.pair_counts, expected.mean_plies)
            );
        }
        assert_eq!(again(), again());
    }

    #[test]
    fn impossible_tournaments_are_refused() {
        assert!(matches!(
            play_tournament(&[random()], &options(), |_| {}),
            Err(TournamentError::TooFew(1))
        ));
        assert!(matches!(
            play_tournament(&[random(), random()], &options(), |_| {}),
            Err(TournamentError::SameName(_))
        ));
        let error = play_tournament(
            &[random(), first()],
            &MatchOptions {
                pairs: 0,
                ..options()
            },
            |_| {},
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "random against first: a match needs at least one pair of games"
        );
    }
}
