//! The training curve: what each epoch cost and brought, as CSV and as a picture.

use crate::Error;
use engine::core::files::write_atomically;
use engine::learned::{names::Named, network::Head};
use plotters::prelude::*;
use serde::{Deserialize, Serialize};
use std::{ops::RangeInclusive, path::Path};

/// Validation loss of the positions of which so much remains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseLoss {
    /// What [`engine::play::playable::Playable::remaining`] says of them.
    pub remaining: usize,
    /// How many samples there are.
    pub samples: usize,
    /// Their mean cross-entropy in nats.
    pub loss: f64,
}

/// One epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean cross-entropy over the epoch, in nats, while the weights were changing.
    pub training_loss: f64,
    /// Mean cross-entropy of the validation samples after the epoch, in nats.
    pub validation_loss: f64,
    /// The same by what remains of the game, where there are samples.
    pub validation_by_phase: Vec<PhaseLoss>,
    /// Learning rate of the epoch's last step.
    pub learning_rate: f64,
    /// Training samples a second, without validation.
    pub samples_per_second: f64,
    /// Seconds of the whole epoch.
    pub seconds: f64,
    /// Losses of the heads that there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<HeadPoint>,
}

/// The losses of a head of the network in an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadPoint {
    /// Which.
    pub head: Head,
    /// Mean over the epoch while the weights were changing, of those samples that taught the head:
    /// for `rolls` the cross-entropy in nats, for `moves_to_go` the square of the error in plies / 16.
    pub training_loss: f64,
    /// The same of the validation samples after the epoch.
    pub validation_loss: f64,
}

/// Writes `curve.csv`, with a column for each number that may remain, and `curve.svg` into a
/// directory, each complete or not at all.
///
/// # Errors
/// If the picture cannot be drawn or a file not be written.
pub fn write(
    directory: &Path,
    points: &[CurvePoint],
    remaining: RangeInclusive<usize>,
) -> Result<(), Error> {
    let line = |name, loss: fn(&CurvePoint) -> f64| Series {
        name,
        points: points
            .iter()
            .map(|point| (point.epoch as f64, loss(point)))
            .collect(),
    };
    let series = [
        line("training", |point| point.training_loss),
        line("validation", |point| point.validation_loss),
    ];
    write_files(directory, &csv(points, remaining), "epoch", &series)
}

/// A line of the picture.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Writes `curve.csv`, a table, and `curve.svg`, losses in nats over something.
pub(crate) fn write_files(
    directory: &Path,
    table: &str,
    over: &str,
    series: &[Series],
) -> Result<(), Error> {
    write_atomically(&directory.join("curve.csv"), |file| {
        file.write_all(table.as_bytes())
    })?;
    let picture = svg(over, series).map_err(Error::of("the training curve cannot be drawn"))?;
    write_atomically(&directory.join("curve.svg"), |file| {
        file.write_all(picture.as_bytes())
    })?;
    Ok(())
}

fn csv(points: &[CurvePoint], remaining: RangeInclusive<usize>) -> String {
    let mut text = String::from(
        "epoch,training_loss,validation_loss,learning_rate,samples_per_second,seconds",
    );
    for left in remaining.clone() {
        text.push_str(&format!(",validation_loss_{left}"));
    }
    // All points of a training have the same heads.
    for HeadPoint { head, .. } in points.first().map_or(&[][..], |point| &point.heads) {
        text.push_str(&format!(",training_{0},validation_{0}", head.name()));
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
        for HeadPoint {
            training_loss,
            validation_loss,
            ..
        } in &point.heads
        {
            text.push_str(&format!(",{training_loss},{validation_loss}"));
        }
        text.push('\n');
    }
    text
}

fn svg(over: &str, series: &[Series]) -> Result<String, Box<dyn std::error::Error>> {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let points = || series.iter().flat_map(|line| &line.points);
    let (low, high) = range(&mut points().map(|point| point.1));
    let (first, last) = range(&mut points().map(|point| point.0));
    if points().next().is_none() || points().any(|point| !point.1.is_finite()) {
        return Err("there is no finite loss to draw".into());
    }
    let margin = ((high - low) * 0.05).max(1e-6);
    // One point needs room, too.
    let last = if last > first { last } else { first + 1.0 };
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (800, 480)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .caption(format!("Cross-entropy by {over}"), ("sans-serif", 20))
            .x_label_area_size(40)
            .y_label_area_size(72)
            .build_cartesian_2d(first..last, low - margin..high + margin)?;
        chart
            .configure_mesh()
            .x_desc(over)
            .y_desc("loss (nats)")
            .x_label_formatter(&|place| format!("{place:.0}"))
            .draw()?;
        for (line, colour) in series.iter().zip([BLUE, RED]) {
            chart
                .draw_series(
                    LineSeries::new(line.points.clone(), colour.stroke_width(2)).point_size(2),
                )?
                .label(line.name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour));
        }
        chart
            .configure_series_labels()
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
        area.present()?;
    }
    Ok(text)
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
            heads: Vec::new(),
        }
    }

    #[test]
    fn heads_have_columns_of_their_own() {
        let head = |head, training_loss| HeadPoint {
            head,
            training_loss,
            validation_loss: training_loss + 0.25,
        };
        let heads = vec![head(Head::Rolls, 0.5), head(Head::MovesToGo, 0.125)];
        let with_heads = CurvePoint {
            heads,
            ..point(1, 0.6)
        };
        let table = csv(&[with_heads], 2..=12);
        let mut lines = table.lines();
        let names = ",validation_loss_12,training_rolls,validation_rolls,training_moves_to_go,validation_moves_to_go";
        assert!(lines.next().unwrap().ends_with(names), "{table}");
        assert!(
            lines.next().unwrap().ends_with(",0.5,0.75,0.125,0.375"),
            "{table}"
        );
    }

    #[test]
    fn the_curve_is_a_table_and_a_picture() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), &[point(1, 0.6), point(2, 0.5)], 2..=12).unwrap();
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
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        for text in [
            "Cross-entropy by epoch",
            "training",
            "validation",
            "<polyline",
        ] {
            assert!(picture.contains(text), "{text}");
        }
    }

    #[test]
    fn one_epoch_draws_and_no_epoch_is_an_error() {
        let draw = |points: &[(f64, f64)]| {
            svg(
                "epoch",
                &[Series {
                    name: "training",
                    points: points.to_vec(),
                }],
            )
        };
        assert!(draw(&[(1.0, 0.5)]).is_ok());
        assert!(draw(&[]).is_err());
        assert!(draw(&[(1.0, f64::NAN)]).is_err());
    }
}
