//! Patterns of replies to the last stone, in Lajkonik's notation (*Inside Lajkonik*).
//!
//! A pattern lists the six neighbours of the last stone, counterclockwise from the right (`a` to
//! `f`), optionally the six cells that touch two of those (`g` to `l`), then the six straight
//! behind them (`m` to `r`): `.` empty, `x` the last mover, `o` the side to move, `#` off the
//! board. An arrow, letters of recommended cells and optionally a probability in eighths follow:
//! `.ooo.o->ae 8`. Rotations and reflections match too; larger patterns take precedence.

use super::{EMPTY, Position, Shape};
use std::collections::HashMap;

pub(super) const PUBLISHED_PATTERNS: &str = "...o.o->e ..oo.o->e ..xo.o->e .o.o.o->ace .x.o.o->e .ooo.o->ae \
    .xoo.o->e .xxo.o->e .oxo.o->ae o.oo.o->be x.oo.o->e x.xo.o->e oooo.o->e ooxo.o->e oxoo.o->e \
    oxxo.o->e xoxo.o->e xxxo.o->e ##.o.o->ce ##oo.o->e ##xo.o->e ###o.o->e ..o.##->d .oo.##->ad \
    .xo.##->d x.o.##->d xoo.##->d oxo.##->d xxo.##->d";

const PATTERN_SIZES: [usize; 3] = [18, 12, 6];

/// Recommended cells among the 18 near the last stone, and the probability of playing one in
/// eighths.
type PatternReply = (u32, u8);

#[derive(Clone, Debug)]
pub(super) struct Patterns {
    /// Replies by the contents of six cells around the last stone, two bits each.
    small: Box<[PatternReply; 1 << 12]>,
    /// Replies by the contents of 18 and of 12 cells around the last stone.
    large: [HashMap<u64, PatternReply>; 2],
}

fn rotated_cell(cell: usize, turns: usize, mirrored: bool) -> usize {
    let (ring, at) = (cell / 6, (cell + turns) % 6);
    match (mirrored, ring) {
        (false, _) => 6 * ring + at,
        (true, 1) => 6 * ring + (11 - at) % 6,
        (true, _) => 6 * ring + (6 - at) % 6,
    }
}

impl Patterns {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut patterns = Self {
            small: Box::new([(0, 0); 1 << 12]),
            large: [HashMap::new(), HashMap::new()],
        };
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let wrong = |what: &str| format!("pattern '{word}': {what}");
            let (signs, letters) = word
                .split_once("->")
                .ok_or_else(|| wrong("an arrow -> is missing"))?;
            let signs: Vec<char> = signs.chars().filter(|&sign| sign != '/').collect();
            let code = |&sign| ".xo#".find(sign).map(|code| code as u64);
            let codes_of_signs: Option<Vec<u64>> = signs.iter().map(code).collect();
            let codes_of_signs =
                codes_of_signs.filter(|signs| PATTERN_SIZES.contains(&signs.len()));
            let codes =
                codes_of_signs.ok_or_else(|| wrong("6, 12 or 18 signs of . x o # come first"))?;
            let cell = |letter| {
                let cell = (letter as usize).checked_sub('a' as usize);
                cell.filter(|&cell| codes.get(cell) == Some(&0))
            };
            let cells: Option<Vec<usize>> = letters.chars().map(cell).collect();
            let cells = cells.filter(|cells| !cells.is_empty());
            let cells = cells.ok_or_else(|| wrong("letters of empty cells follow the arrow"))?;
            let chance = words.next_if(|word| word.bytes().all(|digit| digit.is_ascii_digit()));
            let chance = chance.map_or(Some(8), |chance| {
                chance.parse().ok().filter(|&chance| chance <= 8)
            });
            let chance = chance.ok_or_else(|| wrong("a chance is 0 to 8 eighths"))?;
            for turns in 0..6 {
                for mirrored in [false, true] {
                    let image_of = |cell| rotated_cell(cell, turns, mirrored);
                    let codes_at = codes.iter().enumerate();
                    let code =
                        codes_at.fold(0, |all, (cell, code)| all | code << (2 * image_of(cell)));
                    let mask = cells
                        .iter()
                        .fold(0, |mask, &cell| mask | 1 << image_of(cell));
                    let advice = match codes.len() {
                        6 => &mut patterns.small[code as usize],
                        size => patterns.large[usize::from(size == 12)]
                            .entry(code)
                            .or_default(),
                    };
                    *advice = (advice.0 | mask, chance);
                }
            }
        }
        Ok(patterns)
    }

    #[inline]
    pub(super) fn reply_to_last(&self, shape: &Shape, position: &Position) -> PatternReply {
        let near = &shape.near[usize::from(position.last[0])];
        let swapped = position.seat() == 0;
        let code = |cells: std::ops::Range<usize>| {
            let mut code = 0;
            for cell in cells {
                let colour = position.colours[usize::from(near[cell])];
                let sign = if swapped && (colour == 1 || colour == 2) {
                    3 - colour
                } else {
                    colour
                };
                code |= u64::from(sign) << (2 * cell);
            }
            code
        };
        for (large, size) in self.large.iter().zip(PATTERN_SIZES) {
            if !large.is_empty()
                && let Some(&advice) = large.get(&code(0..size))
            {
                return advice;
            }
        }
        self.small[code(0..6) as usize]
    }
}

