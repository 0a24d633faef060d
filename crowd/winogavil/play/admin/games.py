"""A study's web game on one page, with a button for each action."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.winogavil.play.admin import posters
from crowd.winogavil.play.admin.forms import ConsentForm, FeedbackForm, SettingsForm, TitleForm
from crowd.winogavil.play.admin.game_actions import ACTIONS, RUN, SWITCH, game_of
from crowd.winogavil.play.models import DailyFeedback, WebGame
from crowd.winogavil.play.queries.games import facts_of
from crowd.winogavil.play.services import surveys
from crowd.winogavil.queries.games import game_of as rules_of
from hits.admin.actions.action_pages import ActionPages
from hits.admin.data.take_files import send_csv
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import signed_in
from hits.studies.models import Study
from hits.work.access import studies_of

A_PAGE = 50
EXPORT = "winogavil_play.export_survey"


@admin.register(WebGame)
class WebGameAdmin(ReadOnlyAdmin[WebGame]):
    menu = MenuPlace(Section.STUDIES, 9)
    is_listed_in_file = True
    list_display = ("public_id", "study", "title", "is_open", "solves_per_cue", "fewest_final")
    list_select_related = ("study",)
    ordering = ("study__name",)

    def get_urls(self) -> list[URLPattern]:
        shown, pages = self.admin_site.admin_view, self._pages()
        return [
            path("<int:study_id>/", shown(self.study_view), name="play_game"),
            path("<int:study_id>/surveys.csv", shown(self.surveys_view), name="play_surveys"),
            path("<int:study_id>/code.<str:kind>", shown(self.code_view), name="play_code"),
            *(
                path(f"<int:study_id>/{key}/", shown(pages.view(key)), name=f"play_{key}")
                for key in pages.actions
            ),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebGame]:
        return super().get_queryset(request).filter(study__in=studies_of(request.user))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The studies this user may see; each leads to its game, or to the form that makes one."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        sought = request.GET.get("q", "").strip()
        studies = studies_of(request.user).select_related("web_game").order_by("name")
        page = Paginator(studies.filter(name__icontains=sought), A_PAGE).get_page(request.GET.get("page"))
        return self._render(request, "studies", {"title": "Web games", "page": page, "q": sought})

    def study_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        return self._show(request, self._find(request, study_id))

    def surveys_view(self, request: HttpRequest, study_id: int) -> HttpResponseBase:
        study = self._find(request, study_id)
        if request.method != "POST" or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        rows = surveys.export_surveys(game=game_of(study), by=signed_in(request), now=timezone.now())
        return send_csv(surveys.COLUMNS, rows, name="surveys.csv")

    def code_view(self, request: HttpRequest, study_id: int, kind: str) -> HttpResponse:
        """The game's address as a picture to print."""
        return posters.send_picture(game_of(self._find(request, study_id)), kind=kind)

    def _show(self, request: HttpRequest, study: Study, *, refused: BaseForm | None = None) -> HttpResponse:
        game = WebGame.objects.filter(study=study).first()
        text = game.consent_text if game else None
        feedback = DailyFeedback.objects.filter(study=study).first() or DailyFeedback(study=study)
        forms: list[BaseForm] = [
            TitleForm(),
            SettingsForm(instance=game),
            ConsentForm(initial={"text": text.text if text else ""}),
            FeedbackForm(initial={"is_on": feedback.is_on, "hour": feedback.hour}),
        ]
        shown = {type(form).__name__: form for form in forms}
        if refused is not None:
            shown[type(refused).__name__] = refused
        context = {
            "title": f"Web game of {study}",
            "study": study,
            "game": game,
            "text": text,
            "address": posters.describe_address(game) if game else None,
            "facts": facts_of(game) if game else None,
            "feedback_rule": rules_of(study).get_feedback_display(),
            "forms": shown,
            "feedback": feedback,
            "may_run": request.user.has_perm(RUN),
            "may_export": request.user.has_perm(EXPORT),
            "may_switch": request.user.has_perm(SWITCH),
        }
        return self._render(request, "game", context, status=422 if refused else 200)

    def _pages(self) -> ActionPages[Study]:
        def find(request: HttpRequest, study_id: int) -> Sequence[Study]:
            """Find the study, for POST requests only: the actions' forms are on the page of the game."""
            study = self._find(request, study_id)
            if request.method != "POST":
                raise PermissionDenied
            return [study]

        return ActionPages(
            actions=ACTIONS,
            find=find,
            back=lambda studies: reverse("admin:play_game", args=[studies[0].pk]),
            page=lambda request, studies, form: self._show(request, studies[0], refused=form),
        )

    def _find(self, request: HttpRequest, study_id: int) -> Study:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(studies_of(request.user), pk=study_id)

    def _render(
        self, request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
    ) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        return TemplateResponse(request, f"admin/play/{name}.html", {**shared, **context}, status=status)
