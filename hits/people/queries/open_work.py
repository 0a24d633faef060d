"""Batches that stand open, and whether one worker may work on each: the code of the entry decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from hits import families
from hits.core.domain import requirements
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.access import visible
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.nothing_left import NothingLeft
from hits.work.services import eligibility, leasing

Status = Batch.Status
PAUSED = (Status.PAUSED, Status.PAUSED_FUNDS)
STANDING = (Status.OPEN, *PAUSED)
MOST_TOLD = 5
REASONS: Mapping[str, str] = {
    "blocked": "they are blocked",
    "took_part": "they took part in work whose people this batch leaves out",
    "repeat_group": "they took part in the series already, and each person does so once",
    "other_shard": "they worked on the same task in another HIT",
}
NOTHING: Mapping[str, str] = {
    "answered": "all of it is answered, or being answered now",
    "narrowed": "what is left is kept for people who have not done related work of the study",
    "known": "what is left is their own, or they have answered it before",
}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a worker may work on a batch, and what stands against it."""

    batch: Batch
    because: str = ""

    @property
    def may_work(self) -> bool:
        return not self.because

    @property
    def asked_elsewhere(self) -> list[str]:
        """What the provider checks by itself, which nobody here knows of the worker."""
        bare = [{**row, "ActionsGuarded": None} for row in self.batch.requirements]
        return requirements.in_words(bare)


def standing_batches(worker: Worker, user: Any) -> QuerySet[Batch]:
    """Batches on the worker's account that are open or paused, of the studies that the user may see."""
    offered = [key for key in families.registered() if families.is_offered(key)]
    rows = Batch.objects.filter(account=worker.account_id, status__in=STANDING, task__in=offered)
    return visible(rows, user).select_related("account", "study").order_by("-pk")


def judge(batch: Batch, *, worker: Worker, now: datetime) -> Verdict:
    return Verdict(batch=batch, because=_reason_against(batch, worker=worker, now=now))


def told_nothing(worker: Worker, user: Any) -> QuerySet[NothingLeft]:
    """The last times that the worker had accepted work and was told that nothing was left, newest first."""
    rows = NothingLeft.objects.filter(assignment__worker=worker).select_related("assignment__hit__batch")
    return visible(rows, user).order_by("-assignment")[:MOST_TOLD]


def _reason_against(batch: Batch, *, worker: Worker, now: datetime) -> str:
    hits = HIT.objects.filter(batch=batch, status=HIT.Status.OPEN).order_by("pk")
    untouched = hits.filter(~Exists(_own_work(worker))).first()
    hit = untouched or hits.first()
    if hit is None:
        return "no HIT of it is open"
    hit.batch = batch
    if refusal := eligibility.find_refusal(hit=hit, worker=worker, now=now):
        return _in_words(refusal)
    if untouched is None:
        return "they have worked on every HIT of it that is open"
    if not leasing.items_open_to(batch=batch, worker_id=worker.pk).exists():
        return NOTHING[leasing.why_none(batch=batch, worker_id=worker.pk)]
    return "it is paused" if batch.status in PAUSED else ""


def _own_work(worker: Worker) -> QuerySet[Assignment]:
    """The worker's work on a task, whichever of its HITs it was."""
    same_task = Assignment.objects.filter(hit__batch=OuterRef("batch"), hit__number=OuterRef("number"))
    return same_task.filter(worker=worker).exclude(status=Assignment.Status.GONE)


def _in_words(refusal: RuleBroken) -> str:
    known = REASONS.get(refusal.code) or entry_policies.words_for_staff(refusal.code)
    return known or f"our page tells them: “{refusal}”"
