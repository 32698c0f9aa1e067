//! What was said to programs and by them, in their own words, if a folder for it is known.
//!
//! A file a process: milliseconds since it started, `>` for what it was told, `<` for what it said,
//! `!` for what it wrote on standard error, and the line. Invariants: no file is written twice; a program that floods does not fill the
//! disk; who cannot write goes on without.

use super::reply::quote;
use std::{
    collections::BTreeMap,
    fs::{File, create_dir_all},
    io::{ErrorKind, Write},
    path::PathBuf,
    sync::OnceLock,
    time::Instant,
};

/// Most bytes of a file.
const MAX_BYTES: usize = 16 << 20;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Keeps from now on what is said in this folder; the first to say one counts.
pub fn set_folder(folder: PathBuf) {
    FOLDER.get_or_init(|| folder);
}

pub(super) struct Log {
    file: Option<File>,
    began: Instant,
    remaining: usize,
    /// What has come of a line, by the sign before it.
    partial: BTreeMap<char, Vec<u8>>,
}

impl Log {
    /// The log of a process that is about to start.
    pub(super) fn begin(words: &[String]) -> Result<Self, String> {
        let file = FOLDER.get().map(|folder| {
            let failed = |error| format!("{}: {error}", folder.display());
            create_dir_all(folder).map_err(failed)?;
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            let name: String = words.join(" ").replace("../", "");
            let name = quote(&name).replace(|letter| !is_plain(letter), "-");
            for number in 1.. {
                match File::create_new(folder.join(format!("{name}-{number:04}.log"))) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    file => return file.map(Some).map_err(failed),
                }
            }
            Ok(None)
        });
        Ok(Self {
            file: file.unwrap_or(Ok(None))?,
            began: Instant::now(),
            remaining: MAX_BYTES,
            partial: BTreeMap::new(),
        })
    }

    /// What was said, from its beginning or from wherever it went on.
    pub(super) fn line(&mut self, sign: char, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let partial = self.partial.entry(sign).or_default();
        partial.extend(bytes);
        let end = partial.iter().rposition(|&byte| byte == b'\n');
        let complete: Vec<u8> = partial.drain(..end.map_or(0, |end| end + 1)).collect();
        let time = self.began.elapsed().as_millis();
        let text = String::from_utf8_lossy(&complete);
        let lines = text
            .lines()
            .map(|line| format!("{time:>8} {sign} {line}\n"));
        let text: String = lines.collect();
        self.remaining = self.remaining.saturating_sub(text.len().max(bytes.len()));
        if self.remaining == 0 || file.write_all(text.as_bytes()).is_err() {
            self.file = None;
        }
    }

    /// Writes lines that have no end.
    pub(super) fn finish(&mut self) {
        let partial = std::mem::take(&mut self.partial).into_iter();
        for (sign, mut line) in partial.filter(|(_, line)| !line.is_empty()) {
            line.push(b'\n');
            self.line(sign, &line);
        }
    }
}
