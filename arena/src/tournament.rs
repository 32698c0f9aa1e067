//! Round robins. All matches use the same seed: pairings share starts and chance outcomes, which
//! reduces the luck in differences between results.

use crate::error::Result;
use crate::matches::{
    Contestant, MatchOptions, MatchResult, MeanPoints, check_names, make_folder, play_match,
};
use crate::statistics::{
    Interval, QUANTILE_95,
    multiple_comparisons::{holm, simultaneous_quantile, two_sided},
    ratings::{MatchRecord, ratings},
};
use crate::text_table::{Cell, TextTable};
use alea_play::playable::Playable;
use serde::{Deserialize, Serialize};

/// Result of a round robin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentResult {
    /// Names of the contestants in the given order; other fields refer to their indices.
    pub names: Vec<String>,
    /// Matches of contestant `i` as A against `j` as B, in the order (0, 1), (0, 2), …, (1, 2), ….
    pub matches: Vec<MatchResult>,
    /// Ratings of the contestants from all matches, in the order of `names`.
    pub ratings: Vec<Rating>,
    /// For each of `matches`, Holm's adjusted p-value of the hypothesis that the two are equal.
    /// With 95 % certainty, all pairings with a value below 0.05 differ. In games with points they
    /// are about mean points.
    pub adjusted_probabilities: Vec<f64>,
    /// Mean points of each contestant a game over all opponents, weighted equally; empty in games
    /// without points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<MeanPoints>,
}

/// Bradley–Terry rating, with mean 0 over the contestants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// Rating in Elo.
    pub elo: f64,
    /// 95 % interval of `elo`.
    pub interval: Interval,
    /// Wider interval of `elo`: with 95 % certainty, those of all contestants contain the true
    /// ratings.
    pub simultaneous_interval: Interval,
}

/// Score of a contestant against one opponent or all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowScore {
    /// Mean points per game, 0 to 1.
    pub score: f64,
    /// 95 % interval of `score`.
    pub interval: Interval,
}

/// Plays a round robin; `watch` gets the result of each match. Each match has its own file in the
/// folders `options.state` and `options.records`, so that an interrupted tournament resumes.
///
/// # Errors
/// If there are fewer than two contestants, names repeat, or a match fails.
pub fn play_tournament<G: Playable>(
    contestants: &[Contestant<G>],
    options: &MatchOptions<G>,
    mut watch: impl FnMut(&MatchResult),
) -> Result<TournamentResult> {
    let names: Vec<String> = contestants.iter().map(|one| one.name.clone()).collect();
    check_names(
        "tournament",
        "contestants",
        &names.iter().collect::<Vec<_>>(),
    )?;
    make_folder(options.state.as_deref())?;
    make_folder(options.records.as_deref())?;
    let mut matches = Vec::new();
    for (i, j) in pairings(contestants.len()) {
        let [a, b] = [&contestants[i], &contestants[j]];
        let result = play_match(a, b, &options.with_file_name(&format!("{i}-{j}")));
        let result = result.map_err(|error| format!("{} against {}: {error}", a.name, b.name))?;
        watch(&result);
        matches.push(result);
    }
    Ok(TournamentResult::of(names, matches))
}

