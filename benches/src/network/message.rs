//! The messages of the protocol, and from bytes to messages.
//!
//! A type of 8 bits, the length of the content in 32, the content; all numbers big-endian.
//!
//! | type | from | content |
//! |---|---|---|
//! | 1 | client | the group's number (8 bits); the first message |
//! | 2 | server | the text of the map |
//! | 3 | server | the client's player number (8), from 1 |
//! | 4 | server | a request for a move: milliseconds (32) and depth (8), each 0 for no limit |
//! | 5 | client | the answer: x (16), y (16), special (8): 0, the player 1–8 of a choice, 20 for a bomb, 21 for an override stone |
//! | 6 | server | a move of anybody's: as in the answer, and the player (8) |
//! | 7 | server | a player (8) that is disqualified |
//! | 8 | server | the end of the first phase: nothing |
//! | 9 | server | the end of the game: nothing |
//!
//! Source: programs of the course (Softwarepraktikum 2016). Invariant: a message that its sender
//! never sends, or of a length that its type never has, is refused from its first five bytes, before
//! any of its content is kept.

use engine::games::reversixt::{
    Move,
    map::{DIRECTIONS, LARGEST},
};
use std::ops::RangeInclusive;

/// Bytes of type and length.
const HEADER: usize = 5;

/// Bytes of the longest text of a map: cells with what separates them, transitions at every second
/// side of a cell, and the first lines.
pub const LONGEST_MAP: usize = 64
    + LARGEST * (2 * LARGEST + 1)
    + LARGEST * LARGEST * DIRECTIONS / 2 * "49 49 7 <-> 49 49 7\r\n".len();

/// The limits of a move: milliseconds and plies, each 0 for none.
pub type Limit = (u32, u8);

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// Who plays.
    Client,
    /// Who rules.
    Server,
}

/// A move as messages write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Column, from 0.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
    /// What goes with it, as [`Move::special`].
    pub special: u8,
}

impl Placed {
    /// A move on a map so wide.
    #[must_use]
    pub fn of(mv: Move, width: usize) -> Self {
        Self {
            x: (mv.cell() % width) as u16,
            y: (mv.cell() / width) as u16,
            special: mv.special(),
        }
    }

    /// The move on a map so wide; `None` outside of the largest map.
    #[must_use]
    pub fn to_move(self, width: usize) -> Option<Move> {
        let (x, y) = (usize::from(self.x), usize::from(self.y));
        (x < width && y < LARGEST).then(|| Move::new(y * width + x, self.special))
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let special = bytes[4];
        let known = special <= 8 || [Move::BOMB, Move::OVERRIDE].contains(&special);
        known.then_some(()).ok_or_else(|| {
            format!("a move with {special}, which is neither 0 to 8 nor 20 nor 21")
        })?;
        Ok(Self {
            x: u16::from_be_bytes([bytes[0], bytes[1]]),
            y: u16::from_be_bytes([bytes[2], bytes[3]]),
            special,
        })
    }

