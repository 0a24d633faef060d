"""The solver's task for people who have done no other work in the study: how well humans solve it."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Prefetch
from django.http import QueryDict

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.queries.counted import counted_annotations
from crowd.winogavil.annotation.services.annotation_reports import take_report
from crowd.winogavil.models import Association, Place
from crowd.winogavil.solver_task import ALIKE_ASSOCIATIONS, PickTask
from hits.families import MainFigure, StatesJudgments, StatesMainFigure
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_served


class BaselineTask(PickTask, StatesJudgments, StatesMainFigure):
    """The solver's task with items that point to annotations; pages and rules are the solver's own."""

    key = domain.BASELINE
    name = "Association game: human baseline"
    role = "Newcomers"
    measures = (domain.NEWCOMERS,)
    wants_newcomers = True
    main_figure = MainFigure(name="Mean Jaccard index of newcomers", is_share=False, alike=ALIKE_ASSOCIATIONS)

    def final_values(self, study: Study) -> Sequence[float]:
        """Values of the game's own associations: those of an association list stand beside them."""
        of_game = counted_annotations(study, Kind.BASELINE).exclude(
            association__source=Association.Source.SWOW
        )
        means = of_game.order_by().values_list("numerator", "denominator")
        return [(right or 0) / of for right, of in means if of]

    def associations(self, items: Sequence[Item]) -> list[Association]:
        """Associations with the items that ask them here: nothing is read or scored under their own."""
        places = Prefetch("association__places", Place.objects.select_related("picture"))
        asked = Annotation.objects.filter(item__in=items).select_related("association", "item")
        found = {}
        for annotation in asked.prefetch_related(places):
            found[annotation.item_id] = annotation.association
            annotation.association.item = annotation.item
        return [found[item.pk] for item in items]

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        take_report(form=form, items=items_served(assignment), worker=assignment.worker, now=now)
