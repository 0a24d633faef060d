"""Addresses that providers post events to. Only the signature is believed, and no refusal is explained."""

import re
from collections.abc import Callable
from uuid import UUID

import structlog
from cryptography.fernet import InvalidToken
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from hits.providers.gateway import signatures
from hits.providers.models.accounts import Account
from hits.sync.domain import LONGEST, read_object
from hits.sync.services import event_inbox

LENGTH = re.compile(r"[0-9]{1,9}", re.ASCII)
log = structlog.get_logger()
Receive = Callable[[HttpRequest, Account], None]


def door(receive: Receive) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """Make a view that answers by the status alone. A repeated post is accepted, so that it ends."""

    @csrf_exempt
    @require_POST
    def posted(request: HttpRequest, account_id: UUID) -> HttpResponse:
        length = LENGTH.fullmatch(request.META.get("CONTENT_LENGTH") or "0")
        if not length or int(length[0]) > LONGEST:
            return _answer(413)
        account = Account.objects.filter(public_id=account_id).first()
        if account is None:
            return _answer(404)
        try:
            _unsealed(receive, request, account)
        except signatures.Forged as problem:
            return _refuse(account, str(problem), status=403)
        except signatures.Unfetched as problem:
            return _refuse(account, str(problem), status=503)
        except ValueError as problem:
            return _refuse(account, str(problem), status=400)
        return _answer(200)

    return posted


@door
def webhook(request: HttpRequest, account: Account) -> None:
    """Receive a document that is signed with the account's ticket key."""
    now = timezone.now()
    header = request.headers.get("X-Marketplace-Signature", "")
    signatures.check_post(header=header, body=request.body, account=account, now=now)
    event_inbox.receive(account=account, document=request.body.decode(), now=now)


@door
def hook(request: HttpRequest, account: Account) -> None:
    """Receive an event of a provider that gave us a secret. It says only that there is something to see."""
    now, headers = timezone.now(), request.headers
    signatures.check_hook(
        signature=headers.get("X-Prolific-Request-Signature", ""),
        timestamp=headers.get("X-Prolific-Request-Timestamp", ""),
        body=request.body,
        account=account,
        now=now,
    )
    event_inbox.receive_hook(
        account=account,
        event_id=headers.get("X-Event-ID", ""),
        submission=str(read_object(request.body.decode()).get("resource_id", "")),
        now=now,
    )


@door
def topic(request: HttpRequest, account: Account) -> None:
    """Receive a document in an SNS message, or the request to confirm a subscription."""
    now = timezone.now()
    if account.notify_by != Account.Notify.SNS:
        raise signatures.Forged("this account has no topic")  # and nobody makes us fetch a certificate
    message = read_object(request.body.decode())
    signatures.check_topic_message(message, account=account, now=now)
    if message["Type"] == "SubscriptionConfirmation":
        signatures.confirm_subscription(message, account=account)
    elif message["Type"] == "Notification":
        event_inbox.receive(account=account, document=message["Message"], now=now)


def _unsealed(receive: Receive, request: HttpRequest, account: Account) -> None:
    try:
        receive(request, account)
    except InvalidToken:
        raise signatures.Unfetched("the account's key cannot be decrypted") from None


def _refuse(account: Account, reason: str, *, status: int) -> HttpResponse:
    log.warning("inbox.refused", account=str(account.public_id), reason=reason, status=status)
    return _answer(status)


def _answer(status: int) -> HttpResponse:
    return JsonResponse({"ok": status == 200}, status=status)


urlpatterns = [
    path("<uuid:account_id>/webhook/", webhook, name="inbox_webhook"),
    path("<uuid:account_id>/hook/", hook, name="inbox_hook"),
    path("<uuid:account_id>/sns/", topic, name="inbox_topic"),
]
