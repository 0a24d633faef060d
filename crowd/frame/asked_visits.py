"""Visits that are verified by asking the provider: an address alone proves nothing."""

import re
from datetime import datetime, timedelta

import structlog
from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.frame.visit_problems import AGAIN, AcceptanceAwaited, Expired, UnverifiedVisit, VisitOver
from hits.core import crypto
from hits.core.errors import ProviderError, ProviderRefused
from hits.providers.gateway.interface import ProviderVisit
from hits.providers.gateway.registry import provider_for
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

# What stands in the address is named as the study was told to name it.
PERSON, STUDY, SESSION = "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"
# Refusals that say nothing of the visit: the account's own key is not accepted, or cannot be read.
NOT_LET_IN = ("401", "Sealed")
Status = Assignment.Status
log = structlog.get_logger()


def read_asked(*, hit: HIT, query: QueryDict, now: datetime) -> ProviderVisit:
    """Return the visit as the provider knows it. Raises Problem.

    A visit that was verified before goes on without asking: a slow provider does not stop work under way.
    """
    claims = {name: query.get(name, "") for name in (PERSON, STUDY, SESSION)}
    if missing := [name for name, value in claims.items() if not value]:
        raise UnverifiedVisit(_("The address lacks %(names)s.") % {"names": ", ".join(missing)}, AGAIN)
    if not all(re.fullmatch(hit.batch.account.can.identifiers, value) for value in claims.values()):
        raise UnverifiedVisit(_("The address holds something that is no identifier."), AGAIN)
    if claims[STUDY] != hit.external_id:
        raise UnverifiedVisit(_("The address belongs to another study."), AGAIN)
    if known := _verified_before(hit, session=claims[SESSION], person=claims[PERSON], now=now):
        return known
    found = _ask(hit, session=claims[SESSION])
    if (found.hit_external_id, found.worker_external_id) != (hit.external_id, claims[PERSON]):
        raise _somebody_else()
    _refuse_ended(found, hit=hit, now=now)
    return found


def _refuse_ended(found: ProviderVisit, *, hit: HIT, now: datetime) -> None:
    if not found.is_going_on:
        raise VisitOver(_("The platform says that it was handed in or given back, or that its time ran out."))
    if now >= deadline_of(found, hit=hit):
        raise Expired(_("The work is given to others. Nothing you do here counts any more."))


def deadline_of(visit: ProviderVisit, *, hit: HIT) -> datetime:
    return visit.accepted_at + timedelta(seconds=hit.batch.duration_s)


def _verified_before(hit: HIT, *, session: str, person: str, now: datetime) -> ProviderVisit | None:
    """The visit by our own row, which exists only for one that the provider has confirmed.

    Saved work goes on to its end, and work that was handed in is shown as such, whenever the worker comes
    back. Raises UnverifiedVisit if the row is somebody else's.
    """
    index = crypto.blind_index(str(hit.batch.account.public_id), person)
    rows = Assignment.objects.filter(account=hit.batch.account, external_id=session)
    work = rows.select_related("worker").order_by("-attempt").first()
    if work is None:
        return None
    if (work.worker.external_id_index, work.hit_id) != (index, hit.pk):
        raise _somebody_else()
    if work.accepted_at is None or work.status == Status.GONE:
        return None
    if work.status == Status.OPENED and now >= work.deadline_at:
        return None
    return ProviderVisit(
        external_id=session,
        hit_external_id=hit.external_id,
        worker_external_id=person,
        accepted_at=work.accepted_at,
        is_going_on=True,
    )


def _ask(hit: HIT, *, session: str) -> ProviderVisit:
    try:
        return provider_for(hit.batch.account, quick=True).find_visit(session)
    except ProviderRefused as refusal:
        if refusal.code not in NOT_LET_IN:
            raise UnverifiedVisit(_("The platform does not know this visit."), AGAIN) from None
        log.warning("visit.not_asked", hit=str(hit.public_id), code=refusal.code)
    except ProviderError as error:
        log.warning("visit.not_asked", hit=str(hit.public_id), error=type(error).__name__)
    raise AcceptanceAwaited(
        _("The platform did not answer when we asked about your visit. This page asks again by itself.")
    )


def _somebody_else() -> UnverifiedVisit:
    return UnverifiedVisit(_("The address belongs to somebody else's visit."), AGAIN)
