from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from hits import families, queries
from hits.admin.parts import in_words
from hits.errors import CrowdError
from hits.gateway import provider_for
from hits.models import Account, Batch, Study
from hits.services import launching
from hits.tasks import launch_batches, nudge


def clean_list(form: forms.ModelForm[Any], name: str) -> list[Any]:
    """An emptied box means an empty list; JSON's null would not fit the column."""
    value: list[Any] = form.cleaned_data[name] or []
    return value


class StudyForm(forms.ModelForm[Study]):
    def clean_bonus_rules(self) -> list[Any]:
        return clean_list(self, "bonus_rules")


class BatchForm(forms.ModelForm[Batch]):
    task = forms.ChoiceField(help_text="What the workers do.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "task" in self.fields:
            choices = [(key, family.name) for key, family in families.registered().items()]
            self.fields["task"].choices = choices  # type: ignore[attr-defined]

    def clean_requirements(self) -> list[Any]:
        return clean_list(self, "requirements")


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin[Study]):
    form = StudyForm
    list_display = ("name", "lab", "language", "time_zone", "grant_code", "created_at")
    search_fields = ("name", "lab", "grant_code")


@admin.register(Batch)
class BatchAdmin(admin.ModelAdmin[Batch]):
    form = BatchForm
    list_display = ("title", "study", "account", "status", "filled", "launched_at", "next_step")
    list_filter = ("status", "study", "account")
    search_fields = ("title", "study__name")
    ordering = ("-pk",)
    fieldsets = (
        (None, {"fields": ("study", "account", "task", "status_in_words")}),
        ("What workers read", {"fields": ("title", "description", "keywords")}),
        (
            "Terms",
            {
                "fields": (
                    "reward",
                    ("hits_wanted", "assignments_per_hit", "items_per_assignment"),
                    ("duration_s", "lifetime_s", "auto_approval_s"),
                    "requirements",
                )
            },
        ),
    )

    def get_urls(self) -> list[URLPattern]:
        launch = self.admin_site.admin_view(self.launch_view)
        return [path("<int:batch_id>/launch/", launch, name="hits_batch_launch"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Batch]:
        return queries.batches_with_counts()

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Batch | None:
        """Saving writes every column, so a draft being launched at this moment is waited for."""
        if request.method == "POST":
            Batch.objects.select_for_update(of=("self",)).filter(pk=object_id).first()
        return super().get_object(request, object_id, from_field)

    def get_readonly_fields(self, request: HttpRequest, obj: Batch | None = None) -> list[str]:
        """What has been launched was promised to workers: nothing of it changes any more."""
        launched = obj is not None and obj.status != Batch.Status.DRAFT
        terms = [field.name for field in Batch._meta.fields if field.editable] if launched else []
        return ["status_in_words", *terms]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A sensible draft: the only account and the newest study, with the task's own words."""
        family = next(iter(families.registered().values()))
        accounts = list(Account.objects.order_by("-pk")[:2])
        return {
            "account": accounts[0].pk if len(accounts) == 1 else None,
            "study": Study.objects.order_by("-pk").values_list("pk", flat=True).first(),
            "task": family.key,
            "title": family.title,
            "description": family.description,
            "reward": "0.03",
            **super().get_changeform_initial_data(request),
        }

    def has_delete_permission(self, request: HttpRequest, obj: Batch | None = None) -> bool:
        draft = obj is not None and obj.status == Batch.Status.DRAFT
        return draft and super().has_delete_permission(request, obj)

    def response_add(self, request: HttpRequest, obj: Batch, *args: Any) -> HttpResponse:
        """A saved draft leads straight to its launch page, unless another button was pressed."""
        if {"_continue", "_addanother"} & set(request.POST) or not self._may_launch(request):
            return super().response_add(request, obj, *args)
        return redirect("admin:hits_batch_launch", obj.pk)

    def launch_view(self, request: HttpRequest, batch_id: int) -> HttpResponse:
        """Whoever may see batches sees it; launching takes a permission of its own."""
        batch = get_object_or_404(Batch.objects.select_related("study", "account"), pk=batch_id)
        may_launch = self._may_launch(request)
        if not (may_launch if request.method == "POST" else self.has_view_permission(request, batch)):
            raise PermissionDenied
        if request.method == "POST":
            return self._launch(request, batch)
        if "progress" in request.GET:
            return TemplateResponse(request, "admin/hits/progress.html", _progress_context(batch))
        context = {**self.admin_site.each_context(request), **_launch_context(batch)}
        context["can_launch"] = may_launch and context["can_launch"]
        return TemplateResponse(request, "admin/hits/launch.html", context)

    def _launch(self, request: HttpRequest, batch: Batch) -> HttpResponse:
        try:
            launching.launch_batch(batch=batch, by=request.user, now=timezone.now())  # type: ignore[arg-type]
        except CrowdError as error:
            messages.error(request, str(error))
        else:
            nudge(launch_batches)
            messages.success(
                request,
                ngettext(
                    "Launched: %d HIT is on its way.",
                    "Launched: %d HITs are on their way.",
                    batch.hits_wanted,
                )
                % batch.hits_wanted,
            )
        return redirect("admin:hits_batch_launch", batch.pk)

    def _may_launch(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.launch_batch")

    @admin.display(description="status")
    def status_in_words(self, batch: Batch) -> str:
        return f"{batch.get_status_display()}. {batch.problem}".strip()

    @admin.display(description="filled")
    def filled(self, batch: Batch) -> str:
        return f"{batch.submitted} of {batch.places}"  # type: ignore[attr-defined]

    @admin.display(description="next step")
    def next_step(self, batch: Batch) -> SafeString:
        words = {"draft": "Check and launch", "paused": "See why", "paused_funds": "See why"}
        address = reverse("admin:hits_batch_launch", args=[batch.pk])
        return format_html('<a href="{}">{}</a>', address, words.get(batch.status, "Progress"))


def _progress_context(batch: Batch) -> dict[str, Any]:
    """What changes while the batch runs, and after: money moves when the work is long done."""
    progress = queries.progress_of(batch)
    return {
        "batch": batch,
        "family": families.get(batch.task),
        "progress": progress,
        "is_running": batch.status in ("launching", "open") or progress.is_unsettled,
    }


def _launch_context(batch: Batch) -> dict[str, Any]:
    return {
        **_progress_context(batch),
        "title": "Launch" if batch.status == Batch.Status.DRAFT else "Batch",
        "cost": batch.cost,
        "answers_wanted": families.get(batch.task).answers_wanted(study=batch.study),
        "duration": in_words(batch.duration_s),
        "lifetime": in_words(batch.lifetime_s),
        "can_launch": batch.status in ("draft", "paused", "paused_funds"),
        **_read_balance(batch),
    }


def _read_balance(batch: Batch) -> dict[str, Any]:
    """The provider's word, or why there is none: the page is useful either way."""
    try:
        balance = provider_for(batch.account).get_balance()
    except CrowdError as error:
        return {"balance": None, "balance_problem": str(error)}
    return {"balance": balance, "is_covered": balance >= batch.cost.total}
