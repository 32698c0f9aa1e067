//! Records as a Parquet file, a row a ply: for Python's data frames, and back.
//!
//! The only files that know the crate `parquet`, of which the plain column interface is used,
//! without Arrow: here the columns and the export, in `parquet/import.rs` the way back. Invariant:
//! what was exported and is imported again is the same set, to the last bit; no more than a row
//! group is in memory.

mod import;

pub use import::{game_of, import};

use super::{DataError, Source, json_lines::Heading};
use crate::shard::{Label, PlayedGame, Replay};
use engine::core::files::{self, FileError};
use engine::play::playable::Playable;
use parquet::{
    basic::Compression,
    data_type::{BoolType, ByteArray, ByteArrayType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::{parser::parse_message_type, types::TypePtr},
};
use std::{
    io::Write,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// The columns that every file has; `docs/formats.md` says what they hold. Those of players, times
/// and labels follow.
const COLUMNS: &str = "required int64 game; required int32 ply; required binary position (UTF8); required int32 seat;
    required int32 remaining; required int32 outcome; required binary move (UTF8); required int32 index;
    required boolean explored; optional float value; required float payoff;";

/// Key of the metadata under which the heading of JSON lines stands.
const KEY: &str = "alea";

/// Rows of a row group, about.
const ROWS: usize = 1 << 18;

/// The names of a label's columns, of values and of errors.
fn label_columns(label: &Label) -> [String; 2] {
    ["label", "error"].map(|kind| format!("{kind}_{}", label.name))
}

/// The name of the column of a seat's player.
fn player_column<G: Playable>(rules: &G, seat: usize) -> String {
    format!("player_{}", rules.seat_name(seat))
}

fn schema<G: Playable>(source: &Source<G>) -> Result<TypePtr, ParquetError> {
    let mut columns = COLUMNS.to_owned();
    for seat in 0..source.rules.seats() {
        let name = player_column(&source.rules, seat);
        columns += &format!("required int32 {name};");
    }
    if source.times {
        columns += "optional int64 time;";
    }
    for label in &source.labels {
        let [value, error] = label_columns(label);
        columns += &format!("optional float {value};");
        if label.errors {
            columns += &format!("optional float {error};");
        }
    }
    Ok(Arc::new(parse_message_type(&format!(
        "message plies {{ {columns} }}"
    ))?))
}

/// A column that waits to be written; its levels say where it has gaps.
enum Column {
    Long(Vec<i64>, Option<Vec<i16>>),
    Int(Vec<i32>),
    Text(Vec<ByteArray>),
    Flag(Vec<bool>),
    Real(Vec<f32>, Option<Vec<i16>>),
}

/// One cell of a row.
enum Cell {
    Long(i64),
    Int(i32),
    Text(String),
    Flag(bool),
    Real(f32),
    MaybeLong(Option<i64>),
    MaybeReal(Option<f32>),
}

impl Column {
    /// A column that begins with a cell.
    fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Long(_) => Self::Long(Vec::new(), None),
            Cell::Int(_) => Self::Int(Vec::new()),
            Cell::Text(_) => Self::Text(Vec::new()),
            Cell::Flag(_) => Self::Flag(Vec::new()),
            Cell::Real(_) => Self::Real(Vec::new(), None),
            Cell::MaybeLong(_) => Self::Long(Vec::new(), Some(Vec::new())),
            Cell::MaybeReal(_) => Self::Real(Vec::new(), Some(Vec::new())),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Self::Long(values, None), Cell::Long(value)) => values.push(value),
            (Self::Int(values), Cell::Int(value)) => values.push(value),
            (Self::Text(values), Cell::Text(value)) => values.push(value.as_str().into()),
            (Self::Flag(values), Cell::Flag(value)) => values.push(value),
            (Self::Real(values, None), Cell::Real(value)) => values.push(value),
            (Self::Long(values, Some(there)), Cell::MaybeLong(value)) => {
                there.push(i16::from(value.is_some()));
                values.extend(value);
            }
            (Self::Real(values, Some(there)), Cell::MaybeReal(value)) => {
                there.push(i16::from(value.is_some()));
                values.extend(value);
            }
            // Every row has the same cells.
            _ => {}
        }
    }

    fn write(&self, writer: &mut SerializedColumnWriter<'_>) -> Result<usize, ParquetError> {
        match self {
            Self::Long(values, there) => {
                writer
                    .typed::<Int64Type>()
                    .write_batch(values, there.as_deref(), None)
            }
            Self::Int(values) => writer.typed::<Int32Type>().write_batch(values, None, None),
            Self::Text(values) => writer
                .typed::<ByteArrayType>()
                .write_batch(values, None, None),
            Self::Flag(values) => writer.typed::<BoolType>().write_batch(values, None, None),
            Self::Real(values, there) => {
                writer
                    .typed::<FloatType>()
                    .write_batch(values, there.as_deref(), None)
            }
        }
    }
}

