//! Charts whose axes may be logarithmic or name categories: costs that span orders of magnitude.
//!
//! The legend stands below the chart, where long names of players have room. Invariant: as for
//! [`super`]; a point that a logarithmic axis cannot show (zero, negative) is left out.

use super::{
    COLOURS, Curve, Drawn, GRID, LineChart, PlotError, TEXT, WIDTH, draw, finite_points, nothing,
    shortened, tidy,
};
use crate::statistics::Interval;
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

/// What an axis measures by.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Equal steps add.
    Linear,
    /// Equal steps multiply; marks stand at powers of this base (at least 2).
    Logarithmic(u32),
    /// Whole numbers from 0 stand for these names.
    Categories(Vec<String>),
}

/// The part of the axis that is shown, in the coordinate it is drawn in, and its marks.
struct Axis {
    low: f64,
    high: f64,
    marks: Vec<(f64, String)>,
}

/// Height of the plane and of one line of the legend, in pixels.
const PLANE: i32 = 300;
const LEGEND_LINE: i32 = 18;
/// Most points of a curve that are marked.
const MOST_MARKED: usize = 40;
const LEFT: i32 = 74;
const RIGHT: i32 = 24;
const TOP: i32 = 40;
/// From the plane's foot to the legend: marks and the label of the x axis.
const FOOT: i32 = 48;

/// Curves with a marker at each point, on the given scales of x and y.
///
/// # Errors
/// If the plotting library refuses.
pub fn scaled_chart(
    chart: &LineChart,
    x_scale: &Scale,
    y_scale: &Scale,
) -> Result<String, PlotError> {
    chart_with_bars(chart, &[], x_scale, y_scale)
}

/// The interval of a point; a point alone if both ends are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Which curve it belongs to.
    pub curve: usize,
    /// Where it stands.
    pub x: f64,
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

