//! Logs of the lines exchanged with programs: a folder with a file of bounded size for each
//! process.
//!
//! A line has the milliseconds since the start, a sign (`>` sent, `<` received, `!` standard error,
//! `#` remark) and the text. No file is overwritten; a failed write ends the log, not the game.

use super::reply::printable_excerpt;
use std::{
    collections::BTreeMap,
    fs::{File, create_dir_all},
    io::{ErrorKind, Write},
    path::PathBuf,
    sync::OnceLock,
    time::Instant,
};

const MAX_LOG_BYTES: usize = 16 << 20;

static LOG_DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Sets the folder of logs for all programs of this process; later calls have no effect.
pub fn set_log_directory(folder: PathBuf) {
    LOG_DIRECTORY.get_or_init(|| folder);
}

pub(super) struct Log {
    file: Option<File>,
    began: Instant,
    remaining: usize,
    partial: BTreeMap<char, Vec<u8>>,
}

impl Log {
    pub(super) fn create(words: &[String]) -> Result<Self, String> {
        let file = LOG_DIRECTORY.get().map(|folder| {
            let failed = |error| format!("{}: {error}", folder.display());
            create_dir_all(folder).map_err(failed)?;
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            let name: String = words.join(" ").replace("../", "");
            let name = printable_excerpt(&name).replace(|letter| !is_plain(letter), "-");
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
            remaining: MAX_LOG_BYTES,
            partial: BTreeMap::new(),
        })
    }

    pub(super) fn append(&mut self, sign: char, bytes: &[u8]) {
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

    pub(super) fn finish(&mut self) {
        let partial = std::mem::take(&mut self.partial).into_iter();
        for (sign, mut line) in partial.filter(|(_, line)| !line.is_empty()) {
            line.push(b'\n');
            self.append(sign, &line);
        }
    }
}
