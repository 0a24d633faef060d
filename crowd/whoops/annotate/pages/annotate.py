"""Three texts about a weird image: what it shows, why that is strange, and what of it is not strange."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet
from django.templatetags.static import static
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.pictures.models import Picture
from crowd.questions.answer_columns import AnsweredQuestion, as_entered
from crowd.questions.domain import is_unfit
from crowd.questions.family import AskTask
from crowd.questions.page_entries import NOT_KEPT, Labels, Look, Texts
from crowd.whoops import domain
from crowd.whoops.annotate.domain import annotation_texts
from crowd.whoops.annotate.domain.annotation_texts import (
    CAPTION,
    EXPLANATION,
    TEXTS,
    UNDERSPECIFIED,
    Fault,
    Oddity,
)
from crowd.whoops.annotate.queries.annotators import images_for_annotator
from crowd.whoops.domain.paper_requirements import PAPER_ASKS
from crowd.whoops.models import Annotation, Image
from hits.datasets.columns import INTEGER, TEXT, column
from hits.families import NarrowsItems, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

LABELS: Labels = {
    CAPTION: gettext_lazy("What the image shows"),
    EXPLANATION: gettext_lazy("Why it is strange"),
    UNDERSPECIFIED: gettext_lazy("The same, with one of the two left out"),
}
EXAMPLES: Sequence[Mapping[str, Any]] = (
    {
        "about": gettext_lazy("A lighthouse in a wheat field"),
        "good": True,
        "texts": (
            (
                LABELS[CAPTION],
                gettext_lazy("A lighthouse with its lamp on stands in the middle of a wheat field."),
            ),
            (
                LABELS[EXPLANATION],
                gettext_lazy("A lighthouse warns ships of the coast, and no ship passes a wheat field."),
            ),
            (
                LABELS[UNDERSPECIFIED],
                gettext_lazy("A lighthouse with its lamp on stands in an open landscape."),
            ),
        ),
        "why": gettext_lazy(
            "The caption names both. The explanation says what a lighthouse is for. The last text is true of "
            "the image, and nobody who reads it would guess that anything is strange."
        ),
    },
    {
        "about": gettext_lazy("A snail that is taken for a walk"),
        "good": True,
        "texts": (
            (LABELS[CAPTION], gettext_lazy("A man in a raincoat walks a snail on a leash through a park.")),
            (
                LABELS[EXPLANATION],
                gettext_lazy("Snails crawl too slowly for walks, and have no neck for a leash."),
            ),
            (
                LABELS[UNDERSPECIFIED],
                gettext_lazy("A man in a raincoat takes his pet for a walk through a park."),
            ),
        ),
        "why": gettext_lazy("“His pet” is true of the snail, and leaves out that it is one."),
    },
    {
        "about": gettext_lazy("A lighthouse in a wheat field"),
        "good": False,
        "texts": (
            (LABELS[CAPTION], gettext_lazy("A tall tower in a landscape.")),
            (LABELS[EXPLANATION], gettext_lazy("It is very unusual to see something like this.")),
            (LABELS[UNDERSPECIFIED], gettext_lazy("A lighthouse in a wheat field.")),
        ),
        "why": gettext_lazy(
            "The caption names neither of the two. The explanation says that it is unusual, not why. The "
            "last text still names both, so that it is no less precise than the caption."
        ),
    },
)
_FAULTS: Mapping[Fault, str | Promise] = {
    Fault.MISSING: gettext_lazy("Write something here."),
    Fault.TOO_SHORT: gettext_lazy("This is very short. Say it in a whole sentence."),
    Fault.TOO_LONG: gettext_lazy("This is longer than 500 characters. Say it in fewer words."),
    Fault.SAME_AS_CAPTION: gettext_lazy("This is the same as your caption. The three texts have to differ."),
}
_ODDITIES: Mapping[Oddity, str | Promise] = {
    Oddity.SAYS_ONLY_STRANGE: gettext_lazy(
        "This says that it is unusual. Say why, too: what does everybody know that this image goes against?"
    ),
    Oddity.LONGER_THAN_CAPTION: gettext_lazy(
        "This is longer than your caption, and it should say less. Is one of the two things left out?"
    ),
}


@dataclass(frozen=True, kw_only=True)
class PictureToAnnotate:
    """A picture to write about. `row` is the image or training image, for the people who read the texts."""

    url: str
    row: Any = None


# What a file of the work says of the three texts about an image.
WRITTEN = (
    as_entered(CAPTION, "what the image shows"),
    as_entered(EXPLANATION, "why that is strange"),
    as_entered(UNDERSPECIFIED, "what it shows, with one of the two left out"),
)
# An image that was sent again since the worker wrote about it is not named.
FLAT = (
    column(
        "image",
        INTEGER,
        "the image's number; empty if it was replaced since",
        of=lambda one: _image(one, "number"),
    ),
    column("image_sha256", TEXT, "the SHA-256 of its file", of=lambda one: _image(one, "picture.sha256")),
    *WRITTEN,
    column(
        "state", TEXT, "whether the texts count: counted, held or dropped", of=lambda one: _kept(one, "state")
    ),
    column("why", TEXT, "why they were dropped", of=lambda one: _kept(one, "why")),
)


class ThreeTexts(AskTask[PictureToAnnotate]):
    """The page of the annotators' work and of their test."""

    heading = gettext_lazy("What is strange in this image?")
    page = "whoops/annotate.html"
    question = "whoops/parts/annotate_question.html"
    entries = TEXTS
    labels = LABELS
    examples = EXAMPLES

    @property
    def practice(self) -> PictureToAnnotate:
        return PictureToAnnotate(url=static("whoops/practice.svg"))

    def shown(self, asked: PictureToAnnotate, *, seed: str) -> Mapping[str, Any]:
        return {"picture_url": asked.url}

    def look(self, texts: Texts, asked: PictureToAnnotate) -> Look:
        """Check the texts. Coarse words pass, as describing harm may need them: a person looks later."""
        return look_at_texts(texts)


