//! Transcript formats of Havannah: Little Golem's SGF,
//! `(;FF[4]EV[havannah]PB[name]PW[name]SZ[8];W[g7];B[swap];W[c3])`, and lines of moves in
//! HavannahGui's coordinates.
//!
//! SGF states results as `RE` or as a move `resign` or `draw`; in lines `play w` may precede moves.

use super::{Havannah, Move, Position};
use alea_core::{
    game::{Game, Seat},
    text::{TextError, error_at, joined},
};
use alea_play::{
    playable::GameText,
    registry::{PlainGame, TranscriptFormat},
    sgf_properties::{self, SgfProperties, SgfProperty},
    stated_result::StatedResult,
};

type ParsedGame = PlainGame<Havannah>;

pub(super) static FORMS: [TranscriptFormat<Havannah>; 2] = [
    TranscriptFormat {
        name: "sgf",
        help: "SGF in Little Golem's coordinates",
        read: parse_games,
        write: write_sgf,
    },
    TranscriptFormat {
        name: "transcript",
        help: "moves from the empty board, a game a line: d4 swap e5",
        read: parse_games,
        write: write_row,
    },
];

const COLOUR_NAMES: [&str; 2] = ["W", "B"];

const BLACK: Seat = 1;

fn write_row(game: &Havannah, parsed: &ParsedGame) -> Result<String, String> {
    if parsed.result.is_some() {
        return Err("moves in a row state no result; sgf does".to_owned());
    }
    let names = moves_from_start(game, parsed)?.map(|mv| game.format_move(mv));
    let row = Some(joined(names, " "));
    let row = row.filter(|row| !row.is_empty());
    row.ok_or_else(|| "a game without moves is no row of them; sgf holds it".to_owned())
}

fn write_sgf(game: &Havannah, parsed: &ParsedGame) -> Result<String, String> {
    let player = |seat| {
        let name = parsed.players.get(seat).map_or("", String::as_str);
        let name = name.replace('\\', "\\\\").replace(']', "\\]");
        name.replace(char::is_control, " ")
    };
    let (white, black, base) = (player(0), player(1), game.base());
    let result = parsed.result.map(|result| result.to_sgf(BLACK));
    let result = result.map_or(String::new(), |result| format!("RE[{result}]"));
    let heading = format!("(;FF[4]EV[havannah]PB[{black}]PW[{white}]SZ[{base}]{result}AP[Alea]");
    let node = |(mv, sign): (Move, &&str)| {
        let name = mv.cell().map(|cell| game.golem_name(cell));
        format!(";{sign}[{}]", name.unwrap_or("swap".to_owned()))
    };
    let nodes = moves_from_start(game, parsed)?
        .zip(COLOUR_NAMES.iter().cycle())
        .map(node);
    Ok(heading + &nodes.collect::<String>() + ")")
}

fn moves_from_start(
    game: &Havannah,
    parsed: &ParsedGame,
) -> Result<impl Iterator<Item = Move>, String> {
    if parsed.start != game.start() {
        return Err("such games begin at the empty board; jsonl holds others".to_owned());
    }
    Ok(parsed.plies.iter().map(|&(_, mv)| mv))
}

fn parse_games(game: &Havannah, bytes: &[u8]) -> Vec<Result<ParsedGame, TextError>> {
    let rows = |game: &_, text: &_| sgf_properties::read_game_per_line(game, text, parse_row);
    sgf_properties::read_games(game, bytes, true, parse_sgf_game, Some(rows))
}

fn parse_sgf_game(
    game: &Havannah,
    begin: usize,
    properties: SgfProperties,
) -> Result<ParsedGame, TextError> {
    let mut reading = GameReader::new(game);
    for property in properties? {
        reading.read_property(&property)?;
    }
    let parsed = reading.finish();
    parsed.map_err(|problem| TextError::new(begin + 1, problem))
}

fn parse_row(game: &Havannah, line: &str, mut at: usize) -> Result<ParsedGame, TextError> {
    let (mut reading, mut seat) = (GameReader::new(game), None);
    let line = &line[..line.find('#').unwrap_or(line.len())];
    for word in line.split_inclusive(char::is_whitespace) {
        let name = word.trim_end();
        let sign = COLOUR_NAMES
            .iter()
            .position(|sign| sign.eq_ignore_ascii_case(name));
        if sign.is_some() {
            seat = sign;
        } else if !(name.is_empty() || name.eq_ignore_ascii_case("play") || is_number(name)) {
            reading.play_text(name, at, seat.take(), false)?;
        }
        at += word.chars().count();
    }
    Ok(reading.parsed)
}

fn is_number(word: &str) -> bool {
    let number = word.trim_end_matches('.');
    number.len() < word.len() && number.bytes().all(|byte| byte.is_ascii_digit())
}

struct GameReader<'a> {
    game: &'a Havannah,
    position: Position,
    parsed: ParsedGame,
    stated: Option<StatedResult>,
    /// Result in place of a move.
    end: Option<StatedResult>,
}

impl<'a> GameReader<'a> {
    fn new(game: &'a Havannah) -> Self {
        Self {
            game,
            position: game.start(),
            parsed: PlainGame {
                start: game.start(),
                plies: Vec::new(),
                players: vec![String::new(); 2],
                result: None,
            },
            stated: None,
            end: None,
        }
    }

