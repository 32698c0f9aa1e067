//! Whole games of Reversi as other programs write them: moves in a row, `f5d6c3`, or GGF.
//!
//! GGF is the Generic Game Format of the Generic Game Server (Igor Durdanović, Michael Buro):
//! `(;GM[Othello]PB[name]PW[name]RE[+2]BO[8 board side]B[f5//0.01]W[d6];)`, several after each
//! other; after a move may stand a value and a time, and after the result how the game ended: `+2:r`
//! resigned, `:t` on time, `:s` agreed, `:l` left. Moves in a row are one game a line, from the
//! usual start. A pass may be written (`pass`, `pa`, `--`) or left out. Invariant: a game that is
//! read is a legal one, and what is written reads back as the same.

use super::{
    BLACK, Move, Position, Reversi, WHITE,
    notation::{SIGNS, unexpected},
};
use crate::core::{
    game::{Game, Seat},
    text::{TextError, wrong},
};
use crate::play::{
    registry::{PlainGame, TranscriptForm},
    stated_result::StatedResult,
};
use std::mem;

/// A game as it is read and written, finished or not; passes are among its moves.
type Whole = PlainGame<Reversi>;

/// The forms by name; either is read as what it is.
pub(super) static FORMS: [TranscriptForm<Reversi>; 2] = [
    TranscriptForm {
        name: "ggf",
        help: "Generic Game Format",
        read,
        write: |game, whole| Ok(ggf(game, whole)),
    },
    TranscriptForm {
        name: "transcript",
        help: "moves in a row from the usual start, a game a line: f5d6c3",
        read,
        write: |game, whole| {
            if whole.start != game.start() {
                return Err("moves in a row begin at the usual start; ggf holds others".to_owned());
            }
            if whole.result.is_some() {
                return Err("moves in a row state no result; ggf does".to_owned());
            }
            // An empty line is no game.
            let row = Some(row(game, whole)).filter(|row| !row.is_empty());
            row.ok_or_else(|| "a game without moves is no row of them; ggf holds it".to_owned())
        },
    },
];

fn begun(start: Position) -> Whole {
    Whole {
        start,
        plies: Vec::new(),
        players: vec![String::new(); 2],
        result: None,
    }
}

/// The moves in a row. Passes are left out, but for a last one.
fn row(game: &Reversi, whole: &Whole) -> String {
    let last = whole.plies.len().wrapping_sub(1);
    let plies = whole.plies.iter().enumerate();
    let texts = plies.map(|(index, &(_, mv))| match mv {
        Move::PASS if index == last => "--".to_owned(),
        Move::PASS => String::new(),
        _ => game.format_move(mv),
    });
    texts.collect()
}

/// The game in GGF, in one line; its result has the empty squares given to the winner, who has all where
/// the game was not played out.
fn ggf(game: &Reversi, whole: &Whole) -> String {
    let mut position = whole.start;
    let mut moves = String::new();
    for &(_, mv) in &whole.plies {
        let text = game.format_move(mv).replace("pass", "PA");
        moves += &format!("{}[{text}]", ["B", "W"][position.seat()]);
        position = game.play(&position, mv);
    }
    let discs = [1, -1][position.seat()] * game.final_discs(&position);
    let result = game.is_over(&position).then(|| format!("{discs:+}"));
    let squares = game.size() * game.size();
    let stated = || whole.result.map(|result| result.to_ggf(squares));
    let result = result.or_else(stated).unwrap_or("?".to_owned());
    let [black, white] = [BLACK, WHITE].map(|seat| {
        let name = whole.players.get(seat).map_or("", String::as_str);
        // The form has no way to write a bracket.
        name.replace([']', '['], "_")
    });
    let board = game.rows(&whole.start).join(" ");
    let board = format!("{board} {}", SIGNS[whole.start.seat()]).replace('X', "*");
    let size = game.size();
    format!(
        "(;GM[Othello]PC[Alea]PB[{black}]PW[{white}]RE[{result}]TI[0]TY[{size}]BO[{size} {board}]{moves};)"
    )
}

/// Reads games, in GGF if the first sign is a parenthesis or a number, else moves in a row.
fn read(game: &Reversi, text: &str) -> Vec<Result<Whole, TextError>> {
    let signs: Vec<char> = text.chars().collect();
    let mut reader = Reader {
        game,
        signs: &signs,
        next: 0,
        position: game.start(),
        read: begun(game.start()),
        stated: None,
    };
    let games = match signs.iter().find(|sign| !sign.is_whitespace()) {
        Some('(' | '0'..='9') => reader.ggf_games(),
        _ => reader.rows(),
    };
    let games = games.into_iter();
    games
        .map(|game| game.map_err(|error| error.in_lines(text)))
        .collect()
}

struct Reader<'a> {
    game: &'a Reversi,
    signs: &'a [char],
    next: usize,
    /// Where the game that is being read has got to.
    position: Position,
    read: Whole,
    /// What `RE` states.
    stated: Option<StatedResult>,
}

