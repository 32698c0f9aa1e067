//! Scores of players against one opponent, by a number in the players' notation such as
//! milliseconds per move. All matches have the same starts and dice.

use arena::error::Result;
use arena::matches::{Contestant, MatchOptions, MatchResult, make_folder, play_match};
use arena::plot::{
    Curve, LineChart,
    scaled_charts::{ErrorBar, Scale, error_bar_chart},
};
use arena::statistics::Interval;
use arena::text_table::{Cell, TextTable};
use engine::core::files::checksum;
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};

pub const PLACEHOLDER: &str = "{}";

pub struct Candidate<G: Playable> {
    /// Notation, with [`PLACEHOLDER`] for the number.
    pub player: String,
    /// One entry per number; a single one, with `None`, if there is no placeholder.
    pub settings: Vec<(Option<f64>, Contestant<G>)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthCurves {
    pub against: String,
    pub curves: Vec<StrengthCurve>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthCurve {
    pub player: String,
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    pub result: MatchResult,
}

impl Point {
    fn score(&self) -> (f64, Interval) {
        match &self.result.luck {
            Some(luck) => (luck.score, luck.interval),
            None => (self.result.score, self.result.interval),
        }
    }

    fn move_microseconds(&self) -> f64 {
        1e6 * self.result.seconds_per_move[0]
    }
}

/// Plays a match for each number of each player, except those finished in the folder
/// `options.state`.
pub fn measure_curves<G: Playable>(
    candidates: &[Candidate<G>],
    against: &Contestant<G>,
    options: &MatchOptions<G>,
    mut watch: impl FnMut(&MatchResult),
) -> Result<StrengthCurves> {
    make_folder(options.state.as_deref())?;
    let mut play = |(number, player): &(Option<f64>, Contestant<G>)| {
        let name = format!("{:016x}", checksum(player.name.as_bytes()));
        let result = play_match(player, against, &options.with_file_name(&name))?;
        watch(&result);
        Ok(Point {
            number: *number,
            result,
        })
    };
    let mut scores = |Candidate { player, settings }: &Candidate<G>| {
        let mut settings: Vec<_> = settings.iter().collect();
        settings.sort_by(|(one, _), (other, _)| one.partial_cmp(other).expect("numbers"));
        let points = settings.into_iter().map(&mut play).collect::<Result<_>>()?;
        Ok(StrengthCurve {
            player: player.clone(),
            points,
        })
    };
    Ok(StrengthCurves {
        against: against.name.clone(),
        curves: candidates.iter().map(&mut scores).collect::<Result<_>>()?,
    })
}

pub fn text_table(front: &StrengthCurves) -> TextTable {
    let mut text_table = TextTable::new([
        "player",
        "µs a move",
        "score %",
        "±",
        "as played %",
        "±",
        "games",
    ]);
    for StrengthCurve { player, points } in &front.curves {
        for point in points {
            let name = match point.number {
                Some(number) => player.replace(PLACEHOLDER, &number.to_string()),
                None => player.clone(),
            };
            let (score, interval) = point.score();
            text_table.push(vec![
                name.into(),
                Cell::Number(point.move_microseconds(), 1),
                Cell::Percent(score),
                Cell::Percent(interval.half_width()),
                Cell::Percent(point.result.score),
                Cell::Percent(point.result.interval.half_width()),
                point.result.games.into(),
            ]);
        }
    }
    text_table
}

pub fn chart(front: &StrengthCurves) -> Result<String> {
    let percent = |point: &Point| (point.move_microseconds(), 100.0 * point.score().0);
    let chart = LineChart::new(
        format!("Strength against {}", front.against),
        ["µs a move", "score, %"],
        front.curves.iter().map(|curve| {
            let player = curve.player.replace(PLACEHOLDER, "N");
            Curve::new(player, curve.points.iter().map(percent))
        }),
    );
    let mut bars = Vec::new();
    for (curve, scores) in front.curves.iter().enumerate() {
        bars.extend(scores.points.iter().map(|point| {
            let (_, interval) = point.score();
            ErrorBar {
                curve,
                x: point.move_microseconds(),
                interval: interval.map_ends(|end| 100.0 * end),
            }
        }));
    }
    error_bar_chart(&chart, &bars, &Scale::Logarithmic(10), &Scale::Linear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::Standard;

    fn contestant(notation: &str) -> Contestant<Standard> {
        Contestant::of(notation, &Standard::default()).unwrap()
    }

    #[test]
    fn points_are_matches_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let candidate = |player: &str, settings| Candidate {
            player: player.to_owned(),
            settings,
        };
        let candidates = [
            candidate(
                "a({})",
                vec![
                    (Some(20.0), contestant("greedy")),
                    (Some(1.0), contestant("random")),
                    (Some(5.0), contestant("star1(depth=1, eval=schwarz)")),
                ],
            ),
            candidate("b", vec![(None, contestant("greedy"))]),
        ];
        let options = MatchOptions {
            threads: 1,
            state: Some(folder.path().join("state")),
            ..MatchOptions::new(Standard::default(), 30, 3)
        };
        let found = measure_curves(&candidates, &contestant("random"), &options, |_| {}).unwrap();
        let [a, b] = &found.curves[..] else { panic!() };
        let numbers: Vec<_> = a.points.iter().map(|point| point.number.unwrap()).collect();
        assert_eq!(numbers, [1.0, 5.0, 20.0]);
        assert_eq!(a.points[0].result.score, 0.5, "random against itself");
        let unkept = MatchOptions {
            state: None,
            ..options.clone()
        };
        let alone = play_match(&contestant("greedy"), &contestant("random"), &unkept).unwrap();
        for point in [&a.points[2], &b.points[0]] {
            assert_eq!(point.result.pair_counts, alone.pair_counts);
        }
        let again =
            || measure_curves(&candidates, &contestant("random"), &options, |_| {}).unwrap();
        assert_eq!(again(), again(), "read back, times included");
        assert_eq!(text_table(&found).text().lines().count(), 5);
        let svg = chart(&found).unwrap();
        assert!(svg.contains("score, %"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 4 + 2, "{svg}");
    }
}
