//! The subcommands of `alea`, one module each.

mod analyse;
pub(crate) mod arena;
mod calibrate;
mod cluster;
mod completions;
mod data;
mod engine;
mod evaluate;
mod gate;
mod improve;
pub(crate) mod judge;
mod league;
mod map;
mod models;
mod moves;
mod perft;
mod pipeline;
mod play;
mod probe;
mod regret;
pub(crate) mod report;
pub(crate) mod selfplay;
mod solve;
mod suite;
mod tournament;
pub(crate) mod train;
mod tuples;
mod web;

use anyhow::Result;

/// Declares [`Command`] with a variant for each subcommand, in groups of the help text.
macro_rules! commands {
    ($($group:literal: {
        $($(#[command($($attribute:tt)+)])? $name:ident($file:ident),)+
    })+) => {
        #[derive(clap::Subcommand)]
        pub(crate) enum Command {
            $($($(#[command($($attribute)+)])? $name($file::Arguments),)+)+
        }

        impl Command {
            pub(crate) fn run(&self) -> Result<()> {
                match self {
                    $($(Self::$name(arguments) => arguments.run(),)+)+
                }
            }
        }

        /// Heading of each group and number of its commands, in the order of [`Command`].
        const COMMAND_GROUPS: &[(&str, usize)] = &[
            $(($group, [$(stringify!($name)),+].len())),+
        ];
    };
}

commands! {
    "Play and analyse": {
        Play(play),
        Web(web),
        Analyse(analyse),
        Evaluate(evaluate),
        Moves(moves),
        Judge(judge),
    }
    "Data and training": {
        Pipeline(pipeline),
        Improve(improve),
        #[command(name = "selfplay")]
        SelfPlay(selfplay),
        Data(data),
        Train(train),
        Tuples(tuples),
        Calibrate(calibrate),
    }
    "Comparing": {
        Arena(arena),
        Tournament(tournament),
        League(league),
        Gate(gate),
        Regret(regret),
        Suite(suite),
        Report(report),
    }
    "Other programs": {
        Engine(engine),
        Cluster(cluster),
        Completions(completions),
    }
    "Files and tables": {
        Models(models),
        Map(map),
        Solve(solve),
        Probe(probe),
        Perft(perft),
    }
}

pub(crate) fn group_commands(command: clap::Command) -> clap::Command {
    let heading = *command.get_styles().get_header();
    let name = *command.get_styles().get_literal();
    let mut commands = command.get_subcommands();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for &(group, count) in COMMAND_GROUPS {
        template += &format!("\n{heading}{group}:{heading:#}\n");
        for command in commands.by_ref().take(count) {
            let about = command.get_about().map(ToString::to_string);
            let padded = format!("{:11}", command.get_name());
            template += &format!("  {name}{padded}{name:#}  {}\n", about.unwrap_or_default());
        }
    }
    drop(commands);
    template += &format!("\n{heading}Options:{heading:#}\n{{options}}{{after-help}}");
    command.help_template(template)
}

/// Maximum games of a run, so that the summaries of all games fit into memory.
pub const MAX_GAMES: u64 = 100_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_line_of_help_in_a_group() {
        const WIDTH: usize = 80;
        let command = group_commands(crate::alea_command());
        let help = command.clone().render_help().to_string();
        for command in command.get_subcommands() {
            let line = |line: &&str| line.split_whitespace().next() == Some(command.get_name());
            let line = help.lines().find(line).unwrap();
            assert!(line.len() <= WIDTH && line.len() > 15, "{line}");
        }
        let counted_games: usize = COMMAND_GROUPS.iter().map(|(_, count)| count).sum();
        assert_eq!(counted_games, command.get_subcommands().count());
    }
}
