"""What is known of a turn at its end. It is kept with the turn, so that no page counts through a history."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from crowd.winogavil.models import Association
from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Turn
from scoring.domain import jaccard
from scoring.models import RivalQuery

Role = Turn.Role


def facts_at_end(turn: Turn, *, now: datetime) -> dict[str, Any]:
    """The turn's score, and how many days and right solves in a row it brings the player to."""
    score = _score_of_cue(turn) if turn.role == Role.CREATE else _score_of_solve(turn)
    done = Turn.objects.filter(player=turn.player_id, status=Turn.Status.DONE)
    last = done.order_by("-pk").first()
    return {
        "score": score,
        "days_in_row": _days_in_row(turn, last, now=now),
        "right_in_row": _right_in_row(turn, last, score=score),
    }


def _score_of_cue(turn: Turn) -> int | None:
    """How much the word fooled the model, in per cent; None while the model has not answered."""
    asked = RivalQuery.objects.filter(assignment=turn.assignment_id).order_by("slot").first()
    verdict = asked.verdict if asked else None
    return verdict.fool_score if verdict else None


def _score_of_solve(turn: Turn) -> int | None:
    """The Jaccard index of the picks and what the author chose, in whole per cent."""
    solved = Association.objects.select_related("item").filter(item__leases__assignment=turn.assignment_id)
    association = solved.prefetch_related("places__picture").first()
    if association is None:
        return None
    picks = set((turn.assignment.answer or {}).get(str(association.item.public_id), ()))
    return int(100 * jaccard(picks, association.chosen_keys))


def _days_in_row(turn: Turn, last: Turn | None, *, now: datetime) -> int:
    if last is None or last.ended_at is None:
        return 1
    zone = ZoneInfo(turn.player.game.study.time_zone)
    before, today = last.ended_at.astimezone(zone).date(), now.astimezone(zone).date()
    return domain.days_in_row(last.days_in_row, before=before, today=today)


def _right_in_row(turn: Turn, last: Turn | None, *, score: int | None) -> int:
    """A solve that is not right in full ends the row; a word of one's own leaves it as it is."""
    before = last.right_in_row if last else 0
    if turn.role == Role.CREATE:
        return before
    return before + 1 if score == domain.FULL_SCORE else 0
