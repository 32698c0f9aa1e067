//! The pictures of `alea data info --plots`: three histograms as SVG.

use super::DataError;
use super::info::{Info, VALUE_BINS};
use engine::files;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// Writes `values.svg`, `stones.svg` and `plies.svg` into a directory, each complete or not at all.
///
/// # Errors
/// If a picture cannot be drawn or a file not be written.
pub fn write(directory: &Path, info: &Info) -> Result<Vec<PathBuf>, DataError> {
    files::create_directory(directory)?;
    let pictures = [
        ("values", "Plies by value", "value", 1.0 / VALUE_BINS as f64, &info.values_by_size),
        ("stones", "Positions by stones", "stones of both sides", 1.0, &info.positions_by_stones),
        ("plies", "Games by length", "plies", 1.0, &info.games_by_plies),
    ];
    let mut paths = Vec::new();
    for (name, caption, axis, width, counts) in pictures {
        let text = histogram(caption, axis, width, counts).map_err(|error| DataError::Drawing(error.to_string()))?;
        let path = directory.join(name).with_extension("svg");
        files::write_atomically(&path, |file| file.write_all(text.as_bytes()))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Bars `width` wide, the first from 0.
fn histogram(caption: &str, axis: &str, width: f64, counts: &[u64]) -> Result<String, Box<dyn std::error::Error>> {
    let highest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (800, 400)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .caption(caption, ("sans-serif", 20))
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(0.0..width * counts.len().max(1) as f64, 0.0..highest * 1.05)?;
        chart.configure_mesh().disable_x_mesh().x_desc(axis).y_label_formatter(&|count| format!("{count:.0}")).draw()?;
        let bars = counts.iter().enumerate().map(|(index, &count)| {
            let from = index as f64 * width;
            Rectangle::new([(from, 0.0), (from + 0.9 * width, count as f64)], BLUE.mix(0.6).filled())
        });
        chart.draw_series(bars)?;
        area.present()?;
    }
    Ok(text)
}
