"""Requesters: the list, a new one, and the page of one."""

from decimal import Decimal

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import FeesForm, NameForm, RequesterForm
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.desk.subjects import with_pages
from crowd.marketplace.models.parties import Operator, Requester
from crowd.marketplace.services import requesters as services
from crowd.marketplace.services import trial_hits
from crowd.marketplace.services.work import settle
from hits.common.currencies import in_dollars

LATEST = 8


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    search, sort = lists.searched(request), lists.sorted_by(request, queries.REQUESTER_SORTS)
    page = lists.paged(request, queries.requesters(search=search, sort=sort))
    return show(request, operator, "requesters", {"page": page, "search": search, "sort": sort})


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def new(request: HttpRequest, operator: Operator) -> HttpResponse:
    form = RequesterForm(request.POST or None, initial={"fee_schedule": settings.MARKETPLACE_FEES})
    if not form.is_valid():
        status = 422 if form.errors else 200
        return show(request, operator, "requester_new", {"form": form}, status=status)
    name, deposit = form.cleaned_data["name"], form.cleaned_data["deposit"] or Decimal(0)
    note = f"{name}, with a deposit of {in_dollars(deposit)}" if deposit else name
    with doing(request, operator, "requester made", note=note) as entry:
        made = services.create_requester(
            name=name,
            deposit=deposit,
            note=form.cleaned_data["note"],
            fee_schedule=form.cleaned_data["fee_schedule"],
            now=clock.now(),
        )
        entry.about = made.requester.external_id
    secrets = [
        ("Endpoint", settings.MARKETPLACE_URL),
        ("Access key id", made.access_key_id),
        ("Secret access key", made.secret_access_key),
        ("Ticket key", made.ticket_key),
    ]
    title = f"{made.requester} can begin"
    return _secrets(request, operator, made.requester, title=title, secrets=secrets, key=made)


