//! `alea data export` and `import`: game records in other programs' formats.

use super::{Records, SHARDS_NOUN, derived_sets::parse_parts, format_written};
use crate::games::{self, GameArguments};
use crate::output;
use anyhow::{Result, anyhow, bail};
use engine::core::text;
use engine::play::player_notation::trusted_text;
use engine::play::{playable::Playable, registry::TranscriptFormat};
use std::path::{Path, PathBuf};
use trainer::data::{
    BadGames, SkippedGames,
    hf_dataset::{self, DatasetLayout},
    json_lines, parquet, transcripts,
};

const JSON_LINES: &str = "jsonl";
const PARQUET: &str = "parquet";
const DATASET: &str = "dataset";

/// Name of the format, by default from the path's extension, and the format if it is one of this
/// game. If `is_written`, the extension must be that of a format.
fn find_format<G: Playable>(
    requested: Option<&str>,
    path: &Path,
    is_written: bool,
) -> Result<(&'static str, Option<&'static TranscriptFormat<G>>)> {
    let own = || G::registry().transcripts.iter();
    let mut all = vec![JSON_LINES, PARQUET, DATASET];
    all.extend(own().map(|form| form.name));
    let called = |name: &str| all.iter().find(|form| form.eq_ignore_ascii_case(name));
    let named = path.extension().and_then(|extension| extension.to_str());
    let name = match requested {
        Some(requested) => called(requested).ok_or_else(|| {
            let (game, all) = (G::INFO.name, all.join(", "));
            let meant = text::suggestion(requested, &all);
            anyhow!("--format: {game} has no form '{requested}'{meant}; there are {all}")
        })?,
        None => match named.map(|named| (named, called(named))) {
            Some((named, None)) if is_written => {
                let (path, all) = (path.display(), all.join(", "));
                let meant = text::suggestion(named, &all);
                bail!(
                    "{path}: no form has the ending '{named}'{meant}; there are {all}, also by --format"
                )
            }
            found => found.and_then(|(_, form)| form).unwrap_or(&JSON_LINES),
        },
    };
    Ok((name, own().find(|form| form.name == *name)))
}

fn forms() -> String {
    fn of_game<G: Playable>() -> String {
        let line = |form: &TranscriptFormat<G>| {
            format!("\n  {:<12} {} ({})", form.name, form.help, G::INFO.name)
        };
        G::registry().transcripts.iter().map(line).collect()
    }
    let own = engine::for_games!(crate::games::each_game! OneGame => of_game::<OneGame>()).concat();
    format!(
        "Forms:\n  {JSON_LINES:<12} JSON lines, a game a line\n  {PARQUET:<12} Parquet, a row a ply\n  {DATASET:<12} a folder of Parquet files with a card, in splits, that loaders open as it is{own}"
    )
}

/// Format of a file.
#[derive(clap::Args)]
struct FormatArguments {
    /// Format of the file, see below [default: by the file's extension, without one jsonl]
    #[arg(long, value_name = "FORM")]
    format: Option<String>,
}

/// Write records for other programs: JSON lines, Parquet for data frames, or the formats of game
/// servers
#[derive(clap::Args)]
#[command(after_help = format!(
    "{}\n\nExamples: alea data export runs/data --out runs/data.jsonl\n          alea data export runs/data --out runs/data.parquet\n          alea data export runs/data --out runs/set --format dataset --part train=0.9 --part test=0.1",
    forms()
))]
pub(super) struct Export {
    #[command(flatten)]
    pub(super) records: Records,
    /// New file, or new directory of a data set
    #[arg(long, value_name = "FILE|DIR")]
    out: PathBuf,
    #[command(flatten)]
    form: FormatArguments,
    /// Replace a file that exists
    #[arg(long)]
    overwrite: bool,
    /// Name and fraction of a split of a data set; may be given several times, fractions add up to
    /// 1; splits as 'alea data split' does
    #[arg(
        long = "part",
        value_name = "NAME=SHARE",
        default_value = "train=1",
        requires = "format"
    )]
    parts: Vec<String>,
    /// Seed of the splits of a data set
    #[arg(long, default_value_t = 1, requires = "format")]
    seed: u64,
    /// Positions in a file of a data set
    #[arg(long, value_name = "N", default_value_t = 10_000_000, requires = "format", value_parser = clap::value_parser!(u64).range(1..))]
    file_positions: u64,
}

