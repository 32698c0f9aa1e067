//! `alea network`: games of ReversiXT by the network protocol of the course at RWTH Aachen.

use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use benches::network::{self, GuestOptions, LimitedPlayer, Played, Report, ServerOptions};
use clap::value_parser;
use engine::core::{
    files::read_text,
    random::{SeedSpace, derive_seed},
};
use engine::games::reversixt::ReversiXt;
use engine::play::playable::Playable;
use engine::play::{build::PlayerRecipe, notation::trusted};
use std::{
    net::{IpAddr, Ipv4Addr, TcpListener},
    path::PathBuf,
    time::Duration,
};

/// The port that programs are told unless told otherwise.
const PORT: u16 = 7777;

/// What takes a seat for whoever connects.
const CLIENT: &str = "client";

/// Meet programs of the ReversiXT course at RWTH Aachen over their network protocol
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea network serve --map arena.map --seat client --seat \"star1(depth=3)\" --ms 1000\n         \
                  alea network play --port 7777 --player \"star1(eval=lines)\""
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Serve(Serve),
    Play(Play),
}

/// Rule one game between programs that connect and players of our own
///
/// Who is late, breaks the protocol or the rules, or closes its connection is disqualified; the
/// others play on.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea network serve --map arena.map --seat client --seat \"star1(depth=3)\" --ms 1000"
)]
struct Serve {
    /// The map; without one Reversi's board
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Who plays, once a seat from the first on: a player, or 'client' for whoever connects next;
    /// further seats are for clients
    #[arg(long = "seat", value_name = "PLAYER|client")]
    seats: Vec<String>,
    /// The address to listen at; others than this one can be reached from other machines
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    listen: IpAddr,
    /// The port; 0 lets the system choose
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Milliseconds a move, and 250 more for the way [default: 2000; with --depth none, but a move
    /// takes at most two minutes]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=86_400_000))]
    ms: Option<u32>,
    /// Plies that a move may be thought ahead
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=127))]
    depth: Option<u8>,
    /// Seconds to wait for all to connect
    #[arg(long, default_value_t = 120, value_name = "N", value_parser = value_parser!(u32).range(1..=86_400))]
    wait: u32,
    /// Seed of our own players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

/// Play one game at somebody's server
///
/// Requests for a move come with a time or a depth; the player keeps them, whatever its notation
/// allows besides. Every announced move is held against our own rules; where they differ from the
/// server's the game ends with an error that says in what.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea network play --host 127.0.0.1 --port 7777 --group 3 --player \"star1(eval=lines)\""
)]
struct Play {
    /// The server
    #[arg(long, default_value = "127.0.0.1", value_name = "NAME")]
    host: String,
    /// Its port
    #[arg(long, default_value_t = PORT, value_parser = value_parser!(u16).range(1..))]
    port: u16,
    /// The number of the group to be
    #[arg(long, default_value_t = 1, value_name = "N")]
    group: u8,
    /// Who plays
    #[arg(long, default_value = "star1(eval=lines)", value_name = "PLAYER")]
    player: String,
    /// Seconds to wait for each message while others think
    #[arg(long, default_value_t = 600, value_name = "N", value_parser = value_parser!(u32).range(1..=86_400))]
    wait: u32,
    /// Seed of the player
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        match &self.what {
            What::Serve(serve) => serve.run(),
            What::Play(play) => play.run(),
        }
    }
}

impl Serve {
    fn run(&self) -> Result<()> {
        let game = match &self.map {
            Some(path) => ReversiXt::from_notation(ReversiXt::NAME, Some(&read_text(path)?))
                .map_err(|error| anyhow!("{}: {}", path.display(), error.problem))?,
            None => ReversiXt::from_notation(ReversiXt::NAME, None)?,
        };
        let (seats, players) = (&self.seats, game.map().players());
        if seats.len() > players {
            bail!(
                "the map is for {players} players, and --seat is given {} times",
                seats.len()
            );
        }
        let seats = seats.iter().zip(0..).map(|(seat, number)| {
            let seed = derive_seed(self.seed, SeedSpace::Player, &[number]);
            let own = (seat != CLIENT).then(|| LimitedPlayer::new(&game, trusted(seat), seed));
            own.transpose()
        });
        let seats = seats.collect::<Result<Vec<_>, _>>()?;
        let depth = self.depth.unwrap_or(0);
        let usual = ServerOptions::default();
        let options = ServerOptions {
            milliseconds: match (self.ms, depth) {
                (Some(milliseconds), _) => milliseconds,
                (None, 0) => usual.milliseconds,
                _ => 0,
            },
            depth,
            waiting: Duration::from_secs(self.wait.into()),
            ..usual
        };
        let address = (self.listen, self.port);
        let listener = TcpListener::bind(address)
            .with_context(|| format!("cannot listen at {}, port {}", address.0, address.1))?;
        output::note(&format!("listening at {}", listener.local_addr()?));
        let report = network::serve(&listener, &game, seats, &options, &mut output::note)?;
        output::result(self.json, &report, || table(&report))
    }
}

/// A report as a person reads it, the best first.
fn table(report: &Report) -> String {
    let mut players: Vec<_> = report.players.iter().collect();
    players.sort_by_key(|player| player.place);
    let mut text = format!(
        "{} moves\n\nplace  player  stones  points",
        report.moves.len()
    );
    for one in players {
        text += &format!(
            "\n{:>5}  {:>6}  {:>6}  {:>6}  {}",
            one.place, one.player, one.stones, one.points, one.name
        );
        if let Some(reason) = &one.disqualified {
            text += &format!("; disqualified: {reason}");
        }
    }
    text
}

impl Play {
    fn run(&self) -> Result<()> {
        // What is no player at all is told before the server is bothered.
        let player = trusted(&self.player);
        PlayerRecipe::parse(player, &ReversiXt::from_notation(ReversiXt::NAME, None)?)?;
        let options = GuestOptions {
            group: self.group,
            seed: self.seed,
            patience: Duration::from_secs(self.wait.into()),
        };
        let played = network::connect(&self.host, self.port, options.patience)
            .and_then(|stream| network::play(stream, player, &options))
            .map_err(anyhow::Error::msg)?;
        output::result(self.json, &played, || summary(&played))
    }
}

fn summary(played: &Played) -> String {
    let Played {
        player,
        place,
        moves,
        ..
    } = played;
    let stones: Vec<String> = played.stones.iter().map(u16::to_string).collect();
    let stones = stones.join(", ");
    let end = if played.disqualified {
        "was disqualified".to_owned()
    } else {
        format!("came in at place {place}")
    };
    format!("player {player} {end} after {moves} moves; stones {stones}")
}
