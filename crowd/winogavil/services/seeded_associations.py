"""Associations and picture sets that no worker made."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Association, PictureSet, PictureSetPlace, Place
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services.answers_needed import make_item, new_item


def seed_association(
    *, study: Study, cue: str, candidates: Sequence[Picture], chosen: Collection[Picture]
) -> Association:
    """Make an association that is no worker's. Raises ValueError if the game does not allow it."""
    domain.check_association(cue=cue, candidates=len(set(candidates)), chosen=len(set(chosen)))
    if not set(chosen) <= set(candidates):
        raise ValueError(f"{cue}: only candidates can be chosen.")
    with transaction.atomic():
        item = make_item(study=study, task=domain.SOLVE, answers_needed=domain.SOLVERS_WANTED)
        association = Association.objects.create(
            item=item, cue=cue, set_key=domain.set_key(picture.key for picture in candidates)
        )
        Place.objects.bulk_create(
            Place(
                association=association,
                picture=picture,
                label=picture.concept,
                position=position,
                chosen=picture in chosen,
            )
            for position, picture in enumerate(candidates)
        )
    return association


def seed_picture_set(
    *, study: Study, pictures: Sequence[Picture], recipe: Mapping[str, Any] | None = None
) -> Item:
    """Make the picture set of one create HIT. Raises ValueError if its size is not allowed."""
    return seed_picture_sets(study=study, picture_sets=[(pictures, recipe or {})])[0]


def seed_picture_sets(
    *,
    study: Study,
    picture_sets: Sequence[tuple[Sequence[Picture], Mapping[str, Any]]],
    task: str = domain.CREATE,
) -> list[Item]:
    """Make all picture sets in their order, or none. Raises ValueError if the size of one is not allowed."""
    for pictures, _ in picture_sets:
        if len(set(pictures)) not in domain.SIZES:
            sizes = ", ".join(map(str, domain.SIZES))
            raise ValueError(f"A picture set has {sizes} pictures, not {len(set(pictures))}.")
    with transaction.atomic():
        items = Item.objects.bulk_create(
            new_item(study=study, task=task, answers_needed=domain.ANSWERS_WANTED[task]) for _ in picture_sets
        )
        made = PictureSet.objects.bulk_create(
            PictureSet(item=item, recipe=dict(recipe))
            for item, (_, recipe) in zip(items, picture_sets, strict=True)
        )
        PictureSetPlace.objects.bulk_create(
            PictureSetPlace(picture_set=picture_set, picture=picture, position=position)
            for picture_set, (pictures, _) in zip(made, picture_sets, strict=True)
            for position, picture in enumerate(pictures)
        )
    return items
