//! Writing results and errors.
//!
//! A reader that stops reading (`alea … | head`) is no error: the command ends quietly.

use anyhow::{Error, Result};
use engine::core::text::shortened;
use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

/// Characters of an error that are shown; of a longer one the beginning and the end.
pub(crate) const MOST_OF_ERROR: usize = 1000;

/// Writes one line to standard output.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn line(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    Ok(writeln!(output, "{text}").and_then(|()| output.flush())?)
}

/// Writes one JSON object as one line.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<()> {
    line(&serde_json::to_string(value)?)
}

/// Says something about the progress of a command, on standard error.
pub(crate) fn note(text: &str) {
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Reports an error in one line and gives the exit code of failure.
pub(crate) fn fail(error: &Error) -> ExitCode {
    let broken_pipe = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe);
    if broken_pipe {
        return ExitCode::SUCCESS;
    }
    // Causes follow their effect unless the effect already quotes them.
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string().replace('\n', " ");
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    note(&format!("alea: {}", shortened(&text, MOST_OF_ERROR)));
    ExitCode::FAILURE
}
