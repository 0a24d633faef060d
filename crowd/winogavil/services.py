"""The pipeline of an association: seeded, judged by the rival, final when its solvers have answered."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime

import structlog
from django.db import transaction

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Association, Place
from hits.models import Item, Study
from scoring import domain as scores
from scoring import rivals
from scoring.services import scores_of

SOLVE = "winogavil.solve"
JACCARD = "jaccard"
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


def ask_rival(*, rival: rivals.Rival, now: datetime) -> int:
    """Every association that the rival has not seen yet."""
    unasked = Association.objects.filter(asked_at=None).prefetch_related("places__picture")
    return sum(ask_one(association, rival=rival, now=now) for association in unasked.order_by("pk"))


def ask_one(association: Association, *, rival: rivals.Rival, now: datetime) -> bool:
    """True if this answer was the first; a later one changes nothing."""
    places = list(association.places.all())
    pictures = [_as_rival_sees(place.picture) for place in places]
    prediction = rival.predict(association.cue, pictures, k=len(association.chosen_keys))
    predicted = {places[place].picture.key for place in prediction.places}
    with transaction.atomic():
        first = Association.objects.filter(pk=association.pk, asked_at=None).update(
            asked_at=now,
            rival=asdict(prediction),
            model_score=scores.model_score(chosen=association.chosen_keys, predicted=predicted),
        )
        if first:
            for place in places:
                place.predicted = place.picture.key in predicted
            Place.objects.bulk_update(places, ["predicted"])
    return bool(first)


def finalize_associations(*, now: datetime) -> int:
    """Those whose last wanted solver has been judged."""
    ripe = Association.objects.filter(final_at=None, item__wanted=0).select_related("item")
    return sum(_finalize(association, now=now) for association in ripe.order_by("pk"))


def _finalize(association: Association, *, now: datetime) -> bool:
    solvers = scores_of(association.item, measure=JACCARD)
    if len(solvers) < domain.SOLVERS_WANTED:
        return False
    mean = scores.mean(solvers)
    final = Association.objects.filter(pk=association.pk, final_at=None).update(
        final_at=now,
        solvers_numerator=mean.numerator,
        solvers_denominator=mean.denominator,
        solvable=scores.is_solvable(solvers),
    )
    log.info("association.final", item=str(association.item.public_id))
    return bool(final)


def _as_rival_sees(picture: Picture) -> rivals.Picture:
    return rivals.Picture(
        sha256=picture.sha256, path=picture.file.path, caption=picture.caption or picture.concept
    )
