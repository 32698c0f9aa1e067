//! Output of results and errors. A closed pipe (`alea … | head`) ends the command quietly.
//!
//! Invariant: control characters in text from outside, such as names in records, are replaced (in
//! JSON escaped), so that they cannot control a terminal.

use anyhow::{Error, Result, bail};
use engine::core::{
    files::{self, FileError, write_atomically},
    text::{is_unprintable, printable, printable_lines, shorten},
};
use indicatif::ProgressBar;
use std::{
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};
use trainer::progress::progress_bar;

/// Maximum characters of an error; the middle of a longer one is cut out.
pub const MAX_ERROR: usize = 1000;

/// Writes text and a newline to standard output; control characters are replaced.
pub fn print_line(text: &str) -> Result<()> {
    print_styled(&printable_lines(text))
}

/// Writes text and a newline to standard output; keeps the program's colour codes.
pub fn print_styled(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    Ok(writeln!(output, "{text}").and_then(|()| output.flush())?)
}

/// Writes one line of JSON to standard output.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string(value)?;
    // One `\u` escape is enough: such characters are below 2¹⁶ and occur only in JSON strings.
    if text.contains(is_unprintable) {
        let escaped = |sign| match is_unprintable(sign) {
            true => format!("\\u{:04x}", u32::from(sign)),
            false => sign.to_string(),
        };
        text = text.chars().map(escaped).collect();
    }
    print_line(&text)
}

/// Writes `value` as JSON, or else `text`, to standard output.
pub fn print_result(
    as_json: bool,
    value: &impl serde::Serialize,
    text: impl FnOnce() -> String,
) -> Result<()> {
    if as_json {
        print_json(value)
    } else {
        print_line(&text())
    }
}

/// Writes a file atomically.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FileError> {
    write_atomically(path, |file| file.write_all(content.as_ref()))
}

/// Checks, before long work, that the directories of output files exist.
pub fn check_output_dirs(files: &[&Option<PathBuf>]) -> Result<(), FileError> {
    for path in files.iter().copied().flatten() {
        match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() && !directory.is_dir() => {
                return Err(FileError::NoDirectory(path.clone(), directory.to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Fails if `path` is an existing regular file; the error suggests `--overwrite`.
pub fn check_is_new(path: &Path) -> Result<()> {
    if path.is_file() && !files::is_stream(path) {
        let path = path.display();
        bail!("{path}: exists already; name another file, or replace this one with --overwrite");
    }
    Ok(())
}

/// Error that prints nothing, because the output already explains the failure.
pub fn already_reported() -> Error {
    Error::msg("")
}

/// Writes a line about progress to standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable_lines(text));
}

/// Runs `work` with a progress bar, which disappears at the end.
pub fn with_progress<T>(what: &'static str, work: impl FnOnce(&ProgressBar) -> T) -> T {
    let progress = progress_bar(what);
    let done = work(&progress);
    progress.finish_and_clear();
    done
}

/// Prints an error on one line; returns the exit code, which is success for a closed pipe.
pub fn fail(error: &Error) -> ExitCode {
    let broken_pipe = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe);
    if broken_pipe {
        return ExitCode::SUCCESS;
    }
    // Leaves out causes that the text already quotes.
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
        note(&format!("alea: {}", shorten(&text, MAX_ERROR)));
    }
    ExitCode::FAILURE
}
