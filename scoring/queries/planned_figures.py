"""The figures that a study's items may be collected for, and what its own answers say of each so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from hits import families
from hits.core.slow_counts import count_slowly
from hits.families import Purpose, StatesJudgments, StatesMainFigure, TaskType
from hits.studies.models import Batch, Study

if TYPE_CHECKING:
    from datetime import datetime

    from scoring.quality.judged_labels import Labels


class Kind(StrEnum):
    SHARE = "share"
    MEAN = "mean"
    ALPHA = "alpha"


@dataclass(frozen=True, kw_only=True)
class PlannedFigure:
    """`alike`: which items depend on each other, in a sentence."""

    key: str
    name: str
    kind: Kind
    alike: str = ""

    @property
    def is_of_labels(self) -> bool:
        """Whether it is read from the answers, by question, and not from the family's own values."""
        return self.key != MAIN


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """What items say of a figure so far. `interval`: alpha's of 95 %, over items like these."""

    items: int
    value: float
    spread: float = 0.0
    interval: tuple[float, float] | None = None


MAIN = "main"
SHARE = PlannedFigure(key="share", name="Share of items with one answer", kind=Kind.SHARE)
ALPHA = PlannedFigure(key="alpha", name="Alpha: how far people agree", kind=Kind.ALPHA)


def planned_tasks(study: Study) -> list[TaskType]:
    """Return the tasks of the study's batches that have a figure, by name; tests have none."""
    keys = Batch.objects.filter(study=study).order_by().values_list("task", flat=True).distinct()
    known = families.registered()
    tasks = (known[key] for key in keys if key in known)
    found = [task for task in tasks if task.purpose == Purpose.WORK and figures_of(task)]
    return sorted(found, key=lambda task: task.name)


def figures_of(task: TaskType) -> list[PlannedFigure]:
    """Return the task's figures, the main one first."""
    is_judged = isinstance(task, StatesJudgments)
    if isinstance(task, StatesMainFigure):
        stated = task.main_figure
        kind = Kind.SHARE if stated.is_share else Kind.MEAN
        figures = [PlannedFigure(key=MAIN, name=stated.name, kind=kind, alike=stated.alike)]
    else:
        figures = [SHARE] if is_judged else []
    return [*figures, ALPHA] if is_judged else figures


def pilots_of(figure: PlannedFigure, *, task: TaskType, study: Study, now: datetime) -> Mapping[str, Pilot]:
    """Return what the study's answers say of the figure, by question; of figures of one value by ""."""
    count = _of_labels if figure.is_of_labels else _of_values
    name = f"pilots:{study.pk}:{task.key}:{figure.key}"
    return count_slowly(name, partial(count, figure, task, study), now=now).figures


def _of_values(figure: PlannedFigure, task: TaskType, study: Study) -> Mapping[str, Pilot]:
    values = task.final_values(study) if isinstance(task, StatesMainFigure) else ()
    return {"": _pilot_of(values)} if values else {}


def _pilot_of(values: Sequence[float]) -> Pilot:
    spread = stdev(values) if len(values) > 1 else 0.0
    return Pilot(items=len(values), value=fmean(values), spread=spread)


def _of_labels(figure: PlannedFigure, task: TaskType, study: Study) -> Mapping[str, Pilot]:
    # numpy is slow to load, and most processes never show this page.
    from scoring.queries.judged_answers import judged_crowd  # noqa: PLC0415

    batches = Batch.objects.filter(study=study, task=task.key).exclude(launched_at=None)
    pilot = _alpha_of if figure.kind == Kind.ALPHA else _share_of
    found = {name: pilot(labels) for name, labels in judged_crowd(task, batches).questions.items()}
    return {name: one for name, one in found.items() if one is not None}


def _share_of(labels: Labels) -> Pilot | None:
    """Return the share nearest to a half, of items that most people give one answer: the widest interval.

    Things of one item, such as its options, have shares of their own; where several answers lead, none has
    the item.
    """
    from scoring.quality.majority_votes import TIE, majorities  # noqa: PLC0415

    items: Counter[str] = Counter()
    given: Counter[tuple[str, int]] = Counter()
    for thing, answer in zip(labels.items, majorities(labels).tolist(), strict=True):
        items[thing.about] += 1
        if answer != TIE:
            given[thing.about, answer] += 1
    shares = [(count / items[about], items[about]) for (about, _), count in given.items()]
    if not shares:
        return None
    share, of = min(shares, key=lambda one: (abs(one[0] - 0.5), -one[1]))
    return Pilot(items=of, value=share)


def _alpha_of(labels: Labels) -> Pilot | None:
    """Return alpha with its interval over whole items: their candidates or options are drawn together."""
    import numpy as np  # noqa: PLC0415

    from scoring.quality.alpha_intervals import alpha_of, interval_over_wholes  # noqa: PLC0415

    places: dict[str, int] = {}
    whole = np.array([places.setdefault(thing.item, len(places)) for thing in labels.items], dtype=np.int64)
    alpha = alpha_of(labels, times=0).value
    interval = interval_over_wholes(labels, whole)
    if alpha is None or interval is None:
        return None
    compared = len(np.unique(whole[labels.votes.answered > 1]))
    return Pilot(items=compared, value=alpha, interval=interval)
