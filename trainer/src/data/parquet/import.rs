//! From a Parquet file to shards: every row is checked against the rules.

use super::{KEY, label_column};
use crate::data::DataError;
use crate::data::json_lines::Heading;
use crate::data::output::{Output, Written};
use crate::shard::{PlayedGame, Replay, ShardHeader, rounded};
use engine::core::files::FileError;
use engine::core::game::won_by;
use engine::core::record::{GameRecord, Ply};
use engine::games::einstein::{Move, Position, Standard};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;

/// Makes a set of a Parquet file with these columns, in any order and nullable or not; the rows of
/// a game stand together, in the order of its plies. `ply`, `seat`, `stones` and `won` are not
/// read, for they follow.
///
/// # Errors
/// If it is no such file, or a row does not follow the rules, which is named; or if the set cannot
/// be written.
pub fn import(path: &Path, place: &Path) -> Result<Written, DataError> {
    let foreign = |problem: String| DataError::Parquet {
        path: path.to_owned(),
        problem,
    };
    let broken = |error: ParquetError| foreign(one_line(&error));
    let file = File::open(path).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => FileError::NotFound {
            path: path.to_owned(),
        },
        _ => FileError::Read {
            path: path.to_owned(),
            cause,
        },
    })?;
    let reader = SerializedFileReader::new(file).map_err(broken)?;
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let text = metadata
        .and_then(|pairs| pairs.iter().find(|pair| pair.key == KEY))
        .and_then(|pair| pair.value.as_deref());
    let text = text.ok_or_else(|| foreign(format!("its metadata have no key '{KEY}'")))?;
    let heading: Heading = serde_json::from_str(text)
        .map_err(|error| foreign(format!("metadata '{KEY}': {error}")))?;
    let (rules, header) = heading
        .into_header()
        .map_err(|problem| foreign(format!("metadata '{KEY}': {problem}")))?;
    let mut output = Output::create(place, header.clone())?;
    let mut open: Option<OpenGame<'_>> = None;
    let mut row = 0;
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index).map_err(broken)?;
        let rows = Rows::read(&*group, &header).map_err(foreign)?;
        for at in 0..rows.game.len() {
            let wrong = |problem: String| DataError::Row {
                path: path.to_owned(),
                row,
                problem,
            };
            if open
                .as_ref()
                .is_some_and(|open| open.number != rows.game[at])
                && let Some(game) = open.take()
            {
                output.push(
                    game.finish()
                        .map_err(|problem| wrong(format!("the game before: {problem}")))?,
                )?;
            }
            if open.is_none() {
                open = Some(OpenGame::begin(&rules, &rows, at, &header).map_err(wrong)?);
            }
            if let Some(open) = &mut open {
                open.play(&rows, at).map_err(wrong)?;
            }
            row += 1;
        }
    }
    if let Some(game) = open {
        output.push(game.finish().map_err(|problem| DataError::Row {
            path: path.to_owned(),
            row,
            problem,
        })?)?;
    }
    output.finish()
}

fn one_line(error: &ParquetError) -> String {
    error.to_string().replace('\n', " ")
}

/// A row group in memory.
struct Rows {
    game: Vec<i64>,
    position: Vec<i64>,
    die: Vec<i32>,
    mv: Vec<i32>,
    red: Vec<i32>,
    blue: Vec<i32>,
    explored: Vec<bool>,
    value: Vec<Option<f32>>,
    labels: Vec<Vec<Option<f32>>>,
}

