//! `alea data`: records looked at, checked, and made into new sets.

mod info;
mod make;
mod relabel;
mod text;

use crate::games::{self, with_type};
use crate::output;
use anyhow::{Error, Result, anyhow, bail};
use clap::Subcommand;
use engine::play::playable::Playable;
use std::path::{Path, PathBuf};
use trainer::data::{Source, output::Written, verify::verify};

/// Game records: count, verify, merge, filter, split, shuffle, sample, relabel, export, import
#[derive(clap::Args)]
#[command(after_help = "Example: alea data info runs/data")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Info(info::Arguments),
    Verify(Verify),
    Merge(make::Merge),
    Filter(make::Filter),
    Sample(make::Sample),
    Shuffle(make::Shuffle),
    Split(make::Split),
    Relabel(relabel::Relabel),
    Export(text::Export),
    Import(text::Import),
}

/// What every command reads.
#[derive(clap::Args)]
struct Records {
    /// Directories of shards, or single shards
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

/// What every command that makes a new set reads, and where it goes.
#[derive(clap::Args)]
struct Remade {
    #[command(flatten)]
    records: Records,
    /// New directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Replay every game against the rules and name every bad record; the exit code is 1 if there is
/// one
#[derive(clap::Args)]
#[command(after_help = "Example: alea data verify runs/data")]
struct Verify {
    #[command(flatten)]
    records: Records,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let command = &self.command;
        with_type!(&command.game(), OneGame => command.run::<OneGame>()).map_err(shown)
    }
}

impl Command {
    /// The game of the records; they say it themselves.
    fn game(&self) -> String {
        let records = match self {
            Self::Info(info::Arguments { records, .. })
            | Self::Verify(Verify { records })
            | Self::Export(text::Export { records, .. }) => records,
            Self::Merge(make::Merge { set, .. })
            | Self::Filter(make::Filter { set, .. })
            | Self::Sample(make::Sample { set, .. })
            | Self::Shuffle(make::Shuffle { set, .. })
            | Self::Split(make::Split { set, .. })
            | Self::Relabel(relabel::Relabel { set, .. }) => &set.records,
            Self::Import(import) => return import.game(),
        };
        games::of_records(&records.paths)
    }

    fn run<G: Playable>(&self) -> Result<()> {
        match self {
            Self::Info(info) => info.run::<G>(),
            Self::Verify(verify) => verify.run::<G>(),
            Self::Merge(merge) => merge.run::<G>(),
            Self::Filter(filter) => filter.run::<G>(),
            Self::Sample(sample) => sample.run::<G>(),
            Self::Shuffle(shuffle) => shuffle.run::<G>(),
            Self::Split(split) => split.run::<G>(),
            Self::Relabel(relabel) => relabel.run::<G>(),
            Self::Export(export) => export.run::<G>(),
            Self::Import(import) => import.run::<G>(),
        }
    }
}

impl Verify {
    fn run<G: Playable>(&self) -> Result<()> {
        let found = verify::<G>(&self.records.paths)?;
        if self.records.json {
            output::json(&found)?;
        } else {
            for problem in &found.problems {
                output::line(&format!("BAD  {problem}"))?;
            }
            let missing = match found.missing {
                0 => String::new(),
                missing => format!("; {missing} shards are yet to be made"),
            };
            output::line(&format!(
                "{} shards, {} games, {} positions replayed{missing}",
                found.shards, found.games, found.positions
            ))?;
        }
        match found.problems.len() {
            0 => Ok(()),
            1 => bail!("1 record is bad"),
            more => bail!("{more} records are bad"),
        }
    }
}

impl Records {
    fn open<G: Playable>(&self) -> Result<Source<G>> {
        Ok(Source::open(&self.paths)?)
    }

    /// Says what was made.
    fn made(&self, written: &[Written], files: &str) -> Result<()> {
        match written {
            _ if !self.json => (written.iter()).try_for_each(|one| output::line(&made(one, files))),
            [one] => output::json(one),
            several => output::json(&several),
        }
    }
}

impl Remade {
    /// Makes a set of the records.
    fn make<G: Playable>(
        &self,
        make: impl FnOnce(&Source<G>, &Path) -> Result<Written, trainer::Error>,
    ) -> Result<()> {
        let written = make(&self.records.open()?, &self.out)?;
        self.records.made(&[written], SHARDS)
    }
}

/// Problems of records that are shown, each in a line.
const MOST_SHOWN: usize = 20;

/// Shows several problems before the error.
fn shown(error: Error) -> Error {
    let Some(trainer::Error::Several(problems)) = error.downcast_ref() else {
        return error;
    };
    for problem in problems.iter().take(MOST_SHOWN) {
        output::note(&format!("BAD  {problem}"));
    }
    if problems.len() > MOST_SHOWN {
        output::note(&format!("BAD  … and {} more", problems.len() - MOST_SHOWN));
    }
    anyhow!("{} problems with the records", problems.len())
}

/// What the files of records are called.
const SHARDS: &str = "shards";

/// What was made, as a person reads it, in `files`.
fn made(written: &Written, files: &str) -> String {
    let Written {
        directory,
        shards,
        games,
        positions,
        values,
        labels,
    } = written;
    let labels = match labels {
        0 => String::new(),
        labels => format!(", {labels} labels"),
    };
    format!(
        "{}: {games} games, {positions} positions, {values} with a value{labels}, in {shards} {files}",
        directory.display()
    )
}
