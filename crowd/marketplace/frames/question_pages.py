"""A QuestionForm as a page: that of a HIT, of its preview, or of a qualification's test."""

from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from crowd.marketplace.frames import addresses
from crowd.marketplace.frames.policies import guard_form
from crowd.marketplace.models import HIT, Assignment, QualificationRequest
from crowd.marketplace.questions import form_context, read_form
from crowd.marketplace.questions.filled_forms import FilledAnswer

NOTHING: Mapping[str, FilledAnswer] = {}
NO_PROBLEMS: Mapping[str, str] = {}


def show_preview(request: HttpRequest, hit: HIT) -> HttpResponse:
    context = form_context(
        read_form(hit.question),
        NOTHING,
        NO_PROBLEMS,
        f"{settings.MARKETPLACE_URL}{addresses.SUBMIT_PATH}",
        preview=True,
        title=hit.hit_type.title,
    )
    return _show(request, context)


def show_work(
    request: HttpRequest,
    assignment: Assignment,
    *,
    values: Mapping[str, FilledAnswer] = NOTHING,
    problems: Mapping[str, str] = NO_PROBLEMS,
) -> HttpResponse:
    """Show the form: empty, or again with the worker's entries and their problems."""
    context = form_context(
        read_form(assignment.hit.question),
        values,
        problems,
        f"{addresses.submit_to(assignment)}{addresses.SUBMIT_PATH}",
        preview=False,
        title=assignment.hit.hit_type.title,
        hidden={"assignmentId": assignment.external_id},
    )
    return _show(request, context)


def show_test(
    request: HttpRequest,
    test: QualificationRequest,
    *,
    values: Mapping[str, FilledAnswer] = NOTHING,
    problems: Mapping[str, str] = NO_PROBLEMS,
) -> HttpResponse:
    context = form_context(
        read_form(test.type.test),
        values,
        problems,
        addresses.test_submit_url(test),
        preview=False,
        title=test.type.plain_name,
    )
    return _show(request, context)


def _show(request: HttpRequest, context: Mapping[str, object]) -> HttpResponse:
    """Guard the page wherever it is sent from: the worker site itself answers a form with problems."""
    status = 422 if context["problems"] else 200
    return guard_form(render(request, "marketplace/content/form.html", dict(context), status=status))
