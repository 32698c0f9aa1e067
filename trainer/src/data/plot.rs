//! The pictures of `alea data info --plots`: three histograms as SVG.

use super::info::{Info, VALUE_BINS};
use crate::Error;
use engine::core::files;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// Writes `values.svg`, `plies.svg` and a third picture into a directory, each complete or not at
/// all; the third has the name of what the game counts as `remaining`, for example `stones.svg`.
///
/// # Errors
/// If a picture cannot be drawn or a file not be written.
pub fn write(directory: &Path, info: &Info, remaining: &str) -> Result<Vec<PathBuf>, Error> {
    files::create_directory(directory)?;
    // Values lie between the edges of bars; the others are numbers, in the middle of theirs.
    let pictures = [
        (
            "values",
            "Plies by value",
            "value",
            1.0 / VALUE_BINS as f64,
            0.0,
            &info.values_by_size,
        ),
        (
            remaining,
            &format!("Positions by {remaining}"),
            remaining,
            1.0,
            0.5,
            &info.positions_by_remaining,
        ),
        (
            "plies",
            "Games by length",
            "plies",
            1.0,
            0.5,
            &info.games_by_plies,
        ),
    ];
    let mut paths = Vec::new();
    for (name, caption, axis, width, middle, counts) in pictures {
        let text = histogram(caption, axis, width, middle, counts)
            .map_err(Error::of("the picture cannot be drawn"))?;
        let path = directory.join(name).with_extension("svg");
        files::write_atomically(&path, |file| file.write_all(text.as_bytes()))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Bars `width` wide; that of the first count lies from `-middle` bars on.
fn histogram(
    caption: &str,
    axis: &str,
    width: f64,
    middle: f64,
    counts: &[u64],
) -> Result<String, Box<dyn std::error::Error>> {
    let highest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let edge = |index: usize| (index as f64 - middle) * width;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (800, 400)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .caption(caption, ("sans-serif", 20))
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(edge(0)..edge(counts.len().max(1)), 0.0..highest * 1.05)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(12)
            .y_labels(6)
            .x_desc(axis);
        mesh.y_label_formatter(&|count| format!("{count:.0}"))
            .draw()?;
        let bars = counts.iter().enumerate().map(|(index, &count)| {
            let gap = 0.05 * width;
            Rectangle::new(
                [
                    (edge(index) + gap, 0.0),
                    (edge(index + 1) - gap, count as f64),
                ],
                BLUE.mix(0.6).filled(),
            )
        });
        chart.draw_series(bars)?;
        area.present()?;
    }
    Ok(text)
}
