"""The accounts of a web game's players, which a purge of its study erases, and what they wrote of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from crowd.winogavil.play.models import Player, Survey
from crowd.winogavil.play.services.accounts import forget
from hits.data import purge_parts
from hits.data.purge_parts import Part, blanking
from hits.studies.models import Study


def _forget_all(_study: Study, found: Sequence[Any], now: datetime) -> None:
    for player in found:
        forget(player=player, now=now)


def register() -> None:
    purge_parts.register(
        blanking(
            Survey,
            *Survey.QUESTIONS,
            name="What players wrote at the end of the web game",
            path="player__game__study",
        ),
        Part(
            key=Player._meta.db_table,
            name="Players of the web game: name, password, sessions",
            rows=lambda study: Player.objects.filter(game__study=study, erased_at=None),
            erase=_forget_all,
            told=lambda row: str(row.name),
        ),
    )
