"""Visits that are verified by asking the provider: an address alone proves nothing."""

import re
from datetime import datetime, timedelta

from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.frame.visit_problems import AcceptanceAwaited, Expired, UnverifiedVisit
from hits.core import crypto
from hits.core.errors import ProviderError, ProviderRefused
from hits.providers.gateway.interface import ProviderVisit
from hits.providers.gateway.registry import provider_for
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

# What stands in the address is named as the study was told to name it.
PERSON, STUDY, SESSION = "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"
GOES_ON = (Assignment.Status.OPENED, Assignment.Status.SAVED)


def read_asked(*, hit: HIT, query: QueryDict, now: datetime) -> ProviderVisit:
    """Return the visit as the provider knows it. Raises UnverifiedVisit, Expired or AcceptanceAwaited.

    A visit that was verified before goes on without asking: a slow provider does not stop work under way.
    """
    claims = {name: query.get(name, "") for name in (PERSON, STUDY, SESSION)}
    if missing := [name for name, value in claims.items() if not value]:
        raise UnverifiedVisit(_("The address lacks %(names)s.") % {"names": ", ".join(missing)}, _again())
    if not all(re.fullmatch(hit.batch.account.can.identifiers, value) for value in claims.values()):
        raise UnverifiedVisit(_("The address holds something that is no identifier."), _again())
    if claims[STUDY] != hit.external_id:
        raise UnverifiedVisit(_("The address belongs to another study."), _again())
    known = _verified_before(hit, session=claims[SESSION], person=claims[PERSON], now=now)
    found = known or _ask(hit, session=claims[SESSION])
    if (found.hit_external_id, found.worker_external_id) != (hit.external_id, claims[PERSON]):
        raise UnverifiedVisit(_("The address belongs to somebody else's visit."), _again())
    if not found.is_going_on:
        raise Expired(_("The platform says that this visit is over: handed in, given back or out of time."))
    return found


def deadline_of(visit: ProviderVisit, *, hit: HIT) -> datetime:
    return visit.accepted_at + timedelta(seconds=hit.batch.duration_s)


def _verified_before(hit: HIT, *, session: str, person: str, now: datetime) -> ProviderVisit | None:
    """The visit by our own row, which exists only for one that the provider has confirmed.

    Work that was handed in is shown as such, whatever the provider says by now.
    """
    index = crypto.blind_index(str(hit.batch.account.public_id), person)
    rows = Assignment.objects.filter(account=hit.batch.account, hit=hit, external_id=session)
    work = rows.filter(worker__external_id_index=index).order_by("-attempt").first()
    if work is None or work.accepted_at is None:
        return None
    if work.status == Assignment.Status.GONE or (work.status in GOES_ON and now >= work.deadline_at):
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
    except ProviderRefused:
        raise UnverifiedVisit(_("The platform does not know this visit."), _again()) from None
    except ProviderError:
        raise AcceptanceAwaited(
            _("The platform did not answer when we asked about your visit. This page asks again by itself."),
        ) from None


def _again() -> str:
    return _("Please open the study again from the platform.")
