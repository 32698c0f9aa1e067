//! Guard: kills all started programs when this process ends, even if it is killed.
//!
//! The guard is a shell that reads the process groups of running programs from its standard input.
//! When that is closed, it kills them, and on Linux every other process whose environment has this
//! process's mark.

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

/// Environment variable of started programs; its value, the mark, is our process ID and the
/// program's number.
pub(super) const MARK_ENV_VAR: &str = "ALEA_PROGRAM";

const GUARD_SCRIPT: &str = include_str!("guard.sh");

const KILL_TIMEOUT: Duration = Duration::from_secs(1);

static PROCESS_GROUPS: Mutex<ProcessGroups> = Mutex::new(ProcessGroups {
    living: BTreeSet::new(),
    guard: None,
});

struct ProcessGroups {
    living: BTreeSet<i32>,
    guard: Option<Child>,
}

pub(super) fn mark(number: u64) -> String {
    format!("{}.{number}", std::process::id())
}

pub(super) fn start_guard() -> io::Result<()> {
    update_groups(|_| {})
}

pub(super) fn add_group(group: Pid) -> io::Result<()> {
    update_groups(|living| {
        living.insert(group.as_raw_pid());
    })
}

pub(super) fn remove_group(group: Pid) {
    let _ = update_groups(|living| {
        living.remove(&group.as_raw_pid());
    });
}

fn update_groups(change: impl FnOnce(&mut BTreeSet<i32>)) -> io::Result<()> {
    let mut groups = PROCESS_GROUPS
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
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
        let _ = guard.kill().and_then(|()| guard.wait());
    }
    let guard = Command::new("sh")
        .args([
            "-c",
            GUARD_SCRIPT,
            "alea-guard",
            &std::process::id().to_string(),
        ])
        .env_remove(MARK_ENV_VAR)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    send(groups.guard.insert(guard))
}

const TICKS_PER_SECOND: f64 = 100.0;

pub(super) fn cpu_time(process: Pid) -> Option<Duration> {
    let ticks = cpu_ticks(process.as_raw_pid(), 0)?;
    Some(Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND))
}

const MAX_PROCESS_DEPTH: usize = 16;

fn cpu_ticks(process: i32, depth: usize) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in parentheses and may contain any character.
    let (_, numbers) = stat.rsplit_once(')')?;
    // User and kernel time, own and of ended children.
    let own = numbers.split_whitespace().skip(11).take(4);
    let own: u64 = own.filter_map(|number| number.parse::<u64>().ok()).sum();
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let children = threads.into_iter().flatten().flatten().map(|thread| {
        let children = std::fs::read_to_string(thread.path().join("children"));
        let children = children.unwrap_or_default();
        let children = children
            .split_whitespace()
            .filter_map(|child| child.parse().ok());
        let children = children.filter_map(|child| cpu_ticks(child, depth + 1));
        children.sum::<u64>()
    });
    let started: u64 = if depth < MAX_PROCESS_DEPTH {
        children.sum()
    } else {
        0
    };
    Some(own + started)
}

/// Kills all processes whose environment in `/proc` has the mark. A process with an ID above
/// `first` and an empty environment may be a child about to start, so the scan is repeated.
pub(super) fn kill_marked(mark: &str, first: Pid) {
    let began = Instant::now();
    let mark = format!("{MARK_ENV_VAR}={mark}");
    while scan_and_kill(mark.as_bytes(), first) && began.elapsed() < KILL_TIMEOUT {
        thread::sleep(Duration::from_millis(1));
    }
}

fn scan_and_kill(mark: &[u8], first: Pid) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut any = false;
    for process in processes {
        let name = process.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else {
            continue;
        };
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        // The environment is empty during `exec`.
        let is_becoming = environment.is_empty()
            && pid.as_raw_pid() > first.as_raw_pid()
            && process.path().join("exe").read_link().is_ok();
        any |= is_becoming;
        if environment.split(|&byte| byte == 0).any(|one| one == mark) {
            any = true;
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    any
}
