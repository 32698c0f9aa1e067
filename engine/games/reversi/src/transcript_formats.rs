//! Transcript formats of Reversi: lines of moves, GGF, PGN (`pgn.rs`) and WTHOR (`wthor.rs`).
//!
//! GGF is the Generic Game Format of the Generic Game Server (Igor Durdanović, Michael Buro):
//! `(;GM[Othello]PB[name]PW[name]RE[+2]BO[8 board side]B[f5//0.01]W[d6];)`. A move may have a value
//! and a time, a result an ending: `:r` resigned, `:t` on time, `:s` agreed, `:l` left. A line of
//! moves is `f5d6c3`, with or without numbers (`1.`) and passes (`pass`, `ps`, `pa`, `--`, `@@`).

use super::{BLACK, Move, Position, Reversi, WHITE, notation::DISC_CHARACTERS, pgn, wthor};
use alea_core::{
    game::{Game, Seat},
    record::Ending,
    text::{TextError, error_at},
};
use alea_play::{
    playable::GameText,
    registry::{PlainGame, TranscriptFormat},
    sgf_properties::{self, SgfProperties, SgfProperty},
    stated_result::StatedResult,
};
use std::cmp::Ordering;

pub(super) type ParsedGame = PlainGame<Reversi>;

pub(super) static FORMS: [TranscriptFormat<Reversi>; 4] = [
    TranscriptFormat {
        name: "ggf",
        help: "Generic Game Format",
        read: parse_games,
        write: |game, parsed| Ok(format_ggf(game, parsed)),
    },
    TranscriptFormat {
        name: "transcript",
        help: "moves in a row from the usual start, a game a line: f5d6c3",
        read: parse_games,
        write: |game, parsed| {
            if parsed.start != game.start() {
                return Err("moves in a row begin at the usual start; ggf holds others".to_owned());
            }
            if parsed.result.is_some() {
                return Err("moves in a row state no result; ggf does".to_owned());
            }
            let row = Some(format_row(game, parsed)).filter(|row| !row.is_empty());
            row.ok_or_else(|| "a game without moves is no row of them; ggf holds it".to_owned())
        },
    },
    TranscriptFormat {
        name: "pgn",
        help: "PGN with Othello's moves; only read",
        read: parse_games,
        write: |_, _| Err("PGN is only read; ggf is written too".to_owned()),
    },
    TranscriptFormat {
        name: "wtb",
        help: "the WTHOR archive; only read",
        read: wthor::read,
        write: |_, _| Err("WTHOR's form is only read; ggf is written too".to_owned()),
    },
];

fn new_parsed_game(start: Position) -> ParsedGame {
    ParsedGame {
        start,
        plies: Vec::new(),
        players: vec![String::new(); 2],
        result: None,
    }
}

fn format_row(game: &Reversi, parsed: &ParsedGame) -> String {
    let last = parsed.plies.len().wrapping_sub(1);
    let plies = parsed.plies.iter().enumerate();
    let texts = plies.map(|(index, &(_, mv))| match mv {
        Move::PASS if index == last => "--".to_owned(),
        Move::PASS => String::new(),
        _ => game.format_move(mv),
    });
    texts.collect()
}

/// Formats a game as GGF; its result gives the winner the empty squares, or all squares in an
/// unfinished game.
fn format_ggf(game: &Reversi, parsed: &ParsedGame) -> String {
    let mut position = parsed.start;
    let mut moves = String::new();
    for &(_, mv) in &parsed.plies {
        let text = game.format_move(mv).replace("pass", "PA");
        moves += &format!("{}[{text}]", ["B", "W"][position.seat()]);
        position = game.play(&position, mv);
    }
    let discs = [1, -1][position.seat()] * game.final_discs(&position);
    let result = game.is_over(&position).then(|| format!("{discs:+}"));
    let squares = game.size() * game.size();
    let stated = || parsed.result.map(|result| result.to_ggf(squares));
    let result = result.or_else(stated).unwrap_or("?".to_owned());
    let [black, white] = [BLACK, WHITE].map(|seat| {
        let name = parsed.players.get(seat).map_or("", String::as_str);
        name.replace([']', '['], "_")
    });
    let board = game.row_texts(&parsed.start).join(" ");
    let board = format!("{board} {}", DISC_CHARACTERS[parsed.start.seat()]).replace('X', "*");
    let size = game.size();
    format!(
        "(;GM[Othello]PC[Alea]PB[{black}]PW[{white}]RE[{result}]TI[0]TY[{size}]BO[{size} {board}]{moves};)"
    )
}

