"""Gendered words in captions: refused where an example is to be ready, unless a person lets them stay."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from crowd.questions.domain import trim
from crowd.winoground.models import Example, GenderedConfirmation
from crowd.winoground.models.examples import LONGEST_REASON
from crowd.winoground.queries.people_shown import unconfirmed_places
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.services.locking import held

log = structlog.get_logger()


def confirm_gendered_words(
    *, example: Example, places: Sequence[tuple[int, str]], reason: str, by: User, now: datetime
) -> GenderedConfirmation:
    """Let gendered words stay in their captions. `places`: those that this person has seen.

    Raises RuleBroken, and keeps nothing, without a reason or if the captions have other ones by now.
    """
    said = trim(reason)
    if not said or len(said) > LONGEST_REASON:
        raise RuleBroken("no_reason", f"Say in at most {LONGEST_REASON} letters why they stay.")
    with held(example.project):
        current = Example.objects.get(pk=example.pk)
        found = unconfirmed_places(current)
        if not found:
            raise RuleBroken("none_found", "No gendered word of these captions waits for a confirmation.")
        if found != list(places):
            raise RuleBroken(
                "changed", "The captions have changed since you opened this page. Look at their words again."
            )
        kept = GenderedConfirmation.objects.create(
            example=current,
            words=list(dict.fromkeys(word for _, word in found)),
            places=found,
            reason=said,
            by=by,
            at=now,
        )
    log.info("winoground.gendered_words_confirmed", example=str(current.public_id), count=len(found))
    return kept
