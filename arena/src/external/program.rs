//! A running program that answers lines with lines, in whatever protocol.
//!
//! Invariants: nothing waits longer than its deadline, or once it is stopped, whether the program
//! does not answer or does not read; an answer is a line that came after its question, and any line besides is a failure; its
//! standard error goes to its log, and blocks nobody while it is spoken to;
//! neither threads nor descriptors nor processes are left when a program is dropped: it leads a
//! process group, which is killed with it, and on Linux whatever left the group is known by its
//! environment.

use super::deadline::Deadline;
use super::{
    log::Log,
    reaper,
    reply::{ChatterPolicy, MAX_LINE, Reply, ReplyBuffer, quote},
};
use engine::play::player::Failure::{self, PlayerFault, SystemFault};
use engine::search::limits::Limits;
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

/// Between two looks whether it is still to be waited for.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How long a program may take to end once its input is closed, unless it was stopped.
const END_TIMEOUT: Duration = Duration::from_millis(200);

pub(super) struct Program {
    name: String,
    child: Child,
    /// `None` once the program has been ended.
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// `None` once the program has closed it.
    errors: Option<ChildStderr>,
    /// The last that came of its standard error.
    last_errors: Vec<u8>,
    /// What was read and not yet looked at.
    replies: ReplyBuffer,
    /// What ends all waiting before the deadlines do.
    pub(super) limits: Limits,
    /// Whether the last line was written to its end.
    pub(super) awaits_reply: bool,
    log: Log,
    /// Stands in the environment of the program and of all it starts.
    mark: String,
}

impl Program {
    /// Starts a program in a folder, this one unless another is named; it may say so much unasked.
    pub(super) fn start(
        words: &[String],
        folder: Option<&Path>,
        chatter: ChatterPolicy,
    ) -> Result<Self, Failure> {
        let log = Log::begin(words).map_err(SystemFault)?;
        Self::spawn(words, folder, chatter, log).map_err(|error| {
            SystemFault(format!("{} cannot be started: {error}", quote(&words[0])))
        })
    }

    fn spawn(
        words: &[String],
        folder: Option<&Path>,
        chatter: ChatterPolicy,
        log: Log,
    ) -> io::Result<Self> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let name = words[0].clone();
        reaper::begin()?;
        let mark = reaper::mark(STARTED.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(&name);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut child = command
            .args(&words[1..])
            .env(reaper::MARK_VARIABLE, &mark)
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
        reaper::add(program.group())?;
        program.input.as_ref().map_or(Ok(()), do_not_block)?;
        program.errors.as_ref().map_or(Ok(()), do_not_block)?;
        do_not_block(&program.output)?;
        Ok(program)
    }

    /// Writes a line. What the program said before, unasked, is a failure.
    pub(super) fn send(&mut self, line: &str, deadline: Deadline) -> Result<(), Failure> {
        self.expect_silence(deadline)?;
        self.write(line, deadline)
    }

