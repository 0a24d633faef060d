"""The pages below a project's own that all families have: settings, drafts of batches, more HITs."""

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from hits import families
from hits.admin.projects.project_base import ProjectPagesBase
from hits.admin.projects.project_batches import batches_of, items_wanting
from hits.admin.selection import signed_in
from hits.batches.services import drafting, top_up
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import RuleBroken
from hits.providers.models.accounts import Account
from hits.studies.models import Batch

DRAFT = "hits.add_batch"
STEER = "hits.steer_batch"


class DraftForm(forms.Form):
    account = forms.ModelChoiceField(
        queryset=Account.objects.none(), help_text="Where the work is posted and paid."
    )

    def __init__(self, data: Any, *, currency: str) -> None:
        super().__init__(data)
        account: Any = self.fields["account"]
        account.queryset = Account.objects.connected().filter(currency=currency).order_by("name")
        if account.queryset.count() == 1:
            account.initial = account.queryset.get()


def settings_view(pages: ProjectPagesBase[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, pages.permission("change"))
    form = pages.rules(request.POST or None, request.FILES or None, instance=project)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            form.save()
            pages.log_change(request, project, [{"changed": {"fields": form.changed_data}}])
        messages.success(request, "The settings were saved.")
        return redirect(pages.address(project))
    context = {"title": "Settings", "forms": [form], "button": "Save the settings"}
    return pages.render(request, "admin/hits/project_settings.html", context, project=project)


def draft_view(pages: ProjectPagesBase[Any], request: HttpRequest, pk: int, task: str) -> HttpResponse:
    """Draft a batch with the card's task and price, then go to the guide for its terms and launch."""
    project = pages.find(request, pk, pages.permission("change"), DRAFT)
    if not any(task in card.tasks for card in pages.cards_for(project, signed_in(request))):
        raise Http404
    family = families.get(task)
    form = DraftForm(request.POST or None, currency=project.study.currency)
    if request.method == "POST" and form.is_valid():
        try:
            draft = drafting.start_draft(
                study=project.study,
                task=task,
                by=signed_in(request),
                key=read_uuid(request.POST.get("key", "")),
                **form.cleaned_data,
            )
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            pages.keep_draft(project, draft)
            if "check" in request.POST:
                return redirect("admin:hits_batch_launch", draft.pk)
            messages.success(request, "The draft is made. Look at its terms and its people, then launch it.")
            return redirect("admin:hits_batch_step", draft.pk, "terms")
    batches = batches_of(project.study_id, [task])
    context = {
        "title": f"Launch: {family.name}",
        "family": family,
        "terms": drafting.first_terms(task, study=project.study),
        "items": items_wanting(project.study_id, [task]).count(),
        "running": pages.growing_batch(project, task, batches),
        "form": form,
        "key": request.POST.get("key") or str(uuid4()),
    }
    return pages.render(request, "admin/hits/project_draft.html", context, project=project)


def grow_view(pages: ProjectPagesBase[Any], request: HttpRequest, pk: int, batch: Any) -> HttpResponse:
    """Add as many HITs as the open answers still need."""
    project = pages.find(request, pk, pages.permission("change"), STEER)
    chosen = get_object_or_404(Batch, public_id=batch, study=project.study_id)
    if request.method == "POST":
        try:
            count = top_up.grow_batch(batch=chosen, by=signed_in(request), now=timezone.now())
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, f"HITs added: {count}.")
    return redirect(pages.address(project))
