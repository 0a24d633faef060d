"""Examples become questions once, follow their pictures and their project's rule, and stop being asked."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.pictures.services.removing_pictures import remove_pictures, restore_pictures
from crowd.winoground.domain import PLACES, VALIDATE
from crowd.winoground.models import Example, Pairing, Project
from crowd.winoground.services.example_writing import restore_example, withdraw_example
from crowd.winoground.services.posted_examples import ask_examples, want_anew
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.services.leasing import items_of, keep_out
from tests.crowd.winoground.making_asked import answer_all, ask, begin, make_project, make_ready, open_batch
from tests.factories import NOW, make_user, make_worker

pytestmark = pytest.mark.django_db
State = Example.State


def keys(rows: list[Example]) -> list[int]:
    return [row.pk for row in rows]


def test_asking_makes_four_questions_of_each_example() -> None:
    project = make_project(answers_wanted=7)
    rows = make_ready(project, count=2)

    assert ask_examples(project=project, examples=keys(rows), now=NOW) == 2

    for row in rows:
        row.refresh_from_db()
        assert (row.state, row.asked_at) == (State.ASKED, NOW)
        places = row.pairings.order_by("caption", "image").values_list("caption", "image")
        assert tuple(places) == PLACES
    asked = Item.objects.filter(batch=None).values_list("study", "task", "wanted").distinct()
    assert list(asked) == [(project.study_id, VALIDATE, 7)]
    assert Item.objects.count() == 8


def test_questions_of_an_example_stand_together_and_in_no_order_of_their_own() -> None:
    project = make_project()
    ask(project, count=12)

    found = list(Pairing.objects.order_by("item").values_list("example__number", "caption", "image"))

    assert [number for number, *_ in found] == [number for number in range(1, 13) for _ in PLACES]
    assert len({tuple(found[start : start + 4]) for start in range(0, 48, 4)}) == 12
    orders = {tuple(place[1:] for place in found[start : start + 4]) for start in range(0, 48, 4)}
    assert len(orders) > 3


def test_asking_twice_asks_once() -> None:
    project = make_project()
    rows = ask(project)

    with pytest.raises(RuleBroken) as refused:
        ask_examples(project=project, examples=keys(rows), now=NOW)

    assert refused.value.code == "nothing_waits"
    assert (Pairing.objects.count(), Item.objects.count()) == (4, 4)


def test_only_ready_examples_of_this_project_are_asked() -> None:
    project = make_project()
    [ready], [draft] = make_ready(project), make_ready(project, state=State.DRAFT)
    [theirs] = make_ready(make_project())

    assert ask_examples(project=project, examples=keys([ready, draft, theirs]), now=NOW) == 1

    assert set(Pairing.objects.values_list("example", flat=True)) == {ready.pk}


def test_example_without_its_picture_keeps_all_of_them_back() -> None:
    project = make_project()
    rows = make_ready(project, count=2)
    remove_pictures(pictures=[rows[1].image_0], reason="Unfit", by=make_user(), now=NOW)  # type: ignore[list-item]

    with pytest.raises(RuleBroken, match="Example 2"):
        ask_examples(project=project, examples=keys(rows), now=NOW)

    assert (Pairing.objects.count(), Item.objects.count()) == (0, 0)
    assert set(Example.objects.values_list("state", flat=True)) == {State.READY}


def test_withdrawn_example_is_asked_of_nobody_new_and_keeps_its_answers() -> None:
    project = make_project(answers_wanted=2)
    [row] = ask(project)
    batch = open_batch(project)
    answer_all(batch, make_worker(account=batch.account))

    withdraw_example(example=row, now=NOW)

    assert items_of(begin(batch, make_worker(account=batch.account))) == []
    assert Item.objects.filter(pulled_at=NOW).count() == 4
    assert sum(Item.objects.values_list("wanted", flat=True)) == 7


def test_example_that_is_asked_again_goes_on_where_it_stopped() -> None:
    project = make_project(answers_wanted=2)
    [row] = ask(project)
    batch = open_batch(project)
    answer_all(batch, make_worker(account=batch.account))
    withdraw_example(example=row, now=NOW)
    restore_example(example=row, now=NOW)
    Example.objects.update(state=State.READY)
    Project.objects.update(answers_wanted=3)

    ask_examples(project=project, examples=[row.pk], now=NOW)

    assert (Pairing.objects.count(), Item.objects.filter(pulled_at=None).count()) == (4, 4)
    assert sorted(Item.objects.values_list("wanted", flat=True)) == [2, 3, 3, 3]


def test_picture_that_goes_away_and_comes_back_takes_its_two_questions_along() -> None:
    project = make_project()
    [row] = ask(project)
    by = make_user()
    picture = row.image_1
    assert picture

    remove_pictures(pictures=[picture], reason="Unfit", by=by, now=NOW)

    away = Pairing.objects.filter(item__pulled_at__isnull=False)
    assert set(away.values_list("caption", "image")) == {(0, 1), (1, 1)}
    picture.refresh_from_db()
    restore_pictures(pictures=[picture], reason="Looked at again", by=by, now=NOW)
    assert not away.exists()


def test_picture_that_comes_back_does_not_ask_about_a_withdrawn_example() -> None:
    project = make_project()
    [row] = ask(project)
    by = make_user()
    picture = row.image_1
    assert picture
    remove_pictures(pictures=[picture], reason="Unfit", by=by, now=NOW)
    withdraw_example(example=row, now=NOW)
    picture.refresh_from_db()

    restore_pictures(pictures=[picture], reason="Looked at again", by=by, now=NOW)

    assert Item.objects.filter(pulled_at=None).count() == 0


@pytest.mark.parametrize(("wanted", "left"), [(1, [0, 1, 1, 1]), (3, [2, 3, 3, 3]), (2, [1, 2, 2, 2])])
def test_other_number_of_answers_counts_what_is_there(wanted: int, left: list[int]) -> None:
    project = make_project(answers_wanted=2)
    ask(project)
    batch = open_batch(project)
    answer_all(batch, make_worker(account=batch.account))
    Project.objects.update(answers_wanted=wanted)

    want_anew(project)
    want_anew(project)

    assert sorted(Item.objects.values_list("wanted", flat=True)) == left


def test_answer_that_is_kept_out_is_asked_of_somebody_else() -> None:
    project = make_project(answers_wanted=1)
    ask(project)
    batch = open_batch(project)
    work = answer_all(batch, make_worker(account=batch.account))

    keep_out(work, now=NOW)

    assert set(Item.objects.values_list("wanted", flat=True)) == {1}


def test_asking_takes_as_many_queries_for_many_as_for_few() -> None:
    def queries(count: int) -> int:
        project = make_project()
        rows = make_ready(project, count=count)
        with CaptureQueriesContext(connection) as captured:
            ask_examples(project=project, examples=keys(rows), now=NOW)
        return len(captured)

    assert queries(2) == queries(9)


def test_moment_of_the_first_asking_stays() -> None:
    [row] = ask(make_project())
    withdraw_example(example=row, now=NOW)
    restore_example(example=row, now=NOW)
    Example.objects.update(state=State.READY)

    ask_examples(project=row.project, examples=[row.pk], now=NOW + timedelta(days=1))

    assert Example.objects.get().asked_at == NOW
