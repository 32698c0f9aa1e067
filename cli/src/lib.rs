//! The command `alea`, and what the program of `benches` shares with it: [`run_program`], output
//! and common options.
//!
//! Exit codes: 0 success, 1 failure (one line on standard error), 2 wrong usage, 129, 130 and 143
//! ended by a signal. Results go to standard output, progress to standard error.

mod commands;
mod display_scale;
mod endgame_tables;
mod fatal;
mod games;
mod gating;
mod improve;
mod interruption_report;
mod other_programs;
pub mod output;
mod own_models;
mod pipeline;
mod position_arguments;
mod record_json;
mod settings;
mod sharding;
#[cfg(unix)]
mod signals;
mod stage_times;

pub use commands::{
    MAX_GAMES,
    arena::{MatchArguments, contestant},
    report::Arguments as ReportArguments,
};
pub use fatal::Allocator;
pub use games::{GameArguments, GameTask, parse_setups};
pub use sharding::ShardArguments;
pub use trainer::progress::progress_bar;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use engine::core::{shipped_files, text};
use std::{path::PathBuf, process::ExitCode};

const VERSION: &str = env!("ALEA_VERSION");
pub(crate) const PROGRAM: &str = concat!("alea ", env!("ALEA_VERSION"));

// No doc comment: clap would show it as the description of every program.
#[derive(Parser)]
#[command(version = VERSION, propagate_version = true, max_term_width = 100)]
struct Arguments<C: Subcommand> {
    /// Worker threads, at most 1024; 0 uses all cores.
    #[arg(long, global = true, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// Directory like the repository, with more models and data; the environment's ALEA_DATA_DIR.
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: C,
}

/// Runs the command `alea`.
#[must_use]
pub fn main() -> ExitCode {
    run_program(alea_command(), commands::Command::run)
}

fn alea_command() -> clap::Command {
    let command = clap_command::<commands::Command>(
        "alea",
        "Learn to play board games: self-play, training, search, and numbers that hold",
    );
    commands::group_commands(command.after_help(
        "Example: alea pipeline --preset quick\n\nEvery command has --help with an example.",
    ))
}

/// Command line with the subcommands `C` and the common options.
#[must_use]
pub fn clap_command<C: Subcommand>(name: &'static str, about: &'static str) -> clap::Command {
    Arguments::<C>::command().name(name).about(about)
}

/// Parses the arguments, prepares the program and calls `run`.
#[must_use]
pub fn run_program<C: Subcommand>(
    definition: clap::Command,
    run: impl FnOnce(&C) -> Result<()>,
) -> ExitCode {
    let arguments = match parse::<C>(definition) {
        Ok(arguments) => arguments,
        Err(exit) => return exit,
    };
    #[cfg(unix)]
    if let Err(error) = fatal::install_hooks().and_then(|()| signals::install_handler()) {
        return output::fail(&anyhow::anyhow!("cannot heed signals: {error}"));
    }
    if let Err(error) = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build_global()
    {
        let count = match arguments.threads {
            0 => "a thread for each core".to_owned(),
            count => format!("{count} threads"),
        };
        // If other threads run out of memory meanwhile, still only one line is printed.
        fatal::exit_with_line(format_args!("cannot start {count}: {error}"));
    }
    endgame_tables::register_tables();
    shipped_files::set_shipped_files(&[alea_models::FILES, alea_data::FILES]);
    let data_directory = std::env::var_os("ALEA_DATA_DIR").map(PathBuf::from);
    if let Some(directory) = arguments.data_dir.or(data_directory) {
        shipped_files::set_data_directory(&directory);
    }
    let [..] = engine::for_games!(crate::games::each_game! OneGame => other_programs::provide::<OneGame>());
    match run(&arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail(&error),
    }
}

