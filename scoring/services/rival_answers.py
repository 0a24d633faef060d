"""Rivals answer waiting questions in batches, urgent ones first. The rows are the queue.

A process that is killed holds nothing: its rows are free at once, and the next process answers them. Two that
answer the same query say the same, and the database keeps one verdict.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Event, Lock

import structlog
from django.db.models import QuerySet
from django.utils import timezone

from hits.core.errors import CrowdError
from scoring import rivals
from scoring.domain import best
from scoring.models import PendingQuery, RegisteredRival, Verdict
from scoring.services.embedding import one_at_a_time, warm
from scoring.services.model_loading import computing, load_scorer
from scoring.services.pending_work import pause_after
from scoring.services.picture_scores import score_texts
from scoring.services.rival_selection import rivals_in_play
from scoring.services.verdict_making import VERDICTS, as_rivals_see, make_verdict, store_verdicts

AT_ONCE = 64
# Failures of models and of the files they read. Anything else is a mistake of ours, and is raised.
FAILURES = (CrowdError, OSError, RuntimeError, ValueError)
Clock = Callable[[], datetime]
log = structlog.get_logger()
_asked = Event()
_at_work = Lock()


def answer_waiting(*, clock: Clock = timezone.now) -> int:
    """Answer until nothing waits; return how many.

    If another thread is at it, that thread goes on for this call.
    """
    answered = 0
    _asked.set()
    while _asked.is_set() and _at_work.acquire(blocking=False):
        try:
            _asked.clear()
            while (some := _answer_some(clock=clock)) is not None:
                answered += some
        finally:
            _at_work.release()
    return answered


def warm_up() -> None:
    """Load all rivals in play with every vector of the pool. A failed one is tried again when asked."""
    for rival in rivals_in_play():
        try:
            with computing:
                warm(rival)
        except FAILURES as problem:
            log.warning("rival.not_warm", rival=rival.name, problem=str(problem)[:200])


def find_places(
    rival: RegisteredRival, *, text: str, pictures: Sequence[dict[str, str]], k: int
) -> list[int]:
    """Places that this rival picks, for text that is no data: nothing of it is stored.

    Raises any of FAILURES.
    """
    model = load_scorer(rival)
    shown = [as_rivals_see(one) for one in pictures]
    with computing:
        (scores,) = score_texts(rival, model, [(model.prompt(text), shown)])
    return best(scores, k=k)


def _answer_some(*, clock: Clock) -> int | None:
    """Answer the next batch; return how many were answered, or None if nothing waits."""
    due = PendingQuery.objects.filter(try_at__lte=clock()).select_related("rival_query", "rival")
    for is_urgent in (True, False):
        waiting = due.filter(is_urgent=is_urgent).order_by("try_at", "pk")[:AT_ONCE]
        with computing, one_at_a_time(waiting) as pending_queries:
            if pending_queries:
                return _answer_each_rival(pending_queries, clock=clock)
    return None


def _answer_each_rival(pending_queries: Sequence[PendingQuery], *, clock: Clock) -> int:
    by_rival: defaultdict[RegisteredRival, list[PendingQuery]] = defaultdict(list)
    for asking in pending_queries:
        by_rival[asking.rival].append(asking)
    return sum(_answer(rival, some, clock=clock) for rival, some in by_rival.items())


def _answer(rival: RegisteredRival, pending_queries: Sequence[PendingQuery], *, clock: Clock) -> int:
    try:
        model = load_scorer(rival)
    except FAILURES as problem:
        _put_off(PendingQuery.objects.filter(rival=rival), problem, now=clock())
        return 0
    return _answer_or_put_off(rival, model, pending_queries, clock=clock)


def _answer_or_put_off(
    rival: RegisteredRival, model: rivals.Scorer, pending_queries: Sequence[PendingQuery], *, clock: Clock
) -> int:
    """Answer the queries; one that cannot be answered does not hold up the others."""
    try:
        verdicts = _decide(rival, model, pending_queries, clock=clock)
    except FAILURES as problem:
        if len(pending_queries) == 1:
            _put_off(PendingQuery.objects.filter(pk=pending_queries[0].pk), problem, now=clock())
            return 0
        return sum(_answer_or_put_off(rival, model, [asking], clock=clock) for asking in pending_queries)
    store_verdicts(pending_queries, verdicts)
    for asking, verdict in zip(pending_queries, verdicts, strict=True):
        VERDICTS.take(verdict.latency_ms / 1000, "urgent" if asking.is_urgent else "later")
    return len(verdicts)


def _put_off(pending_queries: QuerySet[PendingQuery], problem: Exception, *, now: datetime) -> None:
    """Schedule the next try, ever more rarely: a verdict may be late, but is never a score nobody gave."""
    for tries in (
        pending_queries.filter(try_at__lte=now).order_by().values_list("tries", flat=True).distinct()
    ):
        pending_queries.filter(try_at__lte=now, tries=tries).update(
            tries=tries + 1,
            try_at=now + pause_after(tries),
            problem=str(problem)[:500] or type(problem).__name__,
        )
    log.warning("rival.failed", error=type(problem).__name__, problem=str(problem)[:200])


def _decide(
    rival: RegisteredRival, model: rivals.Scorer, pending_queries: Sequence[PendingQuery], *, clock: Clock
) -> list[Verdict]:
    """Verdicts about all queries, whose texts the model reads in one pass."""
    prompts = [model.prompt(asking.rival_query.text) for asking in pending_queries]
    shown = [[as_rivals_see(one) for one in asking.rival_query.pictures] for asking in pending_queries]
    found = score_texts(rival, model, list(zip(prompts, shown, strict=True)))
    now = clock()
    return [
        make_verdict(
            asking.rival_query,
            rival,
            model=model.spec.model,
            weights_sha256=model.weights_sha256,
            preprocessing=model.preprocessing,
            device=model.device,
            prompt=prompt,
            scores=scores,
            waited=now - asking.asked_at,
            now=now,
        )
        for asking, prompt, scores in zip(pending_queries, prompts, found, strict=True)
    ]
