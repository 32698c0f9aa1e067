//! From a Parquet file to shards: every row is checked against the rules.

use super::{KEY, label_columns, player_column};
use crate::Error;
use crate::data::{
    builder::{Builder, Said},
    json_lines::Heading,
    output::{Output, Written},
};
use crate::shard::{Label, ShardHeader};
use bytes::Bytes;
use engine::core::files;
use engine::play::playable::Playable;
use parquet::{
    column::{
        page::{Page, PageMetadata, PageReader},
        reader::ColumnReaderImpl,
    },
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader},
};
use std::{
    cell::Cell,
    fs::File,
    io::{self, Read},
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{Once, mpsc},
    thread,
    time::Duration,
    vec,
};

/// The game of a Parquet file, if it says that.
#[must_use]
pub fn game_of(path: &Path) -> Option<String> {
    let file = files::open(path).ok()?;
    let reader = opened(file, METADATA_TIME).ok()?;
    heading(&reader).ok().map(|heading| heading.game)
}

fn heading(reader: &SerializedFileReader<Source>) -> Result<Heading, String> {
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
pub fn import<G: Playable>(path: &Path, place: &Path) -> Result<Written, Error> {
    let foreign = Error::of(path.display());
    let wrong = |row: u64, problem: String| foreign(format!("row {row}: {problem}"));
    let file = files::open(path)?;
    let reader = opened(file, METADATA_TIME).map_err(&foreign)?;
    let heading = heading(&reader).map_err(&foreign)?;
    let (rules, header) = heading
        .into_header::<G>()
        .map_err(|problem| foreign(format!("metadata '{KEY}': {problem}")))?;
    let mut output = Output::create(place, header.clone())?;
    let mut open: Option<(i64, Builder<'_, G>)> = None;
    let mut row = 0;
    for index in 0..reader.num_row_groups() {
        let group = guarded(|| {
            let group = reader.get_row_group(index).map_err(broken)?;
            Columns::open(&*group, &rules, &header)
        });
        let mut group = group.map_err(&foreign)?;
        loop {
            let wrong = |problem| wrong(row, problem);
            let Some(next) = guarded(|| group.next_row()).map_err(wrong)? else {
                break;
            };
            if let Some((_, game)) = open.take_if(|open| open.0 != next.game) {
                let game = game.finish();
                output
                    .push(game.map_err(|problem| wrong(format!("the game before: {problem}")))?)?;
            }
            let game = match &mut open {
                Some((_, game)) => game,
                None => {
                    let game = next.begin(&rules, &header).map_err(wrong)?;
                    &mut open.insert((next.game, game)).1
                }
            };
            next.play(&rules, game).map_err(wrong)?;
            row += 1;
        }
    }
    if let Some((_, game)) = open {
        output.push(game.finish().map_err(|problem| wrong(row, problem))?)?;
    }
    output.finish()
}

fn broken(error: ParquetError) -> String {
    error.to_string().replace('\n', " ")
}

/// Far longer than any metadata take; damaged ones can claim lists of billions of nothings, which the
/// crate passes over one by one.
const METADATA_TIME: Duration = Duration::from_secs(10);

/// A file whose metadata have been read.
fn opened(file: File, limit: Duration) -> Result<SerializedFileReader<Source>, String> {
    let (give, take) = mpsc::channel();
    // A thread that takes too long ends with the program, which has nothing else to do then.
    thread::spawn(move || {
        give.send(guarded(|| {
            SerializedFileReader::new(Source(file)).map_err(broken)
        }))
    });
    let late = || {
        let limit = limit.as_secs_f32();
        Err(format!(
            "its metadata take more than {limit} s to read: they are damaged"
        ))
    };
    take.recv_timeout(limit).unwrap_or_else(|_| late())
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

/// Rows that are in memory at a time, whatever a file says of its row groups.
const BATCH: usize = 1 << 16;

/// The columns of a row group, to be read row by row.
struct Columns {
    left: i64,
    game: Column<Int64Type>,
    position: Column<ByteArrayType>,
    outcome: Column<Int32Type>,
    mv: Column<ByteArrayType>,
    explored: Column<BoolType>,
    value: Column<FloatType>,
    players: Vec<Column<Int32Type>>,
    time: Option<Column<Int64Type>>,
    /// Values and errors.
    labels: Vec<(Column<FloatType>, Option<Column<FloatType>>)>,
}

impl Columns {
    fn open<G: Playable>(
        group: &dyn RowGroupReader,
        rules: &G,
        header: &ShardHeader,
    ) -> Result<Self, String> {
        let label = |label: &Label| {
            let [value, error] = label_columns(label);
            let error = label.errors.then(|| Column::open(group, &error));
            Ok((Column::open(group, &value)?, error.transpose()?))
        };
        let time = header.times.then(|| Column::open(group, "time"));
        Ok(Self {
            left: group.metadata().num_rows(),
            game: Column::open(group, "game")?,
            position: Column::open(group, "position")?,
            outcome: Column::open(group, "outcome")?,
            mv: Column::open(group, "move")?,
            explored: Column::open(group, "explored")?,
            value: Column::open(group, "value")?,
            players: (0..rules.seats())
                .map(|seat| Column::open(group, &player_column(rules, seat)))
                .collect::<Result<_, _>>()?,
            time: time.transpose()?,
            labels: header
                .labels
                .iter()
                .map(label)
                .collect::<Result<_, String>>()?,
        })
    }

    fn next_row(&mut self) -> Result<Option<Row>, String> {
        if self.left <= 0 {
            return Ok(None);
        }
        self.left -= 1;
        let byte = |what: &str, number: i32| {
            u8::try_from(number).map_err(|_| format!("there is no {what} {number}"))
        };
        let players = self.players.iter_mut();
        let labels = self.labels.iter_mut().map(|(value, error)| {
            let error = error.as_mut().map_or(Ok(None), Column::next);
            Ok((value.next()?, error?))
        });
        let time = |column: &mut Option<Column<Int64Type>>| {
            let time = column.as_mut().map_or(Ok(None), Column::next)?;
            let time = time.map(u64::try_from).transpose();
            time.map_err(|_| "the time is below 0".to_owned())
        };
        Ok(Some(Row {
            game: self.game.filled()?,
            position: self.position.filled()?,
            outcome: byte("outcome", self.outcome.filled()?)?,
            mv: self.mv.filled()?,
            said: Said {
                value: self.value.next()?,
                explored: self.explored.filled()?,
                time: time(&mut self.time)?,
                labels: labels.collect::<Result<_, String>>()?,
            },
            players: players
                .map(|player| byte("player", player.filled()?))
                .collect::<Result<_, _>>()?,
        }))
    }
}

struct Row {
    game: i64,
    players: Vec<u8>,
    position: ByteArray,
    outcome: u8,
    mv: ByteArray,
    said: Said,
}

impl Row {
    fn begin<'a, G: Playable>(
        &self,
        rules: &'a G,
        header: &ShardHeader,
    ) -> Result<Builder<'a, G>, String> {
        let (start, _) = rules
            .parse_position(text(&self.position)?)
            .map_err(|error| format!("the start is no position: {error}"))?;
        Builder::new(rules, start, self.players.clone(), header)
    }

    fn play<G: Playable>(self, rules: &G, game: &mut Builder<'_, G>) -> Result<(), String> {
        let position = *game.replay.position();
        if rules.format_position(&position, None) != text(&self.position)? {
            return Err("the position is not the one that the moves lead to".to_owned());
        }
        if game.players != self.players {
            return Err("the players change within the game".to_owned());
        }
        let mv = rules
            .parse_move(&position, text(&self.mv)?)
            .map_err(|error| error.to_string())?;
        game.play(self.outcome, mv, self.said)
    }
}

fn text(bytes: &ByteArray) -> Result<&str, String> {
    std::str::from_utf8(bytes.data()).map_err(|_| "holds bytes that are no text".to_owned())
}

/// A file that ends for good: the crate skips what a page claims to hold, billions of parts that are
/// not there, one by one.
struct Source(File);

/// A part of a file, and how often it was read behind its end.
struct Part {
    part: <File as ChunkReader>::T,
    behind: u32,
}

impl Length for Source {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for Source {
    type T = Part;

    fn get_read(&self, start: u64) -> Result<Part, ParquetError> {
        let part = self.0.get_read(start)?;
        Ok(Part { part, behind: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.0.get_bytes(start, length)
    }
}

impl Read for Part {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.part.read(bytes)?;
        self.behind += u32::from(count == 0);
        if self.behind > 1_000 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(count)
    }
}

/// Pages whose dictionaries have no more values than bytes: the crate makes room for as many as they
/// claim.
struct Checked(Box<dyn PageReader>);

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.0.get_next_page()?;
        if let Some(Page::DictionaryPage {
            buf, num_values, ..
        }) = &page
            && *num_values as usize > buf.len()
        {
            let problem = "a dictionary claims more values than it has bytes";
            return Err(ParquetError::General(problem.to_owned()));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.skip_next_page()
    }
}

impl Iterator for Checked {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

struct Column<T: DataType> {
    name: String,
    gaps: bool,
    reader: ColumnReaderImpl<T>,
    /// Rows that were not yet read, and those that are in memory.
    left: usize,
    rows: vec::IntoIter<Option<T::T>>,
}

impl<T: DataType> Column<T> {
    fn open(group: &dyn RowGroupReader, name: &str) -> Result<Self, String> {
        let metadata = group.metadata();
        let index = metadata
            .columns()
            .iter()
            .position(|column| column.column_path().string() == name);
        let index = index.ok_or_else(|| format!("there is no column '{name}'"))?;
        let description = metadata.column(index).column_descr_ptr();
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
        let pages = group.get_column_page_reader(index);
        let pages = pages.map_err(|error| format!("column '{name}': {}", broken(error)))?;
        Ok(Self {
            name: name.to_owned(),
            gaps: description.max_def_level() == 1,
            reader: ColumnReaderImpl::new(description, Box::new(Checked(pages))),
            left: usize::try_from(group.metadata().num_rows())
                .map_err(|error| error.to_string())?,
            rows: Vec::new().into_iter(),
        })
    }

    fn read(&mut self, rows: usize) -> Result<Vec<Option<T::T>>, String> {
        let (mut values, mut levels, mut read) = (Vec::new(), Vec::new(), 0);
        while read < rows {
            let levels = self.gaps.then_some(&mut levels);
            let records = self
                .reader
                .read_records(rows - read, levels, None, &mut values);
            let (records, ..) =
                records.map_err(|error| format!("column '{}': {}", self.name, broken(error)))?;
            if records == 0 {
                return Err(format!("column '{}' ends early", self.name));
            }
            read += records;
        }
        let mut values = values.into_iter();
        Ok(if self.gaps {
            levels
                .into_iter()
                .map(|level| if level == 1 { values.next() } else { None })
                .collect()
        } else {
            values.map(Some).collect()
        })
    }

    fn next(&mut self) -> Result<Option<T::T>, String> {
        if self.rows.as_slice().is_empty() {
            let count = self.left.min(BATCH);
            self.left -= count;
            self.rows = self.read(count)?.into_iter();
        }
        Ok(self.rows.next().flatten())
    }

    /// The same of a column without gaps.
    fn filled(&mut self) -> Result<T::T, String> {
        let value = self.next()?;
        value.ok_or_else(|| format!("column '{}' has gaps", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A list of two billion truths in a field that nobody knows takes eight bytes: the type of what
    /// is in it says which they are.
    #[test]
    fn metadata_without_end_are_damaged() {
        let list = [0xF9, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0];
        let mut file = tempfile::tempfile().expect("a temporary file");
        let length = list.len() as u32;
        file.write_all(&[b"PAR1", &list[..], &length.to_le_bytes(), b"PAR1"].concat())
            .expect("written");
        let error = opened(file, Duration::from_millis(50)).err();
        let late = "its metadata take more than 0.05 s to read: they are damaged";
        assert_eq!(error.as_deref(), Some(late));
    }
}
