//! Texts of positions and plays.
//!
//! A position is GNU Backgammon's position ID, the seat on roll (`w` or `b`) and the roll (larger
//! die first) or `-`. Without the seat the position names none and is written without; an XGID is
//! read as well, X being White. A play is the steps of each man, such as `13/7*/5 24/18(2)`, or
//! `pass`; a roll may precede it (`31: 8/5 6/5`).

use super::{
    BLACK, Backgammon, Men, Play, Position, UNNAMED_SEAT, WHITE,
    men::BAR,
    position_id::{check_men, format_position_id, parse_position_id},
    rolls::{NUM_ROLLS, ROLL_NAMES, roll_number},
};
use alea_core::text::{TextError, error_at, joined};

/// Names of the seats in texts.
pub(crate) const SEAT_NAMES: [&str; 2] = ["w", "b"];

const XGID_START: &str = "XGID=";

/// Points of an XGID: the top side's bar, 24 points from the bottom side's view, its bar.
const XGID_POINTS: usize = 26;

impl Backgammon {
    /// Parses a position with its roll, if the text has one.
    ///
    /// # Errors
    /// If the text is no position; the error has the character.
    pub fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        if text.starts_with(XGID_START) {
            return parse_xgid(text);
        }
        let words: Vec<&str> = text.split(' ').collect();
        let (id, rest) = (words[0], &words[1..]);
        let (seat, roll) = match rest {
            [] => (None, "-"),
            [roll] => (None, *roll),
            [seat, roll] => (Some(*seat), *roll),
            _ => {
                let start = words[..3].iter().map(|word| word.chars().count() + 1);
                return error_at(start.sum::<usize>() + 1, "nothing may follow the roll");
            }
        };
        let (mover, other) = parse_position_id(id)?;
        let seat = match seat {
            None => UNNAMED_SEAT,
            Some(name) => match SEAT_NAMES.iter().position(|&seat| seat == name) {
                Some(seat) => seat as u8,
                None => {
                    return error_at(id.len() + 2, "the seat on roll is w (White) or b (Black)");
                }
            },
        };
        let character = text.chars().count() - roll.chars().count() + 1;
        let position = Position { mover, other, seat };
        Ok((position, parse_roll(roll, character)?))
    }

    /// Formats a position; see the module.
    pub fn format_position(&self, position: &Position, roll: Option<u8>) -> String {
        let id = format_position_id(position.mover, position.other);
        let roll = roll.and_then(|roll| ROLL_NAMES.get(usize::from(roll)));
        let seat = SEAT_NAMES.get(usize::from(position.seat));
        joined(
            [Some(&&*id), seat, Some(roll.unwrap_or(&"-"))]
                .into_iter()
                .flatten(),
            " ",
        )
    }

    /// Formats a position as XGID: a money game without the cube; White is X.
    pub fn format_xgid(&self, position: &Position, roll: Option<u8>) -> String {
        let [white, black] = [WHITE, BLACK].map(|seat| position.men(seat).counts());
        let sign = |point: usize| {
            let on = |counts: &[u8; 25], point: usize| match point {
                0 => 0,
                _ => counts[point - 1],
            };
            match (on(&white, point), on(&black, 25 - point)) {
                (0, 0) => '-',
                (men, 0) => char::from(b'A' - 1 + men),
                (_, men) => char::from(b'a' - 1 + men),
            }
        };
        let board: String = (0..XGID_POINTS).map(sign).collect();
        let turn = [1, -1][position.seat()];
        let roll = roll.and_then(|roll| ROLL_NAMES.get(usize::from(roll)));
        let dice = roll.unwrap_or(&"00");
        format!("{XGID_START}{board}:0:0:{turn}:{dice}:0:0:0:0:10")
    }

    /// Parses a play of a roll, or of the first of those rolls that make it with the fewest steps:
    /// men in any order, `*` for hits and the points between may be left out.
    ///
    /// # Errors
    /// If the text is no play or not one of the roll; the error has the character.
    pub fn parse_play(
        &self,
        position: &Position,
        roll: Option<usize>,
        text: &str,
    ) -> Result<Play, TextError> {
        let (prefix, steps) = text
            .split_once(':')
            .map_or((None, text), |(roll, steps)| (Some(roll), steps));
        let before = prefix.map_or(0, |prefix| prefix.chars().count() + 1);
        let named = match prefix {
            Some(prefix) => parse_roll(prefix.trim(), 1)?.map(usize::from),
            None => None,
        };
        let wanted = ParsedPlay::parse(steps, before)?;
        let rolls = match roll.or(named) {
            Some(roll) => roll..(roll + 1).min(NUM_ROLLS),
            None => 0..NUM_ROLLS,
        };
        let mut best: Option<((u32, usize), Play)> = None;
        for roll in rolls
            .clone()
            .filter(|&roll| named.is_none_or(|named| named == roll))
        {
            position.visit_plays(roll, |play| {
                let further = wanted.further_hits(position, play);
                let rank = further.map(|hits| (hits, play.steps().count()));
                if let Some(rank) = rank.filter(|rank| best.is_none_or(|(least, _)| *rank < least))
                {
                    best = Some((rank, play));
                }
            });
        }
        best.map(|(_, play)| play).ok_or_else(|| {
            let roll = match rolls.len() {
                1 => ROLL_NAMES[rolls.start],
                _ => "this position",
            };
            TextError::new(1, format!("'{text}' is no play of {roll}"))
        })
    }

    /// Formats a play.
    pub fn format_play(&self, position: &Position, play: Play) -> String {
        let mut chains: Vec<Vec<(u8, bool)>> = Vec::new();
        position.follow(play, |from, to, hits| {
            let ends_there =
                |chain: &&mut Vec<(u8, bool)>| chain.last().is_some_and(|end| end.0 == from);
            match chains.iter_mut().find(ends_there) {
                Some(chain) => chain.push((to, hits)),
                None => chains.push(vec![(from, false), (to, hits)]),
            }
        });
        if chains.is_empty() {
            return PASS.to_owned();
        }
        for chain in &mut chains {
            let end = chain.len() - 1;
            let mut index = 0;
            chain.retain(|&(_, hits)| {
                index += 1;
                hits || index == 1 || index == end + 1
            });
        }
        chains.sort_by(|one, other| other.cmp(one));
        let points = |chain: &[(u8, bool)]| chain.iter().map(|point| point.0).collect::<Vec<_>>();
        let groups = chains.chunk_by(|one, other| points(one) == points(other));
        let texts = groups.map(|group| {
            let point =
                |&(point, hits): &(u8, bool)| format_point(point) + if hits { "*" } else { "" };
            let text = joined(group[0].iter().map(point), "/");
            match group.len() {
                1 => text,
                count => format!("{text}({count})"),
            }
        });
        joined(texts, " ")
    }
}

