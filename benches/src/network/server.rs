//! A server: it rules a game between programs that connect and players of our own.
//!
//! Whoever breaks the protocol, the rules or the clock is disqualified, for a reason that the report
//! has; the others play on. Invariants: all are told the same in the same order, except what cannot
//! be told to whoever is out; and the game ends whatever clients do, because each is waited for with
//! a deadline, a move at a time. Only players of our own without a limit may take as long as they
//! like. Everything happens on the caller's thread.

use super::{
    connection::{Connection, Deadline},
    found,
    limited::LimitedPlayer,
    message::{Limit, Message, Placed, Sender},
};
use engine::core::game::{Game, Seat};
use engine::games::reversixt::{Move, Phase, Position, ReversiXt};
use serde::Serialize;
use std::{
    io::{self, ErrorKind},
    net::{SocketAddr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

/// How often the server looks whether somebody has connected.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// How a game is ruled.
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// Milliseconds a move; 0 asks for none.
    pub milliseconds: u32,
    /// Plies a move may be thought ahead; 0 asks for none.
    pub depth: u8,
    /// How long a move may take where no time is asked for.
    pub most: Duration,
    /// What a move may take beyond its time, for the way. Also how long a client may leave unread
    /// what it is told.
    pub tolerance: Duration,
    /// How long a client may take to say who it is.
    pub greeting: Duration,
    /// How long is waited for all to connect.
    pub waiting: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            milliseconds: 2000,
            depth: 0,
            most: Duration::from_secs(120),
            tolerance: Duration::from_millis(250),
            greeting: Duration::from_secs(5),
            waiting: Duration::from_secs(120),
        }
    }
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The players, in the order of their numbers.
    pub players: Vec<Standing>,
    /// The moves: the player's number and, after a colon, the move.
    pub moves: Vec<String>,
    /// The last position.
    pub position: String,
}

/// How a player did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Its number, from 1.
    pub player: usize,
    /// A notation, or the group and address of a client.
    pub name: String,
    /// Its place, from 1; those with equally many stones share the better one.
    pub place: usize,
    /// Its stones.
    pub stones: u16,
    /// The points of its place, none if it was disqualified.
    pub points: u32,
    /// Why it was disqualified, if it was.
    pub disqualified: Option<String>,
}

enum Who {
    Own(LimitedPlayer),
    Client(Connection),
    /// Whoever is not spoken to any more.
    Nobody,
}

struct Chair {
    name: String,
    who: Who,
    disqualified: Option<String>,
}

struct Table<'a> {
    game: &'a ReversiXt,
    options: &'a ServerOptions,
    position: Position,
    chairs: Vec<Chair>,
    /// Who is to be disqualified as soon as all were told what is being told.
    failed: Vec<(Seat, String)>,
    moves: Vec<String>,
    tell: &'a mut dyn FnMut(&str),
}

/// Rules one game. `seats` holds, in order, players of our own, or `None` for clients, who take
/// these and all further seats as they connect. `tell` hears what happens, a line each.
///
/// # Errors
/// If the listener fails, or, as [`ErrorKind::TimedOut`], if not all seats were taken in time.
pub fn serve(
    listener: &TcpListener,
    game: &ReversiXt,
    seats: Vec<Option<LimitedPlayer>>,
    options: &ServerOptions,
    tell: &mut dyn FnMut(&str),
) -> io::Result<Report> {
    let mut table = Table {
        game,
        options,
        position: game.start(),
        chairs: Vec::new(),
        failed: Vec::new(),
        moves: Vec::new(),
        tell,
    };
    table.seat(listener, seats)?;
    table.play();
    Ok(table.report())
}