/// As [`scaled_chart`], with intervals drawn as vertical bars.
///
/// # Errors
/// If the plotting library refuses.
pub fn chart_with_bars(
    chart: &LineChart,
    bars: &[Bar],
    x_scale: &Scale,
    y_scale: &Scale,
) -> Result<String, PlotError> {
    // A bar is a curve of two points, so far as scales and finite numbers are concerned.
    let ends = |bar: &Bar| Curve {
        name: String::new(),
        points: vec![(bar.x, bar.lower), (bar.x, bar.upper)],
    };
    let bars: Vec<(usize, Curve)> = bars
        .iter()
        .map(|bar| (bar.curve, on_scales(&ends(bar), x_scale, y_scale)))
        .collect();
    let curves: Vec<Curve> = chart
        .curves
        .iter()
        .map(|curve| on_scales(curve, x_scale, y_scale))
        .collect();
    let height = TOP + PLANE + FOOT + LEGEND_LINE * curves.len() as i32 + 14;
    draw(&chart.title, height as u32, |area| {
        let points = || {
            curves
                .iter()
                .chain(bars.iter().map(|bar| &bar.1))
                .flat_map(|curve| curve.points.iter().copied())
        };
        if points().next().is_none() {
            return nothing(area, height as u32);
        }
        let (x_axis, y_axis) = (
            Axis::of(x_scale, points().map(|point| point.0)),
            Axis::of(y_scale, points().map(|point| point.1)),
        );
        let (right, bottom) = (WIDTH as i32 - RIGHT, TOP + PLANE);
        let x_of = |x: f64| LEFT + (x_axis.share(x) * f64::from(right - LEFT)).round() as i32;
        let y_of = |y: f64| bottom - (y_axis.share(y) * f64::from(PLANE)).round() as i32;
        let text = |words: &str, (x, y): (i32, i32), size: i32, anchor: Pos| {
            Text::new(
                words.to_owned(),
                (x, y),
                ("sans-serif", size).into_font().color(&TEXT).pos(anchor),
            )
        };
        let centre = Pos::new(HPos::Center, VPos::Center);
        area.draw(&text(&chart.title, (WIDTH as i32 / 2, 18), 18, centre))?;
        for (x, name) in &x_axis.marks {
            area.draw(&PathElement::new(
                vec![(x_of(*x), TOP), (x_of(*x), bottom)],
                GRID,
            ))?;
            area.draw(&text(name, (x_of(*x), bottom + 13), 13, centre))?;
        }
        for (y, name) in &y_axis.marks {
            area.draw(&PathElement::new(
                vec![(LEFT, y_of(*y)), (right, y_of(*y))],
                GRID,
            ))?;
            area.draw(&text(
                name,
                (LEFT - 8, y_of(*y)),
                13,
                Pos::new(HPos::Right, VPos::Center),
            ))?;
        }
        area.draw(&PathElement::new(
            vec![(LEFT, TOP), (LEFT, bottom), (right, bottom)],
            TEXT,
        ))?;
        area.draw(&text(
            &chart.x_label,
            ((LEFT + right) / 2, bottom + 32),
            14,
            centre,
        ))?;
        area.draw(&text(
            &chart.y_label,
            (LEFT, TOP - 10),
            14,
            Pos::new(HPos::Left, VPos::Center),
        ))?;
        for (index, bar) in &bars {
            let pixels: Vec<(i32, i32)> = bar
                .points
                .iter()
                .map(|&(x, y)| (x_of(x), y_of(y)))
                .collect();
            let colour = COLOURS[index % COLOURS.len()];
            if pixels.len() == 2 && bar.points[0] == bar.points[1] {
                area.draw(&Circle::new(pixels[0], 4, colour.filled()))?;
            } else if pixels.len() == 2 {
                for (x, y) in &pixels {
                    area.draw(&PathElement::new(
                        vec![(x - 5, *y), (x + 5, *y)],
                        colour.stroke_width(1),
                    ))?;
                }
                area.draw(&PathElement::new(pixels, colour.stroke_width(1)))?;
            }
        }
        for (index, curve) in curves.iter().enumerate() {
            let pixels: Vec<(i32, i32)> = curve
                .points
                .iter()
                .map(|&(x, y)| (x_of(x), y_of(y)))
                .collect();
            let colour = COLOURS[index % COLOURS.len()];
            if pixels.len() > 1 {
                area.draw(&PathElement::new(pixels.clone(), colour.stroke_width(2)))?;
            }
            // Many points are a line without them.
            if pixels.len() <= MOST_MARKED {
                for pixel in pixels {
                    marker(area, index, pixel)?;
                }
            }
            let y = bottom + FOOT + LEGEND_LINE * index as i32 + 6;
            marker(area, index, (LEFT + 6, y))?;
            area.draw(&text(
                &shortened(&curve.name, 90),
                (LEFT + 18, y),
                13,
                Pos::new(HPos::Left, VPos::Center),
            ))?;
        }
        Ok(())
    })
}

/// Points with their intervals beside the one curve of a chart, on linear scales.
///
/// # Errors
/// If the plotting library refuses.
pub fn scatter(
    chart: &LineChart,
    points: &[(f64, f64, Option<Interval>)],
) -> Result<String, PlotError> {
    let bar = |x, lower, upper| Bar {
        curve: 1,
        x,
        lower,
        upper,
    };
    let bars: Vec<Bar> = points
        .iter()
        .flat_map(|&(x, y, interval)| {
            let wide = interval.filter(|interval| interval.lower < interval.upper);
            let interval = wide.map(|Interval { lower, upper }| bar(x, lower, upper));
            interval.into_iter().chain([bar(x, y, y)])
        })
        .collect();
    chart_with_bars(chart, &bars, &Scale::Linear, &Scale::Linear)
}