/// Text of a play without steps.
const PASS: &str = "pass";

/// Further texts of a play without steps, in lower case.
const PASSES: [&str; 5] = [PASS, "cannot move", "can't move", "no move", "no play"];

fn format_point(point: u8) -> String {
    match point {
        0 => "off".to_owned(),
        BAR => "bar".to_owned(),
        _ => point.to_string(),
    }
}

/// Change of the mover's men by point (0: borne off), and points where the text says that a blot is
/// hit.
#[derive(Default)]
struct ParsedPlay {
    change: [i32; BAR as usize + 1],
    hits: u32,
}

impl ParsedPlay {
    fn parse(text: &str, before: usize) -> Result<Self, TextError> {
        let mut parsed = Self::default();
        let lower = text.trim().trim_end_matches('.').to_ascii_lowercase();
        if PASSES.contains(&&*lower) {
            return Ok(parsed);
        }
        let (mut character, mut words) = (before + 1, 0);
        for word in text.split(|sign: char| sign.is_whitespace() || sign == ',') {
            if !word.is_empty() {
                parsed.read_word(word, character)?;
                words += 1;
            }
            character += word.chars().count() + 1;
        }
        if words == 0 {
            return error_at(before + 1, "a play is steps such as 8/5 6/5, or pass");
        }
        Ok(parsed)
    }

