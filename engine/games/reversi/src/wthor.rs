//! Games of Othello in a file of the WTHOR archive (`.wtb`) of the Fédération Française d'Othello.
//!
//! Numbers are little-endian. The header has 16 bytes: date (4), number of games (4), two numbers
//! of other files (4), year (2), size of the board (1, 0 is 8), three more. A game has 68 bytes:
//! tournament, Black and White (2 each, indices in other files), Black's discs at the end (1) and
//! with best play (1), and 60 moves, 10 · row + column, 0 after the end. Passes are not stored.

use super::{
    Reversi,
    transcript_formats::{GameReader, ParsedGame},
};
use alea_core::text::{TextError, error_at};

const HEADER_BYTES: usize = 16;
const GAME_BYTES: usize = 68;

/// Parses the games of a file; errors name the offset of the game's first byte, from 1.
pub(super) fn read(game: &Reversi, bytes: &[u8]) -> Vec<Result<ParsedGame, TextError>> {
    let Some((header, games)) = bytes.split_at_checked(HEADER_BYTES) else {
        return vec![error_at(
            1,
            format!("a WTHOR file has at least {HEADER_BYTES} bytes"),
        )];
    };
    let (size, own) = (header[12], game.size());
    if size != own as u8 && (size, own) != (0, 8) {
        let problem = format!("a board of size {size}; this game has {own}");
        return vec![error_at(13, problem)];
    }
    let mut count = [0; 4];
    count.copy_from_slice(&header[4..8]);
    let count = u32::from_le_bytes(count);
    let (games, rest) = games.as_chunks::<GAME_BYTES>();
    let mut read: Vec<_> = (0..)
        .zip(games)
        .map(|(number, bytes)| {
            let game = parse_game(game, bytes);
            game.map_err(|problem| TextError::new(HEADER_BYTES + number * GAME_BYTES + 1, problem))
        })
        .collect();
    if games.len() as u64 != u64::from(count) || !rest.is_empty() {
        let (there, over) = (games.len(), rest.len());
        let problem = format!(
            "the header names {count} games of {GAME_BYTES} bytes; there are {there} and {over} bytes"
        );
        read.push(error_at(5, problem));
    }
    read
}

fn parse_game(game: &Reversi, bytes: &[u8; GAME_BYTES]) -> Result<ParsedGame, String> {
    let mut reading = GameReader::new(game);
    let player = |at| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    reading.parsed.players = [2, 4].map(|at| format!("WTHOR {}", player(at))).to_vec();
    let moves = bytes[8..].iter().take_while(|&&mv| mv != 0);
    for (number, &mv) in (1..).zip(moves) {
        let (row, column) = (mv / 10, char::from(b'`' + mv % 10));
        let played = reading.play(&format!("{column}{row}"), 0, None);
        played.map_err(|error| format!("move {number}, {mv}: {}", error.problem))?;
    }
    let black = bytes[6];
    if black > 0 || reading.is_over() {
        let all = (game.size() * game.size()) as u8;
        let white = all
            .checked_sub(black)
            .ok_or_else(|| format!("Black has {black} discs of {all}"))?;
        reading.set_result_by_discs([black, white]);
    }
    reading.finish()
}
