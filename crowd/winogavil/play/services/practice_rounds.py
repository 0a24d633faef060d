"""Practice against the study's own rival, with pictures of its own.

Practice is no data: it makes no query, verdict or item, and leaves no trace after a day. The sets are few
and fixed, a page has one chance, and a player has a daily limit: practice is no oracle for the game.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Min, QuerySet
from django.utils.translation import gettext as _

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_reports import report_picture
from crowd.winogavil.models import PictureSetPlace
from crowd.winogavil.play.models import Player, PracticeAsk, PracticeSet, WebGame
from crowd.winogavil.queries.games import game_of
from crowd.winogavil.services.association_verdicts import as_shown
from crowd.winogavil.services.cue_check import check_cue
from crowd.winogavil.services.reports import PICTURE
from hits.common import rates
from hits.core.errors import InvalidAnswer, RuleBroken
from scoring.domain import fool_the_ai
from scoring.services.rival_selection import rivals_of

SETS, SIZE = 8, 5
MOST_A_DAY, DAY_S = 60, 86_400
KEPT_FOR = timedelta(days=1)
# A player who asked longer ago has gone on.
WAITED_FOR = timedelta(minutes=2)
AT_ONCE = 20


def draw_practice_sets(*, game: WebGame) -> None:
    """Draw missing sets, if possible of pictures that the study does not use; the caller holds the game."""
    missing = SETS - game.practice_sets.count()
    if missing <= 0:
        return
    fit = Picture.objects.playable()
    used = PictureSetPlace.objects.filter(picture_set__item__study=game.study_id).values("picture")
    keys = list(fit.exclude(pk__in=used).order_by("pk").values_list("pk", flat=True))
    if len(keys) < SIZE:
        keys = list(fit.order_by("pk").values_list("pk", flat=True))
    if len(keys) < SIZE:
        return
    chance = Random(str(game.public_id))  # noqa: S311 - the same sets again
    last = game.practice_sets.count()
    for number in range(last + 1, last + missing + 1):
        made = PracticeSet.objects.create(game=game, number=number)
        made.pictures.set(chance.sample(keys, SIZE))


def find_practice_set(*, game: WebGame, number: int) -> tuple[int, list[Picture]] | None:
    """Number and pictures of this set, or of the next whose pictures may all be shown; None without one."""
    sets = list(game.practice_sets.prefetch_related("pictures"))
    later = [one for one in sets if one.number >= number]
    for one in (*later, *sets):
        pictures = sorted(one.pictures.all(), key=lambda picture: picture.pk)
        if len(pictures) == SIZE and all(picture.status == Picture.Status.FIT for picture in pictures):
            return one.number, pictures
    return None


def find_ask(*, player: Player, key: UUID) -> PracticeAsk | None:
    return PracticeAsk.objects.filter(player=player, key=key).first()


def ask(
    *, player: Player, key: UUID, pictures: Sequence[Picture], text: str, chosen: Sequence[int], now: datetime
) -> PracticeAsk:
    """Ask about a practice word. Idempotent by page: a second try is answered with what is stored."""
    if known := find_ask(player=player, key=key):
        return known
    # By the game's own rules, so that players practice what will count.
    concepts = [picture.concept for picture in pictures]
    check_cue(text, chosen=len(chosen), concepts=concepts, game=game_of(player.game.study))
    if not rates.spend("play.practice", str(player.public_id), most=MOST_A_DAY, window_s=DAY_S):
        raise RuleBroken("too_many", _("That was a lot of practice for one day. Now play the real game!"))
    shown = [as_shown(picture) for picture in pictures]
    rival, _others = rivals_of(player.game.study)
    made, _new = PracticeAsk.objects.get_or_create(
        key=key,
        defaults={
            "player": player,
            "rival": rival,
            "text": text,
            "pictures": [{"sha256": one.sha256, "caption": one.caption} for one in shown],
            "chosen": sorted(chosen),
            "asked_at": now,
        },
    )
    return made


def report(*, player: Player, number: int, about: str, reason: str, text: str, now: datetime) -> None:
    """Report a picture of this set. Raises InvalidAnswer or RuleBroken, and then pulls nothing."""
    kind, _sep, key = about.partition(":")
    shown = Picture.objects.filter(
        pk__in=PracticeSet.pictures.through.objects.filter(
            practiceset__game=player.game, practiceset__number=number
        ).values("picture")
    )
    picture = shown.filter(key=key).first()
    if kind != PICTURE or picture is None:
        raise InvalidAnswer(_("That picture is not on this page. Please reload it."))
    report_picture(picture=picture, reason=reason, text=text, by_worker=player.worker.pseudonym, now=now)


def state_of(asked: PracticeAsk, *, now: datetime) -> dict[str, Any]:
    """State of a practice word for the waiting page, as in scoring.services.asking_rivals."""
    said = {"chosen": asked.chosen, "text": asked.text}
    if asked.places is not None:
        chosen, predicted = ({str(place) for place in places} for places in (asked.chosen, asked.places))
        fool = fool_the_ai(chosen=chosen, predicted=predicted)
        return {"state": "answered", **said, "predicted": asked.places, "fool": fool}
    late = (now - asked.asked_at).total_seconds() >= settings.RIVAL_DEADLINE_S
    return {"state": "late" if late else "waiting", **said}


def answer_practice(*, now: datetime) -> int:
    """Answer waiting practice words; only the process that loads models may call this."""
    from scoring.services.rival_answers import FAILURES, find_places  # noqa: PLC0415 - numpy, and the models

    answered = 0
    for asked in _waiting(now).select_related("rival").order_by("pk")[:AT_ONCE]:
        try:
            places = find_places(asked.rival, text=asked.text, pictures=asked.pictures, k=len(asked.chosen))
        except FAILURES:
            continue  # asked again by the next sweep, for as long as the player waits
        answered += PracticeAsk.objects.filter(pk=asked.pk).update(places=places, answered_at=now)
    return answered


def next_practice(*, now: datetime) -> datetime | None:
    """Instant of the first practice word that waits; it stays due for as long as its player waits."""
    first: datetime | None = _waiting(now).aggregate(first=Min("asked_at"))["first"]
    return first


def forget_practice(*, now: datetime) -> int:
    with transaction.atomic():
        gone, _by_model = PracticeAsk.objects.filter(asked_at__lte=now - KEPT_FOR).delete()
    return gone


def next_forgetting(*, now: datetime) -> datetime | None:
    """Instant when the oldest practice word is to be deleted."""
    first: datetime | None = PracticeAsk.objects.aggregate(first=Min("asked_at"))["first"]
    return first and first + KEPT_FOR


def _waiting(now: datetime) -> QuerySet[PracticeAsk]:
    return PracticeAsk.objects.filter(answered_at=None, asked_at__gt=now - WAITED_FOR)
