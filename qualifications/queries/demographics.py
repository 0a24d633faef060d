"""Counts of what workers say of themselves: the only thing of it that is ever shown.

Each figure has an error of its own, drawn by a key from exactly the people whom it counts. The same people
always come to the same figure, however often it is asked for and in whatever study; one person more or less
comes to another error. So no two figures, subtracted, tell how the few people answered whom they differ by.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from hits.core import crypto
from hits.studies.models import Study
from qualifications.domain import about_people
from qualifications.models import Consent, Demographics

CHUNK = 1_000
EVERYBODY = "asked"
PLACES = 16**12


@dataclass(frozen=True, kw_only=True)
class Group:
    """About so many people, in fives. None: fewer than five, or too near to it to be told apart."""

    key: str
    about: int | None


@dataclass(frozen=True, kw_only=True)
class Question:
    key: str
    groups: list[Group]


@dataclass(frozen=True, kw_only=True)
class Counts:
    asked: int | None
    questions: list[Question]


def counts_of(study: Study | None) -> Counts:
    """Of workers who agree to the study's text; None: of all."""
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in _rows(study).iterator(chunk_size=CHUNK):
        members[EVERYBODY, ""].append(row.worker_id)
        for question, answer in (json.loads(row.answers) if row.answers else {}).items():
            if question in about_people.QUESTIONS and (group := about_people.group_of(question, answer)):
                members[question, group].append(row.worker_id)
    questions = [
        Question(
            key=question,
            groups=[
                Group(key=group, about=_about(question, group, members[question, group]))
                for group in about_people.groups_of(question)
            ],
        )
        for question in about_people.QUESTIONS
    ]
    return Counts(asked=_about(EVERYBODY, "", members[EVERYBODY, ""]), questions=questions)


def _rows(study: Study | None) -> QuerySet[Demographics]:
    rows = Demographics.objects.order_by("worker_id").only("worker_id", "answers")
    if study is not None:
        agree = Consent.objects.filter(worker=OuterRef("worker"), text__study=study, withdrawn_at=None)
        rows = rows.filter(Exists(agree))
    return rows


def _about(question: str, group: str, members: Iterable[int]) -> int | None:
    """The order of the members is theirs: the same people, the same error."""
    keys = [str(worker_id) for worker_id in members]
    drawn = crypto.blind_index("people", question, group, *keys)
    error = about_people.error_at(int(drawn[:12], 16) / PLACES)
    return about_people.shown_count(len(keys), error=error)
