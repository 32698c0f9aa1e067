"""What pip says where there is no Rust that can build the package: one line, before anything is built."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
NEEDED = "alea is built from source, which needs Rust 1.95 or newer"


def programs(directory, **found):
    """A directory with programs that say such a line, to standard error if they fail."""
    for name, (line, code) in found.items():
        path = directory / name
        path.write_text(f"#!/bin/sh\necho '{line}' >&{1 + (code != 0)}\nexit {code}\n")
        path.chmod(0o755)
    return str(directory)


@pytest.mark.skipif(os.name != "posix", reason="the programs are scripts")
@pytest.mark.parametrize(
    "found, line",
    [
        ({}, ": there is no 'cargo' on the PATH; rustup, or the system's packages, installs it"),
        ({"cargo": ("cargo 1.95.0", 0)}, ": there is no 'rustc' on the PATH; rustup, or the system's packages, installs it"),
        (
            {"cargo": ("cargo 1.80.1", 0), "rustc": ("rustc 1.80.1 (3f5fd8dd4 2024-08-06)", 0)},
            ": 'rustc' is 1.80; 'rustup update' brings a newer one",
        ),
        (
            {"cargo": ("", 1), "rustc": ("error: no default toolchain is set", 1)},
            ": 'rustc --version' says: error: no default toolchain is set",
        ),
        (
            {"cargo": ("cargo 1.95.0", 0), "rustc": ("rustc 1.95.0 (59807616e 2026-04-14)", 0)},
            ", and a C compiler to link with: there is no 'cc' on the PATH; the system's packages have one",
        ),
    ],
)
def test_pip_says_what_is_missing_in_one_line(tmp_path, found, line):
    environment = {name: value for name, value in os.environ.items() if name != "RUSTC"}
    environment["PATH"] = programs(tmp_path, **found)
    command = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", str(PACKAGE)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    output = done.stdout + done.stderr
    assert done.returncode != 0 and "Traceback" not in output, output
    assert [text.strip() for text in output.splitlines()].count(NEEDED + line) == 1, output


@pytest.mark.parametrize("version, is_enough", [("1.94.9", False), ("1.95.0", True), ("1.100.0-nightly", True), ("2.0.0", True), ("0.99.0", False)])
def test_versions_are_numbers(tmp_path, version, is_enough):
    path = programs(tmp_path, cargo=("cargo", 0), rustc=(f"rustc {version}", 0), cc=("", 0))
    code = f"import sys; sys.path.insert(0, {str(PACKAGE / 'backend')!r}); import alea_backend; print(alea_backend.missing())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PATH": path}, check=True)
    assert (done.stdout.strip() == "None") == is_enough, done.stdout
