"""A forecast against a run of the demo's workers, who use the product and the marketplace over HTTP.

    python -m tests.bench.rehearsing.against_demo --json

A pilot of the demo's workers comes first. What it recorded, and how long its pages took, is all that the
rehearsal knows of their answers. People come and go by the rules of rehearsals, under another seed.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

SEED, PILOT_SEED, UNSEEN_SEED = 7, 99, 4711
NOON = datetime.fromisoformat("2026-12-01T17:00:00+00:00")
FIGURES = ("hours", "cost", "workers", "bonuses")


def main() -> int:
    options = read_options()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        from tests.bench.servers import environment, free_port, migrate  # noqa: PLC0415 - before Django

        port = free_port()
        migrate(Path(folder))
        os.environ.update({**environment(Path(folder), port), "DJANGO_SETTINGS_MODULE": "config.settings"})
        from tests.bench.rehearsing.clocked_product import served  # noqa: PLC0415 - as above

        with served(port, begins_at=NOON) as clock:
            figures = compare(options, clock)
    sys.stdout.write(json.dumps(figures, indent=None if options.json else 2) + "\n")
    return 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--pilot-items", type=int, default=60)
    parser.add_argument("--pilot-workers", type=int, default=12)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


def compare(options: argparse.Namespace, clock: Any) -> dict[str, Any]:
    from crowd.demo.demo_people import make_cast  # noqa: PLC0415
    from crowd.rehearsal.domain.assumptions import read_assumptions  # noqa: PLC0415 - after the environment
    from crowd.rehearsal.domain.spreads import error_of  # noqa: PLC0415
    from crowd.winogavil.demo.seeding import ALL_RIGHT  # noqa: PLC0415

    cast = make_cast(workers=options.pilot_workers + options.workers, bonus_rules=ALL_RIGHT)
    pilot_people, people = (
        cast.invitations[: options.pilot_workers],
        cast.invitations[options.pilot_workers :],
    )
    usual = {"spammers": 0, "gives_up": 0, "fails_tests": 0}
    few = read_assumptions({**usual, "workers": options.pilot_workers, "come_within_h": 2})
    pilot = make_draft(cast, items=options.pilot_items)
    play_actual(pilot, cast, pilot_people, assumed=few, seed=PILOT_SEED, clock=clock)

    assumed = {**usual, "workers": options.workers, "item_s": item_seconds(pilot), "runs": options.runs}
    batch = make_draft(cast, items=options.items)
    clock.at = NOON + timedelta(days=1)
    forecast, seconds = play_forecast(batch, read_assumptions(assumed), now=clock.at)
    began = time.monotonic()
    actual = play_actual(
        batch, cast, people, assumed=read_assumptions(assumed), seed=UNSEEN_SEED, clock=clock
    )
    return {
        "items": options.items,
        "sources": forecast["sources"],
        "item_s": assumed["item_s"],
        "seconds_each_run": round(seconds / options.runs, 1),
        "seconds_of_the_actual_run": round(time.monotonic() - began, 1),
        "forecast": {name: forecast[name] for name in FIGURES},
        "actual": actual,
        "errors": {name: error_of(forecast[name], actual[name]) for name in FIGURES},
    }


def make_draft(cast: Any, *, items: int) -> Any:
    """A draft of so many associations, whose words are those that people say to the demo's pictures."""
    from crowd.winogavil.demo import seeding  # noqa: PLC0415
    from crowd.winogavil.services.seeded_associations import seed_association  # noqa: PLC0415

    pictures, chance = seeding.add_pictures(), Random(items)
    for _ in range(items):
        cue, chosen, candidates = draw_word(seeding.tags(), chance=chance)
        seed_association(
            study=cast.study,
            cue=cue,
            candidates=[pictures[one] for one in candidates],
            chosen=[pictures[one] for one in chosen],
        )
    return seeding._make_solve_batch(
        cast,
        hits_wanted=-(-items // 5),
        items_per_assignment=5,
        reward=Decimal("0.10"),
        title=f"Solve {items}",
    )


def draw_word(tags: Any, *, chance: Random) -> tuple[str, list[str], list[str]]:
    """A word that people say to two to four pictures, these, and the ten candidates among which they are."""
    concepts = sorted(tags)
    said = sorted({tag for words in tags.values() for tag in words})
    while True:
        cue = chance.choice(said)
        chosen = [one for one in concepts if cue in tags[one]]
        if 2 <= len(chosen) <= 4 and cue not in concepts:
            others = chance.sample([one for one in concepts if one not in chosen], 10 - len(chosen))
            return cue, chosen, chance.sample([*chosen, *others], 10)


def play_forecast(batch: Any, assumed: Any, *, now: datetime) -> tuple[dict[str, Any], float]:
    from crowd.rehearsal.playing.child_process import play_apart  # noqa: PLC0415
    from crowd.rehearsal.playing.specs import write_spec  # noqa: PLC0415

    began = time.monotonic()
    report = play_apart(write_spec(batch, assumed=assumed, seed=SEED, now=now))
    found = {name: report[name]["mean"] for name in ("hours", "cost", "workers")}
    bonuses = sum(spread["mean"] for spread in report["bonuses"].values())
    return {**found, "bonuses": bonuses, "sources": report["sources"]}, time.monotonic() - began


def play_actual(
    batch: Any, cast: Any, invitations: Any, *, assumed: Any, seed: int, clock: Any
) -> dict[str, float]:
    """Launch, let the demo's workers come, and read from the rows what a rehearsal's report tells."""
    from crowd.winogavil.models import Association  # noqa: PLC0415
    from hits.batches.services.launching import launch_batch  # noqa: PLC0415
    from tests.bench.rehearsing.clocked_product import sweep  # noqa: PLC0415
    from tests.bench.rehearsing.demo_crowd import Crowd  # noqa: PLC0415

    began_at = clock.at
    launch_batch(batch=batch, by=cast.researcher.user, now=clock.at, confirmed=True)
    while batch.hits.filter(external_id="").exists():
        sweep()
    crowd = Crowd(invitations, assumed=assumed, seed=seed, clock=clock)
    open_words = Association.objects.filter(item__study=batch.study, final_at=None)
    crowd.play(is_final=lambda: not open_words.exists(), until=began_at + timedelta(days=assumed.most_days))
    assert crowd.final_at is not None, "The run was not final in time."
    hours = (crowd.final_at - began_at).total_seconds() / 3600
    clock.at += timedelta(minutes=10)
    for _ in range(3):
        sweep()
    return {"hours": round(hours, 2), "workers": crowd.worked, **costs_of(batch)}


def costs_of(batch: Any) -> dict[str, float]:
    """Rewards and fees of what is approved, and bonuses with theirs."""
    from hits.ledger.models.bonuses import Bonus  # noqa: PLC0415
    from hits.work.models.assignments import Assignment  # noqa: PLC0415

    prices = batch.prices
    works = Assignment.objects.filter(hit__batch=batch, status=Assignment.Status.APPROVED)
    sizes = works.values_list("hit__max_assignments", flat=True)
    rewards = sum((batch.reward + prices.fee(assignments_per_hit=size) for size in sizes), start=Decimal(0))
    amounts = Bonus.objects.filter(assignment__in=works).values_list("amount", flat=True)
    bonuses = sum((amount + prices.fees.on_bonus(amount) for amount in amounts), start=Decimal(0))
    return {"cost": round(float(rewards + bonuses), 2), "bonuses": len(amounts)}


def item_seconds(batch: Any) -> int:
    """Seconds that an item of the pilot's pages took on average."""
    from hits.work.models.assignments import Assignment  # noqa: PLC0415

    times = Assignment.objects.filter(hit__batch=batch).values_list("worked_s", flat=True)
    return round(mean(one for one in times if one is not None) / int(batch.items_per_assignment))


if __name__ == "__main__":
    sys.exit(main())
