//! Set-ups as pictures: triangles of text side by side, or one SVG page.
//!
//! Drawn as Red's, whose corner is the upper left one. Invariant: the page refers to nothing
//! outside itself.

use super::result::{StudyResult, order};
use std::fmt::Write;

/// Triangles in one line of text or of the page.
const A_LINE: usize = 8;

/// Triangles of set-ups, the score of the class in percent above each.
#[must_use]
pub fn text(result: &StudyResult, setups: &[usize]) -> String {
    let mut text = String::new();
    for line in setups.chunks(A_LINE) {
        let orders: Vec<String> = line.iter().map(|&setup| order(setup)).collect();
        let scores = line.iter().map(|&setup| {
            format!(
                "{:<8}",
                format!("{:.1}", 100.0 * result.setups[setup].class_score)
            )
        });
        let mut rows = vec![scores.collect::<String>()];
        for squares in [0..3, 3..5, 5..6] {
            let row = |order: &String| {
                let stones: Vec<String> = order[squares.clone()]
                    .chars()
                    .map(|stone| stone.to_string())
                    .collect();
                format!("{:<8}", stones.join(" "))
            };
            rows.push(orders.iter().map(row).collect());
        }
        for row in rows {
            text.push_str("  ");
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

/// Units of a square of the page, and of a triangle with its margin.
const SQUARE: usize = 26;
const CELL: usize = 3 * SQUARE + 16;
const HEAD: usize = 30;

/// A page of two groups: the best and the worst.
#[must_use]
pub fn svg(result: &StudyResult, count: usize) -> String {
    let groups = [("best", result.best(count)), ("worst", result.worst(count))];
    let lines: usize = groups
        .iter()
        .map(|(_, setups)| setups.len().div_ceil(A_LINE))
        .sum();
    let (width, height) = (
        A_LINE * CELL + 16,
        lines * (CELL + 18) + groups.len() * HEAD + 16,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" text-anchor=\"middle\"><title>Best and worst set-ups</title>\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    let mut top = 8;
    for (name, setups) in groups {
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<text x=\"12\" y=\"{}\" font-size=\"16\" text-anchor=\"start\" fill=\"#282c34\">{name}</text>",
            top + 18
        );
        top += HEAD;
        for line in setups.chunks(A_LINE) {
            for (place, &setup) in line.iter().enumerate() {
                triangle(&mut svg, result, setup, (12 + place * CELL, top));
            }
            top += CELL + 18;
        }
    }
    svg + "</svg>\n"
}

fn triangle(svg: &mut String, result: &StudyResult, setup: usize, (left, top): (usize, usize)) {
    let rate = &result.setups[setup];
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"#282c34\">{:.1} ± {:.1} %</text>",
        left + 3 * SQUARE / 2,
        top + 12,
        100.0 * rate.class_score,
        100.0 * rate.class_interval.half_width()
    );
    for (stone, (row, column)) in
        order(setup)
            .chars()
            .zip([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)])
    {
        let (x, y) = (left + column * SQUARE, top + 18 + row * SQUARE);
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#f2e3c6\" stroke=\"#e3cda4\"/>\
             <circle cx=\"{cx}\" cy=\"{cy}\" r=\"10\" fill=\"#c8372d\"/>\
             <text x=\"{cx}\" y=\"{}\" font-size=\"13\" font-weight=\"700\" fill=\"#fff\">{stone}</text>",
            y + SQUARE / 2 + 5,
            cx = x + SQUARE / 2,
            cy = y + SQUARE / 2
        );
    }
}
