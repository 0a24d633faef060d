"""Consent that a worker still owes before work, and the counts of each version of a study's text."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from hits.common.kept_queries import KeptQuery, given_id
from hits.identity.models.workers import Worker
from hits.providers.capabilities import OF_PLAYERS
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from qualifications.models import Consent, ConsentText, Demographics, UnderAge


@dataclass(frozen=True, kw_only=True)
class ConsentNeed:
    """The text in force, and whether this worker still has to agree to it and to answer about themselves."""

    text: ConsentText
    wants_consent: bool
    wants_answers: bool
    # The worker once said so, and no text lets them in.
    is_under_age: bool = False


def owed_before_work(assignment: Assignment) -> ConsentNeed | None:
    """What the worker must still agree to or answer before this assignment; None if the work may go on.

    Work that began with an earlier version goes on. One query.
    """
    found = OWED.first(
        study=assignment.hit.batch.study_id, worker=assignment.worker_id, assignment=assignment.pk
    )
    if found is None:
        return None
    asked = ConsentNeed(
        text=found,
        wants_consent=not found.is_agreed,
        wants_answers=found.asks_demographics and not found.has_answered,
        is_under_age=found.is_under_age,
    )
    return asked if asked.wants_consent or asked.wants_answers or asked.is_under_age else None


def is_under_age(worker: Worker) -> bool:
    return bool(UNDER_AGE.rows(worker=worker.pk))


def published_text(study: Study) -> ConsentText | None:
    """The version in force: the newest published text."""
    return ConsentText.objects.filter(study=study, published_at__isnull=False).order_by("-version").first()


def consents_of(worker: Worker) -> QuerySet[Consent]:
    """All consents of this worker, also withdrawn ones, the newest first."""
    return worker.consents.select_related("text__study").order_by("-pk")


def versions_of(study: Study) -> QuerySet[Any]:
    """Versions of a study's text, newest first, each with how many agree to it and how many withdrew."""
    in_force = Count("consents", filter=Q(consents__withdrawn_at=None))
    withdrawn = Count("consents", filter=Q(consents__withdrawn_at__isnull=False))
    versions = ConsentText.objects.filter(study=study).select_related("created_by")
    return versions.annotate(agreed=in_force, withdrew=withdrawn).order_by("-version")


def withdrawals_of(study: Study) -> QuerySet[Consent]:
    withdrawn = Consent.objects.filter(text__study=study, withdrawn_at__isnull=False)
    return withdrawn.select_related("worker", "text").order_by("-withdrawn_at", "-pk")


def _in_force() -> QuerySet[Any]:
    """The text in force with what this worker has done about it, as at most one row.

    Players of a web game have agreed there, and are not asked here.
    """
    worker = given_id("worker")
    players = Worker.objects.filter(pk=worker, account__kind__in=OF_PLAYERS)
    of_study = ConsentText.objects.filter(study=given_id("study"), published_at__isnull=False)
    newest = of_study.order_by("-version")
    # Only the newest version: a worker who agreed to an earlier one is asked again.
    return (
        ConsentText.objects.filter(pk__in=newest.values("pk")[:1])
        .filter(~Exists(players))
        .annotate(
            is_agreed=Exists(Consent.objects.filter(text=OuterRef("pk"), worker=worker, withdrawn_at=None)),
            has_answered=Exists(Demographics.objects.filter(worker=worker)),
            is_under_age=Exists(UnderAge.objects.filter(worker=worker)),
        )
    )


OWED = KeptQuery(lambda: _in_force().filter(~Exists(Lease.objects.filter(assignment=given_id("assignment")))))
UNDER_AGE = KeptQuery(lambda: UnderAge.objects.filter(worker=given_id("worker")).values_list("pk")[:1])