fn parse_games(game: &Reversi, bytes: &[u8]) -> Vec<Result<ParsedGame, TextError>> {
    let others = |game: &_, text: &_| match pgn::is_pgn(text) {
        true => pgn::parse_games(text)
            .iter()
            .map(|read| from_pgn(game, read))
            .collect(),
        false => sgf_properties::read_game_per_line(game, text, from_row),
    };
    sgf_properties::read_games(game, bytes, false, from_ggf, Some(others))
}

fn from_row(game: &Reversi, line: &str, begin: usize) -> Result<ParsedGame, TextError> {
    let line: Vec<char> = line.chars().collect();
    let (mut reading, mut at) = (GameReader::new(game), 0);
    loop {
        let length = match line[at..] {
            [] | ['#', ..] => return Ok(reading.parsed),
            [sign, ..] if sign.is_whitespace() => 1,
            ['0'..='9', ..] => {
                let number = line[at..]
                    .iter()
                    .take_while(|sign| sign.is_ascii_digit())
                    .count();
                let points = line[at + number..]
                    .iter()
                    .take_while(|&&sign| sign == '.')
                    .count();
                if points == 0 {
                    return error_at(
                        begin + at + 1,
                        "a number of moves has a point behind it, as 1.",
                    );
                }
                number + points
            }
            ref rest => {
                let text: String = rest.iter().take(4).collect();
                // Columns are a to h: `p` begins a pass.
                let length = if text.to_ascii_lowercase().starts_with("pas") {
                    4
                } else {
                    2
                };
                let text = text.split(char::is_whitespace).next().unwrap_or_default();
                let text: String = text.chars().take(length).collect();
                reading.play(&text, begin + at, None)?;
                text.chars().count()
            }
        };
        at += length;
    }
}

fn from_ggf(
    game: &Reversi,
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

fn from_pgn(game: &Reversi, read: &pgn::Game) -> Result<ParsedGame, TextError> {
    if read.tag("FEN").is_some() {
        return error_at(
            read.begin + 1,
            "games from another start (FEN) are not read",
        );
    }
    let mut reading = GameReader::new(game);
    let name = |tag| read.tag(tag).unwrap_or_default().to_owned();
    reading.parsed.players = vec![name("Black"), name("White")];
    for (mv, at) in &read.moves {
        reading.play(mv, *at, None)?;
    }
    if let Some(discs) = read.result_discs() {
        reading.set_result_by_discs(discs);
    }
    let termination = name("Termination").to_ascii_lowercase();
    if let Some(stated) = &mut reading.stated {
        stated.ending = match () {
            () if termination.contains("time") => Ending::Time,
            () if termination.contains("resign") => Ending::Resigned,
            () => stated.ending,
        };
    }
    let parsed = reading.finish();
    parsed.map_err(|problem| TextError::new(read.begin + 1, problem))
}

pub(super) struct GameReader<'a> {
    game: &'a Reversi,
    position: Position,
    pub(super) parsed: ParsedGame,
    stated: Option<StatedResult>,
}

