"""An annotation is final once its three annotators have answered, and open again if one is taken out."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Prefetch

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation, Judgement, Kind
from crowd.winogavil.models import Place
from crowd.winogavil.services.final_associations import with_other_answers
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services.answer_collection import Collect, collect_answers
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import CountingAnswer, answers_that_count
from scoring import domain as scores

RESULT = ("labels", "numerator", "denominator", "final_at")


def finalize_annotations(*, now: datetime) -> int:
    """Settle annotations whose last wanted answer is at the provider, and those that lost or regained one."""
    return collect_answers([ANNOTATIONS], now=now)


def count_judgements(*, owner: Study, rows: Sequence[Annotation], now: datetime) -> int:
    given = answers_that_count([row.item_id for row in rows])
    changed, judgements = [], []
    for row, counting in with_other_answers(rows, given, made="judgements"):
        found = [_judgement(row, one) for one in counting]
        _settle(row, found, now=now)
        changed.append(row)
        judgements += found
    Judgement.objects.filter(annotation__in=changed).delete()
    Annotation.objects.bulk_update(changed, RESULT)
    Judgement.objects.bulk_create(judgements)
    want_answers({row.item_id: row.item.answers_needed for row in changed})
    return sum(bool(row.final_at) for row in changed)


def _judgement(annotation: Annotation, given: CountingAnswer) -> Judgement:
    judgement = Judgement(
        annotation=annotation,
        worker_id=given.worker_id,
        assignment_id=given.assignment_id or 0,
        given=given.raw,
    )
    if annotation.kind == Kind.BASELINE:
        places = annotation.shown_places
        share = scores.jaccard(set(given.raw), annotation.association.chosen_keys)
        judgement.given = [one.position for one in places if one.picture and one.picture.key in given.raw]
        judgement.numerator, judgement.denominator = share.numerator, share.denominator
    return judgement


def _settle(annotation: Annotation, judgements: Sequence[Judgement], *, now: datetime) -> None:
    """Set an annotation's result from its judgements; without any it is open."""
    annotation.final_at = now if judgements else None
    annotation.labels, annotation.numerator, annotation.denominator = [], None, None
    if judgements and annotation.kind == Kind.BASELINE:
        mean = scores.mean([one.share for one in judgements])
        annotation.numerator, annotation.denominator = mean.numerator, mean.denominator
    elif judgements:
        annotation.labels = domain.named_by_most([[str(label) for label in one.given] for one in judgements])


ANNOTATIONS = Collect(
    tasks=domain.TASKS,
    owners=Study,
    owner="item__study",
    rows=Annotation.objects.select_related("item", "association").prefetch_related(
        "judgements", Prefetch("association__places", Place.objects.select_related("picture"))
    ),
    ripe=[Annotation.objects.filter(final_at=None, item__wanted=0)],
    items=lambda keys: Item.objects.filter(annotation__in=keys).values_list("pk", flat=True),
    count=count_judgements,
)
