"""Factories of custom questions that are described, asked and answered."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from crowd.pictures.models import Picture
from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project
from crowd.plain.queries.described_pages import described
from crowd.plain.services.page_descriptions import describe_page, stamp_of
from crowd.plain.services.posted_rows import ask_rows, waiting_rows
from crowd.plain.services.uploading import add_rows
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import answer_leases, items_of, lease_items
from tests.crowd.plain.describing import SHORT
from tests.factories import (
    NOW,
    make_assignment,
    make_batch,
    make_hit,
    make_picture,
    make_study,
    make_user,
    make_worker,
)

Status = Assignment.Status
TERMS: Mapping[str, Any] = {"bonus_rules": [], "fee_schedule": "none"}


def make_project(study: Study | None = None, **rules: Any) -> Project:
    return Project.objects.create(study=study or make_study(), **rules)


def describe(project: Project, text: str = SHORT, *, now: datetime = NOW) -> Description:
    seen = stamp_of(described(project))
    return describe_page(project=project, text=text, seen=seen, by=make_user(), now=now)


def add_sentences(project: Project, *sentences: str) -> int:
    rows = "".join(f'"{sentence}"\n' for sentence in sentences)
    return add_rows(project=project, content=f"Sentence\n{rows}".encode())


def ask(project: Project, *, now: datetime = NOW) -> int:
    description = described(project)
    assert description
    return ask_rows(project=project, seen=waiting_rows(description), now=now)


def asked_project(*sentences: str, text: str = SHORT, **rules: Any) -> Project:
    """A project whose rows are these sentences, already asked of workers."""
    project = make_project(**rules)
    describe(project, text)
    if sentences:
        add_sentences(project, *sentences)
    ask(project)
    return project


def make_fit_picture(**changes: Any) -> Picture:
    picture = make_picture(**changes)
    Picture.objects.filter(pk=picture.pk).update(status=Picture.Status.FIT)
    picture.refresh_from_db()
    return picture


def open_batch(project: Project, *, items: int = 1, **changes: Any) -> Batch:
    values = {"items_per_assignment": items, "status": "open", "terms": TERMS, **changes}
    return make_batch(study=project.study, task=ASK, **values)


def begin(batch: Batch, worker: Worker, *, now: datetime = NOW) -> Assignment:
    hit = make_hit(batch=batch, max_assignments=1)
    work = make_assignment(
        hit=hit, worker=worker, accepted_at=now, opened_at=now, deadline_at=now + timedelta(hours=1)
    )
    lease_items(assignment=work, now=now)
    return work


def hand_in(work: Assignment, *texts: Mapping[str, str], now: datetime = NOW) -> None:
    """Submit one answer for each item, in order: saved, sent to the provider and recorded from there."""
    items = items_of(work)
    answer = {str(item.public_id): dict(said) for item, said in zip(items, texts, strict=True)}
    move(work, Status.SAVED, answer=answer, saved_at=now)
    move(work, Status.SUBMITTED, submitted_at=now)
    answer_leases(work, now=now)


def answer_each(batch: Batch, said: Sequence[Mapping[str, str]], *, worker: Worker | None = None) -> Worker:
    """Let one worker answer one row with each of these texts, each in a HIT of its own."""
    worker = worker or make_worker(account=batch.account)
    for texts in said:
        hand_in(begin(batch, worker), texts)
    return worker