impl<'a> GameReader<'a> {
    pub(super) fn new(game: &'a Reversi) -> Self {
        Self {
            game,
            position: game.start(),
            parsed: new_parsed_game(game.start()),
            stated: None,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.game.is_over(&self.position)
    }

    fn push(&mut self, mv: Move) {
        self.parsed.plies.push((0, mv));
        self.position = self.game.play(&self.position, mv);
    }

    /// Plays the move at character `at`, after passes the text leaves out; `seat`, if given, must
    /// be to move.
    pub(super) fn play(
        &mut self,
        text: &str,
        at: usize,
        seat: Option<Seat>,
    ) -> Result<(), TextError> {
        if self.is_over() {
            return error_at(at + 1, "the game is over before this move");
        }
        let mut passes = ["pass", "pa", "ps", "--", "@@"].iter();
        let passes = passes.any(|pass| text.eq_ignore_ascii_case(pass));
        if self.position.moves == 0 && !passes {
            self.push(Move::PASS);
        }
        if seat.is_some_and(|seat| seat != self.position.seat()) {
            let side = self.game.seat_title(self.position.seat());
            return error_at(at + 1, format!("it is {side}'s turn"));
        }
        let text = if passes { "pass" } else { text };
        let mv = self.game.parse_move(&self.position, text);
        let mv = mv.map_err(|error| TextError::new(at + error.character, error.problem))?;
        self.push(mv);
        Ok(())
    }

    pub(super) fn set_result_by_discs(&mut self, [black, white]: [u8; 2]) {
        let winner = match black.cmp(&white) {
            Ordering::Greater => Some(BLACK),
            Ordering::Less => Some(WHITE),
            Ordering::Equal => None,
        };
        let ending = winner.map_or(Ending::Agreed, |_| Ending::Awarded);
        let points = winner.map(|_| black.abs_diff(white).into());
        self.stated = Some(StatedResult {
            ending,
            winner,
            points,
        });
    }

    pub(super) fn finish(mut self) -> Result<ParsedGame, String> {
        self.parsed
            .set_result(self.game, &self.position, self.stated)?;
        Ok(self.parsed)
    }

    fn read_property(&mut self, property: &SgfProperty) -> Result<(), TextError> {
        let SgfProperty { name, value, at } = property;
        match name.as_str() {
            "GM" if !value.eq_ignore_ascii_case("othello") => {
                return error_at(at + 1, format!("a game of {value:?}, not Othello"));
            }
            "TY" if value.contains(['a', 'k']) => {
                let problem = "games with another result (anti, komi) are not read";
                return error_at(at + 1, problem);
            }
            "RE" => self.stated = StatedResult::from_ggf(value),
            "PB" => self.parsed.players[BLACK].clone_from(value),
            "PW" => self.parsed.players[WHITE].clone_from(value),
            "BO" if self.parsed.plies.is_empty() => {
                self.position = self.parse_board(value, *at)?;
                self.parsed.start = self.position;
            }
            "BO" => return error_at(at + 1, "the board stands before the moves"),
            "B" | "W" => {
                let seat = if name == "B" { BLACK } else { WHITE };
                self.play(
                    value.split('/').next().unwrap_or_default().trim(),
                    *at,
                    Some(seat),
                )?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses a board of GGF: size, rows of `*`, `O` and `-`, side to move.
    fn parse_board(&self, value: &str, at: usize) -> Result<Position, TextError> {
        let (size, rest) = value.split_once(' ').unwrap_or((value, ""));
        let own = self.game.size();
        if size != own.to_string() {
            return error_at(
                at + 1,
                format!("a board of size {size:?}; this game has {own}"),
            );
        }
        let (rows, side) = rest.trim_end().rsplit_once(' ').unwrap_or((rest, ""));
        let rows: String = rows.split_whitespace().collect();
        let position = format!("{rows} {side}").replace('*', "X");
        self.game.parse_position(&position).or_else(|error| {
            let (sign, problem) = (error.character, error.problem);
            let place = format!("the board's sign {sign}, spaces left out");
            error_at(at + 1, format!("{place}: {problem}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{random::RandomStream, search_game::Playouts};

    const SHORT_GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7";

    fn parse_all(game: &Reversi, text: &str) -> Vec<ParsedGame> {
        let games = parse_games(game, text.as_bytes()).into_iter();
        games.collect::<Result<_, _>>().unwrap()
    }

    fn parse_one(text: &str) -> ParsedGame {
        let mut games = parse_all(&Reversi::EIGHT, text);
        assert_eq!(games.len(), 1);
        games.remove(0)
    }

    #[test]
    fn moves_in_a_row_are_read_and_written() {
        let game = Reversi::EIGHT;
        let read_back = parse_one(SHORT_GAME);
        assert_eq!(read_back.plies.len(), 11);
        assert_eq!(format_row(&game, &read_back), SHORT_GAME);
        assert_eq!(parse_all(&game, " F5 D6 c3\r\n\nf5f6\n").len(), 2);
        assert_eq!(parse_all(&game, ""), []);
        for text in ["1. f5 d6 2. c3 d3", "# all\n\n1.F5d6 2...c3D3 # four\n"] {
            assert_eq!(format_row(&game, &parse_one(text)), "f5d6c3d3");
        }
    }

    #[test]
    fn pgn_is_read_with_its_result() {
        let game = Reversi::EIGHT;
        let text = "[Black \"ann\"]\n[White \"bob\"]\n[Result \"34-30\"]\n\n1. F5 D6\n2. c3 d3\n34-30\n\n\
            [Black \"x\"]\n[Termination \"time forfeit\"]\n[Result \"0-64\"]\n\n1. f5 f6\n\
            [Result \"64-0\"]\n1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 64-0\n";
        let games = parse_all(&game, text);
        let results: Vec<_> = games.iter().map(|parsed| parsed.result).collect();
        let awarded = StatedResult {
            ending: Ending::Awarded,
            winner: Some(BLACK),
            points: Some(4),
        };
        let on_time = StatedResult {
            ending: Ending::Time,
            winner: Some(WHITE),
            points: Some(64),
        };
        assert_eq!(results, [Some(awarded), Some(on_time), None]);
        assert_eq!(games[0].players, ["ann", "bob"]);
        assert_eq!(format_row(&game, &games[0]), "f5d6c3d3");
        let error_at = [
            (
                "[Result \"0-64\"]\n1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5\n",
                "the result is",
            ),
            ("[FEN \"8/8\"]\n1. e6\n", "FEN"),
            ("[Black \"a\"]\n1. e6 e6\n", "e6 is not empty"),
        ];
        for (text, expected) in error_at {
            let error = parse_games(&game, text.as_bytes())
                .remove(0)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    fn archive(games: &[(&str, u8)]) -> Vec<u8> {
        let mut bytes = vec![20, 24, 3, 31];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0, 0, 0xe8, 0x07, 8, 0, 22, 0]);
        for (moves, black) in games {
            bytes.extend([1, 0, 2, 1, 3, 0, *black, 33]);
            let squares = moves.as_bytes().chunks(2);
            let mut moves: Vec<u8> = squares
                .map(|at| (at[1] - b'0') * 10 + at[0] - b'a' + 1)
                .collect();
            moves.resize(60, 0);
            bytes.extend(moves);
        }
        bytes
    }

    #[test]
    fn the_archive_is_read_from_its_specification() {
        let game = Reversi::EIGHT;
        let bytes = archive(&[
            ("e6f4e3f6g5d6e7f5c5", 64),
            ("f5d6c3", 20),
            ("f5d6c3", 0),
            ("f5f5", 30),
        ]);
        assert_eq!(bytes.len(), 16 + 4 * 68);
        let games = wthor::read(&game, &bytes);
        let [Ok(played), Ok(awarded), Ok(stopped), Err(damaged)] = &games[..] else {
            panic!("{games:?}")
        };
        assert_eq!(played.players, ["WTHOR 258", "WTHOR 3"]);
        assert_eq!(format_row(&game, played), "e6f4e3f6g5d6e7f5c5");
        let result = StatedResult {
            ending: Ending::Awarded,
            winner: Some(WHITE),
            points: Some(24),
        };
        assert_eq!(
            (played.result, awarded.result, stopped.result),
            (None, Some(result), None)
        );
        assert_eq!(damaged.character, 16 + 3 * 68 + 1);
        assert!(damaged.problem.starts_with("move 2, 56: "), "{damaged}");
        let mut short = bytes.clone();
        short.truncate(bytes.len() - 1);
        let mut ten = bytes.clone();
        ten[12] = 10;
        for (bytes, there, expected) in [
            (
                &short[..],
                4,
                "names 4 games of 68 bytes; there are 3 and 67 bytes",
            ),
            (&ten, 1, "a board of size 10; this game has 8"),
            (&[], 1, "at least 16 bytes"),
        ] {
            let mut games = wthor::read(&game, bytes);
            assert_eq!(games.len(), there);
            let error = games.pop().unwrap().unwrap_err();
            assert!(error.problem.contains(expected), "{error}");
        }
        let mut random = RandomStream::new(7);
        let (mut position, mut moves, mut parsed) =
            (game.start(), String::new(), new_parsed_game(game.start()));
        loop {
            if game.is_over(&position) {
                if parsed.plies.iter().any(|ply| ply.1 == Move::PASS) {
                    break;
                }
                (position, parsed, moves) =
                    (game.start(), new_parsed_game(game.start()), String::new());
            }
            let mv = game.sample_move(&position, random.next_u64());
            if mv != Move::PASS {
                moves += &game.format_move(mv);
            }
            parsed.plies.push((0, mv));
            position = game.play(&position, mv);
        }
        let discs = [1, -1][position.seat()] * game.final_discs(&position);
        let file = archive(&[(&moves, (32 + discs / 2) as u8)]);
        let [Ok(read)] = &wthor::read(&game, &file)[..] else {
            panic!("no game")
        };
        assert_eq!(read.plies, parsed.plies);
    }

    #[test]
    fn a_game_without_moves_is_only_written_where_it_is_read_again() {
        let game = Reversi::EIGHT;
        let plain = parse_one("(;GM[Othello]PB[a]PW[b];)");
        let written = |form: &TranscriptFormat<Reversi>| (form.write)(&game, &plain).ok();
        let [ggf, row, pgn, wtb] = FORMS.each_ref().map(written);
        assert_eq!((pgn, wtb), (None, None));
        assert_eq!(parse_one(&ggf.unwrap()), plain);
        assert_eq!(row, None);
    }

    #[test]
    fn a_pass_may_be_left_out_or_written() {
        let game = Reversi::FOUR;
        let mut random = RandomStream::new(1);
        let mut parsed = new_parsed_game(game.start());
        let mut position = game.start();
        while parsed.plies.iter().rev().nth(1) != Some(&(0, Move::PASS)) {
            if game.is_over(&position) {
                (position, parsed.plies) = (game.start(), Vec::new());
            }
            let mv = game.sample_move(&position, random.next_u64());
            parsed.plies.push((0, mv));
            position = game.play(&position, mv);
        }
        let reads = |text: &str, parsed: &ParsedGame| {
            let found = parse_all(&game, text);
            assert_eq!(found, std::slice::from_ref(parsed), "{text}");
        };
        let text = format_row(&game, &parsed);
        assert!(!text.contains('-'));
        let (before, last) = text.split_at(text.len() - 2);
        for pass in [
            "", "pass", "PA", "--", " pass ", "ps", "PS", "@@", " @@ 7. ",
        ] {
            reads(&format!("{before}{pass}{last}"), &parsed);
        }
        parsed.plies.pop();
        reads(&format_row(&game, &parsed), &parsed);
        reads(&format_ggf(&game, &parsed), &parsed);
    }

    #[test]
    fn ggf_is_read_and_written() {
        let board = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
        let text = format!(
            "2 (;GM[Othello]PC[GGS/os]DT[2009.07.02_09:24:22.MDT]PB[ann]PW[bob]RB[2173.03]TI[10:00//02:00]TY[8]\
             RE[?]BO[{board}]B[f5/-1.04/0.01]W[D6//0.01]B[c3];)\n(;GM[Othello]BO[{board}]B[f5];)\n"
        );
        let game = Reversi::EIGHT;
        let games = parse_all(&game, &text);
        assert_eq!(games[0].players, ["ann", "bob"]);
        assert_eq!(
            [0, 1].map(|at| format_row(&game, &games[at])),
            ["f5d6c3", "f5"]
        );
        let written = format!(
            "(;GM[Othello]PC[Alea]PB[ann]PW[bob]RE[?]TI[0]TY[8]BO[{board}]B[f5]W[d6]B[c3];)"
        );
        assert_eq!(format_ggf(&game, &games[0]), written);
        assert_eq!(parse_one(&written), games[0]);
    }

    #[test]
    fn a_finished_game_has_its_result() {
        let game = Reversi::EIGHT;
        let mut parsed = parse_one("e6f4e3f6g5d6e7f5c5");
        assert!(format_ggf(&game, &parsed).contains("RE[+64]"), "{parsed:?}");
        parsed.plies.pop();
        assert!(format_ggf(&game, &parsed).contains("RE[?]"));
    }
}
