//! Imports Parquet files and checks every row against the rules.

use super::column_reader::{ColumnCursor, EofCheckedFile, NumberColumn, RowGroup, parquet_error};
use super::{ENDING_COLUMN, HEADING_KEY, label_columns, payoff_column, player_column};
use crate::Error;
use crate::data::{
    game_builder::{GameBuilder, PlyExtras},
    import_sink::{BadGames, ImportSink, Rejection},
    json_lines::Heading,
    shard_writer::WriteSummary,
};
use crate::shard::{Label, ShardHeader, labels};
use alea_core::{files, game::Payoffs, record::Ending};
use alea_play::playable::Playable;
use parquet::{
    data_type::{BoolType, ByteArray, ByteArrayType},
    file::metadata::{ParquetMetaData, ParquetMetaDataReader},
};
use std::{
    cell::Cell,
    collections::BTreeMap,
    fs::File,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{Arc, Once, mpsc},
    thread,
    time::Duration,
};

/// Name of players and label sources in files without metadata.
const UNKNOWN_SOURCE: &str = "unknown";

/// Game notation in a Parquet file's metadata; `None` if absent or unreadable.
#[must_use]
pub fn game_notation(path: &Path) -> Option<String> {
    let table = ParquetFile::open(files::open(path).ok()?, METADATA_TIMEOUT).ok()?;
    table.heading().ok()?.map(|heading| heading.game)
}

/// Imports a Parquet file as a new set. Columns may be in any order and nullable; a game's rows are
/// consecutive. Files without metadata, rewritten by other programs, use the rules `unnamed`.
///
/// # Errors
/// If the file is invalid, a game cannot be stored and bad games are refused, or the set cannot be
/// written.
pub fn import<G: Playable>(
    path: &Path,
    target: &Path,
    unnamed: Option<&G>,
    bad: BadGames,
) -> Result<WriteSummary, Error> {
    let foreign = Error::with_prefix(path.display());
    let wrong = |row: u64, problem: String| foreign(format!("row {row}: {problem}"));
    let table = ParquetFile::open(files::open(path)?, METADATA_TIMEOUT).map_err(&foreign)?;
    let (rules, header) = match (table.heading().map_err(&foreign)?, unnamed) {
        (Some(heading), _) => heading
            .into_header::<G>()
            .map_err(|problem| foreign(format!("metadata '{HEADING_KEY}': {problem}")))?,
        (None, Some(rules)) => {
            let header = catch_panics(|| table.header_from_columns(rules));
            (rules.clone(), header.map_err(&foreign)?)
        }
        (None, None) => {
            return Err(foreign(format!("its metadata have no key '{HEADING_KEY}'")));
        }
    };
    let mut sink = ImportSink::create(path, target, header.clone(), bad)?;
    let mut open: Option<(i64, BuilderOrProblem<'_, G>)> = None;
    let mut row = 0;
    let finish = |sink: &mut ImportSink<G>, next: u64, game: BuilderOrProblem<'_, G>| match game {
        Ok(game) => sink.take(format_args!("row {}", next - 1), game.finish()),
        Err((row, problem)) => {
            sink.take(format_args!("row {row}"), Err(Rejection::Damaged(problem)))
        }
    };
    for index in 0..table.metadata.num_row_groups() {
        let group = catch_panics(|| RowReader::open(&table.row_group(index), &rules, &header));
        let mut group = group.map_err(&foreign)?;
        loop {
            let wrong = |problem| wrong(row, problem);
            let Some(next) = catch_panics(|| group.next_row()).map_err(wrong)? else {
                break;
            };
            if let Some((_, game)) = open.take_if(|open| open.0 != next.game) {
                finish(&mut sink, row, game)?;
            }
            let damaged = |problem| (row, problem);
            let (_, game) = open.get_or_insert_with(|| {
                let game = next.start_game(&rules, &header);
                (next.game, game.map_err(damaged))
            });
            if let Ok(builder) = game
                && let Err(problem) = next.play(&rules, builder)
            {
                *game = Err(damaged(problem));
            }
            row += 1;
        }
    }
    if let Some((_, game)) = open {
        finish(&mut sink, row, game)?;
    }
    sink.finish()
}

/// Game, or its first invalid row and the problem there.
type BuilderOrProblem<'a, G> = Result<GameBuilder<'a, G>, (u64, String)>;

/// Time limit for reading metadata: damaged ones can claim billions of empty list entries.
const METADATA_TIMEOUT: Duration = Duration::from_secs(10);

struct ParquetFile {
    file: Arc<EofCheckedFile>,
    metadata: ParquetMetaData,
}