fn parse<C: Subcommand>(definition: clap::Command) -> Result<Arguments<C>, ExitCode> {
    const USAGE_EXIT_CODE: u8 = 2;
    // Non-UTF-8 arguments are refused, because paths become part of results and settings.
    let wrong = std::env::args_os().find(|argument| argument.to_str().is_none());
    if let Some(wrong) = wrong {
        let quoted = text::shorten(&wrong.to_string_lossy(), output::MAX_ERROR);
        output::note(&format!("alea: '{quoted}' is no text in UTF-8; rename it"));
        return Err(ExitCode::from(USAGE_EXIT_CODE));
    }
    let arguments = move_positions_last(definition.clone(), std::env::args().collect());
    let matches = definition.try_get_matches_from(arguments);
    let parsed = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let message = error.to_string();
        if message.len() <= 4 * output::MAX_ERROR || !error.use_stderr() {
            error.exit();
        }
        // Clap repeats long values in full.
        output::note(&text::shorten(&message, output::MAX_ERROR));
        ExitCode::from(USAGE_EXIT_CODE)
    })
}

/// Moves positions that begin with '-' behind `--`, except values of options.
fn move_positions_last(mut command: clap::Command, mut arguments: Vec<String>) -> Vec<String> {
    let end = arguments.iter().position(|argument| argument == "--");
    let end = end.unwrap_or(arguments.len());
    if !arguments[..end]
        .iter()
        .any(|argument| is_hyphen_position(argument))
    {
        return arguments;
    }
    let mut rest = arguments.split_off(end);
    command.build();
    let (mut positions, mut is_value) = (vec!["--".to_owned()], false);
    arguments.retain(|argument| {
        let goes = !is_value && is_hyphen_position(argument);
        if goes {
            positions.push(argument.clone());
        } else if !is_value && let Some(inner) = command.find_subcommand(argument) {
            command = inner.clone();
        }
        is_value = !is_value && takes_value(&command, argument);
        !goes
    });
    if positions.len() > 1 {
        rest = rest.split_off(rest.len().min(1));
        arguments.append(&mut positions);
    }
    arguments.append(&mut rest);
    arguments
}

/// Whether `argument` begins with '-' but does not look like an option (`-x`, or a lower-case
/// word).
fn is_hyphen_position(argument: &str) -> bool {
    let name = argument.strip_prefix('-').map(|rest| {
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        rest.split('=').next().unwrap_or_default()
    });
    name.is_some_and(|name| {
        let is_word = name.starts_with(|sign: char| sign.is_ascii_lowercase());
        name.len() > 1 && (!is_word || name.contains(' '))
    })
}

/// Whether `argument` is an option whose value is the next argument.
fn takes_value(command: &clap::Command, argument: &str) -> bool {
    let has_name = |option: &&clap::Arg| {
        let names = option.get_long_and_visible_aliases().unwrap_or_default();
        (argument.strip_prefix("--")).is_some_and(|name| names.contains(&name))
    };
    let option = command.get_arguments().find(has_name);
    option.is_some_and(|option| option.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_begin_with_a_hyphen_are_no_options() {
        let table = [
            ["moves|---X/O--- X|--json", "moves|--json|--|---X/O--- X"],
            ["--threads|2|moves|-X-- O", "--threads|2|moves|--|-X-- O"],
            ["moves|-b0 1/-- 0|--jsn", "moves|--jsn|--|-b0 1/-- 0"],
            ["moves|----|--|-X-- O", "moves|--|----|-X-- O"],
            ["play|--start|---- X|--quiet", "play|--start|---- X|--quiet"],
            ["play|--start|moves|---- X", "play|--start|moves|--|---- X"],
        ];
        let split = |line: &str| line.split('|').map(str::to_owned).collect::<Vec<_>>();
        for [line, expected] in table {
            assert_eq!(
                move_positions_last(alea_command(), split(line)),
                split(expected)
            );
        }
        for line in [
            "moves|-|--json",
            "moves|--jsn=-X -",
            "moves|-x",
            "data|filter|--stones|-6",
            "moves|--|---- X",
        ] {
            assert_eq!(
                move_positions_last(alea_command(), split(line)),
                split(line)
            );
        }
        alea_command().debug_assert();
    }

    #[test]
    fn every_command_and_argument_has_a_help_text() {
        fn check(command: &clap::Command) {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name}");
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{name}: {argument}");
            }
            command.get_subcommands().for_each(check);
        }
        check(&alea_command());
    }
}
