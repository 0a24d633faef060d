"""The address where a qualification's test sends its answers. The signed path counts, no cookie does."""

from csp.constants import SELF
from csp.utils import build_policy
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.marketplace import clock, frames, seals
from crowd.marketplace.models import QualificationRequest
from crowd.marketplace.questions.filled_forms import find_problems, read_given, write_given
from crowd.marketplace.questions.form import read_form
from crowd.marketplace.services.qualifying.qualification_requests import (
    NotAskable,
    refuse_if_over,
    submit_test,
)


@csrf_exempt
@require_POST
@xframe_options_sameorigin
def submit(request: HttpRequest, signed: str) -> HttpResponse:
    """Take the answers of a test. Only the test page's frame may show the result."""
    try:
        test = _find(signed)
        refuse_if_over(test, now=clock.now())
        return _take(request, test)
    except NotAskable as refusal:
        context = {"reason": refusal}
        return _guard(render(request, "marketplace/qualification_refused.html", context, status=409))


def _take(request: HttpRequest, test: QualificationRequest) -> HttpResponse:
    """Submit the test. A form with mistakes is shown again as it was filled in; the time goes on."""
    form = read_form(test.type.test)
    given = read_given(form, dict(request.POST.lists()), files={})
    if problems := find_problems(form, given):
        return frames.show_test(request, test, values=given, problems=problems)
    answer = write_given(form, given, key_prefix=test.external_id)
    submit_test(request_id=test.pk, answer=answer, now=clock.now())
    return _guard(render(request, "marketplace/qualification_submitted.html"))


def _find(signed: str) -> QualificationRequest:
    try:
        external_id = seals.read_submit(signed).get("test")
    except signing.BadSignature:
        external_id = None
    test = QualificationRequest.objects.select_related("type").filter(external_id=external_id or "").first()
    if not test:
        raise NotAskable(_("This address is not valid. Open the test from your qualifications."))
    return test


def _guard(response: HttpResponse) -> HttpResponse:
    response["Content-Security-Policy"] = build_policy(replace={"frame-ancestors": [SELF]})
    return response
