"""Attention items: items with known answers, which workers meet among the others."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import structlog
from django.db import transaction

from hits import families
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.locking import lock_items

NOT_MIXED = "This task cannot mix attention items into its pages."
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class KnownChoice:
    """A known choice, in the words in which the task states it (hits.families.Judgment)."""

    question: str
    about: str
    label: str


def choices_of(known: KnownAnswer) -> list[KnownChoice]:
    return [KnownChoice(**choice) for choice in known.choices]


def know_answers(
    answers: Mapping[int, Sequence[KnownChoice]], *, study: Study, task: str, by: User, now: datetime
) -> int:
    """Make these items of the study attention items, or state their answers anew. All of them, or none.

    Raises RuleBroken for items that still need answers of their own: they would wait for people who have
    met them already.
    """
    if not families.mixes_attention(task):
        raise RuleBroken("no_attention_items", NOT_MIXED)
    with transaction.atomic():
        found = lock_items(Item.objects.filter(pk__in=answers, study=study, task=task))
        _refuse_unfinished(found, asked=len(answers))
        for item in found:
            known = [asdict(choice) for choice in answers[item.pk]]
            values = {"choices": known, "known_by": by, "known_at": now}
            KnownAnswer.objects.update_or_create(item=item, defaults=values)
        words = (
            f"Attention items: {len(found)} more, or with another answer. Task: {families.get(task).name}."
        )
        audit_trail.note("study.attention_items", words, by=by, now=now, study=study)
    log.info("attention.known", study=str(study.public_id), items=len(found))
    return len(found)


def forget_answers(items: Collection[int], *, study: Study, by: User, now: datetime) -> int:
    """Make these items ordinary ones again: nobody new meets them, and no answer to them is evidence."""
    with transaction.atomic():
        gone = KnownAnswer.objects.filter(item__in=items, item__study=study)
        count, _ = gone.delete()
        if count:
            words = f"Attention items: {count} fewer."
            audit_trail.note("study.attention_items", words, by=by, now=now, study=study)
    log.info("attention.forgotten", study=str(study.public_id), items=count)
    return count


def _refuse_unfinished(items: Sequence[Item], *, asked: int) -> None:
    if len(items) < asked:
        raise RuleBroken("no_such_item", "One of these is no item of this study and task any more.")
    unfinished = sum(item.wanted > 0 or not item.answers_needed for item in items)
    if unfinished:
        raise RuleBroken(
            "needs_answers",
            f"Items that still need answers of their own: {unfinished}. An item becomes an attention item "
            "once these are in, so that it waits for nobody.",
        )
