"""Everything that the game keeps of a player, for that player to download."""

from typing import Any

from crowd.winogavil.play.models import Player, Survey, Turn
from crowd.winogavil.play.queries.dashboards import PastTurn, figures_of, past_turns

ASKED = (*Survey.SKILLS, *Survey.OPINIONS, *Survey.QUESTIONS, "answered_at")


def own_data(player: Player) -> dict[str, Any]:
    """The player's data, ready for JSON. Of a solve there is no more than its player's pages show."""
    return {
        "game": player.game.title,
        "name": player.name,
        "registered_at": player.registered_at,
        "points": figures_of(player).points,
        "consents": list(player.consents.order_by("given_at").values("text__text", "given_at")),
        "survey": Survey.objects.filter(player=player).values(*ASKED).first(),
        "turns": [_turn(past) for past in past_turns(player)],
    }


def _turn(past: PastTurn) -> dict[str, Any]:
    work = past.turn.assignment
    shares = {"fool": past.fool, "solvable": past.solvable} if _is_word(past) else {"right": past.jaccard}
    return {
        "part": past.turn.role,
        "word": past.cue,
        "began_at": past.turn.began_at,
        "ended_at": past.turn.ended_at,
        "answer": work.answer,
        "chosen_places": [query.chosen for query in work.rival_queries.all()] if _is_word(past) else None,
        **{name: None if share is None else float(share) for name, share in shares.items()},
        "is_withdrawn": work.kept_out,
        "is_shared": past.turn.shared_as is not None,
    }


def _is_word(past: PastTurn) -> bool:
    return past.turn.role == Turn.Role.CREATE
