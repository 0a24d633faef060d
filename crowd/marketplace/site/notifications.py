"""Pages for receivers of notifications. Only the confirmation changes anything."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_safe

from crowd.marketplace import clock
from crowd.marketplace.errors import TopicRefused
from crowd.marketplace.models import SigningKey
from crowd.marketplace.services import topics
from crowd.marketplace.sns.documents import write_answer, write_error

HOW_TO_STOP = (
    "These notifications belong to a HIT type. Its requester stops them through the API: call "
    "UpdateNotificationSettings with Active=false, or Unsubscribe if they come from a topic.\n"
)


@require_safe
@cache_control(public=True, max_age=86_400)
def certificate(request: HttpRequest, number: int) -> HttpResponse:
    """The certificate that checks a post's signature (SigningCertURL)."""
    key = get_object_or_404(SigningKey, pk=number)
    return HttpResponse(key.certificate, content_type="application/x-pem-file")


@require_GET
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm a subscription (SubscribeURL); only the subscribed address was ever sent the token."""
    try:
        subscription = topics.confirm_subscription(token=token, now=clock.now())
    except TopicRefused as refusal:
        return write_error(refusal.message, code=refusal.code, status=refusal.status)
    return write_answer("ConfirmSubscription", {"SubscriptionArn": subscription.arn})


@require_safe
def unsubscribe(request: HttpRequest) -> HttpResponse:
    """The address that the format demands (UnsubscribeURL). A link alone must not silence notifications."""
    return HttpResponse(HOW_TO_STOP, content_type="text/plain; charset=utf-8")
