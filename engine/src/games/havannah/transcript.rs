//! Whole games of Havannah as other programs write them: Little Golem's SGF, or moves in a row.
//!
//! SGF is `(;FF[4]EV[havannah]PB[name]PW[name]SZ[8];W[g7];B[swap];W[c3])`, several after each other,
//! in Little Golem's coordinates; `resign` or `draw` for a move ends the game there. Moves in a row are
//! one game a line, in HavannahGui's coordinates; `play w` may stand before a move. Either begins at
//! the empty board. Invariant: a game that is read is a legal one, and what is written reads back as
//! the same.

use super::{Havannah, Move, Position};
use crate::core::{
    game::{Game, Seat},
    text::{TextError, joined, wrong},
};
use crate::play::{
    playable::Playable,
    registry::{PlainGame, TranscriptForm},
};

/// A game as it is read and written.
type Whole = PlainGame<Havannah>;

/// The forms by name; either is read as what it is.
pub(super) static FORMS: [TranscriptForm<Havannah>; 2] = [
    TranscriptForm {
        name: "sgf",
        help: "SGF in Little Golem's coordinates",
        read,
        write: write_sgf,
    },
    TranscriptForm {
        name: "transcript",
        help: "moves from the empty board, a game a line: d4 swap e5",
        read,
        write: write_row,
    },
];

/// White and Black in SGF.
const SIGNS: [&str; 2] = ["W", "B"];

/// What stands in place of a move where a game ends early.
const ENDS: [&str; 2] = ["resign", "draw"];

fn write_row(game: &Havannah, whole: &Whole) -> Result<String, String> {
    let names = moves(game, whole)?.map(|mv| game.format_move(mv));
    let row = Some(joined(names, " "));
    // An empty line is no game.
    let row = row.filter(|row| !row.is_empty());
    row.ok_or_else(|| "a game without moves is no row of them; sgf holds it".to_owned())
}

fn write_sgf(game: &Havannah, whole: &Whole) -> Result<String, String> {
    let player = |seat| {
        let name = whole.players.get(seat).map_or("", String::as_str);
        let name = name.replace('\\', "\\\\").replace(']', "\\]");
        name.replace(char::is_control, " ")
    };
    let (white, black, base) = (player(0), player(1), game.base());
    let heading = format!("(;FF[4]EV[havannah]PB[{black}]PW[{white}]SZ[{base}]AP[Alea]");
    let node = |(mv, sign): (Move, &&str)| {
        let name = mv.cell().map(|cell| game.golem_name(cell));
        format!(";{sign}[{}]", name.unwrap_or("swap".to_owned()))
    };
    let nodes = moves(game, whole)?.zip(SIGNS.iter().cycle()).map(node);
    Ok(heading + &nodes.collect::<String>() + ")")
}

fn moves(game: &Havannah, whole: &Whole) -> Result<impl Iterator<Item = Move>, String> {
    if whole.start != game.start() {
        return Err("such games begin at the empty board; jsonl holds others".to_owned());
    }
    Ok(whole.plies.iter().map(|&(_, mv)| mv))
}

/// Reads games, in SGF if the first sign is a parenthesis, else moves in a row.
fn read(game: &Havannah, text: &str) -> Result<Vec<Whole>, TextError> {
    let signs: Vec<char> = text.chars().collect();
    let mut reader = Reader {
        signs: &signs,
        next: 0,
        game: Reading::new(game),
    };
    let games = match text.trim_start().starts_with('(') {
        true => reader.sgf_games(),
        false => rows(game, text),
    };
    games.map_err(|error| error.in_lines(text))
}

/// One game a line.
fn rows(game: &Havannah, text: &str) -> Result<Vec<Whole>, TextError> {
    let (mut games, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let (mut reading, mut seat) = (Reading::new(game), None);
        for word in line.split_inclusive(char::is_whitespace) {
            let name = word.trim_end();
            let sign = SIGNS
                .iter()
                .position(|sign| sign.eq_ignore_ascii_case(name));
            if sign.is_some() {
                seat = sign;
            } else if !name.is_empty() && !name.eq_ignore_ascii_case("play") {
                reading.play(name, at, seat.take(), false)?;
            }
            at += word.chars().count();
        }
        games.extend(Some(reading.whole).filter(|whole| !whole.plies.is_empty()));
    }
    Ok(games)
}

/// A game that is being read.
struct Reading<'a> {
    game: &'a Havannah,
    position: Position,
    whole: Whole,
    has_ended: bool,
}

impl<'a> Reading<'a> {
    fn new(game: &'a Havannah) -> Self {
        Self {
            game,
            position: game.start(),
            whole: PlainGame {
                start: game.start(),
                plies: Vec::new(),
                players: vec![String::new(); 2],
            },
            has_ended: false,
        }
    }

    /// Plays a move that stands at a sign; `seat` makes it, if that is said.
    fn play(
        &mut self,
        name: &str,
        at: usize,
        seat: Option<Seat>,
        golem: bool,
    ) -> Result<(), TextError> {
        let turn = self.position.seat();
        if self.has_ended {
            return wrong(at + 1, "the game is over");
        }
        if seat.is_some_and(|seat| seat != turn) {
            return wrong(
                at + 1,
                format!("it is {}'s turn", self.game.seat_title(turn)),
            );
        }
        let mv = self.game.read_move(&self.position, name, golem);
        let mv = mv.map_err(|error| TextError::new(at + error.character, error.problem))?;
        self.whole.plies.push((0, mv));
        self.position = self.game.play(&self.position, mv);
        Ok(())
    }

