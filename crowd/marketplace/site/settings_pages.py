"""A worker's own decisions: name, sign-in, country, sessions, erasure."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import check_for_language, get_language
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.i18n import set_language

from crowd.marketplace import clock, countries
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import accounts, email_addresses
from crowd.marketplace.site.forms import AboutMe, ChangedPassword, MyEmail
from crowd.marketplace.site.responses import show, too_many
from crowd.marketplace.site.session import COOKIE, find_worker, worker_required
from hits.common import login_throttle
from hits.common.client_address import address_of

SAVED = ("about", "password", "email", "sent", "enough", "messages")


@require_safe
@worker_required
def settings(request: HttpRequest, worker: Worker) -> HttpResponse:
    return _show(request, worker)


@require_POST
@worker_required
def about_me(request: HttpRequest, worker: Worker) -> HttpResponse:
    form = AboutMe(request.POST, worker=worker)
    if not form.is_valid():
        return _show(request, worker, about=form)
    accounts.describe_self(worker=worker, **form.cleaned_data)
    return _saved("about")


@require_POST
@worker_required
def password(request: HttpRequest, worker: Worker) -> HttpResponse:
    form = ChangedPassword(request.POST, worker=worker)
    if not form.is_valid():
        return _show(request, worker, sign_in=form)
    try:
        accounts.set_password(
            worker=worker,
            sign_in_name=form.cleaned_data["sign_in_name"],
            password=form.cleaned_data["password"],
            present=form.cleaned_data.get("present", ""),
            address=address_of(request),
            token=request.COOKIES.get(COOKIE, ""),
        )
    except login_throttle.TooManyFailures:
        return too_many(request, worker, wait_s=login_throttle.WINDOW_S)
    except accounts.WrongPassword as refusal:
        form.add_error("present", str(refusal))
        return _show(request, worker, sign_in=form)
    except RuleBroken as refusal:
        form.add_error("sign_in_name", str(refusal))
        return _show(request, worker, sign_in=form)
    return _saved("password")


@require_POST
@worker_required
def email(request: HttpRequest, worker: Worker) -> HttpResponse:
    form = MyEmail(request.POST, worker=worker, address="")
    if not form.is_valid():
        return _show(request, worker, email=form)
    try:
        proof = form.cleaned_data.get("proof", "")
        accounts.prove_password(worker=worker, present=proof, address=address_of(request))
    except login_throttle.TooManyFailures:
        return too_many(request, worker, wait_s=login_throttle.WINDOW_S)
    except accounts.WrongPassword as refusal:
        form.add_error("proof", str(refusal))
        return _show(request, worker, email=form)
    given, language = form.cleaned_data["email"], get_language() or ""
    email_addresses.give_address(worker=worker, address=given, language=language, now=clock.now())
    return _saved("email")


@require_POST
@worker_required
def messages_by_email(request: HttpRequest, worker: Worker) -> HttpResponse:
    email_addresses.choose_messages(worker=worker, wanted=request.POST.get("wanted") == "on")
    return _saved("messages")


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Keep the language that was chosen, with or without an account. Later e-mails are in it, too."""
    response = set_language(request)
    chosen, worker = request.POST.get("language", ""), find_worker(request)
    if worker and check_for_language(chosen):
        email_addresses.choose_language(worker=worker, language=chosen)
    return response


@require_POST
@worker_required
def send_link_again(request: HttpRequest, worker: Worker) -> HttpResponse:
    is_sent = email_addresses.send_link_again(worker=worker, now=clock.now())
    return _saved("sent" if is_sent else "enough")


@require_POST
@worker_required
def sign_out_everywhere(request: HttpRequest, worker: Worker) -> HttpResponse:
    accounts.sign_out_everywhere(worker=worker)
    response = redirect("marketplace:list")
    response.delete_cookie(COOKIE)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@worker_required
def erasure(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Ask for erasure in two steps: the first press explains once more, the second asks the operator."""
    if request.method == "POST" and request.POST.get("sure") == "yes":
        accounts.request_erasure(worker=worker, now=clock.now())
        return redirect("marketplace:erasure")
    return show(request, "erasure", worker, {"asks_again": request.method == "POST"})


@require_POST
@worker_required
def withdraw_erasure(request: HttpRequest, worker: Worker) -> HttpResponse:
    accounts.withdraw_erasure_request(worker=worker)
    return redirect("marketplace:erasure")


def _show(
    request: HttpRequest,
    worker: Worker,
    *,
    about: AboutMe | None = None,
    sign_in: ChangedPassword | None = None,
    email: MyEmail | None = None,
) -> HttpResponse:
    saved = request.GET.get("saved", "")
    mine = email_addresses.find_address(worker)
    known = (mine.unconfirmed or mine.address) if mine else ""
    context = {
        "mine": mine,
        "email": email or MyEmail(worker=worker, address=known),
        "has_emails": email_addresses.are_emails_sent(),
        "about": about or AboutMe(worker=worker),
        "sign_in": sign_in or ChangedPassword(worker=worker),
        "place": countries.name_place(worker.country, worker.subdivision),
        "sessions": worker.sessions.filter(expires_at__gt=clock.now()).count(),
        "saved": saved if saved in SAVED else "",
    }
    return show(request, "settings", worker, context, status=422 if about or sign_in or email else 200)


def _saved(what: str) -> HttpResponse:
    response = redirect("marketplace:settings")
    response["Location"] += f"?saved={what}"
    return response
