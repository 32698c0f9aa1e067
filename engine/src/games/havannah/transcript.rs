//! Whole games of Havannah as other programs write them: Little Golem's SGF, or moves in a row.
//!
//! SGF is `(;FF[4]EV[havannah]PB[name]PW[name]SZ[8];W[g7];B[swap];W[c3])`, several after each other,
//! in Little Golem's coordinates; `resign` or `draw` for a move, or `RE`, says how the game ended
//! there. Moves in a row are
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
    stated_result::StatedResult,
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

/// Black's seat.
const BLACK: Seat = 1;

fn write_row(game: &Havannah, whole: &Whole) -> Result<String, String> {
    if whole.result.is_some() {
        return Err("moves in a row state no result; sgf does".to_owned());
    }
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
    let result = whole.result.map(|result| result.to_sgf(BLACK));
    let result = result.map_or(String::new(), |result| format!("RE[{result}]"));
    let heading = format!("(;FF[4]EV[havannah]PB[{black}]PW[{white}]SZ[{base}]{result}AP[Alea]");
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
fn read(game: &Havannah, text: &str) -> Vec<Result<Whole, TextError>> {
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
    let games = games.into_iter();
    games
        .map(|game| game.map_err(|error| error.in_lines(text)))
        .collect()
}

/// One game a line.
fn rows(game: &Havannah, text: &str) -> Vec<Result<Whole, TextError>> {
    let (mut games, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let whole = row(game, line, at);
        games.extend(
            Some(whole).filter(|whole| !matches!(whole, Ok(whole) if whole.plies.is_empty())),
        );
        at += line.chars().count();
    }
    games
}

/// The game of a line that begins at a sign.
fn row(game: &Havannah, line: &str, mut at: usize) -> Result<Whole, TextError> {
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
    Ok(reading.whole)
}

/// A game that is being read.
struct Reading<'a> {
    game: &'a Havannah,
    position: Position,
    whole: Whole,
    /// What `RE` states.
    stated: Option<StatedResult>,
    /// What stands in place of a last move.
    end: Option<StatedResult>,
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
                result: None,
            },
            stated: None,
            end: None,
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
        if self.end.is_some() {
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

    /// The whole game, with the result that its text states.
    fn finish(mut self) -> Result<Whole, String> {
        if let (Some(stated), Some(end)) = (self.stated, self.end) {
            stated.check(end.payoffs(), "its end")?;
        }
        let stated = self.end.or(self.stated);
        self.whole.set_result(self.game, &self.position, stated)?;
        Ok(self.whole)
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
            "RE" => self.stated = StatedResult::from_sgf(plain, BLACK),
            "W" | "B" if plain.eq_ignore_ascii_case("resign") => {
                self.end = Some(StatedResult::resigned(seat));
            }
            "W" | "B" if plain.eq_ignore_ascii_case("draw") => {
                self.end = Some(StatedResult::DRAW);
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

    fn sgf_games(&mut self) -> Vec<Result<Whole, TextError>> {
        let mut games = Vec::new();
        while self.peek().is_some() {
            let begin = self.next;
            let game = self.sgf_game();
            if game.is_err() {
                self.next = sgf_end(self.signs, begin);
            }
            games.push(game);
        }
        games
    }

    fn sgf_game(&mut self) -> Result<Whole, TextError> {
        let begin = self.next;
        self.game = Reading::new(self.game.game);
        if self.peek() != Some('(') {
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
        let game = std::mem::replace(&mut self.game, next).finish();
        game.map_err(|problem| TextError::new(begin + 1, problem))
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

/// Where a damaged game ends that begins at a sign: behind its last parenthesis, or before a line that
/// begins another game, with a first property that is no move.
fn sgf_end(signs: &[char], begin: usize) -> usize {
    let (mut depth, mut in_value, mut at) = (0, false, begin);
    while let Some(&sign) = signs.get(at) {
        let line = at > begin && signs[at - 1] == '\n';
        if let (true, ['(', ';', a, b, ..]) = (line, &signs[at..])
            && a.is_ascii_uppercase()
            && b.is_ascii_uppercase()
        {
            return at;
        }
        match sign {
            '\\' if in_value => at += 1,
            '[' => in_value = true,
            ']' => in_value = false,
            '(' if !in_value => depth += 1,
            ')' if !in_value => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth <= 0 && sign == ')' && !in_value {
            return at;
        }
    }
    signs.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(game: &Havannah, text: &str) -> Vec<Whole> {
        let games = read(game, text).into_iter();
        games.collect::<Result<_, _>>().unwrap()
    }

    fn one(game: &Havannah, text: &str) -> Whole {
        let mut games = all(game, text);
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0)
    }

    #[test]
    fn games_of_little_golem_are_read_and_written() {
        let game = Havannah::new(8, true);
        let text = "(;FF[4]EV[havannah.in.progress]PB[a\\]b]PW[y]SZ[8]RE[B]GC[ game #1]SO[http://www.littlegolem.com];\
                    W[g7];B[swap];W[J1];b[i2];W[resign])\n(;SZ[8];W[a1])";
        let games = all(&game, text);
        assert_eq!(games[0].players, ["y", "a]b"]);
        let written =
            "(;FF[4]EV[havannah]PB[a\\]b]PW[y]SZ[8]RE[B+R]AP[Alea];W[g7];B[swap];W[j1];B[i2])";
        assert_eq!(write_sgf(&game, &games[0]).unwrap(), written);
        assert_eq!(one(&game, written), games[0]);
        let row = one(&game, " g7 swap\tplay w j3 B i3 ");
        assert_eq!(
            (row.start, row.plies.clone()),
            (games[0].start, games[0].plies.clone())
        );
        assert_eq!(row.players, ["", ""]);
        assert_eq!(write_row(&game, &row).unwrap(), "g7 swap j3 i3");
        assert!(write_row(&game, &games[0]).is_err());
        assert_eq!(all(&game, "a1 b1\r\n\nc1").len(), 2);
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
