//! `alea data`: statistics, checks and transformations of game records.

mod derived_sets;
mod import_export;
mod info;
mod relabel;

use crate::games::{self, with_type};
use crate::output;
use anyhow::{Error, Result, anyhow, bail};
use clap::Subcommand;
use engine::{
    core::{record::Ending, text::printable},
    play::playable::Playable,
};
use std::{
    collections::BTreeMap,
    fmt::Display,
    path::{Path, PathBuf},
};
use trainer::data::{ShardReader, shard_writer::WriteSummary, verify::verify};

/// Count, verify, filter, split, convert and label game records
#[derive(clap::Args)]
#[command(after_help = "Example: alea data info runs/data")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Declares [`Command`] from subcommands, with the field that holds the paths of their records.
macro_rules! commands {
    ($($name:ident($arguments:ty): $($paths:ident).+,)+) => {
        #[derive(Subcommand)]
        enum Command {
            $($name($arguments),)+
            Import(import_export::Import),
        }

        impl Command {
            fn game(&self) -> String {
                let paths = match self {
                    $(Self::$name(command) => &command.$($paths).+,)+
                    Self::Import(import) => return import.game(),
                };
                games::game_of_records(paths)
            }

            fn run<G: Playable>(&self) -> Result<()> {
                match self {
                    $(Self::$name(command) => command.run::<G>(),)+
                    Self::Import(import) => import.run::<G>(),
                }
            }
        }
    };
}

commands! {
    Info(info::Arguments): records.paths,
    Verify(Verify): records.paths,
    Merge(derived_sets::Merge): set.records.paths,
    Filter(derived_sets::Filter): set.records.paths,
    Sample(derived_sets::Sample): set.records.paths,
    Shuffle(derived_sets::Shuffle): set.records.paths,
    Split(derived_sets::Split): set.records.paths,
    Relabel(relabel::Relabel): set.records.paths,
    Export(import_export::Export): records.paths,
}

/// Paths of records and the form of output, common to all commands.
#[derive(clap::Args)]
struct Records {
    /// Directories of shards, or single shards
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

/// Source and destination of a command that writes a new set of records.
#[derive(clap::Args)]
struct Rewrite {
    #[command(flatten)]
    records: Records,
    /// New directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Replay every game against the rules and list bad records; the exit code is 1 if there are any
#[derive(clap::Args)]
#[command(after_help = "Example: alea data verify runs/data")]
struct Verify {
    #[command(flatten)]
    records: Records,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let command = &self.command;
        with_type!(&command.game(), OneGame => command.run::<OneGame>()).map_err(report_problems)
    }
}

impl Verify {
    fn run<G: Playable>(&self) -> Result<()> {
        let found = verify::<G>(&self.records.paths)?;
        if self.records.json {
            output::print_json(&found)?;
        } else {
            for problem in &found.problems {
                output::print_line(&format!("BAD  {}", printable(problem)))?;
            }
            let missing = match found.missing {
                0 => String::new(),
                missing => format!("; {missing} shards are yet to be made"),
            };
            output::print_line(&format!(
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
    fn open<G: Playable>(&self) -> Result<ShardReader<G>> {
        Ok(ShardReader::open(&self.paths)?)
    }

    fn print_written(&self, written: &[WriteSummary], files: &str) -> Result<()> {
        match written {
            _ if !self.json => {
                (written.iter()).try_for_each(|one| output::print_line(&format_written(one, files)))
            }
            [one] => output::print_json(one),
            several => output::print_json(&several),
        }
    }
}

impl Rewrite {
    fn make<G: Playable>(
        &self,
        make: impl FnOnce(&ShardReader<G>, &Path) -> Result<WriteSummary, trainer::Error>,
    ) -> Result<()> {
        let written = make(&self.records.open()?, &self.out)?;
        self.records.print_written(&[written], SHARDS_NOUN)
    }
}

const MAX_PROBLEMS: usize = 20;

fn report_problems(error: Error) -> Error {
    let Some(trainer::Error::Several(problems)) = error.downcast_ref() else {
        return error;
    };
    for problem in problems.iter().take(MAX_PROBLEMS) {
        output::note(&format!("BAD  {}", printable(&problem.to_string())));
    }
    if problems.len() > MAX_PROBLEMS {
        output::note(&format!(
            "BAD  … and {} more",
            problems.len() - MAX_PROBLEMS
        ));
    }
    anyhow!("{} problems with the records", problems.len())
}

const SHARDS_NOUN: &str = "shards";

fn format_endings(endings: &BTreeMap<Ending, u64>) -> Option<String> {
    let are_played = endings.keys().all(Ending::is_played);
    (!are_played).then(|| format_counts(endings))
}

fn format_counts<'a>(all: impl IntoIterator<Item = (impl Display, &'a u64)>) -> String {
    let all = all.into_iter().filter(|&(_, &count)| count > 0);
    let all = all.map(|(what, count)| format!("{count} {what}"));
    all.collect::<Vec<_>>().join(", ")
}

fn format_written(written: &WriteSummary, files: &str) -> String {
    let WriteSummary {
        directory,
        shards,
        games,
        duplicates,
        positions,
        values,
        labels,
        endings,
        left_out,
    } = written;
    let duplicates = duplicates.map_or(String::new(), |duplicates| {
        format!(" ({duplicates} of them duplicates up to symmetry)")
    });
    let labels = match labels {
        0 => String::new(),
        labels => format!(", {labels} labels"),
    };
    let endings = format_endings(endings).map_or(String::new(), |counts| format!(" ({counts})"));
    let left_out = match format_counts([
        ("stopped without a result", &left_out.stopped),
        ("damaged", &left_out.damaged),
        ("forfeited", &left_out.forfeited),
    ]) {
        none if none.is_empty() => none,
        some => format!("; left out: {some}"),
    };
    format!(
        "{}: {games} games{endings}{duplicates}, {positions} positions, {values} with a value{labels}, in {shards} {files}{left_out}",
        printable(&directory.display().to_string())
    )
}
