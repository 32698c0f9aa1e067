//! Reads standard input on a thread of its own; new input stops the running search.
//!
//! Invariant: input that was already waiting when a search began does not stop it.

use engine::core::text::strip_bom;
use protocols::MAX_LINE;
use std::{
    collections::VecDeque,
    io::{self, Read},
    mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

const CHUNK_BYTES: usize = 1 << 16;
/// Maximum bytes of unanswered lines; reading pauses beyond it.
const MAX_WAITING: usize = 1 << 22;
/// A read faster than this, while more than a chunk was waiting, returned older input.
const IMMEDIATE_READ_TIME: Duration = Duration::from_millis(1);

#[derive(Default)]
pub(super) struct Input {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    bytes: usize,
    end: Option<io::Result<()>>,
    read_at: Option<Instant>,
    /// Arrival of the newest input that may stop a search.
    newest: Option<Instant>,
    /// Stop flag of the running search, and the time after which input sets the flag.
    search: Option<(Instant, Arc<AtomicBool>)>,
}

impl Input {
    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn next_line(&self) -> io::Result<Option<String>> {
        let mut state = self.lock_state();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.bytes -= line.len() + 1;
                state.read_at = Some(Instant::now());
                self.changed.notify_all();
                return Ok(Some(line));
            }
            match state.end.take() {
                None => state = self.wait(state),
                Some(end) => {
                    state.end = Some(Ok(()));
                    return end.map(|()| None);
                }
            }
        }
    }

    pub(super) fn has_input(&self) -> bool {
        let state = self.lock_state();
        !state.lines.is_empty() || state.end.is_some()
    }

    /// Stop flag for a search. Input sets it if it arrives more than `ahead` after the last line
    /// was taken; earlier input counts as sent with that line.
    pub(super) fn stop_flag(&self, ahead: Duration) -> Arc<AtomicBool> {
        let mut state = self.lock_state();
        let since = state.read_at.unwrap_or_else(Instant::now) + ahead;
        let is_set = state.newest.is_some_and(|newest| newest > since);
        let stop = Arc::new(AtomicBool::new(is_set));
        state.search = Some((since, Arc::clone(&stop)));
        stop
    }

    /// Reads input until its end; new input stops the running search if `interrupts` (not for
    /// files).
    pub(super) fn read(&self, mut input: impl Read, interrupts: bool) {
        let (mut chunk, mut partial) = (vec![0; CHUNK_BYTES], Vec::new());
        let mut is_behind = false;
        loop {
            let requested = Instant::now();
            let read = match input.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read,
            };
            let arrived = Instant::now();
            let is_new = interrupts && !(is_behind && arrived - requested < IMMEDIATE_READ_TIME);
            let mut lines = Vec::new();
            let end = match read {
                Ok(length) if length > 0 => {
                    is_behind = length == CHUNK_BYTES;
                    split(&chunk[..length], &mut partial, &mut lines);
                    None
                }
                read => {
                    lines.extend((!partial.is_empty()).then(|| text(&mut partial)));
                    Some(read.map(drop))
                }
            };
            let (is_line, is_over) = (!lines.is_empty(), end.is_some());
            // Lets the writer send more, or close, before the search begins.
            thread::yield_now();
            let mut state = self.lock_state();
            while state.bytes > MAX_WAITING {
                is_behind = true;
                state = self.wait(state);
            }
            // The end of input does not stop a search while lines of a script are waiting.
            let is_notable = is_line || (is_over && state.lines.is_empty());
            state.bytes += lines.iter().map(|line| line.len() + 1).sum::<usize>();
            state.lines.extend(lines);
            state.end = end;
            if is_notable && is_new {
                state.newest = Some(arrived);
                if let Some((_, stop)) = state.search.as_ref().filter(|(since, _)| arrived > *since)
                {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            self.changed.notify_all();
            if is_over {
                return;
            }
        }
    }
}

fn split(bytes: &[u8], partial: &mut Vec<u8>, lines: &mut Vec<String>) {
    for part in bytes.split_inclusive(|&byte| byte == b'\n') {
        let (part, ends) = match part.split_last() {
            Some((b'\n', part)) => (part, true),
            _ => (part, false),
        };
        // One byte beyond the limit marks a line as too long.
        let room = (MAX_LINE + 1).saturating_sub(partial.len());
        partial.extend_from_slice(&part[..part.len().min(room)]);
        if ends {
            lines.push(text(partial));
        }
    }
}

