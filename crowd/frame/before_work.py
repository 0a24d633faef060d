"""Pages before the first task: consent, questions about the person, and whether a worker speaks English.

The work is open by then, so its time runs and is kept; nothing has been leased to it. The page's own token
says who answers: there is no cookie.
"""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from crowd.frame import visit_authentication
from crowd.frame.framed_pages import framed, show
from crowd.frame.person import PersonForm
from hits.core.errors import RuleBroken
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from qualifications.queries.consents import ConsentNeed, owed_before_work
from qualifications.queries.spoken_english import needs_english, speaks_english
from qualifications.services import consenting, demographics

YES, NO = "yes", "no"


def ask_first(request: HttpRequest, assignment: Assignment, *, submit_to: str) -> HttpResponse | None:
    """The page that must come before this work; None if the work may begin, or has begun."""
    if assignment.status != Assignment.Status.OPENED:
        return None
    asked = owed_before_work(assignment)
    if asked and asked.is_under_age:
        return _turn_away(request, assignment)
    if asked:
        return _ask(request, assignment, asked, submit_to=submit_to)
    return _ask_english(request, assignment, submit_to=submit_to) if needs_english(assignment) else None


@csrf_exempt
@require_POST
@framed
def agree(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Record the consent.

    Idempotent: sent again, from two tabs or by the back button, it leads to the work.
    """
    now = timezone.now()
    assignment, submit_to, asked = _read(request, hit, now=now)
    if asked is None or asked.is_under_age or not asked.wants_consent:
        return _go_on(request, hit)
    changed = _("The text has changed meanwhile. Please read it once more.")
    if request.POST.get("text") != str(asked.text.public_id):
        return _ask(request, assignment, asked, submit_to=submit_to, changed=changed, status=409)
    if request.POST.get("agreed") != YES:
        missing = _("Please tick the box if you agree. If you do not, return this work.")
        return _ask(request, assignment, asked, submit_to=submit_to, missing=missing, status=400)
    try:
        consenting.give_consent(worker=assignment.worker, text=asked.text, now=now)
    except RuleBroken:
        newer = owed_before_work(assignment)
        if newer is None:
            return _go_on(request, hit)
        return _ask(request, assignment, newer, submit_to=submit_to, changed=changed, status=409)
    return _go_on(request, hit)


@csrf_exempt
@sensitive_post_parameters()
@require_POST
@framed
def tell(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Store the answers about the person, or that there are none. Asked once: later ones change nothing."""
    now = timezone.now()
    assignment, submit_to, asked = _read(request, hit, now=now)
    if asked is None or asked.is_under_age or asked.wants_consent:
        return _go_on(request, hit)
    if "skip" in request.POST:
        demographics.save_answers(worker=assignment.worker, answers={}, now=now)
        return _go_on(request, hit)
    form = PersonForm(request.POST)
    if not form.is_valid():
        return _ask(request, assignment, asked, submit_to=submit_to, form=form, status=400)
    if form.is_minor:
        demographics.turn_away_minor(worker=assignment.worker, study=hit.batch.study, now=now)
        return _turn_away(request, assignment)
    demographics.save_answers(worker=assignment.worker, answers=form.answers, now=now)
    return _go_on(request, hit)


@csrf_exempt
@sensitive_post_parameters()
@require_POST
@framed
def say_english(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Store whether the worker speaks English. Asked once: another answer changes nothing."""
    now = timezone.now()
    assignment, submit_to, asked = _read(request, hit, now=now)
    if asked is not None or assignment.status != Assignment.Status.OPENED or not needs_english(assignment):
        return _go_on(request, hit)
    said = request.POST.get("english", "")
    if said not in (YES, NO):
        missing = _("Please choose an answer. If you would rather not, return this work.")
        page = _ask_english(request, assignment, submit_to=submit_to, missing=missing, status=400)
        return page or _go_on(request, hit)
    demographics.save_english(worker=assignment.worker, speaks=said == YES, now=now)
    return _go_on(request, hit)


def _ask_english(
    request: HttpRequest, assignment: Assignment, *, submit_to: str, status: int = 200, missing: str = ""
) -> HttpResponse | None:
    """The question whether the worker speaks English, or where that ends; None if they have said so."""
    speaks = speaks_english(assignment.worker)
    if speaks is None:
        form = _form_context(request, assignment, "say_english", submit_to=submit_to)
        return show(request, "frame/english.html", {**form, "missing": missing}, status=status)
    if not speaks:
        return show(request, "frame/no_english.html", {"assignment": assignment}, status=403)
    return None


def _read(request: HttpRequest, hit: HIT, *, now: datetime) -> tuple[Assignment, str, ConsentNeed | None]:
    """The assignment of this page, where it submits to, and what is still to be asked there."""
    token = request.POST.get("token", "")
    assignment, submit_to = visit_authentication.read_token(
        token, hit=hit, now=now, purpose=visit_authentication.CONSENT
    )
    is_open = assignment.status == Assignment.Status.OPENED
    return assignment, submit_to, owed_before_work(assignment) if is_open else None


def _ask(
    request: HttpRequest,
    assignment: Assignment,
    asked: ConsentNeed,
    *,
    submit_to: str,
    status: int = 200,
    form: PersonForm | None = None,
    **words: str,
) -> HttpResponse:
    view, template = ("agree", "consent") if asked.wants_consent else ("tell", "person")
    context: dict[str, Any] = {
        **_form_context(request, assignment, view, submit_to=submit_to),
        "text": asked.text,
        "form": form or PersonForm(),
        **words,
    }
    return show(request, f"frame/{template}.html", context, status=status)


def _form_context(
    request: HttpRequest, assignment: Assignment, view: str, *, submit_to: str
) -> dict[str, Any]:
    return {
        "action": f"{reverse(f'frame:{view}', args=[assignment.hit.public_id])}?{_query(request)}",
        # Not the token of work: no answer can be sent with it, and no time at work is counted.
        "consent_token": visit_authentication.write_token(
            assignment=assignment, submit_to=submit_to, purpose=visit_authentication.CONSENT
        ),
        "assignment": assignment,
    }


def _turn_away(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    return show(request, "frame/minor.html", {"assignment": assignment}, status=403)


def _go_on(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Redirect to the page that was opened, with the address it was opened by."""
    address = f"{reverse('frame:question', args=[hit.public_id])}?{_query(request)}"
    return HttpResponseRedirect(address, status=303)


def _query(request: HttpRequest) -> str:
    """The visit's parameters as the marketplace wrote them: a return is checked like the first visit."""
    return request.GET.urlencode()
