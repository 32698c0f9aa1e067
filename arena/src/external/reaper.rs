//! No program that plays lives longer than we do, however we end, and nothing that it started.
//!
//! A shell, one for all programs, reads the numbers of their process groups from us. When nothing
//! more can come, because we ended or were killed, it kills them, and on Linux also what left its
//! group: every process whose environment has our mark.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    collections::BTreeSet,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The variable in the environment of programs: our number and theirs.
pub(super) const MARK_VARIABLE: &str = "ALEA_PROGRAM";

/// Ends with its input.
const GUARD: &str = include_str!("guard.sh");

/// How long what is marked may take to die.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

static GROUPS: Mutex<Groups> = Mutex::new(Groups {
    living: BTreeSet::new(),
    guard: None,
});

struct Groups {
    living: BTreeSet<i32>,
    guard: Option<Child>,
}

/// What marks the program of a number.
pub(super) fn mark(number: u64) -> String {
    format!("{}.{number}", std::process::id())
}

/// Makes sure that somebody watches, before a program starts.
pub(super) fn begin() -> io::Result<()> {
    change(|_| {})
}

/// A program has started.
pub(super) fn add(group: Pid) -> io::Result<()> {
    change(|living| {
        living.insert(group.as_raw_pid());
    })
}

/// A program has ended.
pub(super) fn remove(group: Pid) {
    // Without a guard nobody has to be told.
    let _ = change(|living| {
        living.remove(&group.as_raw_pid());
    });
}

fn change(change: impl FnOnce(&mut BTreeSet<i32>)) -> io::Result<()> {
    let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut groups.living);
    let numbers: Vec<String> = groups.living.iter().map(i32::to_string).collect();
    let line = numbers.join(" ") + "\n";
    let send = |guard: &Child| {
        let mut input = guard.stdin.as_ref();
        input
            .as_mut()
            .map_or(Ok(()), |input| input.write_all(line.as_bytes()))
    };
    if let Some(guard) = &mut groups.guard {
        if send(guard).is_ok() {
            return Ok(());
        }
        // Somebody has killed it.
        let _ = guard.kill().and_then(|()| guard.wait());
    }
    let guard = Command::new("sh")
        .args(["-c", GUARD, "alea-guard", &std::process::id().to_string()])
        .env_remove(MARK_VARIABLE)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    send(groups.guard.insert(guard))
}

/// What Linux counts the time of processes in, on every machine that Rust knows.
const TICKS_PER_SECOND: f64 = 100.0;

/// The CPU time that a process has taken, with all that it started: those that have ended and were
/// waited for, and those that live. `None` where the system does not say.
pub(super) fn cpu_time(process: Pid) -> Option<Duration> {
    let ticks = ticks(process.as_raw_pid(), 0)?;
    Some(Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND))
}

/// Deepest that children of children are looked for.
const MAX_DEPTH: usize = 16;

fn ticks(process: i32, depth: usize) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Its name stands in parentheses, and may hold anything.
    let (_, numbers) = stat.rsplit_once(')')?;
    // In user mode and in the kernel, itself and what it waited for.
    let own = numbers.split_whitespace().skip(11).take(4);
    let own: u64 = own.filter_map(|number| number.parse::<u64>().ok()).sum();
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let children = threads.into_iter().flatten().flatten().map(|thread| {
        let children = std::fs::read_to_string(thread.path().join("children"));
        let children = children.unwrap_or_default();
        let children = children
            .split_whitespace()
            .filter_map(|child| child.parse().ok());
        let children = children.filter_map(|child| ticks(child, depth + 1));
        children.sum::<u64>()
    });
    let started: u64 = if depth < MAX_DEPTH { children.sum() } else { 0 };
    Some(own + started)
}

/// Kills all processes that have a mark in their environment, and that are not older than the
/// first of them; nothing where there is no `/proc`.
pub(super) fn kill_marked(mark: &str, first: Pid) {
    let began = Instant::now();
    let mark = format!("{MARK_VARIABLE}={mark}");
    while kill_once(mark.as_bytes(), first) && began.elapsed() < KILL_TIMEOUT {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns whether there was anything to kill, or may be soon.
fn kill_once(mark: &[u8], first: Pid) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut any = false;
    for process in processes {
        let name = process.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else {
            continue;
        };
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        // In the middle of becoming another program a process has no environment. (Numbers begin
        // anew one day; then such a one is missed.)
        let is_becoming = environment.is_empty()
            && pid.as_raw_pid() > first.as_raw_pid()
            && process.path().join("exe").read_link().is_ok();
        any |= is_becoming;
        if environment.split(|&byte| byte == 0).any(|one| one == mark) {
            any = true;
            // It may have ended by now.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    any
}
