"""The page of one piece of work, with its answer when an operator asks for it."""

from collections.abc import Sequence
from uuid import uuid4

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.desk.responses import show
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.queries.feedback import read_feedback
from crowd.marketplace.questions.answers import read_answers
from crowd.marketplace.services import operators, reviewing
from crowd.marketplace.services.work import settle


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def detail(request: HttpRequest, operator: Operator, work_id: str) -> HttpResponse:
    """Show the work. The answer is the requester's, so whoever wants to see it leaves an entry in the log."""
    now = clock.now()
    settle(now=now)
    work = _find(work_id)
    context = {
        "work": work,
        "words": read_feedback(work).words,
        "approvable_until": reviewing.approvable_until(work, now=now),
    }
    if request.method == "POST" and work.submitted_at:
        about, note = work.worker.external_id, f"work {work}"
        with operators.do_once(
            operator=operator, token=uuid4(), what="answer looked at", about=about, note=note, now=now
        ):
            context |= {"is_open": True, "answers": _answers(work), "files": work.uploads.defer("content")}
    return show(request, operator, "work", context)


def _answers(work: Assignment) -> Sequence[tuple[str, Sequence[str]]]:
    return [(name, sorted(values)) for name, values in read_answers(work.answer).items()]


def _find(external_id: str) -> Assignment:
    """Find the work of this id. A returned place bears its id again, so the latest is meant."""
    found = Assignment.objects.select_related("hit__hit_type", "hit__requester", "worker")
    work = found.filter(external_id=external_id).order_by("-pk").first()
    if not work:
        raise Http404
    return work