impl Rows {
    fn read(group: &dyn RowGroupReader, header: &ShardHeader) -> Result<Self, String> {
        Ok(Self {
            game: filled::<Int64Type>(group, "game")?,
            position: filled::<Int64Type>(group, "position")?,
            die: filled::<Int32Type>(group, "die")?,
            mv: filled::<Int32Type>(group, "move")?,
            red: filled::<Int32Type>(group, "red")?,
            blue: filled::<Int32Type>(group, "blue")?,
            explored: filled::<BoolType>(group, "explored")?,
            value: column::<FloatType>(group, "value")?,
            labels: header
                .labels
                .iter()
                .map(|label| column::<FloatType>(group, &label_column(label)))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// A column without gaps.
fn filled<T: DataType>(group: &dyn RowGroupReader, name: &str) -> Result<Vec<T::T>, String> {
    column::<T>(group, name)?
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| format!("column '{name}' has gaps"))
}

fn column<T: DataType>(
    group: &dyn RowGroupReader,
    name: &str,
) -> Result<Vec<Option<T::T>>, String> {
    let metadata = group.metadata();
    let rows = usize::try_from(metadata.num_rows()).map_err(|error| error.to_string())?;
    let index = metadata
        .columns()
        .iter()
        .position(|column| column.column_path().string() == name);
    let index = index.ok_or_else(|| format!("there is no column '{name}'"))?;
    let description = metadata.column(index).column_descr();
    // The reader panics if it is asked for another type.
    if description.physical_type() != T::get_physical_type()
        || description.max_def_level() > 1
        || description.max_rep_level() > 0
    {
        return Err(format!(
            "column '{name}' is not of type {}",
            T::get_physical_type()
        ));
    }
    let broken = |error: ParquetError| format!("column '{name}': {}", one_line(&error));
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(index).map_err(broken)?);
    let (mut values, mut levels, mut read) = (Vec::new(), Vec::new(), 0);
    let gaps = description.max_def_level() == 1;
    while read < rows {
        let (records, ..) = reader
            .read_records(rows - read, gaps.then_some(&mut levels), None, &mut values)
            .map_err(broken)?;
        if records == 0 {
            return Err(format!("column '{name}' ends early"));
        }
        read += records;
    }
    let mut values = values.into_iter();
    Ok(if gaps {
        levels
            .into_iter()
            .map(|level| if level == 1 { values.next() } else { None })
            .collect()
    } else {
        values.map(Some).collect()
    })
}

/// A game of which not all rows have been seen.
struct OpenGame<'a> {
    number: i64,
    start: Position,
    players: [u8; 2],
    replay: Replay<'a>,
    plies: Vec<Ply<Move>>,
    labels: Vec<Vec<Option<f32>>>,
}

impl<'a> OpenGame<'a> {
    fn begin(
        rules: &'a Standard,
        rows: &Rows,
        at: usize,
        header: &ShardHeader,
    ) -> Result<Self, String> {
        let start = u64::try_from(rows.position[at])
            .ok()
            .and_then(|bits| Position::from_bits(bits, Standard::SQUARES));
        let start = start.ok_or("the start is no position")?;
        let player =
            |index: i32| u8::try_from(index).map_err(|_| format!("there is no player {index}"));
        let players = [player(rows.red[at])?, player(rows.blue[at])?];
        let replay = Replay::new(rules, start, players, header.players.len())?;
        Ok(Self {
            number: rows.game[at],
            start,
            players,
            replay,
            plies: Vec::new(),
            labels: vec![Vec::new(); header.labels.len()],
        })
    }

    fn play(&mut self, rows: &Rows, at: usize) -> Result<(), String> {
        if self.replay.position().bits() as i64 != rows.position[at] {
            return Err("the position is not the one that the moves lead to".to_owned());
        }
        if self.players.map(i32::from) != [rows.red[at], rows.blue[at]] {
            return Err("the players change within the game".to_owned());
        }
        let die = u8::try_from(rows.die[at]).unwrap_or(0);
        let mv = u8::try_from(rows.mv[at])
            .ok()
            .and_then(Move::from_number)
            .ok_or_else(|| format!("there is no move {}", rows.mv[at]))?;
        self.replay.play(die, mv)?;
        for (own, column) in self.labels.iter_mut().zip(&rows.labels) {
            own.push(probability(column[at], "label")?);
        }
        self.plies.push(Ply {
            outcome: die,
            mv,
            value: probability(rows.value[at], "value")?,
            explored: rows.explored[at],
        });
        Ok(())
    }

    fn finish(self) -> Result<PlayedGame, String> {
        let winner = self.replay.winner().ok_or("it has no end")?;
        let record = GameRecord {
            start: self.start,
            plies: self.plies,
            payoffs: won_by(winner),
        };
        let mut game = PlayedGame {
            record,
            players: self.players,
            labels: self.labels,
        };
        game.tidy_labels();
        Ok(game)
    }
}

/// A value as shards hold it.
fn probability(value: Option<f32>, name: &str) -> Result<Option<f32>, String> {
    match value {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(format!("the {name} is no probability"))
        }
        value => Ok(value.map(rounded)),
    }
}
