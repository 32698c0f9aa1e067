//! Moves in the words of other programs, as text.
//!
//! Knows no game: a square is a letter and a number wherever they stand in a move. Invariant: what
//! was translated and is translated back is the same move.

use super::dialect::{Dialect, Squares};

/// A move as the program writes it; `size` is the board's, where it is known.
pub(super) fn theirs(mv: &str, dialect: &Dialect, size: Option<u32>) -> String {
    if mv == "pass" {
        return dialect.pass.clone();
    }
    let text = renumbered(mv, dialect.squares, size, false);
    match dialect.capitals {
        true => text.to_uppercase(),
        false => text,
    }
}

/// A move as we write it.
pub(super) fn ours(mv: &str, dialect: &Dialect, size: Option<u32>) -> String {
    if dialect.protocol.name == "lines" {
        return mv.to_owned();
    }
    let mut words = mv.split_whitespace();
    let first = words.next().unwrap_or_default();
    if [&*dialect.pass, "pass"]
        .iter()
        .any(|word| first.eq_ignore_ascii_case(word))
    {
        return "pass".to_owned();
    }
    let text = match dialect.protocol.name {
        // Two squares; whatever follows them is for people.
        "tcga" => first.to_owned() + words.next().unwrap_or_default(),
        // Evaluation and time follow.
        "nboard" => first.split('/').next().unwrap_or_default().to_owned(),
        _ => first.to_owned(),
    };
    renumbered(&text.to_lowercase(), dialect.squares, size, true)
}

/// The same squares with other numbers.
fn renumbered(text: &str, squares: Squares, size: Option<u32>, back: bool) -> String {
    let Some(size) = size.filter(|_| squares != Squares::Ours) else {
        return text.to_owned();
    };
    let mut renumbered = String::new();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        renumbered.push(letter);
        let mut digits = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let number = digits
            .parse::<i64>()
            .ok()
            .filter(|_| letter.is_ascii_lowercase());
        let column = i64::from(u32::from(letter)) - i64::from(b'a');
        // Where there is no such square, the game says so.
        let other = number.map(|number| match squares {
            Squares::Ours => number,
            Squares::Top => i64::from(size) + 1 - number,
            Squares::Golem => {
                let before = (column + 1 - i64::from(size)).max(0);
                number + if back { before } else { -before }
            }
        });
        renumbered += &other.map_or(digits, |other| other.to_string());
    }
    renumbered
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::play::notation::{Arguments, Notation};

    fn dialect(text: &str) -> Dialect {
        Dialect::read(&mut Arguments::of(&Notation::parse(text).unwrap())).unwrap()
    }

    #[test]
    fn moves_are_told_and_understood() {
        for (text, size, our, their) in [
            ("x(protocol=gtp)", 8, "d3", "d3"),
            ("x(dialect=grhino)", 8, "d3", "D3"),
            ("x(protocol=gtp, case=upper)", 8, "pass", "PASS"),
            ("x(protocol=gtp, pass=PA)", 8, "pass", "PA"),
            ("x(protocol=nboard)", 8, "pass", "PA"),
            ("x(protocol=nboard)", 8, "f5", "F5"),
            // Little Golem's names on a board of base 4, as they are printed there.
            ("x(protocol=gtp, squares=golem)", 4, "g7", "g4"),
            ("x(protocol=gtp, squares=golem)", 4, "d7", "d7"),
            ("x(protocol=gtp, squares=golem)", 4, "swap", "swap"),
            (
                "x(protocol=gtp, squares=top, case=upper)",
                5,
                "b4c3",
                "B2C3",
            ),
        ] {
            let dialect = dialect(text);
            assert_eq!(theirs(our, &dialect, Some(size)), their, "{text}");
            assert_eq!(ours(their, &dialect, Some(size)), our, "{text}");
        }
        // What programs add, and the case they like.
        let nboard = dialect("x(protocol=nboard)");
        assert_eq!(ours("F5/1.25/0.3", &nboard, Some(8)), "f5");
        let tcga = dialect("x(protocol=tcga)");
        assert_eq!(ours("b2 C3  0.53 good", &tcga, Some(5)), "b4c3");
        // Answers that are nonsense stay it.
        for nonsense in ["", "Z99999999999999999999 1", "1e9 é", "B2"] {
            ours(nonsense, &tcga, Some(5));
        }
    }
}
