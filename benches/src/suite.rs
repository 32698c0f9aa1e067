//! Suites of positions on which searches are compared; `data/suites/search.txt` is built in.

#[cfg(test)]
mod generate;

use super::NamedValue;
use arena::error::Result;
use engine::core::{
    files::{self, FileKind},
    text::{content_lines, shorten},
};
use engine::games::einstein::{Position, Standard};
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// In the built-in suite, after 0 to 4 plies.
    Opening,
    /// In the built-in suite, 7 to 9 stones of both sides together.
    Middle,
    /// In the built-in suite, 3 to 6 stones of both sides together.
    Endgame,
}

impl NamedValue for Phase {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("opening", Self::Opening),
        ("middle", Self::Middle),
        ("endgame", Self::Endgame),
    ];
}

#[derive(Clone, Debug)]
pub struct SuitePosition {
    pub phase: Phase,
    pub text: String,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub struct Suite {
    pub name: String,
    pub positions: Vec<SuitePosition>,
}

impl Suite {
    pub fn built_in() -> Result<Self> {
        Self::parse(
            "data/suites/search.txt",
            include_str!("../../data/suites/search.txt"),
        )
    }

    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(
            &path.display().to_string(),
            &files::read_text(path, FileKind::Archive)?,
        )
    }

    /// Parses lines of a phase, a space and a position before the roll; `#` begins a comment.
    /// Errors quote `name`.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let game = Standard::default();
        let mut positions = Vec::new();
        for (line, content) in content_lines(text) {
            let read = parse_line(&game, content);
            positions.push(read.map_err(|problem| format!("{name}:{line}: {problem}"))?);
        }
        if positions.is_empty() {
            return Err(format!("{name}: there is no position; a line is a phase and a position, for example: opening 123../45.../6...f/...ed/..cba r -").into());
        }
        Ok(Self {
            name: name.to_owned(),
            positions,
        })
    }

    pub fn keep_phase(mut self, phase: Phase) -> Result<Self> {
        self.positions.retain(|entry| entry.phase == phase);
        if self.positions.is_empty() {
            let (name, phase) = (self.name, phase.name());
            Err(format!("{name}: there is no position of the phase {phase}").into())
        } else {
            Ok(self)
        }
    }

    pub fn summary(&self) -> String {
        match self.positions.len() {
            1 => format!("1 position of {}", self.name),
            count => format!("{count} positions of {}", self.name),
        }
    }

    pub fn phases(&self) -> Vec<Phase> {
        let phases = Phase::NAMES.iter().map(|(_, phase)| *phase);
        phases
            .filter(|phase| self.positions.iter().any(|entry| entry.phase == *phase))
            .collect()
    }
}

fn parse_line(game: &Standard, content: &str) -> Result<SuitePosition, String> {
    let (phase, text) = content
        .split_once(char::is_whitespace)
        .unwrap_or((content, ""));
    let unknown = || format!("'{phase}' is no phase; expected opening, middle or endgame");
    let found = Phase::from_name(phase).ok_or_else(unknown)?;
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("a position should follow '{phase}'"));
    }
    let (position, die) = game
        .parse_position(text)
        .map_err(|error| format!("position '{}': {error}", shorten(text, 60)))?;
    if die.is_some() {
        return Err(format!(
            "position '{text}' has a die; positions of a suite are before the roll and end in '-'"
        ));
    }
    if game.winner(&position).is_some() {
        return Err(format!(
            "position '{text}' is over; there is nothing to search"
        ));
    }
    Ok(SuitePosition {
        phase: found,
        text: game.format_position(&position, None),
        position,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_suite_has_eight_positions_of_each_phase() {
        let suite = Suite::built_in().unwrap();
        assert_eq!(
            suite.phases(),
            Phase::NAMES
                .iter()
                .map(|(_, phase)| *phase)
                .collect::<Vec<_>>()
        );
        for phase in suite.phases() {
            let only = suite.clone().keep_phase(phase).unwrap();
            assert_eq!(only.positions.len(), 8);
            assert!(only.positions.iter().all(|entry| entry.phase == phase));
        }
        let texts: std::collections::HashSet<_> =
            suite.positions.iter().map(|entry| &entry.text).collect();
        assert_eq!(texts.len(), 24, "all differ");
    }

    #[test]
    fn bad_lines_are_named_with_what_would_be_right() {
        let good = "opening 123../45.../6...f/...ed/..cba r -";
        let refused = |text: &str| Suite::parse("s.txt", text).unwrap_err().to_string();
        let problem = |line: &str| refused(&format!("# a comment\n\n{good} # as here\n{line}\n"));
        for (line, expected) in [
            (
                "start 123../45.../6...f/...ed/..cba r -",
                "s.txt:4: 'start' is no phase; expected opening, middle or endgame",
            ),
            ("middle", "s.txt:4: a position should follow 'middle'"),
            (
                "middle 123../45.../6...f/...ed/..cba r 3",
                "before the roll",
            ),
            (
                "middle 123../45.../6...f/...ed/..cba r",
                "character 32: the die is missing",
            ),
            (
                "endgame 1..../...../...../...../.a... b",
                "the die is missing",
            ),
            ("endgame a..../...../...../...../.1... r -", "is over"),
            (
                "middle 123../45.../6...f/...ed/..cbx r -",
                "'x' is no square",
            ),
        ] {
            let found = problem(line);
            assert!(
                found.starts_with("s.txt:4: ") && found.contains(expected) && !found.contains('\n'),
                "{line}: {found}"
            );
        }
        assert!(problem(&format!("middle {}", "1".repeat(10_000))).len() < 300);
        assert!(refused("# nothing\n").contains("there is no position"));
        let suite = Suite::parse("s.txt", good).unwrap();
        assert_eq!(
            suite
                .clone()
                .keep_phase(Phase::Endgame)
                .unwrap_err()
                .to_string(),
            "s.txt: there is no position of the phase endgame"
        );
        let opening = suite.keep_phase(Phase::Opening).unwrap();
        assert_eq!(opening.positions[0].text, &good[8..]);
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.txt");
        std::fs::write(&path, b"# fine\n\xff\xfe\n").unwrap();
        for (name, problem) in [("s.txt", "no text in UTF-8"), ("none", "no such file")] {
            let error = Suite::read(&directory.path().join(name))
                .unwrap_err()
                .to_string();
            assert!(error.contains(name) && error.contains(problem), "{error}");
        }
    }
}