/// Rows that wait to be written, column by column in the order of the schema.
#[derive(Default)]
struct Rows {
    columns: Vec<Column>,
    rows: usize,
}

impl Rows {
    fn push<G: Playable>(&mut self, number: i64, game: &PlayedGame<G>, source: &Source<G>) {
        let rules = &source.rules;
        let mut replay = Replay::new(rules, game.record.start);
        for (ply, said) in game.record.plies.iter().enumerate() {
            let position = *replay.position();
            let seat = rules.to_move(&position);
            // What was read follows the rules.
            let index = replay.play(said.outcome, said.mv).unwrap_or_default();
            let row = [
                Cell::Long(number),
                Cell::Int(ply as i32 + 1),
                Cell::Text(rules.format_position(&position, None)),
                Cell::Int(seat as i32),
                Cell::Int(rules.remaining(&position) as i32),
                Cell::Int(said.outcome.into()),
                Cell::Text(rules.format_move(&position, said.mv)),
                Cell::Int(index as i32),
                Cell::Flag(said.explored),
                Cell::MaybeReal(said.value),
                Cell::Real(game.record.payoffs[seat]),
            ];
            let players = game.players.iter().map(|&player| Cell::Int(player.into()));
            let time = source.times.then(|| {
                let time = game.times.get(ply).copied().flatten();
                Cell::MaybeLong(time.and_then(|time| i64::try_from(time).ok()))
            });
            let labels = source.labels.iter().enumerate().flat_map(|(index, label)| {
                let said = game.estimate(index, ply);
                let error = || Cell::MaybeReal(said.and_then(|said| said.error));
                [
                    Some(Cell::MaybeReal(said.map(|said| said.value))),
                    label.errors.then(error),
                ]
            });
            let cells = row
                .into_iter()
                .chain(players)
                .chain(time)
                .chain(labels.flatten());
            for (column, cell) in cells.enumerate() {
                if self.columns.len() == column {
                    self.columns.push(Column::of(&cell));
                }
                self.columns[column].push(cell);
            }
            self.rows += 1;
        }
    }

    fn write<W: Write + Send>(
        &self,
        writer: &mut SerializedFileWriter<W>,
    ) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        for column in &self.columns {
            if let Some(mut next) = group.next_column()? {
                column.write(&mut next)?;
                next.close()?;
            }
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
pub fn export<G: Playable>(source: &Source<G>, path: &Path) -> Result<u64, DataError> {
    let heading = serde_json::to_string(&Heading::of(source))
        .map_err(|error| DataError::Setting(error.to_string()))?;
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
        let mut writer =
            SerializedFileWriter::new(buffer.clone(), schema(source)?, Arc::new(properties))?;
        let mut rows = Rows::default();
        let read = source.each_game(|game| {
            rows.push(games as i64, &game, source);
            games += 1;
            if rows.rows >= ROWS {
                let failed = |cause: std::io::Error| FileError::Write {
                    path: path.to_owned(),
                    cause,
                };
                rows.write(&mut writer)
                    .map_err(|error| failed(error.into()))?;
                file.write_all(&buffer.take()).map_err(failed)?;
                rows = Rows::default();
            }
            Ok(())
        });
        if let Err(error) = read {
            failure = Some(error);
            return Err(std::io::Error::other("the games cannot be read"));
        }
        rows.write(&mut writer)?;
        writer.close()?;
        file.write_all(&buffer.take())
    });
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, written) => Ok(written.map(|()| games)?),
    }
}