    /// Takes a property of SGF that stands at a sign, with one of its values.
    fn property(&mut self, name: &str, value: &str, at: usize) -> Result<(), TextError> {
        let seat = usize::from(name.ends_with('B'));
        let plain = value.trim();
        let blanks = value.chars().take_while(|sign| sign.is_whitespace());
        let at = at + blanks.count();
        match name {
            "SZ" if plain != self.game.base().to_string() => {
                let base = self.game.base();
                return wrong(
                    at + 1,
                    format!("a board of size {plain:?}; this game has {base}"),
                );
            }
            "PW" | "PB" => self.whole.players[seat] = value.to_owned(),
            "W" | "B" if ENDS.iter().any(|end| end.eq_ignore_ascii_case(plain)) => {
                self.has_ended = true;
            }
            "W" | "B" => self.play(plain, at, Some(seat), true)?,
            "AW" | "AB" => return wrong(at + 1, "stones that are set up are not read"),
            _ => {}
        }
        Ok(())
    }
}

/// Signs of SGF, and the game that they say.
struct Reader<'a> {
    signs: &'a [char],
    next: usize,
    game: Reading<'a>,
}

impl Reader<'_> {
    /// The next sign that is no blank.
    fn peek(&mut self) -> Option<char> {
        let blanks = self.signs[self.next..]
            .iter()
            .take_while(|sign| sign.is_whitespace());
        self.next += blanks.count();
        self.signs.get(self.next).copied()
    }

    fn sgf_games(&mut self) -> Result<Vec<Whole>, TextError> {
        let mut games = Vec::new();
        while let Some(sign) = self.peek() {
            if sign != '(' {
                return wrong(self.next + 1, "expected '(', which begins a game");
            }
            self.next += 1;
            loop {
                match self.peek() {
                    Some(';') => self.next += 1,
                    Some(')') => break,
                    Some('(') => return wrong(self.next + 1, "variations are not read"),
                    _ => self.property()?,
                }
            }
            self.next += 1;
            let next = Reading::new(self.game.game);
            games.push(std::mem::replace(&mut self.game, next).whole);
        }
        Ok(games)
    }

    /// A name and its values.
    fn property(&mut self) -> Result<(), TextError> {
        let (signs, at) = (self.signs, self.next);
        let letters = signs[at..]
            .iter()
            .take_while(|sign| sign.is_ascii_alphabetic());
        let name: String = letters.map(char::to_ascii_uppercase).collect();
        self.next += name.len();
        if name.is_empty() || self.peek() != Some('[') {
            return wrong(self.next + 1, "expected a property, as W[d4]");
        }
        while self.peek() == Some('[') {
            let begin = self.next + 1;
            let mut value = String::new();
            self.next = begin;
            loop {
                let sign = signs.get(self.next);
                self.next += 1;
                match sign {
                    None => return wrong(signs.len() + 1, "expected ']', found the end"),
                    Some(']') => break,
                    Some('\\') => {
                        value.extend(signs.get(self.next));
                        self.next += 1;
                    }
                    Some(&sign) => value.push(sign),
                }
            }
            self.game.property(&name, &value, begin)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(game: &Havannah, text: &str) -> Whole {
        let mut games = read(game, text).unwrap();
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0)
    }

    #[test]
    fn games_of_little_golem_are_read_and_written() {
        let game = Havannah::new(8, true);
        let text = "(;FF[4]EV[havannah.in.progress]PB[a\\]b]PW[y]SZ[8]RE[B]GC[ game #1]SO[http://www.littlegolem.com];\
                    W[g7];B[swap];W[J1];b[i2];W[resign])\n(;SZ[8];W[a1])";
        let games = read(&game, text).unwrap();
        assert_eq!(games[0].players, ["y", "a]b"]);
        assert_eq!(write_row(&game, &games[0]).unwrap(), "g7 swap j3 i3");
        let written = "(;FF[4]EV[havannah]PB[a\\]b]PW[y]SZ[8]AP[Alea];W[g7];B[swap];W[j1];B[i2])";
        assert_eq!(write_sgf(&game, &games[0]).unwrap(), written);
        assert_eq!(one(&game, written), games[0]);
        let row = one(&game, " g7 swap\tplay w j3 B i3 ");
        assert_eq!(
            (row.start, row.plies),
            (games[0].start, games[0].plies.clone())
        );
        assert_eq!(row.players, ["", ""]);
        assert_eq!(read(&game, "a1 b1\r\n\nc1").unwrap().len(), 2);
    }

    #[test]
    fn games_that_a_form_cannot_hold_are_refused() {
        let game = Havannah::new(5, true);
        let mut whole = one(&game, "(;)");
        assert_eq!(one(&game, &write_sgf(&game, &whole).unwrap()), whole);
        assert!(write_row(&game, &whole).is_err());
        whole.start = game.parse_position("d4").unwrap();
        assert!(write_sgf(&game, &whole).is_err());
    }
}