class AnnotateTask(ThreeTexts, NarrowsItems):
    key = domain.ANNOTATE
    name = "Weird images: annotation"
    role = "Annotators"
    item_noun = "image"
    terms = Terms(
        title="What is strange in this image?",
        description=(
            "You see one image with something strange in it. Write three short texts: what it shows, why "
            "that is strange, and what it shows with one thing left out."
        ),
        # $13.50 an hour at the expected pace; the paper paid $12 to $15.
        reward=Decimal("0.60"),
        item_s=160,
        workers_per_hit=5,
        most_items=5,
        requirements=PAPER_ASKS,
    )
    review = "whoops/review/annotate.html"
    flat = FLAT

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Items of images that are still shown, and that this worker has met in no other task."""
        return items.filter(whoops_annotation__in=images_for_annotator(worker_id))

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, PictureToAnnotate]:
        images = Image.objects.filter(annotation_item__in=items).select_related("picture")
        rows = images.prefetch_related("annotations")
        found = {row.annotation_item_id: pictured(row.picture, row=row) for row in rows}
        # Sent again since: a worker who wrote about the earlier picture still submits, is paid and is read.
        return {item.pk: found.get(item.pk, PictureToAnnotate(url="")) for item in items}

    def reviewed(
        self, asked: PictureToAnnotate, texts: Texts, *, assignment: Assignment
    ) -> Mapping[str, Any]:
        rows: Sequence[Annotation] = asked.row.annotations.all() if asked.row else ()
        return {
            "picture_url": asked.url,
            "image": asked.row,
            "answer": texts,
            "odd": self.look(texts, asked).odd if texts else {},
            "annotation": next((row for row in rows if row.assignment_id == assignment.pk), None),
        }


def _image(one: AnsweredQuestion, name: str) -> Any:
    return attrgetter(name)(one.asked.row) if one.asked.row else None


def _kept(one: AnsweredQuestion, name: str) -> str | None:
    """Read a value of the annotation that was made of the answer."""
    rows: Sequence[Annotation] = one.asked.row.annotations.all() if one.asked.row else ()
    return next((getattr(row, name) for row in rows if one.is_own(row)), None)


def pictured(picture: Picture, *, row: Any) -> PictureToAnnotate:
    return PictureToAnnotate(url=reverse("pictures:picture", args=[picture.key]), row=row)


def look_at_texts(texts: Texts) -> Look:
    said = annotation_texts.Texts(**{entry: texts.get(entry, "") for entry in TEXTS})
    found = annotation_texts.find_faults(said)
    faults = {entry: str(_FAULTS[fault]) for entry, fault in found.items()}
    faults |= {entry: _(NOT_KEPT) for entry in TEXTS if is_unfit(texts.get(entry, ""))}
    odd = (
        {} if faults else {entry: str(_ODDITIES[one]) for entry, one in annotation_texts.find_oddities(said)}
    )
    return Look(faults=faults, odd=odd)
