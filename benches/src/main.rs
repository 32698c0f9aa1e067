//! Runs the studies.

mod commands;

use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: cli::Allocator = cli::Allocator;

#[derive(Subcommand)]
enum Command {
    Accuracy(commands::accuracy::Arguments),
    Reproduce(commands::reproduce::Arguments),
    #[command(name = "atlas")]
    SetupValues(commands::setup_values::Arguments),
    Prove(commands::prove::Arguments),
    Search(commands::search::Arguments),
    Playouts(commands::playouts::Arguments),
    Strength(Box<commands::strength::Arguments>),
    Report(commands::report::PageArguments),
}

impl Command {
    fn run(&self) -> Result<()> {
        match self {
            Self::Accuracy(arguments) => arguments.run(),
            Self::Reproduce(arguments) => arguments.run(),
            Self::SetupValues(arguments) => arguments.run(),
            Self::Prove(arguments) => arguments.run(),
            Self::Search(arguments) => arguments.run(),
            Self::Playouts(arguments) => arguments.run(),
            Self::Strength(arguments) => arguments.run(),
            Self::Report(arguments) => arguments.run(),
        }
    }
}

fn main() -> ExitCode {
    let about = "Compare searches and evaluators with published figures";
    let definition = cli::clap_command::<Command>("benches", about)
        .after_help("Example: cargo run --release -p benches -- reproduce star");
    cli::run_program(definition, Command::run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_well_defined() {
        cli::clap_command::<Command>("benches", "").debug_assert();
    }
}
