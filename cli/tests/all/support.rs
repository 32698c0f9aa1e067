//! Running the binary `alea` from outside, and reading what it says.

use serde_json::Value;
use std::{
    fmt::{self, Display, Formatter},
    fs,
    io::Write,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// The position of the examples, without its die.
pub(crate) const MIDDLE: &str = "215../64.../3...e/...fb/..acd b";

/// Runs `alea` with standard input closed. The command line is formatted as by `format!`; spaces
/// part its words, and what stands between two `'` is one word.
macro_rules! alea {
    ($($line:tt)*) => { $crate::support::run(&format!($($line)*), b"") };
}
pub(crate) use alea;

/// What a run of the binary came to.
pub(crate) struct Ran {
    line: String,
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Runs a command, which `line` tells, with something on standard input.
    pub(crate) fn of(command: &mut Command, line: &str, input: &[u8]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // A full pipe on either side must not stop both; writing fails as soon as the command ends.
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

    /// Every line of standard output as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        json_lines(&self.out)
    }

    /// The only line of standard output as JSON; the command succeeded.
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

    /// The command succeeded, and all of this is in what it printed.
    pub(crate) fn shows(&self, parts: &[&str]) {
        self.succeeds();
        for part in parts {
            assert!(self.out.contains(part), "no {part}: {self}");
        }
    }

    /// The command failed with exit code 1 and one line that says why.
    pub(crate) fn failure(&self) -> &str {
        assert_eq!(self.code, 1, "{self}");
        assert_eq!(self.err.lines().count(), 1, "{self}");
        let problem = self.err.strip_prefix("alea: ");
        problem.unwrap_or_else(|| panic!("{self}")).trim_end()
    }

    /// The command failed, and this is in the line that says why.
    pub(crate) fn fails(&self, part: &str) {
        assert!(self.failure().contains(part), "no {part}: {self}");
    }

    /// The command line was wrong, and nothing was done.
    pub(crate) fn is_wrong_usage(&self) {
        assert_eq!((self.code, &*self.out), (2, ""), "{self}");
        assert!(!self.err.contains("panicked"), "{self}");
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

/// Runs `alea` with something on standard input; its command line as in [`alea!`].
pub(crate) fn run(line: &str, input: &[u8]) -> Ran {
    Ran::of(&mut command(line), line, input)
}

/// `alea` as it is to be run; its command line as in [`alea!`].
pub(crate) fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_alea"));
    command.args(words(line));
    command
}

pub(crate) fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

/// A disk is full after 10 KB or so: no file may grow beyond that, and the signal that would kill
/// the program is ignored, so that writing fails. What is said of it.
#[cfg(unix)]
pub(crate) fn fails_on_a_full_disk(line: &str) -> String {
    let quoted: String = words(line)
        .iter()
        .map(|word| format!(" '{word}'"))
        .collect();
    let alea = env!("CARGO_BIN_EXE_alea");
    let script = format!("trap '' XFSZ; ulimit -f 20; exec '{alea}'{quoted}");
    let ran = Ran::of(Command::new("sh").args(["-c", &script]), line, b"");
    ran.fails("File too large");
    ran.err
}

/// A directory that is gone after the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The path of something in it.
    pub(crate) fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Its own path.
    pub(crate) fn path(&self) -> String {
        self.0.path().to_str().unwrap().to_owned()
    }

    /// Writes a file, and gives its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.at(name), content).unwrap();
        self.at(name)
    }
}

pub(crate) fn exists(path: &str) -> bool {
    fs::exists(path).unwrap()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What is in a directory, by name.
pub(crate) fn names(directory: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Name and content of every file of a directory, by name; nothing if there is none.
pub(crate) fn content(directory: &str) -> Vec<(String, Vec<u8>)> {
    if !exists(directory) {
        return Vec::new();
    }
    let content = |name| (fs::read(format!("{directory}/{name}")).unwrap(), name);
    let content = names(directory).into_iter().map(content);
    content.map(|(bytes, name)| (name, bytes)).collect()
}

/// Something of the repository.
pub(crate) fn here(path: &str) -> String {
    format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))
}

/// Whether there is a Python with a package.
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

/// The keys of an object, in order.
pub(crate) fn keys(object: &Value) -> String {
    let keys = object.as_object().unwrap().keys();
    keys.map(String::as_str).collect::<Vec<_>>().join(" ")
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

/// Whether a line is like a pattern, in which `[..]` stands for any text.
pub(crate) fn is_like(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("[..]") else {
        return pattern == line;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    (0..=line.len()).any(|at| line.is_char_boundary(at) && is_like(rest, &line[at..]))
}

/// Settings of a pipeline that takes a second.
pub(crate) const TINY: &str = r#"
seed = 3
[selfplay]
games = 300
opening_plies = 2
exploration = 0.06
game = "einstein"
[[selfplay.players]]
player = "star1(depth=1, eval=schwarz)"
weight = 0.9
[[selfplay.players]]
player = "mcts(sims=20)"
weight = 0.1
[train.training]
epochs = 2
[train.network]
hidden = [16, 16]
batch = 256
[train.ntuple]
set = "race"
[arena]
opponents = ["schwarz", "abt"]
[[arena.rounds]]
depth = 1
games = 20
"#;
