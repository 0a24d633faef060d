"""Annotation of weird images as simulated people do it, and as a person who reads them lets it count."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import AskedQuestions, recorded_share
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.whoops.annotate.domain.annotation_texts import (
    CAPTION,
    EXPLANATION,
    UNDERSPECIFIED,
    says_only_strange,
)
from crowd.whoops.annotate.services.annotation_decisions import drop_annotation
from crowd.whoops.annotate.services.collected_annotations import take_annotations
from crowd.whoops.images.rehearsed_images import project_like, strip_image
from crowd.whoops.images.services.batch_places import grow_batches
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.annotations import TAKEN_OUT
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import items_of_batch

State = Annotation.State
UNREAD = (Assignment.Status.SAVED, Assignment.Status.SUBMITTED)
SHOWS = "A lighthouse stands in a field of wheat."
WHY = "A lighthouse warns ships of the coast, and no ship passes a field."
ONLY_STRANGE = "This looks very strange and unusual."
LEAVES_OUT = "A lighthouse stands in a landscape."
# Why a person drops texts that say of the image only that it is strange.
DROPPED = "It does not say why the image is strange."


class RehearsedAnnotation(AskedQuestions):
    _is_read = False
    _by: User | None = None

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How many recorded annotations of this study count, of those whose work counts."""
        rows = Annotation.objects.filter(image__project__study=study)
        rows = rows.exclude(state=State.HELD).exclude(why=TAKEN_OUT)
        votes, right = rows.count(), rows.filter(state=State.COUNTED).count()
        return recorded_share(right=right, votes=votes)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        yield Project.objects.filter(study__in=items.values("study"))
        asked = Image.objects.filter(annotation_item__in=items.filter(wanted__gt=0))
        yield _stripped(asked.select_related("annotation_item", "project__study"))

    @property
    def sources(self) -> Sequence[str]:
        if not self._is_read:
            return ["Whatever is written counts: where work is approved by itself, nobody reads it first."]
        if self.recorded:
            right, votes = self.recorded["right"], self.recorded["votes"]
            share = f"as often as in this study: {votes - right} of {votes} texts"
        else:
            share = f"where a worker does badly: {100 - self.assumed.skill} of 100 texts of careful workers"
        return [
            f"A person reads each work before it is approved, and drops {share}.",
            "Another worker is asked instead, and the first one is paid all the same.",
        ]

    def begin(self, *, batch: Batch, by: User) -> None:
        self._by, self._is_read = by, batch.review_by == Batch.Review.HAND

    def texts(self, task: AskTask[Any], asked: Any, person: SimulatedPerson, chance: Random) -> Texts:
        is_good = not person.is_spammer and self.is_right(person, chance)
        explanation = WHY if is_good else ONLY_STRANGE
        return {CAPTION: SHOWS, EXPLANATION: explanation, UNDERSPECIFIED: LEAVES_OUT}

    def sweep(self, *, now: datetime) -> None:
        take_annotations(now=now)
        if self._is_read and self._by:
            self._drop(by=self._by, now=now)
        grow_batches(now=now)

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        """Images that lack annotations, and those with one that a person has not read yet."""
        lacking = super().unfinished(batch)
        if batch.review_by != Batch.Review.HAND:
            return lacking
        answered = Lease.objects.filter(item=OuterRef("pk"), status=Lease.Status.ANSWERED)
        is_unread = Exists(answered.filter(assignment__status__in=UNREAD))
        return items_of_batch(batch).filter(Q(pk__in=lacking.values("pk")) | is_unread, pulled_at=None)

    def figures(self, batch: Batch) -> Mapping[str, int]:
        written = Annotation.objects.filter(assignment__hit__batch=batch)
        return {"Annotations that were dropped": written.filter(state=State.DROPPED).count()}

    def _drop(self, *, by: User, now: datetime) -> None:
        """Drop what a person would drop who has had the time to read the work."""
        waited = now - timedelta(hours=self.assumed.review_h)
        ripe = Annotation.objects.filter(state=State.COUNTED, assignment__submitted_at__lte=waited)
        for row in ripe.select_related("image__project").order_by("pk"):
            if says_only_strange(row.explanation):
                drop_annotation(annotation=row, seen=row.state, why=DROPPED, by=by, now=now)


def _stripped(images: QuerySet[Image]) -> Iterator[Image]:
    """Yield images without what is behind them, each in a project that wants as many as it lacks."""
    lacking: dict[int, Project] = {}
    for image in images:
        wanted = image.annotation_item.wanted if image.annotation_item else 0
        if wanted != image.project.annotations_wanted:
            own = lacking.get(wanted) or project_like(image.project, number=wanted, annotations_wanted=wanted)
            image.project = lacking[wanted] = own
        strip_image(image)
        image.control_item_id, image.annotated = None, 0
        yield image