impl Export {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        let form = find_format::<G>(self.form.format.as_deref(), &self.out, true)?;
        match (self.overwrite, form.0) {
            (true, DATASET) => {
                bail!("--overwrite replaces a file; a data set needs a new directory")
            }
            (true, _) => {}
            (false, _) => output::check_is_new(&self.out)?,
        }
        let source = self.records.open::<G>()?;
        let games = match form {
            (_, Some(form)) => transcripts::export(&source, form, &self.out)?,
            (PARQUET, _) => parquet::export(&source, &self.out)?,
            (DATASET, _) => {
                let layout = DatasetLayout {
                    parts: parse_parts(&self.parts)?,
                    seed: self.seed,
                    file_positions: self.file_positions,
                };
                let written = hf_dataset::export(&source, &self.out, &layout)?;
                return self.records.print_written(&written, "files");
            }
            _ => json_lines::export(&source, &self.out)?,
        };
        let object = serde_json::json!({ "file": self.out, "games": games });
        output::print_result(self.records.json, &object, || {
            format!("{}: {games} games", self.out.display())
        })
    }
}

/// Import games of other programs, or an export
#[derive(clap::Args)]
#[command(after_help = format!(
    "{}\n\nExample: alea data import games.jsonl --out runs/imported\n         alea data import games.ggf --game reversi --out runs/imported",
    forms()
))]
pub(super) struct Import {
    /// File of JSON lines, Parquet, or another format below
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// New directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    form: FormatArguments,
    /// Leave out damaged and unfinished games, with a line for each, instead of refusing the file
    #[arg(long)]
    skip_bad: bool,
    // For formats that do not name it; JSON lines and Parquet do.
    #[command(flatten)]
    game: GameArguments,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(super) fn game(&self) -> String {
        let recorded =
            json_lines::game_notation(&self.file).or_else(|| parquet::game_notation(&self.file));
        recorded.unwrap_or_else(|| self.game.notation())
    }

    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        let bad = if self.skip_bad {
            BadGames::Skip
        } else {
            BadGames::Refuse
        };
        let written = match find_format::<G>(self.form.format.as_deref(), &self.file, false)? {
            (_, Some(form)) => {
                let game: G = games::parse_game(trusted_text(&self.game.notation()))?;
                transcripts::import(&game, form, &self.file, &self.out, bad)?
            }
            (PARQUET, _) => {
                // Metadata with the game may be lost when programs rewrite a file.
                let named = parquet::game_notation(&self.file).is_some();
                let rules = (!named).then(|| games::parse_game::<G>(&self.game.notation()));
                parquet::import(&self.file, &self.out, rules.transpose()?.as_ref(), bad)?
            }
            (DATASET, _) => bail!("--format: a data set is imported file by file, as {PARQUET}"),
            _ => json_lines::import::<G>(&self.file, &self.out, bad)?,
        };
        report_skipped_games(&written.left_out);
        output::print_result(self.json, &written, || {
            format_written(&written, SHARDS_NOUN)
        })
    }
}

fn report_skipped_games(left_out: &SkippedGames) {
    let SkippedGames {
        stopped,
        damaged,
        problems,
        ..
    } = left_out;
    for problem in problems {
        output::note(&format!("BAD  {problem}"));
    }
    let more = stopped + damaged - problems.len() as u64;
    if more > 0 {
        output::note(&format!("BAD  … and {more} more"));
    }
}
