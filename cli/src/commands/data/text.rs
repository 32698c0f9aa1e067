//! `alea data export` and `import`: records for other programs, and what other programs wrote.

use super::{Records, made};
use crate::output;
use anyhow::Result;
use clap::ValueEnum;
use engine::games::einstein::Standard;
use std::path::{Path, PathBuf};
use trainer::data::{json_lines, parquet};

/// Forms of files.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    /// JSON lines, a game a line
    Jsonl,
    /// Parquet, a row a ply
    Parquet,
}

impl Format {
    /// The one asked for, or that of the file's name.
    fn of(asked: Option<Self>, path: &Path) -> Self {
        let named = if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            Self::Parquet
        } else {
            Self::Jsonl
        };
        asked.unwrap_or(named)
    }
}

/// Write records for other programs: JSON lines, or Parquet for data frames
#[derive(clap::Args)]
#[command(
    after_help = "Examples: alea data export runs/data --out runs/data.jsonl\n          alea data export runs/data --out runs/data.parquet"
)]
pub(super) struct Export {
    #[command(flatten)]
    records: Records,
    /// New file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Form of the file [default: parquet if it is named .parquet, else jsonl]
    #[arg(long)]
    format: Option<Format>,
}

impl Export {
    pub(super) fn run(&self) -> Result<()> {
        let source = self.records.open()?;
        let games = match Format::of(self.format, &self.out) {
            Format::Jsonl => json_lines::export(&source, &self.out)?,
            Format::Parquet => parquet::export(&source, &self.out)?,
        };
        if self.records.json {
            return output::json(&serde_json::json!({ "file": self.out, "games": games }));
        }
        output::line(&format!("{}: {games} games", self.out.display()))
    }
}

/// Make records of what another program wrote, or of an export
#[derive(clap::Args)]
#[command(after_help = "Example: alea data import games.jsonl --out runs/imported")]
pub(super) struct Import {
    /// File of JSON lines, or Parquet
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// New directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Form of the file [default: parquet if it is named .parquet, else jsonl]
    #[arg(long)]
    format: Option<Format>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(super) fn run(&self) -> Result<()> {
        let written = match Format::of(self.format, &self.file) {
            Format::Jsonl => json_lines::import::<Standard>(&self.file, &self.out)?,
            Format::Parquet => parquet::import::<Standard>(&self.file, &self.out)?,
        };
        if self.json {
            output::json(&written)
        } else {
            made(&written)
        }
    }
}
