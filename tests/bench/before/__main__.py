"""A bench on an earlier commit and on this one, in turns in one run, so that a slow minute hits both.

    python -m tests.bench.before ddf92fe0 verdicts --rounds 3 -- --rounds 10

The earlier commit is checked out with the benches of this one, so that both are measured by the same code.
What stands behind `--` goes to the bench. For each figure: the medians, and the earlier one divided by ours.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.before import checkout
from tests.bench.servers import ROOT

Figures = dict[str, float]


def main() -> None:
    options = read_options()
    with checkout(options.commit) as tree:
        shutil.rmtree(tree / "tests" / "bench")
        shutil.copytree(ROOT / "tests" / "bench", tree / "tests" / "bench")
        trees = {"before": tree, "now": ROOT}
        rounds = [
            {name: run(tree, options.bench, options.given) for name, tree in trees.items()}
            for _ in range(options.rounds)
        ]
    found = compare(rounds)
    sys.stdout.write(f"{json.dumps(found)}\n" if options.json else table(found))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit")
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    words = [*sys.argv[1:], "--"]
    end = words.index("--")
    return parser.parse_args(words[:end], argparse.Namespace(given=words[end + 1 : -1]))


def run(tree: Path, bench: str, given: list[str]) -> Figures:
    command = [sys.executable, "-m", f"tests.bench.{bench}", "--json", *given]
    told = subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE, text=True)
    return dict(leaves(json.loads(told.stdout.splitlines()[-1])))


def leaves(found: Any, *path: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a JSON value, each with where it stands."""
    if isinstance(found, Mapping):
        for name, value in found.items():
            yield from leaves(value, *path, str(name))
    elif isinstance(found, list):
        for number, value in enumerate(found):
            yield from leaves(value, *path, str(number))
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield ".".join(path), float(found)


def compare(rounds: list[dict[str, Figures]]) -> dict[str, Figures]:
    names = [name for name in rounds[0]["now"] if all(name in one["before"] for one in rounds)]
    found = {}
    for name in names:
        before, now = (median(one[side][name] for one in rounds) for side in ("before", "now"))
        found[name] = {"before": before, "now": now} | ({"ratio": round(before / now, 2)} if now else {})
    return found


def table(found: Mapping[str, Figures]) -> str:
    widest = max(map(len, found), default=0)
    lines = [f"{'':{widest}}  {'before':>10}  {'now':>10}  {'before / now':>12}"]
    for name, one in found.items():
        ratio = one.get("ratio", "")
        lines.append(f"{name:{widest}}  {one['before']:>10g}  {one['now']:>10g}  {ratio:>12}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
