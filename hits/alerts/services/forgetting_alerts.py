"""Deletion of alerts that were told long ago. What they were about stays, so that nothing is told twice."""

from datetime import datetime, timedelta

from hits.alerts.models import Alert

KEPT = timedelta(days=180)
AT_ONCE = 1000
OPEN = (Alert.Status.WAITING, Alert.Status.SENDING)


def forget_alerts(*, now: datetime) -> int:
    """Delete old ones among the first rows. Rows are numbered as time goes, so that these are the oldest."""
    oldest = Alert.objects.order_by("pk").values_list("pk", "status", "due_at")[:AT_ONCE]
    old = [pk for pk, status, due_at in oldest if status not in OPEN and due_at < now - KEPT]
    return Alert.objects.filter(pk__in=old).delete()[0] if old else 0
