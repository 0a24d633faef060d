"""Qualification types: made, changed and deleted by their requester."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext as _

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import InvalidParameterCombination, RequestError
from crowd.marketplace.models import QualificationRequest, QualificationType
from crowd.marketplace.models.parties import Requester

Request = QualificationRequest.Status


@dataclass(frozen=True, kw_only=True)
class Test:
    """A qualification's test. If it has no answer key, the requester reads the answers and decides."""

    form: str
    answer_key: str = ""


@dataclass(frozen=True, kw_only=True)
class Change:
    """The values that UpdateQualificationType may change; None leaves a value as it is."""

    description: str | None = None
    status: str | None = None
    test: Test | None = None
    test_duration_s: int | None = None  # without a test it is kept, and bounds nothing
    retry_delay_s: int | None = None
    is_auto_granted: bool | None = None
    auto_granted_value: int | None = None


def create_type(
    *, requester: Requester, name: str, keywords: str, change: Change, now: datetime
) -> QualificationType:
    """Make a type. Raises RequestError while another type of this requester has the name."""
    type_ = QualificationType(requester=requester, name=name, keywords=keywords, created_at=now)
    _apply(change, to=type_)
    try:
        with atomic():
            type_.save()
    except IntegrityError:
        earlier = QualificationType.objects.filter(requester=requester, name=name, disposed_at=None).first()
        if not earlier:
            raise
        raise RequestError(
            "You have already created a QualificationType with this name. "
            f"It is {earlier.external_id}. Delete it, or choose another name.",
            code="QualificationTypeAlreadyExists",
        ) from None
    return type_


def update_type(*, type_id: int, change: Change) -> QualificationType:
    with atomic():
        type_ = QualificationType.objects.select_for_update(no_key=True).get(pk=type_id)
        _apply(change, to=type_)
        type_.save()
    return type_


def dispose_type(*, type_id: int, now: datetime) -> None:
    """Delete a type and reject its waiting requests. HIT types that require it stay; no worker has it now."""
    with atomic():
        type_ = QualificationType.objects.select_for_update(no_key=True).get(pk=type_id)
        if type_.disposed_at is None:
            type_.disposed_at = now
            type_.save(update_fields=["disposed_at"])
        type_.requests.filter(status__in=QualificationRequest.OPEN).update(
            status=Request.REJECTED, decided_at=now, reason=_("The requester has deleted this qualification.")
        )


def _apply(change: Change, *, to: QualificationType) -> None:
    for name in (
        "description",
        "status",
        "test_duration_s",
        "retry_delay_s",
        "is_auto_granted",
        "auto_granted_value",
    ):
        value = getattr(change, name)
        if value is not None:
            setattr(to, name, value)
    if change.test:
        to.test, to.answer_key = change.test.form, change.test.answer_key
    if to.test and to.is_auto_granted:
        raise InvalidParameterCombination(
            "A QualificationType has either a Test or AutoGranted, not both; a Test cannot be taken away."
        )
