//! One file a command.

mod analyse;
pub(crate) mod arena;
mod atlas;
mod bench;
mod calibrate;
#[cfg(unix)]
mod cluster;
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
mod prove;
mod regret;
mod report;
mod reproduce;
pub(crate) mod selfplay;
mod solve;
mod suite;
mod tournament;
pub(crate) mod train;
mod tuples;
mod web;

use anyhow::Result;

/// The commands by their files, each with its `Arguments` and their `run`.
macro_rules! commands {
    ($($(#[cfg($where:meta)])? $(#[command($($said:tt)+)])? $name:ident($file:ident),)+) => {
        #[derive(clap::Subcommand)]
        pub(crate) enum Command {
            $($(#[cfg($where)])? $(#[command($($said)+)])? $name($file::Arguments),)+
        }

        impl Command {
            pub(crate) fn run(&self) -> Result<()> {
                match self {
                    $($(#[cfg($where)])? Self::$name(arguments) => arguments.run(),)+
                }
            }
        }
    };
}

commands! {
    Pipeline(pipeline),
    Improve(improve),
    #[command(name = "selfplay")]
    SelfPlay(selfplay),
    Data(data),
    Train(train),
    Tuples(tuples),
    Arena(arena),
    Tournament(tournament),
    League(league),
    #[command(alias = "setups")]
    Atlas(atlas),
    #[cfg(unix)]
    Cluster(cluster),
    Report(report),
    Reproduce(reproduce),
    Gate(gate),
    Moves(moves),
    Perft(perft),
    Analyse(analyse),
    Evaluate(evaluate),
    Probe(probe),
    Regret(regret),
    Judge(judge),
    Solve(solve),
    Suite(suite),
    Prove(prove),
    Map(map),
    Models(models),
    Engine(engine),
    Web(web),
    Play(play),
    Calibrate(calibrate),
    Bench(bench),
}

/// Most games that one command plays: what is kept of each of them has to fit into memory.
pub(crate) const MOST_GAMES: u64 = 100_000_000;