impl ParquetFile {
    fn open(file: File, limit: Duration) -> Result<Self, String> {
        let (give, take) = mpsc::channel();
        // On a timeout, the thread runs until the program ends.
        thread::spawn(move || {
            let table = catch_panics(|| {
                let file = Arc::new(EofCheckedFile(file));
                let metadata = ParquetMetaDataReader::new().parse_and_finish(&*file);
                let metadata = metadata.map_err(parquet_error)?;
                Ok(Self { file, metadata })
            });
            give.send(table).ok()
        });
        let late = || {
            let limit = limit.as_secs_f32();
            Err(format!(
                "its metadata take more than {limit} s to read: they are damaged"
            ))
        };
        take.recv_timeout(limit).unwrap_or_else(|_| late())
    }

    fn heading(&self) -> Result<Option<Heading>, String> {
        let metadata = self.metadata.file_metadata().key_value_metadata();
        let text = metadata
            .and_then(|pairs| pairs.iter().find(|pair| pair.key == HEADING_KEY))
            .and_then(|pair| pair.value.as_deref());
        let heading = text.map(serde_json::from_str).transpose();
        heading.map_err(|error| format!("metadata '{HEADING_KEY}': {error}"))
    }

    fn row_group(&self, index: usize) -> RowGroup<'_> {
        RowGroup {
            file: &self.file,
            metadata: self.metadata.row_group(index),
        }
    }

    fn header_from_columns<G: Playable>(&self, rules: &G) -> Result<ShardHeader, String> {
        let schema = self.metadata.file_metadata().schema_descr();
        let columns: Vec<String> = schema
            .columns()
            .iter()
            .map(|one| one.path().string())
            .collect();
        let label = |column: &String| {
            let mut label = Label {
                name: column.strip_prefix("label_")?.to_owned(),
                by: UNKNOWN_SOURCE.to_owned(),
                exact: false,
                errors: false,
                models: BTreeMap::new(),
            };
            label.errors = columns.contains(&label_columns(&label)[1]);
            Some(label)
        };
        let labels: Vec<Label> = columns.iter().filter_map(label).collect();
        labels::check(&labels)?;
        let mut players = 0;
        for group in (0..self.metadata.num_row_groups()).map(|index| self.row_group(index)) {
            for seat in 0..rules.seats() {
                let mut column = NumberColumn::open(&group, &player_column(rules, seat))?;
                for _ in 0..group.num_rows()? {
                    players = players.max(byte("player", column.required_integer()?)?);
                }
            }
        }
        let run = serde_json::json!({ "imported": "parquet" });
        Ok(ShardHeader {
            players: (0..=players)
                .map(|player| format!("{UNKNOWN_SOURCE} {player}"))
                .collect(),
            times: columns.iter().any(|column| column == "time"),
            labels,
            ..ShardHeader::new(rules, run)
        })
    }
}

fn byte(what: &str, number: i64) -> Result<u8, String> {
    u8::try_from(number).map_err(|_| format!("there is no {what} {number}"))
}

thread_local! {
    static SILENT_PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Turns panics of the crate `parquet` at damaged files into errors.
fn catch_panics<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    static PANIC_HOOK: Once = Once::new();
    PANIC_HOOK.call_once(|| {
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !SILENT_PANICS.get() {
                default_hook(panic);
            }
        }));
    });
    SILENT_PANICS.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    SILENT_PANICS.set(false);
    read.unwrap_or_else(|_| Err("it is damaged: its metadata contradict each other".to_owned()))
}

struct RowReader {
    left: usize,
    game: NumberColumn,
    position: ColumnCursor<ByteArrayType>,
    outcome: NumberColumn,
    mv: ColumnCursor<ByteArrayType>,
    explored: ColumnCursor<BoolType>,
    value: NumberColumn,
    players: Vec<NumberColumn>,
    result: Option<(ColumnCursor<ByteArrayType>, Vec<NumberColumn>)>,
    time: Option<NumberColumn>,
    labels: Vec<(NumberColumn, Option<NumberColumn>)>,
}

impl RowReader {
    fn open<G: Playable>(
        group: &RowGroup<'_>,
        rules: &G,
        header: &ShardHeader,
    ) -> Result<Self, String> {
        let label = |label: &Label| {
            let [value, error] = label_columns(label);
            let error = label.errors.then(|| NumberColumn::open(group, &error));
            Ok((NumberColumn::open(group, &value)?, error.transpose()?))
        };
        let time = header.times.then(|| NumberColumn::open(group, "time"));
        let result = group.find(ENDING_COLUMN).is_ok().then(|| {
            let payoffs = (0..rules.seats()).map(|seat| payoff_column(rules, seat));
            let payoffs = payoffs.map(|name| NumberColumn::open(group, &name));
            Ok::<_, String>((
                ColumnCursor::open(group, ENDING_COLUMN)?,
                payoffs.collect::<Result<_, _>>()?,
            ))
        });
        Ok(Self {
            left: group.num_rows()?,
            game: NumberColumn::open(group, "game")?,
            position: ColumnCursor::open(group, "position")?,
            outcome: NumberColumn::open(group, "outcome")?,
            mv: ColumnCursor::open(group, "move")?,
            explored: ColumnCursor::open(group, "explored")?,
            value: NumberColumn::open(group, "value")?,
            players: (0..rules.seats())
                .map(|seat| NumberColumn::open(group, &player_column(rules, seat)))
                .collect::<Result<_, _>>()?,
            result: result.transpose()?,
            time: time.transpose()?,
            labels: header
                .labels
                .iter()
                .map(label)
                .collect::<Result<_, String>>()?,
        })
    }

