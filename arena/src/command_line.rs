//! Splitting of command lines into words.

/// Splits a command line into words at blanks outside of quotes, without a shell; `None` if there
/// is no word or a quote is open.
#[must_use]
pub fn split_command(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut quoted = None;
    let mut word: Option<String> = None;
    for letter in command.chars() {
        match (letter, quoted) {
            (letter, Some(quote)) if letter == quote => quoted = None,
            ('\'' | '"', None) => {
                quoted = Some(letter);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    let has_program = words.first().is_some_and(|program| !program.is_empty());
    (quoted.is_none() && has_program).then_some(words)
}