@require_safe
@operator_required
def detail(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    requester = find_requester(requester_id)
    context = {
        "requester": requester,
        "keys": requester.access_keys.order_by("-id"),
        "layouts": requester.layouts.defer("html").order_by("name"),
        "transfers": with_pages(queries.transfers(requester=requester)[:LATEST]),
        "on_offer": queries.hits_on_offer(now=now).filter(requester=requester).count(),
        "trial_id": trial_hits.latest_trial_id(requester),
        "audit_entries": queries.audit_entries_of(requester)[:LATEST],
        "fees_form": FeesForm(initial={"fee_schedule": requester.fee_schedule}),
    }
    return show(request, operator, "requester", context)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def rename(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    form = NameForm(request.POST or None, initial={"name": requester.name})
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Rename {requester}",
            text=["Workers see the new name at once, on earlier work and letters too. Keys and money stay."],
            button="Rename the requester",
            back=reverse("desk:requester", args=[requester_id]),
            form=form,
        )
    before, name = requester.name, form.cleaned_data["name"]
    with doing(
        request, operator, "requester renamed", about=requester.external_id, note=f"{before} → {name}"
    ):
        services.rename_requester(requester_id=requester.pk, name=name)
    return tell(f"{before} is now called {name}.", "desk:requester", requester_id)


@require_POST
@operator_required
def set_fees(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    form = FeesForm(request.POST)
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Fees of {requester}",
            text=[],
            button="Set the fees",
            back=reverse("desk:requester", args=[requester_id]),
            form=form,
        )
    fees = form.cleaned_data["fee_schedule"]
    with doing(request, operator, "fees set", about=requester.external_id, note=fees):
        services.set_fees(requester_id=requester.pk, fee_schedule=fees)
    return tell("The fees are set, for HITs and bonuses from now on.", "desk:requester", requester_id)


@require_POST
@operator_required
def new_key(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    with doing(request, operator, "access key made", about=requester.external_id):
        made = services.add_key(requester_id=requester.pk, now=clock.now())
    secrets = [("Access key id", made.access_key_id), ("Secret access key", made.secret_access_key)]
    title = f"A new key for {requester}"
    return _secrets(request, operator, requester, title=title, secrets=secrets, key=made)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def revoke_key(request: HttpRequest, operator: Operator, requester_id: str, key_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    key = requester.access_keys.filter(access_key_id=key_id, revoked_at=None).first()
    if not key:
        raise Http404
    if request.method != "POST":
        return ask(
            request,
            operator,
            title=f"Revoke the key {key}?",
            text=[
                "Programs that sign with this key are refused from that moment on.",
                "A revoked key never works again. If the requester continues to work, make a new key first.",
            ],
            button="Revoke the key",
            back=reverse("desk:requester", args=[requester_id]),
            is_grave=True,
        )
    with doing(request, operator, "access key revoked", about=requester.external_id, note=key_id):
        services.revoke_key(key=key, now=clock.now())
    return tell(f"The key {key} is revoked.", "desk:requester", requester_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def new_ticket_key(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    if request.method != "POST":
        return ask(
            request,
            operator,
            title=f"A new ticket key for {requester}?",
            text=[
                "Tickets tell the requester’s pages which worker is at work. They are signed with this key.",
                "The old key ends at once: pages that do not know the new one refuse every ticket.",
            ],
            button="Make a new ticket key",
            back=reverse("desk:requester", args=[requester_id]),
            is_grave=True,
        )
    with doing(request, operator, "ticket key renewed", about=requester.external_id):
        ticket_key = services.renew_ticket_key(requester_id=requester.pk)
    secrets = [("Ticket key", ticket_key)]
    return _secrets(request, operator, requester, title=f"A new ticket key for {requester}", secrets=secrets)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def close(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester, now = find_requester(requester_id), clock.now()
    if request.method != "POST":
        on_offer = queries.hits_on_offer(now=now).filter(requester=requester).count()
        return ask(
            request,
            operator,
            title=f"Close {requester}?",
            text=[
                "All keys stop, and no new one can be made. This cannot be undone.",
                f"{_hits(on_offer)} on offer: taken down at once. Begun work may still be submitted.",
                "Submitted work is approved automatically in due time, and workers are paid for it.",
                f"{in_dollars(requester.available)} are available, {in_dollars(requester.on_hold)} on hold.",
                "What is held for work that nobody took becomes available. It can be withdrawn afterwards.",
            ],
            button="Close the requester",
            back=reverse("desk:requester", args=[requester_id]),
            is_grave=True,
        )
    with doing(request, operator, "requester closed", about=requester.external_id) as entry:
        taken_down = services.close_requester(requester_id=requester.pk, now=now)
        entry.note = f"{_hits(taken_down)} taken down"
    return tell(f"{requester} is closed. {entry.note}.", "desk:requester", requester_id)


def _hits(count: int) -> str:
    return f"{count} HIT{pluralize(count)}"


def find_requester(external_id: str) -> Requester:
    requester = Requester.objects.filter(external_id=external_id).first()
    if not requester:
        raise Http404
    return requester


def _secrets(
    request: HttpRequest,
    operator: Operator,
    requester: Requester,
    *,
    title: str,
    secrets: list[tuple[str, str]],
    key: services.Credentials | services.NewKey | None = None,
) -> HttpResponse:
    """Show secrets; they are never shown again. A key comes with lines that try it out."""
    context = {
        "title": title,
        "requester": requester,
        "secrets": secrets,
        "has_ticket_key": any(label == "Ticket key" for label, _ in secrets),
        "trials": _trials(key) if key else [],
    }
    return show(request, operator, "secrets", context)


def _trials(key: services.Credentials | services.NewKey) -> list[tuple[str, str]]:
    """Return lines to paste that ask for the balance with this key, each with where they are pasted."""
    shell = f"""\
export AWS_ACCESS_KEY_ID={key.access_key_id}
export AWS_SECRET_ACCESS_KEY={key.secret_access_key}
export AWS_DEFAULT_REGION=us-east-1
export AWS_ENDPOINT_URL_MTURK={settings.MARKETPLACE_URL}
aws mturk get-account-balance"""
    python = f"""\
import boto3

mturk = boto3.client(
    "mturk",
    endpoint_url="{settings.MARKETPLACE_URL}",
    region_name="us-east-1",
    aws_access_key_id="{key.access_key_id}",
    aws_secret_access_key="{key.secret_access_key}",
)
print(mturk.get_account_balance()["AvailableBalance"])"""
    return [("In a shell", shell), ("In Python, with boto3", python)]
