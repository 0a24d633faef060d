"""The control group: does a worker who was told nothing see what is weird in an image?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from crowd.questions.answer_columns import AnsweredQuestion, as_entered
from crowd.questions.domain import NO, YES
from crowd.questions.family import AskTask
from crowd.questions.judged_choices import Choice
from crowd.questions.page_entries import Labels, Look, Texts, fault_of_pick, fault_of_text
from crowd.whoops import domain
from crowd.whoops.control.domain.control_answers import (
    FEWEST_WORDS,
    LONGEST_TEXT,
    NOTHING,
    TEXT,
    WeirdnessSeen,
    read_control_answer,
)
from crowd.whoops.control.queries.control_group import unknown_to
from crowd.whoops.domain.paper_requirements import PAPER_ASKS
from crowd.whoops.models import Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.datasets import columns as kinds
from hits.datasets.columns import FLAG, INTEGER, column
from hits.families import NarrowsItems, StatesJudgments, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

LABELS: Labels = {
    TEXT: gettext_lazy("What is weird in this image"),
    NOTHING: gettext_lazy("I see nothing weird"),
}
EXAMPLES = (
    {
        "answer": gettext_lazy("A snowman stands in the desert, where it would melt."),
        "good": True,
        "why": gettext_lazy("It names what is weird, and says why."),
    },
    {
        "answer": gettext_lazy("This is a strange picture."),
        "good": False,
        "why": gettext_lazy("Say what is strange in it: anybody could write this of any image."),
    },
    {
        "answer": gettext_lazy("I see nothing weird."),
        "good": True,
        "why": gettext_lazy("A good answer too, once you have looked for a while. It is paid the same."),
    },
)


@dataclass(frozen=True, kw_only=True)
class PictureToControl:
    """A picture without its designer's words. `row` is for the person who reads the answer."""

    url: str
    row: Revision | None = None


def _control_answer(row: Revision, assignment: Assignment) -> ControlAnswer | None:
    own = [one for one in row.image.control_answers.all() if one.revision == row.number]
    return next((one for one in own if one.assignment_id == assignment.pk), None)


def _seen(one: AnsweredQuestion) -> bool | None:
    found = _control_answer(one.asked.row, one.assignment)
    return found.seen if found else None


FLAT = (
    column("image", INTEGER, "the image's number", of="asked.row.image.number"),
    column("revision", INTEGER, "which time it was sent", of="asked.row.number"),
    column("image_sha256", kinds.TEXT, "the SHA-256 of its file", of="asked.row.picture.sha256"),
    as_entered(TEXT, "what the worker found weird in it"),
    column(
        "saw_nothing",
        FLAG,
        "whether the worker saw nothing weird",
        of=lambda one: one.texts.get(NOTHING) == YES,
    ),
    column(
        "seen",
        FLAG,
        "whether that is what the designer meant; empty: not compared yet",
        of=_seen,
    ),
)


class ControlTask(AskTask[PictureToControl], NarrowsItems, StatesJudgments):
    key = domain.CONTROL
    name = "Weird images: control group"
    role = "Control group"
    item_noun = "image"
    terms = Terms(
        title="What is weird in this image?",
        description="You look at an image and say what is weird in it, or that you see nothing weird.",
        # $14.40 an hour at the expected pace.
        reward=Decimal("0.16"),
        item_s=40,
        workers_per_hit=3,
        requirements=PAPER_ASKS,
    )
    heading = gettext_lazy("What is weird in this image?")
    page = "whoops/control.html"
    question = "whoops/parts/control_question.html"
    review = "whoops/review/control.html"
    entries = (TEXT, NOTHING)
    labels = LABELS
    examples = EXAMPLES
    flat = FLAT

    @property
    def practice(self) -> PictureToControl:
        return PictureToControl(url=static("whoops/practice.svg"))

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Items whose image this worker neither made nor knows from an earlier revision or another task."""
        return unknown_to(items, worker_id=worker_id)

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, PictureToControl]:
        rows = Revision.objects.filter(control_item__in=items).select_related("picture", "image")
        found = rows.prefetch_related("image__control_answers")
        return {row.control_item_id or 0: _looked(row) for row in found}

    def shown(self, asked: PictureToControl, *, seed: str) -> Mapping[str, Any]:
        return {"picture_url": asked.url}

    def look(self, texts: Texts, asked: PictureToControl) -> Look:
        faults = {TEXT: _fault_of(read_control_answer(texts)), NOTHING: ""}
        if texts[NOTHING]:
            faults[NOTHING] = fault_of_pick(texts[NOTHING], options=(YES,))
        return Look(faults={entry: words for entry, words in faults.items() if words})

    def choices_of(self, asked: PictureToControl, texts: Texts, *, seed: str) -> Iterable[Choice]:
        """What is written differs from person to person; whether anything is, can be compared."""
        return [Choice(NOTHING, YES if texts.get(NOTHING) == YES else NO)]

    def reviewed(self, asked: PictureToControl, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        control_answer = _control_answer(asked.row, assignment) if asked.row else None
        return {
            "picture_url": asked.url,
            "revision": asked.row,
            "said": read_control_answer(texts) if texts else None,
            "control_answer": control_answer,
        }


def _looked(row: Revision) -> PictureToControl:
    return PictureToControl(url=reverse("pictures:picture", args=[row.picture.key]), row=row)


def _fault_of(said: WeirdnessSeen) -> str:
    if said.is_neither:
        return _("Write what is weird, or tick that you see nothing weird.")
    if said.is_both:
        return _("Either write what is weird, or tick that you see nothing weird: not both.")
    if said.is_short:
        return ngettext(
            "Say it in at least %(count)d word.", "Say it in at least %(count)d words.", FEWEST_WORDS
        ) % {"count": FEWEST_WORDS}
    if len(said.text) > LONGEST_TEXT:
        return _("This has more than %(most)d characters. Say it in fewer words.") % {"most": LONGEST_TEXT}
    return fault_of_text(said.text)
