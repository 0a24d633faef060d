"""The address where the question page sends the worker's answer. The signed path counts, no cookie does."""

from collections.abc import Callable
from datetime import datetime

from csp.constants import SELF
from csp.utils import build_policy
from django.core import signing
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.db.models import CharField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.marketplace import clock, frames, seals
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.questions import LARGEST_FILE, MOST_FILES, read_form, write_answer
from crowd.marketplace.questions.filled_forms import (
    File,
    find_problems,
    name_of_file,
    read_given,
    write_given,
)
from crowd.marketplace.services import uploads, work
from hits.common.kept_queries import Given, KeptQuery, given_id

OWN_FIELDS = {"assignmentId", "hitId", "workerId", "turkSubmitTo"}
BETWEEN_VALUES = "|"
LARGEST_BODY = (MOST_FILES + 1) * LARGEST_FILE
# The digits of a length that Python reads at all, and more than any request has.
LONGEST_LENGTH = 20
HANDED_IN = KeptQuery(
    lambda: Assignment.objects.filter(
        external_id=Given("assignment", CharField()), pk=given_id("row")
    ).select_related("hit__hit_type")
)


class SubmitRefused(Exception):
    """The answer was not taken; the message tells the worker what to do."""

    was_handed_in = False


class HandedInBefore(SubmitRefused):
    was_handed_in = True


@csrf_exempt
@require_POST
@xframe_options_sameorigin
def external_submit(request: HttpRequest, signed: str) -> HttpResponse:
    """Take the worker's answer. Only the worker page's frame may show the result."""
    return _answer(request, lambda claimed: _find(signed, claimed=claimed))


@csrf_exempt
@require_POST
@xframe_options_sameorigin
def fixed_submit(request: HttpRequest) -> HttpResponse:
    """Take an answer at the address that is the same for all work, as pages have it that MTurk framed.

    The id names the work: only its worker and its requester know it, and it is good while the work is open.
    A preview's frame sends its form here too, and is told that nothing is submitted.
    """
    return _answer(request, lambda claimed: _find_open(claimed, worker=_read_given(request, "workerId")))


def _answer(request: HttpRequest, find: Callable[[str], Assignment]) -> HttpResponse:
    response = _submit(request, find, now=clock.now())
    # A form that is shown again brings a stricter policy of its own.
    response.setdefault("Content-Security-Policy", build_policy(replace={"frame-ancestors": [SELF]}))
    return response


def _submit(request: HttpRequest, find: Callable[[str], Assignment], *, now: datetime) -> HttpResponse:
    work.settle_unless_just_done(now=now)
    try:
        _refuse_large(request)
        claimed = _read_given(request, "assignmentId")
        if claimed in ("", frames.NOT_AVAILABLE):
            raise SubmitRefused(_("This was only a preview. Accept the HIT to submit an answer."))
        assignment = find(claimed)
        if assignment.hit.kind == HIT.Kind.FORM:
            return _submit_form(request, assignment, now=now)
        fields = _read_fields(request)
        if not work.submit_assignment(assignment=assignment, answer=write_answer(fields), now=now):
            raise _why_not_open(assignment)
    except SubmitRefused as refusal:
        context = {"reason": refusal, "was_handed_in": refusal.was_handed_in}
        return render(request, "marketplace/submit_refused.html", context, status=409)
    return render(request, "marketplace/submitted.html", {"assignment": assignment})


def _submit_form(request: HttpRequest, assignment: Assignment, *, now: datetime) -> HttpResponse:
    """Submit a QuestionForm of ours; it is shown again, as it was filled in, until it has no problems."""
    if assignment.status != Assignment.Status.ACCEPTED:
        raise _why_not_open(assignment)
    form = read_form(assignment.hit.question)
    given = read_given(form, dict(request.POST.lists()), read_files(request))
    if problems := find_problems(form, given):
        return frames.show_work(request, assignment, values=given, problems=problems)
    answer = write_given(form, given, key_prefix=assignment.external_id)
    if not uploads.submit_form(assignment=assignment, answer=answer, given=given, now=now):
        raise _why_not_open(assignment)
    return render(request, "marketplace/submitted.html", {"assignment": assignment})


def read_files(request: HttpRequest) -> dict[str, File]:
    """Read the files by field. One byte above the limit is enough to see that a file is too large."""
    files = ((field, sent[0]) for field, sent in request.FILES.lists() if sent)
    return {
        field: File(name=name_of_file(file.name or ""), content=file.read(LARGEST_FILE + 1))
        for field, file in files
    }


def _refuse_large(request: HttpRequest) -> None:
    """Raise SubmitRefused before anything of a too large body is read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdigit() or len(length) > LONGEST_LENGTH or int(length) > LARGEST_BODY:
        raise SubmitRefused(_("These files are too large to submit. Choose smaller files."))


def _read_given(request: HttpRequest, name: str) -> str:
    """Some pages name the work in the address instead of the form."""
    try:
        return request.POST.get(name) or request.GET.get(name, "")
    except (RequestDataTooBig, TooManyFieldsSent):
        raise SubmitRefused(
            _("This answer is too large to submit. Go back, and shorten it or tell the requester.")
        ) from None


def _why_not_open(assignment: Assignment) -> SubmitRefused:
    assignment.refresh_from_db()
    if assignment.submitted_at:
        return HandedInBefore(_("You have already submitted this work. Nothing changed."))
    return SubmitRefused(_("This work was returned, or its time was over. Nothing changed."))


def _read_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """Read the answers. Values of one name are one answer, as programs read them into a dictionary.

    The page's own fields are no answers, but a form of them alone is sent by pages that keep the answers.
    """
    if not request.POST.keys() - {"assignmentId", "turkSubmitTo"}:
        raise SubmitRefused(_("The form sent no answer. Go back and answer the question first."))
    given = request.POST.lists()
    return [(name, BETWEEN_VALUES.join(values)) for name, values in given if name not in OWN_FIELDS]


def _find_open(claimed: str, *, worker: str) -> Assignment:
    """The latest work with this id. If it was used before, and returned, its worker must be named too."""
    found = Assignment.objects.filter(external_id=claimed).select_related("hit__hit_type", "worker")
    attempts = list(found.order_by("-pk")[:2])
    if not attempts:
        raise SubmitRefused(_("This work does not exist any more."))
    latest = attempts[0]
    if len(attempts) > 1 and latest.worker.external_id != worker:
        raise SubmitRefused(_("This submit address is not valid. Open the work from your queue."))
    return latest


def _find(signed: str, *, claimed: str) -> Assignment:
    """The assignment of the signed path, if it is the one the form claims to be."""
    try:
        payload = seals.read_submit(signed)
    except signing.BadSignature:
        raise SubmitRefused(_("This submit address is not valid. Open the work from your queue.")) from None
    if payload.get("assignment") != claimed:
        raise SubmitRefused(_("This submit address belongs to other work. Open it from your queue."))
    # The row too: ids are used again after a return, and the first attempt's path must not reach the next.
    assignment = HANDED_IN.first(assignment=claimed, row=payload.get("row", 0))
    if not assignment:
        raise SubmitRefused(_("This work does not exist any more."))
    return assignment
