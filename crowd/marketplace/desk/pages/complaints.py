"""Workers' complaints: the list, the page of one with all that it is about, and the answer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import AnswerForm
from crowd.marketplace.desk.pages.hits import is_on_offer
from crowd.marketplace.desk.pages.works import describe_work, open_answer
from crowd.marketplace.desk.responses import doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import Complaint
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services.oversight import complaints as services
from crowd.marketplace.services.work import settle

FILTER_NAMES = {"all": "All", "open": "Open", "answered": "Answered"}


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    search, only = lists.searched(request), request.GET.get("only", "")
    only = only if only in FILTER_NAMES else "all"
    page = lists.paged(request, queries.complaints(search=search, only=only))
    context = {"page": page, "search": search, "only": only, "filters": FILTER_NAMES}
    return show(request, operator, "complaints", context)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def detail(request: HttpRequest, operator: Operator, complaint_id: int) -> HttpResponse:
    """Show the complaint with the work that it is about, whose answer is shown on demand."""
    settle(now=clock.now())
    complaint = _find(complaint_id)
    is_looked_at = request.method == "POST"
    return _show_detail(request, operator, complaint, AnswerForm(), is_looked_at=is_looked_at)


@require_POST
@operator_required
def answer(request: HttpRequest, operator: Operator, complaint_id: int) -> HttpResponse:
    complaint, form = _find(complaint_id), AnswerForm(request.POST)
    if not form.is_valid():
        return _show_detail(request, operator, complaint, form, status=422)
    worker, note = complaint.worker, f"complaint {complaint.pk}, HIT {complaint.hit}"
    with doing(request, operator, "complaint answered", about=worker.external_id, note=note):
        services.answer_complaint(
            complaint=complaint, answer=form.cleaned_data["answer"], operator=operator, now=clock.now()
        )
    return tell(f"{worker} gets the answer as a message.", "desk:complaint", complaint_id)


def _show_detail(
    request: HttpRequest,
    operator: Operator,
    complaint: Complaint,
    form: AnswerForm,
    *,
    is_looked_at: bool = False,
    status: int = 200,
) -> HttpResponse:
    now = clock.now()
    hit, work, worker = complaint.hit, complaint.assignment, complaint.worker
    is_open = is_on_offer(hit, now=now)
    can_suspend = not worker.suspended_at and not worker.erased_at
    context = {
        "complaint": complaint,
        "hit": hit,
        "is_on_offer": is_open,
        "can_suspend": can_suspend,
        "can_act": is_open or hit.pending or can_suspend or not hit.requester.closed_at,
        "form": form,
        **(describe_work(work, now=now) if work else {}),
    }
    if work and work.submitted_at and is_looked_at:
        context |= open_answer(work, operator=operator, now=now)
    return show(request, operator, "complaint", context, status=status)


def _find(complaint_id: int) -> Complaint:
    own = ("assignment__worker", "assignment__hit__hit_type", "assignment__hit__requester")
    return get_object_or_404(queries.complaints().select_related(*own), pk=complaint_id)