    fn bytes(self) -> [u8; 5] {
        let ([x0, x1], [y0, y1]) = (self.x.to_be_bytes(), self.y.to_be_bytes());
        [x0, x1, y0, y1, self.special]
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The number of a group.
    Group(u8),
    /// The text of a map.
    Map(String),
    /// The client's player number, from 1.
    Player(u8),
    /// A request for a move.
    Request(Limit),
    /// The client's move.
    Answer(Placed),
    /// The move of a player, from 1.
    Announcement(Placed, u8),
    /// A player, from 1, that plays no more.
    Disqualified(u8),
    /// No more stones are laid.
    PhaseOver,
    /// The game is over.
    GameOver,
}

impl Message {
    /// The bytes of the message.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let (kind, content): (u8, Vec<u8>) = match self {
            Self::Group(number) => (1, vec![*number]),
            Self::Map(text) => (2, text.clone().into_bytes()),
            Self::Player(player) => (3, vec![*player]),
            Self::Request((milliseconds, depth)) => {
                (4, [&milliseconds.to_be_bytes()[..], &[*depth]].concat())
            }
            Self::Answer(placed) => (5, placed.bytes().to_vec()),
            Self::Announcement(placed, player) => (6, [&placed.bytes()[..], &[*player]].concat()),
            Self::Disqualified(player) => (7, vec![*player]),
            Self::PhaseOver => (8, Vec::new()),
            Self::GameOver => (9, Vec::new()),
        };
        [&[kind][..], &(content.len() as u32).to_be_bytes(), &content].concat()
    }

    /// What a type is called, who sends it, and how long its content may be.
    fn kind(kind: u8) -> Option<(&'static str, Sender, RangeInclusive<usize>)> {
        use Sender::{Client, Server};
        Some(match kind {
            1 => ("a group number", Client, 1..=1),
            2 => ("a map", Server, 1..=LONGEST_MAP),
            3 => ("a player number", Server, 1..=1),
            4 => ("a request", Server, 5..=5),
            5 => ("an answer", Client, 5..=5),
            6 => ("an announced move", Server, 6..=6),
            7 => ("a disqualification", Server, 1..=1),
            8 => ("the end of the first phase", Server, 0..=0),
            9 => ("the end of the game", Server, 0..=0),
            _ => return None,
        })
    }

    /// What kind of message it is, in words.
    #[must_use]
    pub fn name(&self) -> &'static str {
        Self::kind(self.bytes()[0]).map_or("", |(name, ..)| name)
    }

    /// A message of a known type whose content has a length that its type permits.
    fn read(kind: u8, content: &[u8]) -> Result<Self, String> {
        let player = |number: u8| {
            let known = (1..=8).contains(&number);
            known
                .then_some(number)
                .ok_or_else(|| format!("player {number}, which is not from 1 to 8"))
        };
        Ok(match kind {
            1 => Self::Group(content[0]),
            2 => {
                let text = String::from_utf8(content.to_vec());
                Self::Map(text.map_err(|_| "a map that is no text in UTF-8".to_owned())?)
            }
            3 => Self::Player(player(content[0])?),
            4 => Self::Request((
                u32::from_be_bytes([content[0], content[1], content[2], content[3]]),
                content[4],
            )),
            5 => Self::Answer(Placed::read(content)?),
            6 => Self::Announcement(Placed::read(content)?, player(content[5])?),
            7 => Self::Disqualified(player(content[0])?),
            8 => Self::PhaseOver,
            _ => Self::GameOver,
        })
    }
}

/// What came from one sender and was not yet looked at.
#[derive(Debug)]
pub struct Inbox {
    sender: Sender,
    bytes: Vec<u8>,
}

impl Inbox {
    /// Nothing has come yet.
    #[must_use]
    pub fn new(sender: Sender) -> Self {
        let bytes = Vec::new();
        Self { sender, bytes }
    }

    /// What came now.
    pub fn more(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Whether all that came was taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes the first message, if it is there as a whole.
    ///
    /// # Errors
    /// In words, if what is there is none that the sender may send. Nothing can be taken any more
    /// then: where the next message would begin is not known.
    pub fn take(&mut self) -> Result<Option<Message>, String> {
        let Some((&[kind, a, b, c, d], content)) = self.bytes.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let (name, sender, lengths) = Message::kind(kind)
            .ok_or_else(|| format!("a message of type {kind}, which there is not"))?;
        if sender != self.sender {
            return Err(format!("{name}, which only the other side sends"));
        }
        if !lengths.contains(&length) {
            let most = lengths.end();
            return Err(format!("{name} of {length} bytes instead of {most}"));
        }
        let Some(content) = content.get(..length) else {
            return Ok(None);
        };
        let message = Message::read(kind, content)?;
        self.bytes.drain(..HEADER + length);
        Ok(Some(message))
    }
}
