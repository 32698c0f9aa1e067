//! Texts of positions and plays.
//!
//! A position is GNU Backgammon's position ID, the seat on roll (`w` or `b`, or nothing if unnamed)
//! and the roll (larger die first) or `-`. An XGID is read as well, X being White. A play is the
//! steps of each man, such as `13/7*/5 24/18(2)`, or `pass`.

use super::{
    BLACK, Backgammon, Men, Play, Position, UNNAMED_SEAT, WHITE,
    men::BAR,
    position_id::{ID_LENGTH, check_men, format_position_id, parse_position_id},
    rolls::{NUM_ROLLS, ROLL_NAMES, roll_named},
};
use alea_core::text::{TextError, error_at, joined};

const XGID_START: &str = "XGID=";

const PASS: &str = "pass";

const PASSES: [&str; 4] = [PASS, "cannot move", "can't move", "no move"];

impl Backgammon {
    /// Parses a position with its roll, if the text has one.
    ///
    /// # Errors
    /// If the text is no position; the error has the character.
    pub fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        if let Some(fields) = text.strip_prefix(XGID_START) {
            return parse_xgid(fields)
                .map_err(|problem| TextError::new(XGID_START.len() + 1, problem));
        }
        let mut words = text.split(' ');
        let (mover, other) = parse_position_id(words.next().unwrap_or_default())?;
        let (seat, roll) = match *words.collect::<Vec<_>>().as_slice() {
            [] => (UNNAMED_SEAT, "-"),
            [roll] => (UNNAMED_SEAT, roll),
            ["w", roll] => (WHITE as u8, roll),
            ["b", roll] => (BLACK as u8, roll),
            _ => {
                return error_at(
                    ID_LENGTH + 2,
                    "after the ID: w or b, if named, and the roll",
                );
            }
        };
        let roll = match (roll, roll_named(roll)) {
            ("-", _) => None,
            (_, Some(roll)) => Some(roll as u8),
            _ => {
                let problem = "a roll is two dice such as 31, or - before it";
                return error_at(text.len() - roll.len() + 1, problem);
            }
        };
        Ok((Position { mover, other, seat }, roll))
    }

    /// Formats a position as position ID, seat (unless unnamed) and roll, or `-` before it.
    pub fn format_position(&self, position: &Position, roll: Option<u8>) -> String {
        let id = format_position_id(position.mover, position.other);
        let seat = ["w ", "b "].get(usize::from(position.seat));
        format!("{id} {}{}", seat.unwrap_or(&""), roll_text(roll, "-"))
    }

    /// Formats a position as XGID: a money game without the cube; White is X.
    pub fn format_xgid(&self, position: &Position, roll: Option<u8>) -> String {
        let mut board = ['-'; 26];
        for index in 0..25 {
            let [white, black] = [WHITE, BLACK].map(|seat| position.men(seat).counts()[index]);
            if white > 0 {
                board[index + 1] = char::from(b'A' - 1 + white);
            }
            if black > 0 {
                board[24 - index] = char::from(b'a' - 1 + black);
            }
        }
        let (board, turn) = (String::from_iter(board), [1, -1][position.seat()]);
        let dice = roll_text(roll, "00");
        format!("{XGID_START}{board}:0:0:{turn}:{dice}:0:0:0:0:10")
    }

    /// Parses a play of `roll`; without one, that of any roll which makes it with the fewest hits
    /// not in the text, then the fewest steps, then first. Men may be in any order; `*` for hits
    /// and the points between may be left out.
    ///
    /// # Errors
    /// If the text is no play or not one of the roll; the error has the character.
    pub fn parse_play(
        &self,
        position: &Position,
        roll: Option<usize>,
        text: &str,
    ) -> Result<Play, TextError> {
        let wanted = ParsedPlay::parse(text)?;
        let rolls = match roll {
            _ if self.points_won(position, WHITE).is_some() => 0..0,
            Some(roll) => roll..(roll + 1).min(NUM_ROLLS),
            None => 0..NUM_ROLLS,
        };
        let mut best: Option<((u32, usize), Play)> = None;
        for roll in rolls {
            position.visit_plays(roll, |play| {
                let further = wanted.further_hits(position, play);
                let rank = further.map(|hits| (hits, play.steps().count()));
                if rank.is_some_and(|rank| best.is_none_or(|(least, _)| rank < least)) {
                    best = rank.map(|rank| (rank, play));
                }
            });
        }
        best.map(|(_, play)| play).ok_or_else(|| {
            let roll = roll.map_or("this position", |roll| ROLL_NAMES[roll]);
            TextError::new(1, format!("'{text}' is no play of {roll}"))
        })
    }

    /// Formats a play.
    pub fn format_play(&self, position: &Position, play: Play) -> String {
        // Path of each man: start, points with a hit, end; with whether he hits there.
        let mut paths: Vec<Vec<(u8, bool)>> = Vec::new();
        position.visit_steps(play, |from, to, hits| {
            let mut ending = paths
                .iter_mut()
                .filter(|path| path[path.len() - 1].0 == from);
            if let Some(path) = ending.next() {
                path.pop_if(|point| !point.1);
                path.push((to, hits));
            } else {
                paths.push(vec![(from, true), (to, hits)]);
            }
        });
        paths.sort_by(|one, other| other.cmp(one));
        let points = |path: &[(u8, bool)]| path.iter().map(|point| point.0).collect::<Vec<_>>();
        let groups = paths.chunk_by(|one, other| points(one) == points(other));
        let texts = groups.map(|group| {
            let (start, path) = (format_point(group[0][0].0), &group[0][1..]);
            let hit = |hits: bool| if hits { "*" } else { "" };
            let steps = path
                .iter()
                .map(|point| format!("/{}{}", format_point(point.0), hit(point.1)));
            let steps: String = steps.collect();
            match group.len() {
                1 => start + &steps,
                count => format!("{start}{steps}({count})"),
            }
        });
        match joined(texts, " ") {
            none if none.is_empty() => PASS.to_owned(),
            text => text,
        }
    }
}

