"""Runs of a rehearsal, one after the other, each on the rows as they were copied, and their report."""

import gc
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any

from django.core.management import call_command
from django.db import connection

from crowd.rehearsal.domain.assumptions import Assumptions, read_assumptions
from crowd.rehearsal.domain.spreads import spread_of, spreads_by_key, spreads_of_known
from crowd.rehearsal.interface import FamilyRehearsal
from crowd.rehearsal.playing.private_copy import read_copy
from crowd.rehearsal.playing.run_report import report_run
from crowd.rehearsal.playing.stage import Stage
from crowd.rehearsal.rehearsed_tasks import rehearsal_of
from hits.core.errors import CrowdError
from hits.studies.models import Batch

# Between two searches for cycles in memory.
MOST_NEW_OBJECTS = 50_000
# Which run it is, how many items are final in it, and of how many.
Tell = Callable[[int, int, int], None]


def play_runs(spec: Mapping[str, Any], *, tell: Tell) -> dict[str, Any]:
    """Play every run in this process's own empty database. Raises CrowdError in any other."""
    _refuse_other_database()
    assumed = read_assumptions(spec["assumed"])
    now = datetime.fromisoformat(spec["begins_at"])
    _hasten()
    call_command("migrate", verbosity=0)
    read_copy(spec["copy"])
    family_type = rehearsal_of(Batch.objects.get(pk=spec["batch"]).task)
    family = family_type(assumed=assumed, recorded=spec["recorded"])
    began = time.monotonic()
    found: list[dict[str, Any]] = []
    beside: list[dict[str, Any]] = []
    other = ""
    with closing(sqlite3.connect(":memory:")) as copied:
        connection.connection.backup(copied)
        for run in range(assumed.runs):
            copied.backup(connection.connection)
            found.append(_play(run, spec, family=family, assumed=assumed, now=now, tell=tell))
            copied.backup(connection.connection)
            if other := family.change_design(Batch.objects.get(pk=spec["batch"])):
                beside.append(_play(run, spec, family=family, assumed=assumed, now=now, tell=tell))
    seconds = round(time.monotonic() - began, 1)
    own = _merge(found)
    return {
        **own,
        "beside": _beside(own, _merge(beside), name=other, family=family) if other else None,
        "sources": list(family.sources),
        "seconds": seconds,
        **{name: spec[name] for name in ("seed", "begins_at", "assumed")},
    }


def _play(
    run: int,
    spec: Mapping[str, Any],
    *,
    family: FamilyRehearsal,
    assumed: Assumptions,
    now: datetime,
    tell: Tell,
) -> dict[str, Any]:
    batch = Batch.objects.select_related("study", "account").get(pk=spec["batch"])
    stage = Stage(batch, family=family, assumed=assumed, seed=spec["seed"] + 1000 * run, now=now)
    stage.play(tell=lambda done, goal: tell(run + 1, done, goal))
    return report_run(stage)


def _beside(
    own: Mapping[str, Any], other: Mapping[str, Any], *, name: str, family: FamilyRehearsal
) -> dict[str, Any]:
    """The report of the other design, with what it says of this one."""
    means = ({key: spread["mean"] for key, spread in side["figures"].items()} for side in (own, other))
    return {"design": name, "said": family.say_difference(*means), **other}


def _merge(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "runs": list(runs),
        "final_in_runs": sum(run["is_final"] for run in runs),
        "hours": spread_of(run["hours"] for run in runs),
        "cost": spread_of(sum(run["cost_by_day"].values()) for run in runs),
        "cost_by_day": spreads_by_key([run["cost_by_day"] for run in runs]),
        "bonuses": spreads_by_key([run["bonuses"] for run in runs]),
        "figures": spreads_of_known([run["figures"] for run in runs]),
        "refused": spreads_by_key([run["refused"] for run in runs]),
        "starving": spreads_by_key([run["starving"] for run in runs]),
        "workers": spread_of(run["workers"]["worked"] for run in runs),
        "nothing_lost": all(run["both_sides"]["nothing_lost"] for run in runs),
    }


def _hasten() -> None:
    """Spare what serves nobody here: news of writes, the log, and frequent searches for cycles in memory."""
    connection.ensure_connection()
    connection.execute_wrappers.clear()
    logging.disable(logging.WARNING)
    gc.set_threshold(MOST_NEW_OBJECTS, 50, 50)


def _refuse_other_database() -> None:
    if connection.vendor != "sqlite" or connection.settings_dict["NAME"] != ":memory:":
        raise CrowdError("A rehearsal is played in a database in memory, and in no other.")
