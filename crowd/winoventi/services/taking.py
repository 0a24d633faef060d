"""What was handed in becomes alternatives, premises, judgements and choices; what was taken out leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.winoventi import domain
from crowd.winoventi.models import Alternative, Generic, Premise, Project, Prompt
from crowd.winoventi.services.choosing import count_choices
from crowd.winoventi.services.excepting import count_exceptions
from crowd.winoventi.services.holding import (
    AT_ONCE,
    held,
    items_of_alternatives,
    items_of_generics,
    items_of_premises,
    items_of_prompts,
)
from crowd.winoventi.services.premising import count_premises
from crowd.winoventi.services.validating import count_judgements
from hits.common.parts import in_parts
from hits.services.answers import on_their_way
from hits.services.locking import lock_items
from hits.services.working import find_recounts, has_recounts, take_recounts

log = structlog.get_logger()


class Count(Protocol):
    """From the raw answers that count now. The project is held, and so are all items that hang on it."""

    def __call__(self, *, project: Project, rows: Sequence[Any], now: datetime) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Taking:
    """One step's rows, with what is read of them; and those of them that still want an answer."""

    rows: QuerySet[Any]
    asked: Q
    count: Count
    items: Callable[[Sequence[Any]], set[int]]
    project: str = "project"


TAKINGS = (
    Taking(
        rows=Generic.objects.select_related("noun"),
        asked=Q(state=Generic.State.POSTED),
        count=count_exceptions,
        items=items_of_generics,
    ),
    Taking(
        rows=Alternative.objects.select_related("generic"),
        asked=Q(state=Alternative.State.PASSED, has_premise=False),
        count=count_premises,
        items=items_of_alternatives,
    ),
    Taking(
        rows=Premise.objects.all(),
        asked=Q(state=Premise.State.WAITING),
        count=count_judgements,
        items=items_of_premises,
    ),
    Taking(
        rows=Prompt.objects.select_related("premise__alternative__generic"),
        asked=Q(is_answered=False),
        count=count_choices,
        items=items_of_prompts,
        project="premise__project",
    ),
)


def take_answers(*, now: datetime) -> int:
    """Of all projects: how many rows were counted, or counted anew."""
    counted = in_parts(_with_answers(), lambda project: _take_of(project, now=now))
    if counted:
        log.info("winoventi.taken", count=counted)
    return counted


def next_recount(*, now: datetime) -> datetime | None:
    """At once where there is more to be recounted than one run takes."""
    return now if Project.objects.filter(has_recounts(domain.TASKS)).exists() else None


def rebuild(*, project: Project, now: datetime) -> None:
    """Everything that follows from raw answers, read again from them, whatever became of it before."""
    for taking in TAKINGS:
        _in_slices(taking, taking.rows.filter(item__isnull=False), project=project, now=now)


def _with_answers() -> list[Project]:
    """In one query: mostly there are none."""
    ripe = [_ripe(taking).filter(**{taking.project: OuterRef("pk")}) for taking in TAKINGS]
    found = Q(has_recounts(domain.TASKS))
    for rows in ripe:
        found |= Q(Exists(rows))
    return list(Project.objects.filter(found).order_by("pk"))


def _take_of(project: Project, *, now: datetime) -> int:
    recounted = _recount(project, now=now)
    return recounted + sum(_in_slices(taking, _ripe(taking), project=project, now=now) for taking in TAKINGS)


def _ripe(taking: Taking) -> QuerySet[Any]:
    """Whose wanted answers are all in and count: no place is free, and none of them is still on its way."""
    waiting = Exists(on_their_way().filter(item=OuterRef("item")))
    return taking.rows.filter(taking.asked, ~waiting, item__wanted=0)


def _in_slices(taking: Taking, rows: QuerySet[Any], *, project: Project, now: datetime) -> int:
    own = rows.filter(**{taking.project: project.pk}).order_by("pk")
    done, last = 0, 0
    while True:
        with held(project) as locked:
            some = list(own.filter(pk__gt=last)[:AT_ONCE])
            if not some:
                return done
            lock_items(taking.items(some))
            taking.count(project=locked, rows=some, now=now)
        done, last = done + len(some), some[-1].pk


def _recount(project: Project, *, now: datetime) -> int:
    """Where an answer that was counted has been kept out or rejected since, or counts again."""
    with held(project) as locked:
        items = find_recounts(tasks=domain.TASKS, most=AT_ONCE, study_id=locked.study_id)
        if not items:
            return 0
        changed = [
            (taking, list(taking.rows.filter(item__in=items, **{taking.project: locked.pk}).order_by("pk")))
            for taking in TAKINGS
        ]
        take_recounts(items, along={key for taking, rows in changed for key in taking.items(rows)})
        for taking, rows in changed:
            taking.count(project=locked, rows=rows, now=now)
    return len(items)
