"""Command, run as a module with a folder: both models read the world's sentences, and are kept in it.

A process of its own, a matter of seconds: torch takes time to load, and has no place in the demo's process.
"""

import sys
from pathlib import Path

from crowd.winoventi.demo import world
from scoring.rivals.teaching import teach_causal, teach_masked

LESSONS = {"masked": teach_masked, "causal": teach_causal}


def teach(folder: Path) -> None:
    for kind, learn in LESSONS.items():
        learn(folder / kind, world.sentences(), vocabulary=world.vocabulary())


if __name__ == "__main__":
    teach(Path(sys.argv[1]))
