"""The creator's test: one word for each of ten picture sets. Workers who are solvers solve the words."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext as _

from crowd.winogavil import domain
from crowd.winogavil.models import PictureSet
from crowd.winogavil.services.assignment_picture_sets import picture_sets_of
from crowd.winogavil.services.exclusion import still_asked
from crowd.winogavil.services.reports import picture_target
from crowd.winogavil.solver_task import PRACTICE, practice_cue
from crowd.winogavil.spymaster_task import CreateTask
from hits.families import Purpose, TaskPage, UsesUp
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import RivalQuery

TEMPLATE = "winogavil/creator_test.html"
# The practice pictures that the model takes in the worked example.
EXAMPLE_TAKEN = ("dog", "shoe")


class CreatorTestTask(CreateTask, UsesUp):
    """The creator's test; its words are solved like all others, and are in no data unless that is chosen."""

    key = domain.CREATOR_TEST
    name = "Association game: creator's test"
    terms = replace(
        CreateTask.terms,
        title="Test: find words that fool the model",
        description=(
            "Ten sets of pictures. For each, find one word that people connect with some of them, and a "
            "model does not. Other people solve your words; then you learn whether you can work for us as a "
            "creator."
        ),
        items_each=10,
        most_items=10,
        item_s=90,
        duration_s=7200,
        reward=Decimal("1.50"),
        # Three HITs of nine places each: from ten on providers charge more.
        workers_per_hit=27,
    )
    purpose = Purpose.TEST
    most_cues = 10
    scored_per_item = 1

    def practice_page(self) -> TaskPage:
        return TaskPage(template=TEMPLATE, context={"example": _example()})

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        rival_queries = RivalQuery.objects.filter(assignment=assignment)
        asked = {rival_query.slot: rival_query for rival_query in rival_queries}
        picture_sets = picture_sets_of(assignment)
        slots = [
            {"number": slot, "rival_query": asked.get(slot), **_shown(picture_sets[slot - 1], slot=slot)}
            for slot in self.slots(assignment)
        ]
        reports = [target for slot in slots for target in slot["reports"]]
        context = {"slots": slots, "reports": reports, "example": _example()}
        return TaskPage(template=TEMPLATE, context=context)

    def slots(self, assignment: Assignment) -> Sequence[int]:
        """Slots of this assignment, except those whose pictures were taken away before a word was tested."""
        picture_sets = picture_sets_of(assignment)
        known = set(RivalQuery.objects.filter(assignment=assignment).values_list("slot", flat=True))
        asked = still_asked([picture_set.item for picture_set in picture_sets], worker=assignment.worker)
        return [
            slot
            for slot, picture_set in enumerate(picture_sets, start=1)
            if slot in known or picture_set.item in asked
        ]

    def uses_up(self, assignment: Assignment) -> bool:
        """True once the model was asked about a word: another try would be a second chance with it."""
        return RivalQuery.objects.filter(assignment=assignment).exists()


def _shown(picture_set: PictureSet, *, slot: int) -> dict[str, Any]:
    places = list(picture_set.places.all())
    return {
        "pictures": [{"url": f"/pictures/{place.picture.key}/480/"} for place in places],
        "reports": [
            picture_target(place.picture.key, number=number, cue=_("set %(number)d") % {"number": slot})
            for number, place in enumerate(places, start=1)
        ],
        "fewest": domain.FEWEST_CHOSEN,
        "most": domain.MOST_CHOSEN[len(places)],
    }


def _example() -> dict[str, Any]:
    """Worked example with the practice pictures; neither the rival nor a worker is asked about it."""
    pictures = [
        {
            "url": static(f"winogavil/{name}.svg"),
            "chosen": name in PRACTICE["right"],
            "taken": name in EXAMPLE_TAKEN,
        }
        for name in PRACTICE["all"]
    ]
    return {"cue": practice_cue(), "pictures": pictures}
