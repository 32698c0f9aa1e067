//! Progress of long work on standard error: a bar on a terminal, elsewhere lines at intervals.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use std::{
    fmt,
    io::{self, IsTerminal, Write},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Time until the next line, `elapsed` after the start of the work: half a minute, later a
/// twentieth of the elapsed time, so that a day's log stays short.
fn line_interval(elapsed: Duration) -> Duration {
    Duration::from_secs(30).max(elapsed / 20)
}

/// Creates a progress bar on standard error; unless that is a terminal, it writes lines.
#[must_use]
pub fn progress_bar(prefix: &'static str) -> ProgressBar {
    if std::io::stderr().is_terminal() {
        const TEMPLATE: &str =
            "{prefix} [{wide_bar}] {human_pos}/{human_len} {per_sec}, {eta} left  {msg}";
        with_template(ProgressBar::new(0), TEMPLATE).with_prefix(prefix)
    } else {
        let lines = ProgressLines::new(prefix, line_interval, Box::new(io::stderr()));
        line_progress(prefix, lines)
    }
}

/// Sets a progress bar to `done`, the finished units of interrupted work, and prints a message if
/// there are some.
pub fn resume_at(progress: &ProgressBar, done: u64) {
    progress.set_position(done);
    progress.reset_eta();
    let length = progress.length().unwrap_or(0);
    if (1..length).contains(&done) {
        let prefix = progress.prefix();
        progress.println(format!("resumed: {done} of {length} {prefix} are done"));
    }
}

fn with_template(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

fn line_progress(prefix: &'static str, lines: ProgressLines) -> ProgressBar {
    const TEMPLATE: &str =
        "{prefix}: {human_pos} of {human_len} ({percent} %), {per_sec}, {eta} left  {msg}";
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(lines), 1);
    with_template(ProgressBar::with_draw_target(Some(0), target), TEMPLATE).with_prefix(prefix)
}

/// Stand-in for a terminal that writes all printed lines, but states of the progress bar only at
/// intervals.
struct ProgressLines {
    state_prefix: String,
    interval: fn(Duration) -> Duration,
    begin: Instant,
    output: Mutex<LineOutput>,
}

struct LineOutput {
    next: Instant,
    writer: Box<dyn Write + Send>,
}

impl ProgressLines {
    fn new(
        prefix: &str,
        interval: fn(Duration) -> Duration,
        writer: Box<dyn Write + Send>,
    ) -> Self {
        let begin = Instant::now();
        let next = begin + interval(Duration::ZERO);
        Self {
            state_prefix: format!("{prefix}: "),
            interval,
            begin,
            output: Mutex::new(LineOutput { next, writer }),
        }
    }
}

impl fmt::Debug for ProgressLines {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProgressLines")
    }
}

impl TermLike for ProgressLines {
    fn width(&self) -> u16 {
        200
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let text = text.trim();
        // Output of the bar that is only blanks and carriage returns.
        if text.is_empty() {
            return Ok(());
        }
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if text.starts_with(&self.state_prefix) {
            let now = Instant::now();
            if now < output.next {
                return Ok(());
            }
            output.next = now + (self.interval)(now - self.begin);
        }
        writeln!(output.writer, "{text}")
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn move_cursor_up(&self, _lines: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _lines: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _columns: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _columns: usize) -> io::Result<()> {
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Log {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    fn games(interval: fn(Duration) -> Duration) -> (ProgressBar, Log) {
        let log = Log::default();
        let lines = ProgressLines::new("games", interval, Box::new(log.clone()));
        let bar = line_progress("games", lines);
        bar.set_length(2000);
        (bar, log)
    }

    #[test]
    fn short_work_writes_no_line_but_where_it_resumed() {
        let (bar, log) = games(|_| Duration::from_secs(3600));
        resume_at(&bar, 500);
        bar.inc(1500);
        bar.finish_and_clear();
        assert_eq!(log.text(), "resumed: 500 of 2000 games are done\n");
    }

    #[test]
    fn work_that_is_new_or_finished_is_not_resumed() {
        for done in [0, 2000] {
            let (bar, log) = games(|_| Duration::from_secs(3600));
            resume_at(&bar, done);
            bar.finish_and_clear();
            assert_eq!(log.text(), "");
        }
    }

    #[test]
    fn lines_become_rarer() {
        assert_eq!(line_interval(Duration::ZERO), Duration::from_secs(30));
        assert_eq!(
            line_interval(Duration::from_secs(600)),
            Duration::from_secs(30)
        );
        assert_eq!(
            line_interval(Duration::from_secs(86_400)),
            Duration::from_secs(4320)
        );
    }

    #[test]
    fn long_work_writes_its_state_on_a_line_of_its_own() {
        let (bar, log) = games(|_| Duration::ZERO);
        bar.set_position(1500);
        bar.set_message("loss 0.5");
        bar.abandon();
        let text = log.text();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("games: 1,500 of 2,000 (75 %), "), "{text}");
        assert!(last.ends_with(" left  loss 0.5"), "{text}");
    }
}