/// Name of a roll, or the text `none` before it.
pub(crate) fn roll_text(roll: Option<u8>, none: &'static str) -> &'static str {
    let name = roll.and_then(|roll| ROLL_NAMES.get(usize::from(roll)));
    name.copied().unwrap_or(none)
}

fn format_point(point: u8) -> String {
    match point {
        0 => "off".to_owned(),
        BAR => "bar".to_owned(),
        _ => point.to_string(),
    }
}

/// Play as text: change of the mover's [`Men`], set of points with a hit (bit p: point p), number
/// of men that move.
#[derive(Default)]
struct ParsedPlay {
    change: u128,
    hits: u32,
    men: u32,
}

impl ParsedPlay {
    fn parse(text: &str) -> Result<Self, TextError> {
        let mut parsed = Self::default();
        let lower = text.trim().trim_end_matches('.').to_ascii_lowercase();
        if PASSES.contains(&&*lower) {
            return Ok(parsed);
        }
        let mut character = 1;
        for word in text.split([' ', '\t', ',']) {
            if !word.is_empty() && parsed.add_word(&word.to_ascii_lowercase()).is_none() {
                return error_at(character, "steps are such as 8/5, bar/20*/14 or 6/off(2)");
            }
            character += word.chars().count() + 1;
        }
        match parsed.men {
            1..=4 => Ok(parsed),
            _ => error_at(1, "a play is the steps of one to four men, or pass"),
        }
    }

    /// Adds the steps of one man, or of several such as `24/18*(2)`; `None` if they are malformed.
    fn add_word(&mut self, word: &str) -> Option<()> {
        let counted = word.strip_suffix(')').and_then(|word| word.split_once('('));
        let (path, count) = match counted {
            Some((path, count)) => (path, count.parse().ok().filter(|&count: &u32| count <= 4)?),
            None => (word, 1),
        };
        let (mut from, mut steps) = (BAR + 1, 0);
        for point in path.split('/') {
            let name = point.trim_end_matches('*');
            let to = match name {
                "bar" => BAR,
                "off" => 0,
                number => number.parse().ok().filter(|_| !number.starts_with('+'))?,
            };
            if to >= from {
                return None;
            }
            let nibble = |point: u8| u128::from(count) << (4 * point) >> 4;
            if from <= BAR {
                self.change = self
                    .change
                    .wrapping_add(nibble(to))
                    .wrapping_sub(nibble(from));
                steps += 1;
            }
            self.hits |= u32::from(name.len() < point.len()) << to;
            from = to;
        }
        self.men = self.men.saturating_add(count);
        (steps > 0).then_some(())
    }

    /// Number of hits of `play` that the text leaves out; `None` if the text means another play.
    fn further_hits(&self, position: &Position, play: Play) -> Option<u32> {
        let mut hits = 0;
        let after = position.visit_steps(play, |_, to, hit| hits |= u32::from(hit) << to);
        let is_meant = after.other.0 == position.mover.0.wrapping_add(self.change);
        (is_meant && self.hits & !hits == 0).then(|| (hits & !self.hits).count_ones())
    }
}

fn parse_xgid(fields: &str) -> Result<(Position, Option<u8>), String> {
    let fields: Vec<&str> = fields.split(':').collect();
    let error = "an XGID is 26 points (A to O, a to o, -), cube, owner, turn (1, -1) and dice";
    let [board, _, _, turn, rest @ ..] = fields.as_slice() else {
        return Err(error.to_owned());
    };
    let mut sides = [[0; 25]; 2];
    for (point, sign) in board.chars().enumerate() {
        let man = match sign {
            '-' => continue,
            'A'..='O' => (WHITE, point.wrapping_sub(1), sign as u8 - b'A' + 1),
            'a'..='o' => (BLACK, 24usize.wrapping_sub(point), sign as u8 - b'a' + 1),
            _ => return Err(error.to_owned()),
        };
        *sides[man.0].get_mut(man.1).ok_or(error)? = man.2;
    }
    let seat = ["1", "-1"].iter().position(|name| name == turn);
    let seat = seat.filter(|_| board.len() == 26).ok_or(error)?;
    let dice = rest.first().copied().unwrap_or("00");
    let roll = roll_named(dice).map(|roll| roll as u8);
    if roll.is_none() && !["00", "D", "B", "R"].contains(&dice) {
        return Err(error.to_owned());
    }
    let [Some(mover), Some(other)] = [sides[seat], sides[1 - seat]].map(Men::from_counts) else {
        return Err("a side has more than 15 men".to_owned());
    };
    check_men(mover, other)?;
    Ok((Position::new(mover, other, seat), roll))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions_of_random_games;
    use alea_core::game::Game;

    const GAME: Backgammon = Backgammon;

    fn position(text: &str) -> Position {
        GAME.parse_position(text).unwrap().0
    }

    #[test]
    fn texts_of_random_games_read_back() {
        for (position, roll) in positions_of_random_games(8, 4).iter().zip((0..21).cycle()) {
            for roll in [None, Some(roll)] {
                let texts = [
                    GAME.format_position(position, roll),
                    GAME.format_xgid(position, roll),
                ];
                for text in texts {
                    assert_eq!(GAME.parse_position(&text), Ok((*position, roll)), "{text}");
                }
            }
            let roll = usize::from(roll);
            if GAME.payoffs(position).is_none() {
                position.visit_plays(roll, |play| {
                    let text = GAME.format_play(position, play);
                    let read = GAME.parse_play(position, Some(roll), &text);
                    assert_eq!(read, Ok(play), "{text}");
                });
            }
        }
    }

    #[test]
    fn positions_without_a_seat_stay_so() {
        let (start, roll) = GAME.parse_position("4HPwATDgc/ABMA 13").unwrap();
        assert_eq!((start.seat(), roll), (WHITE, Some(3)));
        let play = GAME.parse_play(&start, None, "6/5,8/5").unwrap();
        assert_eq!(play.roll(), 3);
        let after = GAME.play(&start, play);
        let text = GAME.format_position(&after, None);
        assert!(
            text.len() == ID_LENGTH + 2 && text.ends_with(" -"),
            "{text}"
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
        assert_eq!(
            GAME.parse_position(text),
            Ok((GAME.start(BLACK), roll_named("52").map(|roll| roll as u8)))
        );
        let start = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10";
        assert_eq!(GAME.format_xgid(&GAME.start(BLACK), None), start);
        assert_eq!(
            position("XGID=aA----------------------bB:0:0:1:D")
                .men(BLACK)
                .count_on(25),
            1
        );
    }

    /// Lines of a position, a roll, the text of a play, and how it is written (nothing: refused).
    const PLAYS: &str = "\
4HPwATDgc/ABMA|31|6/5 8/5|8/5 6/5
4HPwATDgc/ABMA|65|24/18/13|24/13
4HPwATDgc/ABMA|65|24-13|
4HPwATDgc/ABMA|66|24/18, 13/7,24/18 13/7|24/18(2) 13/7(2)
4HPwATDgc/ABMA|66|24/18(2) 13/7(2)|24/18(2) 13/7(2)
4HPwATDgc/ABMA|31|8/5* 6/5|
4HPwATDgc/ABMA|31|pass|
4HPwATDgc/ABMA|31|8/5 6/5 6/5 6/5 6/5|
XGID=-a-aBBC-A---dE---d-e----B-:0:0:1|21|4/3 5/3|5/3* 4/3
XGID=-a-aBBC-A---dE---d-e----B-:0:0:1|21|4/1|4/1*
XGID=-a-aBBC-A---dE---d-e----B-:0:0:1|21|4/3*/1|4/3*/1*
XGID=-a-aBBC-A---dE---d-e----B-:0:0:1|42|5/1 6/4|6/4 5/1*
XGID=-b----E-C---eE---c-e----AA:0:0:1|41|Bar/21 6/5|bar/21 6/5
XGID=-b----E-C---eE---c-e----AA:0:0:1|41|25/24/20|bar/20
XGID=-b----E-C---eE---c-e----AA:0:0:1|66|cannot move.|pass
XGID=-BBBBBB----------------bb-:0:0:1|66|6/off(2) 5/0(2)|6/off(2) 5/off(2)";

    #[test]
    fn plays_are_written_and_read_as_players_do() {
        for line in PLAYS.lines() {
            let [text, roll, play, expected] =
                line.split('|').collect::<Vec<_>>().try_into().unwrap();
            let read = GAME.parse_play(&position(text), roll_named(roll), play);
            let written = read.map(|play| GAME.format_play(&position(text), play));
            assert_eq!(written.unwrap_or_default(), expected, "{line}");
        }
        for wrong in "|,|6|6/|6/26|6/x|5/6|6/5(5)|6/5(x)|+6/5|/|*".split('|') {
            assert!(
                GAME.parse_play(&GAME.start(WHITE), None, wrong).is_err(),
                "{wrong}"
            );
        }
        let over = Position::new(Men::START, Men::default(), WHITE);
        assert!(GAME.parse_play(&over, None, "6/5").is_err());
    }

    /// Lines of a text and the character of its error.
    const REFUSED: &str = "\
|1
4HPwATDgc/ABM|14
4HPwATDgc/ABMAA|15
4HPwATDgc/AB?A -|13
/////////////w|1
AAAAAAAAAAAAAA|1
4HPwATDgc/ABMA x -|16
4HPwATDgc/ABMA 71|16
4HPwATDgc/ABMA w |18
4HPwATDgc/ABMA w 31 x|16
XGID=-b|6
XGID=Ab----E-C---eE---c-e----B-:0:0:1|6
XGID=-b----E-C---eE---c-e----B-:0:0:2:00|6
XGID=-b----E-C---eE---c-e----B-:0:0:1:77|6
XGID=-b----E-C---eE---c-e----O-:0:0:1|6";

    #[test]
    fn texts_that_are_no_positions_are_refused_at_their_character() {
        for line in REFUSED.lines() {
            let (text, character) = line.split_once('|').unwrap();
            let error = GAME.parse_position(text).unwrap_err();
            assert_eq!(error.character.to_string(), character, "{text}: {error}");
        }
    }
}
