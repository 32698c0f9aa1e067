//! Plots as inline SVG: curves, match scores with error bars, calibration; [`scaled`] has
//! logarithmic axes.
//!
//! Invariant: a plot is one `<svg>` element that refers to nothing outside itself; labels are
//! escaped; values that are no numbers are left out, and a plot of nothing says so.

pub mod heat_map;
pub mod intervals;
pub mod scaled;

use crate::statistics::Interval;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::{Deserialize, Serialize};

/// A plot that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the plot '{title}': {problem}")]
pub struct PlotError {
    title: String,
    problem: String,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// Points in the order they are joined.
    pub points: Vec<(f64, f64)>,
}

/// Lines over a common pair of axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineChart {
    /// The heading.
    pub title: String,
    /// What runs to the right.
    pub x_label: String,
    /// What runs up.
    pub y_label: String,
    /// The lines.
    pub curves: Vec<Curve>,
}

/// One horizontal bar: a score with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreBar {
    /// What stands left of it.
    pub label: String,
    /// The score in `[0, 1]`.
    pub score: f64,
    /// Its interval.
    pub interval: Interval,
}

/// Positions of similar predicted value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Mean predicted win probability.
    pub predicted: f64,
    /// Share of them that was won.
    pub observed: f64,
    /// How many positions.
    pub positions: u64,
}

/// Colours that colour-blind readers can tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];
const TEXT: RGBColor = RGBColor(40, 44, 52);
const GRID: RGBColor = RGBColor(225, 228, 232);
const WIDTH: u32 = 720;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A line chart with a legend.
///
/// # Errors
/// If the plotting library refuses.
pub fn line_chart(chart: &LineChart) -> Result<String, PlotError> {
    let curves: Vec<Curve> = chart
        .curves
        .iter()
        .map(finite_points)
        .filter(|curve| !curve.points.is_empty())
        .collect();
    draw(&chart.title, 380, |area| {
        if curves.is_empty() {
            return nothing(area, 380);
        }
        let (x_range, y_range) = (
            padded(&curves, |point| point.0, 0.0),
            padded(&curves, |point| point.1, 0.06),
        );
        let mut context = ChartBuilder::on(area)
            .margin(12)
            .margin_right(24)
            .caption(&chart.title, ("sans-serif", 18).into_font().color(&TEXT))
            .x_label_area_size(44)
            .y_label_area_size(68)
            .build_cartesian_2d(x_range, y_range.clone())?;
        context
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(TEXT)
            .label_style(("sans-serif", 13).into_font().color(&TEXT))
            .x_labels(8)
            .y_labels(8)
            .x_label_formatter(&|value| tidy(*value))
            .y_label_formatter(&|value| tidy(*value))
            .x_desc(&chart.x_label)
            .y_desc(&chart.y_label)
            .draw()?;
        for (index, curve) in curves.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let line = LineSeries::new(curve.points.iter().copied(), colour.stroke_width(2));
            let legend =
                move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(3));
            context.draw_series(line)?.label(&curve.name).legend(legend);
            if curve.points.len() <= 40 {
                context.draw_series(
                    curve
                        .points
                        .iter()
                        .map(|&point| Circle::new(point, 3, colour.filled())),
                )?;
            }
        }
        // The legend stands where the curves do not end: they fall like a loss, or rise like a
        // score.
        let middle = (y_range.start + y_range.end) / 2.0;
        let high = curves
            .iter()
            .filter(|curve| curve.points.last().is_some_and(|point| point.1 > middle))
            .count();
        let corner = if 2 * high > curves.len() {
            SeriesLabelPosition::LowerRight
        } else {
            SeriesLabelPosition::UpperRight
        };
        let style = ("sans-serif", 13).into_font().color(&TEXT);
        let labels = &mut context.configure_series_labels();
        labels
            .position(corner)
            .background_style(WHITE.mix(0.85))
            .border_style(GRID)
            .label_font(style)
            .draw()?;
        Ok(())
    })
}

