"""One image, one caption: does the caption match? The page is the same in the task and in its test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.templatetags.static import static
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.pictures.models import Picture
from crowd.questions.answer_columns import yes_or_no
from crowd.questions.domain import NO, YES
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Look, Texts, fault_of_pick
from crowd.winoground import domain
from crowd.winoground.models import Pairing
from hits.datasets.columns import FLAG, TEXT, Column, column
from hits.families import Answer, StatesJudgments, TaskPage, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

MATCH = "match"
# A larger picture is sent in full only on request.
LONGEST_SIDE = 2000
THUMBNAIL = 480
DRAWING = "winoground/practice.svg"
EXAMPLES = (
    {"caption": gettext_lazy("a ball on a box"), "answer": gettext_lazy("Yes")},
    {"caption": gettext_lazy("a box on a ball"), "answer": gettext_lazy("No")},
)


@dataclass(frozen=True, kw_only=True)
class Pair:
    caption: str
    # None: the practice drawing.
    picture: Picture | None = None
    # None: not known.
    is_match: bool | None = None
    # Its combination of an example; those of the first questions belong to none.
    row: Pairing | None = None

    @property
    def is_away(self) -> bool:
        return self.picture is not None and self.picture.status != Picture.Status.FIT

    @property
    def shown(self) -> dict[str, Any]:
        """What the page shows of the pair, without whether it is a match."""
        picture = self.picture
        if picture is None:
            drawing = static(DRAWING)
            return {"caption": self.caption, "is_away": False, "picture": drawing, "whole": drawing}
        small, whole = f"/pictures/{picture.key}/{THUMBNAIL}/", f"/pictures/{picture.key}/"
        width, height = picture.width or 0, picture.height or 0
        return {
            "caption": self.caption,
            "key": picture.key,
            "is_away": self.is_away,
            "picture": small,
            "whole": whole,
            "width": width,
            "height": height,
            # The width of the thumbnail, whose longer side is fixed.
            "small_width": min(width, width * THUMBNAIL // max(width, height, 1)),
            "is_light": 0 < max(width, height) <= LONGEST_SIDE,
        }


def is_right(asked: Pair, texts: Texts) -> bool | None:
    """Whether the answer is the expected one; None without an answer, or where nobody knows."""
    said = texts.get(MATCH, "")
    return None if not said or asked.is_match is None else (said == YES) == asked.is_match


FLAT = (
    column("caption", TEXT, "the caption", of="asked.caption"),
    column("image_sha256", TEXT, "the SHA-256 of its file", of="asked.picture.sha256"),
    column("is_match", FLAG, "whether the two belong together", of="asked.is_match"),
    yes_or_no("answer", "whether the worker says that they match", entry=MATCH),
    column("is_right", FLAG, "whether that is so", of=lambda one: is_right(one.asked, one.texts)),
)


class PairsTask(AskTask[Pair], StatesJudgments):
    terms = Terms(
        item_s=12,
        items_each=10,
        duration_s=3600,
        most_items=domain.MOST_ITEMS,
        requirements=domain.PAPER_ASKS,
        english_speakers=True,
    )
    heading = gettext_lazy("Does the caption match the image?")
    page = "winoground/pairs.html"
    question = "winoground/parts/pair.html"
    review = "winoground/review/pairs.html"
    entries = (MATCH,)
    chosen = (MATCH,)
    examples = EXAMPLES
    flat: ClassVar[Sequence[Column]] = FLAT
    answer_keys = "yes_or_no"

    @property
    def practice(self) -> Pair:
        return Pair(caption=_("a box on a ball"))

    def shown(self, asked: Pair, *, seed: str) -> Mapping[str, Any]:
        return asked.shown

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """Show one question after the other. A page that is shown again names what is to be changed."""
        page = super().work_page(assignment=assignment, items=items)
        return TaskPage(template=page.template, context={**page.context, "is_paged": len(items) > 1})

    def look(self, texts: Texts, asked: Pair) -> Look:
        """Find faults in an answer. Nobody has to answer about a picture that is away."""
        if asked.is_away and not texts[MATCH]:
            return Look()
        fault = fault_of_pick(texts[MATCH], options=(YES, NO))
        return Look(faults={MATCH: fault} if fault else {})

    def reviewed(self, asked: Pair, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        return {
            **asked.shown,
            "said": texts.get(MATCH, ""),
            "is_match": asked.is_match,
            "is_right": is_right(asked, texts),
        }


def answers_to(items: Sequence[Item], answer: Answer) -> dict[int, bool]:
    """Whether the worker says that it matches, by item key. Items without an answer are left out."""
    said = {item.pk: (answer.get(str(item.public_id)) or {}).get(MATCH) for item in items}
    return {pk: text == YES for pk, text in said.items() if text in (YES, NO)}
