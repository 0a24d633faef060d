"""Purges of studies: what stands in the way, what is due, and the erasure itself in bounded steps."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from django.db import transaction
from django.db.models import QuerySet

from hits.core import crypto
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.data.models import Purge
from hits.data.purge_parts import Part, parts
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.people.models import Recipient
from hits.review.models import Appeal
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment

PURGE = "hits.purge_study"
LOT = 200  # rows of one step, which is one transaction
STEPS = 25  # of one run of the sweep, so that no run is long
OVER = (Batch.Status.DRAFT, Batch.Status.COMPLETE, Batch.Status.CANCELLED)
PAID = (Bonus.Status.CONFIRMED, Bonus.Status.REFUSED)
SHOWN = ("name", "before", "erased", "after", "digest")
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Erasable:
    name: str
    count: int


def erasable(study: Study) -> list[Erasable]:
    """Count what a purge would erase now, kind by kind."""
    return [Erasable(name=part.name, count=part.rows(study).count()) for part in parts()]


def last_day_is_over(study: Study, *, now: datetime) -> bool:
    until = study.personal_data_until
    return until is not None and until < today_of(study, now=now)


def today_of(study: Study, *, now: datetime) -> date:
    return now.astimezone(ZoneInfo(study.time_zone)).date()


def past_their_date(*, now: datetime) -> QuerySet[Study]:
    """Studies whose last day is over in every time zone and whose people are not erased."""
    ended = (now - timedelta(days=1)).date()
    return Study.objects.filter(personal_data_until__lt=ended, purged_at=None)


def obstacles(study: Study) -> list[str]:
    """Say what must end first: nobody could be paid or answered afterwards."""
    work = Assignment.objects.filter(hit__batch__study=study)
    bonuses = Bonus.objects.filter(assignment__hit__batch__study=study)
    letters = Recipient.objects.filter(message__study=study, status__in=("waiting", "sending"))
    found: Iterable[tuple[QuerySet[Any], str]] = (
        (study.batches.exclude(status__in=OVER), "batches are not over: end them"),
        (work.filter(status=Assignment.Status.SUBMITTED), "pieces of work wait for a decision"),
        (
            work.filter(status=Assignment.Status.APPROVED, owed_at=None, judged_at__isnull=False),
            "pieces of work wait for their bonuses to be worked out",
        ),
        (bonuses.exclude(status__in=PAID), "bonuses are not paid and confirmed"),
        (Appeal.objects.filter(assignment__in=work, status="open"), "appeals wait for an answer"),
        (letters, "letters are on their way"),
    )
    return [f"{count} {words}." for rows, words in found if (count := rows.count())]


def begin_purge(*, study: Study, by: User | None, now: datetime) -> Purge:
    """Begin a purge, which a sweep carries out. Raises RuleBroken, and then nothing is begun."""
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        if Purge.objects.filter(study=study, ended_at=None).exists():
            raise RuleBroken("purging", "The purge has begun already.")
        if not last_day_is_over(study, now=now):
            raise RuleBroken("not_due", "Personal data are kept: there is no last day, or it is not over.")
        if in_the_way := obstacles(study):
            raise RuleBroken("not_over", " ".join(in_the_way))
        counts = {part: part.rows(study).count() for part in parts()}
        figures = {part.key: {"name": part.name, "before": count} for part, count in counts.items()}
        purge = Purge.objects.create(study=study, by=by, began_at=now, figures=figures)
        Study.objects.filter(pk=study.pk).update(purged_at=now)
        total = sum(counts.values())
        words = f"Began to purge “{study}”: {total} rows with personal data."
        note("study.purge_began", words, by=by, now=now, study=study)
    return purge


def begin_due_purges(*, now: datetime) -> None:
    """Begin the purges that their studies ask for by themselves, where nothing stands in the way."""
    for study in past_their_date(now=now).filter(purges_by_itself=True)[:10]:
        try:
            begin_purge(study=study, by=None, now=now)
        except RuleBroken as refusal:
            log.warning("study.not_purged", study=str(study.public_id), code=refusal.code)


def go_on(*, now: datetime) -> None:
    """Take some steps of every open purge. It may be stopped between any two, and goes on from there."""
    for purge in Purge.objects.filter(ended_at=None).select_related("study", "by").order_by("pk"):
        steps = STEPS
        while steps and take_step(purge, now=now):
            steps -= 1


def take_step(purge: Purge, *, now: datetime) -> bool:
    """Erase some rows of the first part that has any, or end the purge. Tell whether there is more to do."""
    with transaction.atomic():
        locked = Purge.objects.select_for_update().get(pk=purge.pk)
        if locked.ended_at:
            return False
        for part in parts():
            upto = _figure_of(locked, part).get("upto", 0)
            if found := list(part.rows(purge.study).filter(pk__gt=upto).order_by("pk")[:LOT]):
                _erase(locked, part, found, now=now)
                return True
        return not _ends(locked, now=now)


def _figure_of(purge: Purge, part: Part) -> dict[str, Any]:
    figure: dict[str, Any] = purge.figures.setdefault(part.key, {"name": part.name, "before": 0})
    return figure


def _erase(purge: Purge, part: Part, found: list[Any], *, now: datetime) -> None:
    figure = _figure_of(purge, part)
    digest = figure.get("digest", "")
    for row in found:
        digest = crypto.blind_index("purge", str(purge.public_id), part.key, digest, part.told(row))
    part.erase(purge.study, found, now)
    erased = figure.get("erased", 0) + len(found)
    figure |= {"digest": digest, "erased": erased, "upto": found[-1].pk}
    purge.save(update_fields=["figures"])


def _ends(purge: Purge, *, now: datetime) -> bool:
    """Look again for everything. If nothing is found, the purge ends; if not, it begins anew."""
    for part in parts():
        figure = _figure_of(purge, part)
        figure |= {"erased": figure.get("erased", 0), "after": part.rows(purge.study).count(), "upto": 0}
    is_clean = not any(int(figure["after"]) for figure in purge.figures.values())
    purge.ended_at = now if is_clean else None
    purge.save(update_fields=["figures", "ended_at"])
    if is_clean:
        total = sum(figure["erased"] for figure in purge.figures.values())
        words = f"Purged “{purge.study}”: {total} rows erased, none found again."
        note("study.purged", words, by=purge.by, now=now, study=purge.study)
        log.info("study.purged", study=str(purge.study.public_id), rows=total)
    return is_clean


def look_again(purge: Purge) -> list[Erasable]:
    """Count what is found now that a purge should have erased."""
    return [one for one in erasable(purge.study) if one.count]


def proof_of(purge: Purge, *, now: datetime) -> dict[str, Any]:
    """Return the proof as it is handed out: counts and digests by table, who, when, and a look of now."""
    return {
        "purge": str(purge.public_id),
        "study": {"id": str(purge.study.public_id), "name": purge.study.name},
        "personal_data_until": purge.study.personal_data_until,
        "by": str(purge.by) if purge.by else "the study's own setting",
        "began_at": purge.began_at,
        "ended_at": purge.ended_at,
        "tables": [
            {"table": key, **{name: figure.get(name) for name in SHOWN}}
            for key, figure in purge.figures.items()
        ],
        "digests": "HMAC-SHA-256 over the erased, row after row, with a key of this installation.",
        "looked_again_at": now,
        "found_again": {one.name: one.count for one in look_again(purge)},
    }
