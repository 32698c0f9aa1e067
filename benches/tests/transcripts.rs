//! Tests of the commands by transcripts.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../cli/tests/all/console.rs"]
mod console;

#[test]
fn documents_show_what_the_program_prints() {
    let readme = console::root().join("benches/README.md");
    console::check([readme].into_iter(), env!("CARGO_BIN_EXE_benches"));
}
