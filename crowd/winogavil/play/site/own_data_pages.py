"""What players may do with their own data: download all of it, and withdraw a word."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from crowd.winogavil.play.models import Player, Turn
from crowd.winogavil.play.queries.own_data import own_data
from crowd.winogavil.play.queries.results import may_see_solution, read_result
from crowd.winogavil.play.services.word_withdrawal import withdraw_word
from crowd.winogavil.play.site.session import player_known, show
from crowd.winogavil.play.site.turn_pages import find_done


@require_safe
@player_known
def download(request: HttpRequest, player: Player) -> HttpResponse:
    response = JsonResponse(own_data(player), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@player_known
def withdraw(request: HttpRequest, player: Player, work_id: UUID) -> HttpResponse:
    """Explain first; only the button withdraws."""
    turn = find_done(player, work_id)
    if turn.role != Turn.Role.CREATE:
        raise Http404("Only a word of one's own can be withdrawn.")
    if request.method == "POST":
        withdraw_word(turn=turn, now=timezone.now())
        return redirect("play:result", work_id)
    word = read_result(turn, tells=may_see_solution(turn)).cue
    return show(request, "withdraw", player, {"turn": turn, "word": word})
