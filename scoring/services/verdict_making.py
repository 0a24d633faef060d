"""Verdicts, made of a rival's scores."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from hits.common.watching.timings import Timing
from scoring.domain import best, model_score
from scoring.models import PendingQuery, RegisteredRival, RivalQuery, Verdict
from scoring.rivals import Picture
from scoring.services.model_loading import code_version

VERDICTS = Timing(
    name="crowd_verdict_seconds",
    words="Time from a question to its verdict: asked by a worker who waits (urgent), later, or answered by "
    "kept vectors at once.",
    labels=("asked",),
    buckets=(0.05, 0.25, 1, 2.5, 10, 60, 600),
)


def make_verdict(
    rival_query: RivalQuery,
    rival: RegisteredRival,
    *,
    model: str,
    weights_sha256: str,
    preprocessing: Mapping[str, Any],
    device: str,
    prompt: str,
    scores: Sequence[float],
    waited: timedelta,
    now: datetime,
) -> Verdict:
    """The verdict, not stored yet."""
    places = best(scores, k=rival_query.k)
    return Verdict(
        rival_query=rival_query,
        rival=rival,
        model=model,
        weights_sha256=weights_sha256,
        prompt=prompt,
        preprocessing=preprocessing,
        candidates=[one["sha256"] for one in rival_query.pictures],
        scores=scores,
        places=places,
        model_score=model_score(chosen=set(map(str, rival_query.chosen)), predicted=set(map(str, places))),
        latency_ms=max(0, round(waited.total_seconds() * 1000)),
        code_version=code_version(),
        device=device,
        answered_at=now,
    )


def store_verdicts(pending_queries: Sequence[PendingQuery], verdicts: Sequence[Verdict]) -> None:
    """Store the verdicts on queries, which then wait no longer. The first verdict of a rival counts."""
    with transaction.atomic():
        Verdict.objects.bulk_create(verdicts, ignore_conflicts=True)
        PendingQuery.objects.filter(pk__in=[asking.pk for asking in pending_queries]).delete()


def as_rivals_see(shown: Mapping[str, str]) -> Picture:
    return Picture(sha256=shown["sha256"], path="", caption=shown["caption"])
