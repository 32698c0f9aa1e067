//! Progress bars of resumed work.

use indicatif::ProgressBar;

/// Sets a progress bar to `done`, the finished units of interrupted work, and prints a message if
/// there are some.
pub(crate) fn resume_at(progress: &ProgressBar, done: u64) {
    progress.set_position(done);
    progress.reset_eta();
    let length = progress.length().unwrap_or(0);
    if (1..length).contains(&done) {
        let prefix = progress.prefix();
        progress.println(format!("resumed: {done} of {length} {prefix} are done"));
    }
}
