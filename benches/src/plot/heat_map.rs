//! A matrix as coloured squares with their numbers.
//!
//! Invariant: as for [`super`]; the middle of the scale is white, so that colour says on which side
//! a number is and how far, to colour-blind readers too (blue and orange).

use super::{PlotError, TEXT, WIDTH, draw, nothing, shortened};
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

/// Numbers by row and column; `None` is left white.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The heading.
    pub title: String,
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// Names of the columns, from left to right; short.
    pub columns: Vec<String>,
    /// A row after the other.
    pub values: Vec<Option<f64>>,
    /// What is white.
    pub middle: f64,
    /// How far from the middle colours are full.
    pub span: f64,
    /// Digits behind the point.
    pub decimals: usize,
}

const TOP: i32 = 66;
const MARGIN: i32 = 12;
/// Width of a letter of row names, about.
const LETTER: usize = 7;
const LONGEST_NAME: usize = 40;

/// Above and below the middle.
const HIGH: (f64, f64, f64) = (0.0, 114.0, 178.0);
const LOW: (f64, f64, f64) = (213.0, 94.0, 0.0);

/// Draws the map.
///
/// # Errors
/// If the plotting library refuses.
pub fn heat_map(map: &HeatMap) -> Result<String, PlotError> {
    let (rows, columns) = (map.rows.len(), map.columns.len());
    let names: Vec<String> = map
        .rows
        .iter()
        .map(|name| shortened(name, LONGEST_NAME))
        .collect();
    let left = MARGIN
        + 10
        + (LETTER
            * names
                .iter()
                .map(|name| name.chars().count())
                .max()
                .unwrap_or(0)) as i32;
    let side = ((WIDTH as i32 - left - MARGIN) / columns.max(1) as i32).clamp(8, 56);
    let tall = side.min(36);
    let height = TOP + tall * rows.max(1) as i32 + MARGIN;
    draw(&map.title, height as u32, |area| {
        if rows == 0 || columns == 0 {
            return nothing(area, height as u32);
        }
        let text = |words: String, at: (i32, i32), size: i32, colour: RGBColor, side: HPos| {
            Text::new(
                words,
                at,
                ("sans-serif", size)
                    .into_font()
                    .color(&colour)
                    .pos(Pos::new(side, VPos::Center)),
            )
        };
        area.draw(&text(
            map.title.clone(),
            (WIDTH as i32 / 2, 18),
            18,
            TEXT,
            HPos::Center,
        ))?;
        for (column, name) in map.columns.iter().enumerate() {
            area.draw(&text(
                name.clone(),
                (left + side * column as i32 + side / 2, TOP - 14),
                12,
                TEXT,
                HPos::Center,
            ))?;
        }
        for (row, name) in names.iter().enumerate() {
            let y = TOP + tall * row as i32;
            area.draw(&text(
                name.clone(),
                (left - 8, y + tall / 2),
                12,
                TEXT,
                HPos::Right,
            ))?;
            for column in 0..columns {
                let Some(value) = map
                    .values
                    .get(row * columns + column)
                    .copied()
                    .flatten()
                    .filter(|value| value.is_finite())
                else {
                    continue;
                };
                let x = left + side * column as i32;
                let share = ((value - map.middle) / map.span).clamp(-1.0, 1.0);
                area.draw(&Rectangle::new(
                    [(x + 1, y + 1), (x + side - 1, y + tall - 1)],
                    colour(share).filled(),
                ))?;
                // Numbers that would not fit are left to the table.
                if side >= 30 {
                    let ink = if share.abs() > 0.6 { WHITE } else { TEXT };
                    area.draw(&text(
                        format!("{value:.*}", map.decimals),
                        (x + side / 2, y + tall / 2),
                        12.min(side / 3),
                        ink,
                        HPos::Center,
                    ))?;
                }
            }
        }
        Ok(())
    })
}

/// From orange at -1 by white to blue at 1.
fn colour(share: f64) -> RGBColor {
    let (red, green, blue) = if share >= 0.0 { HIGH } else { LOW };
    let mixed = |full: f64| (255.0 + (full - 255.0) * share.abs()).round() as u8;
    RGBColor(mixed(red), mixed(green), mixed(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_number_has_a_square_of_its_colour() {
        let map = HeatMap {
            title: "shares".to_owned(),
            rows: vec!["a".to_owned(), "b".to_owned()],
            columns: vec!["1".to_owned(), "2".to_owned()],
            values: vec![None, Some(60.0), Some(40.0), Some(50.0)],
            middle: 50.0,
            span: 10.0,
            decimals: 1,
        };
        let svg = heat_map(&map).unwrap();
        for part in ["#0072B2", "#D55E00", "#FFFFFF", "60.0", "40.0", "50.0"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        // The ground and three squares.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(
            heat_map(&HeatMap {
                rows: vec![],
                ..map
            })
            .unwrap()
            .contains("nothing to show")
        );
    }
}
