//! Sets `ALEA_VERSION`: the version, with commit and date if built from a Git checkout.

use std::{path::Path, process::Command};

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn main() {
    let mut version = env!("CARGO_PKG_VERSION").to_owned();
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ALEA_COMMIT");
    // False for unpacked sources inside a checkout of another repository.
    let is_checkout = Path::new("../models/lib.rs").exists();
    let commit = std::env::var("ALEA_COMMIT").ok().or_else(|| {
        let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| is_checkout)?;
        if Path::new(&log).exists() {
            println!("cargo:rerun-if-changed={log}");
        }
        git(&["log", "-1", "--format=%h %cs"])
    });
    if let Some(commit) = commit {
        version += &format!(" ({commit})");
    }
    println!("cargo:rustc-env=ALEA_VERSION={version}");
}