    /// Reads the steps of one man or of several, such as `24/18*(2)`.
    fn read_word(&mut self, word: &str, character: usize) -> Result<(), TextError> {
        let count = word
            .strip_suffix(')')
            .and_then(|word| word.rsplit_once('('));
        let (points, count) = match count {
            None => (word, 1),
            Some((points, count)) => match count.parse() {
                Ok(count @ 1..=4) => (points, count),
                _ => return error_at(character, "a number of men is 1 to 4"),
            },
        };
        let mut from = None;
        for point in points.split('/') {
            let name = point.trim_end_matches('*');
            let to = match name.to_ascii_lowercase().as_str() {
                "bar" => BAR,
                "off" => 0,
                number => match number.parse() {
                    Ok(point @ 0..=BAR)
                        if number.starts_with(|sign: char| sign.is_ascii_digit()) =>
                    {
                        point
                    }
                    _ => return error_at(character, "a point is 1 to 24, bar or off"),
                },
            };
            if let Some(from) = from.replace(to) {
                if to >= from {
                    return error_at(character, "men move to lower points");
                }
                self.change[usize::from(from)] -= count;
                self.change[usize::from(to)] += count;
            }
            self.hits |= u32::from(name.len() < point.len()) << to;
        }
        if !points.contains('/') {
            return error_at(character, "a step is two points such as 8/5");
        }
        Ok(())
    }

    /// Number of hits of a play that the text does not say; `None` if it means another play.
    fn further_hits(&self, position: &Position, play: Play) -> Option<u32> {
        let (mut hits, mut change) = (0, self.change);
        position.follow(play, |from, to, hit| {
            change[usize::from(from)] += 1;
            change[usize::from(to)] -= 1;
            hits |= u32::from(hit) << to;
        });
        let is_meant = change == [0; BAR as usize + 1] && self.hits & !hits == 0;
        is_meant.then_some((hits & !self.hits).count_ones())
    }
}

fn parse_roll(text: &str, character: usize) -> Result<Option<u8>, TextError> {
    if text == "-" {
        return Ok(None);
    }
    let roll = match text.as_bytes() {
        &[one, other] => roll_number(one.wrapping_sub(b'0'), other.wrapping_sub(b'0')),
        _ => None,
    };
    match roll {
        Some(roll) => Ok(Some(roll as u8)),
        None => error_at(character, "a roll is two dice such as 31, or - before it"),
    }
}

