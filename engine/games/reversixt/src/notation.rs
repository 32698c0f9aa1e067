//! Notation of ReversiXT.
//!
//! A position is five words: rows of cells joined by `/`, in the characters of maps; `play`, `bomb`
//! or `end`; player to move, 0 at the end; override stones of all players, joined by commas; bombs
//! likewise. A sixth lists disqualified players. A move is `x,y`, with `,2` for the player to
//! exchange stones with, `,bomb` or `,override` for a bonus.

use super::{
    Move, MoveList, Phase, Position, ReversiXt,
    map::{Cell, MAX_STOCK, parse_number},
};
use alea_core::{
    game::{Game, MAX_SEATS, Seat},
    text::{TextError, error_at, joined},
};

const PHASES: [(&str, Phase); 3] = [
    ("play", Phase::Stones),
    ("bomb", Phase::Bombs),
    ("end", Phase::Over),
];

const SPECIAL_CHOICES: [(&str, u8); 2] = [
    ("bomb", Move::BOMB_BONUS),
    ("override", Move::OVERRIDE_BONUS),
];

impl ReversiXt {
    /// Parses a position text.
    pub fn parse_position(&self, text: &str) -> Result<Position, TextError> {
        let mut words = PartReader::new(text, ' ', 1);
        let mut position = self.empty_board();
        let (board, at) = words.next("a board")?;
        self.read_board(board, at, &mut position)?;
        let (phase, phase_at) = words.next("the phase")?;
        let named_phase = PHASES.iter().find(|(name, _)| *name == phase);
        let Some(&(_, phase)) = named_phase else {
            let problem = "expected the phase, which is play, bomb or end";
            return error_at(phase_at, problem);
        };
        let players = self.map.players();
        let last = usize::from(phase != Phase::Over) * players;
        let (player, player_at) = words.parse_number("the player", usize::from(last > 0)..=last)?;
        let cells = self.cells_of(&position);
        let bonuses = cells.filter(|&cell| cell == Cell::BONUS).count();
        for (stock, name) in [
            (&mut position.overrides, "override stones"),
            (&mut position.bombs, "bombs"),
        ] {
            let (word, at) = words.next(name)?;
            let mut numbers = PartReader::new(word, ',', at);
            for stock in &mut stock[..players] {
                *stock = numbers.parse_number(name, 0..=2 * MAX_STOCK - bonuses)?.0 as u16;
            }
            numbers.expect_end()?;
        }
        if !words.is_empty() {
            let (word, at) = words.next("disqualified players")?;
            let mut numbers = PartReader::new(word, ',', at);
            while !numbers.is_empty() {
                position.disqualified |=
                    1 << (numbers.parse_number("a player", 1..=players)?.0 - 1);
            }
        }
        words.expect_end()?;
        // The turn, passed on from the preceding player, must come to this player and phase.
        position.phase = phase;
        let seat = player.saturating_sub(1);
        let mut next = position;
        self.pass_turn(&mut next, (seat + players - 1) % players);
        if next.phase != phase {
            let (name, _) = PHASES[next.phase as usize];
            return error_at(phase_at, format!("here the phase is {name}"));
        }
        if next.seat() != seat {
            let other = next.seat() + 1;
            let problem = format!("player {player} cannot move; player {other} can");
            return error_at(player_at, problem);
        }
        Ok(next)
    }

    fn read_board(&self, text: &str, at: usize, position: &mut Position) -> Result<(), TextError> {
        let mut rows = PartReader::new(text, '/', at);
        for (y, cells) in self.map.cells().chunks(self.map.width()).enumerate() {
            let (row, row_at) = rows.next(&format!("row {} of {}", y + 1, self.map.height()))?;
            let mut signs = row.bytes();
            for (x, &start) in cells.iter().enumerate() {
                let error_at = |problem: String| error_at(row_at + x, problem);
                let Some(cell) = signs.next().and_then(Cell::from_sign) else {
                    return error_at(format!("expected cell {} of {}", x + 1, cells.len()));
                };
                if cell.seat().is_some_and(|seat| seat >= self.map.players()) {
                    return error_at(format!("there are {} players", self.map.players()));
                }
                if start == Cell::HOLE && cell != Cell::HOLE {
                    return error_at("the map has a hole here".to_owned());
                }
                position.set_cell(y * self.map.width() + x, cell);
                position.cells_left += u16::from(cell != Cell::HOLE);
            }
            if signs.next().is_some() {
                let problem = format!("a row has {} cells", cells.len());
                return error_at(row_at + cells.len(), problem);
            }
        }
        rows.expect_end()
    }

