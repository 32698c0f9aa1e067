//! Runs the binary `alea`, and inspects its output.

use serde_json::Value;
use std::{
    fmt::{self, Display, Formatter},
    fs,
    io::Write,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Runs `alea` without input. The line is formatted as by `format!` and split at spaces; text
/// between two `'` is one word.
macro_rules! alea {
    ($($line:tt)*) => { $crate::support::run(&format!($($line)*), b"") };
}
pub(crate) use alea;

pub(crate) struct Ran {
    line: String,
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command, line: &str, input: &[u8]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // Full pipes could block both processes; writing fails once the command ends.
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        Self {
            line: line.to_owned(),
            code: output
                .status
                .code()
                .unwrap_or_else(|| panic!("{line}: killed: {err}")),
            out,
            err,
        }
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        json_lines(&self.out)
    }

    pub(crate) fn json(&self) -> Value {
        self.succeeds();
        let [line] = &*self.lines() else {
            panic!("not one line: {self}")
        };
        line.clone()
    }

    pub(crate) fn succeeds(&self) {
        assert_eq!(self.code, 0, "{self}");
    }
}

impl Display for Ran {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            code,
            out,
            err,
        } = self;
        write!(formatter, "alea {line}\nexit code {code}\n{out}\n{err}")
    }
}

pub(crate) fn run(line: &str, input: &[u8]) -> Ran {
    Ran::of(&mut command(line), line, input)
}

pub(crate) fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_alea"));
    command.args(words(line));
    command
}

pub(crate) fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn path(&self) -> String {
        self.0.path().to_str().unwrap().to_owned()
    }
}

pub(crate) fn exists(path: &str) -> bool {
    fs::exists(path).unwrap()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn names(directory: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub(crate) fn content(directory: &str) -> Vec<(String, Vec<u8>)> {
    if !exists(directory) {
        return Vec::new();
    }
    let content = |name| (fs::read(format!("{directory}/{name}")).unwrap(), name);
    let content = names(directory).into_iter().map(content);
    content.map(|(bytes, name)| (name, bytes)).collect()
}

pub(crate) fn here(path: &str) -> String {
    format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn has_package(package: &str) -> bool {
    let import = format!("import {package}");
    let output = Command::new("python3").args(["-c", &import]).output();
    let is_there = output.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: python3 has no package {package}");
    }
    is_there
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(read).collect()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is no list"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn word(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
}
