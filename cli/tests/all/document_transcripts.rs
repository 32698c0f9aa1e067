//! Transcripts in the documents and in `cli/tests/transcripts`.

use crate::shell_transcripts::{check, files, root};

#[test]
fn documents_show_what_the_program_prints() {
    let documents = files(&root().join("docs"))
        .chain(files(&root().join("docs/reference")))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .chain([root().join("README.md")]);
    check(documents, env!("CARGO_BIN_EXE_alea"));
}
