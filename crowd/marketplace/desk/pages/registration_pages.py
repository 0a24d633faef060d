"""Registrations that wait for an operator: approved or declined, one or many."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.responses import doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import workers
from crowd.marketplace.services.operators import about_people

NOBODY_TICKED = "Nothing was done, because nobody is ticked. Tick some, or “All …”, and press again."


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    return _index(request, operator)


@require_POST
@operator_required
def decide(request: HttpRequest, operator: Operator) -> HttpResponse:
    """Approve those who are ticked, or decline them: that deletes, so it is asked once more."""
    chosen = _chosen(request)
    if not chosen:
        return _index(request, operator, problem=NOBODY_TICKED)
    if request.POST.get("do") == "approve":
        return _carry_out(request, operator, chosen, is_approved=True)
    if request.POST.get("sure") == "yes":
        return _carry_out(request, operator, chosen, is_approved=False)
    names = queries.registrations().filter(external_id__in=chosen)
    return show(request, operator, "registrations_decline", {"chosen": names})


def _index(request: HttpRequest, operator: Operator, *, problem: str = "") -> HttpResponse:
    search = lists.searched(request)
    context = {
        "problem": problem,
        "search": search,
        "page": lists.paged(request, queries.registrations(search=search)),
        "count": queries.registrations().count(),
    }
    return show(request, operator, "registrations", context, status=409 if problem else 200)


def _chosen(request: HttpRequest) -> Sequence[str]:
    if request.POST.get("everybody"):
        return list(queries.registrations().values_list("external_id", flat=True))
    return request.POST.getlist("worker")


def _carry_out(
    request: HttpRequest, operator: Operator, chosen: Sequence[str], *, is_approved: bool
) -> HttpResponse:
    done = "approved" if is_approved else "declined"
    with doing(request, operator, f"registrations {done}") as entry:
        if is_approved:
            decided = workers.admit_workers(external_ids=chosen, now=clock.now())
        else:
            decided = workers.decline_workers(external_ids=chosen)
        entry.about, entry.note = about_people(decided, note=str(len(decided)))
    how_many = f"{len(decided)} registration{'' if len(decided) == 1 else 's'}"
    return tell(f"{how_many} {done}.", "desk:registrations")
