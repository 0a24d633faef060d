"""A study's papers, and the page that sets it up as in one of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd import family as families
from crowd.family import Family
from crowd.papers.admin.setup_form import SetupForm, as_offered
from crowd.papers.models import PaperSetup
from crowd.papers.paper_differences import differences, in_words
from crowd.papers.parts import SetupPart, parts_of
from crowd.papers.services.paper_setup import set_up
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import need, signed_in
from hits.admin.studies import beginnings
from hits.admin.studies.beginnings import Beginning
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.core.errors import CrowdError, RuleBroken
from hits.families.paper_figures import Paper
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.access import studies_of

LOOK = "hits.view_study"
NAME = "Set up as in a paper"


@admin.register(PaperSetup)
class PaperSetupAdmin(ReadOnlyAdmin[PaperSetup]):
    list_display = ("study", "paper", "set_up_at", "set_up_by")
    list_display_links = None
    list_select_related = ("study", "set_up_by")
    ordering = ("-pk",)
    show_full_result_count = False
    actions = None

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(study__in=studies_of(request.user))

    @admin.display(description="paper")
    def paper(self, setup: PaperSetup) -> str:
        family = {one.key: one for one in families.registered()}.get(setup.family)
        return family.paper.name if family and family.paper else setup.family

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("of-study/<int:pk>/", shown(self.papers_view), name="papers_of_study"),
            path("of-study/<int:pk>/<slug:key>/", shown(self.setup_view), name="papers_set_up"),
            *super().get_urls(),
        ]

    def papers_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """List the papers, each with how far the study is from it if it was set up so."""
        study = _find_study(request, pk)
        setups = {setup.family: setup for setup in PaperSetup.objects.filter(study=study)}
        rows = [
            {
                "family": family,
                "paper": family.paper,
                "setup": setups.get(family.key),
                "differences": len(differences(family, paper=family.paper, study=study))
                if family.key in setups
                else 0,
            }
            for family in families.registered()
            if family.paper
        ]
        return self._render(request, "papers", {"title": NAME, "study": study, "rows": rows})

    def setup_view(self, request: HttpRequest, pk: int, key: str) -> HttpResponse:
        """Show every figure before it is put in place, and put all of them in place on a click."""
        study = _find_study(request, pk)
        family, paper = find_paper(key)
        parts = parts_of(family, paper=paper, study=study)
        may_set_up = request.user.has_perms(permissions_of(parts))
        status = 200
        if request.method == "POST":
            need(request, *permissions_of(parts))
        form = SetupForm(request.POST if request.method == "POST" else None, parts=parts)
        if request.method == "POST":
            if form.is_valid() and self._put(request, form, study=study, family=family, paper=paper):
                return redirect("admin:papers_set_up", study.pk, family.key)
            status = 400
        context = {
            "title": f"Set up as in {paper.name}",
            "study": study,
            "family": family,
            "paper": paper,
            "setup": PaperSetup.objects.filter(study=study, family=key).select_related("set_up_by").first(),
            "form": form,
            "parts": list(form.shown()),
            "elsewhere": [(one, one.page(study) if one.page else "") for one in paper.elsewhere],
            "may_set_up": may_set_up,
        }
        return self._render(request, "set_up", context, status=status)

    def _put(
        self, request: HttpRequest, form: SetupForm, *, study: Study, family: Family, paper: Paper
    ) -> bool:
        try:
            changes = set_up(
                study=study,
                family=family,
                paper=paper,
                values=form.cleaned_data,
                by=signed_in(request),
                now=timezone.now(),
            )
        except CrowdError as refusal:
            form.add_error(None, str(refusal))
            return False
        except ValidationError as refusal:
            form.add_error(None, refusal.messages)
            return False
        messages.success(request, said_of(changes))
        return True

    def _render(
        self, request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
    ) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        return TemplateResponse(request, f"admin/papers/{name}.html", {**shared, **context}, status=status)


def _find_study(request: HttpRequest, pk: int) -> Study:
    need(request, LOOK)
    return get_object_or_404(studies_of(request.user), pk=pk)


def find_paper(key: str) -> tuple[Family, Paper]:
    for family in families.registered():
        if family.key == key and family.paper:
            return family, family.paper
    raise Http404


def said_of(changes: Sequence[str]) -> str:
    """Tell what a set-up has changed."""
    if changes:
        return f"This study is set up. Figures put in place: {len(changes)}."
    return "All of it was in place already; nothing was changed."


def permissions_of(parts: Sequence[SetupPart]) -> list[str]:
    return sorted({name for part in parts for name in part.permissions()})


def _beginnings() -> Iterator[Beginning]:
    for family in families.registered():
        if family.paper:
            paper = family.paper
            name = f"{paper.name}: {family.name.lower()}"
            yield Beginning(key=family.key, name=name, begin=partial(_begin, family, paper))


def _begin(family: Family, paper: Paper, study: Study, by: User, now: datetime) -> list[str]:
    """Set a new study up with every figure that is offered. Raises RuleBroken where the person may not."""
    parts = parts_of(family, paper=paper, study=study)
    if not by.has_perms(permissions_of(parts)):
        raise RuleBroken("not_permitted", f"You may not set a study up as in {paper.name}.")
    form = SetupForm(as_offered(SetupForm(parts=parts), {}), parts=parts)
    if not form.is_valid():
        wrong = " ".join(str(words) for errors in form.errors.values() for words in errors)
        raise RuleBroken("wrong_figures", f"{wrong} Open “{NAME}” under Settings.")
    return set_up(study=study, family=family, paper=paper, values=form.cleaned_data, by=by, now=now)


beginnings.register(_beginnings)
announce(
    StudyPage(
        name=NAME,
        tab=Tab.SETTINGS,
        permission=LOOK,
        about="A paper's bonus table, rewards, requirements, tests and settings, each with its origin.",
        address=lambda study: reverse("admin:papers_of_study", args=[study.pk]),
        note=in_words,
        is_beside_projects=True,
    )
)
