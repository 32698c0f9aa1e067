//! Plots, each one `<svg>` element without external references. Values that are not finite are left
//! out; a plot without data has a note instead.

pub mod heat_map;
pub mod intervals;
pub mod scaled_charts;

use crate::error::Result;
use crate::statistics::Interval;
use alea_core::text::printable_lines;
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use scaled_charts::{Scale, scaled_chart, scatter};
use serde::{Deserialize, Serialize};

/// Curve of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Name of the curve in the legend.
    pub name: String,
    /// Points (x, y), joined by lines in this order.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// Creates a curve through `points`.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points: points.into_iter().collect(),
        }
    }
}

/// Chart of curves over common axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineChart {
    /// Heading of the chart.
    pub title: String,
    /// Label of the x axis.
    pub x_label: String,
    /// Label of the y axis.
    pub y_label: String,
    /// Curves in the order of the legend.
    pub curves: Vec<Curve>,
}

impl LineChart {
    /// Creates a chart from its title, the labels of its axes and its curves.
    pub fn new(
        title: impl Into<String>,
        [x_label, y_label]: [&str; 2],
        curves: impl IntoIterator<Item = Curve>,
    ) -> Self {
        Self {
            title: title.into(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            curves: curves.into_iter().collect(),
        }
    }
}

/// Row of a chart of values with intervals.
pub struct Row {
    /// Label at the left of the row.
    pub label: String,
    /// Value, drawn as a point or bar.
    pub value: f64,
    /// Interval around `value`.
    pub interval: Interval,
}

/// Calibration bin: positions with similar predictions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Mean predicted win probability of the side to move.
    pub predicted: f64,
    /// Fraction of games that the side to move won from these positions.
    pub observed: f64,
    /// Number of positions in the bin.
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
const TEXT_COLOUR: RGBColor = RGBColor(40, 44, 52);
const GRID_COLOUR: RGBColor = RGBColor(225, 228, 232);
const PLOT_WIDTH: i32 = 720;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawResult = Result<(), Box<dyn std::error::Error>>;

/// Draws a chart with linear axes as SVG.
pub fn line_chart(chart: &LineChart) -> Result<String> {
    scaled_chart(chart, &Scale::Linear, &Scale::Linear)
}

/// Draws scores (0 to 1) as SVG: bars in percent, with their intervals and a line at 50 %.
///
/// # Errors
/// If drawing fails.
pub fn score_bars(title: &str, scores: Vec<Row>) -> Result<String> {
    let in_percent = |row: Row| Row {
        value: 100.0 * row.value,
        interval: row.interval.map_ends(|score| 100.0 * score),
        ..row
    };
    let rows: Vec<Row> = scores.into_iter().map(in_percent).collect();
    intervals::rows_chart(title, "", &rows, 1, true)
}

/// Draws scores (0 to 1) as [`score_bars`], or points a game in `unit` if there is one.
///
/// # Errors
/// If drawing fails.
pub fn score_chart(title: &str, unit: Option<&str>, scores: Vec<Row>) -> Result<String> {
    match unit {
        None => score_bars(&format!("{title}, %"), scores),
        Some(unit) => intervals::interval_chart(title, &format!("{unit} a game"), &scores, 3),
    }
}

/// Draws a calibration as SVG: observed over predicted win rates, with error bars of two standard
/// errors and the diagonal.
pub fn calibration_plot(title: &str, bins: &[CalibrationBin]) -> Result<String> {
    let points: Vec<_> = bins
        .iter()
        .filter(|bin| bin.positions > 0)
        .map(|bin| {
            let observed = bin.observed.clamp(0.0, 1.0);
            let error = 2.0 * (observed * (1.0 - observed) / bin.positions as f64).sqrt();
            let interval =
                Interval::from_center(observed, error).map_ends(|end| 100.0 * end.clamp(0.0, 1.0));
            (100.0 * bin.predicted, 100.0 * bin.observed, Some(interval))
        })
        .collect();
    let diagonal = LineChart::new(
        title,
        ["predicted win probability, %", "games won, %"],
        [Curve::new("perfect", [(0.0, 0.0), (100.0, 100.0)])],
    );
    scatter(&diagonal, &points)
}

fn draw_svg(
    title: &str,
    height: i32,
    is_empty: bool,
    paint: impl FnOnce(&Area<'_>) -> DrawResult,
) -> Result<String> {
    let mut svg = String::new();
    {
        let size = (PLOT_WIDTH as u32, height as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let paint_all = || -> DrawResult {
            area.fill(&WHITE)?;
            if is_empty {
                let middle = (PLOT_WIDTH / 2, height / 2);
                draw_text(
                    &area,
                    "nothing to show",
                    middle,
                    15,
                    TEXT_COLOUR,
                    HPos::Center,
                )?;
            } else {
                draw_text(
                    &area,
                    title,
                    (PLOT_WIDTH / 2, 18),
                    18,
                    TEXT_COLOUR,
                    HPos::Center,
                )?;
                paint(&area)?;
            }
            Ok(area.present()?)
        };
        paint_all().map_err(|problem| format!("cannot draw the plot '{title}': {problem}"))?;
    }
    Ok(printable_lines(&svg).into_owned())
}

fn draw_text(
    area: &Area<'_>,
    words: &str,
    at: (i32, i32),
    size: i32,
    colour: RGBColor,
    side: HPos,
) -> DrawResult {
    let font = ("sans-serif", size).into_font().color(&colour);
    let style = font.pos(Pos::new(side, VPos::Center));
    Ok(area.draw(&Text::new(words, at, style))?)
}

fn draw_polyline<const N: usize>(
    area: &Area<'_>,
    points: [(i32, i32); N],
    style: impl Into<ShapeStyle>,
) -> DrawResult {
    Ok(area.draw(&PathElement::new(points, style))?)
}

/// Smallest and largest of `values`; infinities if there are none.
pub fn min_max(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

fn format_tick(value: f64) -> String {
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

fn two_lines(text: &str, max_chars: usize) -> Vec<String> {
    if text.chars().count() <= max_chars {
        return vec![text.to_owned()];
    }
    let fits = |end: &usize| text[..*end].chars().count() <= max_chars;
    match text.match_indices(' ').map(|(at, _)| at).rfind(fits) {
        Some(at) => vec![text[..at].to_owned(), shorten(&text[at + 1..], max_chars)],
        None => vec![shorten(text, max_chars)],
    }
}

fn shorten(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        text.to_owned()
    } else {
        text.chars().take(max_chars - 1).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_line_a_curve_and_names_them() {
        let curve = |name: &str, scale: f64| {
            Curve::new(name, (0..50).map(|x| (f64::from(x), scale * f64::from(x))))
        };
        let mut chart = LineChart::new(
            "loss <of> training",
            ["epoch", "loss"],
            [curve("network & more", 1.0), curve("n-tuple", 2.0)],
        );
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
        // The title is above the axis's label, whatever their lengths.
        let height = |text: &str| {
            let before = &svg[..svg.find(&format!("\n{text}\n")).unwrap()];
            let y = before.rsplit(" y=\"").next().unwrap();
            y.split('"').next().unwrap().parse::<i32>().unwrap()
        };
        assert!(height("loss") - height("loss &lt;of&gt; training") >= 18);
        let longest = svg
            .split("points=\"")
            .skip(1)
            .filter(|rest| rest.split('"').next().unwrap().split_whitespace().count() == 50)
            .count();
        assert_eq!(longest, 2);
    }

    #[test]
    fn bars_and_error_bars_stand_where_their_values_are() {
        let bar = |label: &str, value: f64| Row {
            label: label.to_owned(),
            value,
            interval: Interval::from_center(value, 0.05),
        };
        let bars = vec![bar("network", 0.75), bar("even", 0.5), bar("worse", 0.25)];
        let svg = score_bars("scores", bars).unwrap();
        for words in ["network", "75.0 ± 5.0", "50.0 ± 5.0", "25.0 ± 5.0"] {
            assert!(svg.contains(words), "{words}");
        }
        assert!(svg.contains("width=\"261\""), "{svg}");
    }

    #[test]
    fn plots_of_nothing_say_so() {
        let empty = LineChart::new("", ["", ""], []);
        for svg in [
            line_chart(&empty).unwrap(),
            score_bars("none", vec![]).unwrap(),
        ] {
            assert!(svg.contains("nothing to show"));
        }
        let flat = LineChart::new("", ["", ""], [Curve::new("one", [(3.0, 7.0)])]);
        assert!(line_chart(&flat).unwrap().contains("<circle"));
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
            13
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
            assert_eq!(format_tick(value), text);
        }
    }
}
