"""Consent texts in the admin: drafts, the preview as workers read it, publishing, and withdrawals."""

from datetime import date
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import floatformat, pluralize
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.data.purge_pages import suggest_from
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, read_number
from hits.admin.selection import PAGE, signed_in
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.studies.models import Study
from hits.work.access import studies_of
from qualifications.admin.demographics import COUNTS, ON_REQUEST, file_view, people_view
from qualifications.admin.finding_gates import find_study
from qualifications.domain.named_dates import last_day_in
from qualifications.models import ConsentText
from qualifications.queries.consents import versions_of, withdrawals_of
from qualifications.services import consenting

VIEW, PUBLISH = "qualifications.view_consenttext", "qualifications.publish_consenttext"


class DraftForm(forms.ModelForm[ConsentText]):
    class Meta:
        model = ConsentText
        fields = ("title", "text", "asks_demographics")
        widgets = {
            "title": forms.TextInput({"size": 60}),
            "text": forms.Textarea({"rows": 18, "cols": 80}),
        }
        help_texts = {
            "title": "The heading of the page, such as “About this study”.",
            "text": "Say who asks and what for, what is recorded, who will see it, that it can be taken back "
            "on the page “Your work and your pay”, and whom to write to. Plain text; an empty line begins "
            "a new paragraph.",
            "asks_demographics": "Age, gender, education and native language, once for each worker. Every "
            "question may be declined. Workers read that only figures about five or more people are ever "
            "shown to anybody: you get counts and means of groups, and no answer beside one person's work.",
        }