    /// Formats a position as text.
    pub fn format_position(&self, position: &Position) -> String {
        let rules = self.variant_rules(position);
        let players = rules.map.players();
        let signs: Vec<char> = rules.cells_of(position).map(Cell::sign).collect();
        let rows = signs.chunks(rules.map.width());
        let rows = joined(rows.map(String::from_iter), "/");
        let (phase, _) = PHASES[position.phase as usize];
        let player = match position.phase {
            Phase::Over => 0,
            _ => position.seat() + 1,
        };
        let mut text = format!(
            "{rows} {phase} {player} {} {}",
            joined(&position.overrides[..players], ","),
            joined(&position.bombs[..players], ",")
        );
        if position.disqualified != 0 {
            let out = |&seat: &Seat| position.is_disqualified(seat);
            let out = (0..MAX_SEATS).filter(out).map(|seat| seat + 1);
            text = format!("{text} {}", joined(out, ","));
        }
        text
    }

    /// Parses a legal move of `position`.
    pub fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let mut parts = PartReader::new(text, ',', 1);
        let (x, _) = parts.parse_number("x", 0..=self.map.width() - 1)?;
        let (y, _) = parts.parse_number("y", 0..=self.map.height() - 1)?;
        let special = if parts.is_empty() {
            0
        } else {
            let (word, at) = parts.next("what goes with the move")?;
            let choice = SPECIAL_CHOICES.iter().find(|choice| choice.0 == word);
            let player = || word.parse().ok().filter(|player| (1..=8).contains(player));
            let special = choice.map(|choice| choice.1).or_else(player);
            special.ok_or_else(|| TextError::new(at, "expected a player, bomb or override"))?
        };
        parts.expect_end()?;
        let mv = Move::new(y * self.map.width() + x, special);
        let mut moves = MoveList::default();
        if position.phase != Phase::Over {
            self.moves(position, &mut moves);
        }
        if moves.contains(&mv) {
            return Ok(mv);
        }
        let there = moves.iter().filter(|other| other.cell() == mv.cell());
        let there: Vec<String> = there.map(|&other| self.format_move(other)).collect();
        let problem = match &there[..] {
            [] => format!("nothing can be played on {x},{y}"),
            there => format!("expected {}", there.join(" or ")),
        };
        error_at(1, problem)
    }

    /// Formats a move as text.
    pub fn format_move(&self, mv: Move) -> String {
        let (x, y) = (mv.cell() % self.map.width(), mv.cell() / self.map.width());
        let choice = SPECIAL_CHOICES
            .iter()
            .find(|choice| choice.1 == mv.special_choice());
        match (mv.special_choice(), choice) {
            (0, _) => format!("{x},{y}"),
            (_, Some((name, _))) => format!("{x},{y},{name}"),
            (player, None) => format!("{x},{y},{player}"),
        }
    }
}

struct PartReader<'t> {
    rest: Option<&'t str>,
    separator: char,
    at: usize,
}

impl<'t> PartReader<'t> {
    fn new(text: &'t str, separator: char, at: usize) -> Self {
        Self {
            rest: Some(text),
            separator,
            at,
        }
    }

    fn is_empty(&self) -> bool {
        self.rest.is_none()
    }

    fn next(&mut self, expected: &str) -> Result<(&'t str, usize), TextError> {
        let at = self.at;
        let missing = || TextError::new(at, format!("expected {expected}, found the end"));
        let mut parts = self.rest.ok_or_else(missing)?.splitn(2, self.separator);
        let part = parts.next().unwrap_or_default();
        self.rest = parts.next();
        self.at += part.chars().count() + usize::from(self.rest.is_some());
        Ok((part, at))
    }

    fn parse_number(
        &mut self,
        expected: &str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<(usize, usize), TextError> {
        let (part, at) = self.next(expected)?;
        let number = parse_number(part, expected, range);
        let number = number.map_err(|problem| TextError::new(at, problem))?;
        Ok((number, at))
    }

    fn expect_end(self) -> Result<(), TextError> {
        match self.rest {
            None => Ok(()),
            Some(_) => error_at(self.at, "expected the end"),
        }
    }
}
