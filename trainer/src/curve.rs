//! The training curve as CSV, and output during training.

use crate::Error;
use crate::tensorboard_events::{EVENT_FILE, write_event_file};
use alea_core::files::write_atomically;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::{ops::RangeInclusive, path::Path};

/// Validation loss of positions with one remaining length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseLoss {
    /// `Rules::remaining_length` of the positions.
    pub remaining: usize,
    /// Number of validation samples with that length.
    pub samples: usize,
    /// Mean cross-entropy of these samples, in nats.
    pub loss: f64,
}

/// Point of the training curve: one epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// Mean training cross-entropy during the epoch, in nats.
    pub training_loss: f64,
    /// Mean validation cross-entropy after the epoch, in nats.
    pub validation_loss: f64,
    /// Validation loss by remaining length.
    pub validation_by_phase: Vec<PhaseLoss>,
    /// Learning rate of the epoch's last step.
    pub learning_rate: f64,
    /// Training samples per second, without validation.
    pub samples_per_second: f64,
    /// Duration of the epoch in seconds, including validation.
    pub seconds: f64,
}

/// Output during training: a progress bar and the curve's files.
#[derive(Clone, Copy)]
pub struct Observer<'a> {
    /// Progress bar.
    pub progress: &'a ProgressBar,
    /// Function that plots the curve; `None` for no plot.
    pub draw: Option<CurvePlotter<'a>>,
}

/// Function that turns the contents of `curve.csv` into an SVG plot.
pub type CurvePlotter<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl<'a> From<&'a ProgressBar> for Observer<'a> {
    fn from(progress: &'a ProgressBar) -> Self {
        let draw = None;
        Self { progress, draw }
    }
}

impl Observer<'_> {
    /// Writes `table` as `curve.csv`, as an event file of TensorBoard and, if `draw` is set, its plot
    /// as `curve.svg`.
    pub fn write_curve(&self, directory: &Path, table: &str) -> Result<(), Error> {
        let write = |name: &str, text: &str| {
            write_atomically(&directory.join(name), |file| {
                file.write_all(text.as_bytes())
            })
        };
        write("curve.csv", table)?;
        write_event_file(&directory.join(EVENT_FILE), table)?;
        if let Some(draw) = self.draw {
            let picture =
                draw(table).map_err(Error::with_prefix("the training curve cannot be drawn"))?;
            write("curve.svg", &picture)?;
        }
        Ok(())
    }
}

/// Formats the curve as CSV, with a column of validation losses for each `remaining` length.
#[must_use]
pub fn format_csv(points: &[CurvePoint], remaining: RangeInclusive<usize>) -> String {
    let mut text = String::from(
        "epoch,training_loss,validation_loss,learning_rate,samples_per_second,seconds",
    );
    for left in remaining.clone() {
        text.push_str(&format!(",validation_loss_{left}"));
    }
    text.push('\n');
    for point in points {
        let CurvePoint {
            epoch,
            training_loss,
            validation_loss,
            learning_rate,
            samples_per_second,
            seconds,
            ..
        } = point;
        text.push_str(&format!("{epoch},{training_loss},{validation_loss},{learning_rate},{samples_per_second:.0},{seconds:.3}"));
        for left in remaining.clone() {
            let loss = point
                .validation_by_phase
                .iter()
                .find(|found| found.remaining == left);
            text.push_str(&loss.map_or_else(|| ",".to_owned(), |found| format!(",{}", found.loss)));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(epoch: usize, training_loss: f64) -> CurvePoint {
        CurvePoint {
            epoch,
            training_loss,
            validation_loss: training_loss + 0.01,
            validation_by_phase: vec![PhaseLoss {
                remaining: 3,
                samples: 7,
                loss: 0.25,
            }],
            learning_rate: 0.001,
            samples_per_second: 1e6,
            seconds: 2.5,
        }
    }

    #[test]
    fn the_curve_is_a_table_and_a_picture() {
        let directory = tempfile::tempdir().unwrap();
        let progress = ProgressBar::hidden();
        let draw = |table: &str| match table.lines().count() {
            3 => Ok("<svg/>".to_owned()),
            lines => Err(format!("{lines} lines")),
        };
        let observer = Observer {
            progress: &progress,
            draw: Some(&draw),
        };
        let publish = |points: &[CurvePoint]| {
            observer.write_curve(directory.path(), &format_csv(points, 2..=12))
        };
        publish(&[point(1, 0.6), point(2, 0.5)]).unwrap();
        let table = std::fs::read_to_string(directory.path().join("curve.csv")).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        let head = "epoch,training_loss,validation_loss,learning_rate,samples_per_second,seconds,validation_loss_2,validation_loss_3,";
        assert!(
            lines[0].starts_with(head) && lines[0].ends_with(",validation_loss_12"),
            "{}",
            lines[0]
        );
        assert_eq!(lines[2], "2,0.5,0.51,0.001,1000000,2.500,,0.25,,,,,,,,,");
        let picture = std::fs::read_to_string(directory.path().join("curve.svg")).unwrap();
        assert_eq!(picture, "<svg/>");
        assert!(directory.path().join(EVENT_FILE).exists());
        let error = publish(&[point(1, 0.6)]).unwrap_err().to_string();
        assert_eq!(error, "the training curve cannot be drawn: 2 lines");
    }
}