impl Reader<'_> {
    /// Begins a game and gives back the one before it.
    fn begin(&mut self, start: Position) -> Whole {
        (self.position, self.stated) = (start, None);
        mem::replace(&mut self.read, begun(start))
    }

    fn push(&mut self, mv: Move) {
        self.read.plies.push((0, mv));
        self.position = self.game.play(&self.position, mv);
    }

    /// Plays a move that stands at a sign; `seat` makes it, if that is said.
    fn play(&mut self, text: &str, at: usize, seat: Option<Seat>) -> Result<(), TextError> {
        if self.game.is_over(&self.position) {
            return wrong(at + 1, "the game is over before this move");
        }
        let mut passes = ["pass", "pa", "--"].iter();
        let passes = passes.any(|pass| text.eq_ignore_ascii_case(pass));
        if self.position.moves == 0 && !passes {
            self.push(Move::PASS);
        }
        if seat.is_some_and(|seat| seat != self.position.seat()) {
            let side = super::drawing::title(self.position.seat());
            return wrong(at + 1, format!("it is {side}'s turn"));
        }
        let text = if passes { "pass" } else { text };
        let mv = self.game.parse_move(&self.position, text);
        let mv = mv.map_err(|error| TextError::new(at + error.character, error.problem))?;
        self.push(mv);
        Ok(())
    }

    fn peek(&self) -> Option<char> {
        self.signs.get(self.next).copied()
    }

    /// The next signs, at most `length` of them and none beyond `end`.
    fn take(&mut self, length: usize, end: impl Fn(char) -> bool) -> String {
        let rest = self.signs[self.next..].iter().take(length);
        let taken: Vec<char> = rest.copied().take_while(|&sign| !end(sign)).collect();
        self.next += taken.len();
        taken.into_iter().collect()
    }

    fn expect(&mut self, wanted: char) -> Result<(), TextError> {
        if self.peek() != Some(wanted) {
            let found = self.signs.get(self.next);
            return Err(unexpected(self.next, &format!("{wanted:?}"), found));
        }
        self.next += 1;
        Ok(())
    }

    /// One game a line, moves in a row.
    fn rows(&mut self) -> Vec<Result<Whole, TextError>> {
        let mut games = Vec::new();
        loop {
            let read = self.row().map(|()| self.begin(self.game.start()));
            if read.is_err() {
                self.begin(self.game.start());
                self.take(usize::MAX, |sign| sign == '\n');
            }
            games.extend(
                Some(read).filter(|read| !matches!(read, Ok(read) if read.plies.is_empty())),
            );
            if self.next == self.signs.len() {
                return games;
            }
            self.next += 1;
        }
    }

    /// The moves up to the end of the line.
    fn row(&mut self) -> Result<(), TextError> {
        loop {
            let at = self.next;
            match self.signs[at..] {
                [] | ['\n', ..] => return Ok(()),
                [sign, ..] if sign.is_whitespace() => self.next += 1,
                [first, ref rest @ ..] => {
                    // No column is a p.
                    let whole = matches!((first, rest), ('p' | 'P', [_, 's' | 'S', ..]));
                    let text = self.take(if whole { 4 } else { 2 }, char::is_whitespace);
                    self.play(&text, at, None)?;
                }
            }
        }
    }

    /// Games in GGF; a number before each may count the boards of a match.
    fn ggf_games(&mut self) -> Vec<Result<Whole, TextError>> {
        let mut games = Vec::new();
        loop {
            self.take(usize::MAX, |sign| {
                !sign.is_whitespace() && !sign.is_ascii_digit()
            });
            if self.peek().is_none() {
                return games;
            }
            let begin = self.next;
            let game = self.ggf_game();
            if game.is_err() {
                self.begin(self.game.start());
                // A damaged game ends where the next begins.
                let rest = self.signs[begin + 1..].windows(2);
                let next = rest.into_iter().position(|signs| signs == ['(', ';']);
                self.next = next.map_or(self.signs.len(), |next| begin + 1 + next);
            }
            games.push(game);
        }
    }

    fn ggf_game(&mut self) -> Result<Whole, TextError> {
        let begin = self.next;
        self.expect('(')?;
        self.expect(';')?;
        loop {
            self.take(usize::MAX, |sign| !sign.is_whitespace());
            if self.peek() == Some(';') {
                self.next += 1;
                self.expect(')')?;
                let (position, stated) = (self.position, self.stated);
                let mut read = self.begin(self.game.start());
                let set = read.set_result(self.game, &position, stated);
                set.map_err(|problem| TextError::new(begin + 1, problem))?;
                return Ok(read);
            }
            let name_at = self.next;
            let name = self.take(usize::MAX, |sign| !sign.is_ascii_alphabetic());
            self.expect('[')?;
            let at = self.next;
            let value = self.take(usize::MAX, |sign| sign == ']');
            self.expect(']')?;
            match name.as_str() {
                "GM" if !value.eq_ignore_ascii_case("othello") => {
                    return wrong(at + 1, format!("a game of {value:?}, not Othello"));
                }
                "TY" if value.contains(['a', 'k']) => {
                    return wrong(
                        at + 1,
                        "games with another result (anti, komi) are not read",
                    );
                }
                "RE" => self.stated = StatedResult::from_ggf(&value),
                "PB" => self.read.players[BLACK] = value,
                "PW" => self.read.players[WHITE] = value,
                "BO" if self.read.plies.is_empty() => {
                    self.position = self.board(&value, at)?;
                    self.read.start = self.position;
                }
                "BO" => return wrong(name_at + 1, "the board stands before the moves"),
                "B" | "W" => {
                    let seat = if name == "B" { BLACK } else { WHITE };
                    self.play(value.split('/').next().unwrap_or_default(), at, Some(seat))?;
                }
                _ => {}
            }
        }
    }

    /// A board as GGF writes it: its size, rows of `*`, `O` and `-`, and the side to move.
    fn board(&self, value: &str, at: usize) -> Result<Position, TextError> {
        let (size, rest) = value.split_once(' ').unwrap_or((value, ""));
        let own = self.game.size();
        if size != own.to_string() {
            return wrong(
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
            wrong(at + 1, format!("{place}: {problem}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::random::RandomStream;

    const SHORT: &str = "f5d6c3d3c4f4f6f3e6e7d7";

    fn all(game: &Reversi, text: &str) -> Vec<Whole> {
        let games = read(game, text).into_iter();
        games.collect::<Result<_, _>>().unwrap()
    }

    fn one(text: &str) -> Whole {
        let mut games = all(&Reversi::EIGHT, text);
        assert_eq!(games.len(), 1);
        games.remove(0)
    }

    #[test]
    fn moves_in_a_row_are_read_and_written() {
        let game = Reversi::EIGHT;
        let read_back = one(SHORT);
        assert_eq!(read_back.plies.len(), 11);
        assert_eq!(row(&game, &read_back), SHORT);
        assert_eq!(all(&game, " F5 D6 c3\r\n\nf5f6\n").len(), 2);
        assert_eq!(all(&game, ""), []);
    }

    #[test]
    fn a_game_without_moves_is_only_written_where_it_is_read_again() {
        let game = Reversi::EIGHT;
        let plain = one("(;GM[Othello]PB[a]PW[b];)");
        let written = |form: &TranscriptForm<Reversi>| (form.write)(&game, &plain).ok();
        let [ggf, row] = FORMS.each_ref().map(written);
        assert_eq!(one(&ggf.unwrap()), plain);
        assert_eq!(row, None);
    }

    #[test]
    fn a_pass_may_be_left_out_or_written() {
        let game = Reversi::FOUR;
        let mut random = RandomStream::new(1);
        let mut whole = begun(game.start());
        let mut position = game.start();
        // Random games up to the move after the first pass.
        while whole.plies.iter().rev().nth(1) != Some(&(0, Move::PASS)) {
            if game.is_over(&position) {
                (position, whole.plies) = (game.start(), Vec::new());
            }
            let mv = game.random_move(&position, random.next_u64());
            whole.plies.push((0, mv));
            position = game.play(&position, mv);
        }
        let reads = |text: &str, whole: &Whole| {
            let found = all(&game, text);
            assert_eq!(found, std::slice::from_ref(whole), "{text}");
        };
        let text = row(&game, &whole);
        assert!(!text.contains('-'));
        let (before, last) = text.split_at(text.len() - 2);
        for pass in ["", "pass", "PA", "--", " pass "] {
            reads(&format!("{before}{pass}{last}"), &whole);
        }
        whole.plies.pop();
        reads(&row(&game, &whole), &whole);
        reads(&ggf(&game, &whole), &whole);
    }

    #[test]
    fn ggf_is_read_and_written() {
        let board = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
        let text = format!(
            "2 (;GM[Othello]PC[GGS/os]DT[2009.07.02_09:24:22.MDT]PB[ann]PW[bob]RB[2173.03]TI[10:00//02:00]TY[8]\
             RE[?]BO[{board}]B[f5/-1.04/0.01]W[D6//0.01]B[c3];)\n(;GM[Othello]BO[{board}]B[f5];)\n"
        );
        let game = Reversi::EIGHT;
        let games = all(&game, &text);
        assert_eq!(games[0].players, ["ann", "bob"]);
        assert_eq!([0, 1].map(|at| row(&game, &games[at])), ["f5d6c3", "f5"]);
        let written = format!(
            "(;GM[Othello]PC[Alea]PB[ann]PW[bob]RE[?]TI[0]TY[8]BO[{board}]B[f5]W[d6]B[c3];)"
        );
        assert_eq!(ggf(&game, &games[0]), written);
        assert_eq!(one(&written), games[0]);
    }

    #[test]
    fn a_finished_game_has_its_result() {
        let game = Reversi::EIGHT;
        // Black takes every disc with the ninth move: the shortest game that there is.
        let mut whole = one("e6f4e3f6g5d6e7f5c5");
        assert!(ggf(&game, &whole).contains("RE[+64]"), "{whole:?}");
        whole.plies.pop();
        assert!(ggf(&game, &whole).contains("RE[?]"));
    }
}
