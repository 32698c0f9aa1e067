//! Running program that answers lines with lines.
//!
//! Waiting ends at a deadline or a stop, even if the program neither replies nor reads. Dropping a
//! [`Program`] kills all its processes.

use super::deadline::Deadline;
use super::{
    log::Log,
    process_watchdog,
    reply::{ChatterPolicy, MAX_LINE, Reply, ReplyBuffer, printable_excerpt},
};
use alea_play::player::Failure::{self, PlayerFault, SystemFault};
use alea_search::limits::Limits;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};
use std::{
    fmt::Display,
    io::{self, ErrorKind, Read, Write},
    os::{fd::AsFd, unix::process::CommandExt},
    path::Path,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

const CHECK_INTERVAL: Duration = Duration::from_millis(5);

const EXIT_TIMEOUT: Duration = Duration::from_millis(200);

pub(super) struct Program {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    errors: Option<ChildStderr>,
    last_errors: Vec<u8>,
    replies: ReplyBuffer,
    pub(super) limits: Limits,
    pub(super) awaits_reply: bool,
    log: Log,
    mark: String,
}

impl Program {
    pub(super) fn start(
        words: &[String],
        folder: Option<&Path>,
        chatter: ChatterPolicy,
    ) -> Result<Self, Failure> {
        let log = Log::create(words).map_err(SystemFault)?;
        Self::spawn(words, folder, chatter, log).map_err(|error| {
            SystemFault(format!(
                "{} cannot be started: {error}",
                printable_excerpt(&words[0])
            ))
        })
    }

    fn spawn(
        words: &[String],
        folder: Option<&Path>,
        chatter: ChatterPolicy,
        log: Log,
    ) -> io::Result<Self> {
        static PROGRAMS_STARTED: AtomicU64 = AtomicU64::new(0);
        let name = words[0].clone();
        process_watchdog::start_guard()?;
        let mark = process_watchdog::mark(PROGRAMS_STARTED.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(&name);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut child = command
            .args(&words[1..])
            .env(process_watchdog::MARK_ENV_VAR, &mark)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no pipes"));
        };
        let errors = child.stderr.take();
        let program = Self {
            name,
            child,
            input: Some(input),
            output,
            errors,
            last_errors: Vec::new(),
            replies: ReplyBuffer::new(chatter),
            limits: Limits::NONE,
            awaits_reply: false,
            log,
            mark,
        };
        process_watchdog::add_group(program.group())?;
        program.input.as_ref().map_or(Ok(()), set_nonblocking)?;
        program.errors.as_ref().map_or(Ok(()), set_nonblocking)?;
        set_nonblocking(&program.output)?;
        Ok(program)
    }

    pub(super) fn send(&mut self, line: &str, deadline: Deadline) -> Result<(), Failure> {
        self.expect_silence(deadline)?;
        self.write_line(line, deadline)
    }

    pub(super) fn write_line(&mut self, line: &str, deadline: Deadline) -> Result<(), Failure> {
        let line = format!("{line}\n");
        let mut bytes = line.as_bytes();
        self.awaits_reply = false;
        self.log.append('>', bytes);
        while !bytes.is_empty() {
            let written = match &mut self.input {
                Some(input) => input.write(bytes),
                None => Err(ErrorKind::BrokenPipe.into()),
            };
            match written {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait_until_ready(true, self.wait_time(deadline, "read nothing")?)?;
                    // Some programs read on only after their output has been read.
                    self.expect_silence(deadline)?;
                }
                Err(_) => return Err(self.end_with_failure("its input is closed")),
            }
        }
        self.awaits_reply = true;
        Ok(())
    }

    pub(super) fn poll_reply(&mut self, reply: Reply) -> Result<Option<String>, Failure> {
        self.read()?;
        self.replies.take_reply(reply)
    }

    pub(super) fn receive(&mut self, reply: Reply, deadline: Deadline) -> Result<String, Failure> {
        if reply == Reply::Nothing {
            return Ok(String::new());
        }
        let answer = self.await_reply(reply, deadline)?;
        self.replies.expect_silence()?;
        Ok(answer)
    }

    pub(super) fn await_reply(
        &mut self,
        reply: Reply,
        deadline: Deadline,
    ) -> Result<String, Failure> {
        loop {
            if let Some(answer) = self.replies.take_reply(reply)? {
                return Ok(answer);
            }
            self.wait_until_ready(false, self.wait_time(deadline, "no answer")?)?;
            self.read()?;
        }
    }

    /// Time until the deadline or the next check for a stop; an error after the deadline, whose
    /// text begins with `missed`.
    fn wait_time(&self, deadline: Deadline, missed: &str) -> Result<Duration, Failure> {
        if self.limits.is_stopped() {
            return Err(SystemFault("it was stopped".to_owned()));
        }
        let remaining = deadline.remaining(missed).map_err(PlayerFault)?;
        let is_checked = self.limits.stop.is_some();
        Ok(if is_checked {
            remaining.min(CHECK_INTERVAL)
        } else {
            remaining
        })
    }

    fn expect_silence(&mut self, deadline: Deadline) -> Result<(), Failure> {
        while self.read()? {
            self.replies.expect_silence()?;
            self.wait_time(deadline, "only comments")?;
        }
        self.replies.expect_silence()
    }

    pub(super) fn cpu_time(&self) -> Option<Duration> {
        process_watchdog::cpu_time(self.group())
    }

    fn read_stderr(&mut self) {
        let mut bytes = [0; MAX_LINE];
        // At most the size of a pipe, so that endless output does not delay replies.
        for _ in 0..16 {
            let read = self.errors.as_mut().map(|errors| errors.read(&mut bytes));
            match read {
                None | Some(Ok(0)) => self.errors = None,
                Some(Ok(length)) => {
                    self.log.append('!', &bytes[..length]);
                    self.last_errors.extend(&bytes[..length]);
                    let over = self.last_errors.len().saturating_sub(MAX_LINE);
                    self.last_errors.drain(..over);
                    continue;
                }
                Some(Err(error)) if error.kind() == ErrorKind::Interrupted => continue,
                Some(Err(error)) if error.kind() == ErrorKind::WouldBlock => {}
                Some(Err(_)) => self.errors = None,
            }
            break;
        }
    }

    fn read(&mut self) -> Result<bool, Failure> {
        self.read_stderr();
        let mut bytes = [0; MAX_LINE];
        loop {
            match self.output.read(&mut bytes) {
                Ok(0) => {
                    self.replies.check_complete()?;
                    return Err(self.end_with_failure("its output is closed"));
                }
                Ok(length) => {
                    self.log.append('<', &bytes[..length]);
                    self.replies.push(&bytes[..length]);
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.unreachable_error(&error)),
            }
        }
    }

    fn wait_until_ready(&self, to_write: bool, remaining: Duration) -> Result<(), Failure> {
        let mut pipes = vec![PollFd::new(&self.output, PollFlags::IN)];
        if let Some(errors) = &self.errors {
            pipes.push(PollFd::new(errors, PollFlags::IN));
        }
        if let Some(input) = self.input.as_ref().filter(|_| to_write) {
            pipes.push(PollFd::new(input, PollFlags::OUT));
        }
        let remaining = Timespec::try_from(remaining).ok();
        match poll(&mut pipes, remaining.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(self.unreachable_error(&error)),
        }
    }

    fn unreachable_error(&self, error: &dyn Display) -> Failure {
        SystemFault(format!(
            "{} cannot be spoken to: {error}",
            printable_excerpt(&self.name)
        ))
    }

    fn end_with_failure(&mut self, otherwise: &str) -> Failure {
        let Some(status) = self.shut_down() else {
            return PlayerFault(otherwise.to_owned());
        };
        let errors = String::from_utf8_lossy(&self.last_errors);
        let last = errors
            .lines()
            .map(printable_excerpt)
            .rfind(|line| !line.is_empty());
        let last = last.map(|line| format!(", saying '{line}'"));
        PlayerFault(format!("ended with {status}{}", last.unwrap_or_default()))
    }

    fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Closes the input, waits briefly for the exit, and kills what remains. `None` if the program
    /// had to be killed, and in later calls.
    fn shut_down(&mut self) -> Option<ExitStatus> {
        self.input.take()?;
        self.log.append('#', b"its input is closed\n");
        let group = self.group();
        // Does not reap the process, so that its ID is not reused.
        let has_ended = || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            !matches!(waitid(WaitId::Pid(group), options), Ok(None))
        };
        let began = Instant::now();
        while !has_ended() && began.elapsed() < EXIT_TIMEOUT && !self.limits.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        let by_itself = has_ended();
        let _ = kill_process_group(group, Signal::KILL);
        process_watchdog::kill_marked(&self.mark, group);
        let status = self.child.wait().ok();
        self.read_stderr();
        self.log.finish();
        process_watchdog::remove_group(group);
        status.filter(|_| by_itself)
    }
}

fn set_nonblocking(pipe: &impl AsFd) -> rustix::io::Result<()> {
    fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)
}

impl Drop for Program {
    fn drop(&mut self) {
        self.shut_down();
    }
}
