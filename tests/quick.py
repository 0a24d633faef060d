"""Lint, types, domain tests, and the tests of what differs from main. `python -m tests.quick`

`--domain` runs the domain tests alone.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("crowd", "hits", "scoring", "qualifications", "config")
BASE = ("main", "origin/main")
TESTS = ROOT / "tests"
SLOW = re.compile(r"subprocess|processes import|call_command|kill|torch|scoring\.rivals|django_db")
MINUTE_S = 60
NOTHING_TO_RUN = 5
QUIETLY = ("-q", "--no-header", "-n", "2")
LEFT_OUT = "not long and not needs_chromium and not needs_prometheus and not needs_uv"
CHECKS: tuple[tuple[str, ...], ...] = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "--quiet", "."),
    ("lint-imports",),
    ("python", "-m", "tests.house"),
    ("djlint", "--lint", "--quiet", *ROOMS),
    ("oxlint", "--quiet"),
    ("python", "-m", "tests.stylesheets"),
    ("python", "-m", "tests.catalogs"),
    ("dmypy", "run", "--timeout", "7200", "--", "."),
)


def changed() -> list[str]:
    """Files that differ from where this branch left main, committed or not."""
    known = [base for base in BASE if _git("rev-parse", "--verify", "--quiet", base)]
    since = _git("merge-base", "HEAD", known[0]) if known else ["HEAD"]
    tracked = _git("diff", "--name-only", "--no-renames", since[0])
    return sorted({*tracked, *_git("ls-files", "--others", "--exclude-standard")})


def concerned_by(files: Iterable[str]) -> list[str]:
    """Test files that differ, and test files of modules that differ."""
    found: set[str] = set()
    for path in map(Path, files):
        if path.parts[0] == "tests" and path.name.startswith("test_"):
            found.add(str(path))
        elif path.parts[0] in ROOMS and path.suffix == ".py":
            found |= set(_speaking_of(path))
    return sorted(name for name in found if (ROOT / name).is_file())


def domain_tests() -> list[str]:
    """Test files marked pure that need no process, database or model: those would be slow."""
    sources = {path: path.read_text() for path in TESTS.rglob("test_*.py")}
    return sorted(
        str(path.relative_to(ROOT))
        for path, source in sources.items()
        if "mark.pure" in source and not SLOW.search(source)
    )


def _speaking_of(path: Path) -> Iterable[str]:
    """Tests in the room of this module that are named after it, as `test_paying.py` is, or that import it."""
    module = ".".join(path.with_suffix("").parts)
    imported = re.compile(
        rf"from {re.escape(module)} import|"
        rf"from {re.escape(module.rpartition('.')[0])} import .*\b{path.stem}\b"
    )
    for test in (TESTS / path.parts[0]).rglob("test_*.py"):
        if path.stem in test.stem.removeprefix("test_").split("_") or imported.search(test.read_text()):
            yield str(test.relative_to(ROOT))


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split("\n")[
        :-1
    ]


def _run(*command: str, seconds: float = 600) -> bool:
    """Run a command and return whether it passed. One that takes too long is ended and reported as LATE."""
    began = time.monotonic()
    program = Path(sys.executable).parent / command[0]
    try:
        code = subprocess.run([str(program), *command[1:]], cwd=ROOT, check=False, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        code = None
    said = {0: "ok", NOTHING_TO_RUN: "ok", None: "LATE"}.get(code, "FAIL")
    _say(f"{said:4} {time.monotonic() - began:5.1f} s  {' '.join(command)[:90]}")
    return said == "ok"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> int:
    began = time.monotonic()
    only_domain = "--domain" in sys.argv
    done = [] if only_domain else [_run(*check) for check in CHECKS]
    done.append(_run("pytest", *QUIETLY, "-m", f"pure and {LEFT_OUT}", *domain_tests()))
    if only_domain:
        return 0 if all(done) else 1
    if files := concerned_by(changed()):
        _say(f"{len(files)} test files of what differs from main")
        left = max(10, MINUTE_S - (time.monotonic() - began))
        done.append(_run("pytest", *QUIETLY, "-m", f"not pure and {LEFT_OUT}", *files, seconds=left))
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