/// Horizontal bars of scores with error bars, in percent, and a line at 50 %.
///
/// # Errors
/// If the plotting library refuses.
pub fn score_bars(title: &str, bars: &[ScoreBar]) -> Result<String, PlotError> {
    const ROW: u32 = 40;
    const TOP: i32 = 48;
    const LEFT: i32 = 262;
    const RIGHT: i32 = 84;
    let height = TOP as u32 + ROW * (bars.len().max(1) as u32) + 44;
    draw(title, height, |area| {
        if bars.is_empty() {
            return nothing(area, height);
        }
        let bottom = height as i32 - 36;
        let x_of = |score: f64| {
            LEFT + (score.clamp(0.0, 1.0) * f64::from(WIDTH as i32 - LEFT - RIGHT)).round() as i32
        };
        let text = |words: String, x, y, size, colour: RGBColor, h| {
            Text::new(
                words,
                (x, y),
                ("sans-serif", size)
                    .into_font()
                    .color(&colour)
                    .pos(Pos::new(h, VPos::Center)),
            )
        };
        area.draw(&text(
            title.to_owned(),
            WIDTH as i32 / 2,
            18,
            18,
            TEXT,
            HPos::Center,
        ))?;
        for tenth in (0..=10).step_by(2) {
            let x = x_of(f64::from(tenth) / 10.0);
            area.draw(&PathElement::new(vec![(x, TOP - 8), (x, bottom)], GRID))?;
            area.draw(&text(
                format!("{} %", 10 * tenth),
                x,
                bottom + 14,
                13,
                TEXT,
                HPos::Center,
            ))?;
        }
        for (index, bar) in bars.iter().enumerate() {
            let y = TOP + ROW as i32 * index as i32 + ROW as i32 / 2 - 6;
            // Blue if better than even for sure, orange if worse for sure, grey if it may be
            // either.
            let colour = match bar.interval {
                Interval { lower, .. } if lower > 0.5 => COLOURS[0],
                Interval { upper, .. } if upper < 0.5 => COLOURS[1],
                _ => RGBColor(140, 146, 156),
            };
            let lines = two_lines(&bar.label, 38);
            for (line, words) in lines.iter().enumerate() {
                let line_y = y + 15 * line as i32 - if lines.len() > 1 { 7 } else { 0 };
                area.draw(&text(
                    words.clone(),
                    LEFT - 10,
                    line_y,
                    12,
                    TEXT,
                    HPos::Right,
                ))?;
            }
            area.draw(&Rectangle::new(
                [(x_of(0.0), y - 9), (x_of(bar.score), y + 9)],
                colour.mix(0.75).filled(),
            ))?;
            let (lower, upper) = (x_of(bar.interval.lower), x_of(bar.interval.upper));
            area.draw(&PathElement::new(
                vec![(lower, y), (upper, y)],
                TEXT.stroke_width(2),
            ))?;
            for end in [lower, upper] {
                area.draw(&PathElement::new(
                    vec![(end, y - 6), (end, y + 6)],
                    TEXT.stroke_width(2),
                ))?;
            }
            let words = format!(
                "{:.1} ± {:.1}",
                100.0 * bar.score,
                100.0 * bar.interval.half_width()
            );
            area.draw(&text(words, x_of(1.0) + 8, y, 13, TEXT, HPos::Left))?;
        }
        area.draw(&PathElement::new(
            vec![(x_of(0.5), TOP - 8), (x_of(0.5), bottom)],
            TEXT.stroke_width(1),
        ))?;
        area.draw(&text(
            "50 %".to_owned(),
            x_of(0.5),
            TOP - 15,
            12,
            TEXT,
            HPos::Center,
        ))?;
        Ok(())
    })
}

