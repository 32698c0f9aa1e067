//! Games of ReversiXT over the network protocol of the course at RWTH Aachen, as server and as
//! client, so that programs that were written there can be met.
//!
//! [`message`] has the table of the protocol. Invariant: whatever the other side sends, or does not
//! send, it is neither trusted with memory nor waited for without end: every message has a limit by
//! its type, every wait a deadline, and every message that is accepted brings the game on. Nothing
//! here starts a thread.

mod client;
mod connection;
mod follower;
mod limited;
pub mod message;
mod server;

pub use client::{GuestOptions, Played, connect, play};
pub use follower::{Follower, Task};
pub use limited::LimitedPlayer;
pub use server::{Report, ServerOptions, Standing, serve};

use engine::core::game::Game;
use engine::games::reversixt::{Move, MoveList, Phase, Position, ReversiXt};

/// What may be played; nothing once the game is over.
fn legal(game: &ReversiXt, position: &Position) -> MoveList {
    let mut moves = MoveList::default();
    if position.phase() != Phase::Over {
        game.moves(position, &mut moves);
    }
    moves
}

/// The move of these co-ordinates, if it may be played.
fn found(game: &ReversiXt, position: &Position, placed: message::Placed) -> Option<Move> {
    let mv = placed.to_move(game.map().width());
    let mv = mv.filter(|mv| mv.cell() < game.map().cells().len())?;
    legal(game, position).contains(&mv).then_some(mv)
}

#[cfg(test)]
mod tests;
