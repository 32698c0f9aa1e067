//! What all protocols have in common: they hear lines and say lines.

use engine::core::text::shortened;

/// Bytes of the longest line that is heard; of a longer one it is enough to give one byte more.
pub const LONGEST_LINE: usize = 1 << 16;

/// Characters of a refusal at most.
const MOST_OF_REFUSAL: usize = 1000;

/// A line protocol, with the state of its conversation.
pub trait Protocol: Send {
    /// Answers a line, which is given without its end; `false` if it was the last.
    fn hear(&mut self, line: &str, outside: &mut dyn Outside) -> bool;
}

/// Who is talked with.
pub trait Outside {
    /// Says some lines, at once; the end of the last one is added.
    fn say(&mut self, text: &str);

    /// Whether the next line is there already, or nobody listens any more: what would go on for
    /// ever ends.
    fn calls(&mut self) -> bool;
}

/// Why something was not done, as one line.
#[must_use]
pub fn one_line(problem: &str) -> String {
    shortened(&problem.replace(char::is_control, " "), MOST_OF_REFUSAL)
}

/// Refuses a line that is too long to be read.
pub(crate) fn not_too_long(line: &str) -> Result<(), String> {
    match line.len() {
        ..=LONGEST_LINE => Ok(()),
        _ => Err(format!("a line has at most {LONGEST_LINE} bytes")),
    }
}