fn parse_xgid(text: &str) -> Result<(Position, Option<u8>), TextError> {
    let fields: Vec<&str> = text[XGID_START.len()..].split(':').collect();
    let start = XGID_START.len() + 1;
    let start_of = |field: usize| {
        let before = fields[..field]
            .iter()
            .map(|field| field.chars().count() + 1);
        start + before.sum::<usize>()
    };
    let [board, _, _, turn, rest @ ..] = fields.as_slice() else {
        return error_at(
            start,
            "an XGID is points, cube, its owner, turn and dice, divided by ':'",
        );
    };
    if board.chars().count() != XGID_POINTS {
        return error_at(start, "the points of an XGID are 26 characters");
    }
    let mut sides = [[0; 25]; 2];
    for (point, sign) in board.chars().enumerate() {
        let (seat, men, index) = match sign {
            '-' => continue,
            'A'..='O' => (WHITE, sign as u8 - b'A' + 1, point),
            'a'..='o' => (BLACK, sign as u8 - b'a' + 1, 25 - point),
            _ => return error_at(start + point, "men of an XGID are A to O, a to o and -"),
        };
        match index {
            0 => return error_at(start + point, "the other side has this bar"),
            _ => sides[seat][index - 1] = men,
        }
    }
    let seat = match *turn {
        "1" => WHITE,
        "-1" => BLACK,
        _ => return error_at(start_of(3), "the turn of an XGID is 1 or -1"),
    };
    let [Some(white), Some(black)] = sides.map(Men::from_counts) else {
        return error_at(start, "a side has more than 15 men");
    };
    let (mover, other) = if seat == WHITE {
        (white, black)
    } else {
        (black, white)
    };
    check_men(mover, other).map_err(|problem| TextError::new(start, problem))?;
    let dice = rest.first().copied().unwrap_or("00");
    let dice = if ["00", "D", "B", "R"].contains(&dice) {
        "-"
    } else {
        dice
    };
    let roll = parse_roll(dice, start_of(4))?;
    Ok((Position::new(mover, other, seat), roll))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{game::Game, random::RandomStream, search_game::Playouts};

    const GAME: Backgammon = Backgammon;

    fn position(text: &str) -> Position {
        GAME.parse_position(text).unwrap().0
    }

    #[test]
    fn texts_of_random_games_read_back() {
        let mut random = RandomStream::new(4);
        for first in [WHITE, BLACK] {
            let mut position = GAME.start(first);
            for ply in 0.. {
                if GAME.payoffs(&position).is_some() {
                    break;
                }
                for (roll, name) in ROLL_NAMES.iter().enumerate().skip(ply % 6).step_by(6) {
                    let outcome = Some(roll as u8);
                    for text in [
                        GAME.format_position(&position, outcome),
                        GAME.format_xgid(&position, outcome),
                    ] {
                        assert_eq!(
                            GAME.parse_position(&text),
                            Ok((position, outcome)),
                            "{text}"
                        );
                    }
                    position.visit_plays(roll, |play| {
                        let text = GAME.format_play(&position, play);
                        let read = GAME.parse_play(&position, Some(roll), &text);
                        assert_eq!(read, Ok(play), "{text}");
                        let read = GAME.parse_play(&position, None, &format!("{name}: {text}"));
                        assert_eq!(read, Ok(play), "{text}");
                    });
                }
                position = GAME.play(&position, GAME.sample_move(&position, random.next_u64()));
            }
            let text = GAME.format_position(&position, None);
            assert_eq!(GAME.parse_position(&text), Ok((position, None)), "{text}");
        }
    }

    #[test]
    fn positions_without_a_seat_stay_so() {
        let (start, roll) = GAME.parse_position("4HPwATDgc/ABMA 13").unwrap();
        assert_eq!(
            (start.seat(), roll),
            (WHITE, roll_number(3, 1).map(|roll| roll as u8))
        );
        let play = GAME.parse_play(&start, None, "6/5,8/5").unwrap();
        assert_eq!(play.roll(), 3);
        let after = GAME.play(&start, play);
        let text = GAME.format_position(&after, None);
        assert_eq!(
            text,
            "4HPwATDgc/ABMA -".replace("4HPwATDgc/ABMA", text.split(' ').next().unwrap())
        );
        assert_eq!((after.seat(), position(&text)), (BLACK, after));
        assert_ne!(start, GAME.start(WHITE));
        assert_eq!(
            GAME.format_position(&GAME.start(BLACK), None),
            "4HPwATDgc/ABMA b -"
        );
        assert_eq!(position("4HPwATDgc/ABMA w 66"), GAME.start(WHITE));
        assert_eq!(position("4HPwATDgc/ABMA"), start);
    }

    #[test]
    fn an_xgid_is_read_with_its_turn_and_dice() {
        let text = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:52:3:1:0:7:10";
        let (start, roll) = GAME.parse_position(text).unwrap();
        assert_eq!(
            (start, roll),
            (GAME.start(BLACK), roll_number(5, 2).map(|roll| roll as u8))
        );
        assert_eq!(
            GAME.format_xgid(&start, None),
            "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10"
        );
        assert_eq!(
            position("XGID=aA----------------------bB:0:0:1:D")
                .men(BLACK)
                .on(25),
            1
        );
    }

    #[test]
    fn plays_are_written_and_read_as_players_do() {
        let of = |id: &str, roll: &str, text: &str| {
            let roll = ROLL_NAMES.iter().position(|&name| name == roll);
            GAME.parse_play(&position(id), roll, text)
                .map(|play| GAME.format_play(&position(id), play))
                .map_err(|error| error.to_string())
        };
        let start = "4HPwATDgc/ABMA";
        for (roll, text, expected) in [
            ("31", "6/5 8/5", "8/5 6/5"),
            ("65", "24/18/13", "24/13"),
            ("65", "24-13", ""),
            ("66", "24/18(2) 13/7(2)", "24/18(2) 13/7(2)"),
            ("66", "24/18, 13/7, 24/18, 13/7", "24/18(2) 13/7(2)"),
            ("31", "8/5", ""),
            ("31", "8/5* 6/5", ""),
            ("31", "pass", ""),
        ] {
            let read = of(start, roll, text).unwrap_or_default();
            assert_eq!(read, expected, "{text}");
        }
        let xgid = "XGID=-b----E-C---eD---c-e-b---A:0:0:1";
        assert!(GAME.parse_position(xgid).is_err());
        let xgid = "XGID=-a-aBBC-A---dE---d-e----B-:0:0:1:21";
        assert_eq!(of(xgid, "21", "4/3 5/3").unwrap(), "5/3* 4/3");
        assert_eq!(of(xgid, "21", "4/1").unwrap(), "4/1*");
        assert_eq!(of(xgid, "21", "4/3*/1").unwrap(), "4/3*/1*");
        assert_eq!(of(xgid, "42", "5/1 6/4").unwrap(), "6/4 5/1*");
        let on_bar = "XGID=-b----E-C---eE---c-e----AA:0:0:1:31";
        assert_eq!(of(on_bar, "41", "Bar/21 6/5").unwrap(), "bar/21 6/5");
        assert_eq!(of(on_bar, "41", "25/24/20").unwrap(), "bar/20");
        assert_eq!(of(on_bar, "66", "cannot move.").unwrap(), "pass");
        let bear_off = "XGID=-BBBBBB------------------b:0:0:1:31";
        assert!(GAME.parse_position(bear_off).is_err());
        let bear_off = "XGID=-BBBBBB----------------bb-:0:0:1:31";
        assert_eq!(
            of(bear_off, "66", "6/off(2) 5/0(2)").unwrap(),
            "6/off(2) 5/off(2)"
        );
        for wrong in [
            "", ",", "6", "6/", "6/26", "6/x", "5/6", "6/5(5)", "6/5(x)", "7:6/5", "+6/5",
        ] {
            let error = of(start, "31", wrong).unwrap_err();
            assert!(!error.is_empty() && error.len() < 90, "{error}");
        }
    }

    #[test]
    fn texts_that_are_no_positions_are_refused_at_their_character() {
        for (text, character) in [
            ("", 1),
            ("4HPwATDgc/ABM", 14),
            ("4HPwATDgc/ABMAA", 15),
            ("4HPwATDgc/AB?A -", 13),
            ("/////////////w", 1),
            ("4HPwATDgc/ABMA x -", 16),
            ("4HPwATDgc/ABMA 71", 16),
            ("4HPwATDgc/ABMA w ", 18),
            ("4HPwATDgc/ABMA w 31 x", 21),
            ("AAAAAAAAAAAAAA", 1),
            ("XGID=-b", 6),
            ("XGID=Ab----E-C---eE---c-e----B-:0:0:1", 6),
            ("XGID=-b----E-C---eE---c-e----B-:0:0:2:00", 37),
        ] {
            let error = GAME.parse_position(text).unwrap_err();
            assert_eq!(error.character, character, "{text}: {error}");
        }
    }
}
