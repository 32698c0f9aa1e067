//! Records as a Parquet file, a row a ply: for Python's data frames, and back.
//!
//! The only files that know the crate `parquet`, of which the plain column interface is used,
//! without Arrow: here the columns and the export, in `parquet/import.rs` the way back. Invariant:
//! what was exported and is imported again is the same set, to the last bit; no more than a row
//! group is in memory.

mod import;

pub use import::import;

use super::json_lines::Heading;
use super::{DataError, Source};
use crate::shard::{Label, PlayedGame};
use engine::core::files::{self, FileError};
use engine::games::einstein::Standard;
use parquet::basic::Compression;
use parquet::data_type::{BoolType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The columns but for those of labels; `docs/formats.md` says what they hold.
const COLUMNS: &str = "required int64 game; required int32 ply; required int64 position; required int32 seat; required int32 stones;
    required int32 die; required int32 move; required boolean explored; optional float value; required boolean won;
    required int32 red; required int32 blue;";

/// Where the columns of labels begin.
const FIRST_LABEL: usize = 12;

/// Key of the metadata under which the heading of JSON lines stands.
const KEY: &str = "alea";

/// Rows of a row group, about.
const ROWS: usize = 1 << 18;

/// The name of a label's column.
fn label_column(label: &Label) -> String {
    format!("label_{}", label.name)
}

fn schema(labels: &[Label]) -> Result<TypePtr, ParquetError> {
    let labels: String = labels
        .iter()
        .map(|label| format!("optional float {};", label_column(label)))
        .collect();
    Ok(Arc::new(parse_message_type(&format!(
        "message plies {{ {COLUMNS} {labels} }}"
    ))?))
}

/// A column with gaps.
#[derive(Default)]
struct Gappy {
    there: Vec<i16>,
    values: Vec<f32>,
}

impl Gappy {
    fn push(&mut self, value: Option<f32>) {
        self.there.push(i16::from(value.is_some()));
        self.values.extend(value);
    }
}

/// Columns that wait to be written.
#[derive(Default)]
struct Columns {
    game: Vec<i64>,
    position: Vec<i64>,
    /// Ply, seat, stones, die, move, Red's and Blue's player.
    small: [Vec<i32>; 7],
    explored: Vec<bool>,
    won: Vec<bool>,
    value: Gappy,
    labels: Vec<Gappy>,
}

impl Columns {
    fn new(labels: usize) -> Self {
        Self {
            labels: (0..labels).map(|_| Gappy::default()).collect(),
            ..Self::default()
        }
    }

    fn push(&mut self, number: i64, game: &PlayedGame, rules: &Standard) {
        let [red, blue] = game.players.map(i32::from);
        for (index, (position, ply)) in game
            .record
            .positions(rules)
            .zip(&game.record.plies)
            .enumerate()
        {
            self.game.push(number);
            // 61 bits: never negative.
            self.position.push(position.bits() as i64);
            let (seat, stones) = (position.seat() as i32, position.stones() as i32);
            let row = [
                index as i32 + 1,
                seat,
                stones,
                i32::from(ply.outcome),
                i32::from(ply.mv.number()),
                red,
                blue,
            ];
            self.small
                .iter_mut()
                .zip(row)
                .for_each(|(column, value)| column.push(value));
            self.explored.push(ply.explored);
            self.won.push(game.record.payoffs[position.seat()] > 0.5);
            self.value.push(ply.value);
            self.labels
                .iter_mut()
                .enumerate()
                .for_each(|(label, column)| column.push(game.label(label, index)));
        }
    }

    fn write<W: Write + Send>(
        &self,
        writer: &mut SerializedFileWriter<W>,
    ) -> Result<(), ParquetError> {
        let mut group = writer.next_row_group()?;
        let mut column = 0;
        while let Some(mut next) = group.next_column()? {
            let small = |index: usize| &self.small[index][..];
            let gappy = if column < FIRST_LABEL {
                &self.value
            } else {
                &self.labels[column - FIRST_LABEL]
            };
            match column {
                0 => next
                    .typed::<Int64Type>()
                    .write_batch(&self.game, None, None)?,
                2 => next
                    .typed::<Int64Type>()
                    .write_batch(&self.position, None, None)?,
                7 => next
                    .typed::<BoolType>()
                    .write_batch(&self.explored, None, None)?,
                9 => next
                    .typed::<BoolType>()
                    .write_batch(&self.won, None, None)?,
                // In the order of the schema: ply, seat, stones, die, move, red, blue.
                1 => next
                    .typed::<Int32Type>()
                    .write_batch(small(0), None, None)?,
                3..=6 => next
                    .typed::<Int32Type>()
                    .write_batch(small(column - 2), None, None)?,
                10 | 11 => next
                    .typed::<Int32Type>()
                    .write_batch(small(column - 5), None, None)?,
                // The value, and the labels.
                _ => next.typed::<FloatType>().write_batch(
                    &gappy.values,
                    Some(&gappy.there),
                    None,
                )?,
            };
            next.close()?;
            column += 1;
        }
        group.close()?;
        Ok(())
    }
}

/// What the Parquet writer has written and the file has not; the writer wants to own something that
/// threads may share.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes all games into a file; returns how many there are.
///
/// # Errors
/// If records cannot be read or the file not be written.
pub fn export(source: &Source, path: &Path) -> Result<u64, DataError> {
    let heading = serde_json::to_string(&Heading::of(source))
        .map_err(|error| DataError::Setting(error.to_string()))?;
    let rules = Standard::default();
    let mut games = 0;
    // Whatever stops the reading of games has to get out through the writing of the file.
    let mut failure = None;
    let written = files::write_atomically(path, |file| {
        let buffer = Buffer::default();
        let metadata = Some(vec![KeyValue::new(KEY.to_owned(), heading)]);
        let properties = WriterProperties::builder()
            .set_key_value_metadata(metadata)
            .set_compression(Compression::SNAPPY)
            .build();
        let mut writer = SerializedFileWriter::new(
            buffer.clone(),
            schema(&source.labels)?,
            Arc::new(properties),
        )?;
        let mut columns = Columns::new(source.labels.len());
        let read = source.each_game(|game| {
            columns.push(games as i64, &game, &rules);
            games += 1;
            if columns.game.len() >= ROWS {
                let failed = |cause: std::io::Error| FileError::Write {
                    path: path.to_owned(),
                    cause,
                };
                columns
                    .write(&mut writer)
                    .map_err(|error| failed(error.into()))?;
                file.write_all(&buffer.take()).map_err(failed)?;
                columns = Columns::new(source.labels.len());
            }
            Ok(())
        });
        if let Err(error) = read {
            failure = Some(error);
            return Err(std::io::Error::other("the games cannot be read"));
        }
        columns.write(&mut writer)?;
        writer.close()?;
        file.write_all(&buffer.take())
    });
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, written) => Ok(written.map(|()| games)?),
    }
}
