//! Jellyfish's match format (`.mat`), which GNU Backgammon and eXtreme Gammon read and write.
//!
//! A game begins with a line `Game 1` and a line of both players, `Ann : 0   Bob : 0`; White is the
//! first. Lines of plays have a number and a column for each player: `1) 31: 8/5 6/5   52: 13/8
//! 13/11`, with the points of the player who moves. `Wins 2 points` stands in the winner's column.
//! Actions of the doubling cube are left out, and points divided by it; a drop is a resignation of
//! one point. The format has no draws: a game at its maximal length is written without a result.

use super::{Backgammon, Position, WHITE, notation::roll_text, rolls::roll_named};
use alea_core::{
    game::{Game, Seat},
    text::{TextError, error_at, from_utf8_or_latin1, joined},
};
use alea_play::{
    playable::GameText,
    registry::{PlainGame, TranscriptFormat},
    stated_result::StatedResult,
};

pub(super) const MAT: TranscriptFormat<Backgammon> = TranscriptFormat {
    name: "mat",
    help: "Jellyfish's match format, without the doubling cube",
    read: read_games,
    write: format_game,
};

type ParsedGame = PlainGame<Backgammon>;

/// Column, in characters from 0, from which the only entry of a line belongs to the second player.
const MIN_SECOND_COLUMN: usize = 20;

const MAX_POINTS: u16 = 3;

const COLUMN_WIDTH: usize = 33;

fn read_games(game: &Backgammon, bytes: &[u8]) -> Vec<Result<ParsedGame, TextError>> {
    let text = match from_utf8_or_latin1(bytes) {
        Ok(text) => text,
        Err(problem) => return vec![error_at(1, problem)],
    };
    let (mut games, mut begin) = (Vec::<Vec<(usize, &str)>>::new(), 0);
    for line in text.split_inclusive('\n') {
        let number = line.trim().strip_prefix("Game ").unwrap_or_default();
        if number.trim().parse::<u32>().is_ok() {
            games.push(Vec::new());
        } else if !(line.trim().is_empty() || line.trim().ends_with("point match")) {
            games
                .last_mut()
                .into_iter()
                .for_each(|lines| lines.push((begin, line)));
        }
        begin += line.chars().count();
    }
    if games.is_empty() && !text.trim().is_empty() {
        return vec![error_at(
            1,
            "a match has a line 'Game 1' before its first game",
        )];
    }
    let read =
        |lines: &Vec<_>| read_game(game, lines).map_err(|error| error.relative_to_line(&text));
    games.iter().map(read).collect()
}

/// Reads the lines of a game, each with the number of characters before it.
fn read_game(game: &Backgammon, lines: &[(usize, &str)]) -> Result<ParsedGame, TextError> {
    let mut parsed = ParsedGame {
        start: game.start(WHITE),
        plies: Vec::new(),
        players: vec![String::new(); 2],
        result: None,
    };
    let (names, lines) = lines.split_first().unwrap_or((&(0, ""), &[]));
    let names = names.1.split("  ").filter_map(|name| name.rsplit_once(':'));
    for (player, (name, _)) in parsed.players.iter_mut().zip(names) {
        name.trim().clone_into(player);
    }
    let (mut position, mut cube, mut offered) = (None, 1, 1);
    for &(begin, line) in lines {
        for (column, seat, entry) in entries(line) {
            let mut words = entry.split(' ');
            let word = words.next().unwrap_or_default().to_ascii_lowercase();
            let number = words.find_map(|word| word.parse::<u16>().ok());
            match word.as_str() {
                "wins" => parsed.result = Some(resignation(1 - seat, number.map(|won| won / cube))),
                "drops" | "resigns" => parsed.result = Some(resignation(seat, None)),
                "doubles" => offered = number.unwrap_or(cube.saturating_mul(2)).max(1),
                "beavers" => offered = number.unwrap_or(offered.saturating_mul(2)).max(1),
                "takes" => cube = offered,
                _ => {
                    let before = position.unwrap_or_else(|| game.start(seat));
                    if position.is_none() {
                        parsed.start = before;
                    }
                    let ply = read_ply(game, &before, seat, &entry);
                    let ply = ply.map_err(|problem| TextError::new(begin + column + 1, problem))?;
                    parsed.plies.push(ply);
                    position = Some(game.play(&before, ply.1));
                }
            }
        }
    }
    if position.is_some_and(|end| game.payoffs(&end).is_some()) {
        parsed.result = None;
    }
    Ok(parsed)
}

