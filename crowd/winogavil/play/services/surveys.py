"""Players' exit surveys: one for each player, exported only with permission."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from crowd.winogavil.play.models import Player, Survey, WebGame
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

COLUMNS = ("player", "answered_on", *Survey.SKILLS, *Survey.OPINIONS, *Survey.QUESTIONS)


def answer_survey(*, player: Player, answers: Mapping[str, Any], now: datetime) -> Survey:
    try:
        with transaction.atomic():
            return Survey.objects.create(player=player, answered_at=now, **answers)
    except IntegrityError:
        raise RuleBroken(
            "answered_already", _("You have answered these questions before. Thank you!")
        ) from None


def export_surveys(*, game: WebGame, by: User, now: datetime) -> Iterator[list[str]]:
    """Export surveys under pseudonyms, with the day instead of the instant; the export is on record."""
    note("web_game.surveys_exported", f"Exported the surveys of “{game}”.", by=by, now=now, study=game.study)
    surveys = Survey.objects.filter(player__game=game).select_related("player__worker").order_by("pk")
    return (_row(survey) for survey in surveys.iterator(chunk_size=500))


def _row(survey: Survey) -> list[str]:
    answers = [str(getattr(survey, name)) for name in COLUMNS[2:]]
    return [survey.player.worker.pseudonym, survey.answered_at.date().isoformat(), *answers]
