"""Are people found who guess, hurry, copy or favor one answer, and how many honest ones with them?

python -m tests.bench.quality
python -m tests.bench.quality --json --seeds 40
"""

import argparse
import json
import sys
import time
from typing import Any

from scoring.quality.worker_evidence import weigh_workers
from tests.bench.quality.found_people import ATTENTION, CROWDS, SPAM, copied_pairs, find_in
from tests.scoring.quality.odd_people import make_crowd

# Crowds that are weighed with attention items, too.
MIXED = (
    "three answers each",
    "two answers each",
    "eleven answers a worker",
    "a third are spammers",
    "all are honest",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", type=int, default=20)
    asked = parser.parse_args()
    seeds = range(asked.seeds)
    found = {name: find_in(crowd, seeds=seeds).values() for name, crowd in CROWDS.items()}
    found |= {
        f"{name}; attention: {how}": find_in(CROWDS[name], seeds=seeds, **about).values()
        for name in MIXED
        for how, about in ATTENTION.items()
    }
    values = {"crowds": found, "copied": copied(seeds), "seconds": seconds()}
    sys.stdout.write(json.dumps(values, indent=1) + "\n" if asked.json else table(values))


def copied(seeds: range) -> dict[str, Any]:
    pairs = list(copied_pairs(seeds=seeds))
    told = [is_told for is_copied, is_told in pairs if is_copied]
    others = [is_told for is_copied, is_told in pairs if not is_copied]
    return {"copied": len(told), "told": sum(told), "others": len(others), "others_told": sum(others)}


def seconds() -> dict[str, float]:
    """How long the evidence takes, by the number of answers."""
    found = {}
    for items, honest in ((2_000, 192), (20_000, 992)):
        labels = make_crowd(odd=SPAM, honest=honest, items=items).labels
        began = time.perf_counter()
        weigh_workers({"": labels})
        found[f"{len(labels)} answers of {len(labels.workers)}"] = round(time.perf_counter() - began, 2)
    return found


def table(values: dict[str, Any]) -> str:
    lines = [f"{'crowd':<50}{'recall at 5 % false':>21}{'in order':>10}  stand out"]
    for crowd, found in values["crowds"].items():
        standing = ", ".join(f"{way} {share:.1%}" for way, share in found["stand_out"].items())
        recall, order = (
            "–" if found[name] is None else found[name] for name in ("recall_at_5_percent_false", "in_order")
        )
        lines.append(f"{crowd:<50}{recall:>21}{order:>10}  {standing}")
    pairs = values["copied"]
    lines.append(
        f"\n{pairs['told']} of {pairs['copied']} pairs are told of which one copies the other, "
        f"and {pairs['others_told']} of {pairs['others']} others"
    )
    lines += [f"{name}: {took} s" for name, took in values["seconds"].items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