    /// Plays the move at character `at`; `seat`, if given, must be to move.
    fn play_text(
        &mut self,
        name: &str,
        at: usize,
        seat: Option<Seat>,
        golem: bool,
    ) -> Result<(), TextError> {
        let turn = self.position.seat();
        if self.end.is_some() {
            return error_at(at + 1, "the game is over");
        }
        if seat.is_some_and(|seat| seat != turn) {
            return error_at(
                at + 1,
                format!("it is {}'s turn", self.game.seat_title(turn)),
            );
        }
        let mv = self.game.read_move(&self.position, name, golem);
        let mv = mv.map_err(|error| TextError::new(at + error.character, error.problem))?;
        self.parsed.plies.push((0, mv));
        self.position = self.game.play(&self.position, mv);
        Ok(())
    }

    fn finish(mut self) -> Result<ParsedGame, String> {
        if let (Some(stated), Some(end)) = (self.stated, self.end) {
            stated.check_winner(end.payoffs(None), "its end")?;
        }
        let stated = self.end.or(self.stated);
        self.parsed.set_result(self.game, &self.position, stated)?;
        Ok(self.parsed)
    }

    fn read_property(&mut self, property: &SgfProperty) -> Result<(), TextError> {
        let SgfProperty { name, value, at } = property;
        let seat = usize::from(name.ends_with('B'));
        let plain = value.trim();
        let blanks = value.chars().take_while(|sign| sign.is_whitespace());
        let at = at + blanks.count();
        match name.as_str() {
            "SZ" if plain != self.game.base().to_string() => {
                let base = self.game.base();
                return error_at(
                    at + 1,
                    format!("a board of size {plain:?}; this game has {base}"),
                );
            }
            "PW" | "PB" => self.parsed.players[seat] = value.clone(),
            "RE" => self.stated = StatedResult::from_sgf(plain, BLACK),
            "W" | "B" if plain.eq_ignore_ascii_case("resign") => {
                self.end = Some(StatedResult::by_resignation(seat));
            }
            "W" | "B" if plain.eq_ignore_ascii_case("draw") => {
                self.end = Some(StatedResult::DRAW);
            }
            "W" | "B" => self.play_text(plain, at, Some(seat), true)?,
            "AW" | "AB" => return error_at(at + 1, "stones that are set up are not read"),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_all(game: &Havannah, text: &str) -> Vec<ParsedGame> {
        let games = parse_games(game, text.as_bytes()).into_iter();
        games.collect::<Result<_, _>>().unwrap()
    }

    fn parse_one(game: &Havannah, text: &str) -> ParsedGame {
        let mut games = parse_all(game, text);
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0)
    }

    #[test]
    fn games_of_little_golem_are_read_and_written() {
        let game = Havannah::new(8, true);
        let text = "(;FF[4]EV[havannah.in.progress]PB[a\\]b]PW[y]SZ[8]RE[B]GC[ game #1]SO[http://www.littlegolem.com];\
                    W[g7];B[swap];W[J1];b[i2];W[resign])\n(;SZ[8];W[a1])";
        let games = parse_all(&game, text);
        assert_eq!(games[0].players, ["y", "a]b"]);
        let written =
            "(;FF[4]EV[havannah]PB[a\\]b]PW[y]SZ[8]RE[B+R]AP[Alea];W[g7];B[swap];W[j1];B[i2])";
        assert_eq!(write_sgf(&game, &games[0]).unwrap(), written);
        assert_eq!(parse_one(&game, written), games[0]);
        let row = parse_one(&game, " g7 swap\tplay w j3 B i3 ");
        assert_eq!(
            (row.start, row.plies.clone()),
            (games[0].start, games[0].plies.clone())
        );
        assert_eq!(row.players, ["", ""]);
        assert_eq!(write_row(&game, &row).unwrap(), "g7 swap j3 i3");
        assert!(write_row(&game, &games[0]).is_err());
        assert_eq!(parse_all(&game, "a1 b1\r\n\n# two\nc1").len(), 2);
        assert_eq!(
            parse_one(&game, "1. g7 swap 2. j3 i3 # all").plies,
            row.plies
        );
        let text =
            "(;PB[x[y] z]PW[R\u{e9}]SZ[8];W[g7];B[swap](;W[j1];B[i2](;W[a1])(;W[b1]))(;W[c1]))";
        let latin1: Vec<u8> = text.chars().map(|sign| sign as u8).collect();
        for bytes in [text.as_bytes(), &latin1] {
            let [Ok(parsed)] = &parse_games(&game, bytes)[..] else {
                panic!("no game")
            };
            assert_eq!(parsed.players, ["R\u{e9}", "x[y] z"]);
            assert_eq!(write_row(&game, parsed).unwrap(), "g7 swap j3 i3 a1");
        }
    }

    #[test]
    fn games_that_a_form_cannot_hold_are_refused() {
        let game = Havannah::new(5, true);
        let mut parsed = parse_one(&game, "(;)");
        assert_eq!(
            parse_one(&game, &write_sgf(&game, &parsed).unwrap()),
            parsed
        );
        assert!(write_row(&game, &parsed).is_err());
        parsed.start = game.parse_position("d4").unwrap();
        assert!(write_sgf(&game, &parsed).is_err());
    }
}
