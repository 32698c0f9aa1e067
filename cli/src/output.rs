//! Writing results and errors.
//!
//! A reader that stops reading (`alea … | head`) is no error: the command ends quietly. Invariant:
//! what others wrote, such as names in records, never commands a terminal: what it would obey is
//! replaced, or in JSON escaped.

use anyhow::{Error, Result};
use engine::core::{
    files::{FileError, write_atomically},
    text::{is_obeyed, printable, printable_lines, shortened},
};
use indicatif::ProgressBar;
use std::{
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};
use trainer::progress::progress_bar;

/// Characters of an error that are shown; of a longer one the beginning and the end.
pub(crate) const MAX_ERROR: usize = 1000;

/// Writes one line, or several, to standard output.
pub(crate) fn line(text: &str) -> Result<()> {
    styled(&printable_lines(text))
}

/// As [`line()`], for a text of ours that colours itself.
pub(crate) fn styled(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    Ok(writeln!(output, "{text}").and_then(|()| output.flush())?)
}

/// Writes one JSON object as one line.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string(value)?;
    // Such characters stand in strings alone, and all are below 2¹⁶.
    if text.contains(is_obeyed) {
        let escaped = |sign| match is_obeyed(sign) {
            true => format!("\\u{:04x}", u32::from(sign)),
            false => sign.to_string(),
        };
        text = text.chars().map(escaped).collect();
    }
    line(&text)
}

/// Writes a result, as JSON or as a person reads it.
pub(crate) fn result(
    as_json: bool,
    value: &impl serde::Serialize,
    text: impl FnOnce() -> String,
) -> Result<()> {
    if as_json { json(value) } else { line(&text()) }
}

/// Writes a file, whole or not at all.
pub(crate) fn file(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FileError> {
    write_atomically(path, |file| file.write_all(content.as_ref()))
}

/// Whether there are directories for files that are written after long work: better said before.
pub(crate) fn check_output_dirs(files: &[&Option<PathBuf>]) -> Result<(), FileError> {
    for path in files.iter().copied().flatten() {
        match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() && !directory.is_dir() => {
                return Err(FileError::NoDirectory {
                    path: path.clone(),
                    directory: directory.to_owned(),
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// The failure of a command whose results say why it is one.
pub(crate) fn already_reported() -> Error {
    Error::msg("")
}

/// Says something about the progress of a command, on standard error.
pub(crate) fn note(text: &str) {
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "{}", printable_lines(text));
}

/// Works under a progress bar, which is gone afterwards.
pub(crate) fn with_progress<T>(what: &'static str, work: impl FnOnce(&ProgressBar) -> T) -> T {
    let progress = progress_bar(what);
    let done = work(&progress);
    progress.finish_and_clear();
    done
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
        let cause = printable(&cause.to_string().replace('\n', " ")).into_owned();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    if !text.is_empty() {
        note(&format!("alea: {}", shortened(&text, MAX_ERROR)));
    }
    ExitCode::FAILURE
}