/// Result of a game that `loser` resigned for `points` without the cube; by default for 1.
fn resignation(loser: Seat, points: Option<u16>) -> StatedResult {
    StatedResult {
        points: Some(points.map_or(1, |points| points.clamp(1, MAX_POINTS))),
        ..StatedResult::by_resignation(loser)
    }
}

/// Entries of a line, one or two, each with the index of its first character and its seat.
fn entries(line: &str) -> Vec<(usize, Seat, String)> {
    let signs: Vec<char> = line.chars().collect();
    let mut entries: Vec<(usize, Seat, String)> = Vec::new();
    let mut end = 0;
    while let Some(start) = (end..signs.len()).find(|&at| !signs[at].is_whitespace()) {
        let gap = start - end;
        end = (start..signs.len())
            .find(|&at| signs[at].is_whitespace())
            .unwrap_or(signs.len());
        let word: String = signs[start..end].iter().collect();
        let number = word.strip_suffix(')').filter(|_| entries.is_empty());
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            continue;
        }
        match entries.last_mut() {
            Some((_, _, entry)) if gap <= 2 && !word.ends_with(':') => {
                *entry += &format!(" {word}")
            }
            Some(_) => entries.push((start, 1, word)),
            None => entries.push((start, usize::from(start >= MIN_SECOND_COLUMN), word)),
        }
    }
    if let [first, _, ..] = entries.as_mut_slice() {
        first.1 = 0;
    }
    entries
}

/// Reads a roll and its play, such as `31: 8/5 6/5`.
fn read_ply(
    game: &Backgammon,
    position: &Position,
    seat: Seat,
    entry: &str,
) -> Result<(u8, super::Play), String> {
    let (roll, text) = entry.split_once(':').unwrap_or_default();
    let roll = roll_named(roll).ok_or("a play begins with its roll, such as 31:")?;
    if position.seat() != seat {
        let side = game.seat_title(position.seat());
        return Err(format!("it is {side}'s turn"));
    }
    let text = if text.trim().is_empty() { "pass" } else { text };
    let play = game.parse_play(position, Some(roll), text);
    Ok((roll as u8, play.map_err(|error| error.problem)?))
}

fn format_game(game: &Backgammon, parsed: &ParsedGame) -> Result<String, String> {
    let first = parsed.start.seat();
    if parsed.start != game.start(first) {
        return Err("mat holds games from the usual start alone".to_owned());
    }
    let score = |seat| {
        let name = parsed
            .players
            .get(seat)
            .map_or("", String::as_str)
            .replace(':', " ");
        match joined(name.split_whitespace(), " ") {
            none if none.is_empty() => format!("{} : 0", game.seat_title(seat)),
            name => format!("{name} : 0"),
        }
    };
    let mut text = format!(
        " 0 point match\n\n Game 1\n {:COLUMN_WIDTH$}    {}\n",
        score(0),
        score(1)
    );
    let (mut position, mut entries) = (parsed.start, vec![String::new(); first]);
    for &(roll, play) in &parsed.plies {
        let mut entry = roll_text(Some(roll), "").to_owned() + ":";
        position = position.visit_steps(play, |from, to, hits| {
            entry += &format!(" {from}/{to}{}", if hits { "*" } else { "" });
        });
        entries.push(if play.is_pass() {
            entry + " Cannot Move"
        } else {
            entry
        });
    }
    for (number, pair) in entries.chunks(2).enumerate() {
        let second = pair.get(1).map_or("", String::as_str);
        let line = format!("{:3}) {:COLUMN_WIDTH$} {second}", number + 1, pair[0]);
        text += line.trim_end();
        text += "\n";
    }
    let stated = |result: StatedResult| {
        let points: i32 = result.points.unwrap_or(1).into();
        let of_winner = |winner| if winner == WHITE { points } else { -points };
        result.winner.map(of_winner)
    };
    let points = game.points_won(&position, WHITE);
    let points = points.or_else(|| parsed.result.and_then(stated));
    if let Some(points) = points {
        let indent = if points > 0 { 5 } else { 5 + COLUMN_WIDTH };
        let unit = if points.abs() == 1 { "point" } else { "points" };
        text += &format!("{:indent$} Wins {} {unit}\n", "", points.abs());
    }
    Ok(text)
}
