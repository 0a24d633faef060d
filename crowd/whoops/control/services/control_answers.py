"""The control group's submitted answers become control answers; those taken out of the data are deleted."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest

from crowd.whoops import domain
from crowd.whoops.control.domain.control_answers import LONGEST_TEXT, read_control_answer
from crowd.whoops.control.services.control_state import settle_control
from crowd.whoops.images.services.locks import lock_images
from crowd.whoops.images.services.withdrawal import items_of_images
from crowd.whoops.models import Image, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from hits.work.services.answer_collection import Collect, collect_answers
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import CountingAnswer, answers_that_count


def take_control_answers(*, now: datetime) -> int:
    """Count submitted answers in all projects, and return for how many revisions. Safe to repeat."""
    return collect_answers([CONTROL_ANSWERS], now=now)


def count_control_answers(*, owner: Project, rows: Sequence[Revision], now: datetime) -> int:
    items = [row.control_item_id for row in rows if row.control_item_id]
    found = answers_that_count(items)
    for row in rows:
        _keep(row, found[row.control_item_id] if row.control_item_id else [], now=now)
    current = [row for row in rows if row.number == row.image.revision]
    want_answers({row.control_item_id: owner.control_wanted for row in current if row.control_item_id})
    for row in current:
        row.image.project = owner
        settle_control(row.image, now=now)
    return len(rows)


def _ripe() -> QuerySet[Revision]:
    """Current revisions with an answer that is not counted yet, or whose rules have changed since."""
    wanted, needed = F("image__project__control_wanted"), F("image__project__control_needed")
    own = ControlAnswer.objects.filter(
        image=OuterRef(OuterRef("image")), revision=OuterRef(OuterRef("number")), worker=OuterRef("worker")
    )
    answered = Lease.objects.filter(
        item=OuterRef("control_item"),
        status=Lease.Status.ANSWERED,
        assignment__status__in=Assignment.COUNTING,
        assignment__kept_out=False,
        assignment__answer__isnull=False,
    )
    fresh = Exists(answered.filter(~Exists(own)))
    leases = Lease.objects.filter(item=OuterRef("control_item")).exclude(status__in=Lease.NO_ANSWER)
    lacking = Greatest(Value(0), wanted - _number_of(leases, "item"))
    seen, missed = _control_answers(seen=True), _control_answers(seen=False)
    rows = Revision.objects.filter(
        image__state=Image.State.CONTROL, number=F("image__revision"), control_item__isnull=False
    ).alias(lacking=lacking, seen=seen, missed=missed)
    is_decided = Q(seen__gte=needed) | Q(missed__gt=wanted - needed)
    return rows.filter(Q(fresh) | ~Q(control_item__wanted=F("lacking")) | is_decided)


def _control_answers(*, seen: bool) -> Coalesce:
    rows = ControlAnswer.objects.filter(image=OuterRef("image"), revision=OuterRef("number"), seen=seen)
    return _number_of(rows, "image")


def _number_of(rows: QuerySet[Lease] | QuerySet[ControlAnswer], by: str) -> Coalesce:
    counted = rows.order_by().values(by).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def _keep(row: Revision, answers: Collection[CountingAnswer], *, now: datetime) -> None:
    """Delete control answers whose answer no longer counts, and add new ones; the others stay as compared."""
    own = ControlAnswer.objects.filter(image=row.image_id, revision=row.number)
    own.exclude(assignment__in=[one.assignment_id for one in answers]).delete()
    there = set(own.values_list("worker_id", flat=True))
    ControlAnswer.objects.bulk_create(
        _read(row, one, work=one.assignment_id, now=now)
        for one in answers
        if one.assignment_id and one.worker_id not in there
    )


def _read(row: Revision, given: CountingAnswer, *, work: int, now: datetime) -> ControlAnswer:
    said = read_control_answer(given.raw)
    return ControlAnswer(
        image_id=row.image_id,
        revision=row.number,
        worker_id=given.worker_id,
        assignment_id=work,
        text="" if said.nothing else said.text[:LONGEST_TEXT],
        saw_nothing=said.nothing,
        seen=False if said.nothing else None,
        decided_at=now if said.nothing else None,
    )


def _images_of(revisions: Collection[int]) -> set[int]:
    return set(Revision.objects.filter(pk__in=revisions).values_list("image_id", flat=True))


CONTROL_ANSWERS = Collect(
    tasks=[domain.CONTROL],
    owners=Project,
    owner="image__project",
    rows=Revision.objects.select_related("image"),
    item="control_item",
    ripe=[_ripe()],
    items=lambda revisions: items_of_images(_images_of(revisions)),
    lock=lambda revisions: lock_images(_images_of(revisions)),
    count=count_control_answers,
)
