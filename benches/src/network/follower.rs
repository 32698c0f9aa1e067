//! What a client knows of the game: it follows the server's messages and holds them against its own
//! rules.
//!
//! Knows nothing of connections and clocks, so that any bytes can be tried on it. Invariant: every
//! message that is accepted brings the game on, so a server that never ends is refused after a
//! number of messages that the map bounds.

use super::{
    found, legal,
    message::{Limit, Message, Placed},
};
use engine::core::game::{Game, Seat};
use engine::games::reversixt::{Move, Phase, Position, ReversiXt, map::Map};
use std::sync::Arc;

/// What is to be done after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Wait for the next one.
    Wait,
    /// Answer with a move within these limits.
    Answer(Limit),
    /// Nothing more: the game is over, or this player is out of it.
    End,
}

/// The state of a client.
#[derive(Default)]
pub struct Follower {
    game: Option<(ReversiXt, Position)>,
    seat: Option<Seat>,
    /// The answer that was not announced yet.
    answered: Option<Move>,
    stones_over: bool,
    moves: usize,
}

impl Follower {
    /// Takes a message.
    ///
    /// # Errors
    /// In words, if the message does not fit here or the server's rules differ from ours.
    pub fn hear(&mut self, message: &Message) -> Result<Task, String> {
        match message {
            Message::Map(_) if self.game.is_some() => {
                return Err("the server sent a second map".to_owned());
            }
            Message::Map(text) => {
                let map = Map::parse(text);
                let map = map.map_err(|error| format!("the server's map, {error}"))?;
                let game = ReversiXt::new(Arc::new(map));
                let start = game.start();
                self.game = Some((game, start));
            }
            Message::Player(_) if self.seat.is_some() => {
                return Err("the server sent a second player number".to_owned());
            }
            Message::Player(player) => self.seat = Some(Seat::from(*player) - 1),
            message => return self.play(message),
        }
        match (&self.game, self.seat) {
            (Some((game, _)), Some(seat)) if seat >= game.map().players() => Err(format!(
                "the server's map has {} players, and this one is player {}",
                game.map().players(),
                seat + 1
            )),
            _ => Ok(Task::Wait),
        }
    }

    fn play(&mut self, message: &Message) -> Result<Task, String> {
        let (Some((game, position)), Some(seat)) = (&mut self.game, self.seat) else {
            let name = message.name();
            return Err(format!(
                "the server sent {name} before the map and a player number"
            ));
        };
        let differ = |position: &Position, what: &str| {
            let text = game.format_position(position);
            Err(format!(
                "the server's rules differ from ours: {what}; {text}"
            ))
        };
        match *message {
            Message::Request(limit) => {
                if self.answered.is_some() {
                    return Err("the server asked again before it announced the answer".to_owned());
                }
                if position.phase() == Phase::Over || position.seat() != seat {
                    return differ(position, "it asks us for a move, and it is not our turn");
                }
                return Ok(Task::Answer(limit));
            }
            Message::Announcement(placed, player) => {
                let Placed { x, y, special } = placed;
                let made = format!("player {player} made the move {x},{y} with {special}");
                let its_turn = position.seat() + 1 == usize::from(player);
                let mv = found(game, position, placed).filter(|_| its_turn);
                let Some(mv) = mv else {
                    return differ(position, &format!("{made}, which is not permitted"));
                };
                if position.seat() == seat && self.answered.take() != Some(mv) {
                    return Err(format!("{made}, which was not our answer"));
                }
                *position = game.play(position, mv);
                self.moves += 1;
            }
            Message::Disqualified(player) => {
                let out = Seat::from(player) - 1;
                if out >= game.map().players() || position.is_disqualified(out) {
                    return Err(format!(
                        "the server disqualified player {player}, who does not play"
                    ));
                }
                *position = game.disqualify(position, out);
                if out == seat {
                    return Ok(Task::End);
                }
            }
            Message::PhaseOver if self.stones_over => {
                return Err("the server ended the first phase twice".to_owned());
            }
            Message::PhaseOver if position.phase() == Phase::Stones => {
                return differ(position, "it ended the first phase");
            }
            Message::PhaseOver => self.stones_over = true,
            Message::GameOver if position.phase() == Phase::Over => return Ok(Task::End),
            Message::GameOver => return differ(position, "it ended the game"),
            _ => return Err(format!("the server sent {}", message.name())),
        }
        Ok(Task::Wait)
    }

    /// The first move that may be played, for whoever has no player.
    #[must_use]
    pub fn any_move(&self) -> Option<Move> {
        let (game, position) = self.game.as_ref()?;
        legal(game, position).first().copied()
    }

    /// The message that answers the request that was just taken.
    pub fn answer(&mut self, mv: Move) -> Message {
        self.answered = Some(mv);
        let width = self.game.as_ref().map_or(1, |(game, _)| game.map().width());
        Message::Answer(Placed::of(mv, width))
    }

    /// The rules and where the game stands, once the map is known.
    #[must_use]
    pub fn game(&self) -> Option<&(ReversiXt, Position)> {
        self.game.as_ref()
    }

    /// The own seat, once it is known.
    #[must_use]
    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// How many moves were announced.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.moves
    }
}
