"""A visit that was refused: counted by its reason, and where its worker reads more about it."""

from datetime import datetime

from django.urls import NoReverseMatch, reverse

from crowd.frame.visit_authentication import Visit
from crowd.frame.visit_problems import Ineligible
from crowd.statement import statement_links
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from qualifications.services.refusals import count_refusal


def note_refusal(refusal: Ineligible | RuleBroken, visit: Visit, *, now: datetime) -> None:
    count_refusal(study=visit.hit.batch.study, code=refusal.code, now=now)
    if isinstance(refusal, Ineligible) and visit.is_proven:
        refusal.where = _where_they_stand(visit, now=now)


def _where_they_stand(visit: Visit, *, now: datetime) -> str:
    """Nothing for whom we do not know: a refusal leaves no row of a worker behind."""
    batch = visit.hit.batch
    worker = Worker.objects.filter(account=batch.account, external_id_index=visit.worker_index).first()
    if worker is None:
        return ""
    token = statement_links.write_token_for(worker=worker, study=batch.study, now=now)
    try:
        return reverse("statement:standing", args=[token])
    except NoReverseMatch:
        return reverse("statement:pay", args=[token])