const _: () = assert!(EMPTY == 0, "an empty cell is the sign with code 0");

#[cfg(test)]
mod tests {
    use super::super::{Havannah, shape::NUM_NEAR_CELLS};
    use super::*;

    fn advice(patterns: &Patterns, moves: &str) -> Vec<String> {
        let game = Havannah::new(5, false);
        let position = game.parse_position(moves).unwrap();
        let (mask, _) = patterns.reply_to_last(game.shape, &position);
        let near = &game.shape.near[usize::from(position.last[0])];
        let cells = (0..NUM_NEAR_CELLS).filter(|cell| mask >> cell & 1 == 1);
        cells
            .map(|cell| game.cell_name(usize::from(near[cell])))
            .collect()
    }

    #[test]
    fn an_intrusion_into_a_bridge_is_answered() {
        let patterns = Patterns::parse(PUBLISHED_PATTERNS).unwrap();
        assert_eq!(advice(&patterns, "d4 a1 e6 e5"), ["d5"]);
        assert_eq!(advice(&patterns, "d4 a1 e6 d5"), ["e5"]);
        assert_eq!(advice(&patterns, "a1 d4 a2 e6 e5"), ["d5"]);
        assert!(advice(&patterns, "d4 a1 e6 b4").is_empty());
    }

    #[test]
    fn larger_patterns_go_first_and_all_images_count() {
        let patterns =
            Patterns::parse("......->a 0 ....../......->bc ....../....../......->r 3").unwrap();
        let game = Havannah::new(8, false);
        let found =
            |moves: &str| patterns.reply_to_last(game.shape, &game.parse_position(moves).unwrap());
        let (mask, chance) = found("h8");
        assert_eq!((mask, chance), (0b11_1111 << 12, 3));
        let (mask, chance) = found("h10 h8");
        assert_eq!((mask, chance), (0b11_1111, 8));
        assert_eq!(found("i9 h8"), (0, 0));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for (text, problem) in [
            ("......", "an arrow -> is missing"),
            (".....->a", "6, 12 or 18 signs of . x o # come first"),
            ("x.....->a", "letters of empty cells follow the arrow"),
            ("......->a 9", "a chance is 0 to 8 eighths"),
        ] {
            let pattern = text.trim_end_matches(" 9");
            let expected = format!("pattern '{pattern}': {problem}");
            assert_eq!(Patterns::parse(text).unwrap_err(), expected);
        }
    }
}
