//! Charts with linear, logarithmic or categorical axes, and histograms. Logarithmic axes leave out
//! values that are not positive.

use super::{
    Area, COLOURS, DrawResult, GRID_COLOUR, LineChart, PLOT_WIDTH, TEXT_COLOUR, draw_polyline,
    draw_svg, draw_text, format_tick, min_max, shorten,
};
use crate::error::Result;
use crate::statistics::Interval;
use plotters::{prelude::*, style::text_anchor::HPos};

/// Scale of an axis.
pub enum Scale {
    /// Linear axis with marks at round numbers.
    Linear,
    /// Logarithmic axis with marks at powers of this base, at least 2.
    Logarithmic(u32),
    /// Categorical axis with these names at the values 0, 1, 2, ….
    Categories(Vec<String>),
}

/// Range and marks of an axis; on a logarithmic axis, logarithms of the values.
struct Axis {
    low: f64,
    high: f64,
    marks: Vec<(f64, String)>,
}

const PLOT_HEIGHT: i32 = 300;
const LEGEND_LINE_HEIGHT: i32 = 18;
const MAX_POINT_MARKERS: usize = 40;
const LEFT_MARGIN: i32 = 74;
const RIGHT_MARGIN: i32 = 24;
const TOP_MARGIN: i32 = 56;
const PLOT_BOTTOM: i32 = TOP_MARGIN + PLOT_HEIGHT;
const FOOT_HEIGHT: i32 = 48;

/// Draws curves as SVG, with the legend below.
pub fn scaled_chart(chart: &LineChart, x_scale: &Scale, y_scale: &Scale) -> Result<String> {
    error_bar_chart(chart, &[], x_scale, y_scale)
}

/// Vertical error bar; a point if both ends of its interval are equal.
pub struct ErrorBar {
    /// Index of the curve whose colour the bar has.
    pub curve: usize,
    /// Value on the x axis.
    pub x: f64,
    /// Ends of the bar on the y axis.
    pub interval: Interval,
}

/// Draws curves and error bars as SVG, with the legend below.
///
/// # Errors
/// If drawing fails.
pub fn error_bar_chart(
    chart: &LineChart,
    bars: &[ErrorBar],
    x_scale: &Scale,
    y_scale: &Scale,
) -> Result<String> {
    let on_scales = |points: &[(f64, f64)]| on_scales(points, x_scale, y_scale);
    let ends = |bar: &ErrorBar| {
        let Interval { lower, upper } = bar.interval;
        (bar.curve, on_scales(&[(bar.x, lower), (bar.x, upper)]))
    };
    let bars: Vec<(usize, Vec<(f64, f64)>)> = bars.iter().map(ends).collect();
    let curves: Vec<(&str, Vec<(f64, f64)>)> = chart
        .curves
        .iter()
        .map(|curve| (curve.name.as_str(), on_scales(&curve.points)))
        .collect();
    let lines = curves.iter().map(|curve| &curve.1);
    let points: Vec<(f64, f64)> = lines
        .chain(bars.iter().map(|bar| &bar.1))
        .flatten()
        .copied()
        .collect();
    let height = PLOT_BOTTOM + FOOT_HEIGHT + LEGEND_LINE_HEIGHT * curves.len() as i32 + 14;
    draw_svg(&chart.title, height, points.is_empty(), |area| {
        let plane = Axes {
            x: Axis::of(x_scale, points.iter().map(|point| point.0)),
            y: Axis::of(y_scale, points.iter().map(|point| point.1)),
        };
        let pixels = |points: &[(f64, f64)]| -> Vec<(i32, i32)> {
            points.iter().map(|&point| plane.pixel(point)).collect()
        };
        plane.draw_axes(area, &chart.x_label, &chart.y_label)?;
        for (index, ends) in &bars {
            let colour = COLOURS[index % COLOURS.len()];
            let &[from, to] = &pixels(ends)[..] else {
                continue;
            };
            if ends[0] == ends[1] {
                area.draw(&Circle::new(from, 4, colour.filled()))?;
                continue;
            }
            for (x, y) in [from, to] {
                draw_polyline(area, [(x - 5, y), (x + 5, y)], colour.stroke_width(1))?;
            }
            draw_polyline(area, [from, to], colour.stroke_width(1))?;
        }
        for (index, (name, points)) in curves.iter().enumerate() {
            let pixels = pixels(points);
            let colour = COLOURS[index % COLOURS.len()];
            if pixels.len() > 1 {
                area.draw(&PathElement::new(pixels.clone(), colour.stroke_width(2)))?;
            }
            if pixels.len() <= MAX_POINT_MARKERS {
                for pixel in pixels {
                    draw_marker(area, index, pixel)?;
                }
            }
            let y = PLOT_BOTTOM + FOOT_HEIGHT + LEGEND_LINE_HEIGHT * index as i32 + 6;
            draw_marker(area, index, (LEFT_MARGIN + 6, y))?;
            draw_text(
                area,
                &shorten(name, 90),
                (LEFT_MARGIN + 18, y),
                13,
                TEXT_COLOUR,
                HPos::Left,
            )?;
        }
        Ok(())
    })
}

