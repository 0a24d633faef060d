"""Deletion of sign-ins that are over, by the index on their end."""

from datetime import datetime

from django.contrib.sessions.models import Session

AT_ONCE = 1000


def forget_sessions(*, now: datetime) -> int:
    ended = Session.objects.filter(expire_date__lt=now).order_by("expire_date")
    keys = list(ended.values_list("pk", flat=True)[:AT_ONCE])
    return Session.objects.filter(pk__in=keys).delete()[0] if keys else 0
