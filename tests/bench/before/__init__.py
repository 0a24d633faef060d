"""The previous commit in a checkout of its own, so that both are measured in one run."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.servers import ROOT

# The last commit that laid its databases by migrations and ran its sweeps at fixed intervals.
COMMIT = "782b590"


@contextmanager
def checkout(commit: str = COMMIT) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="crowd-before-") as folder:
        tree = Path(folder) / "tree"
        _worktree("add", "--quiet", "--detach", str(tree), commit)
        try:
            yield tree
        finally:
            _worktree("remove", "--force", str(tree))


def _worktree(*command: str) -> None:
    subprocess.run(["git", "worktree", *command], cwd=ROOT, check=True)  # noqa: S607 - whichever git is there
