//! Plots of values with confidence intervals.

use super::{
    COLOURS, GRID_COLOUR, PLOT_WIDTH, Row, TEXT_COLOUR, draw_polyline, draw_svg, draw_text,
    format_tick, min_max, scaled_charts::tick_step, two_lines,
};
use crate::error::Result;
use crate::statistics::Interval;
use plotters::{prelude::*, style::text_anchor::HPos};

const LINE_HEIGHT: i32 = 30;
const TOP_MARGIN: i32 = 44;
const LEFT_MARGIN: i32 = 262;
const RIGHT_MARGIN: i32 = 110;

/// Draws labelled points with their intervals as SVG, one in each row; `unit` labels the axis, and
/// values are printed with `decimals` decimal places.
pub fn interval_chart(title: &str, unit: &str, rows: &[Row], decimals: usize) -> Result<String> {
    rows_chart(title, unit, rows, decimals, false)
}

/// Draws a row for each value. With `scores`, values are percentages, drawn as bars from 0 to 100
/// with a line at 50.
pub(super) fn rows_chart(
    title: &str,
    unit: &str,
    rows: &[Row],
    decimals: usize,
    scores: bool,
) -> Result<String> {
    let is_finite = |row: &&Row| {
        let Interval { lower, upper } = row.interval;
        [row.value, lower, upper].iter().all(|x| x.is_finite())
    };
    let rows: Vec<&Row> = rows.iter().filter(is_finite).collect();
    let height = TOP_MARGIN + LINE_HEIGHT * rows.len().max(1) as i32 + 48;
    draw_svg(title, height, rows.is_empty(), |area| {
        let all = |row: &&Row| [row.interval.lower, row.value, row.interval.upper];
        let (low, high) = min_max(rows.iter().flat_map(all));
        let (low, high) = if scores {
            (0.0, 100.0)
        } else if high > low {
            (low, high)
        } else {
            (low - 1.0, high + 1.0)
        };
        let (right, bottom) = (PLOT_WIDTH - RIGHT_MARGIN, height - 40);
        let x_of = |value: f64| {
            LEFT_MARGIN
                + ((value - low) / (high - low) * f64::from(right - LEFT_MARGIN)).round() as i32
        };
        for mark in axis_ticks(low, high) {
            let x = x_of(mark);
            draw_polyline(area, [(x, TOP_MARGIN - 8), (x, bottom)], GRID_COLOUR)?;
            draw_text(
                area,
                &format_tick(mark),
                (x, bottom + 13),
                13,
                TEXT_COLOUR,
                HPos::Center,
            )?;
        }
        let below = ((LEFT_MARGIN + right) / 2, bottom + 30);
        draw_text(area, unit, below, 13, TEXT_COLOUR, HPos::Center)?;
        for (index, row) in rows.iter().enumerate() {
            let y = TOP_MARGIN + LINE_HEIGHT * index as i32 + LINE_HEIGHT / 2 - 4;
            let lines = two_lines(&row.label, 38);
            for (line, words) in lines.iter().enumerate() {
                let y = y + 13 * line as i32 - if lines.len() > 1 { 6 } else { 0 };
                draw_text(
                    area,
                    words,
                    (LEFT_MARGIN - 12, y),
                    12,
                    TEXT_COLOUR,
                    HPos::Right,
                )?;
            }
            let mut colour = COLOURS[0];
            if scores {
                let bar = match row.interval {
                    Interval { lower, .. } if lower > 50.0 => COLOURS[0],
                    Interval { upper, .. } if upper < 50.0 => COLOURS[1],
                    _ => RGBColor(140, 146, 156),
                };
                area.draw(&Rectangle::new(
                    [(x_of(0.0), y - 9), (x_of(row.value), y + 9)],
                    bar.mix(0.75).filled(),
                ))?;
                colour = TEXT_COLOUR;
            } else {
                area.draw(&Circle::new((x_of(row.value), y), 4, colour.filled()))?;
            }
            let ends = [x_of(row.interval.lower), x_of(row.interval.upper)];
            draw_polyline(area, ends.map(|end| (end, y)), colour.stroke_width(2))?;
            for end in ends {
                let end = [(end, y - 5), (end, y + 5)];
                draw_polyline(area, end, colour.stroke_width(2))?;
            }
            let half_width = row.interval.half_width();
            let words = format!("{:.decimals$} ± {half_width:.decimals$}", row.value);
            draw_text(area, &words, (right + 10, y), 12, TEXT_COLOUR, HPos::Left)?;
        }
        if scores {
            let even = x_of(50.0);
            draw_polyline(
                area,
                [(even, TOP_MARGIN - 8), (even, bottom)],
                TEXT_COLOUR.stroke_width(1),
            )?;
        }
        Ok(())
    })
}

fn axis_ticks(low: f64, high: f64) -> Vec<f64> {
    let step = tick_step(high - low);
    let first = (low / step).ceil() as i64;
    (first..)
        .map(|number| number as f64 * step)
        .take_while(|&mark| mark <= high + step * 1e-9)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_values_are() {
        let row = |label: &str, value: f64| Row {
            label: label.to_owned(),
            value,
            interval: Interval::from_center(value, 10.0),
        };
        let svg = interval_chart(
            "Elo <1>",
            "Elo",
            &[
                row("best", 90.0),
                row("worst", -90.0),
                row("none", f64::NAN),
            ],
            1,
        )
        .unwrap();
        assert!(
            svg.contains("90.0 ± 10.0") && svg.contains("Elo &lt;1&gt;") && !svg.contains("NaN")
        );
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(
            svg.contains("cx=\"593\"") && svg.contains("cx=\"279\""),
            "{svg}"
        );
        let empty = interval_chart("none", "", &[], 1).unwrap();
        assert!(empty.contains("nothing to show"));
    }

    #[test]
    fn marks_are_round() {
        assert_eq!(axis_ticks(-100.0, 100.0), [-100.0, -50.0, 0.0, 50.0, 100.0]);
        assert_eq!(axis_ticks(0.3, 1.0).len(), 4);
    }
}
