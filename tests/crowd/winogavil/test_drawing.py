"""Picture sets: seeded, of different concepts, none like another, and never more than the pool has."""

from hashlib import sha256
from itertools import pairwise

import pytest

from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import are_near_duplicates
from crowd.winogavil.models import PictureSet
from crowd.winogavil.services.picture_set_draw import Plan, draw_picture_sets, look_ahead
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from hits.work.models.items import Item
from qualifications.services.lists_from_tags import list_from_tags
from tests.factories import NOW, make_picture, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool() -> list[Picture]:
    return [make_picture(concept=f"concept {chr(97 + number)}") for number in range(20)]


def drawn(study: Study) -> list[list[str]]:
    picture_sets = PictureSet.objects.filter(item__study=study).order_by("pk")
    return [[place.picture.key for place in picture_set.places.all()] for picture_set in picture_sets]


def test_same_seed_draws_the_same_sets_however_many_at_once(pool: list[Picture]) -> None:
    together, apart, other = make_study(), make_study(), make_study()

    draw_picture_sets(Plan(study=together, size=5, count=4, seed=7), now=NOW)
    for _ in range(2):
        draw_picture_sets(Plan(study=apart, size=5, count=2, seed=7), now=NOW)
    draw_picture_sets(Plan(study=other, size=5, count=4, seed=8), now=NOW)

    assert drawn(together) == drawn(apart) != drawn(other)
    assert [one.recipe["number"] for one in PictureSet.objects.filter(item__study=apart).order_by("pk")] == [
        1, 2, 3, 4,
    ]  # fmt: skip
    assert set(Item.objects.values_list("wanted", "task")) == {(3, "winogavil.create")}


@pytest.mark.parametrize("size", [5, 6, 10, 12])
def test_set_has_its_size_and_every_concept_once(study: Study, pool: list[Picture], size: int) -> None:
    make_picture(concept=pool[0].concept.upper())

    for one in look_ahead(Plan(study=study, size=size, count=10, seed=1)):
        concepts = {picture.concept.casefold() for picture in one.pictures}
        assert len(concepts) == len(one.pictures) == size


def test_set_shows_no_two_that_are_nearly_alike(study: Study, pool: list[Picture]) -> None:
    for number, picture in enumerate(pool):
        digest = sha256(str(number).encode()).digest()[:8]
        picture.perceptual_hash = 0 if number < 10 else int.from_bytes(digest) >> 1
        picture.save()

    for one in look_ahead(Plan(study=study, size=5, count=10, seed=3)):
        alike = [
            (a, b)
            for number, a in enumerate(one.pictures)
            for b in one.pictures[number + 1 :]
            if are_near_duplicates(a, b)
        ]
        assert alike == []


def test_only_fit_pictures_are_drawn(study: Study, pool: list[Picture]) -> None:
    away = pool[:8]
    Picture.objects.filter(pk__in=[picture.pk for picture in away]).update(status="waiting")

    picture_sets = look_ahead(Plan(study=study, size=12, count=5, seed=1))

    assert not {picture.key for one in picture_sets for picture in one.pictures} & {one.key for one in away}


@pytest.mark.parametrize(
    ("size", "count", "words"),
    [(12, 1, "none like another"), (7, 1, "5, 6, 10, 12"), (5, 0, "Draw 1 to"), (5, 3000, "Draw 1 to")],
)
def test_what_cannot_be_drawn_is_said_and_nothing_is_made(
    study: Study, size: int, count: int, words: str
) -> None:
    for number in range(6):
        make_picture(concept=f"concept {number}")

    with pytest.raises(RuleBroken, match=words):
        draw_picture_sets(Plan(study=study, size=size, count=count, seed=1), now=NOW)
    assert not Item.objects.exists()


def test_related_sets_hold_pictures_with_a_word_in_common(study: Study) -> None:
    tags = {"snowman": ["winter", "cold"], "ice": ["winter", "cold"], "owl": ["night"], "bat": ["night"]}
    tags |= {name: [f"{name}-tag"] for name in ("cup", "shoe", "key", "drum", "kite", "lamp")}
    for concept in tags:
        make_picture(concept=concept)
    swow = list_from_tags(name="demo", tags=tags, now=NOW)

    picture_sets = look_ahead(Plan(study=study, size=5, count=6, seed=2, swow=swow))

    for one in picture_sets:
        shown = {picture.concept for picture in one.pictures}
        assert {"snowman", "ice"} <= shown or {"owl", "bat"} <= shown
    assert {one.recipe["kind"] for one in picture_sets} == {"swow"}
    assert all(one.recipe != other.recipe for one, other in pairwise(picture_sets))
