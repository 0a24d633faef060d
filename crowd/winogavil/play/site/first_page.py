"""The first page, for visitors: what the game is, a round of it to try, and where to join."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from crowd.winogavil.creator_test import EXAMPLE_TAKEN
from crowd.winogavil.play.models import WebGame
from crowd.winogavil.play.queries.addresses import find_by_code, open_games
from crowd.winogavil.play.queries.leaderboards import Kind, best_scores
from crowd.winogavil.play.queries.results import Result, ResultPicture
from crowd.winogavil.play.site.session import anybody, show
from crowd.winogavil.solver_task import PRACTICE, practice_question
from scoring.domain import jaccard

MOST_WITH_SCORES = 5


def welcome(request: HttpRequest) -> HttpResponse:
    context = {"games": _open_games(), "question": practice_question(number=1)}
    return show(request, "welcome", None, context)


@require_safe
@anybody
def join(request: HttpRequest) -> HttpResponse:
    """Lead to the game whose code was typed; without one the first page asks again."""
    typed = request.GET.get("code", "")
    if found := find_by_code(typed):
        return redirect("play:register", found.public_id)
    context = {"games": _open_games(), "question": practice_question(number=1), "wrong_code": typed}
    return show(request, "welcome", None, context, status=404)


@require_safe
@anybody
def try_one(request: HttpRequest) -> HttpResponse:
    """What was right about a visitor's picks of the example: it asks no model, and nothing of it is kept."""
    question = practice_question(number=1)
    picks = set(request.GET.getlist(question["field"])) & set(PRACTICE["all"])
    if len(picks) != question["k"]:
        return redirect("play:home")
    return show(request, "tried", None, {"result": _result_of(question, picks), "games": open_games()})


def _result_of(question: dict[str, Any], picks: set[str]) -> Result:
    pictures = [
        ResultPicture(
            url=picture["url"],
            picked=picture["key"] in picks,
            meant=picture["key"] in PRACTICE["right"],
            taken=picture["key"] in EXAMPLE_TAKEN,
        )
        for picture in question["pictures"]
    ]
    return Result(
        cue=question["cue"], pictures=pictures, is_asked=False, jaccard=jaccard(picks, set(PRACTICE["right"]))
    )


def _open_games() -> Sequence[tuple[WebGame, dict[str, list[int]]]]:
    """The open games, the first few with their best scores: the page does not grow with them."""
    return [
        (game, _best_of(game) if place < MOST_WITH_SCORES else {}) for place, game in enumerate(open_games())
    ]


def _best_of(game: WebGame) -> dict[str, list[int]]:
    return {kind.value: best_scores(game, kind=kind) for kind in Kind}
