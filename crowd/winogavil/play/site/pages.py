"""Pages that players see beside their turns: figures, leaderboards, the exit survey."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from crowd.winogavil.play.models import Player, Survey
from crowd.winogavil.play.queries import dashboards, leaderboards
from crowd.winogavil.play.queries.addresses import join_url
from crowd.winogavil.play.services import surveys
from crowd.winogavil.play.site import first_page
from crowd.winogavil.play.site.forms import Exit
from crowd.winogavil.play.site.session import anybody, find_player, player_required, show

# A player who has played this many turns knows enough to be asked.
TURNS_BEFORE_SURVEY = 8


@require_safe
@anybody
def home(request: HttpRequest) -> HttpResponse:
    return dashboard(request) if find_player(request) else first_page.welcome(request)


@player_required
def dashboard(request: HttpRequest, player: Player) -> HttpResponse:
    figures, now = dashboards.figures_of(player), timezone.now()
    recent = dashboards.recent_turns(player)
    today, yesterday = dashboards.figures_of_days(player, now=now)
    days = (("today", today), ("yesterday", yesterday))
    played = figures.cues + figures.solves >= TURNS_BEFORE_SURVEY
    context = {
        "figures": figures,
        "rows": dashboards.rows_of(player, recent[0].turn if recent else None, now=now),
        "creator_place": leaderboards.place_of(player, kind=leaderboards.Kind.CREATORS),
        "solver_place": leaderboards.place_of(player, kind=leaderboards.Kind.SOLVERS),
        "join_url": join_url(player.game),
        "days": [(name, day) for name, day in days if not _is_quiet(day)],
        "recent": recent,
        "asks_survey": played and not Survey.objects.filter(player=player).exists(),
    }
    return show(request, "dashboard", player, context)


@require_safe
@player_required
def leaderboard(request: HttpRequest, player: Player, kind: leaderboards.Kind) -> HttpResponse:
    number = request.GET.get("page", "1")
    page = int(number[:6]) if number.isascii() and number.isdigit() else 1
    found = leaderboards.read_leaderboard(game=player.game, kind=kind, number=page, player=player)
    return show(request, "leaderboard", player, {"leaderboard": found})


@require_safe
@player_required
def models_leaderboard(request: HttpRequest, player: Player) -> HttpResponse:
    return show(request, "models", player)


@require_http_methods(["GET", "HEAD", "POST"])
@player_required
def survey(request: HttpRequest, player: Player) -> HttpResponse:
    if Survey.objects.filter(player=player).exists():
        return show(request, "survey_thanks", player)
    form = Exit(request.POST if request.method == "POST" else None)
    if form.is_valid():
        surveys.answer_survey(player=player, answers=form.cleaned_data, now=timezone.now())
        return redirect("play:survey")
    return show(request, "survey", player, {"form": form}, status=422 if form.errors else 200)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return show(request, "not_found", find_player(request), status=404)


def _is_quiet(day: dashboards.Figures) -> bool:
    return day.is_empty and not (day.worth.final_cues or day.worth.final_solves)
