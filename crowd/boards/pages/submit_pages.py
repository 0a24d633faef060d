"""Pages of whoever was invited to submit models: the link in the address is the only authority."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from crowd.benchmarks.models import Benchmark
from crowd.benchmarks.released_items import has_rows
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.boards.models import Invitation, Submission
from crowd.boards.queries.board_tables import benchmarks_of, item_lines, visible_scores
from crowd.boards.services import board_links, submitting
from crowd.boards.services.board_links import LinkOver
from crowd.releases.services.file_downloads import download_name
from hits.common import linked_pages, rates
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import InvalidItems, RuleBroken
from hits.core.held_links import see_holder
from hits.core.signed_links import UnknownLink

MOST_BYTES = 32 * 1024 * 1024
# Files, good and bad, that one invitation may send within an hour: each is read to its end.
MOST_SENT = 30
WINDOW_S = 3600
SHOWN = 100


class SubmissionForm(forms.Form):
    name = forms.CharField(
        label="Name of the model", max_length=64, help_text="As it is to stand on the board."
    )
    about = forms.CharField(
        label="About it",
        required=False,
        max_length=500,
        widget=forms.Textarea({"rows": 3}),
        help_text="Who made it, what it was trained on, a paper or an address. The board shows this.",
    )
    file = forms.FileField(
        label="Predictions",
        help_text="CSV or JSON, as described below.",
        widget=forms.ClearableFileInput({"accept": ".csv,.jsonl,.json,text/csv"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise ValidationError(f"A file has at most {MOST_BYTES // 1_000_000} MB.")
        return file


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Whoever was invited, with the link that they hold."""

    invitation: Invitation
    token: str

    def address(self, name: str, *more: Any) -> str:
        return reverse(f"boards:{name}", args=[self.token, *more])

    def find(self, task: str) -> Benchmark:
        """Find a benchmark of the board. Raises Http404."""
        found = next((one for one in benchmarks_of(self.invitation.board) if one.task == task), None)
        if found is None:
            raise Http404
        return found


def at_desk(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Read the link for a view. Only its holder can post a form, and no cache on the way keeps the page."""

    @csrf_exempt
    @never_cache
    def shown(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponseBase:
        now = timezone.now()
        try:
            desk = Desk(invitation=board_links.read_token(token, now=now), token=token)
            see_holder(desk.invitation, now=now)
            response = _answer(view, request, desk, kwargs)
        except UnknownLink:
            response = render(request, "boards/unknown.html", status=403)
        except LinkOver:
            response = render(request, "boards/over.html", status=410)
        linked_pages.guard(response)
        return response

    return shown


@at_desk
@require_safe
def desk(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Show what can be submitted, and what was."""
    invitation = desk.invitation
    sent = invitation.submissions.select_related("result__benchmark__release")
    context = {
        "tasks": [(one, task_of(one)) for one in benchmarks_of(invitation.board)],
        "submissions": [_shown(one) for one in sent[:SHOWN]],
        "left": submitting.left_today(invitation, now=timezone.now()),
    }
    return _show(request, desk, "desk", context)


@at_desk
@require_safe
def items(request: HttpRequest, desk: Desk, task: str) -> HttpResponseBase:
    """Send the items of a task without their labels."""
    benchmark = desk.find(task)
    if not has_rows(benchmark.release, task_of(benchmark)):
        raise Http404
    answer = StreamingHttpResponse(item_lines(benchmark), content_type="application/jsonl; charset=utf-8")
    name = download_name(benchmark.release, f"{task}-items.jsonl")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@at_desk
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, desk: Desk, task: str) -> HttpResponseBase:
    """Show or take the form of a submission. The form's key makes two clicks one submission."""
    benchmark = desk.find(task)
    now = timezone.now()
    key = read_uuid(request.POST.get("key", "")) or uuid4()
    form = SubmissionForm(request.POST or None, request.FILES or None, label_suffix="")
    problems: list[str] = []
    if request.method == "POST":
        try:
            sent = _send(desk, benchmark, form, key=key)
        except InvalidItems as refusal:
            problems = refusal.problems
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            if sent:
                return redirect(desk.address("submission", sent.public_id))
    context = {
        "task": task_of(benchmark),
        "form": form,
        "key": key,
        "problems": problems,
        "left": submitting.left_today(desk.invitation, now=now),
    }
    return _show(request, desk, "submit", context, status=422 if request.method == "POST" else 200)


@at_desk
@require_safe
def submission(request: HttpRequest, desk: Desk, submission_id: UUID) -> HttpResponse:
    rows = desk.invitation.submissions.select_related("result__benchmark__release")
    found = rows.filter(public_id=submission_id).first()
    if found is None:
        raise Http404
    return _show(request, desk, "submission", _shown(found))


def _send(desk: Desk, benchmark: Benchmark, form: SubmissionForm, *, key: UUID) -> Submission | None:
    """Submit what was sent. None: the form says what is wrong. Raises RuleBroken or InvalidItems."""
    submitting.check_open(desk.invitation.board)
    if not rates.spend("boards.send", str(desk.invitation.public_id), most=MOST_SENT, window_s=WINDOW_S):
        raise RuleBroken("too_fast", "You have sent many files within an hour. Send this one later.")
    if not form.is_valid():
        return None
    return submitting.submit(
        invitation=desk.invitation, benchmark=benchmark, key=key, now=timezone.now(), **form.cleaned_data
    )


def _shown(submission: Submission) -> dict[str, Any]:
    result = submission.result
    return {
        "submission": submission,
        "result": result,
        "task": task_of(result.benchmark),
        "scores": list(visible_scores(result)),
    }


def _answer(
    view: Callable[..., HttpResponseBase], request: HttpRequest, desk: Desk, kwargs: Mapping[str, Any]
) -> HttpResponseBase:
    """Show the view, unless the board is closed or has no such thing."""
    if not desk.invitation.board.is_open:
        return _show(request, desk, "closed", {}, status=410)
    try:
        return view(request, desk, **kwargs)
    except Http404:
        return _show(request, desk, "missing", {}, status=404)


def _show(
    request: HttpRequest, desk: Desk, name: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    board = desk.invitation.board
    shared = {"desk": desk, "board": board, "release": board.release}
    return render(request, f"boards/{name}.html", {**shared, **context}, status=status)
