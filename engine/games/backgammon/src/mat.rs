//! Jellyfish's match format (`.mat`), which GNU Backgammon and eXtreme Gammon read and write.
//!
//! A game begins with a line `Game 1` and a line of both players, `Ann : 0   Bob : 0`; White is the
//! first. Lines of plays have a number and a column for each player: `1) 31: 8/5 6/5   52: 13/8
//! 13/11`, with the points of the player who moves. `Wins 2 points` stands in the winner's column.
//! Actions of the doubling cube are left out; a drop is a resignation.

use super::{
    Backgammon, Play, WHITE,
    rolls::{ROLL_NAMES, roll_named},
};
use alea_core::{
    game::{Game, Seat},
    record::Ending,
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

/// Columns of a line before those of the second player, at least.
const MIN_SECOND_COLUMN: usize = 20;

const COLUMN_WIDTH: usize = 33;

fn read_games(game: &Backgammon, bytes: &[u8]) -> Vec<Result<ParsedGame, TextError>> {
    let text = match from_utf8_or_latin1(bytes) {
        Ok(text) => text,
        Err(problem) => return vec![error_at(1, problem)],
    };
    let (mut games, mut begin) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if is_game_line(line) {
            games.push(Ok(GameReader::new(game)));
        } else if let Some(reading) = games.last_mut()
            && let Ok(reader) = reading
            && let Err(error) = reader.read_line(line, begin)
        {
            *reading = Err(error);
        }
        begin += line.chars().count();
    }
    if games.is_empty() && !text.trim().is_empty() {
        return vec![error_at(
            1,
            "a match has a line 'Game 1' before its first game",
        )];
    }
    let games = games.into_iter();
    let finish = |reader: GameReader| reader.finish();
    games
        .map(|read| {
            read.and_then(finish)
                .map_err(|error| error.relative_to_line(&text))
        })
        .collect()
}

fn is_game_line(line: &str) -> bool {
    let number = line.trim().strip_prefix("Game ");
    number.is_some_and(|number| number.trim().parse::<u32>().is_ok())
}

struct GameReader<'a> {
    game: &'a Backgammon,
    /// `None` before the first play.
    position: Option<super::Position>,
    parsed: ParsedGame,
    winner: Option<(Seat, Ending)>,
    /// Character before the last line.
    begin: usize,
    has_players: bool,
}

impl<'a> GameReader<'a> {
    fn new(game: &'a Backgammon) -> Self {
        let parsed = PlainGame {
            start: game.start(WHITE),
            plies: Vec::new(),
            players: vec![String::new(); 2],
            result: None,
        };
        Self {
            game,
            position: None,
            parsed,
            winner: None,
            begin: 0,
            has_players: false,
        }
    }

    fn read_line(&mut self, line: &str, begin: usize) -> Result<(), TextError> {
        self.begin = begin;
        let signs: Vec<char> = line.trim_end().chars().collect();
        let word_at = |at: usize| signs[at] != ' ' && signs[at] != '\t';
        let Some(first) = (0..signs.len()).find(|&at| word_at(at)) else {
            return Ok(());
        };
        if !self.has_players {
            self.has_players = true;
            let players = line.split("  ").filter_map(|name| name.rsplit_once(':'));
            for (name, (found, _)) in self.parsed.players.iter_mut().zip(players) {
                found.trim().clone_into(name);
            }
            return Ok(());
        }
        let digits = signs[first..]
            .iter()
            .take_while(|sign| sign.is_ascii_digit())
            .count();
        let numbered = digits > 0 && signs.get(first + digits) == Some(&')');
        let mut at = if numbered { first + digits + 1 } else { first };
        let mut entries: Vec<(usize, String)> = Vec::new();
        while let Some(start) = (at..signs.len()).find(|&at| word_at(at)) {
            let end = (start..signs.len())
                .find(|&at| !word_at(at))
                .unwrap_or(signs.len());
            let word: String = signs[start..end].iter().collect();
            let is_roll = word.ends_with(':');
            match entries.last_mut() {
                Some((_, entry)) if start < at + 3 && !is_roll => *entry += &format!(" {word}"),
                _ => entries.push((start, word)),
            }
            at = end;
        }
        let one_of_two = entries.len() > 1;
        for (index, (start, entry)) in entries.into_iter().enumerate() {
            let is_second = if one_of_two {
                index > 0
            } else {
                start >= MIN_SECOND_COLUMN
            };
            self.read_entry(&entry, begin + start, usize::from(is_second))?;
        }
        Ok(())
    }

