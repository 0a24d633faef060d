"""Eight places in which the promise was broken, before and now: `python -m tests.bench.eight_places`.

The same functions are run in a checkout of the commit before and in this tree.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.before import checkout
from tests.bench.servers import ROOT

# The last commit before any of them was corrected.
BEFORE = "c03c9cb"
HERE = Path(__file__).parent.relative_to(ROOT)


def main() -> None:
    with checkout(BEFORE) as tree:
        shutil.copytree(ROOT / HERE, tree / HERE)
        before, now = played(tree), played(ROOT)
    for place, came in now.items():
        sys.stdout.write(f"{place}: {before.get(place, 'failed')} -> {came}\n")


def played(tree: Path) -> dict[str, str]:
    with tempfile.NamedTemporaryFile("r") as told:
        command = [sys.executable, "-m", "pytest", str(HERE / "played.py"), "-q", "-n0"]
        environ = {**os.environ, "TOLD": told.name}
        done = subprocess.run(command, cwd=tree, env=environ, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stdout[-3000:])
        return dict(map(json.loads, told))


if __name__ == "__main__":
    main()