    fn next_row(&mut self) -> Result<Option<ImportedRow>, String> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let players = self.players.iter_mut();
        let labels = self.labels.iter_mut().map(|(value, error)| {
            let error = error.as_mut().map_or(Ok(None), NumberColumn::next_float);
            Ok((value.next_float()?, error?))
        });
        let time = |column: &mut Option<NumberColumn>| {
            let time = column
                .as_mut()
                .map_or(Ok(None), NumberColumn::next_integer)?;
            let time = time.map(u64::try_from).transpose();
            time.map_err(|_| "the time is below 0".to_owned())
        };
        let result = match &mut self.result {
            Some((ending, payoffs)) => {
                let mut all = Payoffs::default();
                for (own, column) in all.iter_mut().zip(payoffs) {
                    *own = column.next_float()?.ok_or("a payoff is missing")?;
                }
                Some((ending.next_required()?, all))
            }
            None => None,
        };
        Ok(Some(ImportedRow {
            result,
            game: self.game.required_integer()?,
            position: self.position.next_required()?,
            outcome: byte("outcome", self.outcome.required_integer()?)?,
            mv: self.mv.next_required()?,
            extras: PlyExtras {
                value: self.value.next_float()?,
                explored: self.explored.next_required()?,
                time: time(&mut self.time)?,
                labels: labels.collect::<Result<_, String>>()?,
            },
            players: players
                .map(|player| byte("player", player.required_integer()?))
                .collect::<Result<_, _>>()?,
        }))
    }
}

struct ImportedRow {
    game: i64,
    players: Vec<u8>,
    position: ByteArray,
    outcome: u8,
    mv: ByteArray,
    extras: PlyExtras,
    result: Option<(ByteArray, Payoffs)>,
}

impl ImportedRow {
    fn start_game<'a, G: Playable>(
        &self,
        rules: &'a G,
        header: &ShardHeader,
    ) -> Result<GameBuilder<'a, G>, String> {
        let (start, _) = rules
            .parse_position(utf8_text(&self.position)?)
            .map_err(|error| format!("the start is no position: {error}"))?;
        let mut game = GameBuilder::new(rules, start, self.players.clone(), header)?;
        game.result = self.parse_result()?;
        Ok(game)
    }

    fn parse_result(&self) -> Result<(Ending, Payoffs), String> {
        let Some((ending, payoffs)) = &self.result else {
            return Ok(Default::default());
        };
        let name = utf8_text(ending)?;
        let ending = Ending::ALL.into_iter().find(|ending| ending.name() == name);
        let ending = ending.ok_or_else(|| {
            let all = Ending::ALL.map(Ending::name).join(", ");
            format!("the ending {name:?} is none of {all}")
        })?;
        let is_played = ending.is_played();
        Ok((
            ending,
            if is_played {
                Payoffs::default()
            } else {
                *payoffs
            },
        ))
    }

    fn play<G: Playable>(self, rules: &G, game: &mut GameBuilder<'_, G>) -> Result<(), String> {
        let position = *game.replay.position();
        if rules.format_position(&position, None) != utf8_text(&self.position)? {
            return Err("the position is not the one that the moves lead to".to_owned());
        }
        if game.players != self.players {
            return Err("the players change within the game".to_owned());
        }
        if game.result != self.parse_result()? {
            return Err("the ending changes within the game".to_owned());
        }
        let mv = rules
            .parse_move(&position, Some(self.outcome), utf8_text(&self.mv)?)
            .map_err(|error| error.to_string())?;
        game.play(self.outcome, mv, self.extras)
    }
}

fn utf8_text(bytes: &ByteArray) -> Result<&str, String> {
    std::str::from_utf8(bytes.data()).map_err(|_| "holds bytes that are no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn endless_metadata_are_damaged() {
        let list = [0xF9, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0];
        let mut file = tempfile::tempfile().expect("a temporary file");
        let length = list.len() as u32;
        file.write_all(&[b"PAR1", &list[..], &length.to_le_bytes(), b"PAR1"].concat())
            .expect("written");
        let error = ParquetFile::open(file, Duration::from_millis(50)).err();
        let late = "its metadata take more than 0.05 s to read: they are damaged";
        assert_eq!(error.as_deref(), Some(late));
    }
}