    fn read_entry(&mut self, entry: &str, at: usize, seat: Seat) -> Result<(), TextError> {
        let word = entry.split(' ').next().unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "wins" => self.winner = Some((seat, Ending::Resigned)),
            "drops" | "drop" | "resigns" => self.winner = Some((1 - seat, Ending::Resigned)),
            "doubles" | "double" | "takes" | "take" | "beavers" => {}
            _ => return self.play(entry, at, seat),
        }
        Ok(())
    }

    fn play(&mut self, entry: &str, at: usize, seat: Seat) -> Result<(), TextError> {
        let (roll, text) = entry.split_once(':').unwrap_or_default();
        let roll = roll_named(roll);
        let Some(roll) = roll else {
            return error_at(at + 1, "a play begins with its roll, such as 31:");
        };
        let position = self.position.unwrap_or_else(|| self.game.start(seat));
        if self.parsed.plies.is_empty() {
            self.parsed.start = position;
        }
        if self.game.payoffs(&position).is_some() {
            return error_at(at + 1, "the game is over before this play");
        }
        if position.seat() != seat {
            let side = self.game.seat_title(position.seat());
            return error_at(at + 1, format!("it is {side}'s turn"));
        }
        let text = if text.trim().is_empty() { "pass" } else { text };
        let play = self.game.parse_play(&position, Some(roll), text);
        let play = play.map_err(|error| TextError::new(at + 1, error.problem))?;
        self.parsed.plies.push((roll as u8, play));
        self.position = Some(self.game.play(&position, play));
        Ok(())
    }

    fn finish(mut self) -> Result<ParsedGame, TextError> {
        let points = self
            .position
            .and_then(|end| self.game.points_won(&end, WHITE));
        match (self.winner, points) {
            (Some((winner, _)), Some(points)) if (winner == WHITE) != (points > 0) => {
                return error_at(self.begin + 1, "the moves end the game with another winner");
            }
            (Some((winner, ending)), None) => {
                self.parsed.result = Some(StatedResult {
                    ending,
                    winner: Some(winner),
                });
            }
            _ => {}
        }
        Ok(self.parsed)
    }
}

fn format_steps(
    game: &Backgammon,
    position: &mut super::Position,
    (roll, play): (u8, Play),
) -> String {
    let mut steps = Vec::new();
    let after = position.follow(play, |from, to, hits| {
        steps.push(format!("{from}/{to}{}", if hits { "*" } else { "" }));
    });
    debug_assert!(game.payoffs(position).is_none());
    *position = after;
    let steps = if play.is_pass() {
        "Cannot Move".to_owned()
    } else {
        joined(steps, " ")
    };
    format!("{}: {steps}", ROLL_NAMES[usize::from(roll)])
}

