"""What tests of rehearsals share: a rehearsal of a draft with few people, played apart."""

from random import Random
from typing import Any

from crowd.rehearsal.domain.assumptions import Assumptions, read_assumptions
from crowd.rehearsal.domain.sides import COUNTS, KINDS
from crowd.rehearsal.domain.simulated_people import draw_people
from crowd.rehearsal.playing.child_process import play_apart
from crowd.rehearsal.playing.specs import write_spec
from crowd.rehearsal.queries.sides_table import FAULTS
from hits.studies.models import Batch, Study
from tests.factories import NOW, make_batch

FEW = {"workers": 8, "runs": 1, "spammers": 0, "gives_up": 0, "come_within_h": 1}

WITH_FAULTS = {"throttled": 20, "lost_events": 50, "killed": 50}
# A careful one.
(PERSON,) = draw_people(Assumptions(workers=1, spammers=0), chance=Random(1), now=NOW)


def draft(study: Study, task: str, *, hits: int) -> Batch:
    return make_batch(study=study, task=task, hits_wanted=hits, assignments_per_hit=1)


def spec_of(batch: Batch, **assumed: int) -> dict[str, Any]:
    return write_spec(batch, assumed=read_assumptions({**FEW, **assumed}), seed=7, now=NOW)


def rehearse(batch: Batch, **assumed: int) -> dict[str, Any]:
    return play_apart(spec_of(batch, **assumed))


def report_beside(*, mean: float, other: float, design: str = "Another one") -> dict[str, Any]:
    """A report whose figures are all this, beside one of another design."""
    told = {"design": design, "said": f"{design} is told."}
    return {**report_of(mean=mean), "beside": {**report_of(mean=other), **told}}


def report_of(*, mean: float) -> dict[str, Any]:
    """A report of one run whose figures are all this."""
    spread = {"mean": mean, "least": mean, "most": mean}
    run = {
        "hours": mean,
        "cost_by_day": {"1": mean},
        "workers": {"came": mean, "worked": mean},
        "works": mean,
        "reviewed": 0,
        "spam": 0,
        "starving": {},
        "figures": {"Words that are selected": mean},
        "wage": {"median": mean, "workers_below": None},
        "both_sides": {
            **{kind: dict.fromkeys(COUNTS, 2) for kind in KINDS},
            "paid": ["1.10", "1.10"],
            **dict.fromkeys(FAULTS, 3),
        },
    }
    return {
        "runs": [run],
        "final_in_runs": 1,
        "hours": spread,
        "cost": spread,
        "workers": spread,
        "cost_by_day": {"1": spread},
        "bonuses": {},
        "refused": {},
        "starving": {},
        "sources": ["A test."],
        "nothing_lost": True,
        "seconds": 1,
    }