/// Draws curves and single points (x, y, interval of y) as SVG, on linear axes.
pub fn scatter(chart: &LineChart, points: &[(f64, f64, Option<Interval>)]) -> Result<String> {
    let bar = |x, interval| ErrorBar {
        curve: 1,
        x,
        interval,
    };
    let bars: Vec<ErrorBar> = points
        .iter()
        .flat_map(|&(x, y, interval)| {
            let wide = interval.filter(|interval| interval.lower < interval.upper);
            let intervals = wide.into_iter().chain([Interval::from_center(y, 0.0)]);
            intervals.map(move |interval| bar(x, interval))
        })
        .collect();
    error_bar_chart(chart, &bars, &Scale::Linear, &Scale::Linear)
}

/// Draws a histogram as SVG: bar `i` has the height `counts[i]` and begins at `start + i * width`.
///
/// # Errors
/// If drawing fails.
pub fn histogram(
    title: &str,
    x_label: &str,
    start: f64,
    width: f64,
    counts: &[u64],
) -> Result<String> {
    let edge = |index: usize| start + index as f64 * width;
    let highest = counts.iter().copied().max().unwrap_or(0) as f64;
    draw_svg(
        title,
        PLOT_BOTTOM + FOOT_HEIGHT,
        counts.is_empty(),
        |area| {
            let plane = Axes {
                x: Axis::of(&Scale::Linear, [start, edge(counts.len())].into_iter()),
                y: Axis::of(&Scale::Linear, [0.0, highest].into_iter()),
            };
            plane.draw_axes(area, x_label, "")?;
            for (index, &count) in counts.iter().enumerate() {
                let (left, top) = plane.pixel((edge(index), count as f64));
                let (right, foot) = plane.pixel((edge(index + 1), 0.0));
                let bar = [(left + 1, top), (right - 1, foot)];
                area.draw(&Rectangle::new(bar, COLOURS[0].filled()))?;
            }
            Ok(())
        },
    )
}

fn draw_marker(area: &Area<'_>, index: usize, (x, y): (i32, i32)) -> DrawResult {
    let style = COLOURS[index % COLOURS.len()].filled();
    match index / COLOURS.len() % 3 {
        0 => area.draw(&Circle::new((x, y), 4, style))?,
        1 => area.draw(&Polygon::new(
            vec![(x, y - 5), (x - 5, y + 4), (x + 5, y + 4)],
            style,
        ))?,
        _ => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], style))?,
    }
    Ok(())
}

