//! Tests of the commands by transcripts.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../cli/tests/all/shell_transcripts.rs"]
mod shell_transcripts;

#[test]
fn documents_show_what_the_program_prints() {
    let readme = shell_transcripts::root().join("benches/README.md");
    shell_transcripts::check([readme].into_iter(), env!("CARGO_BIN_EXE_benches"));
}
