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
mod network;
mod perft;
mod pipeline;
mod play;
mod probe;
mod prove;
#[cfg(unix)]
mod referee;
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

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Pipeline(pipeline::Arguments),
    Improve(improve::Arguments),
    #[command(name = "selfplay")]
    SelfPlay(selfplay::Arguments),
    Data(data::Arguments),
    Train(train::Arguments),
    Tuples(tuples::Arguments),
    Arena(arena::Arguments),
    Tournament(tournament::Arguments),
    League(league::Arguments),
    #[cfg(unix)]
    Referee(referee::Arguments),
    #[command(alias = "setups")]
    Atlas(atlas::Arguments),
    #[cfg(unix)]
    Cluster(cluster::Arguments),
    Report(report::Arguments),
    Reproduce(reproduce::Arguments),
    Gate(gate::Arguments),
    Moves(moves::Arguments),
    Perft(perft::Arguments),
    Analyse(analyse::Arguments),
    Evaluate(evaluate::Arguments),
    Probe(probe::Arguments),
    Regret(regret::Arguments),
    Judge(judge::Arguments),
    Solve(solve::Arguments),
    Suite(suite::Arguments),
    Prove(prove::Arguments),
    Map(map::Arguments),
    Models(models::Arguments),
    Network(network::Arguments),
    Engine(engine::Arguments),
    Web(web::Arguments),
    Play(play::Arguments),
    Calibrate(calibrate::Arguments),
    Bench(bench::Arguments),
}

impl Command {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Pipeline(arguments) => arguments.run(),
            Self::Improve(arguments) => arguments.run(),
            Self::SelfPlay(arguments) => arguments.run(),
            Self::Data(arguments) => arguments.run(),
            Self::Train(arguments) => arguments.run(),
            Self::Tuples(arguments) => arguments.run(),
            Self::Arena(arguments) => arguments.run(),
            Self::Tournament(arguments) => arguments.run(),
            Self::League(arguments) => arguments.run(),
            #[cfg(unix)]
            Self::Referee(arguments) => arguments.run(),
            Self::Atlas(arguments) => arguments.run(),
            #[cfg(unix)]
            Self::Cluster(arguments) => arguments.run(),
            Self::Report(arguments) => arguments.run(),
            Self::Reproduce(arguments) => arguments.run(),
            Self::Gate(arguments) => arguments.run(),
            Self::Moves(arguments) => arguments.run(),
            Self::Perft(arguments) => arguments.run(),
            Self::Analyse(arguments) => arguments.run(),
            Self::Evaluate(arguments) => arguments.run(),
            Self::Probe(arguments) => arguments.run(),
            Self::Regret(arguments) => arguments.run(),
            Self::Judge(arguments) => arguments.run(),
            Self::Solve(arguments) => arguments.run(),
            Self::Suite(arguments) => arguments.run(),
            Self::Prove(arguments) => arguments.run(),
            Self::Map(arguments) => arguments.run(),
            Self::Models(arguments) => arguments.run(),
            Self::Network(arguments) => arguments.run(),
            Self::Engine(arguments) => arguments.run(),
            Self::Web(arguments) => arguments.run(),
            Self::Play(arguments) => arguments.run(),
            Self::Calibrate(arguments) => arguments.run(),
            Self::Bench(arguments) => arguments.run(),
        }
    }
}

/// Most games that one command plays: what is kept of each of them has to fit into memory.
pub(crate) const MOST_GAMES: u64 = 100_000_000;