fn on_scales(points: &[(f64, f64)], x_scale: &Scale, y_scale: &Scale) -> Vec<(f64, f64)> {
    let coordinate = |value: f64, scale: &Scale| match scale {
        Scale::Logarithmic(base) => value.ln() / f64::from(*base).ln(),
        Scale::Linear | Scale::Categories(_) => value,
    };
    points
        .iter()
        .map(|&(x, y)| (coordinate(x, x_scale), coordinate(y, y_scale)))
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect()
}

struct Axes {
    x: Axis,
    y: Axis,
}

impl Axes {
    fn pixel(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let across = (self.x.fraction(x) * f64::from(PLOT_WIDTH - RIGHT_MARGIN - LEFT_MARGIN))
            .round() as i32;
        let up = (self.y.fraction(y) * f64::from(PLOT_HEIGHT)).round() as i32;
        (LEFT_MARGIN + across, PLOT_BOTTOM - up)
    }

    fn draw_axes(&self, area: &Area<'_>, x_label: &str, y_label: &str) -> DrawResult {
        let right = PLOT_WIDTH - RIGHT_MARGIN;
        for (x, name) in &self.x.marks {
            let x = self.pixel((*x, self.y.low)).0;
            draw_polyline(area, [(x, TOP_MARGIN), (x, PLOT_BOTTOM)], GRID_COLOUR)?;
            draw_text(
                area,
                name,
                (x, PLOT_BOTTOM + 13),
                13,
                TEXT_COLOUR,
                HPos::Center,
            )?;
        }
        for (y, name) in &self.y.marks {
            let y = self.pixel((self.x.low, *y)).1;
            draw_polyline(area, [(LEFT_MARGIN, y), (right, y)], GRID_COLOUR)?;
            draw_text(
                area,
                name,
                (LEFT_MARGIN - 8, y),
                13,
                TEXT_COLOUR,
                HPos::Right,
            )?;
        }
        draw_polyline(
            area,
            [
                (LEFT_MARGIN, TOP_MARGIN),
                (LEFT_MARGIN, PLOT_BOTTOM),
                (right, PLOT_BOTTOM),
            ],
            TEXT_COLOUR,
        )?;
        let below = ((LEFT_MARGIN + right) / 2, PLOT_BOTTOM + 32);
        draw_text(area, x_label, below, 14, TEXT_COLOUR, HPos::Center)?;
        draw_text(
            area,
            y_label,
            (LEFT_MARGIN, TOP_MARGIN - 10),
            14,
            TEXT_COLOUR,
            HPos::Left,
        )
    }
}

impl Axis {
    fn of(scale: &Scale, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = min_max(values);
        match scale {
            Scale::Categories(names) => {
                let marks = names.iter().enumerate();
                Self {
                    low: -0.5,
                    high: names.len().max(1) as f64 - 0.5,
                    marks: marks
                        .map(|(index, name)| (index as f64, name.clone()))
                        .collect(),
                }
            }
            Scale::Linear => {
                let step = tick_step(high - low);
                Self::with_ticks((low / step).floor(), (high / step).ceil(), 1, |mark| {
                    (mark * step, format_tick(mark * step))
                })
            }
            Scale::Logarithmic(base) => {
                let every = tick_step((high - low).max(6.0)).round().max(1.0) as usize;
                let name = |mark: f64| {
                    if *base == 2 {
                        format!("2^{mark}")
                    } else {
                        format_tick(f64::from(*base).powf(mark))
                    }
                };
                Self::with_ticks(low.floor(), high.ceil(), every, |mark| (mark, name(mark)))
            }
        }
    }

    fn with_ticks(
        first: f64,
        last: f64,
        every: usize,
        mark: impl Fn(f64) -> (f64, String),
    ) -> Self {
        let last = if last > first { last } else { first + 1.0 };
        let steps = (last - first) as usize;
        let marks = (0..=steps)
            .step_by(every)
            .map(|index| mark(first + index as f64))
            .collect();
        Self {
            low: mark(first).0,
            high: mark(last).0,
            marks,
        }
    }

