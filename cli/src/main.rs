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
mod settings;
#[cfg(unix)]
mod signals;
mod stages;
mod tables;

use clap::{Parser, Subcommand};
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
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Pipeline(commands::pipeline::Arguments),
    Improve(commands::improve::Arguments),
    #[command(name = "selfplay")]
    SelfPlay(commands::selfplay::Arguments),
    Data(commands::data::Arguments),
    Train(commands::train::Arguments),
    Tuples(commands::tuples::Arguments),
    Arena(commands::arena::Arguments),
    Tournament(commands::tournament::Arguments),
    Setups(commands::setups::Arguments),
    Report(commands::report::Arguments),
    Reproduce(commands::reproduce::Arguments),
    Gate(commands::gate::Arguments),
    Moves(commands::moves::Arguments),
    Perft(commands::perft::Arguments),
    Analyse(commands::analyse::Arguments),
    Evaluate(commands::evaluate::Arguments),
    Probe(commands::probe::Arguments),
    Regret(commands::regret::Arguments),
    Solve(commands::solve::Arguments),
    Prove(commands::prove::Arguments),
    Map(commands::map::Arguments),
    Models(commands::models::Arguments),
    Network(commands::network::Arguments),
    Calibrate(commands::calibrate::Arguments),
    Bench(commands::bench::Arguments),
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
    let done = match alea.command {
        Command::Pipeline(arguments) => commands::pipeline::run(&arguments),
        Command::Improve(arguments) => commands::improve::run(&arguments),
        Command::SelfPlay(arguments) => commands::selfplay::run(&arguments),
        Command::Data(arguments) => commands::data::run(&arguments),
        Command::Train(arguments) => commands::train::run(&arguments),
        Command::Tuples(arguments) => commands::tuples::run(&arguments),
        Command::Arena(arguments) => commands::arena::run(&arguments),
        Command::Tournament(arguments) => commands::tournament::run(&arguments),
        Command::Setups(arguments) => commands::setups::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Gate(arguments) => commands::gate::run(&arguments),
        Command::Perft(arguments) => commands::perft::run(&arguments),
        Command::Moves(arguments) => commands::moves::run(&arguments),
        Command::Analyse(arguments) => commands::analyse::run(&arguments),
        Command::Evaluate(arguments) => commands::evaluate::run(&arguments),
        Command::Probe(arguments) => commands::probe::run(&arguments),
        Command::Regret(arguments) => commands::regret::run(&arguments),
        Command::Solve(arguments) => commands::solve::run(&arguments),
        Command::Prove(arguments) => commands::prove::run(&arguments),
        Command::Map(arguments) => commands::map::run(&arguments),
        Command::Models(arguments) => commands::models::run(&arguments),
        Command::Network(arguments) => commands::network::run(&arguments),
        Command::Calibrate(arguments) => commands::calibrate::run(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments),
    };
    done.unwrap_or_else(|error| output::fail(&error))
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
