"""Rows of images, read in chunks so that memory stays flat."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from crowd.whoops.models import Annotation, Image, ImageEdit, Partner, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from crowd.whoops.models.judged_items import Option, Question
from crowd.whoops.results.exporting.judged_rows import JudgedOption, with_votes
from crowd.whoops.results.queries.composition import accepted_images
from hits.core.chunks import in_chunks

AT_ONCE = 200
Images = QuerySet[Image]


@dataclass(frozen=True, kw_only=True)
class ImageRows:
    """An image with the rows that belong to it. Those after its partners are read only in full."""

    image: Image
    annotations: Sequence[Annotation]
    partners: Sequence[Partner]
    revisions: Sequence[Revision]
    control_answers: Sequence[ControlAnswer]
    edits: Sequence[ImageEdit]
    # What people said of it and its normal partner, once all of them have: is it weird?
    identified: Sequence[JudgedOption]
    # Right answers to questions about it, whether or not people were asked to verify them.
    right_answers: Sequence[Option]

    @property
    def normal(self) -> Partner | None:
        return self._partner(Partner.Kind.NORMAL)

    @property
    def natural(self) -> Partner | None:
        return self._partner(Partner.Kind.NATURAL)

    def _partner(self, kind: str) -> Partner | None:
        return next((one for one in self.partners if one.kind == kind), None)


def exported_images(project: Project, *, everything: bool) -> Images:
    """Images in the data; with `everything`, all that were ever sent."""
    return project.images.all() if everything else accepted_images(project)


def read_images(project: Project, *, everything: bool, in_full: bool = False) -> Iterator[ImageRows]:
    images = exported_images(project, everything=everything)
    related = images.select_related("project__study", "designer", "category", "picture")
    for some in in_chunks(related, by="number", size=AT_ONCE):
        around = {name: _by_image(rows) for name, rows in _around(some, in_full=in_full).items()}
        for image in some:
            yield ImageRows(image=image, **{name: rows[image.pk] for name, rows in around.items()})


def _around(images: Sequence[Image], *, in_full: bool) -> Mapping[str, Iterable[Any]]:
    """Rows that belong to the images of one chunk, in the order in which files list them."""
    annotations = Annotation.objects.filter(image__in=images, state=Annotation.State.COUNTED)
    control_answers = ControlAnswer.objects.filter(image__in=images).select_related("worker")
    return {
        "annotations": annotations.select_related("worker", "assignment")
        .defer("worker__external_id")
        .order_by("pk"),
        "partners": Partner.objects.filter(image__in=images).select_related("picture"),
        "revisions": Revision.objects.filter(image__in=images).order_by("number") if in_full else (),
        "control_answers": control_answers.defer("worker__external_id").order_by("revision", "pk")
        if in_full
        else (),
        "edits": ImageEdit.objects.filter(image__in=images).select_related("by") if in_full else (),
        "identified": _identified(images) if in_full else (),
        "right_answers": _options_of(Question.Kind.VERIFY, images).filter(label=True) if in_full else (),
    }


def _identified(images: Sequence[Image]) -> Iterator[JudgedOption]:
    options = list(_options_of(Question.Kind.IDENTIFY, images).exclude(question__item=None))
    return (one for one in with_votes(options, images[0].project) if one.complete)


def _options_of(kind: str, images: Sequence[Image]) -> QuerySet[Option]:
    questions = Question.objects.filter(kind=kind, image__in=images, withdrawn_at=None)
    return (
        Option.objects.filter(question__in=questions)
        .annotate(image_id=F("question__image"))
        .select_related("question")
        .order_by("question", "number")
    )


def _by_image(rows: Iterable[Any]) -> Mapping[int, Sequence[Any]]:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.image_id].append(row)
    return found