    fn fraction(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// Distance between marks: 1, 2 or 5 times a power of ten, so that at most six
/// steps cover `range`.
pub(super) fn tick_step(range: f64) -> f64 {
    if range <= 0.0 {
        return 1.0;
    }
    let rough = range / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let leading = rough / power;
    let nice = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|&nice| leading <= nice)
        .unwrap_or(10.0);
    nice * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Curve;

    fn chart(points: &[(f64, f64)]) -> LineChart {
        let curve = Curve::new("star1(depth=3, eval=schwarz)", points.iter().copied());
        LineChart::new("cost <of> search", ["entries", "ms"], [curve])
    }

    fn line(svg: &str, count: usize) -> Vec<(f64, f64)> {
        let lines = svg.split("points=\"").skip(1);
        let pair = |text: &str| {
            let (x, y) = text.split_once(',').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        lines
            .map(|rest| rest.split('"').next().unwrap())
            .map(|points| points.split_whitespace().map(pair).collect())
            .filter(|points: &Vec<_>| points.len() == count)
            .last()
            .unwrap()
    }

    #[test]
    fn bars_of_a_histogram_stand_side_by_side() {
        let svg = histogram("plies", "", -0.5, 1.0, &[1, 4]).unwrap();
        for bar in [
            "x=\"75\" y=\"281\" width=\"309\" height=\"75\"",
            "x=\"386\" y=\"56\" width=\"309\" height=\"300\"",
        ] {
            assert!(svg.contains(bar), "{svg}");
        }
        assert!(
            histogram("none", "", 0.0, 1.0, &[])
                .unwrap()
                .contains("nothing to show")
        );
    }

    #[test]
    fn equal_factors_are_equal_steps_on_a_logarithmic_axis() {
        let points = [(1.0, 1.0), (4.0, 10.0), (16.0, 100.0), (64.0, 1000.0)];
        let scales = [2, 10].map(Scale::Logarithmic);
        let svg = scaled_chart(&chart(&points), &scales[0], &scales[1]).unwrap();
        let points = line(&svg, 4);
        for step in points.windows(2) {
            let (x, y) = (step[1].0 - step[0].0, step[1].1 - step[0].1);
            assert!((x - (points[1].0 - points[0].0)).abs() <= 1.0, "{points:?}");
            assert!((y - (points[1].1 - points[0].1)).abs() <= 1.0, "{points:?}");
        }
        assert!(
            svg.contains("2^6")
                && svg.contains("1000")
                && svg.contains("&lt;of&gt;")
                && svg.contains("star1(depth=3"),
            "{svg}"
        );
    }

    #[test]
    fn what_cannot_be_shown_is_left_out() {
        let names = Scale::Categories(vec!["opening".to_owned(), "middle".to_owned()]);
        let svg = |points: &[(f64, f64)]| {
            scaled_chart(&chart(points), &names, &Scale::Logarithmic(10)).unwrap()
        };
        assert!(svg(&[(0.0, 0.0), (1.0, -2.0)]).contains("nothing to show"));
        let svg = svg(&[(0.0, 5.0), (1.0, 0.0)]);
        for (part, is_there) in [
            ("opening", true),
            ("middle", true),
            ("NaN", false),
            ("inf", false),
        ] {
            assert_eq!(svg.contains(part), is_there, "{part}: {svg}");
        }
    }

    #[test]
    fn linear_axes_have_round_marks() {
        let axis = Axis::of(&Scale::Linear, [1.0, 6.0].into_iter());
        let names: Vec<&str> = axis.marks.iter().map(|mark| mark.1.as_str()).collect();
        assert_eq!(names, ["1", "2", "3", "4", "5", "6"]);
        let axis = Axis::of(&Scale::Linear, [3.0].into_iter());
        assert!(axis.high > axis.low && (0.0..=1.0).contains(&axis.fraction(3.0)));
    }
}
