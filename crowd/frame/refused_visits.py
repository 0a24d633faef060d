"""Refused visits: counted by reason, with a link for the worker to read more."""

from datetime import datetime

from django.urls import NoReverseMatch, reverse

from crowd.frame.visit_authentication import Visit
from crowd.frame.visit_problems import Ineligible
from crowd.statement import statement_links
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.services import nothing_left
from qualifications.services.refusals import count_refusal


def note_refusal(refusal: Ineligible | RuleBroken, visit: Visit, *, now: datetime) -> None:
    count_refusal(study=visit.hit.batch.study, code=refusal.code, now=now)
    if isinstance(refusal, Ineligible) and visit.is_proven:
        refusal.where = _where_they_stand(visit, now=now)


def note_nothing_left(assignment: Assignment, *, why: str, now: datetime) -> None:
    """Count it as a refusal, once for each assignment: the worker has come, and is asked to go."""
    if nothing_left.note_nothing_left(assignment=assignment, why=why, now=now):
        count_refusal(study=assignment.hit.batch.study, code=f"nothing_{why}", now=now)


def _where_they_stand(visit: Visit, *, now: datetime) -> str:
    """Link to the worker's standing; empty for an unknown worker: a refusal makes no row of one."""
    batch = visit.hit.batch
    worker = Worker.objects.filter(account=batch.account, external_id_index=visit.worker_index).first()
    if worker is None:
        return ""
    token = statement_links.write_token_for(worker=worker, study=batch.study, now=now)
    try:
        return reverse("statement:standing", args=[token])
    except NoReverseMatch:
        return reverse("statement:pay", args=[token])
