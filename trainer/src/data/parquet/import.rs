//! From a Parquet file to shards: every row is checked against the rules.

use super::{KEY, label_columns, player_column};
use crate::data::DataError;
use crate::data::builder::{Builder, Said};
use crate::data::json_lines::Heading;
use crate::data::output::{Output, Written};
use crate::shard::{Label, ShardHeader};
use engine::core::files;
use engine::play::playable::Playable;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::cell::Cell;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

/// The game of a Parquet file, if it says that.
#[must_use]
pub fn game_of(path: &Path) -> Option<String> {
    let file = files::open(path).ok()?;
    let reader = guarded(|| SerializedFileReader::new(file).map_err(broken)).ok()?;
    heading(&reader).ok().map(|heading| heading.game)
}

fn heading(reader: &SerializedFileReader<File>) -> Result<Heading, String> {
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let text = metadata
        .and_then(|pairs| pairs.iter().find(|pair| pair.key == KEY))
        .and_then(|pair| pair.value.as_deref());
    let text = text.ok_or_else(|| format!("its metadata have no key '{KEY}'"))?;
    serde_json::from_str(text).map_err(|error| format!("metadata '{KEY}': {error}"))
}

/// Makes a set of a Parquet file with these columns, in any order and nullable or not; the rows of
/// a game stand together, in the order of its plies. `ply`, `seat`, `remaining`, `index` and
/// `payoff` are not read, for they follow.
///
/// # Errors
/// If it is no such file, or a row does not follow the rules, which is named; or if the set cannot
/// be written.
pub fn import<G: Playable>(path: &Path, place: &Path) -> Result<Written, DataError> {
    let foreign = |problem: String| DataError::Parquet {
        path: path.to_owned(),
        problem,
    };
    let file = files::open(path)?;
    let reader = guarded(|| SerializedFileReader::new(file).map_err(broken)).map_err(foreign)?;
    let heading = heading(&reader).map_err(foreign)?;
    let (rules, header) = heading
        .into_header::<G>()
        .map_err(|problem| foreign(format!("metadata '{KEY}': {problem}")))?;
    let mut output = Output::create(place, header.clone())?;
    let mut open: Option<(i64, Builder<'_, G>)> = None;
    let mut row = 0;
    for index in 0..reader.num_row_groups() {
        let rows = guarded(|| {
            let group = reader.get_row_group(index).map_err(broken)?;
            Rows::read(&*group, &rules, &header)
        });
        let rows = rows.map_err(foreign)?;
        for at in 0..rows.game.len() {
            let wrong = |problem: String| DataError::Row {
                path: path.to_owned(),
                row,
                problem,
            };
            let number = rows.game[at];
            if open.as_ref().is_some_and(|open| open.0 != number)
                && let Some((_, game)) = open.take()
            {
                let game = game.finish();
                output
                    .push(game.map_err(|problem| wrong(format!("the game before: {problem}")))?)?;
            }
            let game = match &mut open {
                Some((_, game)) => game,
                None => {
                    let game = rows.begin(&rules, at, &header).map_err(wrong)?;
                    &mut open.insert((number, game)).1
                }
            };
            rows.play(&rules, at, game).map_err(wrong)?;
            row += 1;
        }
    }
    if let Some((_, game)) = open {
        output.push(game.finish().map_err(|problem| DataError::Row {
            path: path.to_owned(),
            row,
            problem,
        })?)?;
    }
    output.finish()
}

fn broken(error: ParquetError) -> String {
    error.to_string().replace('\n', " ")
}

thread_local! {
    /// Whether a panic is an error of a file, of which nothing is to be said but that.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// What the crate reads. At some damaged files it panics, which is an error like others.
fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    GUARDED.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    read.unwrap_or_else(|_| Err("it is damaged: what it says of itself cannot be".to_owned()))
}

/// A row group in memory.
struct Rows {
    game: Vec<i64>,
    position: Vec<ByteArray>,
    outcome: Vec<i32>,
    mv: Vec<ByteArray>,
    explored: Vec<bool>,
    value: Vec<Option<f32>>,
    players: Vec<Vec<i32>>,
    time: Vec<Option<i64>>,
    /// Values and errors; no errors where there are none.
    labels: Vec<[Vec<Option<f32>>; 2]>,
}

impl Rows {
    fn read<G: Playable>(
        group: &dyn RowGroupReader,
        rules: &G,
        header: &ShardHeader,
    ) -> Result<Self, String> {
        let game = filled::<Int64Type>(group, "game")?;
        let label = |label: &Label| {
            let [value, error] = label_columns(label);
            let errors = match label.errors {
                true => column::<FloatType>(group, &error)?,
                false => vec![None; game.len()],
            };
            Ok([column::<FloatType>(group, &value)?, errors])
        };
        Ok(Self {
            position: filled::<ByteArrayType>(group, "position")?,
            outcome: filled::<Int32Type>(group, "outcome")?,
            mv: filled::<ByteArrayType>(group, "move")?,
            explored: filled::<BoolType>(group, "explored")?,
            value: column::<FloatType>(group, "value")?,
            players: (0..rules.seats())
                .map(|seat| filled::<Int32Type>(group, &player_column(rules, seat)))
                .collect::<Result<_, _>>()?,
            time: match header.times {
                true => column::<Int64Type>(group, "time")?,
                false => vec![None; game.len()],
            },
            labels: header
                .labels
                .iter()
                .map(label)
                .collect::<Result<_, String>>()?,
            game,
        })
    }

    fn players(&self, at: usize) -> Result<Vec<u8>, String> {
        let player = |seat: &Vec<i32>| {
            u8::try_from(seat[at]).map_err(|_| format!("there is no player {}", seat[at]))
        };
        self.players.iter().map(player).collect()
    }

    /// A game that begins with a row.
    fn begin<'a, G: Playable>(
        &self,
        rules: &'a G,
        at: usize,
        header: &ShardHeader,
    ) -> Result<Builder<'a, G>, String> {
        let (start, _) = rules
            .parse_position(text(&self.position[at])?)
            .map_err(|error| format!("the start is no position: {error}"))?;
        Builder::new(rules, start, self.players(at)?, header)
    }

    /// Adds a row to its game.
    fn play<G: Playable>(
        &self,
        rules: &G,
        at: usize,
        game: &mut Builder<'_, G>,
    ) -> Result<(), String> {
        let position = *game.replay.position();
        if rules.format_position(&position, None) != text(&self.position[at])? {
            return Err("the position is not the one that the moves lead to".to_owned());
        }
        if game.players != self.players(at)? {
            return Err("the players change within the game".to_owned());
        }
        let outcome = u8::try_from(self.outcome[at])
            .map_err(|_| format!("there is no outcome {}", self.outcome[at]))?;
        let mv = rules
            .parse_move(&position, text(&self.mv[at])?)
            .map_err(|error| error.to_string())?;
        let time = self.time[at].map(u64::try_from).transpose();
        let said = Said {
            value: self.value[at],
            explored: self.explored[at],
            time: time.map_err(|_| "the time is below 0".to_owned())?,
            labels: self
                .labels
                .iter()
                .map(|[value, error]| (value[at], error[at]))
                .collect(),
        };
        game.play(outcome, mv, said)
    }
}

fn text(bytes: &ByteArray) -> Result<&str, String> {
    std::str::from_utf8(bytes.data()).map_err(|_| "holds bytes that are no text".to_owned())
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
    let broken = |error: ParquetError| format!("column '{name}': {}", broken(error));
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
