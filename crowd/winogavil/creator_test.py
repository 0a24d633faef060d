"""The creator's test: one word for each of ten picture sets. Those who are solvers already solve them."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.templatetags.static import static
from django.utils.translation import gettext as _

from crowd.winogavil import domain
from crowd.winogavil.models.picture_sets import PictureSet
from crowd.winogavil.services.assignment_picture_sets import picture_sets_of
from crowd.winogavil.services.exclusion import still_asked
from crowd.winogavil.services.reports import picture_target
from crowd.winogavil.solver_task import PRACTICE
from crowd.winogavil.spymaster_task import CreateTask
from hits.families import NarrowsItems, Purpose, TaskPage, UsesUp
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from scoring.models import RivalQuery

TEMPLATE = "winogavil/creator_test.html"
# What the worked example shows: of the practice pictures, the author's and the model's.
EXAMPLE_TAKEN = ("dog", "shoe")


class CreatorTestTask(CreateTask, NarrowsItems, UsesUp):
    """Its words are solved like everybody's, marked as a test's, and in no data unless somebody wants it."""

    key = domain.CREATOR_TEST
    name = "Association game: creator's test"
    terms = replace(
        CreateTask.terms,
        title="Test: find words that fool the model",
        description=(
            "Ten sets of pictures. For each, find one word that people connect with some of them, and a "
            "model does not. Other people solve your words; then you hear whether you can work for us as a "
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
    # Who returns it before the model has answered anything may come back, also to sets that were seen.
    leases_once = False
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
        """Not those whose pictures were taken away before a word was found for them."""
        picture_sets = picture_sets_of(assignment)
        known = set(RivalQuery.objects.filter(assignment=assignment).values_list("slot", flat=True))
        asked = still_asked([picture_set.item for picture_set in picture_sets], worker=assignment.worker)
        return [
            slot
            for slot, picture_set in enumerate(picture_sets, start=1)
            if slot in known or picture_set.item in asked
        ]

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Whoever may try again is given sets that the model has not answered them about."""
        met = Lease.objects.filter(
            item=OuterRef("pk"), worker=worker_id, assignment__rival_queries__isnull=False
        )
        return items.exclude(Exists(met))

    def uses_up(self, assignment: Assignment) -> bool:
        """The model has answered, or is about to: another try would be a second chance with it."""
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
    """How a word turned out, told with the practice pictures: nobody is asked for that."""
    pictures = [
        {
            "url": static(f"winogavil/{name}.svg"),
            "chosen": name in PRACTICE["right"],
            "taken": name in EXAMPLE_TAKEN,
        }
        for name in PRACTICE["all"]
    ]
    return {"cue": PRACTICE["cue"], "pictures": pictures}
