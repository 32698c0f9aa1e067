//! Statistics of a match. All numbers are finite and, except for times, depend on the pairs alone.

use super::{
    Contestant, ContestantMeans, MatchOptions, PairResult, PairSamples, Played, SequentialResult,
    are_none, lineups::scored_points,
};
use crate::statistics::{
    Estimate, Interval, PairCounts, QUANTILE_95, elo_of_score, is_zero, normal_cdf,
};
use alea_core::moments::Moments;
use alea_play::{playable::Playable, points::Points};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Statistics of a match from A's point of view; intervals have 95 % confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Spec of the game.
    pub game: String,
    /// Name of A.
    pub a: String,
    /// Name of B.
    pub b: String,
    /// Seed of starts, chance outcomes and players.
    pub seed: u64,
    /// Description of the start positions, such as `4 random plies`.
    pub starts: String,
    /// Number of pairs, without those that repeat a game of an earlier pair.
    pub pairs: u64,
    /// Number of games in `pairs`.
    pub games: u64,
    /// Number of games won by A.
    pub wins: u64,
    /// Number of drawn games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub draws: u64,
    /// Number of games in `pairs` that differ from each other, up to symmetry; `None` in games with
    /// chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct_games: Option<u64>,
    /// Number of games in pairs left out as repeats; `None` in games with chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated_games: Option<u64>,
    /// Numbers of pairs by A's points in the pair.
    pub pair_counts: PairCounts,
    /// Mean score of A per game, 0 to 1; a draw is 1/2, points are scaled.
    pub score: f64,
    /// Standard error of `score`, from the variance of pairs' mean scores.
    pub standard_error: f64,
    /// Interval of `score`.
    pub interval: Interval,
    /// Elo of A minus Elo of B.
    pub elo: f64,
    /// Interval of `elo`.
    pub elo_interval: Interval,
    /// Likelihood of superiority: probability, 0 to 1, that A is stronger than B.
    pub superiority: f64,
    /// Mean points per game, 0 to 1, of the side that moves first.
    pub first_mover_share: f64,
    /// Mean number of plies of a game.
    pub mean_plies: f64,
    /// Mean decision time of A and of B in seconds per move.
    pub seconds_per_move: [f64; 2],
    /// Mean CPU seconds of A and of B per move, pondering included; `None` unless the player
    /// reports CPU time.
    #[serde(default, skip_serializing_if = "are_none")]
    pub cpu_seconds_per_move: [Option<f64>; 2],
    /// Number of games divided by `wall_seconds`.
    pub games_per_second: f64,
    /// Wall time of the match, summed over all program runs.
    pub wall_seconds: f64,
    /// Normalised Elo: excess of `score` over 1/2 in standard deviations of one game, times 800 /
    /// ln 10.
    pub normalized_elo: f64,
    /// Interval of `normalized_elo`.
    pub normalized_elo_interval: Interval,
    /// Numbers of games forfeited by A and by B, by reason.
    pub forfeits: [BTreeMap<String, u64>; 2],
    /// Number of games that reached the maximal number of plies and count as draws.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// State of the sequential test; `None` without a stopping rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential_test: Option<SequentialResult>,
    /// Mean points; `None` in games without. With points `elo`, `normalized_elo` and
    /// `pair_counts` count games won and lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsResult>,
    /// Means over seats; `None` with two seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<SeatsResult>,
    /// Luck-adjusted result; `None` without a luck evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<LuckResult>,
}

/// Mean payoff and rank of A's and of B's seats, in a match of more than two seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatsResult {
    /// Number of seats.
    pub count: usize,
    /// Mean payoff of A's and of B's seats with standard errors.
    pub payoffs: [Estimate; 2],
    /// Mean rank of A's and of B's seats, 1 for the best, with standard errors.
    pub ranks: [Estimate; 2],
}

impl SeatsResult {
    fn of(count: usize, results: &[PairResult]) -> Option<Self> {
        let pairs = results.iter().filter_map(|result| result.seat_means);
        let estimate = |value: &dyn Fn(&ContestantMeans) -> f64| {
            let mean = |games: [ContestantMeans; 2]| (value(&games[0]) + value(&games[1])) / 2.0;
            let moments: Moments = pairs.clone().map(mean).collect();
            Estimate {
                value: moments.mean(),
                error: moments.standard_error(),
            }
        };
        (count > 2).then(|| Self {
            count,
            payoffs: [0, 1].map(|contestant| estimate(&|means| means.payoffs[contestant])),
            ranks: [0, 1].map(|contestant| estimate(&|means| means.ranks[contestant])),
        })
    }
}

