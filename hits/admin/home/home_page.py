"""The first page of the admin: what waits, the batches that run, and the first steps of who has none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, QuerySet, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from hits.admin.alerts.told_lately import told_lately
from hits.admin.home import waiting
from hits.admin.home.installation import installation_for
from hits.admin.home.waiting import Waiting, waiting_for
from hits.admin.selection import signed_in
from hits.batches.queries.daily_submissions import DAYS, submissions_by_day
from hits.batches.queries.tally import batches_with_counts
from hits.common.count_together import count_together
from hits.common.day_columns import draw_days
from hits.core.domain.days import day_in_words
from hits.core.slow_counts import count_slowly
from hits.identity.models.users import User
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.services.noticing_early_ends import operator_writes
from hits.work.access import studies_of, visible
from hits.work.models.early_ends import EarlyEnd

Status = Batch.Status
STILL = (Status.PAUSED, Status.PAUSED_FUNDS)
RUNNING = (Status.LAUNCHING, Status.OPEN, Status.DRAINING, *STILL)
# So long a HIT that ended early stands among what went wrong.
TROUBLES = timedelta(days=7)
MOST_BATCHES = 12
MOST_STUDIES = 8
MOST_TOLD = 6


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step to the first launch."""

    words: str
    url: str
    is_done: bool


def _batches_waiting(user: User, now: datetime) -> Iterator[Waiting]:
    """Yield batches that stand still until somebody does something, HITs that ended early, and drafts."""
    of = reverse("admin:hits_batch_changelist")
    batches = visible(Batch.objects.all(), user)
    ended_early = visible(EarlyEnd.objects.in_force().filter(found_at__gt=now - TROUBLES), user)
    of_these = EarlyEnd.objects.filter(pk__in=ended_early.values("pk"))
    counted = count_together(
        **{str(status): batches.filter(status=status) for status in (*STILL, Status.DRAFT)},
        ended_early=ended_early,
    )
    reasons = of_these.reasons() if counted["ended_early"] else []
    for status in STILL:
        state = Status(status).label.lower()
        yield Waiting(
            count=counted[status],
            words=f"batches {state}",
            one=f"batch {state}",
            url=f"{of}?status__exact={status}",
            is_trouble=True,
        )
    yield Waiting(
        count=counted["ended_early"],
        words="HITs ended at the marketplace before their time",
        one="HIT ended at the marketplace before its time",
        url=f"{reverse('admin:hits_hit_changelist')}?trouble=ended",
        is_trouble=True,
        note=operator_writes(reasons) if reasons else "",
    )
    yield Waiting(
        count=counted[Status.DRAFT],
        words="drafts of batches",
        one="draft of a batch",
        url=f"{of}?status__exact={Status.DRAFT}",
    )


waiting.register(_batches_waiting, permissions=["hits.steer_batch", "hits.add_batch"])


def home_context(request: HttpRequest) -> dict[str, Any]:
    user, now = signed_in(request), timezone.now()
    sees_batches = user.has_perm("hits.view_batch")
    running = list(running_batches(user)[: MOST_BATCHES + 1]) if sees_batches else []
    return {
        "waiting": waiting_for(user, now=now),
        "installation": installation_for(user),
        "told": told_lately(user, most=MOST_TOLD),
        "running": running[:MOST_BATCHES],
        "more_running": len(running) > MOST_BATCHES,
        "sees_batches": sees_batches,
        **(_submissions_of(user, now=now) if sees_batches else {}),
        "submission_days": DAYS,
        "studies": list(studies_of(user).order_by("-pk")[:MOST_STUDIES])
        if user.has_perm("hits.view_study")
        else [],
        "steps": first_steps(user),
    }


def _submissions_of(user: User, *, now: datetime) -> dict[str, Any]:
    """Draw what was handed in, day by day; where that is slow to count, as of a moment ago."""
    counted = count_slowly(f"submissions:{user.pk}", lambda: list(submissions_by_day(user, now=now)), now=now)
    days = [(day_in_words(day), count, str(count)) for day, count in counted.figures]
    return {"submissions": draw_days(days), "submissions_at": counted.at if counted.at < now else None}


def first_steps(user: User) -> Sequence[Step]:
    """Return the steps to a first launch, for who can take them and has launched nothing yet."""
    if not user.has_perms(["hits.add_study", "hits.add_batch"]):
        return []
    batches = visible(Batch.objects.order_by(), user)
    if batches.exclude(status=Status.DRAFT).exists():
        return []
    study = studies_of(user).order_by("-pk").first()
    return [
        Step(
            words="An account, on which work is posted and paid",
            url=reverse("admin:hits_account_changelist"),
            is_done=Account.objects.connected().exists(),
        ),
        Step(
            words="A study, with its rules as in a paper or your own",
            url=reverse("admin:hits_study_change", args=[study.pk])
            if study
            else reverse("admin:hits_study_add"),
            is_done=study is not None,
        ),
        Step(
            words="A draft of a batch, from the study's page or from here",
            url=reverse("admin:hits_batch_add"),
            is_done=batches.exists(),
        ),
        Step(
            words="Its launch, after a page that checks everything",
            url=reverse("admin:hits_batch_changelist"),
            is_done=False,
        ),
    ]


def running_batches(user: User) -> QuerySet[Batch]:
    """Return the batches that run, those that need somebody first, and then the newest."""
    rows = visible(batches_with_counts().filter(status__in=RUNNING), user).select_related("study", "account")
    needing_first = Case(When(status__in=STILL, then=0), default=1)
    return rows.order_by(needing_first, "-pk")
