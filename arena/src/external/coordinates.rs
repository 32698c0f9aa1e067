//! Lossless translation of moves between our notation and a program's. A square is a letter and a
//! number anywhere in a move.

use super::dialect_options::{Dialect, Squares};

pub(super) fn move_to_program(mv: &str, dialect: &Dialect, size: Option<u32>) -> String {
    if mv == "pass" {
        return dialect.pass.clone();
    }
    let text = renumber_rows(mv, dialect.squares, size, false);
    match dialect.capitals {
        true => text.to_uppercase(),
        false => text,
    }
}

pub(super) fn move_from_program(mv: &str, dialect: &Dialect, size: Option<u32>) -> String {
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
        // The first two words are squares, the rest is a comment.
        "tcga" => first.to_owned() + words.next().unwrap_or_default(),
        // Evaluation and time follow after slashes.
        "nboard" => first.split('/').next().unwrap_or_default().to_owned(),
        _ => first.to_owned(),
    };
    renumber_rows(&text.to_lowercase(), dialect.squares, size, true)
}

fn renumber_rows(text: &str, squares: Squares, size: Option<u32>, back: bool) -> String {
    let Some(size) = size.filter(|_| squares != Squares::Ours) else {
        return text.to_owned();
    };
    let mut renumber = String::new();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        renumber.push(letter);
        let mut digits = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let number = digits
            .parse::<i64>()
            .ok()
            .filter(|_| letter.is_ascii_lowercase());
        let column = i64::from(u32::from(letter)) - i64::from(b'a');
        let other = number.map(|number| match squares {
            Squares::Ours => number,
            Squares::Top => i64::from(size) + 1 - number,
            Squares::Golem => {
                let before = (column + 1 - i64::from(size)).max(0);
                number + if back { before } else { -before }
            }
        });
        renumber += &other.map_or(digits, |other| other.to_string());
    }
    renumber
}
