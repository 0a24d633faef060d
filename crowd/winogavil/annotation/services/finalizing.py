"""An annotation is final once its three annotators have answered, and open again if one is taken out."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import structlog
from django.db import transaction

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation, Judgement, Kind
from hits.models import Assignment, Item, Lease
from hits.services.locking import lock_items
from hits.services.working import find_recounts, take_recounts
from scoring import domain as scores

AT_ONCE = 500
RESULT = ("labels", "numerator", "denominator", "final_at")
COUNTING = (Assignment.Status.SUBMITTED, Assignment.Status.APPROVED)
log = structlog.get_logger()


def finalize_annotations(*, now: datetime) -> int:
    """Those whose last wanted answer is at the provider, after reopening those that have lost one."""
    reopen_annotations()
    ripe = Annotation.objects.filter(final_at=None, item__wanted=0).order_by("pk")
    final, seen = 0, 0
    while some := list(ripe.filter(pk__gt=seen).values_list("pk", "item_id")[:AT_ONCE]):
        seen = some[-1][0]
        final += _finalize([item for _, item in some], now=now)
    return final


def reopen_annotations() -> int:
    """Where an answer that counted was kept out or rejected, somebody else is asked first."""
    reopened = 0
    while some := find_recounts(tasks=domain.TASKS, most=AT_ONCE):
        reopened += _reopen(some)
    if reopened:
        log.info("annotation.reopened", count=reopened)
    return reopened


def _reopen(recounted: Collection[int]) -> int:
    with transaction.atomic():
        items = take_recounts(recounted)
        Judgement.objects.filter(annotation__item__in=items).delete()
        return Annotation.objects.filter(item__in=items, final_at__isnull=False).update(
            labels=[], numerator=None, denominator=None, final_at=None
        )


def _finalize(items: Collection[int], *, now: datetime) -> int:
    """Under the items' locks: whoever takes an answer out waits, and then finds it final and reopens it."""
    with transaction.atomic():
        held = [item.pk for item in lock_items(Item.objects.filter(pk__in=items, wanted=0))]
        open_ones = Annotation.objects.filter(item__in=held, final_at=None).select_related("item")
        answers = _answers_by_item(held)
        settled, judgements = [], []
        for annotation in open_ones.prefetch_related("association__places__picture").order_by("pk"):
            given = answers[annotation.item_id]
            if len(given) >= domain.ANNOTATORS_WANTED:
                found = [_judgement(annotation, assignment) for assignment in given]
                _settle(annotation, found, now=now)
                settled.append(annotation)
                judgements += found
        Annotation.objects.bulk_update(settled, RESULT)
        Judgement.objects.bulk_create(judgements)
    if settled:
        log.info("annotation.final", count=len(settled))
    return len(settled)


def _answers_by_item(items: Iterable[int]) -> defaultdict[int, list[Assignment]]:
    """Of work that the provider has, neither kept out nor rejected, and whose place went to nobody else."""
    leases = Lease.objects.filter(
        item__in=list(items),
        status=Lease.Status.ANSWERED,
        assignment__status__in=COUNTING,
        assignment__kept_out=False,
        assignment__answer__isnull=False,
    )
    pairs = list(leases.order_by("assignment").values_list("item_id", "assignment_id"))
    # One answer is about many items: it is read once.
    work = Assignment.objects.in_bulk({assignment for _, assignment in pairs})
    found: defaultdict[int, list[Assignment]] = defaultdict(list)
    for item, assignment in pairs:
        found[item].append(work[assignment])
    return found


def _judgement(annotation: Annotation, assignment: Assignment) -> Judgement:
    answer = assignment.answer or {}
    given = answer.get(str(annotation.item.public_id), [])
    judgement = Judgement(
        annotation=annotation, worker_id=assignment.worker_id, assignment=assignment, given=list(given)
    )
    if annotation.kind == Kind.BASELINE:
        places = annotation.shown_places
        share = scores.jaccard(set(given), annotation.association.chosen_keys)
        judgement.given = [one.position for one in places if one.picture and one.picture.key in given]
        judgement.numerator, judgement.denominator = share.numerator, share.denominator
    return judgement


def _settle(annotation: Annotation, judgements: Sequence[Judgement], *, now: datetime) -> None:
    annotation.final_at = now
    if annotation.kind != Kind.BASELINE:
        annotation.labels = domain.named_by_most([[str(label) for label in one.given] for one in judgements])
        return
    mean = scores.mean([one.share for one in judgements])
    annotation.numerator, annotation.denominator = mean.numerator, mean.denominator
