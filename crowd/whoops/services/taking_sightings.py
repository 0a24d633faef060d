"""What the control group handed in becomes sightings; what was taken out of the data leaves."""

from collections.abc import Collection, Sequence
from datetime import datetime

import structlog
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest

from crowd.whoops import domain
from crowd.whoops.domain.sightings import LONGEST_TEXT, read_sighting
from crowd.whoops.models import Image, Project, Revision, Sighting
from crowd.whoops.services.holding import AT_ONCE, held, lock_images
from crowd.whoops.services.pulling import items_of_images
from crowd.whoops.services.settling import settle_control
from hits.common.parts import in_parts
from hits.models import Lease
from hits.services.answers import COUNTING, Given, answers_that_count
from hits.services.wanting import want_answers
from hits.services.working import find_recounts, has_recounts, take_recounts

log = structlog.get_logger()


def take_sightings(*, now: datetime) -> int:
    """Of all projects: how many images were counted, or counted anew. Safe to repeat."""
    images = Image.objects.filter(project=OuterRef("pk"), state=Image.State.CONTROL)
    if not Project.objects.filter(Exists(images) | has_recounts([domain.CONTROL])).exists():
        return 0  # as nearly always; the question below is a long one
    ripe = _ripe().filter(image__project=OuterRef("pk"))
    projects = Project.objects.filter(Exists(ripe) | has_recounts([domain.CONTROL])).order_by("pk")
    counted = in_parts(projects, lambda project: _recount(project, now=now) + _take_of(project, now=now))
    if counted:
        log.info("whoops.sightings_taken", count=counted)
    return counted


def next_recount(*, now: datetime) -> datetime | None:
    """At once where there is more to be recounted than one run takes."""
    return now if Project.objects.filter(has_recounts([domain.CONTROL])).exists() else None


def _take_of(project: Project, *, now: datetime) -> int:
    done, last = 0, 0
    while True:
        with held(project.pk) as locked:
            rows = list(_ripe().filter(image__project=locked, pk__gt=last).order_by("pk")[:AT_ONCE])
            if not rows:
                return done
            _count(rows, project=locked, now=now)
        done, last = done + len(rows), rows[-1].pk


def _recount(project: Project, *, now: datetime) -> int:
    """Where an answer that was counted has been kept out or rejected since, or counts again."""
    with held(project.pk) as locked:
        items = find_recounts(tasks=[domain.CONTROL], most=AT_ONCE, study_id=locked.study_id)
        rows = list(Revision.objects.filter(control_item__in=items).order_by("pk"))
        _count(rows, project=locked, now=now, recounted=items)
    return len(rows)


def _ripe() -> QuerySet[Revision]:
    """Of what lies with the control group: where an answer is not counted yet, or the rules have changed."""
    wanted, needed = F("image__project__control_wanted"), F("image__project__control_needed")
    own = Sighting.objects.filter(
        image=OuterRef(OuterRef("image")), revision=OuterRef(OuterRef("number")), worker=OuterRef("worker")
    )
    answered = Lease.objects.filter(
        item=OuterRef("control_item"),
        status=Lease.Status.ANSWERED,
        assignment__status__in=COUNTING,
        assignment__kept_out=False,
        assignment__answer__isnull=False,
    )
    fresh = Exists(answered.filter(~Exists(own)))
    leases = Lease.objects.filter(item=OuterRef("control_item")).exclude(status=Lease.Status.RELEASED)
    lacking = Greatest(Value(0), wanted - _number_of(leases, "item"))
    seen, missed = _sightings(seen=True), _sightings(seen=False)
    rows = Revision.objects.filter(
        image__state=Image.State.CONTROL, number=F("image__revision"), control_item__isnull=False
    ).alias(lacking=lacking, seen=seen, missed=missed)
    is_decided = Q(seen__gte=needed) | Q(missed__gt=wanted - needed)
    return rows.filter(Q(fresh) | ~Q(control_item__wanted=F("lacking")) | is_decided)


def _sightings(*, seen: bool) -> Coalesce:
    rows = Sighting.objects.filter(image=OuterRef("image"), revision=OuterRef("number"), seen=seen)
    return _number_of(rows, "image")


def _number_of(rows: QuerySet[Lease] | QuerySet[Sighting], by: str) -> Coalesce:
    counted = rows.order_by().values(by).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def _count(
    rows: Sequence[Revision], *, project: Project, now: datetime, recounted: Collection[int] = ()
) -> None:
    """From the raw answers that count now, whatever was taken from them before. The project is held."""
    images = {image.pk: image for image in lock_images({row.image_id for row in rows})}
    items = [row.control_item_id for row in rows if row.control_item_id]
    take_recounts(recounted, along=items_of_images(images))
    found = answers_that_count(items)
    for row in rows:
        _keep(row, found[row.control_item_id] if row.control_item_id else [], now=now)
    current = [row for row in rows if row.number == images[row.image_id].revision]
    want_answers({row.control_item_id: project.control_wanted for row in current if row.control_item_id})
    for row in current:
        image = images[row.image_id]
        image.project = project
        settle_control(image, now=now)


def _keep(row: Revision, answers: Collection[Given], *, now: datetime) -> None:
    """Those that are there and count stay as they were compared."""
    own = Sighting.objects.filter(image=row.image_id, revision=row.number)
    own.exclude(assignment__in=[one.assignment_id for one in answers]).delete()
    there = set(own.values_list("worker_id", flat=True))
    Sighting.objects.bulk_create(
        _read(row, one, work=one.assignment_id, now=now)
        for one in answers
        if one.assignment_id and one.worker_id not in there
    )


def _read(row: Revision, given: Given, *, work: int, now: datetime) -> Sighting:
    said = read_sighting(given.raw)
    return Sighting(
        image_id=row.image_id,
        revision=row.number,
        worker_id=given.worker_id,
        assignment_id=work,
        text="" if said.nothing else said.text[:LONGEST_TEXT],
        saw_nothing=said.nothing,
        seen=False if said.nothing else None,
        decided_at=now if said.nothing else None,
    )
