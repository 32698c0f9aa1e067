//! The transcripts of the documents, run by a shell and compared with what is printed.
//!
//! A transcript is a block ```` ```console ````: commands after `$`, what each prints on both
//! outputs, `? N` in front of that where it fails with exit code N. `[..]` stands for any text
//! within a line. They run in a directory of their own that sees the repository's data, documents
//! and models, so what they write is gone afterwards. `TRANSCRIPTS=overwrite` writes what is
//! printed now into the documents, where it differs.
//!
//! The crates that do this (`trycmd`) turn on features of serde, with which burn is compiled anew.

use std::{env, fmt::Write, fs, iter, os::unix::fs::symlink, path::Path, process::Command};

const DOCUMENTS: [&str; 3] = ["README.md", "docs/tour.md", "docs/players.md"];

#[test]
fn documents_show_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let place = tempfile::tempdir().unwrap();
    for seen in ["data", "docs", "models"] {
        symlink(root.join(seen), place.path().join(seen)).unwrap();
    }
    let mut stale = String::new();
    for document in DOCUMENTS {
        let path = root.join(document);
        let text = fs::read_to_string(&path).unwrap();
        let now = printed_now(&text, place.path(), &mut stale);
        if env::var_os("TRANSCRIPTS").is_some_and(|mode| mode == "overwrite") && now != text {
            fs::write(&path, now).unwrap();
        }
    }
    assert!(stale.is_empty(), "{stale}");
}

/// The document with what its commands print now; what differs is told.
fn printed_now(document: &str, place: &Path, stale: &mut String) -> String {
    let mut lines = document.lines().peekable();
    let mut now = String::new();
    let mut is_transcript = false;
    while let Some(line) = lines.next() {
        writeln!(now, "{line}").unwrap();
        if line.starts_with("```") {
            is_transcript = line == "```console";
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| is_transcript) else {
            continue;
        };
        let ends = |line: &&str| line.starts_with("$ ") || line.starts_with("```");
        let shown: Vec<&str> = iter::from_fn(|| lines.next_if(|line| !ends(line))).collect();
        let printed = run(command, place);
        let printed: Vec<&str> = printed.trim_end_matches('\n').split('\n').collect();
        // Blank lines part one command from the next.
        let blank = shown
            .iter()
            .rev()
            .take_while(|line| line.is_empty())
            .count();
        let (text, blank) = shown.split_at(shown.len() - blank);
        let agrees = text.len() == printed.len()
            && iter::zip(text, &printed).all(|(pattern, line)| is_like(pattern, line));
        if !agrees {
            let printed = printed.join("\n");
            writeln!(
                stale,
                "$ {command}\nthe document says\n{}\nthe program\n{printed}\n",
                text.join("\n")
            )
            .unwrap();
        }
        for line in if agrees { text } else { &printed }.iter().chain(blank) {
            writeln!(now, "{line}").unwrap();
        }
    }
    now
}

/// What a command prints on both outputs, after its exit code if that is not 0.
fn run(command: &str, place: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_alea")).parent().unwrap();
    let path = format!("{}:{}", program.display(), env::var("PATH").unwrap());
    let ran = Command::new("sh")
        .args(["-c", &format!("({command}) 2>&1")])
        .env("PATH", path)
        .env("COLUMNS", "100")
        .current_dir(place)
        .output()
        .unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    match ran.status.code() {
        Some(0) => printed,
        code => format!("? {}\n{printed}", code.unwrap()),
    }
}

/// Whether a line is like a pattern, in which `[..]` stands for any text.
fn is_like(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("[..]") else {
        return pattern == line;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    (0..=line.len()).any(|at| line.is_char_boundary(at) && is_like(rest, &line[at..]))
}
