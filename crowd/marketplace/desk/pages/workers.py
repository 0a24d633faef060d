"""Workers: the list, and the facts and decisions about one."""

from collections.abc import Iterable

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import EraseForm, FactsForm, MessageForm, ReasonForm
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import Block, Operator, Worker
from crowd.marketplace.queries import LATEST as LATEST_FIRST
from crowd.marketplace.queries import read_page
from crowd.marketplace.queries.feedback import read_feedback
from crowd.marketplace.services import erasure, messages
from crowd.marketplace.services import workers as services
from crowd.marketplace.services.email_addresses import are_emails_sent, find_address
from crowd.marketplace.services.work import settle

LATEST = 8
FACTS = ("country", "subdivision", "is_adult", "is_master")
FILTER_NAMES = {
    "all": "All",
    "owed": "Owed",
    "suspended": "Suspended",
    "erasure": "Erasure requested",
    "erased": "Erased",
}
WORK_FILTER_NAMES = {"all": "All", "bonus": "With a bonus", "rejected": "Rejected, now or once"}


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    search, sort = lists.searched(request), lists.sorted_by(request, queries.WORKER_SORTS)
    only = request.GET.get("only", "")
    only = only if only in FILTER_NAMES else "all"
    page = lists.paged(request, queries.workers(search=search, sort=sort, only=only))
    context = {
        "page": page,
        "search": search,
        "sort": sort,
        "only": only,
        "filters": FILTER_NAMES,
        "ways_in": _ways_in(),
        "waiting": queries.registrations().count(),
    }
    return show(request, operator, "workers", context)


def _ways_in() -> str:
    if not settings.MARKETPLACE_OPEN_REGISTRATION:
        return "Workers come by invitation only."
    if settings.MARKETPLACE_REGISTRATIONS_WAIT:
        return "Anybody may register, and waits until an operator approves."
    return "Anybody may register, and begins at once."


@require_safe
@operator_required
def detail(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    settle(now=clock.now())
    worker = find_worker(worker_id)
    facts = FactsForm(initial={name: getattr(worker, name) for name in FACTS})
    return _show_detail(request, operator, worker, facts)


@require_safe
@operator_required
def work_of(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    """Show all that the worker has accepted, and what the sum owed is made of."""
    settle(now=clock.now())
    worker = find_worker(worker_id)
    only = request.GET.get("only", "")
    only = only if only in WORK_FILTER_NAMES else "all"
    page = read_page(
        queries.works_of(worker, only=only),
        keyset=LATEST_FIRST,
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=lists.ROWS_ON_A_PAGE,
    )
    bonuses = queries.bonuses_of(worker)
    context = {
        "worker": worker,
        "bonuses": bonuses,
        "rewards": worker.earned - bonuses,
        "paid": worker.earned - worker.owed,
        "works": _with_words(page.rows),
        "only": only,
        "filters": WORK_FILTER_NAMES,
        "earlier": f"?only={only}&before={page.before}" if page.before else "",
        "further": f"?only={only}&after={page.after}" if page.after else "",
    }
    return show(request, operator, "work_of", context)


@require_POST
@operator_required
def set_facts(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    worker = find_worker(worker_id)
    form = FactsForm(request.POST)
    if not form.is_valid():
        return _show_detail(request, operator, worker, form, status=422)
    with doing(request, operator, "facts set", about=worker.external_id):
        services.set_facts(worker_id=worker.pk, **form.cleaned_data)
    return tell("Saved.", "desk:worker", worker_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def suspend(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    worker = find_worker(worker_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return _ask_reason(
            request,
            operator,
            worker,
            form,
            title=f"Suspend {worker}?",
            text="The worker can accept no more HITs, but may finish begun work. Money owed to them stays.",
            button="Suspend the worker",
        )
    reason = form.cleaned_data["reason"]
    with doing(request, operator, "worker suspended", about=worker.external_id, note=reason):
        services.suspend_worker(worker_id=worker.pk, now=clock.now())
    return tell("The worker is suspended.", "desk:worker", worker_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def lift(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    worker = find_worker(worker_id)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return _ask_reason(
            request,
            operator,
            worker,
            form,
            title=f"Let {worker} work again?",
            text="They can accept HITs again at once.",
            button="Lift the suspension",
        )
    reason = form.cleaned_data["reason"]
    with doing(request, operator, "suspension lifted", about=worker.external_id, note=reason):
        services.lift_suspension(worker_id=worker.pk)
    return tell("The suspension is lifted.", "desk:worker", worker_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def write(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    """Write to a worker. The log keeps the subject; what was written, the worker alone has."""
    worker = find_worker(worker_id)
    if worker.erased_at:
        raise Http404
    form = MessageForm(request.POST or None)
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Write to {worker}",
            text=[
                "The worker reads it under Messages, as from those who run this marketplace.",
                "They get it by e-mail too if they want that. They cannot answer: say how they reach you.",
            ],
            button="Send the message",
            back=reverse("desk:worker", args=[worker_id]),
            form=form,
        )
    subject, text = form.cleaned_data["subject"], form.cleaned_data["text"]
    with doing(request, operator, "message written", about=worker.external_id, note=subject):
        messages.write_from_the_desk(workers=[worker], subject=subject, text=text, now=clock.now())
    return tell("The message is sent.", "desk:worker", worker_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def erase(request: HttpRequest, operator: Operator, worker_id: str) -> HttpResponse:
    worker = find_worker(worker_id)
    if worker.erased_at:
        raise Http404
    obstacles = erasure.find_obstacles(worker=worker)
    form = EraseForm(request.POST or None, expected=worker.external_id, has_obstacles=bool(obstacles))
    if not form.is_valid():
        emails = settings.EMAIL_FILE_PATH if settings.MARKETPLACE_EMAILS_ARE_FILES else ""
        context = {"worker": worker, "obstacles": obstacles, "form": form, "emails": emails}
        return show(request, operator, "erase", context, status=422 if form.errors else 200)
    with doing(request, operator, "worker erased", about=worker.external_id):
        erasure.erase_worker(
            worker_id=worker.pk,
            in_spite_of_obstacles=form.cleaned_data.get("in_spite_of", False),
            now=clock.now(),
        )
    return tell("The worker is erased.", "desk:worker", worker_id)


def find_worker(external_id: str) -> Worker:
    worker = Worker.objects.filter(external_id=external_id).first()
    if not worker:
        raise Http404
    return worker


def _show_detail(
    request: HttpRequest, operator: Operator, worker: Worker, facts: FactsForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "worker": worker,
        "mine": find_address(worker),
        "emails_are_sent": are_emails_sent(),
        "form": facts,
        "works": _with_words(queries.works_of(worker)[:LATEST]),
        "payouts": queries.payouts(search="").filter(worker=worker)[:LATEST],
        "blocks": _blocks_of(worker),
        "audit_entries": queries.audit_entries_of(worker)[:LATEST],
    }
    return show(request, operator, "worker", context, status=status)


def _with_words(works: Iterable[Assignment]) -> list[tuple[Assignment, str]]:
    """Each with what the requester wrote, without the address to ask at: whoever opens that is the worker."""
    return [(work, read_feedback(work).words) for work in works]


def _blocks_of(worker: Worker) -> QuerySet[Block]:
    return worker.blocks.select_related("requester").order_by("-id")


def _ask_reason(
    request: HttpRequest,
    operator: Operator,
    worker: Worker,
    form: ReasonForm,
    *,
    title: str,
    text: str,
    button: str,
) -> HttpResponse:
    back = reverse("desk:worker", args=[worker.external_id])
    return ask(request, operator, title=title, text=[text], button=button, back=back, form=form)
