"""Writing to workers: a draft, then a preview, and only then the message."""

from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import ngettext

from hits.admin.selection import carried, opts_of, selected_workers, signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.people.models import Message
from hits.people.queries.worker_record import count_reviewed
from hits.people.services import worker_letters
from hits.people.services.worker_letters import LONGEST_TEXT
from hits.studies.models import Study
from hits.work.access import studies_of


class LetterForm(forms.Form):
    study = forms.ModelChoiceField(
        Study.objects.none(),
        required=False,
        empty_label="No study",
        help_text="Whose members see the message, beside you.",
    )
    subject = forms.CharField(
        widget=forms.TextInput(attrs={"maxlength": worker_letters.LONGEST_SUBJECT, "class": "vTextField"})
    )
    text = forms.CharField(
        widget=forms.Textarea(
            attrs={"maxlength": worker_letters.LONGEST_TEXT, "rows": 10, "class": "vLargeTextField"}
        ),
        help_text=f"At most {LONGEST_TEXT} characters. Workers know you by the requester’s name "
        "only: say who you are and how to answer.",
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["study"].queryset = studies_of(request.user).order_by("name")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if {"subject", "text"} <= set(cleaned):
            try:
                letter = worker_letters.read_letter(subject=cleaned["subject"], text=cleaned["text"])
                cleaned["subject"], cleaned["text"] = letter
            except RuleBroken as broken:
                self.add_error(broken.code, str(broken))
        return cleaned


def compose_view(request: HttpRequest) -> HttpResponse:
    """Draft, preview, send: the form carries everything, so that nothing is lost on the way."""
    _require(request)
    given = request.POST if request.method == "POST" else request.GET
    workers = selected_workers(request, given.get("workers", ""))
    if refused := _refuse_selection(request, workers):
        return refused
    step = request.POST.get("step", "")
    form = LetterForm(request.POST, request=request) if step else None
    if form and form.is_valid():
        if step == "preview":
            return _show(request, workers, form=form, template="preview", draft=uuid4())
        if step == "send":
            return _send(request, workers, form)
    return _show(request, workers, form=form or LetterForm(request=request), template="compose")


def show_compose(request: HttpRequest, workers: QuerySet[Worker]) -> HttpResponse:
    """Show an empty draft to a selection of workers."""
    _require(request)
    refused = _refuse_selection(request, workers)
    return refused or _show(request, workers, form=LetterForm(request=request), template="compose")


def _refuse_selection(request: HttpRequest, workers: QuerySet[Worker]) -> HttpResponse | None:
    """Refuse a selection unless it has at least one worker, and all of one account."""
    accounts = set(workers.order_by().values_list("account", flat=True))
    if len(accounts) == 1:
        return None
    if accounts:
        messages.error(request, "Choose workers of one account: filter the list by it. Nothing was written.")
    else:
        messages.error(request, "Choose at least one worker to write to.")
    return redirect("admin:hits_worker_changelist")


def _send(request: HttpRequest, workers: QuerySet[Worker], form: LetterForm) -> HttpResponse:
    rows = list(workers)
    try:
        message = worker_letters.write_message(
            account=rows[0].account,
            workers=rows,
            **form.cleaned_data,
            by=signed_in(request),
            now=timezone.now(),
            public_id=_read_draft(request),
        )
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return _show(request, workers, form=form, template="compose")
    words = ngettext("On its way to %d worker.", "On its way to %d workers.", len(rows)) % len(rows)
    messages.success(request, words)
    return redirect("admin:hits_message_change", message.pk)


def _read_draft(request: HttpRequest) -> UUID | None:
    """The draft's key: a draft that is confirmed twice is sent once."""
    try:
        return UUID(request.POST.get("draft", ""))
    except ValueError:
        return None


def _show(
    request: HttpRequest,
    workers: QuerySet[Worker],
    *,
    form: LetterForm,
    template: str,
    draft: UUID | None = None,
) -> HttpResponse:
    rows = list(workers)
    context = {
        **admin.site.each_context(request),
        "opts": opts_of(Message),
        "title": "Send this message?" if draft else "Write to workers",
        "workers": rows,
        "carried": carried(rows),
        "account": rows[0].account,
        "unreviewed": len(rows) - count_reviewed(workers),
        "form": form,
        "draft": draft,
    }
    return TemplateResponse(request, f"admin/hits/message/{template}.html", context)


def _require(request: HttpRequest) -> None:
    if not request.user.has_perms(["hits.send_message", "hits.view_worker"]):
        raise PermissionDenied
