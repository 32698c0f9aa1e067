//! Report of a command that a signal ends: a partial result, and a line about what was kept.

use std::sync::{Mutex, PoisonError};

/// Prints a partial result; returns what was kept, in one line, unless registered files tell it.
type Report = Box<dyn FnOnce() -> Option<String> + Send>;

static REPORT: Mutex<Option<Report>> = Mutex::new(None);

fn swap(report: Option<Report>) -> Option<Report> {
    let mut current = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut current, report)
}

/// Sets the report of the running command.
pub(crate) fn set_report(report: impl FnOnce() -> Option<String> + Send + 'static) {
    swap(Some(Box::new(report)));
}

/// Removes the report: the command has printed its result.
pub(crate) fn clear_report() {
    swap(None);
}

/// Reports once.
#[cfg(unix)]
pub(crate) fn report() -> Option<String> {
    swap(None).and_then(|report| report())
}