/// Predicted against observed win shares, with two standard errors, and the diagonal of perfect
/// calibration.
///
/// # Errors
/// If the plotting library refuses.
pub fn calibration_plot(title: &str, bins: &[CalibrationBin]) -> Result<String, PlotError> {
    let bins: Vec<CalibrationBin> = bins
        .iter()
        .copied()
        .filter(|bin| bin.positions > 0 && bin.predicted.is_finite() && bin.observed.is_finite())
        .collect();
    draw(title, 480, |area| {
        if bins.is_empty() {
            return nothing(area, 480);
        }
        let mut context = ChartBuilder::on(area)
            .margin(12)
            .margin_right(24)
            .caption(title, ("sans-serif", 18).into_font().color(&TEXT))
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..100.0, 0.0..100.0)?;
        context
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(TEXT)
            .label_style(("sans-serif", 13).into_font().color(&TEXT))
            .x_label_formatter(&|value| tidy(*value))
            .y_label_formatter(&|value| tidy(*value))
            .x_desc("predicted win probability, %")
            .y_desc("games won, %")
            .draw()?;
        context.draw_series(LineSeries::new(
            [(0.0, 0.0), (100.0, 100.0)],
            RGBColor(140, 146, 156).stroke_width(1),
        ))?;
        for bin in &bins {
            let (x, observed) = (100.0 * bin.predicted, bin.observed.clamp(0.0, 1.0));
            let error = 2.0 * (observed * (1.0 - observed) / bin.positions as f64).sqrt();
            let ends = vec![
                (x, 100.0 * (observed - error).max(0.0)),
                (x, 100.0 * (observed + error).min(1.0)),
            ];
            context.draw_series([PathElement::new(ends, COLOURS[0].mix(0.6).stroke_width(2))])?;
        }
        let points: Vec<(f64, f64)> = bins
            .iter()
            .map(|bin| (100.0 * bin.predicted, 100.0 * bin.observed))
            .collect();
        context.draw_series(
            points
                .iter()
                .map(|&point| Circle::new(point, 4, COLOURS[0].filled())),
        )?;
        Ok(())
    })
}

fn draw(
    title: &str,
    height: u32,
    paint: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let painted = area
            .fill(&WHITE)
            .map_err(Into::into)
            .and_then(|()| paint(&area))
            .and_then(|()| area.present().map_err(Into::into));
        painted.map_err(|problem| PlotError {
            title: title.to_owned(),
            problem: problem.to_string(),
        })?;
    }
    Ok(svg)
}

fn nothing(area: &Area<'_>, height: u32) -> Drawn {
    let style = ("sans-serif", 15)
        .into_font()
        .color(&TEXT)
        .pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(
        "nothing to show",
        (WIDTH as i32 / 2, height as i32 / 2),
        style,
    ))?;
    Ok(())
}

fn finite_points(curve: &Curve) -> Curve {
    let points = curve
        .points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    Curve {
        name: curve.name.clone(),
        points,
    }
}

/// The range of one coordinate, widened by a share of it, and never empty.
fn padded(
    curves: &[Curve],
    coordinate: impl Fn(&(f64, f64)) -> f64,
    share: f64,
) -> std::ops::Range<f64> {
    let values = || {
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(&coordinate))
    };
    let (low, high) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    if high - low <= 1e-12 * high.abs().max(low.abs()) {
        let around = low.abs().max(1.0) * 0.1;
        return low - around..high + around;
    }
    low - share * (high - low)..high + share * (high - low)
}

/// A number as short as it can be on an axis: `0.25`, `3`, `20k`, `1.5M`.
fn tidy(value: f64) -> String {
    let short = |value: f64, unit: &str| {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned() + unit
    };
    match value.abs() {
        size if size >= 1e6 => short(value / 1e6, "M"),
        size if size >= 1e4 => short(value / 1e3, "k"),
        size if size < 1e-9 => "0".to_owned(),
        size if size < 1e-3 => format!("{value:.1e}"),
        _ => short(value, ""),
    }
}

/// The text on one line or, broken at a space, on two; what does not fit is cut.
fn two_lines(text: &str, most: usize) -> Vec<String> {
    if text.chars().count() <= most {
        return vec![text.to_owned()];
    }
    let fits = |end: &usize| text[..*end].chars().count() <= most;
    match text.match_indices(' ').map(|(at, _)| at).rfind(fits) {
        Some(at) => vec![text[..at].to_owned(), shortened(&text[at + 1..], most)],
        None => vec![shortened(text, most)],
    }
}

