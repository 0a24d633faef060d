"""A trial HIT: put up, seen to come back, and approved."""

from decimal import Decimal

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk.forms import TrialForm
from crowd.marketplace.desk.pages.requesters import find_requester
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Operator, Requester
from crowd.marketplace.questions.answers import read_answers
from crowd.marketplace.services import trial_hits as services
from crowd.marketplace.services.work import settle
from hits.common.currencies import in_dollars

REWARD = Decimal("0.05")


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def put_up(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    form = TrialForm(request.POST or None, initial={"reward": REWARD})
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Put up a trial HIT of {requester}",
            text=[
                "Workers see it among the work on offer: one short question, for one worker, for one day.",
                _cost(requester),
                "You see the answer here at the desk, and approve it here.",
            ],
            button="Put up the trial HIT",
            back=reverse("desk:requester", args=[requester_id]),
            form=form,
        )
    with doing(request, operator, services.PUT_UP, about=requester.external_id) as entry:
        trial = services.put_up_trial(
            requester=requester, reward=form.cleaned_data["reward"], now=clock.now()
        )
        entry.note = trial.external_id
    return tell("The trial HIT is on offer.", "desk:trial_hit", requester_id, trial.external_id)


@require_safe
@operator_required
def detail(request: HttpRequest, operator: Operator, requester_id: str, hit_id: str) -> HttpResponse:
    settle(now=clock.now())
    requester = find_requester(requester_id)
    trial = _find(requester, hit_id)
    work = services.work_on(trial)
    answer = read_answers(work.answer).get(services.QUESTION_ID, ()) if work and work.answer else ()
    context = {
        "requester": requester,
        "trial": trial,
        "work": work,
        "answer": "".join(answer),
        "is_over": trial.expires_at <= clock.now(),
        "site": settings.MARKETPLACE_URL,
    }
    return show(request, operator, "trial_hit", context)


@require_POST
@operator_required
def approve(request: HttpRequest, operator: Operator, requester_id: str, hit_id: str) -> HttpResponse:
    trial = _find(find_requester(requester_id), hit_id)
    with doing(request, operator, "trial HIT approved", about=requester_id, note=hit_id):
        work = services.approve_trial(trial=trial, now=clock.now())
    note = f"Approved: {in_dollars(trial.hit_type.reward)} more are owed to {work.worker}."
    return tell(note, "desk:trial_hit", requester_id, hit_id)


def _cost(requester: Requester) -> str:
    """Return what the usual reward costs with its fee, which is rounded to whole cents."""
    fee = requester.fees.on_reward(REWARD, max_assignments=1)
    reward, fees, total = map(in_dollars, (REWARD, fee, REWARD + fee))
    return (
        f"{requester} pays the reward and the fee ({requester.fee_schedule}) on top: {reward} and {fees}, "
        f"{total} in all. {in_dollars(requester.available)} are available."
    )


def _find(requester: Requester, hit_id: str) -> HIT:
    trial = services.find_trial(requester=requester, hit_id=hit_id)
    if not trial:
        raise Http404
    return trial
