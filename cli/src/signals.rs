//! Signals that end work: `SIGINT`, `SIGTERM` and `SIGHUP`.
//!
//! The first ends the program between two files: one line says what is kept and how to go on, and
//! the exit code is 128 and the number of the signal. A second one ends it at once. A signal that
//! was ignored when the program began, as by `nohup`, stays so.

use crate::output;
use engine::core::interruption::interrupt;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    iterator::Signals,
};
use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

/// Heeds signals from now on, on a thread of its own.
pub(crate) fn heed() -> io::Result<()> {
    // A file that grows beyond the limit of the system is an error of writing like others.
    flag::register(SIGXFSZ, Arc::default())?;
    let ignored = ignored();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let heeded: Vec<i32> = heeded
        .filter(|signal| ignored & (1 << (signal - 1)) == 0)
        .collect();
    let again = Arc::new(AtomicBool::new(false));
    for &signal in &heeded {
        // In this order: the first time the flag is not yet set.
        flag::register_conditional_shutdown(signal, 128 + signal, again.clone())?;
        flag::register(signal, again.clone())?;
    }
    let mut signals = Signals::new(&heeded)?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                end(signal);
            }
        })?;
    Ok(())
}

fn end(signal: i32) -> ! {
    let name = match signal {
        SIGHUP => "SIGHUP",
        SIGINT => "SIGINT",
        _ => "SIGTERM",
    };
    let saved = match interrupt().first() {
        Some(directory) => format!(
            "what is finished is kept in {}, and the same command goes on there",
            directory.display()
        ),
        None => "nothing was kept".to_owned(),
    };
    output::note(&format!("alea: ended by {name}: {saved}"));
    std::process::exit(128 + signal)
}

/// The signals that whoever started the program wanted ignored, a bit each from the lowest for
/// signal 1; where that cannot be known, none.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(0)
}
