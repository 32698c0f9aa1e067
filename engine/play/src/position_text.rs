//! Texts of positions and moves, and pictures of positions.

use super::chance_sources::ChanceSources;
use alea_core::{game::Seat, text::TextError};

/// A game whose positions and moves have lossless texts.
pub trait GameText: ChanceSources {
    /// Parses a position, with its chance outcome if the text has one.
    ///
    /// # Errors
    /// If the text is not a position of this game; the error has the character.
    fn parse_position(&self, text: &str) -> Result<(Self::Position, Option<u8>), TextError>;

    /// Text of a position, before chance (`None`) or with an outcome. In games with chance the last
    /// word is the outcome or `-`, for the web page to replace.
    fn format_position(&self, position: &Self::Position, outcome: Option<u8>) -> String;

    /// Parses a move of a position. An outcome tells apart moves of equal text; whether it allows
    /// the move is for the caller to check.
    fn parse_move(
        &self,
        position: &Self::Position,
        outcome: Option<u8>,
        text: &str,
    ) -> Result<Self::Move, TextError> {
        let outcome = outcome.filter(|_| Self::SEPARATE_OUTCOMES);
        let moves = self.legal_moves(position, outcome);
        let mut moves = moves.iter().copied();
        moves
            .find(|&mv| self.format_move(position, mv) == text)
            .ok_or_else(|| TextError::new(1, format!("'{text}' is no move of this position")))
    }

    /// Text of a move, as [`GameText::parse_move`] reads it.
    fn format_move(&self, position: &Self::Position, mv: Self::Move) -> String;

    /// Translates a move's text to the game's second notation; `None` without one.
    fn format_alternate_notation(&self, mv: &str) -> Option<String> {
        let _ = mv;
        None
    }

    /// Translates a move's text from the game's second notation; `None` without one.
    fn parse_alternate_notation(&self, mv: &str) -> Option<String> {
        let _ = mv;
        None
    }

    /// Rules as one word, for external programs.
    fn external_rules_name(&self) -> String {
        self.notation()
    }

    /// Name of a seat in JSON, such as `r`.
    fn seat_name(&self, seat: Seat) -> &'static str {
        Self::INFO.seats[seat].0
    }

    /// Name of a seat for display, such as `Red`.
    fn seat_title(&self, seat: Seat) -> &'static str {
        Self::INFO.seats[seat].1
    }

    /// Ways in which the game was won, such as ring or bridge; `None` before the end, and if there
    /// is only one way to win.
    fn win_kinds(&self, position: &Self::Position) -> Option<Vec<&'static str>> {
        let _ = position;
        None
    }

    /// Unit and lead of the side to move in the final score; `None` before the end, and in games
    /// without scores.
    fn final_score(&self, position: &Self::Position) -> Option<(&'static str, i32)> {
        let _ = position;
        None
    }

    /// Text picture of a position.
    fn text_diagram(&self, position: &Self::Position, outcome: Option<u8>) -> String {
        self.format_position(position, outcome)
    }

    /// Self-contained `<svg>` picture of a position; by default the text picture.
    fn svg(&self, position: &Self::Position, outcome: Option<u8>) -> String {
        svg_of_text(&self.text_diagram(position, outcome))
    }
}

fn svg_of_text(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let width = text.lines().map(|line| line.chars().count()).max();
    let (width, height) = (10 * width.unwrap_or(0) + 20, 20 * text.lines().count() + 20);
    let line = |(line, text)| {
        let y = 20 * line + 25;
        format!("<text x=\"10\" y=\"{y}\" xml:space=\"preserve\">{text}</text>")
    };
    let lines: String = text.lines().enumerate().map(line).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"16\">{lines}</svg>"
    )
}
