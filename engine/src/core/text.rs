//! What is wrong with a text: a position, a move, or whatever else is read character by character.

/// What is wrong with a text, and at which character (counted from 1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {character}: {problem}")]
pub struct TextError {
    /// The character, counted from 1, at which reading failed.
    pub character: usize,
    /// What is wrong there, and what would be right.
    pub problem: String,
}

impl TextError {
    /// A problem at a character, counted from 1.
    pub fn new(character: usize, problem: impl Into<String>) -> Self {
        Self {
            character,
            problem: problem.into(),
        }
    }
}
