"""A study's address for its news: set, tried, and removed. The address and its key are never shown again."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from hits.admin.alerts.alert_forms import HookForm
from hits.admin.selection import need, signed_in
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.alerts.models import Alert, AlertHook, Kind
from hits.alerts.services.alert_choices import remove_hook, set_hook
from hits.alerts.services.alert_posts import SIGNATURE, read_target
from hits.alerts.services.queueing_alerts import queue_test
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from hits.work.access import studies_of

SETS = "hits.change_study"
SHOWN = 10

announce(
    StudyPage(
        name="Messages to a chat",
        tab=Tab.SETTINGS,
        permission=SETS,
        about="An address to which is sent what the staff of this study are told.",
        address=lambda study: reverse("admin:hits_alerts_hook", args=[study.pk]),
    )
)


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    below = "told/study/<int:study_id>"
    return [
        path(f"{below}/", view(hook_view), name="hits_alerts_hook"),
        path(f"{below}/test/", view(require_POST(try_hook_view)), name="hits_alerts_hook_test"),
        path(f"{below}/remove/", view(require_POST(remove_view)), name="hits_alerts_hook_remove"),
    ]


@sensitive_variables("secret")
def hook_view(request: HttpRequest, study_id: int) -> HttpResponse:
    """Show and set the address. A new key is shown in the answer, and never again."""
    study = _study(request, study_id)
    hook = AlertHook.objects.filter(study=study).first()
    form, secret = HookForm(request.POST or None, hook=hook), ""
    if form.is_valid() and (found := _set(request, study, form)):
        hook, secret = found
        if not secret:
            messages.success(request, "Kept.")
            return redirect("admin:hits_alerts_hook", study.pk)
        form = HookForm(hook=hook)
    context = {
        **admin.site.each_context(request),
        "title": f"Messages of {study} to a chat",
        "study": study,
        "hook": hook,
        "host": read_target(hook.address).netloc if hook else "",
        "form": form,
        "secret": secret,
        "header": SIGNATURE,
        "posted": _posted(hook) if hook else [],
    }
    status = 400 if form.is_bound and form.errors else 200
    return TemplateResponse(request, "admin/hits/alerts/hook.html", context, status=status)


def _set(request: HttpRequest, study: Study, form: HookForm) -> tuple[AlertHook, str] | None:
    given: dict[str, Any] = form.cleaned_data
    try:
        return set_hook(
            study=study,
            address=given["address"],
            kinds=[Kind(kind) for kind in given["kinds"]],
            is_on=given["is_on"],
            wants_new_secret=given.get("new_secret", False),
            by=signed_in(request),
            now=timezone.now(),
        )
    except RuleBroken as broken:
        form.add_error("address", str(broken))
        return None


def try_hook_view(request: HttpRequest, study_id: int) -> HttpResponse:
    study = _study(request, study_id)
    hook = get_object_or_404(AlertHook, study=study)
    try:
        queue_test(user=signed_in(request), hook=hook, now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, "A test message is posted within seconds. What became of it stands below.")
    return redirect("admin:hits_alerts_hook", study.pk)


def remove_view(request: HttpRequest, study_id: int) -> HttpResponse:
    study = _study(request, study_id)
    remove_hook(study=study, by=signed_in(request), now=timezone.now())
    messages.success(request, "The address is removed: nothing of this study is posted any more.")
    return redirect("admin:hits_alerts_hook", study.pk)


def _study(request: HttpRequest, study_id: int) -> Study:
    need(request, SETS)
    return get_object_or_404(studies_of(request.user), pk=study_id)


def _posted(hook: AlertHook) -> list[Alert]:
    return list(hook.alerts.select_related("occurrence").order_by("-pk")[:SHOWN])