fn pairings(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

impl TournamentResult {
    /// Result of the first `matches` of a round robin, in its order.
    #[must_use]
    pub fn of(names: Vec<String>, matches: Vec<MatchResult>) -> Self {
        let record = |((a, b), result): (_, &MatchResult)| {
            MatchRecord::from_tally(a, b, &result.pair_counts.tally())
        };
        let meetings: Vec<MatchRecord> = pairings(names.len()).zip(&matches).map(record).collect();
        let simultaneous = simultaneous_quantile(names.len());
        let ratings = ratings(names.len(), &meetings).map_or(Vec::new(), |ratings| {
            let rating = |index: usize| Rating {
                elo: ratings.elo[index],
                interval: ratings.interval(index, QUANTILE_95),
                simultaneous_interval: ratings.interval(index, simultaneous),
            };
            (0..names.len()).map(rating).collect()
        });
        let superiority = |result: &MatchResult| match result.mean_points() {
            None => result.pair_counts.tally().superiority(),
            Some(_) => result.superiority,
        };
        let probabilities = matches.iter().map(|result| two_sided(superiority(result)));
        let mut result = Self {
            adjusted_probabilities: holm(&probabilities.collect::<Vec<_>>()),
            names,
            matches,
            ratings,
            points: Vec::new(),
        };
        let points = (0..result.names.len()).map(|row| result.mean_points(row));
        result.points = points.collect::<Option<_>>().unwrap_or_default();
        result
    }

    /// True if contestants `row` and `column` differ significantly by `adjusted_probabilities`.
    #[must_use]
    pub fn are_different(&self, row: usize, column: usize) -> bool {
        self.pairing_index(row, column)
            .and_then(|index| self.adjusted_probabilities.get(index))
            .is_some_and(|&probability| probability < 0.05)
    }

    fn pairing_index(&self, row: usize, column: usize) -> Option<usize> {
        let wanted = (row.min(column), row.max(column));
        pairings(self.names.len()).position(|pairing| pairing == wanted)
    }

    /// Score of contestant `row` against `column`; `None` for equal or invalid indices.
    #[must_use]
    pub fn score_against(&self, row: usize, column: usize) -> Option<RowScore> {
        let result = self.matches.get(self.pairing_index(row, column)?)?;
        let (score, interval) = (result.score, result.interval);
        Some(if row < column {
            RowScore { score, interval }
        } else {
            RowScore {
                score: 1.0 - score,
                interval: Interval {
                    lower: 1.0 - interval.upper,
                    upper: 1.0 - interval.lower,
                },
            }
        })
    }

    /// Mean score of contestant `row` over all opponents, weighted equally; `None` without
    /// opponents. Matches are taken as independent.
    #[must_use]
    pub fn mean_score(&self, row: usize) -> Option<RowScore> {
        let scores: Vec<RowScore> = (0..self.names.len())
            .filter_map(|column| self.score_against(row, column))
            .collect();
        if scores.is_empty() {
            return None;
        }
        let count = scores.len() as f64;
        let score = scores
            .iter()
            .map(|score_against| score_against.score)
            .sum::<f64>()
            / count;
        let error = scores
            .iter()
            .map(|score_against| (score_against.interval.half_width() / QUANTILE_95).powi(2))
            .sum::<f64>()
            .sqrt()
            / count;
        Some(RowScore {
            score,
            interval: Interval::from_center(score, QUANTILE_95 * error)
                .map_ends(|end| end.clamp(0.0, 1.0)),
        })
    }

    /// Mean points of contestant `row` against `column`; `None` for equal or invalid indices and in
    /// games without points.
    #[must_use]
    pub fn points_against(&self, row: usize, column: usize) -> Option<MeanPoints> {
        let result = self.matches.get(self.pairing_index(row, column)?)?;
        let points = result.mean_points()?;
        Some(if row < column {
            points
        } else {
            points.negated()
        })
    }

    fn mean_points(&self, row: usize) -> Option<MeanPoints> {
        let all: Vec<MeanPoints> = (0..self.names.len())
            .filter_map(|column| self.points_against(row, column))
            .collect();
        let unit = all.first()?.unit.clone();
        let count = all.len() as f64;
        let squares = all
            .iter()
            .map(|points| points.interval.half_width().powi(2));
        let half_width = squares.sum::<f64>().sqrt() / count;
        let mean = all.iter().map(|points| points.mean).sum::<f64>() / count;
        Some(MeanPoints {
            unit,
            mean,
            interval: Interval::from_center(mean, half_width),
        })
    }

    /// Indices of the contestants by mean score, best first.
    #[must_use]
    pub fn ranking(&self) -> Vec<usize> {
        let mean = |row: usize| {
            self.mean_score(row)
                .map_or(0.0, |score_against| score_against.score)
        };
        let mut rows: Vec<usize> = (0..self.names.len()).collect();
        rows.sort_by(|&left, &right| mean(right).total_cmp(&mean(left)));
        rows
    }

    /// Table for a terminal, best contestant first: points, or in games without points scores in
    /// percent, against each opponent, ± half the 95 % interval, with `*` if the two differ
    /// significantly.
    #[must_use]
    pub fn table_text(&self) -> String {
        let ranking = self.ranking();
        let give_or_take = |score_against: Option<RowScore>| {
            score_against.map_or("–".to_owned(), |score_against| {
                let half_width = 100.0 * score_against.interval.half_width();
                format!("{:.1} ±{half_width:.1}", 100.0 * score_against.score)
            })
        };
        let against = |row, column| match self.points_against(row, column) {
            Some(points) => points.to_string(),
            None => give_or_take(self.score_against(row, column)),
        };
        let unit = self.points.first().map_or("win %", |points| &points.unit);
        let heads = ["", unit, "Elo", "all"].map(str::to_owned);
        let mut text_table = TextTable::new(
            heads
                .into_iter()
                .chain((1..=ranking.len()).map(|place| place.to_string())),
        );
        for (place, &row) in ranking.iter().enumerate() {
            let elo = self.ratings.get(row).map_or("–".to_owned(), |rating| {
                format!("{:+.1} ±{:.1}", rating.elo, rating.interval.half_width())
            });
            let mark = |column| {
                if self.are_different(row, column) {
                    "*"
                } else {
                    ""
                }
            };
            let cell =
                |&column: &usize| Cell::Right(mark(column).to_owned() + &against(row, column));
            let all = match self.points.get(row) {
                Some(points) => points.to_string(),
                None => give_or_take(self.mean_score(row)),
            };
            let mut cells = vec![
                Cell::Count(place as u64 + 1),
                self.names[row].as_str().into(),
                Cell::Right(elo),
                Cell::Right(all),
            ];
            cells.extend(ranking.iter().map(cell));
            text_table.push(cells);
        }
        text_table.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_players::{
        chooser, contestant, first, greedy_contestant, options as match_options, random,
    };
    use alea_einstein::Standard;
    use engine::games::backgammon::Backgammon;

    fn options() -> MatchOptions<Standard> {
        match_options(40, 3)
    }

    fn all() -> [Contestant<Standard>; 3] {
        [random(), greedy_contestant(), first()]
    }

    fn tournament(options: &MatchOptions<Standard>) -> TournamentResult {
        play_tournament(&all(), options, |_| {}).unwrap()
    }

    #[test]
    fn every_cell_is_its_match_and_opposite_cells_add_up() {
        let contestants = all();
        let mut names = Vec::new();
        let result = play_tournament(&contestants, &options(), |result| {
            names.push(format!("{}-{}", result.a, result.b))
        })
        .unwrap();
        assert_eq!(names, ["random-greedy", "random-first", "greedy-first"]);
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            let Some(score_against) = result.score_against(row, column) else {
                assert_eq!(row, column);
                continue;
            };
            let alone = play_match(&contestants[row], &contestants[column], &options());
            let (alone, opposite) = (alone.unwrap(), result.score_against(column, row).unwrap());
            assert!((score_against.score - alone.score).abs() < 1e-12);
            assert!((score_against.interval.lower - alone.interval.lower).abs() < 1e-12);
            assert!((score_against.score + opposite.score - 1.0).abs() < 1e-12);
        }
        assert_eq!(result.score_against(0, 3), None);
        assert_eq!(result.names[result.ranking()[2]], "random");
        let json = serde_json::to_string(&result).unwrap();
        assert_eq!(
            serde_json::from_str::<TournamentResult>(&json).unwrap(),
            result
        );
    }

    #[test]
    fn a_tournament_for_points_shows_them() {
        let options = MatchOptions::new(Backgammon, 30, 3);
        let all = [
            random(),
            first(),
            chooser("last", |_, _, legal| legal.len() - 1),
        ];
        let result = play_tournament(&all, &options, |_| {}).unwrap();
        for (row, column) in pairings(3) {
            let points = result.points_against(row, column).unwrap();
            let score = result.score_against(row, column).unwrap().score;
            assert!((points.mean - (6.0 * score - 3.0)).abs() < 1e-9);
            assert_eq!(result.points_against(column, row), Some(points.negated()));
        }
        let sum: f64 = result.points.iter().map(|points| points.mean).sum();
        assert!(sum.abs() < 1e-9 && result.points.len() == 3);
        let best = result.ranking()[0];
        let table = result.table_text();
        assert!(table.starts_with("   points"), "{table}");
        let own = result.points[best].to_string();
        assert!(own.starts_with('+') && table.contains(&own), "{table}");
        let mut other = result.clone();
        other.matches.iter_mut().for_each(|one| one.points = None);
        let plain = TournamentResult::of(other.names, other.matches);
        assert!(plain.points.is_empty() && plain.table_text().contains("win %"));
    }

    #[test]
    fn the_table_lines_up() {
        let result = tournament(&options());
        let table = result.table_text();
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
        let result = tournament(&match_options(300, 3));
        let order = result.ranking();
        assert!(
            order
                .windows(2)
                .all(|pair| result.ratings[pair[0]].elo > result.ratings[pair[1]].elo),
            "{result:?}"
        );
        assert!(result.ratings.iter().all(|rating| {
            rating.simultaneous_interval.half_width() > rating.interval.half_width()
        }));
        assert!(
            result.are_different(0, 1) && result.are_different(1, 0) && !result.are_different(1, 1)
        );
        assert!(result.table_text().contains('*'));
        let two = play_tournament(&[random(), greedy_contestant()], &options(), |_| {}).unwrap();
        assert_eq!(
            two.adjusted_probabilities,
            [two_sided(two.matches[0].pair_counts.tally().superiority())]
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
        tournament(&stored);
        let panics = |name| contestant(name, || panic!("nobody needs to play"));
        let panic = ["random", "greedy", "first"].map(panics);
        let again = || play_tournament(&panic, &stored, |_| {}).unwrap();
        let unsaved = tournament(&options());
        for (result, expected) in again().matches.iter().zip(&unsaved.matches) {
            assert_eq!(
                (result.pair_counts, result.mean_plies),
                (expected.pair_counts, expected.mean_plies)
            );
        }
        assert_eq!(again(), again());
    }

    #[test]
    fn impossible_tournaments_are_refused() {
        let refused = play_tournament(&[random(), first()], &match_options(0, 3), |_| {});
        let expected = "random against first: a match needs at least one pair of games";
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
}
