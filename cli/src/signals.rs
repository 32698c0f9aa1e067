//! Ends the program at `SIGINT`, `SIGTERM` or `SIGHUP` with exit code 128 + the signal's number.
//!
//! The first signal lets a file replacement finish and prints a line about saved work; the second
//! one ends at once. Signals ignored at the start, as by `nohup`, stay ignored.

use crate::{interruption_report, output};
use engine::core::shutdown_cleanup::shut_down;
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

pub(crate) fn install_handler() -> io::Result<()> {
    // Makes exceeding the file size limit a write error.
    flag::register(SIGXFSZ, Arc::default())?;
    let ignored = ignored_signals();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let heeded: Vec<i32> = heeded
        .filter(|signal| ignored & (1 << (signal - 1)) == 0)
        .collect();
    let again = Arc::new(AtomicBool::new(false));
    for &signal in &heeded {
        // In this order, the first signal does not find the flag set.
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
    let outputs = shut_down();
    let reported = interruption_report::report();
    let saved = reported.unwrap_or_else(|| match outputs.first() {
        Some(directory) => format!(
            "what is finished is kept in {}, and the same command goes on there",
            directory.display()
        ),
        None => "nothing was kept".to_owned(),
    });
    output::note(&format!("alea: ended by {name}: {saved}"));
    std::process::exit(128 + signal)
}

/// Bit mask of the signals ignored at the start, bit 0 for signal 1; 0 if unknown.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(0)
}
