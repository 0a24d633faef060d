"""A study's web game on one page, and each verb of it a button."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winogavil.play.admin.forms import ConsentForm, FeedbackForm, SettingsForm, TitleForm
from crowd.winogavil.play.models import DailyFeedback, WebGame
from crowd.winogavil.play.queries.games import facts_of
from crowd.winogavil.play.services import letters, opening, surveys
from hits.access import studies_of
from hits.admin.parts import ReadOnlyAdmin
from hits.admin.selecting import signed_in
from hits.admin.taking import send_csv
from hits.errors import RuleBroken
from hits.models import Study

A_PAGE = 50
RUN = "winogavil_play.run_webgame"
EXPORT = "winogavil_play.export_survey"
SWITCH = "winogavil_play.switch_dailyfeedback"
Verb = Callable[[HttpRequest, Study], BaseForm | None]


@admin.register(WebGame)
class WebGameAdmin(ReadOnlyAdmin[WebGame]):
    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        verbs: dict[str, Verb] = {
            "make": self.make,
            "open": self.open,
            "close": self.close,
            "settings": self.change_settings,
            "consent": self.write_consent,
        }
        return [
            path("<int:study_id>/", shown(self.study_view), name="play_game"),
            path("<int:study_id>/surveys.csv", shown(self.surveys_view), name="play_surveys"),
            path("<int:study_id>/feedback/", shown(self.view_of(self.switch, SWITCH)), name="play_feedback"),
            *(
                path(f"<int:study_id>/{name}/", shown(self.view_of(verb, RUN)), name=f"play_{name}")
                for name, verb in verbs.items()
            ),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The studies this person may see; each leads to its game, or to the form that makes one."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        sought = request.GET.get("q", "").strip()
        studies = studies_of(request.user).select_related("web_game").order_by("name")
        page = Paginator(studies.filter(name__icontains=sought), A_PAGE).get_page(request.GET.get("page"))
        return self._render(request, "studies", {"title": "Web games", "page": page, "q": sought})

    def study_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        return self._show(request, self._find(request, study_id))

    def view_of(self, verb: Verb, permission: str) -> Callable[..., HttpResponse]:
        """Does it and goes back; or shows the page again with the form that was not right."""

        def view(request: HttpRequest, study_id: int) -> HttpResponse:
            study = self._find(request, study_id)
            if request.method != "POST" or not request.user.has_perm(permission):
                raise PermissionDenied
            try:
                refused = verb(request, study)
            except RuleBroken as broken:
                messages.error(request, str(broken))
                return redirect("admin:play_game", study.pk)
            if refused is not None:
                return self._show(request, study, refused=refused)
            return redirect("admin:play_game", study.pk)

        return view

    def make(self, request: HttpRequest, study: Study) -> BaseForm | None:
        form = TitleForm(request.POST)
        if not form.is_valid():
            return form
        title = form.cleaned_data["title"]
        opening.make_web_game(study=study, title=title, by=signed_in(request), now=timezone.now())
        return None

    def open(self, request: HttpRequest, study: Study) -> BaseForm | None:
        opening.open_game(game=self._game(study), by=signed_in(request), now=timezone.now())
        messages.success(request, "The game is open: players can join.")
        return None

    def close(self, request: HttpRequest, study: Study) -> BaseForm | None:
        opening.close_game(game=self._game(study), by=signed_in(request), now=timezone.now())
        messages.success(request, "The game is closed. Players still see their figures.")
        return None

    def change_settings(self, request: HttpRequest, study: Study) -> BaseForm | None:
        form = SettingsForm(request.POST, instance=self._game(study))
        if not form.is_valid():
            return form
        opening.change_settings(
            game=form.instance, changes=form.cleaned_data, by=signed_in(request), now=timezone.now()
        )
        messages.success(request, "Saved.")
        return None

    def write_consent(self, request: HttpRequest, study: Study) -> BaseForm | None:
        form = ConsentForm(request.POST)
        if not form.is_valid():
            return form
        made = opening.write_consent(
            game=self._game(study), text=form.cleaned_data["text"], by=signed_in(request), now=timezone.now()
        )
        messages.success(request, f"Version {made.version} counts now.")
        return None

    def switch(self, request: HttpRequest, study: Study) -> BaseForm | None:
        form = FeedbackForm(request.POST)
        if not form.is_valid():
            return form
        letters.switch_feedback(
            study=study,
            on=form.cleaned_data["is_on"],
            hour=form.cleaned_data["hour"],
            by=signed_in(request),
            now=timezone.now(),
        )
        messages.success(request, "Saved.")
        return None

    def surveys_view(self, request: HttpRequest, study_id: int) -> HttpResponseBase:
        study = self._find(request, study_id)
        if request.method != "POST" or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        rows = surveys.export_surveys(game=self._game(study), by=signed_in(request), now=timezone.now())
        return send_csv(surveys.COLUMNS, rows, name="surveys.csv")

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
            "facts": facts_of(game) if game else None,
            "forms": shown,
            "feedback": feedback,
            "may_run": request.user.has_perm(RUN),
            "may_export": request.user.has_perm(EXPORT),
            "may_switch": request.user.has_perm(SWITCH),
        }
        return self._render(request, "game", context, status=422 if refused else 200)

    def _find(self, request: HttpRequest, study_id: int) -> Study:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(studies_of(request.user), pk=study_id)

    def _game(self, study: Study) -> WebGame:
        return get_object_or_404(WebGame.objects.select_related("study"), study=study)

    def _render(
        self, request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
    ) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        return TemplateResponse(request, f"admin/play/{name}.html", {**shared, **context}, status=status)