/// The text, or its beginning and an ellipsis.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.to_owned()
    } else {
        text.chars().take(most - 1).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_line_a_curve_and_names_them() {
        let curve = |name: &str, scale: f64| Curve {
            name: name.to_owned(),
            points: (0..50)
                .map(|x| (f64::from(x), scale * f64::from(x)))
                .collect(),
        };
        let mut chart = LineChart {
            title: "loss <of> training".to_owned(),
            x_label: "epoch".to_owned(),
            y_label: "loss".to_owned(),
            curves: vec![curve("network & more", 1.0), curve("n-tuple", 2.0)],
        };
        chart.curves[0].points.push((f64::NAN, 1.0));
        let svg = line_chart(&chart).unwrap();
        assert!(svg.trim_start().starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(
            svg.contains("network &amp; more")
                && svg.contains("n-tuple")
                && svg.contains("loss &lt;of&gt; training"),
            "{svg}"
        );
        assert!(!svg.contains("NaN"));
        // A polyline a curve with all its points.
        let longest = svg
            .split("points=\"")
            .skip(1)
            .filter(|rest| rest.split('"').next().unwrap().split_whitespace().count() == 50)
            .count();
        assert_eq!(longest, 2);
    }

    #[test]
    fn bars_and_error_bars_stand_where_their_values_are() {
        let bar = |label: &str, score: f64| ScoreBar {
            label: label.to_owned(),
            score,
            interval: Interval {
                lower: score - 0.05,
                upper: score + 0.05,
            },
        };
        let svg = score_bars(
            "scores",
            &[bar("network", 0.75), bar("even", 0.5), bar("worse", 0.25)],
        )
        .unwrap();
        for words in ["network", "75.0 ± 5.0", "50.0 ± 5.0", "25.0 ± 5.0"] {
            assert!(svg.contains(words), "{words}");
        }
        // The axis runs from 262 to 636: the bar of 75 % is 280.5 wide.
        assert!(
            svg.contains("width=\"281\"") || svg.contains("width=\"280\""),
            "{svg}"
        );
    }

    #[test]
    fn plots_of_nothing_say_so() {
        let empty = LineChart {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            curves: Vec::new(),
        };
        for svg in [
            line_chart(&empty).unwrap(),
            score_bars("none", &[]).unwrap(),
            calibration_plot("none", &[]).unwrap(),
        ] {
            assert!(svg.contains("nothing to show"));
        }
        let flat = Curve {
            name: "one".to_owned(),
            points: vec![(3.0, 7.0)],
        };
        assert!(
            line_chart(&LineChart {
                curves: vec![flat],
                ..empty
            })
            .unwrap()
            .contains("<circle")
        );
    }

    #[test]
    fn calibration_has_a_point_a_bin() {
        let bins: Vec<CalibrationBin> = (0..10)
            .map(|bin| CalibrationBin {
                predicted: 0.05 + 0.1 * f64::from(bin),
                observed: 0.1 * f64::from(bin),
                positions: 100,
            })
            .collect();
        assert_eq!(
            calibration_plot("calibration", &bins)
                .unwrap()
                .matches("<circle")
                .count(),
            10
        );
    }

    #[test]
    fn long_labels_take_two_lines() {
        assert_eq!(two_lines("short one", 10), ["short one"]);
        assert_eq!(two_lines("star1 beats mcts", 12), ["star1 beats", "mcts"]);
        assert_eq!(two_lines("a verylongwordthatisnot", 8), ["a", "verylon…"]);
        assert_eq!(two_lines("überlang", 4), ["übe…"]);
    }

    #[test]
    fn axis_numbers_are_short() {
        for (value, text) in [
            (0.25, "0.25"),
            (3.0, "3"),
            (20_000.0, "20k"),
            (1.5e6, "1.5M"),
            (1e-17, "0"),
            (2e-4, "2.0e-4"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(tidy(value), text);
        }
    }
}
