"""The spymaster's task: two cues for one set of pictures, each put to the rival once.

Bare as yet: it asks and remembers. No researcher can launch it, and nothing is made of the answers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.templatetags.static import static
from django.utils.translation import gettext as _

from crowd.winogavil import domain
from crowd.winogavil.models import Board, BoardPlace
from crowd.winogavil.services import CREATE, as_shown
from crowd.winogavil.solving import PRACTICE
from hits.errors import InvalidAnswer
from hits.families import Answer, Proposal, Score, TaskFamily, TaskPage
from hits.models import Assignment, Item
from scoring.models import Riddle

SLOTS = (1, 2)


class CreateFamily(TaskFamily):
    key = CREATE
    name = "Association game: create"
    title = "Find a word that fools the model"
    description = (
        "You see some pictures. Find words that people connect with some of them, and a model does not."
    )
    item_s = 180
    is_offered = False

    def practice_page(self) -> TaskPage:
        pictures = [{"url": static(f"winogavil/{name}.svg")} for name in PRACTICE["all"]]
        return TaskPage(
            template="winogavil/create.html",
            context={"pictures": pictures, "slots": [{"number": number} for number in SLOTS]},
        )

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        asked = {riddle.slot: riddle for riddle in Riddle.objects.filter(assignment=assignment)}
        pictures = [{"url": f"/pictures/{place.picture.key}/"} for place in _places(items)]
        slots = [{"number": number, "riddle": asked.get(number)} for number in SLOTS]
        return TaskPage(template="winogavil/create.html", context={"pictures": pictures, "slots": slots})

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return self.work_page(assignment=assignment, items=items)

    def read_proposal(self, *, form: QueryDict, assignment: Assignment) -> Proposal:
        """The pictures are the HIT's own, whatever the page says; the page only says which are chosen."""
        places = _places([lease.item for lease in assignment.leases.select_related("item")])
        slot = int(form.get("slot") or 0)
        cue = form.get("cue", "").strip()
        chosen = _read_places(form.getlist("chosen"), size=len(places))
        if slot not in SLOTS:
            raise InvalidAnswer(_("The page did not say which word is meant. Please reload it."))
        _check_other_cue(cue, slot=slot, assignment=assignment)
        try:
            domain.check_association(cue=cue, candidates=len(places), chosen=len(chosen))
        except ValueError as error:
            raise InvalidAnswer(str(error)) from error
        shown = [as_shown(place.picture) for place in places]
        pictures = [(one.sha256, one.caption) for one in shown]
        return Proposal(slot=slot, text=cue, pictures=pictures, chosen=chosen)

    def read_answer(self, *, form: QueryDict, items: Sequence[Item]) -> Answer:
        """What counts was stored when the rival was asked; the form says nothing more."""
        return self.check_answer(answer={"done": form.get("done", "")}, items=items)

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        if not isinstance(answer, Mapping) or not items:
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        return {"done": str(answer.get("done", ""))[:8]}

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        return []


def _places(items: Sequence[Item]) -> list[BoardPlace]:
    boards = Board.objects.filter(item__in=items)
    return list(BoardPlace.objects.filter(board__in=boards).select_related("picture").order_by("position"))


def _read_places(values: Sequence[str], *, size: int) -> list[int]:
    if not all(value.isascii() and value.isdigit() and int(value[:4]) < size for value in values):
        raise InvalidAnswer(_("A picture was chosen that is not on this page. Please reload it."))
    return sorted({int(value) for value in values})


def _check_other_cue(cue: str, *, slot: int, assignment: Assignment) -> None:
    others = Riddle.objects.filter(assignment=assignment).exclude(slot=slot)
    if any(other.text.casefold() == cue.casefold() for other in others):
        raise InvalidAnswer(_("The second word must differ from the first."))
