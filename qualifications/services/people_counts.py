"""Counting of who took part in a study. Each count stays, and a later one must not give it away."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from django.db import transaction

from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study
from qualifications.domain.people_table import (
    Members,
    Person,
    aged_of,
    differs_by_few,
    figures_of,
    members_of,
)
from qualifications.models import PeopleCount
from qualifications.queries.counted_people import people_of

NOBODY = "Nobody has taken part yet: people are counted once their submitted work counts."
SAME = "Nothing has changed since the last count. It stands."
NEARLY_THE_SAME = (
    "Nothing was counted. The people of some role, or of some roles together, differ by fewer than five from "
    "those that were counted before, in this study or another one, and the difference of the two tables "
    "would say what these few told us. Count once more when more people have taken part."
)
CHANGED = "Nothing was counted. Meanwhile somebody else counted, or the people changed. Count once more."
log = structlog.get_logger()


def count_people(*, study: Study, by: User, now: datetime) -> PeopleCount:
    """Count who took part. Raises RuleBroken, and counts nothing, if an earlier count forbids it.

    The figures take their time, so they are worked out before anything is locked. They stand only if nobody
    has been counted since, in any study, and the people are still the same.
    """
    newest, people = _newest(), people_of(study)
    count = _counted(study, people, by=by, now=now)
    with transaction.atomic():
        _lock_all_counting()
        if _newest() != newest or members_of(people_of(study)) != count.members:
            raise RuleBroken("changed_meanwhile", CHANGED)
        count.save()
        note("demographics.counted", f"Counted who took part in “{study}”.", by=by, now=now, study=study)
    log.info("people.counted", study=str(study.public_id), roles=len(count.figures))
    return count


def _newest() -> int | None:
    return PeopleCount.objects.order_by("-pk").values_list("pk", flat=True).first()


def _lock_all_counting() -> None:
    """Lock every study, lowest first: counts of two studies at once would not know of one another."""
    list(Study.objects.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))


def _counted(study: Study, people: Sequence[Person], *, by: User, now: datetime) -> PeopleCount:
    """The count beside all earlier ones, not saved yet."""
    if not people:
        raise RuleBroken("nobody", NOBODY)
    members = members_of(people)
    own: list[PeopleCount] = []
    aged: list[Members] = []
    for earlier in PeopleCount.objects.order_by("pk").iterator():
        aged.append(earlier.aged)
        if earlier.study_id == study.pk:
            own.append(earlier)
        if differs_by_few(members, earlier.members):
            raise RuleBroken("nearly_the_same", NEARLY_THE_SAME)
    if own and own[-1].members == members:
        raise RuleBroken("same", SAME)
    figures = figures_of(people, earlier=[count.figures for count in own], aged_before=aged)
    return PeopleCount(
        study=study,
        counted_at=now,
        counted_by=by,
        figures=figures,
        members=members,
        aged=aged_of(people, figures),
    )