/// Points of a match, from A's point of view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsResult {
    /// Unit of `mean`, such as `points`.
    pub unit: String,
    /// Mean points of A per game.
    pub mean: f64,
    /// Standard error of `mean`, from the variance of pairs' means.
    pub standard_error: f64,
    /// 95 % interval of `mean`.
    pub interval: Interval,
    /// Mean and 95 % interval after subtracting luck; `None` without a luck evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck_adjusted: Option<(f64, Interval)>,
    /// Numbers of games by A's result.
    pub results: BTreeMap<String, u64>,
}

impl PointsResult {
    fn of(
        points: &Points,
        samples: &PairSamples,
        results: &[PairResult],
        luck: Option<&LuckResult>,
    ) -> Self {
        let mut names = BTreeMap::new();
        let two_seats = results.iter().filter(|result| result.seat_means.is_none());
        for score in two_seats.flat_map(|result| result.scores) {
            *names.entry(points.result_name(score)).or_default() += 1;
        }
        let (mean, error, _) = samples.score();
        let mean = points.from_payoff(mean);
        let standard_error = points.difference(error);
        Self {
            unit: points.unit.to_owned(),
            mean,
            standard_error,
            interval: Interval::from_center(mean, QUANTILE_95 * standard_error),
            luck_adjusted: luck.map(|luck| {
                let interval = luck.interval.map_ends(|end| points.from_payoff(end));
                (points.from_payoff(luck.score), interval)
            }),
            results: names,
        }
    }
}

/// Mean points a game of a contestant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanPoints {
    /// Unit of `mean`, such as `points`.
    pub unit: String,
    /// Mean points per game.
    pub mean: f64,
    /// 95 % interval of `mean`.
    pub interval: Interval,
}

impl MeanPoints {
    pub(crate) fn of(points: &Points, payoffs: &Moments) -> Self {
        Self {
            unit: points.unit.to_owned(),
            mean: points.from_payoff(payoffs.mean()),
            interval: Interval::of_mean(payoffs).map_ends(|end| points.from_payoff(end)),
        }
    }

    /// Mean points of the opponent: negated, with the interval reversed.
    #[must_use]
    pub fn negated(self) -> Self {
        let Interval { lower, upper } = self.interval;
        Self {
            mean: -self.mean,
            interval: Interval {
                lower: -upper,
                upper: -lower,
            },
            ..self
        }
    }
}

impl std::fmt::Display for MeanPoints {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let half_width = self.interval.half_width();
        write!(formatter, "{:+.3} ±{half_width:.3}", self.mean)
    }
}

impl std::fmt::Display for PointsResult {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mean, interval) = self.luck_adjusted.unwrap_or((self.mean, self.interval));
        let error = interval.half_width();
        write!(formatter, "{mean:+.3} ± {error:.3} {} a game", self.unit)
    }
}

/// Statistics of a match after subtracting luck, from A's point of view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LuckResult {
    /// Name of the evaluator that measured luck.
    pub evaluator: String,
    /// Mean luck-adjusted points of A per game.
    pub score: f64,
    /// Standard error of `score`, from the variance of pairs' mean scores.
    pub standard_error: f64,
    /// 95 % interval of `score`; can exceed `[0, 1]`.
    pub interval: Interval,
    /// Elo of A minus Elo of B at `score`, clamped to `[1/(4n), 1 - 1/(4n)]` with `n` pairs.
    pub elo: f64,
    /// 95 % interval of `elo`.
    pub elo_interval: Interval,
    /// Mean luck of A in points per game; about 0 if chance is fair.
    pub luck: f64,
    /// Standard error of `luck`.
    pub luck_standard_error: f64,
    /// Standard deviation of a game's score, before and after luck adjustment.
    pub game_deviation: [f64; 2],
    /// Standard deviation of a pair's mean score, before and after luck adjustment.
    pub pair_deviation: [f64; 2],
    /// Number of unadjusted games that are as precise as one luck-adjusted game; `None` if the
    /// adjusted variance is 0.
    pub games_factor: Option<f64>,
}

