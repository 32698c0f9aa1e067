//! Slow reference rules of EinStein würfelt nicht. Squares are (row, column) from the upper left,
//! stones characters as in position texts.

/// Stones that may move if the rolled stone is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    NextHigherOrLower,
    /// Whichever of the next higher and next lower stone is nearer in number; both on a tie.
    Nearest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: (usize, usize),
    pub(crate) to: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Board {
    pub(crate) rows: Vec<Vec<char>>,
    pub(crate) to_move: char,
}

impl Board {
    pub(crate) fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        Self {
            rows: fields[0]
                .split('/')
                .map(|row| row.chars().collect())
                .collect(),
            to_move: if fields[1] == "r" { 'r' } else { 'b' },
        }
    }

    pub(crate) fn write(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| row.iter().collect()).collect();
        format!("{} {} -", rows.join("/"), self.to_move)
    }

    fn own_symbol(&self, number: u8) -> char {
        char::from(if self.to_move == 'r' {
            b'0' + number
        } else {
            b'a' + number - 1
        })
    }

    fn find(&self, symbol: char) -> Option<(usize, usize)> {
        let mut rows = self.rows.iter().enumerate();
        rows.find_map(|(row, squares)| {
            let column = squares.iter().position(|&found| found == symbol)?;
            Some((row, column))
        })
    }

    pub(crate) fn permitted_stones(&self, face: u8, choice: Choice) -> Vec<u8> {
        let alive: Vec<u8> = (1..=6)
            .filter(|&number| self.find(self.own_symbol(number)).is_some())
            .collect();
        if alive.contains(&face) {
            return vec![face];
        }
        let lower = alive.iter().copied().filter(|&number| number < face).max();
        let higher = alive.iter().copied().filter(|&number| number > face).min();
        let mut permitted: Vec<u8> = lower.into_iter().chain(higher).collect();
        if choice == Choice::Nearest {
            let nearest = permitted.iter().map(|number| number.abs_diff(face)).min();
            permitted.retain(|number| Some(number.abs_diff(face)) == nearest);
        }
        permitted
    }

    pub(crate) fn steps_of(&self, number: u8) -> Vec<Step> {
        let (last_row, last_column) = (self.rows.len() - 1, self.rows[0].len() - 1);
        let Some((row, column)) = self.find(self.own_symbol(number)) else {
            return Vec::new();
        };
        let onwards = |at: usize, last: usize| match self.to_move {
            'r' => Some(at + 1).filter(|&next| next <= last),
            _ => at.checked_sub(1),
        };
        let (down, right) = (onwards(row, last_row), onwards(column, last_column));
        let targets = [
            down.zip(right),
            right.map(|right| (row, right)),
            down.map(|down| (down, column)),
        ];
        let from = (row, column);
        let targets = targets.into_iter().flatten();
        targets.map(|to| Step { from, to }).collect()
    }

    pub(crate) fn legal_steps(&self, face: u8, choice: Choice) -> Vec<Step> {
        self.permitted_stones(face, choice)
            .into_iter()
            .flat_map(|number| self.steps_of(number))
            .collect()
    }

    pub(crate) fn after(&self, step: Step) -> Self {
        let mut rows = self.rows.clone();
        rows[step.to.0][step.to.1] = rows[step.from.0][step.from.1];
        rows[step.from.0][step.from.1] = '.';
        Self {
            rows,
            to_move: if self.to_move == 'r' { 'b' } else { 'r' },
        }
    }

    pub(crate) fn winner(&self) -> Option<char> {
        let red = |stone: &char| stone.is_ascii_digit();
        let blue = |stone: &char| stone.is_ascii_lowercase();
        let lower_right = self.rows.last().and_then(|row| row.last());
        let upper_left = self.rows.first().and_then(|row| row.first());
        if lower_right.is_some_and(red) || !self.rows.iter().flatten().any(blue) {
            Some('r')
        } else if upper_left.is_some_and(blue) || !self.rows.iter().flatten().any(red) {
            Some('b')
        } else {
            None
        }
    }

    pub(crate) fn step_name(&self, step: Step) -> String {
        let name = |(row, column)| {
            let letter = char::from(b'a' + column as u8);
            format!("{letter}{}", self.rows.len() - row)
        };
        [step.from, step.to].map(name).concat()
    }
}