fn text(line: &mut Vec<u8>) -> String {
    let line = mem::take(line);
    let line = strip_bom(&line);
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    struct ChannelReader(Receiver<String>);

    impl Read for ChannelReader {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let text = self.0.recv().unwrap_or_default();
            buffer[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }

    fn read_all(input: &Input) -> Vec<String> {
        std::iter::from_fn(|| input.next_line().unwrap()).collect()
    }

    #[test]
    fn lines_are_split_and_bounded_wherever_reads_end() {
        let long = "x".repeat(2 * MAX_LINE);
        let text = format!("\u{feff}one\n\ntwo\r\n{long}\nlast");
        for length in [1, 2, 7, CHUNK_BYTES] {
            let input = Input::default();
            let (mut partial, mut split_lines) = (Vec::new(), Vec::new());
            for bytes in text.as_bytes().chunks(length) {
                split(bytes, &mut partial, &mut split_lines);
            }
            assert_eq!((split_lines.len(), &*partial), (4, &b"last"[..]));
            input.read(text.as_bytes(), true);
            let all = read_all(&input);
            assert_eq!(all[..4], split_lines);
            assert_eq!(
                [&*all[0], &all[1], &all[2], &all[4]],
                ["one", "", "two", "last"]
            );
            assert_eq!(all[3].len(), MAX_LINE + 1);
            assert!(input.has_input() && input.next_line().unwrap().is_none());
        }
    }

    #[test]
    fn what_arrives_later_ends_a_search_and_what_was_sent_ahead_does_not() {
        let hour = Duration::from_secs(3600);
        for (text, ahead, is_pipe, ends) in [
            ("a line\n", Duration::ZERO, true, true),
            ("two\nlines\n", Duration::ZERO, true, true),
            ("\n", Duration::ZERO, true, true),
            ("half a line", Duration::ZERO, true, false),
            ("", Duration::ZERO, true, true),
            ("a line\n", hour, true, false),
            ("", hour, true, false),
            ("a line\n", Duration::ZERO, false, false),
            ("", Duration::ZERO, false, false),
        ] {
            let (input, (send, receive)) = (Input::default(), channel());
            thread::scope(|scope| {
                scope.spawn(|| input.read(ChannelReader(receive), is_pipe));
                send.send("sent before\n".to_owned()).unwrap();
                assert_eq!(input.next_line().unwrap().unwrap(), "sent before");
                let stop = input.stop_flag(ahead);
                assert!(!stop.load(Ordering::Relaxed));
                send.send(text.to_owned()).unwrap();
                drop(send);
                while input.lock_state().end.is_none() {
                    thread::yield_now();
                }
                let is_ended_by_end = ends || (text == "half a line" && is_pipe);
                assert_eq!(stop.load(Ordering::Relaxed), is_ended_by_end, "{text:?}");
                let later = input.stop_flag(ahead);
                assert_eq!(later.load(Ordering::Relaxed), is_ended_by_end, "{text:?}");
            });
        }
    }

    #[test]
    fn the_end_of_a_script_ends_no_search_while_lines_of_it_wait() {
        for (script, ends) in [("genmove\n", true), ("genmove\nquit\n", false)] {
            let (input, (send, receive)) = (Input::default(), channel());
            thread::scope(|scope| {
                scope.spawn(|| input.read(ChannelReader(receive), true));
                send.send(script.to_owned()).unwrap();
                assert_eq!(input.next_line().unwrap().unwrap(), "genmove");
                let stop = input.stop_flag(Duration::ZERO);
                drop(send);
                while input.lock_state().end.is_none() {
                    thread::yield_now();
                }
                assert_eq!(stop.load(Ordering::Relaxed), ends, "{script:?}");
            });
        }
    }

    #[test]
    fn more_than_may_wait_is_read_when_there_is_room() {
        let input = Input::default();
        let line = "x".repeat(1000) + "\n";
        let text = line.repeat(3 * MAX_WAITING / line.len());
        thread::scope(|scope| {
            scope.spawn(|| input.read(text.as_bytes(), true));
            assert_eq!(read_all(&input).len(), text.len() / line.len());
        });
        assert_eq!(input.lock_state().bytes, 0);
    }
}
