"""Pages of a player's turn. Pictures, words and marks are the family's own; only submitting differs here."""

from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.http import require_POST, require_safe

from crowd.frame.visit_authentication import write_token
from crowd.winogavil.models import Game
from crowd.winogavil.play.models import Player, Turn
from crowd.winogavil.play.queries.addresses import shared_url
from crowd.winogavil.play.queries.results import may_see_solution, read_result
from crowd.winogavil.play.queries.shared_results import find_shared
from crowd.winogavil.play.services import sharing, turns
from crowd.winogavil.play.site.session import anybody, player_required, show
from crowd.winogavil.queries.games import game_of
from hits.work.services import leasing

SAID = ("cue", "solve", "skipped")


@require_safe
@player_required
def play(request: HttpRequest, player: Player) -> HttpResponse:
    """Page of the player's current turn, which the rows alone decide."""
    turn = turns.take_turn(player=player, now=timezone.now())
    if turn is None:
        return show(request, "nothing_to_do", player)
    work = turn.assignment
    page = leasing.family_of_batch(work.hit.batch).work_page(assignment=work, items=leasing.items_of(work))
    context = {
        **page.context,
        "assignment": work,
        "hit": work.hit,
        # Token for the page's requests in the background (the model's verdict, a report).
        "token": write_token(assignment=work, submit_to=""),
        "said": request.GET.get("said") if request.GET.get("said") in SAID else "",
        "solves_left": Player.objects.values_list("solves_owed", flat=True).get(pk=player.pk),
    }
    return show(request, f"turn_{turn.role}", player, context)


@require_POST
@player_required
def answer(request: HttpRequest, player: Player) -> HttpResponse:
    turn = turns.hand_in(
        player=player, work=request.POST.get("work", ""), form=request.POST, now=timezone.now()
    )
    if turn.role == Turn.Role.SOLVE and game_of(player.game.study).feedback == Game.Feedback.AT_ONCE:
        return redirect("play:result", turn.assignment.public_id)
    said = "cue" if turn.role == Turn.Role.CREATE else "solve"
    return redirect(f"{reverse('play:play')}?said={said}")


@require_POST
@player_required
def skip(request: HttpRequest, player: Player) -> HttpResponse:
    turns.skip(player=player, work=request.POST.get("work", ""), now=timezone.now())
    return redirect(f"{reverse('play:play')}?said=skipped")


@require_safe
@player_required
def result(request: HttpRequest, player: Player, work_id: UUID) -> HttpResponse:
    """Page of the player's own finished turn: the player's picks, the model's, and what people found."""
    turn = find_done(player, work_id)
    found = read_result(turn, tells=may_see_solution(turn))
    context = {"turn": turn, "result": found, "shared_url": shared_url(turn)}
    return show(request, "result", player, context)


@require_POST
@player_required
def share(request: HttpRequest, player: Player, work_id: UUID) -> HttpResponse:
    sharing.share_turn(turn=find_done(player, work_id))
    return redirect(reverse("play:result", args=[work_id]) + "#share")


@require_POST
@player_required
def stop_sharing(request: HttpRequest, player: Player, work_id: UUID) -> HttpResponse:
    sharing.stop_sharing(turn=find_done(player, work_id))
    return redirect(reverse("play:result", args=[work_id]) + "#share")


@require_safe
@anybody
def shared(request: HttpRequest, shared_as: UUID) -> HttpResponse:
    """A result that its player has shared, for everybody who has the link."""
    found = find_shared(shared_as)
    if found is None:
        raise Http404("This result is not shared.")
    game = found.turn.player.game
    with translation.override(game.study.language):
        context = {"shared": found, "result": found.result, "turn": found.turn, "game": game}
        return show(request, "shared", None, {**context, "site": settings.PLAY_URL})


def find_done(player: Player, work_id: UUID) -> Turn:
    own = Turn.objects.filter(player=player, status=Turn.Status.DONE).select_related("assignment__hit")
    return get_object_or_404(own, assignment__public_id=work_id)
