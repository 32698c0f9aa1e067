//! Runs the transcripts in documents, and compares their output.
//!
//! A transcript is a block ```` ```console ````: commands after `$`, each followed by its output on
//! both streams, where `[..]` matches any text within a line; `? N` before the output is exit code
//! N. A document runs in its own temporary directory that sees the repository's data, documents and
//! models; a block ```` ```toml NAME ```` becomes a file there. `TRANSCRIPTS=overwrite` rewrites
//! the documents.
//!
//! The crate `trycmd` is not used: its serde features would make burn compile again.

use rayon::prelude::*;
use std::{
    env,
    fmt::Write,
    fs, iter,
    path::{Path, PathBuf},
    process::Command,
};

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

pub(crate) fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path())
}

pub(crate) fn check(documents: impl Iterator<Item = PathBuf>, program: &str) {
    let transcripts = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts"));
    let transcripts = transcripts.filter(|_| cfg!(target_os = "linux"));
    let documents: Vec<PathBuf> = documents.chain(transcripts).collect();
    let folder = Path::new(program).parent().unwrap();
    let stale = documents.into_par_iter().map(|path| {
        let directory = tempfile::tempdir().unwrap();
        for seen in ["data", "docs", "models"] {
            #[cfg(unix)]
            std::os::unix::fs::symlink(root().join(seen), directory.path().join(seen)).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut stale = String::new();
        let now = printed_now(&text, [folder, directory.path()], &mut stale);
        if env::var_os("TRANSCRIPTS").is_some_and(|mode| mode == "overwrite") && now != text {
            fs::write(&path, now).unwrap();
        }
        stale
    });
    let stale: String = stale.collect();
    assert!(stale.is_empty(), "{stale}");
}

fn printed_now(document: &str, [program, directory]: [&Path; 2], stale: &mut String) -> String {
    let mut lines = document.lines().peekable();
    let mut now = String::new();
    let mut is_transcript = false;
    while let Some(line) = lines.next() {
        writeln!(now, "{line}").unwrap();
        if let Some(kind) = line.strip_prefix("```") {
            is_transcript = kind == "console";
            if let Some((_, name)) = kind.split_once(' ') {
                let content = iter::from_fn(|| lines.next_if(|line| *line != "```"));
                let content: String = content.map(|line| format!("{line}\n")).collect();
                fs::write(directory.join(name), &content).unwrap();
                now += &content;
                continue;
            }
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| is_transcript) else {
            continue;
        };
        let ends = |line: &&str| line.starts_with("$ ") || line.starts_with("```");
        let printed_lines: Vec<&str> =
            iter::from_fn(|| lines.next_if(|line| !ends(line))).collect();
        let printed = run(command, program, directory);
        let printed: Vec<&str> = printed.trim_end_matches('\n').lines().collect();
        let blank = printed_lines
            .iter()
            .rev()
            .take_while(|line| line.is_empty())
            .count();
        let (text, blank) = printed_lines.split_at(printed_lines.len() - blank);
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

fn run(command: &str, program: &Path, directory: &Path) -> String {
    let path = format!("{}:{}", program.display(), env::var("PATH").unwrap());
    let ran = Command::new("sh")
        .args(["-c", &format!("({command}) 2>&1")])
        .env("PATH", path)
        .env("COLUMNS", "100")
        .env("LC_ALL", "C")
        .current_dir(directory)
        .output()
        .unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    let printed = printed.replace(directory.to_str().unwrap(), "[..]");
    match ran.status.code() {
        Some(0) => printed,
        code => format!("? {}\n{printed}", code.unwrap()),
    }
}

pub(crate) fn is_like(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("[..]") else {
        return pattern == line;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    (0..=line.len()).any(|at| line.is_char_boundary(at) && is_like(rest, &line[at..]))
}
