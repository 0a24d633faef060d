"""Reports of unfit content in a task: one report withdraws it from all workers at once."""

from datetime import datetime

from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from crowd.frame.json_views import refuse, spoken
from hits.common import rates
from hits.core.errors import InvalidAnswer
from hits.families import TakesReports
from hits.work.models.assignments import Assignment
from hits.work.services import leasing

WINDOW_S = 3600
MOST_REPORTS = 20


@spoken
def report(request: HttpRequest, assignment: Assignment, now: datetime) -> JsonResponse:
    if not rates.spend("report", str(assignment.worker.public_id), most=MOST_REPORTS, window_s=WINDOW_S):
        return refuse(_("You have reported a lot within the hour. Please go on later."), status=429)
    family = leasing.family_of_batch(assignment.hit.batch)
    if not isinstance(family, TakesReports):
        raise InvalidAnswer(_("Nothing of this task can be reported here."))
    family.take_report(form=request.POST, assignment=assignment, now=now)
    words = _("Thank you. It is hidden from everybody else until a person has looked at it. You can go on.")
    return JsonResponse({"words": words})
