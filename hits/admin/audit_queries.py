"""Audit events that a user may read: those of visible studies, their own, and those of the kill switch."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.core.models.audit_events import AuditEvent
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import RunRow
from hits.payments.queries.match_rows import accounts_for
from hits.work.access import SEES_ALL, studies_of

# Stopping or starting all payments concerns every user.
FOR_ALL = "halt."


def events_for(user: Any) -> QuerySet[AuditEvent]:
    """Events that this user may read; a run's only if all of its bonuses are visible: they name its total."""
    events = AuditEvent.objects.all()
    if user.has_perm(SEES_ALL):
        return events
    studies = studies_of(user)
    rows = RunRow.objects.filter(run=OuterRef("run"))
    foreign = rows.exclude(bonus__assignment__hit__batch__study__in=studies)
    bonus = Bonus.objects.filter(pk=OuterRef("bonus"), assignment__hit__batch__study__in=studies)
    of_study = Q(study__in=studies)
    of_run = Q(study=None, run__isnull=False) & Exists(rows) & ~Exists(foreign)
    of_bonus = Q(study=None, run=None) & Exists(bonus)
    of_account = Q(study=None, run=None, bonus=None, account__in=accounts_for(user))
    return events.filter(
        Q(by=user.pk) | of_study | of_run | of_bonus | of_account | Q(kind__startswith=FOR_ALL)
    )
