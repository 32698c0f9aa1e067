//! Running the binary `alea` from outside, and reading what it says.
#![allow(dead_code, reason = "each test program uses a part of it")]

use serde_json::Value;
use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// The position of the examples, without its die.
pub(crate) const MIDDLE: &str = "215../64.../3...e/...fb/..acd b";

/// What a run of the binary came to.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Every line of standard output as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    /// The only line of standard output as JSON; the command succeeded.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        let lines = self.lines();
        assert_eq!(lines.len(), 1, "{}", self.out);
        lines[0].clone()
    }

    /// The command failed with exit code 1 and one line that says why.
    pub(crate) fn failure(&self) -> &str {
        assert_eq!(self.code, 1, "out: {} err: {}", self.out, self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        self.err
            .strip_prefix("alea: ")
            .unwrap_or_else(|| panic!("{}", self.err))
            .trim_end()
    }
}

/// Runs `alea` with standard input closed.
pub(crate) fn alea(arguments: &[&str]) -> Ran {
    fed(arguments, b"")
}

/// Runs `alea` with something on standard input.
pub(crate) fn fed(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A full pipe on either side must not stop both.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let code = output
        .status
        .code()
        .unwrap_or_else(|| panic!("killed: {err}"));
    Ran {
        code,
        out: String::from_utf8(output.stdout).unwrap(),
        err,
    }
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_alea"));
    command.args(arguments);
    command
}

/// The keys of an object, in order.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
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
