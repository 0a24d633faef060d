"""The pages of a preview: those before the work, the work, and what would have been handed in."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from csp.constants import SELF
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from crowd.frame.answer_reading import read_or_ask_again
from crowd.frame.framed_pages import explain, show
from crowd.frame.person import PersonForm
from crowd.frame.previews.preview_tokens import Preview, read_preview, write_preview
from crowd.frame.previews.preview_work import PreviewWork, begin_work, find_batch, thrown_away
from crowd.frame.question_pages import show_practice
from hits.core.errors import CrowdError
from hits.families import TaskPage
from hits.studies.models import Batch
from hits.work.services import leasing
from qualifications.queries.consents import published_text

# The instance of the frame's addresses to which the pages of a preview lead.
NAMESPACE = "frame_preview"
LISTING, CONSENT, PERSON, ENGLISH, WORK = "listing", "consent", "person", "english", "work"
Shown = Callable[[HttpRequest, PreviewWork], HttpResponse]


def previewed(view: Shown) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """Wrap a view of a preview: only our own pages may frame it, and everything it writes is undone."""

    @csrf_exempt
    @never_cache
    @xframe_options_sameorigin
    def shown(request: HttpRequest, hit_id: UUID) -> HttpResponse:
        try:
            response = _show(view, request, hit_id, now=timezone.now())
        except CrowdError as problem:
            response = explain(request, problem)
        response["Content-Security-Policy"] = build_policy(replace={"frame-ancestors": [SELF]})
        response["Referrer-Policy"] = "no-referrer"
        return response

    return shown


def _show(view: Shown, request: HttpRequest, key: UUID, *, now: datetime) -> HttpResponse:
    sent = request.POST if request.method == "POST" else request.GET
    preview = read_preview(sent.get("token", ""), key=key, now=now)
    batch = find_batch(preview)
    with translation.override(batch.study.language), thrown_away():
        return view(request, begin_work(preview, batch, now=now))


def parts_of(batch: Batch) -> list[str]:
    """The pages that a new worker meets, in their order."""
    text = published_text(batch.study)
    meets = {
        LISTING: True,
        CONSENT: text is not None,
        PERSON: text is not None and text.asks_demographics,
        ENGLISH: batch.english_speakers,
        WORK: True,
    }
    return [part for part, is_met in meets.items() if is_met]


@require_GET
@previewed
def question(request: HttpRequest, work: PreviewWork) -> HttpResponse:
    part = request.GET.get("part", WORK)
    if part == LISTING:
        return show_practice(request, work.batch, thrown_away=True)
    if part in (CONSENT, PERSON, ENGLISH) and part in parts_of(work.batch):
        return _show_before(request, work, part)
    if not work.items:
        return show(request, "frame/preview_empty.html", {})
    task = leasing.family_of_batch(work.batch)
    return _show_work(request, work, task.work_page(assignment=work.assignment, items=work.items))


@require_POST
@previewed
def answer(request: HttpRequest, work: PreviewWork) -> HttpResponse:
    """Read the answer as that of a worker is read, and show what would have been stored."""
    task, assignment, items = leasing.family_of_batch(work.batch), work.assignment, work.items
    read = read_or_ask_again(task, form=request.POST, assignment=assignment, items=items)
    if isinstance(read, TaskPage):
        return _show_work(request, work, read, status=400)
    assignment.answer = dict(read)
    page = task.review_page(assignment=assignment, items=items)
    context = {**page.context, "page_template": page.template, "again": _address(work.preview, WORK)}
    return show(request, "frame/preview_answered.html", context)


@require_POST
@previewed
def passed(request: HttpRequest, work: PreviewWork) -> HttpResponse:
    """Lead on from a page before the work; neither a consent nor anything about a person is recorded."""
    parts = parts_of(work.batch)
    part = request.GET.get("part", "")
    following = parts[parts.index(part) + 1] if part in parts[:-1] else WORK
    context = {"again": _address(work.preview, part or WORK), "on": _address(work.preview, following)}
    return show(request, "frame/preview_passed.html", context)


def _show_before(request: HttpRequest, work: PreviewWork, part: str) -> HttpResponse:
    context = {
        "text": published_text(work.batch.study),
        "form": PersonForm(),
        "assignment": work.assignment,
        "action": f"{reverse(f'{NAMESPACE}:passed', args=[work.preview.key])}?part={part}",
        "consent_token": write_preview(work.preview),
        "thrown_away": True,
    }
    return show(request, f"frame/{part}.html", context)


def _show_work(request: HttpRequest, work: PreviewWork, page: TaskPage, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        **page.context,
        "token": write_preview(shown_by(work)),
        "hit": work.assignment.hit,
        "assignment": work.assignment,
        "thrown_away": True,
    }
    return show(request, page.template, context, status=status)


def shown_by(work: PreviewWork) -> Preview:
    """The preview, with the items that its page shows."""
    return replace(work.preview, items=[item.pk for item in work.items])


def _address(preview: Preview, part: str) -> str:
    """The address of a page of this preview, as it was before anything was put to the rival."""
    token = write_preview(replace(preview, proposals=()))
    return f"{reverse(f'{NAMESPACE}:question', args=[preview.key])}?part={part}&token={token}"
