//! Game records as a Parquet file with a row per ply. Export and import give the same set to the
//! last bit.

mod column_reader;
mod import;

pub use import::{game_notation, import};

use super::{ShardReader, json_lines::Heading, write_games};
use crate::Error;
use crate::shard::{Label, PlayedGame, Replay};
use alea_core::record::Ply;
use alea_play::playable::Playable;
use parquet::{
    basic::Compression,
    data_type::{BoolType, ByteArrayType, DataType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::parser::parse_message_type,
};
use std::{
    io::{self, Write},
    mem,
    path::Path,
    sync::Arc,
};

/// Metadata key of the heading, which equals the first line of JSON lines.
const HEADING_KEY: &str = "alea";

const ROWS_PER_GROUP: usize = 1 << 18;

fn label_columns(label: &Label) -> [String; 2] {
    ["label", "error"].map(|kind| format!("{kind}_{}", label.name))
}

fn player_column<G: Playable>(rules: &G, seat: usize) -> String {
    format!("player_{}", rules.seat_name(seat))
}

/// Name of the column that exists only if some games did not end by the rules.
const ENDING_COLUMN: &str = "ending";

fn payoff_column<G: Playable>(rules: &G, seat: usize) -> String {
    format!("payoff_{}", rules.seat_name(seat))
}

struct Row<'a, G: Playable> {
    number: i64,
    game: &'a PlayedGame<G>,
    ply: usize,
    recorded: &'a Ply<G::Move>,
    position: G::Position,
    index: usize,
}

impl<'a, G: Playable> Row<'a, G> {
    fn game_rows(rules: &'a G, number: i64, game: &'a PlayedGame<G>) -> impl Iterator<Item = Self> {
        let mut replay = Replay::new(rules, game.record.start);
        let plies = game.record.plies.iter().enumerate();
        plies.map(move |(ply, recorded)| Self {
            number,
            game,
            ply,
            recorded,
            position: *replay.position(),
            index: replay
                .play(recorded.outcome, recorded.mv)
                .unwrap_or_default(),
        })
    }
}

type WriteColumn<'a, G> =
    dyn Fn(&[Row<'_, G>], &mut SerializedColumnWriter<'_>) -> Result<usize, ParquetError> + 'a;

struct Column<'a, G: Playable> {
    declaration: String,
    write: Box<WriteColumn<'a, G>>,
}

