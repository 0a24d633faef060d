"""The endpoint of boto3's SNS client: signature, form, action, answer. The keys are those of the API."""

import structlog
from django.http import HttpRequest, HttpResponse

from crowd.marketplace import clock
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import BodyTooLarge, SignatureRefused, Throttled, TopicRefused
from crowd.marketplace.sns.actions import ACTIONS, Call
from crowd.marketplace.sns.documents import read_form, write_answer, write_error
from crowd.marketplace.wire import admit

SERVICE = "sns"
MUST_SIGN = frozenset({"host", "x-amz-date"})
VERSION = "2010-03-31"
FORM = "application/x-www-form-urlencoded"
CODES = {
    "MissingAuthenticationTokenException": "MissingAuthenticationToken",
    "UnrecognizedClientException": "InvalidClientTokenId",
    "InvalidSignatureException": "SignatureDoesNotMatch",
}
log = structlog.get_logger()


def is_meant(request: HttpRequest) -> bool:
    """Whether this request speaks the query protocol; the Requester API names its target in a header."""
    return request.content_type == FORM and "X-Amz-Target" not in request.headers


def api(request: HttpRequest) -> HttpResponse:
    """Answer one signed call in one transaction: an error leaves nothing behind."""
    try:
        return _call(request)
    except SignatureRefused as refusal:
        error = TopicRefused(refusal.message, code=CODES[refusal.kind], status=403)
    except BodyTooLarge as refusal:
        error = TopicRefused(refusal.message, code="RequestEntityTooLarge", status=refusal.status)
    except Throttled as refusal:
        error = TopicRefused(refusal.message, code="Throttling")
    except TopicRefused as refusal:
        error = refusal
    log.info("marketplace.topics.refused", code=error.code)
    return write_error(error.message, code=error.code, status=error.status)


def fault() -> HttpResponse:
    """The answer to an unforeseen error: the caller may ask again, and boto3 does so by itself."""
    return write_error(
        "The service failed. Nothing was changed; try again.", code="InternalFailure", status=500
    )


def _call(request: HttpRequest) -> HttpResponse:
    key = admit(request, service=SERVICE, must_sign=MUST_SIGN)
    form = read_form(request)
    name = form.get("Action", "")
    if name not in ACTIONS or form.get("Version", VERSION) != VERSION:
        raise TopicRefused(
            f"There is no such action; the marketplace knows {', '.join(ACTIONS)}.", code="InvalidAction"
        )
    with atomic():
        return write_answer(name, ACTIONS[name](Call(requester=key.requester, form=form, now=clock.now())))
