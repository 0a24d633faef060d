"""What a person was told lately, with the page of each: what they may not see any more is left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from hits.alerts.models import Alert, Kind
from hits.alerts.queries.audience import kinds_for
from hits.alerts.services.alert_words import path_of
from hits.identity.models.users import User
from hits.payments.models.runs import Run
from hits.payments.queries.run_list import visible_runs
from hits.review.models import Appeal
from hits.work.access import SEES_ALL, studies_of

# A run that waited for approval, or an appeal that waited for an answer, and does so no more.
SETTLED = Q(occurrence__kind=Kind.RUN) & ~Q(occurrence__run__status=Run.Status.FROZEN) | (
    Q(occurrence__kind=Kind.APPEAL) & ~Q(occurrence__appeal__status=Appeal.Status.OPEN)
)


@dataclass(frozen=True, kw_only=True)
class Told:
    alert: Alert
    url: str

    @property
    def is_new(self) -> bool:
        return self.alert.seen_at is None


def told_lately(user: User, *, most: int) -> Sequence[Told]:
    """Return the newest alerts of what the user may open now; what waits no more is no news."""
    kinds = [*kinds_for(user), Kind.TEST]
    rows = Alert.objects.filter(user=user, occurrence__kind__in=kinds).exclude(SETTLED)
    if not user.has_perm(SEES_ALL):
        mine = studies_of(user).values("pk")
        is_mine = Q(occurrence__study=None) | Q(occurrence__study__in=mine)
        runs = visible_runs(user).order_by().values("pk")
        rows = rows.filter(is_mine, Q(occurrence__run=None) | Q(occurrence__run__in=runs))
    newest = rows.select_related("occurrence").order_by("-pk")[:most]
    return [Told(alert=alert, url=path_of(alert.occurrence)) for alert in newest]
