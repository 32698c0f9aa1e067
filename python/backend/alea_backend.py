"""Builds the package by maturin (PEP 517), once there is a Rust that can: else one line says what is missing.

Without this maturin would fetch a Rust of its own, or cargo would fail in the middle of many lines.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any


def missing() -> str | None:
    """What the Rust of this machine lacks, in one line."""
    manifest = Path(__file__).parents[1] / "Cargo.toml"
    [wanted] = re.findall(r'^rust-version = "([0-9.]+)"', manifest.read_text(), re.MULTILINE)
    needed = f"alea is built from source, which needs Rust {wanted} or newer"
    rustc = os.environ.get("RUSTC") or "rustc"
    for program in ("cargo", rustc):
        if shutil.which(program) is None:
            return f"{needed}: there is no '{program}' on the PATH; rustup, or the system's packages, installs it"
    asked = subprocess.run([rustc, "--version"], capture_output=True, text=True, cwd=manifest.parent)
    version = re.search(r"^rustc ([0-9]+)\.([0-9]+)", asked.stdout)
    if version is None:
        said = (asked.stderr.strip() or asked.stdout.strip() or f"exit code {asked.returncode}").splitlines()[0]
        return f"{needed}: '{rustc} --version' says: {said}"
    if [int(part) for part in version.groups()] < [int(part) for part in wanted.split(".")[:2]]:
        return f"{needed}: '{rustc}' is {version[0].removeprefix('rustc ')}; 'rustup update' brings a newer one"
    if os.name == "posix" and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        return f"{needed}, and a C compiler to link with: there is no 'cc' on the PATH; the system's packages have one"
    return None


def _hook(name: str) -> Callable[..., Any]:
    def hook(*arguments: Any, **named: Any) -> Any:
        if line := missing():
            raise SystemExit(line)
        import maturin

        return getattr(maturin, name)(*arguments, **named)

    return hook


get_requires_for_build_wheel = _hook("get_requires_for_build_wheel")
get_requires_for_build_editable = _hook("get_requires_for_build_editable")
get_requires_for_build_sdist = _hook("get_requires_for_build_sdist")
prepare_metadata_for_build_wheel = _hook("prepare_metadata_for_build_wheel")
prepare_metadata_for_build_editable = _hook("prepare_metadata_for_build_editable")
build_wheel = _hook("build_wheel")
build_editable = _hook("build_editable")
build_sdist = _hook("build_sdist")