    /// Writes a line to a program that may be answering another one.
    pub(super) fn write(&mut self, line: &str, deadline: Deadline) -> Result<(), Failure> {
        let line = format!("{line}\n");
        let mut bytes = line.as_bytes();
        self.awaits_reply = false;
        self.log.line('>', bytes);
        while !bytes.is_empty() {
            let written = match &mut self.input {
                Some(input) => input.write(bytes),
                None => Err(ErrorKind::BrokenPipe.into()),
            };
            match written {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(true, self.remaining(deadline, "read nothing")?)?;
                    // It may be waiting itself, for its comments to be read.
                    self.expect_silence(deadline)?;
                }
                Err(_) => return Err(self.ended("its input is closed")),
            }
        }
        self.awaits_reply = true;
        Ok(())
    }

    /// The answer that is there already.
    pub(super) fn take_answer(&mut self, reply: Reply) -> Result<Option<String>, Failure> {
        self.read()?;
        self.replies.reply(reply)
    }

    /// The answer to what was said.
    pub(super) fn receive(&mut self, reply: Reply, deadline: Deadline) -> Result<String, Failure> {
        if reply == Reply::Nothing {
            return Ok(String::new());
        }
        let answer = self.receive_first(reply, deadline)?;
        // What has come with it; what comes later is found before the next question.
        self.replies.expect_silence()?;
        Ok(answer)
    }

    /// The first of several answers.
    pub(super) fn receive_first(
        &mut self,
        reply: Reply,
        deadline: Deadline,
    ) -> Result<String, Failure> {
        loop {
            if let Some(answer) = self.replies.reply(reply)? {
                return Ok(answer);
            }
            self.wait(false, self.remaining(deadline, "no answer")?)?;
            self.read()?;
        }
    }

    /// How long to wait: what is left until a deadline, or until the next look.
    fn remaining(&self, deadline: Deadline, missed: &str) -> Result<Duration, Failure> {
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

    /// Reads what is there, which is to be nothing but comments.
    fn expect_silence(&mut self, deadline: Deadline) -> Result<(), Failure> {
        while self.read()? {
            self.replies.expect_silence()?;
            self.remaining(deadline, "only comments")?;
        }
        self.replies.expect_silence()
    }

    /// The CPU time that the program and all it started have taken, where the system says.
    pub(super) fn cpu_time(&self) -> Option<Duration> {
        reaper::cpu_time(self.group())
    }

    /// Reads of its standard error what is there.
    fn read_errors(&mut self) {
        let mut bytes = [0; MAX_LINE];
        // As much as a pipe holds: one that never ends does not keep the program from being heard.
        for _ in 0..16 {
            let read = self.errors.as_mut().map(|errors| errors.read(&mut bytes));
            match read {
                None | Some(Ok(0)) => self.errors = None,
                Some(Ok(length)) => {
                    self.log.line('!', &bytes[..length]);
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

    /// Reads once, without waiting. Returns whether anything was there.
    fn read(&mut self) -> Result<bool, Failure> {
        self.read_errors();
        let mut bytes = [0; MAX_LINE];
        loop {
            match self.output.read(&mut bytes) {
                Ok(0) => {
                    self.replies.end()?;
                    return Err(self.ended("its output is closed"));
                }
                Ok(length) => {
                    self.log.line('<', &bytes[..length]);
                    self.replies.push(&bytes[..length]);
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.unreachable(&error)),
            }
        }
    }

    /// Waits until there is something to read, or, if that is wanted, room to write.
    fn wait(&self, to_write: bool, remaining: Duration) -> Result<(), Failure> {
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
            Err(error) => Err(self.unreachable(&error)),
        }
    }

    fn unreachable(&self, error: &dyn Display) -> Failure {
        SystemFault(format!(
            "{} cannot be spoken to: {error}",
            quote(&self.name)
        ))
    }

    /// Why nothing more comes from the program, which is ended if it has not.
    fn ended(&mut self, otherwise: &str) -> Failure {
        let Some(status) = self.end() else {
            return PlayerFault(otherwise.to_owned());
        };
        let errors = String::from_utf8_lossy(&self.last_errors);
        let last = errors.lines().map(quote).rfind(|line| !line.is_empty());
        let last = last.map(|line| format!(", saying '{line}'"));
        PlayerFault(format!("ended with {status}{}", last.unwrap_or_default()))
    }

    fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Closes its input, which tells it to end, and kills what does not: itself and all that it
    /// started. Returns how it ended if it did that by itself, the first time.
    fn end(&mut self) -> Option<ExitStatus> {
        self.input.take()?;
        self.log.line('#', b"its input is closed\n");
        let group = self.group();
        // It is not waited for yet: until then its number is nobody else's.
        let has_ended = || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            !matches!(waitid(WaitId::Pid(group), options), Ok(None))
        };
        let began = Instant::now();
        while !has_ended() && began.elapsed() < END_TIMEOUT && !self.limits.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        let by_itself = has_ended();
        // There is nothing else to be done if it cannot be killed.
        let _ = kill_process_group(group, Signal::KILL);
        reaper::kill_marked(&self.mark, group);
        let status = self.child.wait().ok();
        self.read_errors();
        self.log.finish();
        reaper::remove(group);
        status.filter(|_| by_itself)
    }
}

fn do_not_block(pipe: &impl AsFd) -> rustix::io::Result<()> {
    fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}