/// Circles, then triangles, then squares: more curves than colours stay distinct.
fn marker(area: &super::Area<'_>, index: usize, (x, y): (i32, i32)) -> Drawn {
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

/// The points as they are drawn.
fn on_scales(curve: &Curve, x_scale: &Scale, y_scale: &Scale) -> Curve {
    let coordinate = |value: f64, scale: &Scale| match scale {
        Scale::Logarithmic(base) => value.ln() / f64::from(*base).ln(),
        Scale::Linear | Scale::Categories(_) => value,
    };
    let points = curve
        .points
        .iter()
        .map(|&(x, y)| (coordinate(x, x_scale), coordinate(y, y_scale)))
        .collect();
    // The logarithm of what is not positive is no finite number.
    finite_points(&Curve {
        name: curve.name.clone(),
        points,
    })
}

impl Axis {
    /// An axis that shows all values, of which there is one at least.
    fn of(scale: &Scale, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        match scale {
            Scale::Categories(names) => {
                let marks = names
                    .iter()
                    .enumerate()
                    .map(|(index, name)| (index as f64, name.clone()))
                    .collect();
                Self {
                    low: -0.5,
                    high: names.len().max(1) as f64 - 0.5,
                    marks,
                }
            }
            Scale::Linear => {
                let step = step_for(high - low);
                Self::between((low / step).floor(), (high / step).ceil(), 1, |mark| {
                    (mark * step, tidy(mark * step))
                })
            }
            Scale::Logarithmic(base) => {
                // Where there are many powers, every second or fifth is marked.
                let every = step_for((high - low).max(6.0)).round().max(1.0) as usize;
                let name = |mark: f64| {
                    if *base == 2 {
                        format!("2^{mark}")
                    } else {
                        tidy(f64::from(*base).powf(mark))
                    }
                };
                Self::between(low.floor(), high.ceil(), every, |mark| (mark, name(mark)))
            }
        }
    }

    /// From one whole number to another, with at least one step between them.
    fn between(first: f64, last: f64, every: usize, mark: impl Fn(f64) -> (f64, String)) -> Self {
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

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides a range into about six.
fn step_for(range: f64) -> f64 {
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

    fn chart(points: &[(f64, f64)]) -> LineChart {
        LineChart {
            title: "cost <of> search".to_owned(),
            x_label: "entries".to_owned(),
            y_label: "ms".to_owned(),
            curves: vec![Curve {
                name: "star1(depth=3, eval=schwarz)".to_owned(),
                points: points.to_vec(),
            }],
        }
    }

    /// Coordinates of the one polyline with as many points as were given.
    fn line(svg: &str, count: usize) -> Vec<(f64, f64)> {
        let lines = svg
            .split("points=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap());
        let read = lines.map(|points| {
            let pair = |text: &str| {
                text.split_once(',')
                    .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                    .unwrap()
            };
            points
                .split_whitespace()
                .map(pair)
                .collect::<Vec<(f64, f64)>>()
        });
        read.into_iter()
            .filter(|points| points.len() == count)
            .last()
            .unwrap()
    }

    #[test]
    fn equal_factors_are_equal_steps_on_a_logarithmic_axis() {
        let points = [(1.0, 1.0), (4.0, 10.0), (16.0, 100.0), (64.0, 1000.0)];
        let svg = scaled_chart(
            &chart(&points),
            &Scale::Logarithmic(2),
            &Scale::Logarithmic(10),
        )
        .unwrap();
        let drawn = line(&svg, 4);
        for step in drawn.windows(2) {
            assert!(
                (step[1].0 - step[0].0 - (drawn[1].0 - drawn[0].0)).abs() <= 1.0,
                "{drawn:?}"
            );
            assert!(
                (step[1].1 - step[0].1 - (drawn[1].1 - drawn[0].1)).abs() <= 1.0,
                "{drawn:?}"
            );
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
        let svg = scaled_chart(
            &chart(&[(0.0, 0.0), (1.0, -2.0)]),
            &names,
            &Scale::Logarithmic(10),
        )
        .unwrap();
        assert!(svg.contains("nothing to show"));
        let svg = scaled_chart(
            &chart(&[(0.0, 5.0), (1.0, 0.0)]),
            &names,
            &Scale::Logarithmic(10),
        )
        .unwrap();
        assert!(
            svg.contains("opening")
                && svg.contains("middle")
                && !svg.contains("NaN")
                && !svg.contains("inf")
        );
    }

    #[test]
    fn linear_axes_have_round_marks() {
        let axis = Axis::of(&Scale::Linear, [1.0, 6.0].into_iter());
        assert_eq!(
            axis.marks
                .iter()
                .map(|mark| mark.1.as_str())
                .collect::<Vec<_>>(),
            ["1", "2", "3", "4", "5", "6"]
        );
        let axis = Axis::of(&Scale::Linear, [3.0].into_iter());
        assert!(axis.high > axis.low && (0.0..=1.0).contains(&axis.share(3.0)));
    }
}
