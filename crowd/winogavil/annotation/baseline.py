"""The solver's task anew, for people who have done nothing else in the study: how well humans solve it."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Prefetch
from django.http import QueryDict

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation
from crowd.winogavil.annotation.services.annotation_reports import take_report
from crowd.winogavil.models import Association, Place
from crowd.winogavil.solver_task import PickTask
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_served


class BaselineTask(PickTask):
    """Pages and rules are the solver's own. Only the items differ: each points to an annotation."""

    key = domain.BASELINE
    name = "Association game: human baseline"
    measures = (domain.NEWCOMERS,)
    wants_newcomers = True

    def associations(self, items: Sequence[Item]) -> list[Association]:
        """Each stands under the item that asks it here, so that nothing is read or scored under its own."""
        places = Prefetch("association__places", Place.objects.select_related("picture"))
        asked = Annotation.objects.filter(item__in=items).select_related("association", "item")
        found = {}
        for annotation in asked.prefetch_related(places):
            found[annotation.item_id] = annotation.association
            annotation.association.item = annotation.item
        return [found[item.pk] for item in items]

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        take_report(form=form, items=items_served(assignment), worker=assignment.worker, now=now)