fn format_game(game: &Backgammon, parsed: &ParsedGame) -> Result<String, String> {
    let first = parsed.start.seat();
    if parsed.start != game.start(first) {
        return Err("mat holds games from the usual start alone".to_owned());
    }
    let names = [0, 1].map(|seat| {
        let name = parsed
            .players
            .get(seat)
            .map_or("", String::as_str)
            .replace(':', " ");
        let name = joined(name.split_whitespace(), " ");
        if name.is_empty() {
            game.seat_title(seat).to_owned()
        } else {
            name
        }
    });
    let mut text = format!(
        " 0 point match\n\n Game 1\n {:COLUMN_WIDTH$}    {} : 0\n",
        format!("{} : 0", names[0]),
        names[1]
    );
    let mut position = parsed.start;
    let mut texts = vec![String::new(); first];
    texts.extend(
        parsed
            .plies
            .iter()
            .map(|&ply| format_steps(game, &mut position, ply)),
    );
    for (number, pair) in texts.chunks(2).enumerate() {
        let second = pair.get(1).map_or("", String::as_str);
        let line = format!("{:3}) {:COLUMN_WIDTH$} {second}", number + 1, pair[0]);
        text += line.trim_end();
        text += "\n";
    }
    let won = match (game.points_won(&position, WHITE), parsed.result) {
        (Some(points), _) => Some((usize::from(points < 0), points.abs())),
        (None, stated) => stated.and_then(|stated| Some((stated.winner?, 1))),
    };
    if let Some((winner, points)) = won {
        let (indent, unit) = (
            5 + winner * COLUMN_WIDTH,
            if points == 1 { "point" } else { "points" },
        );
        text += &format!("{:indent$} Wins {points} {unit}\n", "");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BLACK;
    use alea_core::{random::RandomStream, search_game::Playouts};

    const GAME: Backgammon = Backgammon;

    fn read(text: &str) -> Vec<Result<ParsedGame, TextError>> {
        read_games(&GAME, text.as_bytes())
    }

    #[test]
    fn random_games_read_back() {
        let mut random = RandomStream::new(13);
        for number in 0..6 {
            let mut parsed = GameReader::new(&GAME).parsed;
            parsed.start = GAME.start(number % 2);
            parsed.players = vec!["Ann B".to_owned(), "Bob".to_owned()];
            let mut position = parsed.start;
            while GAME.payoffs(&position).is_none()
                && (number < 4 || parsed.plies.len() < 20 + number)
            {
                let play = GAME.sample_move(&position, random.next_u64());
                parsed.plies.push((play.roll() as u8, play));
                position = GAME.play(&position, play);
            }
            if GAME.payoffs(&position).is_none() {
                parsed.result = Some(StatedResult::by_resignation(number % 2));
            }
            let text = format_game(&GAME, &parsed).unwrap();
            assert_eq!(read(&text), [Ok(parsed)], "{text}");
        }
    }

    #[test]
    fn matches_of_other_programs_are_read() {
        let text = "; [Site \"x\"]\n\n 5 point match\n\n Game 1\n Ann : 0                             Bob : 0\n\
            \u{20} 1)                             52: 13/8 13/11\n\
            \u{20} 2) 66: 24/18(2) 13/7(2)        41: 24/23 13/9\n\
            \u{20} 3)  Doubles => 2                Takes\n\
            \u{20} 4) 31: 8/4\n      Wins 2 points\n\n\
            Game 2\n Ann : 2                             Bob : 0\n\
            \u{20} 1) 31: 8/5 6/5                  Doubles => 2\n\
            \u{20} 2)  Drops\n                                  Wins 1 point\n\n\
            Game 3\n a : 1  b : 0\n 1) 31: 8/5 6/4\n\nGame 4\n a : 1  b : 0\n 1) 31: 8/5 6/5 31: 8/5 6/5\n 2)          \n";
        let games = read(text);
        let first = games[0].as_ref().unwrap();
        assert_eq!((first.start, first.plies.len()), (GAME.start(BLACK), 4));
        assert_eq!(first.players, ["Ann", "Bob"]);
        assert_eq!(first.result, Some(StatedResult::by_resignation(BLACK)));
        let second = games[1].as_ref().unwrap();
        assert_eq!(
            (second.plies.len(), second.result),
            (1, Some(StatedResult::by_resignation(WHITE)))
        );
        let error = games[2].as_ref().unwrap_err().to_string();
        assert!(
            error.contains("no play of 31") && error.contains("line 21"),
            "{error}"
        );
        assert_eq!(games[3].as_ref().unwrap().plies.len(), 2);
        assert_eq!(games.len(), 4);
    }

    #[test]
    fn texts_that_are_no_match_are_refused() {
        assert!(read("").is_empty() && read("x")[0].is_err());
        for line in [
            "x",
            "1) 71: 8/5",
            "1) 31 8/5 6/5",
            "1) 31: 8/5 6/5\n 2) 31: 8/5 6/5",
        ] {
            let error = &read(&format!("Game 1\na : 0  b : 0\n {line}\n"))[0];
            assert!(error.is_err(), "{line}");
        }
        let mut other = GameReader::new(&GAME).parsed;
        other.start = GAME.parse_position("4HPwATDgc/ABMA -").unwrap().0;
        assert!(format_game(&GAME, &other).is_err());
    }
}