impl<'a, G: Playable> Column<'a, G> {
    fn new<T: DataType>(
        declaration: impl Into<String>,
        cell: impl Fn(&Row<'_, G>) -> Option<T::T> + 'a,
    ) -> Self {
        let write = move |rows: &[Row<'_, G>], writer: &mut SerializedColumnWriter<'_>| {
            let cells: Vec<Option<T::T>> = rows.iter().map(&cell).collect();
            let there: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
            let values: Vec<T::T> = cells.into_iter().flatten().collect();
            let writer = writer.typed::<T>();
            let nullable = writer.get_descriptor().max_def_level() > 0;
            writer.write_batch(&values, nullable.then_some(&there[..]), None)
        };
        Self {
            declaration: declaration.into(),
            write: Box::new(write),
        }
    }
}

fn columns<G: Playable>(source: &ShardReader<G>) -> Vec<Column<'_, G>> {
    let rules = &source.rules;
    let mut columns = vec![
        Column::new::<Int64Type>("required int64 game", |row| Some(row.number)),
        Column::new::<Int32Type>("required int32 ply", |row| Some(row.ply as i32 + 1)),
        Column::new::<ByteArrayType>("required binary position (UTF8)", |row| {
            Some(rules.format_position(&row.position, None).as_str().into())
        }),
        Column::new::<Int32Type>("required int32 seat", |row| {
            Some(rules.to_move(&row.position) as i32)
        }),
        Column::new::<Int32Type>("required int32 remaining", |row| {
            Some(rules.remaining_length(&row.position) as i32)
        }),
        Column::new::<Int32Type>("required int32 outcome", |row| {
            Some(row.recorded.outcome.into())
        }),
        Column::new::<ByteArrayType>("required binary move (UTF8)", |row| {
            Some(
                rules
                    .format_move(&row.position, row.recorded.mv)
                    .as_str()
                    .into(),
            )
        }),
        Column::new::<Int32Type>("required int32 index", |row| Some(row.index as i32)),
        Column::new::<BoolType>("required boolean explored", |row| {
            Some(row.recorded.explored)
        }),
        Column::new::<FloatType>("optional float value", |row| row.recorded.value),
        Column::new::<FloatType>("required float payoff", |row| {
            Some(row.game.record.payoffs[rules.to_move(&row.position)])
        }),
    ];
    for seat in 0..rules.seats() {
        columns.push(Column::new::<Int32Type>(
            format!("required int32 {}", player_column(rules, seat)),
            move |row| Some(row.game.players[seat].into()),
        ));
    }
    if source.ended_early > 0 {
        let ending = |row: &Row<'_, G>| Some(row.game.record.ending.name().into());
        columns.push(Column::new::<ByteArrayType>(
            format!("required binary {ENDING_COLUMN} (UTF8)"),
            ending,
        ));
        for seat in 0..rules.seats() {
            columns.push(Column::new::<FloatType>(
                format!("required float {}", payoff_column(rules, seat)),
                move |row| Some(row.game.record.payoffs[seat]),
            ));
        }
    }
    if source.times {
        columns.push(Column::new::<Int64Type>("optional int64 time", |row| {
            i64::try_from((*row.game.times.get(row.ply)?)?).ok()
        }));
    }
    for (index, label) in source.labels.iter().enumerate() {
        let [value, error] = label_columns(label).map(|name| format!("optional float {name}"));
        columns.push(Column::new::<FloatType>(value, move |row| {
            row.game.label_value(index, row.ply)
        }));
        if label.errors {
            columns.push(Column::new::<FloatType>(error, move |row| {
                row.game.label_estimate(index, row.ply)?.error
            }));
        }
    }
    columns
}

fn write_group<G: Playable>(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    columns: &[Column<'_, G>],
    rules: &G,
    games: &[(i64, PlayedGame<G>)],
) -> Result<(), ParquetError> {
    let rows = games
        .iter()
        .flat_map(|(number, game)| Row::game_rows(rules, *number, game));
    let rows: Vec<Row<'_, G>> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut group = writer.next_row_group()?;
    for column in columns {
        if let Some(mut next) = group.next_column()? {
            (column.write)(&rows, &mut next)?;
            next.close()?;
        }
    }
    group.close()?;
    Ok(())
}

pub(super) fn declarations<G: Playable>(source: &ShardReader<G>) -> Vec<String> {
    let columns = columns(source).into_iter();
    columns.map(|column| column.declaration).collect()
}

pub(super) struct ParquetWriter<'a, G: Playable, W> {
    columns: Vec<Column<'a, G>>,
    rules: &'a G,
    file: SerializedFileWriter<Vec<u8>>,
    games: Vec<(i64, PlayedGame<G>)>,
    buffered: usize,
    pub(super) rows: u64,
    out: W,
}

impl<'a, G: Playable, W: Write> ParquetWriter<'a, G, W> {
    pub(super) fn new(source: &'a ShardReader<G>, out: W) -> io::Result<Self> {
        let heading = serde_json::to_string(&Heading::new(source))?;
        let metadata = Some(vec![KeyValue::new(HEADING_KEY.to_owned(), heading)]);
        let properties = WriterProperties::builder()
            .set_key_value_metadata(metadata)
            .set_compression(Compression::SNAPPY)
            .build();
        let message = format!("message plies {{ {}; }}", declarations(source).join("; "));
        let schema = Arc::new(parse_message_type(&message)?);
        Ok(Self {
            columns: columns(source),
            rules: &source.rules,
            file: SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?,
            games: Vec::new(),
            buffered: 0,
            rows: 0,
            out,
        })
    }

    pub(super) fn push(&mut self, number: i64, game: PlayedGame<G>) -> io::Result<()> {
        self.rows += game.record.plies.len() as u64;
        self.buffered += game.record.plies.len();
        self.games.push((number, game));
        if self.buffered >= ROWS_PER_GROUP {
            write_group(&mut self.file, &self.columns, self.rules, &self.games)?;
            self.out.write_all(&mem::take(self.file.inner_mut()))?;
            self.buffered = 0;
            self.games.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        write_group(&mut self.file, &self.columns, self.rules, &self.games)?;
        self.out.write_all(&self.file.into_inner()?)?;
        Ok(self.out)
    }
}

/// Writes all games to a Parquet file; returns their number.
pub fn export<G: Playable>(source: &ShardReader<G>, path: &Path) -> Result<u64, Error> {
    let failed = Error::write_failed(path);
    write_games(path, |file| {
        let mut writer = ParquetWriter::new(source, file).map_err(&failed)?;
        let mut number = 0;
        source.for_each_game(|game| {
            number += 1;
            writer.push(number - 1, game).map_err(&failed)
        })?;
        writer.finish().map(|_| ()).map_err(&failed)
    })?;
    Ok(source.games)
}
