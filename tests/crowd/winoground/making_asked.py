"""Factories of examples that workers are asked about, of first questions, and of workers who answer."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.http import QueryDict

from crowd.pictures.models import Picture
from crowd.winoground.domain import FIRST_QUESTIONS, ONBOARDING, VALIDATE
from crowd.winoground.models import Example, FirstQuestion, Pairing, Project
from crowd.winoground.services.first_questions import add_question
from crowd.winoground.services.posted_examples import ask_examples
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import answer_leases, items_of, lease_items
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_picture, make_study, make_user

Status = Assignment.Status
TERMS: Mapping[str, Any] = {"bonus_rules": [], "fee_schedule": "none"}


def make_project(study: Study | None = None, **rules: Any) -> Project:
    return Project.objects.create(study=study or make_study(), **rules)


def make_fit_picture(**changes: Any) -> Picture:
    picture = make_picture(**changes)
    Picture.objects.filter(pk=picture.pk).update(status=Picture.Status.FIT, in_pool=False)
    picture.refresh_from_db()
    return picture


def make_ready(project: Project, *, count: int = 1, **changes: Any) -> list[Example]:
    author = make_user()
    last = project.examples.count()
    return [
        Example.objects.create(
            **{
                "project": project,
                "number": number,
                "author": author,
                "state": Example.State.READY,
                "caption_0": f"the cat {number} sees the dog",
                "caption_1": f"the dog {number} sees the cat",
                "image_0": make_fit_picture(),
                "image_1": make_fit_picture(),
                "swap": Example.Swap.OBJECT,
                "predicates": 1,
                "created_at": NOW,
                "changed_at": NOW,
                **changes,
            }
        )
        for number in range(last + 1, last + count + 1)
    ]


def ask(project: Project, *, count: int = 1) -> list[Example]:
    """Make so many more examples and ask workers about them."""
    rows = make_ready(project, count=count)
    ask_examples(project=project, examples=[row.pk for row in rows], now=NOW)
    return rows


def open_batch(project: Project, *, items: int = 10, task: str = VALIDATE, **changes: Any) -> Batch:
    values = {"items_per_assignment": items, "status": "open", "terms": TERMS, **changes}
    return make_batch(study=project.study, task=task, **values)


def begin(batch: Batch, worker: Worker, *, now: datetime = NOW) -> Assignment:
    """Give the worker a HIT with one place, and lease the items of it."""
    hit = make_hit(batch=batch, max_assignments=1)
    work = make_assignment(
        hit=hit, worker=worker, accepted_at=now, opened_at=now, deadline_at=now + timedelta(hours=1)
    )
    lease_items(assignment=work, now=now)
    return work


def hand_in(work: Assignment, answer: Mapping[str, Any], *, now: datetime = NOW) -> None:
    """Save the answer, submit it, and record it as the provider's."""
    move(work, Status.SAVED, answer=answer, saved_at=now)
    move(work, Status.SUBMITTED, submitted_at=now)
    answer_leases(work, now=now)


def answers(items: Collection[Item], *, yes: bool = True) -> dict[str, dict[str, str]]:
    return {str(item.public_id): {"match": "yes" if yes else "no"} for item in items}


def answer_all(batch: Batch, worker: Worker, *, yes: bool = True, now: datetime = NOW) -> Assignment:
    """Submit a whole page with the same answer to each question."""
    work = begin(batch, worker, now=now)
    hand_in(work, answers(items_of(work), yes=yes), now=now)
    return work


def examples_of(items: Collection[Item]) -> list[int]:
    """Sorted numbers of the items' examples, each as often as it occurs."""
    rows = Pairing.objects.filter(item__in=items).values_list("example__number", flat=True)
    return sorted(rows)


def make_first_questions(project: Project, *, count: int = FIRST_QUESTIONS) -> list[FirstQuestion]:
    """Make first questions of which every other one is a match."""
    return [
        add_question(
            project=project,
            picturing=make_fit_picture,
            caption=f"first caption {number}",
            is_match=number % 2 == 0,
        )
        for number in range(count)
    ]


def open_test(project: Project, *, questions: int = FIRST_QUESTIONS, **changes: Any) -> Batch:
    make_first_questions(project, count=questions)
    return open_batch(project, task=ONBOARDING, **changes)


def form_of(items: Sequence[Item], *, wrong: int = 0, **more: str) -> QueryDict:
    """Form that a browser sends: right answers, but wrong ones for the first `wrong` items."""
    form = QueryDict(mutable=True)
    form.update({f"{item.public_id}-match": said(item, right=n >= wrong) for n, item in enumerate(items)})
    form.update(more)
    return form


def said(item: Item, *, right: bool = True) -> str:
    question = FirstQuestion.objects.get(item=item)
    return "yes" if question.is_match == right else "no"
