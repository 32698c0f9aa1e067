//! Report of a command that is ended by a signal: a partial result, and a line about saved work.

use std::sync::{Mutex, PoisonError};

/// Prints a partial result; returns a line about saved work, or `None` if the list of output files
/// suffices.
type Report = Box<dyn FnOnce() -> Option<String> + Send>;

static REPORT: Mutex<Option<Report>> = Mutex::new(None);

fn swap(report: Option<Report>) -> Option<Report> {
    let mut current = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut current, report)
}

pub(crate) fn set_report(report: impl FnOnce() -> Option<String> + Send + 'static) {
    swap(Some(Box::new(report)));
}

pub(crate) fn clear_report() {
    swap(None);
}

#[cfg(unix)]
pub(crate) fn report() -> Option<String> {
    swap(None).and_then(|report| report())
}
