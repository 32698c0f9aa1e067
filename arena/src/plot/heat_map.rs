//! Matrices as coloured squares with numbers: blue above a middle value, orange below.

use super::{PLOT_WIDTH, TEXT_COLOUR, draw_svg, draw_text, shorten};
use crate::error::Result;
use plotters::{prelude::*, style::text_anchor::HPos};

/// Matrix to draw as coloured squares.
pub struct HeatMap {
    /// Heading of the picture.
    pub title: String,
    /// Names of the rows from the top.
    pub rows: Vec<String>,
    /// Short names of the columns from the left.
    pub columns: Vec<String>,
    /// Values row by row; `None` leaves a square empty.
    pub values: Vec<Option<f64>>,
    /// Value that is drawn white.
    pub middle: f64,
    /// Distance from `middle` at which the colour is full.
    pub span: f64,
    /// Number of decimal places of the printed values.
    pub decimals: usize,
}

const TOP_MARGIN: i32 = 66;
const HEAT_MAP_MARGIN: i32 = 12;
const LETTER_WIDTH: usize = 7;
const MAX_NAME_CHARS: usize = 40;

const HIGH_COLOUR: (f64, f64, f64) = (0.0, 114.0, 178.0);
const LOW_COLOUR: (f64, f64, f64) = (213.0, 94.0, 0.0);

/// Draws a matrix as SVG.
///
/// # Errors
/// If drawing fails.
pub fn heat_map(map: &HeatMap) -> Result<String> {
    let (rows, columns) = (map.rows.len(), map.columns.len());
    let names = map.rows.iter().map(|name| shorten(name, MAX_NAME_CHARS));
    let names: Vec<String> = names.collect();
    let longest = names.iter().map(|name| name.chars().count()).max();
    let left = HEAT_MAP_MARGIN + 10 + (LETTER_WIDTH * longest.unwrap_or(0)) as i32;
    let side = ((PLOT_WIDTH - left - HEAT_MAP_MARGIN) / columns.max(1) as i32).clamp(8, 56);
    let tall = side.min(36);
    let height = TOP_MARGIN + tall * rows.max(1) as i32 + HEAT_MAP_MARGIN;
    draw_svg(&map.title, height, rows == 0 || columns == 0, |area| {
        for (column, name) in map.columns.iter().enumerate() {
            let at = (left + side * column as i32 + side / 2, TOP_MARGIN - 14);
            draw_text(area, name, at, 12, TEXT_COLOUR, HPos::Center)?;
        }
        for (row, name) in names.iter().enumerate() {
            let y = TOP_MARGIN + tall * row as i32;
            draw_text(
                area,
                name,
                (left - 8, y + tall / 2),
                12,
                TEXT_COLOUR,
                HPos::Right,
            )?;
            for column in 0..columns {
                let value = map.values.get(row * columns + column).copied().flatten();
                let Some(value) = value.filter(|value| value.is_finite()) else {
                    continue;
                };
                let x = left + side * column as i32;
                let fraction = ((value - map.middle) / map.span).clamp(-1.0, 1.0);
                area.draw(&Rectangle::new(
                    [(x + 1, y + 1), (x + side - 1, y + tall - 1)],
                    colour(fraction).filled(),
                ))?;
                if side >= 30 {
                    let ink = if fraction.abs() > 0.6 {
                        WHITE
                    } else {
                        TEXT_COLOUR
                    };
                    let words = format!("{value:.*}", map.decimals);
                    let at = (x + side / 2, y + tall / 2);
                    draw_text(area, &words, at, 12.min(side / 3), ink, HPos::Center)?;
                }
            }
        }
        Ok(())
    })
}

fn colour(fraction: f64) -> RGBColor {
    let (red, green, blue) = if fraction >= 0.0 {
        HIGH_COLOUR
    } else {
        LOW_COLOUR
    };
    let mixed = |full: f64| (255.0 + (full - 255.0) * fraction.abs()).round() as u8;
    RGBColor(mixed(red), mixed(green), mixed(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_number_has_a_square_of_its_colour() {
        let map = HeatMap {
            title: "shares".to_owned(),
            rows: ["a", "b"].map(str::to_owned).into(),
            columns: ["1", "2"].map(str::to_owned).into(),
            values: vec![None, Some(60.0), Some(40.0), Some(50.0)],
            middle: 50.0,
            span: 10.0,
            decimals: 1,
        };
        let svg = heat_map(&map).unwrap();
        for part in ["#0072B2", "#D55E00", "#FFFFFF", "60.0", "40.0", "50.0"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 4);
        let empty = HeatMap {
            rows: vec![],
            ..map
        };
        assert!(heat_map(&empty).unwrap().contains("nothing to show"));
    }
}
