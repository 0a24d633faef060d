"""Questions to the rival about associations, and its verdicts on them."""

from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import F, QuerySet

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Association
from hits.common.sweep_parts import in_parts
from hits.studies.models import Batch, Study
from scoring.models import Verdict
from scoring.services.asking_rivals import NewRivalQuery, ShownPicture, put_rival_queries
from scoring.services.rival_selection import NoRival

AT_ONCE = 500
log = structlog.get_logger()


def ask_rivals(*, now: datetime) -> int:
    """Ask the studies' rivals about associations not asked yet; those of drafts may still go away, and wait.

    Questions of a solver's test are put to no rival, only to the workers who take it.
    """
    unasked = Association.objects.filter(
        asked_at=None, item__rival_query=None, item__task=domain.SOLVE
    ).exclude(item__batch__status=Batch.Status.DRAFT)
    studies = Study.objects.filter(pk__in=unasked.values("item__study"))
    return in_parts(
        studies.order_by("pk"),
        lambda study: _ask_of(study, unasked.filter(item__study=study), now=now),
    )


def _ask_of(study: Study, unasked: QuerySet[Association], *, now: datetime) -> int:
    """Ask the rivals of one study; a study whose rival is missing waits, and keeps no other study waiting."""
    waiting = unasked.select_related("item").prefetch_related("places__picture").order_by("pk")
    asked = 0
    try:
        while some := list(waiting[:AT_ONCE]):
            with transaction.atomic():
                put_rival_queries([_rival_query_of(one) for one in some], study=study, urgent=False, now=now)
            asked += len(some)
    except NoRival as missing:
        log.warning("rival.missing", study=str(study.public_id), problem=str(missing))
    return asked


def _rival_query_of(association: Association) -> NewRivalQuery:
    places = list(association.places.all())
    return NewRivalQuery(
        text=association.cue,
        pictures=[as_shown(place.picture) for place in places if place.picture],
        chosen=[number for number, place in enumerate(places) if place.chosen],
        item=association.item,
    )


def as_shown(picture: Picture) -> ShownPicture:
    return ShownPicture(sha256=picture.sha256, caption=picture.caption or picture.concept)


def read_verdicts() -> int:
    """Copy new verdicts to their associations and return how many; the first verdict counts, no later one."""
    # Words that were tested but not submitted have no association.
    unread = Verdict.objects.filter(
        rival_query__item__association__isnull=False, rival_query__item__association__asked_at=None
    )
    verdicts = unread.filter(rival=F("rival_query__paid_on")).order_by("pk")
    return sum(_read_verdict(verdict) for verdict in verdicts.iterator(chunk_size=AT_ONCE))


def _read_verdict(verdict: Verdict) -> bool:
    association = Association.objects.get(item__rival_query=verdict.rival_query_id)
    with transaction.atomic():
        first = Association.objects.filter(pk=association.pk, asked_at=None).update(
            asked_at=verdict.answered_at, model_score=verdict.model_score
        )
        if first:
            places = association.places.all()
            places.update(predicted=False)
            places.filter(position__in=verdict.places).update(predicted=True)
    return bool(first)
