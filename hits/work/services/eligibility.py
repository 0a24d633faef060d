"""Eligibility of a worker for a HIT: decided again, with a reason, at every entry."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from hits.common.kept_queries import KeptQuery, given_id
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.queries.shut_out import work_of_group, work_shut_out

HELD_WORKER = KeptQuery(
    lambda: Worker.objects.filter(pk=given_id("worker")).select_for_update(no_key=True).only("pk")
)


def refuse_entry(*, hit: HIT, worker: Worker, now: datetime) -> None:
    """Raise RuleBroken, with a code and words for the worker, if this worker may not start this HIT.

    It takes two queries, and those of the entry policies. What the provider let a worker accept is honored
    in a paused or draining batch too; only what is over is over. People are told apart by their rows: the
    same person at two accounts is not recognized.

    Within the transaction that opens the work, two visits of one worker at once are decided one by one.
    """
    if is_over(hit):
        raise RuleBroken("not_open", _("This work is over. Please return this work."))
    with transaction.atomic():
        # The second visit waits here, and the next query sees what the first one opened.
        HELD_WORKER.rows(worker=worker.pk)
        _refuse_by_rules(hit, worker=worker)
        entry_policies.refuse_entry(hit=hit, worker=worker, now=now)


def find_refusal(*, hit: HIT, worker: Worker, now: datetime) -> RuleBroken | None:
    """The refusal that the worker would meet at this HIT, for staff who ask why; None if there is none.

    Nothing is locked. What policies keep to the worker alone is left out.
    """
    try:
        _refuse_by_rules(hit, worker=worker)
        entry_policies.refuse_entry(hit=hit, worker=worker, now=now, for_staff=True)
    except RuleBroken as refusal:
        return refusal
    return None


def _refuse_by_rules(hit: HIT, *, worker: Worker) -> None:
    code = _reason_against(hit, worker=worker)
    if code:
        raise RuleBroken(code, _words(code))


def is_blocked(worker: Worker) -> bool:
    """Whether nothing new is offered to this worker, here alone or at the provider too."""
    return Block.objects.in_force().filter(worker=worker).exists()


def is_over(hit: HIT) -> bool:
    ended = hit.status in (HIT.Status.CLOSED, HIT.Status.WITHDRAWN)
    return ended or hit.batch.status == Batch.Status.CANCELLED


def _reason_against(hit: HIT, *, worker: Worker) -> str:
    """Return the code of the first rule that forbids it, or an empty text."""
    batch = hit.batch
    own = Q(worker=OuterRef("pk"))
    rules: dict[str, Any] = {
        "blocked": Exists(Block.objects.in_force().filter(worker=OuterRef("pk"))),
        "took_part": Exists(work_shut_out(batch).filter(own)),
    }
    if batch.repeat_group:
        rules["repeat_group"] = Exists(work_of_group(batch).filter(own))
    if len(batch.sizes) > 1:
        rules["other_shard"] = Exists(_work_on_other_shards(hit).filter(own))
    found = Worker.objects.filter(pk=worker.pk).values_list(*rules.values()).get()
    return next((code for code, stands in zip(rules, found, strict=True) if stands), "")


def _work_on_other_shards(hit: HIT) -> QuerySet[Assignment]:
    same_task = Assignment.objects.filter(hit__batch=hit.batch_id, hit__number=hit.number)
    return same_task.exclude(hit=hit.pk).exclude(status=Assignment.Status.GONE)


def _words(code: str) -> str:
    return {
        "blocked": _("This work is not offered to you. Please return this work; nothing else changes."),
        "took_part": _(
            "You took part in earlier work of this study, and this needs people who have not. "
            "Thank you. Please return this work."
        ),
        "repeat_group": _(
            "You have taken part in this series already, and each person can do so once. "
            "Thank you. Please return this work."
        ),
        "other_shard": _(
            "You have worked on this task elsewhere, and every answer is to come from somebody else. "
            "Thank you. Please return this work."
        ),
    }[code]
