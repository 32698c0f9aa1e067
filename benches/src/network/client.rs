//! A client: one of our players at somebody's server.

use super::{
    connection::{Connection, Deadline},
    follower::{Follower, Task},
    limited::LimitedPlayer,
    message::{Message, Sender},
};
use engine::play::notation::Text;
use serde::Serialize;
use std::{
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};

/// How a client plays.
#[derive(Clone, Debug)]
pub struct GuestOptions {
    /// The number of the group that it tells.
    pub group: u8,
    /// Seed of its random choices.
    pub seed: u64,
    /// How long it waits for a message while others think, and for the connection.
    pub patience: Duration,
}

/// How a game ended for a client, by its own rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// Its player number, from 1.
    pub player: usize,
    /// Its place, from 1; others may still play if it was disqualified.
    pub place: usize,
    /// Stones of all players.
    pub stones: Vec<u16>,
    /// Moves of all players.
    pub moves: usize,
    /// Whether the server disqualified it.
    pub disqualified: bool,
    /// The last position.
    pub position: String,
}

/// Connects to a server.
///
/// # Errors
/// In words, if no address of that name answers.
pub fn connect(host: &str, port: u16, patience: Duration) -> Result<TcpStream, String> {
    let failed = |error: std::io::Error| format!("cannot connect to {host}, port {port}: {error}");
    let mut last = std::io::Error::other("there is no such address");
    for address in (host, port).to_socket_addrs().map_err(failed)? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

/// Plays one game with a player of that notation.
///
/// # Errors
/// In words, if the connection breaks, the server sends what does not fit or nothing for too long,
/// its rules differ from ours, or the player fails.
pub fn play(stream: TcpStream, player: Text<'_>, options: &GuestOptions) -> Result<Played, String> {
    let mut connection = Connection::new(stream, Sender::Server);
    let patience = || Deadline::after(options.patience);
    let from_server = |problem| format!("the server: {problem}");
    let greeting = Message::Group(options.group);
    connection.say(&greeting, patience()).map_err(from_server)?;
    let (mut follower, mut thinking) = (Follower::default(), None);
    loop {
        let message = connection.hear(patience()).map_err(from_server)?;
        let task = follower.hear(&message)?;
        let Some((game, position)) = follower.game() else {
            continue;
        };
        match task {
            Task::Wait => {}
            Task::Answer(limit) => {
                let mut player = match thinking.take() {
                    Some(player) => player,
                    None => LimitedPlayer::new(game, player, options.seed)
                        .map_err(|error| error.to_string())?,
                };
                let decided = player.decide(position, limit);
                let mv = decided.map_err(|problem| format!("our player: {problem}"))?;
                thinking = Some(player);
                let answer = follower.answer(mv);
                connection.say(&answer, patience()).map_err(from_server)?;
            }
            Task::End => {
                let seat = follower.seat().unwrap_or_default();
                let players = 0..game.map().players();
                return Ok(Played {
                    player: seat + 1,
                    place: game.places(position)[seat] + 1,
                    stones: players.map(|seat| position.stones(seat)).collect(),
                    moves: follower.moves(),
                    disqualified: position.is_disqualified(seat),
                    position: game.format_position(position),
                });
            }
        }
    }
}
