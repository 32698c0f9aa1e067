//! The command `alea`: arguments → engine, trainer, benches.
//!
//! This is the one place that decides exit codes: 0 done, 1 failed (one line on standard error says
//! why), 2 wrong usage, 129, 130 and 143 ended by a signal (`signals.rs`). Results go to standard
//! output, progress to standard error.

mod commands;
mod games;
mod gating;
mod improve;
mod output;
mod pipeline;
mod positions;
mod recorded;
mod settings;
mod shard;
#[cfg(unix)]
mod signals;
mod stages;
mod tables;

use clap::Parser;
use engine::core::text;
use std::process::ExitCode;

/// burn maps and unmaps every large tensor under the system allocator; this one trains twice as
/// fast (measured).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Learn to play board games: self-play, training, search, and numbers that hold.
#[derive(Parser)]
#[command(name = "alea", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Example: alea pipeline --preset quick\n\nEvery command has --help with an example."
)]
struct Alea {
    /// Worker threads, at most 1024; 0 uses all cores.
    // More threads than that are a slip, and asking the system for millions of them takes it down.
    #[arg(long, global = true, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let alea = match parse() {
        Ok(alea) => alea,
        Err(exit) => return exit,
    };
    #[cfg(unix)]
    if let Err(error) = signals::heed() {
        return output::fail(&anyhow::anyhow!("cannot heed signals: {error}"));
    }
    if let Err(error) = rayon::ThreadPoolBuilder::new()
        .num_threads(alea.threads.into())
        .build_global()
    {
        return output::fail(&anyhow::anyhow!(
            "cannot start {} threads: {error}",
            alea.threads
        ));
    }
    tables::provide();
    // Another program may play every game.
    #[cfg(unix)]
    let [..] =
        games::for_games!(each_game OneGame => benches::external::provide_external::<OneGame>());
    match alea.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail(&error),
    }
}

/// The arguments; or, after their problem was told, the exit code of wrong usage.
fn parse() -> Result<Alea, ExitCode> {
    const USAGE: u8 = 2;
    // Names of files stand in results and settings, which are text.
    let wrong = std::env::args_os().find(|argument| argument.to_str().is_none());
    if let Some(wrong) = wrong {
        let shown = text::shortened(&wrong.to_string_lossy(), output::MOST_OF_ERROR);
        output::note(&format!("alea: '{shown}' is no text in UTF-8; rename it"));
        return Err(ExitCode::from(USAGE));
    }
    Alea::try_parse().map_err(|error| {
        let said = error.to_string();
        if said.len() <= 4 * output::MOST_OF_ERROR || !error.use_stderr() {
            error.exit();
        }
        // A value that is too long to be repeated.
        output::note(&text::shortened(&said, output::MOST_OF_ERROR));
        ExitCode::from(USAGE)
    })
}
