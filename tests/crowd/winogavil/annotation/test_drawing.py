from typing import Any

import pytest
from django.db import IntegrityError, transaction

from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.annotation.services.annotation_draw import (
    Most,
    Recipe,
    draw_annotations,
    plan_draw,
    take_back,
    untouched_of,
)
from crowd.winogavil.models import Association, Place
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.annotation.annotators import begin, draw, make_selected, open_batch
from tests.factories import NOW, make_association, make_study, make_user, make_worker

pytestmark = pytest.mark.django_db


def asked(kind: Kind) -> set[int]:
    return set(Annotation.objects.filter(kind=kind).values_list("association_id", flat=True))


def test_draw_asks_each_selected_association_of_three_people(study: Study) -> None:
    author = make_worker()
    association = make_selected(study)
    Item.objects.filter(pk=association.item_id).update(author=author)

    made = draw(study, Kind.SKILLS)

    annotation = Annotation.objects.get()
    item = annotation.item
    assert (made.found, made.chosen, made.added) == (1, 1, 1)
    assert (annotation.association, annotation.place) == (association, None)
    assert (item.task, item.wanted, item.author, item.batch) == ("winogavil.skills", 3, author, None)
    assert item != association.item
    assert AuditEvent.objects.get(kind="annotations.drawn").study == study


def test_draw_of_types_asks_each_picture_chosen_for_the_cue(study: Study) -> None:
    association = make_selected(study, size=6, chosen=3)

    made = draw(study, Kind.TYPES)

    places = association.places.filter(chosen=True).values_list("pk", flat=True)
    assert made.added == 3
    assert set(Annotation.objects.values_list("place_id", flat=True)) == set(places)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"final_at": None}, id="not-final"),
        pytest.param({"solvers_denominator": 2}, id="not-solvable"),
        pytest.param({"source": "player"}, id="of-a-player"),
    ],
)
def test_draw_leaves_what_is_not_selected(study: Study, change: dict[str, Any]) -> None:
    make_selected(study, **change)
    recipe = Recipe(kind=Kind.SKILLS)

    with pytest.raises(RuleBroken, match="drawn before"):
        draw_annotations(study=study, recipe=recipe, seen=0, by=None, now=NOW)

    assert (Draw.objects.count(), Annotation.objects.count()) == (0, 0)


def test_draw_leaves_what_is_pulled_and_what_has_no_pictures(study: Study) -> None:
    pulled, recorded = make_selected(study), make_selected(study)
    Item.objects.filter(pk=pulled.item_id).update(pulled_at=NOW)
    Place.objects.filter(association=recorded, position=0).update(picture=None)
    other = make_selected(make_study())

    assert plan_draw(study=study, recipe=Recipe(kind=Kind.BASELINE)).found == 0
    assert plan_draw(study=other.item.study, recipe=Recipe(kind=Kind.BASELINE)).found == 1


def test_draw_of_players_is_a_choice(study: Study) -> None:
    make_selected(study, source=Association.Source.PLAYER)

    plan = plan_draw(study=study, recipe=Recipe(kind=Kind.SKILLS, sources=(Association.Source.PLAYER,)))

    assert plan.chosen == 1


def test_draw_takes_a_tenth_rounded_up(study: Study) -> None:
    for _ in range(11):
        make_selected(study)

    made = draw(study, Kind.BASELINE, most=Most.PER_CENT, number=10)

    assert (made.found, made.chosen, made.added) == (11, 2, 2)


def test_draw_keeps_to_the_sizes_that_were_asked_for(study: Study) -> None:
    small, large = make_selected(study, size=5), make_selected(study, size=12)

    draw(study, Kind.SKILLS, sizes=(10, 12))

    assert asked(Kind.SKILLS) == {large.pk}
    assert small.pk not in asked(Kind.SKILLS)


def test_draw_of_a_seed_is_the_same_and_larger_ones_hold_it(study: Study) -> None:
    for _ in range(8):
        make_selected(study)
    recipes = [Recipe(kind=Kind.SKILLS, most=Most.COUNT, number=n, seed=7) for n in (3, 3, 5)]

    first, again, larger = (
        {one.association_id for one in plan_draw(study=study, recipe=recipe).new} for recipe in recipes
    )

    assert first == again
    assert first < larger
    assert len(larger) == 5


def test_draw_of_other_seeds_is_another(study: Study) -> None:
    for _ in range(8):
        make_selected(study)

    drawn = {
        frozenset(
            one.association_id
            for one in plan_draw(
                study=study, recipe=Recipe(kind=Kind.SKILLS, most=Most.COUNT, number=4, seed=seed)
            ).new
        )
        for seed in range(6)
    }

    # The names are random: the chance that all six draws agree is one in 70 to the fifth.
    assert len(drawn) > 1


def test_draw_never_asks_twice(study: Study) -> None:
    for _ in range(4):
        make_selected(study)
    draw(study, Kind.SKILLS, most=Most.COUNT, number=3)

    again = plan_draw(study=study, recipe=Recipe(kind=Kind.SKILLS, most=Most.COUNT, number=3))
    rest = draw(study, Kind.SKILLS)

    assert (again.chosen, len(again.new)) == (3, 0)
    assert rest.added == 1
    assert Annotation.objects.count() == 4
    # Another kind of question has a draw of its own.
    assert draw(study, Kind.BASELINE).added == 4


def test_draw_that_is_not_what_was_seen_writes_nothing(study: Study) -> None:
    make_selected(study)
    recipe = Recipe(kind=Kind.SKILLS)
    make_selected(study)

    with pytest.raises(RuleBroken, match="2 new questions now, not 1") as refusal:
        draw_annotations(study=study, recipe=recipe, seen=1, by=None, now=NOW)

    assert refusal.value.code == "changed_meanwhile"
    assert (Draw.objects.count(), Annotation.objects.count(), AuditEvent.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("kind", [Kind.TYPES, Kind.SKILLS])
def test_draw_twice_is_refused_by_the_database_too(study: Study, kind: Kind) -> None:
    make_selected(study)
    draw(study, kind)
    drawn = Annotation.objects.order_by("pk")[0]
    again = Annotation(item=make_association(study=study).item, draw=drawn.draw, kind=kind)
    again.association, again.place = drawn.association, drawn.place

    with pytest.raises(IntegrityError), transaction.atomic():
        again.save()


def test_take_back_removes_what_nobody_was_handed(study: Study) -> None:
    for _ in range(3):
        make_selected(study)
    made = draw(study, Kind.SKILLS)
    batch = open_batch(study, Kind.SKILLS)
    batch.items_per_assignment = 1
    batch.save()
    _, handed = begin(batch)

    taken = take_back(draw=made, seen=2, by=make_user(), now=NOW)

    made.refresh_from_db()
    assert (taken, made.added) == (2, 1)
    assert [row.item for row in Annotation.objects.all()] == handed
    assert list(Item.objects.filter(task="winogavil.skills")) == handed
    assert AuditEvent.objects.filter(kind="annotations.taken_back").count() == 1
    assert draw(study, Kind.SKILLS).added == 2


def test_take_back_of_more_than_was_seen_changes_nothing(study: Study) -> None:
    make_selected(study)
    made = draw(study, Kind.SKILLS)

    with pytest.raises(RuleBroken, match="1 are untouched, not 5"):
        take_back(draw=made, seen=5, by=make_user(), now=NOW)

    assert untouched_of(made).count() == 1