impl MatchResult {
    pub(crate) fn of<G: Playable>(
        a: &Contestant<G>,
        b: &Contestant<G>,
        options: &MatchOptions<G>,
        played: &Played,
    ) -> Self {
        let Played {
            pairs: results,
            repeats,
            wall,
        } = played;
        let mut samples = PairSamples::new(scored_points(&options.game));
        let (mut plies, mut first_mover_score) = (0.0, 0.0);
        let mut distinct = HashSet::new();
        let (mut decisions, mut seconds) = ([0.0_f64; 2], [0.0_f64; 2]);
        let mut cpu_seconds = [None; 2];
        let mut unfinished = 0;
        let mut forfeits = [BTreeMap::new(), BTreeMap::new()];
        for result in results {
            samples.add(result.scores);
            first_mover_score += result.first_mover_score();
            distinct.extend(result.games.into_iter().flatten());
            unfinished += result.unfinished;
            plies += result.plies.map(f64::from).iter().sum::<f64>();
            for contestant in 0..2 {
                decisions[contestant] += result.decisions[contestant] as f64;
                seconds[contestant] += result.nanoseconds[contestant] as f64 / 1e9;
                if let Some(nanoseconds) = result.cpu_nanoseconds[contestant] {
                    *cpu_seconds[contestant].get_or_insert(0.0) += nanoseconds as f64 / 1e9;
                }
            }
            for forfeit in &result.forfeits {
                *forfeits[usize::from(!forfeit.by_a)]
                    .entry(forfeit.reason.clone())
                    .or_default() += 1;
            }
        }
        let pair_counts = samples.counts;
        let (pairs, tally) = (pair_counts.pairs(), pair_counts.tally());
        let (score, standard_error, interval) = samples.score();
        let luck =
            (options.luck.as_ref()).map(|evaluator| LuckResult::of(&evaluator.name, results));
        let games = 2.0 * pairs as f64;
        Self {
            game: options.game.notation(),
            a: a.name.clone(),
            b: b.name.clone(),
            seed: options.seed,
            starts: options.starts.description(),
            pairs,
            games: 2 * pairs,
            wins: pair_counts.wins(),
            draws: pair_counts.draws,
            distinct_games: (!distinct.is_empty()).then_some(distinct.len() as u64),
            repeated_games: (!distinct.is_empty()).then_some(2 * repeats),
            pair_counts,
            score,
            standard_error,
            interval,
            elo: tally.elo(),
            elo_interval: tally.elo_interval(),
            superiority: match samples.points {
                Some(_) if standard_error > 0.0 => normal_cdf((score - 0.5) / standard_error),
                _ => tally.superiority(),
            },
            first_mover_share: first_mover_score / games,
            mean_plies: plies / games,
            seconds_per_move: [0, 1]
                .map(|contestant| seconds[contestant] / decisions[contestant].max(1.0)),
            cpu_seconds_per_move: [0, 1].map(|contestant| {
                cpu_seconds[contestant].map(|seconds| seconds / decisions[contestant].max(1.0))
            }),
            games_per_second: games / wall.as_secs_f64().max(1e-9),
            wall_seconds: wall.as_secs_f64(),
            normalized_elo: tally.normalized_elo(2.0),
            normalized_elo_interval: tally.normalized_elo_interval(2.0),
            forfeits,
            unfinished,
            sequential_test: options.stop.map(|rule| rule.evaluate(&samples)),
            points: (samples.points.as_ref())
                .map(|points| PointsResult::of(points, &samples, results, luck.as_ref())),
            seats: SeatsResult::of(options.game.seats(), results),
            luck,
        }
    }
}

impl MatchResult {
    /// Mean points of A a game, luck not subtracted; `None` in games without points or with more
    /// than two seats.
    #[must_use]
    pub fn mean_points(&self) -> Option<MeanPoints> {
        let points = self.points.as_ref().filter(|_| self.seats.is_none())?;
        Some(MeanPoints {
            unit: points.unit.clone(),
            mean: points.mean,
            interval: points.interval,
        })
    }