impl Table<'_> {
    fn seat(
        &mut self,
        listener: &TcpListener,
        seats: Vec<Option<LimitedPlayer>>,
    ) -> io::Result<()> {
        let until = Instant::now() + self.options.waiting;
        listener.set_nonblocking(true)?;
        let mut seats = seats.into_iter();
        for seat in 0..self.game.map().players() {
            let (name, who) = match seats.next().flatten() {
                Some(own) => (own.name(), Who::Own(own)),
                None => {
                    let (stream, address) = self.accept(listener, seat, until)?;
                    let mut connection = Connection::new(stream, Sender::Client);
                    let greeting = connection.hear(Deadline::after(self.options.greeting));
                    let group = greeting.and_then(|message| match message {
                        Message::Group(group) => Ok(group),
                        other => Err(format!("began with {}", other.name())),
                    });
                    let name = match group {
                        Ok(group) => format!("group {group} at {address}"),
                        Err(reason) => {
                            self.failed.push((seat, reason));
                            address.to_string()
                        }
                    };
                    (name, Who::Client(connection))
                }
            };
            (self.tell)(&format!("player {}: {name}", seat + 1));
            self.chairs.push(Chair {
                name,
                who,
                disqualified: None,
            });
        }
        Ok(())
    }

    fn accept(
        &self,
        listener: &TcpListener,
        seat: Seat,
        until: Instant,
    ) -> io::Result<(TcpStream, SocketAddr)> {
        use ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
        loop {
            match listener.accept() {
                Err(error) if [WouldBlock, Interrupted].contains(&error.kind()) => {}
                // Whoever hangs up before it is looked at has not come.
                Err(error) if error.kind() == ConnectionAborted => {}
                accepted => return accepted,
            }
            if Instant::now() >= until {
                let (player, waited) = (seat + 1, self.options.waiting.as_secs());
                let problem = format!("nobody has connected as player {player} within {waited} s");
                return Err(io::Error::new(ErrorKind::TimedOut, problem));
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    fn play(&mut self) {
        let map = Message::Map(self.game.map().to_string());
        for seat in 0..self.chairs.len() {
            self.say(seat, &map);
            self.say(seat, &Message::Player(seat as u8 + 1));
        }
        self.disqualify();
        let mut phase = Phase::Stones;
        loop {
            // Once the game is over nobody has to stay.
            if self.position.phase() != Phase::Over {
                self.listen();
                self.disqualify();
            }
            if phase == Phase::Stones && self.position.phase() != Phase::Stones {
                self.say_all(&Message::PhaseOver);
            }
            phase = self.position.phase();
            if phase == Phase::Over {
                break;
            }
            let seat = self.position.seat();
            match self.ask(seat) {
                Ok(mv) => {
                    let made = format!("{}: {}", seat + 1, self.game.format_move(mv));
                    (self.tell)(&made);
                    self.moves.push(made);
                    self.position = self.game.play(&self.position, mv);
                    let placed = Placed::of(mv, self.game.map().width());
                    self.say_all(&Message::Announcement(placed, seat as u8 + 1));
                }
                Err(reason) => self.failed.push((seat, reason)),
            }
        }
        self.say_all(&Message::GameOver);
    }

    /// Finds those who spoke without being asked, and those who are gone.
    fn listen(&mut self) {
        for (seat, chair) in self.chairs.iter_mut().enumerate() {
            if let Who::Client(connection) = &mut chair.who
                && let Err(reason) = connection.hear_nothing()
            {
                self.failed.push((seat, reason));
            }
        }
    }

    /// Disqualifies all who failed, and those who fail to hear of it.
    fn disqualify(&mut self) {
        while !self.failed.is_empty() {
            let (seat, reason) = self.failed.remove(0);
            if self.chairs[seat].disqualified.is_some() {
                continue;
            }
            (self.tell)(&format!("player {} is disqualified: {reason}", seat + 1));
            self.chairs[seat].disqualified = Some(reason);
            self.position = self.game.disqualify(&self.position, seat);
            self.say_all(&Message::Disqualified(seat as u8 + 1));
            self.chairs[seat].who = Who::Nobody;
        }
    }

    fn say_all(&mut self, message: &Message) {
        (0..self.chairs.len()).for_each(|seat| self.say(seat, message));
    }

    fn say(&mut self, seat: Seat, message: &Message) {
        if let Who::Client(connection) = &mut self.chairs[seat].who
            && let Err(reason) = connection.say(message, Deadline::after(self.options.tolerance))
        {
            self.chairs[seat].who = Who::Nobody;
            self.failed.push((seat, reason));
        }
    }

    /// The move of a seat, or why it makes none.
    fn ask(&mut self, seat: Seat) -> Result<Move, String> {
        let (options, position) = (self.options, &self.position);
        let limit: Limit = (options.milliseconds, options.depth);
        let time = match options.milliseconds {
            0 => options.most,
            milliseconds => Duration::from_millis(milliseconds.into()),
        };
        let deadline = Deadline::after(time + options.tolerance);
        match &mut self.chairs[seat].who {
            Who::Own(player) => {
                let mv = player.decide(position, limit)?;
                deadline.left("no move").map(|_| mv)
            }
            Who::Client(connection) => {
                connection.say(&Message::Request(limit), deadline)?;
                let answer = connection.hear(deadline)?;
                let Message::Answer(placed) = answer else {
                    return Err(format!("answered with {}", answer.name()));
                };
                found(self.game, position, placed).ok_or_else(|| {
                    let Placed { x, y, special } = placed;
                    format!("made the move {x},{y} with {special}, which is not permitted")
                })
            }
            Who::Nobody => Err("is gone".to_owned()),
        }
    }

    fn report(self) -> Report {
        let places = self.game.places(&self.position);
        let points = self.game.points(&self.position);
        let chairs = self.chairs.into_iter().enumerate();
        let standing = |(seat, chair): (Seat, Chair)| Standing {
            player: seat + 1,
            name: chair.name,
            place: places[seat] + 1,
            stones: self.position.stones(seat),
            points: points[seat],
            disqualified: chair.disqualified,
        };
        Report {
            players: chairs.map(standing).collect(),
            moves: self.moves,
            position: self.game.format_position(&self.position),
        }
    }
}
