"""A study opens its game to players: an account without a provider, and a batch for each role."""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.utils.text import Truncator

from crowd.winogavil import domain
from crowd.winogavil.models import Game
from crowd.winogavil.play.models import ConsentText, WebGame
from crowd.winogavil.play.services.practice_rounds import draw_practice_sets
from hits import families
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study

# How long a turn may stay open: a player may go for dinner, and others soon get the pictures again.
CREATE_TURN = timedelta(hours=2)
SOLVE_TURN = timedelta(minutes=30)
LONGEST_CONSENT = 20_000
LONGEST_NAME = 64  # of an account
log = structlog.get_logger()


def make_web_game(*, study: Study, title: str, by: User, now: datetime) -> WebGame:
    """Make a study's web game, closed at first. Idempotent: a second call returns the game there is."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if known := WebGame.objects.filter(study=study).first():
            return known
        _tell_solvers_at_once(study)
        account = Account.objects.create(
            name=_name_of_account(study),
            kind=Account.Kind.WEB,
            currency=study.currency,
            environment=Account.Environment.MARKETPLACE,
            worker_site=settings.PLAY_URL,
            # Nobody signs tickets with it: a request that claims to come from a frame is refused.
            ticket_key=secrets.token_urlsafe(),
        )
        game = WebGame.objects.create(
            study=study,
            account=account,
            create_batch=_make_batch(study, account, domain.CREATE, CREATE_TURN, now=now),
            solve_batch=_make_batch(study, account, domain.SOLVE, SOLVE_TURN, now=now),
            title=title,
            made_at=now,
        )
        note("web_game.made", f"Made the web game “{title}”.", by=by, now=now, study=study)
    return game


def _tell_solvers_at_once(study: Study) -> None:
    """Show solvers at once what was right, unless somebody decided otherwise or others solve for pay."""
    if not Batch.objects.filter(study=study).exists():
        Game.objects.get_or_create(study=study, defaults={"feedback": Game.Feedback.AT_ONCE})


def _name_of_account(study: Study) -> str:
    """A name that says whose players these are, unlike that of any other account."""
    name = Truncator(f"Players of {study.name}").chars(LONGEST_NAME)
    if not Account.objects.filter(name=name).exists():
        return name
    number = f" ({study.pk})"
    return f"{Truncator(name).chars(LONGEST_NAME - len(number))}{number}"


def write_consent(*, game: WebGame, text: str, by: User, now: datetime) -> ConsentText:
    """Write the text that everybody is asked for from now on. Idempotent for the same text."""
    text = text.replace("\r\n", "\n").strip()
    if not 0 < len(text) <= LONGEST_CONSENT:
        raise RuleBroken(
            "bad_consent", f"A consent text has 1 to {LONGEST_CONSENT} characters; this has {len(text)}."
        )
    with transaction.atomic():
        held = WebGame.objects.select_for_update(no_key=True).get(pk=game.pk)
        last = held.consent_text
        if last and last.text == text:
            return last
        version = last.version + 1 if last else 1
        made = ConsentText.objects.create(game=held, version=version, text=text, made_at=now, made_by=by)
        words = f"Wrote version {version} of the consent text of “{held}”."
        note("web_game.consent_written", words, by=by, now=now, study=held.study)
    return made


def change_settings(*, game: WebGame, changes: Mapping[str, Any], by: User, now: datetime) -> None:
    """Change title, solves for each cue, what a place takes, or what players see of uploaded predictions.

    The changes hold from the next page on; models are counted again by the next sweep.
    """
    with transaction.atomic():
        _switch(game, **changes, models_counted_at=None)
        said = ", ".join(f"{name} {value}" for name, value in changes.items())
        note("web_game.changed", f"Changed the web game: {said}.", by=by, now=now, study=game.study)


def open_game(*, game: WebGame, by: User, now: datetime) -> None:
    """Open the game; idempotent. Raises RuleBroken while something is missing that players need."""
    with transaction.atomic():
        held = WebGame.objects.select_for_update(no_key=True).get(pk=game.pk)
        if held.is_open:
            return
        if held.consent_text is None:
            raise RuleBroken("no_consent", "Write the consent text first: nobody can register without one.")
        draw_practice_sets(game=held)
        _switch(held, is_open=True, opened_at=now)
        note("web_game.opened", f"Opened the web game “{held}”.", by=by, now=now, study=held.study)
    game.refresh_from_db()
    log.info("web_game.opened", game=str(game.public_id))


def close_game(*, game: WebGame, by: User, now: datetime) -> None:
    """Close the game: nobody registers or begins a turn. Players still see their figures, and can leave."""
    with transaction.atomic():
        held = WebGame.objects.select_for_update(no_key=True).get(pk=game.pk)
        if not held.is_open:
            return
        _switch(held, is_open=False, closed_at=now)
        note("web_game.closed", f"Closed the web game “{held}”.", by=by, now=now, study=held.study)
    game.refresh_from_db()
    log.info("web_game.closed", game=str(game.public_id))


def _switch(game: WebGame, **changes: Any) -> None:
    WebGame.objects.filter(pk=game.pk).update(**changes)


def _make_batch(study: Study, account: Account, task: str, turn: timedelta, *, now: datetime) -> Batch:
    """Make a batch without a provider, reward or bonus table: no work of it is ever owed anything."""
    family = families.get(task)
    return Batch.objects.create(
        study=study,
        account=account,
        task=task,
        title=f"Players: {family.terms.title}",
        description=family.terms.description,
        reward=0,
        assignments_per_hit=1,
        hits_wanted=1,
        items_per_assignment=1,
        estimated_s=family.terms.item_s,
        duration_s=int(turn.total_seconds()),
        status=Batch.Status.OPEN,
        launched_at=now,
        terms={
            "bonus_rules": [],
            "fee_schedule": "none",
            "environment": account.environment,
            "endpoint": "",
            "language": study.language,
            "time_zone": study.time_zone,
        },
    )