    /// Formats the number of games, such as `100 games (12 drawn, 98 distinct, 300 repeats left
    /// out)`.
    #[must_use]
    pub fn games_in_words(&self) -> String {
        let note = |count: u64, what| (count > 0).then(|| format!("{count} {what}"));
        let random = note(self.draws, "drawn");
        let distinct = note(self.distinct_games.unwrap_or(0), "distinct");
        let repeated = note(self.repeated_games.unwrap_or(0), "repeats left out");
        let notes: Vec<String> = [random, distinct, repeated].into_iter().flatten().collect();
        match notes.join(", ") {
            none if none.is_empty() => format!("{} games", self.games),
            notes => format!("{} games ({notes})", self.games),
        }
    }
}

/// One-line warning about repeated games of all `matches` together; `None` if there are none.
#[must_use]
pub fn warning_of_repeats<'a>(
    matches: impl IntoIterator<Item = &'a MatchResult>,
) -> Option<String> {
    let counts = |result: &MatchResult| (result.repeated_games.unwrap_or(0), result.games);
    let sum = |all: (u64, u64), result: (u64, u64)| (all.0 + result.0, all.1 + result.1);
    let (repeated, games) = matches.into_iter().map(counts).fold((0, 0), sum);
    format_repeat_warning(repeated, games)
}

/// One-line warning that `repeated` games were left out, beside `games` that count; `None` if
/// `repeated` is 0.
#[must_use]
pub fn format_repeat_warning(repeated: u64, games: u64) -> Option<String> {
    let played = games + repeated;
    (repeated > 0).then(|| {
        format!(
            "{repeated} of {played} games repeat earlier ones, move for move or as mirror images, and are no evidence; scores and intervals come from the other {games}. \
             More random moves at the start give more games that differ: --opening-plies, in league.toml opening_plies"
        )
    })
}

impl LuckResult {
    fn of(evaluator: &str, results: &[PairResult]) -> Self {
        let (mut games, mut pairs, mut lucks) = (
            [Moments::default(); 2],
            [Moments::default(); 2],
            Moments::default(),
        );
        for result in results {
            let luck = result.luck.unwrap_or_default();
            let mut sums = [0.0; 2];
            for (&raw, luck) in result.scores.iter().zip(luck) {
                for (kind, score) in [raw, raw - luck].into_iter().enumerate() {
                    games[kind].add(score);
                    sums[kind] += score;
                }
            }
            lucks.add(luck.iter().sum::<f64>() / 2.0);
            pairs
                .iter_mut()
                .zip(sums)
                .for_each(|(pairs, sum)| pairs.add(sum / 2.0));
        }
        let [raw, adjusted] = pairs;
        let interval = Interval::of_mean(&adjusted);
        let edge = 0.25 / (results.len() as f64).max(1.0);
        let elo = |score: f64| elo_of_score(score.clamp(edge, 1.0 - edge));
        let ratio = (raw.deviation() / adjusted.deviation()).powi(2);
        Self {
            evaluator: evaluator.to_owned(),
            score: adjusted.mean(),
            standard_error: adjusted.standard_error(),
            interval,
            elo: elo(adjusted.mean()),
            elo_interval: interval.map_ends(elo),
            luck: lucks.mean(),
            luck_standard_error: lucks.standard_error(),
            game_deviation: games.map(|games| games.deviation()),
            pair_deviation: [raw.deviation(), adjusted.deviation()],
            games_factor: ratio.is_finite().then_some(ratio),
        }
    }
}

impl std::fmt::Display for MatchResult {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let games = self.games_in_words();
        if let Some(points) = &self.points {
            return write!(
                formatter,
                "{} – {}: {points} of {games}, won {:.2} %, superiority {:.2} %",
                self.a,
                self.b,
                100.0 * self.wins as f64 / self.games.max(1) as f64,
                100.0 * self.superiority
            );
        }
        write!(
            formatter,
            "{} – {}: {:.2} % ± {:.2} of {games}, Elo {:+.1} ± {:.1}, superiority {:.2} %",
            self.a,
            self.b,
            100.0 * self.score,
            100.0 * self.interval.half_width(),
            self.elo,
            self.elo_interval.half_width(),
            100.0 * self.superiority
        )
    }
}
