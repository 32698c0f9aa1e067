//! `alea data`: records looked at, checked, and made into new sets.

mod info;
mod make;
mod relabel;
mod text;

use crate::output;
use anyhow::{Result, bail};
use clap::Subcommand;
use engine::games::einstein::Standard;
use std::path::PathBuf;
use std::process::ExitCode;
use trainer::data::Source;
use trainer::data::output::Written;
use trainer::data::verify::verify;

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

/// Replay every game against the rules and name every bad record; the exit code is 1 if there is
/// one
#[derive(clap::Args)]
#[command(after_help = "Example: alea data verify runs/data")]
struct Verify {
    #[command(flatten)]
    records: Records,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Command::Info(arguments) => info::run(arguments)?,
        Command::Verify(arguments) => run_verify(&arguments.records)?,
        Command::Merge(arguments) => arguments.run()?,
        Command::Filter(arguments) => arguments.run()?,
        Command::Sample(arguments) => arguments.run()?,
        Command::Shuffle(arguments) => arguments.run()?,
        Command::Split(arguments) => arguments.run()?,
        Command::Relabel(arguments) => arguments.run()?,
        Command::Export(arguments) => arguments.run()?,
        Command::Import(arguments) => arguments.run()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn run_verify(records: &Records) -> Result<()> {
    let found = verify::<Standard>(&records.paths)?;
    if records.json {
        output::json(&found)?;
    } else {
        for problem in &found.problems {
            output::line(&format!("BAD  {problem}"))?;
        }
        let missing = if found.missing > 0 {
            format!("; {} shards are yet to be made", found.missing)
        } else {
            String::new()
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

impl Records {
    fn open(&self) -> Result<Source<Standard>> {
        Ok(Source::open(&self.paths)?)
    }

    /// Says what was made.
    fn made(&self, written: &[Written]) -> Result<()> {
        if self.json {
            return if let [one] = written {
                output::json(one)
            } else {
                output::json(&written)
            };
        }
        written.iter().try_for_each(made)
    }
}

fn made(written: &Written) -> Result<()> {
    let Written {
        directory,
        shards,
        games,
        positions,
        values,
        labels,
    } = written;
    let labels = if *labels > 0 {
        format!(", {labels} labels")
    } else {
        String::new()
    };
    output::line(&format!(
        "{}: {games} games, {positions} positions, {values} with a value{labels}, in {shards} shards",
        directory.display()
    ))
}
