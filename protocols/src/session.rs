//! A game that is played by lines of text: all that a protocol asks for, whatever the game.
//!
//! Everything goes in and comes out in the project's notation. Invariant: what is refused changes
//! nothing, and says why in one line.

use std::{sync::Arc, time::Duration};

/// Why something was not done, in one line.
pub type Refusal = String;

/// What may be named and spent.
#[derive(Clone)]
pub struct Terms {
    /// A player's notation as it may be asked, or why it may not.
    pub permit: Permit,
    /// The longest search that a line may ask for.
    pub longest: Duration,
    /// Whether a player is kept from one line to the next, with all that it remembers.
    pub keeps_players: bool,
    /// Decides starts, rolls and all random choices of players.
    pub seed: u64,
}

/// See [`Terms::permit`].
pub type Permit = Arc<dyn Fn(&str) -> Result<String, Refusal> + Send + Sync>;

/// Opens a session of the game that a notation names.
pub type Open = Arc<dyn Fn(&str) -> Result<Box<dyn Session>, Refusal> + Send + Sync>;

/// Puts a session of another game in place of one, with a player that was asked for if it plays
/// that; `usual` is who plays where none was.
pub(crate) fn change_game(
    session: &mut Box<dyn Session>,
    usual: &mut String,
    open: &Open,
    game: &str,
) -> Result<(), Refusal> {
    let mut other = open(game)?;
    let player = session.player();
    let unasked = std::mem::replace(usual, other.player());
    if player != unasked {
        // Who does not play that stays behind.
        let _ = other.set_player(&player);
    }
    *session = other;
    Ok(())
}

/// A choice of a player.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    pub mv: String,
    /// Win probability of the seat that makes it, if the player knows one.
    pub value: Option<f32>,
    /// What it cost.
    pub cost: Cost,
}

/// What an answer of a player cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Positions that were looked at.
    pub nodes: u64,
    /// Plies of the last complete iteration; 0 from searches that know no depth.
    pub depth: u32,
    /// Wall time.
    pub time: Duration,
}

/// What a player thinks of the moves of a position.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// All permitted moves, the best first; before a roll every move that some roll permits.
    pub moves: Vec<Rate>,
    /// The line thought best.
    pub line: Vec<String>,
    /// What it cost.
    pub cost: Cost,
    /// Whether the time that was asked for ended the search.
    pub is_timed: bool,
}

/// What a player thinks of a move.
#[derive(Clone, Debug)]
pub struct Rate {
    /// The move.
    pub mv: String,
    /// Win probability of the seat that makes it.
    pub value: Option<f32>,
    /// How often a Monte-Carlo search tried it.
    pub visits: Option<u32>,
    /// Between what the value is proven to lie.
    pub proven: [f32; 2],
    /// The difference that it is proven to end with, in what the game counts.
    pub exact: Option<i32>,
}

/// A game that is under way, between two seats, and the player that is asked about it.
pub trait Session: Send {
    /// The game, with its parameters.
    fn game(&self) -> String;

    /// The parameters of the game, with their values, for help: `variant=classic|nearest`.
    fn parameters(&self) -> &'static str;

    /// The game with a board of another size.
    ///
    /// # Errors
    /// If there is none.
    fn with_size(&self, size: usize) -> Result<String, Refusal>;

    /// Begins a new game.
    fn clear(&mut self);

    /// Draws from another seed from now on.
    fn set_seed(&mut self, seed: u64);

    /// The position in notation, with the die if it has been rolled.
    fn position(&self) -> String;

    /// Begins a game at a position.
    ///
    /// # Errors
    /// If the text is none.
    fn set_position(&mut self, text: &str) -> Result<(), Refusal>;

    /// Goes to the end of a game that is written in the game's first form of whole games.
    ///
    /// # Errors
    /// If there is no such form, or the text holds no game.
    fn set_game(&mut self, text: &str) -> Result<(), Refusal>;

    /// The game so far, in the game's own form if it has one, else as SGF.
    ///
    /// # Errors
    /// If the form cannot hold it.
    fn written(&self) -> Result<String, Refusal>;

    /// The position for people.
    fn board(&self) -> String;

    /// The names of both seats.
    fn titles(&self) -> [&'static str; 2];

    /// Whose turn it is.
    fn to_move(&self) -> usize;

    /// How the game ended: who won, `Some(None)` for a draw; `None` before the end.
    fn winner(&self) -> Option<Option<usize>>;

    /// How many moves the seat to move may still have, for its clock.
    fn moves_left(&self) -> u32;

    /// What is rolled from; `None` without chance.
    fn faces(&self) -> Option<[u8; 2]>;

    /// What was rolled, if the move is still to come.
    fn die(&self) -> Option<u8>;

    /// Says what was rolled.
    ///
    /// # Errors
    /// If nothing can be rolled here, or not that.
    fn set_die(&mut self, face: u8) -> Result<(), Refusal>;

    /// Lets the die lie as it lay before.
    fn restore_die(&mut self, face: Option<u8>);

    /// Rolls.
    ///
    /// # Errors
    /// If nothing can be rolled here, or has been.
    fn roll(&mut self) -> Result<u8, Refusal>;

    /// Plays a move.
    ///
    /// # Errors
    /// If it is not permitted.
    fn play(&mut self, mv: &str) -> Result<(), Refusal>;

    /// Takes the last move back; what was rolled for it is there again.
    fn undo(&mut self) -> bool;

    /// Has the player choose a move, within a time if one is given and the player has a limit. It
    /// is not played.
    ///
    /// # Errors
    /// If no move is to be made, or the player fails.
    fn think(&mut self, time: Option<Duration>) -> Result<Choice, Refusal>;

    /// Has the player rate the moves, as [`Session::think`]; asked again it thinks on.
    ///
    /// # Errors
    /// If the game is over, or the player fails.
    fn rate(&mut self, time: Option<Duration>) -> Result<Rates, Refusal>;

    /// The win probability of the seat to move; after a roll that of its best move.
    ///
    /// # Errors
    /// If the game is over, or the player rates nothing.
    fn value(&mut self) -> Result<f32, Refusal>;

    /// What a search for proofs finds within a time.
    ///
    /// # Errors
    /// If no move is to be made.
    fn prove(&mut self, time: Duration) -> Result<Rates, Refusal>;

    /// The player, in notation.
    fn player(&self) -> String;

    /// Takes another player.
    ///
    /// # Errors
    /// If there is none of that notation, or it may not be asked.
    fn set_player(&mut self, notation: &str) -> Result<(), Refusal>;

    /// The value of an option of the player, if it is given.
    fn option(&self, key: &str) -> Option<String>;

    /// Changes an option of the player; `default` takes it back.
    ///
    /// # Errors
    /// If the player has no such option, or it no such value.
    fn set_option(&mut self, key: &str, value: &str) -> Result<(), Refusal>;

    /// The options that the player knows.
    fn options(&self) -> Vec<String>;

    /// Has moves read and written in the game's other coordinates, or in its usual ones.
    ///
    /// # Errors
    /// If it has no others.
    fn set_grid(&mut self, on: bool) -> Result<(), Refusal>;
}
