//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Creates a progress bar on standard error, hidden unless that is a terminal.
#[must_use]
pub fn progress_bar(prefix: &'static str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_prefix(prefix);
    match ProgressStyle::with_template(
        "{prefix} [{wide_bar}] {human_pos}/{human_len} {per_sec}, {eta} left  {msg}",
    ) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
