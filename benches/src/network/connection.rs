//! A connection over which messages come and go, none later than its deadline.
//!
//! Invariant: however slowly the other side reads or writes, byte by byte or not at all, a call
//! returns by its deadline; and no more is kept of what came than one message and one piece.

use super::message::{Inbox, Message, Sender};
pub(super) use crate::deadline::Deadline;
use std::{
    io::{self, ErrorKind, Read, Write},
    net::TcpStream,
};

/// Bytes that are read at once.
const PIECE: usize = 4096;

pub(super) struct Connection {
    stream: TcpStream,
    inbox: Inbox,
}

fn waits(error: &io::Error) -> bool {
    // A time limit that has passed is the one or the other by system.
    let waiting = [ErrorKind::WouldBlock, ErrorKind::TimedOut];
    waiting.contains(&error.kind()) || error.kind() == ErrorKind::Interrupted
}

fn lost(error: io::Error) -> String {
    format!("the connection is lost: {error}")
}

impl Connection {
    /// A connection to a sender. If it is lost already, that is found when it is used.
    pub(super) fn new(stream: TcpStream, sender: Sender) -> Self {
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_nodelay(true);
        let inbox = Inbox::new(sender);
        Self { stream, inbox }
    }

    /// Sends a message.
    pub(super) fn say(&mut self, message: &Message, deadline: Deadline) -> Result<(), String> {
        let bytes = message.bytes();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let left = deadline.left("read nothing")?;
            let limited = self.stream.set_write_timeout(Some(left));
            match limited.and_then(|()| self.stream.write(rest)) {
                Ok(written) => rest = &rest[written..],
                Err(error) if waits(&error) => {}
                Err(error) => return Err(lost(error)),
            }
        }
        Ok(())
    }

    /// Waits for the next message.
    pub(super) fn hear(&mut self, deadline: Deadline) -> Result<Message, String> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(message);
            }
            let missed = if self.inbox.is_empty() {
                "no message"
            } else {
                "only a part of a message"
            };
            let left = deadline.left(missed)?;
            self.stream.set_read_timeout(Some(left)).map_err(lost)?;
            self.read()?;
        }
    }

    /// Makes sure, without waiting, that nothing has come and that the other side is still there.
    pub(super) fn hear_nothing(&mut self) -> Result<(), String> {
        let tried = self.stream.set_nonblocking(true);
        let read = tried.map_err(lost).and_then(|()| self.read());
        self.stream.set_nonblocking(false).map_err(lost)?;
        read?;
        match self.take()? {
            None if self.inbox.is_empty() => Ok(()),
            None => Err("the beginning of a message without being asked".to_owned()),
            Some(message) => Err(format!("{} without being asked", message.name())),
        }
    }

    fn take(&mut self) -> Result<Option<Message>, String> {
        self.inbox
            .take()
            .map_err(|problem| format!("sent {problem}"))
    }

    /// Reads what is there, once.
    fn read(&mut self) -> Result<(), String> {
        let mut piece = [0; PIECE];
        match self.stream.read(&mut piece) {
            Ok(0) if self.inbox.is_empty() => Err("closed the connection".to_owned()),
            Ok(0) => Err("closed the connection within a message".to_owned()),
            Ok(length) => {
                self.inbox.more(&piece[..length]);
                Ok(())
            }
            Err(error) if waits(&error) => Ok(()),
            Err(error) => Err(lost(error)),
        }
    }
}
