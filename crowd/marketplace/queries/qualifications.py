"""A worker's qualifications, requests for them, and the types that the worker could request."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.marketplace.models import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.keysets import Keyset
from crowd.marketplace.queries.search_words import contains_all

NEWEST = Keyset(("-pk",))
SEARCHED = ("name", "description", "keywords", "requester__name")
Request = QualificationRequest.Status


def qualifications_of(worker: Worker) -> QuerySet[Qualification]:
    """The worker's qualifications, revoked ones too, so that the worker finds out why."""
    return Qualification.objects.filter(worker=worker, type__disposed_at=None).select_related(
        "type__requester"
    )


def requests_of(worker: Worker) -> QuerySet[QualificationRequest]:
    """The last request for each type, unless it was granted: then the qualification itself is listed."""
    later = QualificationRequest.objects.filter(
        worker=worker, type=OuterRef("type"), pk__gt=OuterRef("pk")
    ).exclude(status=Request.WITHDRAWN)
    return (
        QualificationRequest.objects.filter(~Exists(later), worker=worker)
        .exclude(status__in=(Request.GRANTED, Request.WITHDRAWN))
        .select_related("type__requester")
    )


def types_to_ask_for(worker: Worker, *, words: list[str]) -> QuerySet[QualificationType]:
    """Types that the worker neither has nor has requested before."""
    held = Qualification.objects.filter(worker=worker, type=OuterRef("pk"))
    asked = QualificationRequest.objects.filter(worker=worker, type=OuterRef("pk")).exclude(
        status=Request.WITHDRAWN
    )
    return (
        QualificationType.objects.filter(contains_all(words, columns=SEARCHED))
        .filter(~Exists(held), ~Exists(asked), disposed_at=None, status=QualificationType.Status.ACTIVE)
        .select_related("requester")
    )


def known_types(worker: Worker) -> QuerySet[QualificationType]:
    """Types whose page this worker may see: active ones, or those that the worker holds or has requested."""
    own = Q(pk__in=Qualification.objects.filter(worker=worker).values("type")) | Q(
        pk__in=QualificationRequest.objects.filter(worker=worker).values("type")
    )
    given = Q(status=QualificationType.Status.ACTIVE, disposed_at=None)
    return QualificationType.objects.filter(own | given).select_related("requester")
