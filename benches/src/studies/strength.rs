//! How much stronger a player gets with a number: time a move, depth, simulations. A match a number
//! against one and the same opponent, and the curve.
//!
//! All matches use the same seed, so that every point has the same starts and dice. Invariant:
//! points stand in the order of their numbers.

use crate::arena::{Contestant, MatchOptions, MatchResult, make_folder, play_match};
use crate::error::Result;
use crate::plot::{
    Curve, LineChart,
    scaled::{Bar, Scale, chart_with_bars},
};
use crate::sheet::{Cell, Sheet};
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};

/// A player at one number.
pub struct Setting<G: Playable> {
    /// The number.
    pub number: f64,
    /// The player with it.
    pub contestant: Contestant<G>,
}

/// What a player scored with one number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The number.
    pub number: f64,
    /// The match; A is the player.
    pub result: MatchResult,
}

/// Plays a match for every setting. `options.state`, if given, names a folder with a file for each
/// number.
///
/// # Errors
/// If a match fails.
pub fn strength<G: Playable>(
    settings: &[Setting<G>],
    against: &Contestant<G>,
    options: &MatchOptions<G>,
    mut watch: impl FnMut(&MatchResult),
) -> Result<Vec<Point>> {
    make_folder(options.state.as_deref())?;
    let mut settings: Vec<&Setting<G>> = settings.iter().collect();
    settings.sort_by(|left, right| left.number.total_cmp(&right.number));
    let play = |setting: &Setting<G>| {
        let options = options.kept_as(&setting.number.to_string());
        let result = play_match(&setting.contestant, against, &options)?;
        watch(&result);
        Ok(Point {
            number: setting.number,
            result,
        })
    };
    settings.into_iter().map(play).collect()
}

/// A line a point.
#[must_use]
pub fn sheet(name: &str, points: &[Point]) -> Sheet {
    let mut sheet = Sheet::new([
        name,
        "win %",
        "±",
        "Elo",
        "± ",
        "µs a move",
        "first mover wins %",
        "games",
    ]);
    for Point { number, result } in points {
        sheet.push(vec![
            Cell::Number(*number, if number.fract() == 0.0 { 0 } else { 2 }),
            Cell::Percent(result.score),
            Cell::Percent(result.interval.half_width()),
            Cell::Number(result.elo, 1),
            Cell::Number(result.elo_interval.half_width(), 1),
            Cell::Number(1e6 * result.seconds_per_move[0], 1),
            Cell::Percent(result.first_mover_share),
            result.games.into(),
        ]);
    }
    sheet
}

/// The curve with intervals; each doubling of the number is a step.
///
/// # Errors
/// If the plotting library refuses.
pub fn chart(name: &str, player: &str, against: &str, points: &[Point]) -> Result<String> {
    let scores = points
        .iter()
        .map(|point| (point.number, 100.0 * point.result.score));
    let chart = LineChart::new(
        format!("Strength against {against}"),
        [name, "games won, %"],
        [Curve::new(player, scores)],
    );
    let bar = |point: &Point| {
        let interval = point.result.interval;
        Bar {
            curve: 0,
            x: point.number,
            lower: 100.0 * interval.lower,
            upper: 100.0 * interval.upper,
        }
    };
    chart_with_bars(
        &chart,
        &points.iter().map(bar).collect::<Vec<_>>(),
        &Scale::Logarithmic(10),
        &Scale::Linear,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_players::{first, greedy, options, random};

    #[test]
    fn points_are_matches_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let settings = [(20.0, greedy()), (1.0, random()), (5.0, first())]
            .map(|(number, contestant)| Setting { number, contestant });
        let options = MatchOptions {
            state: Some(folder.path().join("state")),
            ..options(30, 3)
        };
        let points = strength(&settings, &random(), &options, |_| {}).unwrap();
        assert_eq!(
            points.iter().map(|point| point.number).collect::<Vec<_>>(),
            [1.0, 5.0, 20.0]
        );
        assert_eq!(points[0].result.score, 0.5, "random against itself");
        let unkept = MatchOptions {
            state: None,
            ..options.clone()
        };
        let alone = play_match(&greedy(), &random(), &unkept).unwrap();
        assert_eq!(points[2].result.pair_counts, alone.pair_counts);
        let again = strength(&settings, &random(), &options, |_| {}).unwrap();
        assert_eq!(
            again,
            strength(&settings, &random(), &options, |_| {}).unwrap(),
            "read back without playing, times included"
        );
        assert_eq!(again[2].result.pair_counts, alone.pair_counts);
        assert_eq!(sheet("ms", &points).text().lines().count(), 4);
        let svg = chart("ms a move", "greedy", "random", &points).unwrap();
        assert!(
            svg.contains("games won, %") && svg.matches("<circle").count() == 4,
            "{svg}"
        );
    }
}
