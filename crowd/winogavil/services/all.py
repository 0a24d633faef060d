"""The pipeline of an association: seeded, judged by the rival, final when its solvers have answered."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import F

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Association, Board, BoardPlace, Place
from hits.models import Batch, Item, Study
from scoring import domain as scores
from scoring.models import Verdict
from scoring.services.asking import NewRiddle, Shown, put_riddles
from scoring.services.judging import scores_of

SOLVE = "winogavil.solve"
CREATE = "winogavil.create"
JACCARD = "jaccard"
MOST_REOPENED = 500
AT_ONCE = 500
log = structlog.get_logger()


def seed_association(
    *, study: Study, cue: str, candidates: Sequence[Picture], chosen: Collection[Picture]
) -> Association:
    """An association that no worker made. Raises ValueError if the game does not allow it."""
    domain.check_association(cue=cue, candidates=len(set(candidates)), chosen=len(set(chosen)))
    if not set(chosen) <= set(candidates):
        raise ValueError(f"{cue}: only candidates can be chosen.")
    with transaction.atomic():
        item = Item.objects.create(study=study, task=SOLVE, wanted=domain.SOLVERS_WANTED)
        association = Association.objects.create(item=item, cue=cue)
        Place.objects.bulk_create(
            Place(association=association, picture=picture, position=position, chosen=picture in chosen)
            for position, picture in enumerate(candidates)
        )
    return association


def seed_board(*, study: Study, pictures: Sequence[Picture]) -> Item:
    """The pictures of one create HIT. Raises ValueError if the game does not allow so many."""
    if len(set(pictures)) not in domain.SIZES:
        sizes = ", ".join(map(str, domain.SIZES))
        raise ValueError(f"A board has {sizes} pictures, not {len(set(pictures))}.")
    with transaction.atomic():
        item = Item.objects.create(study=study, task=CREATE, wanted=domain.SPYMASTERS_WANTED)
        board = Board.objects.create(item=item)
        BoardPlace.objects.bulk_create(
            BoardPlace(board=board, picture=picture, position=position)
            for position, picture in enumerate(pictures)
        )
    return item


def ask_rivals(*, now: datetime) -> int:
    """Puts to the study's rivals what none of them was asked yet. A draft's own items may still go away."""
    unasked = (
        Association.objects.filter(asked_at=None, item__riddle=None)
        .exclude(item__batch__status=Batch.Status.DRAFT)
        .order_by("pk")
    )
    asked = 0
    while some := list(unasked.select_related("item__study").prefetch_related("places__picture")[:AT_ONCE]):
        by_study: defaultdict[Study, list[Association]] = defaultdict(list)
        for association in some:
            by_study[association.item.study].append(association)
        for study, theirs in by_study.items():
            with transaction.atomic():
                put_riddles([_riddle_of(one) for one in theirs], study=study, urgent=False, now=now)
        asked += len(some)
    return asked


def _riddle_of(association: Association) -> NewRiddle:
    places = list(association.places.all())
    return NewRiddle(
        text=association.cue,
        pictures=[as_shown(place.picture) for place in places],
        chosen=[number for number, place in enumerate(places) if place.chosen],
        item=association.item,
    )


def as_shown(picture: Picture) -> Shown:
    return Shown(sha256=picture.sha256, caption=picture.caption or picture.concept)


def read_verdicts() -> int:
    """Associations whose rival has answered since. The first verdict counts, and no later one."""
    answered = Verdict.objects.filter(riddle__item__association__asked_at=None, rival=F("riddle__paid_on"))
    verdicts = answered.order_by("pk")
    return sum(_read_verdict(verdict) for verdict in verdicts.iterator(chunk_size=AT_ONCE))


def _read_verdict(verdict: Verdict) -> bool:
    association = Association.objects.get(item__riddle=verdict.riddle_id)
    with transaction.atomic():
        first = Association.objects.filter(pk=association.pk, asked_at=None).update(
            asked_at=verdict.answered_at, model_score=verdict.model_score
        )
        if first:
            places = association.places.all()
            places.update(predicted=False)
            places.filter(position__in=verdict.places).update(predicted=True)
    return bool(first)


def finalize_associations(*, now: datetime) -> int:
    """Those whose last wanted solver has been judged, after reopening those that have lost an answer."""
    reopen_associations()
    ripe = Association.objects.filter(final_at=None, item__wanted=0).select_related("item")
    return sum(finalize_one(association, now=now) for association in ripe.order_by("pk"))


def reopen_associations() -> int:
    """Where an answer that counted was kept out or rejected, nothing is final before there is another."""
    with transaction.atomic():
        changed = Item.objects.select_for_update(skip_locked=True, no_key=True)
        oldest = changed.filter(task=SOLVE, recount=True).order_by("pk").values_list("pk", flat=True)
        items = list(oldest[:MOST_REOPENED])
        reopened = Association.objects.filter(item__in=items, final_at__isnull=False).update(
            final_at=None, solvers_numerator=None, solvers_denominator=None, solvable=None
        )
        Item.objects.filter(pk__in=items).update(recount=False)
    if reopened:
        log.info("association.reopened", count=reopened)
    return reopened


def finalize_one(association: Association, *, now: datetime) -> bool:
    """Under the item's lock: whoever takes an answer out waits, and then finds it final and reopens it."""
    with transaction.atomic():
        item = Item.objects.select_for_update(no_key=True).get(pk=association.item_id)
        solvers = scores_of(item, measure=JACCARD)
        if item.wanted or len(solvers) < domain.SOLVERS_WANTED:
            return False
        mean = scores.mean(solvers)
        final = Association.objects.filter(pk=association.pk, final_at=None).update(
            final_at=now,
            solvers_numerator=mean.numerator,
            solvers_denominator=mean.denominator,
            solvable=scores.is_solvable(solvers),
        )
    log.info("association.final", item=str(item.public_id))
    return bool(final)