@admin.register(ConsentText)
class ConsentTextAdmin(ReadOnlyAdmin[ConsentText]):
    menu = MenuPlace(Section.PEOPLE, 5)
    nothing_yet = (
        "Workers are asked to agree to a text once one is published. Write it on the page “Consent” of a "
        "study."
    )
    list_display = ("title", "study", "version", "published_at", "asks_demographics")
    list_filter = (("study", VisibleStudies),)
    list_select_related = ("study",)
    search_fields = ("title",)
    ordering = ("-pk",)
    show_full_result_count = False
    change_list_template = "admin/qualifications/consent/list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ConsentText]:
        return super().get_queryset(request).filter(study__in=studies_of(request.user)).defer("text")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("study/<int:pk>/", shown(self.study_view), name="qualifications_consent"),
            path("study/<int:pk>/draft/", shown(self.draft_view), name="qualifications_consent_draft"),
            path("study/<int:pk>/taken-back/", shown(self.withdrawn_view), name="qualifications_withdrawn"),
            path("study/<int:pk>/people/", shown(partial(people_view, self)), name="qualifications_people"),
            path(
                "study/<int:pk>/people/<slug:name>.<slug:form>",
                shown(file_view),
                name="qualifications_people_file",
            ),
            path(
                "study/<int:pk>/count/", shown(ON_REQUEST.view("count")), name="qualifications_count_people"
            ),
            path("study/<int:pk>/erase/", shown(ON_REQUEST.view("erase")), name="qualifications_erase"),
            path("study/<int:pk>/let-in/", shown(ON_REQUEST.view("lift")), name="qualifications_lift"),
            path("<int:pk>/publish/", shown(self.publish_view), name="qualifications_consent_publish"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "title": "Consent texts"})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show one version as workers read it."""
        text = self._find(request, read_number(object_id))
        counted = versions_of(text.study).get(pk=text.pk)
        context = {"title": f"Version {text.version}", "text": counted, "study": text.study}
        return self._render(request, "one", {**context, "may_publish": self._may_publish(request)})

    def study_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        study = find_study(request, pk, VIEW)
        versions = list(versions_of(study).defer("text"))
        published = [one for one in versions if one.published_at]
        context = {
            "title": f"Consent for {study}",
            "study": study,
            "draft": next((one for one in versions if one.published_at is None), None),
            "current": published[0] if published else None,
            "published": published,
            "may_publish": self._may_publish(request),
        }
        return self._render(request, "study", context)

    def draft_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Edit the one draft, or a new one that starts from the version in force."""
        study = find_study(request, pk, VIEW, PUBLISH)
        latest = ConsentText.objects.filter(study=study).order_by("-version").first()
        form = DraftForm(request.POST or None, instance=None, initial=_values(latest), label_suffix="")
        if request.method != "POST" or not form.is_valid():
            title = "Change the draft" if latest and latest.published_at is None else "Write a new version"
            context = {"title": title, "study": study, "form": form}
            return self._render(request, "draft", context, status=422 if form.errors else 200)
        by, now = signed_in(request), timezone.now()
        draft = consenting.write_draft(study=study, **form.cleaned_data, by=by, now=now)
        messages.success(request, "The draft is saved. No worker sees it before you publish it.")
        return redirect("admin:qualifications_consenttext_change", draft.pk)

    def publish_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Publish after a confirmation: the version never changes, and every worker is asked to agree."""
        pages = ActionPages(
            actions={"publish": PUBLISHING},
            find=lambda request, pk: [self._find(request, pk)],
            back=lambda texts: reverse("admin:qualifications_consenttext_change", args=[texts[0].pk]),
            base="admin/qualifications/consent/base.html",
            shared=lambda texts: {"opts": self.opts, "study": texts[0].study},
        )
        return pages.answer(request, "publish", pk=pk)

    def withdrawn_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        study = find_study(request, pk, VIEW)
        page = Paginator(withdrawals_of(study), PAGE).get_page(request.GET.get("page"))
        return self._render(request, "withdrawn", {"title": "Withdrawals", "study": study, "page": page})

    def _find(self, request: HttpRequest, pk: int | None) -> ConsentText:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if pk is None:
            raise Http404("There is no such text.")
        texts = ConsentText.objects.filter(study__in=studies_of(request.user)).select_related("study")
        return get_object_or_404(texts, pk=pk)

    def _may_publish(self, request: HttpRequest) -> bool:
        return request.user.has_perm(PUBLISH)

    def _render(
        self, request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
    ) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        template = f"admin/qualifications/consent/{name}.html"
        return TemplateResponse(request, template, {**shared, **context}, status=status)


def _ask_to_publish(call: Call[ConsentText]) -> Confirm:
    text = call.row
    agreed = sum(one.agreed for one in versions_of(text.study)[1:2])
    before = (
        f", also the {floatformat(agreed, '0g')} who agree{pluralize(agreed, 's,')} to the version before"
    )
    asked = "Workers who were not asked about themselves in any study are then asked four questions."
    return Confirm(
        title=f"Publish version {text.version}?",
        detail="admin/qualifications/consent/preview.html",
        details={"text": text},
        consequences=[
            f"From now on every worker who opens work of this study is asked to agree{before}.",
            "Work that was begun goes on.",
            "A published version never changes, and cannot be taken away.",
            asked if text.asks_demographics else "Nobody is asked about themselves.",
        ],
        button=f"Publish version {text.version}",
        hidden=[("seen", consenting.digest_of(text))],
    )


def _publish(call: Call[ConsentText]) -> Outcome:
    text = call.row
    consenting.publish_text(text=text, seen=call.sent.get("seen", ""), by=call.by, now=call.now)
    return Outcome(
        said=f"Version {text.version} is published: workers who open work now are asked to agree.",
        to=reverse("admin:qualifications_consent", args=[text.study_id]),
    )


PUBLISHING = Action(label="Publish", permissions=[PUBLISH], confirm=_ask_to_publish, run=_publish)


def _values(text: ConsentText | None) -> dict[str, Any]:
    return {name: getattr(text, name) for name in DraftForm.Meta.fields} if text else {}


def _draft_waits(study: Study) -> str:
    published = list(ConsentText.objects.filter(study=study).values_list("published_at", flat=True))
    if None not in published:
        return ""
    asked = any(published)
    until = "workers agree to the version before it" if asked else "workers are asked for no consent"
    return f"A draft of the consent text is not published: until then {until}."


def _last_day(study: Study) -> tuple[date, str] | None:
    """Return the last day for personal data that the text in force names."""
    text = ConsentText.objects.filter(study=study, published_at__isnull=False).order_by("-version").first()
    return last_day_in(text.text) if text else None


suggest_from(_last_day)
announce(
    StudyPage(
        name="Consent",
        tab=Tab.PEOPLE,
        permission=VIEW,
        about="What workers agree to before their first work, version by version, and who has.",
        address=lambda study: reverse("admin:qualifications_consent", args=[study.pk]),
        note=_draft_waits,
    ),
    StudyPage(
        name="Who took part",
        tab=Tab.PEOPLE,
        permission=COUNTS,
        about="How many people took part, by role, as a paper prints it.",
        address=lambda study: reverse("admin:qualifications_people", args=[study.pk]),
    ),
)
