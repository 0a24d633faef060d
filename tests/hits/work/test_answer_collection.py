"""Answers are counted once they are in, and again when one is taken out: in slices, one owner at a time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction

from crowd.winoventi.models import Generic, Project
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services import answer_collection
from hits.work.services.answer_collection import Collect, collect_answers, count_all
from tests.crowd.winoventi.rows import make_generic, make_project
from tests.factories import NOW
from tests.locks import notes_of_product

pytestmark = pytest.mark.django_db
TASK = "winoventi.exceptions"


class Counted:
    """A family's own counting, which notes its calls and marks the rows as done."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, list[int]]] = []
        self.held: list[frozenset[int]] = []
        self.fails_for: Project | None = None

    def __call__(self, *, owner: Any, rows: Sequence[Generic], now: datetime) -> int:
        assert now == NOW
        if owner == self.fails_for:
            raise ValueError("This project cannot be counted.")
        self.calls.append((owner, [row.pk for row in rows]))
        self.held.append(frozenset().union(*(note.keys for note in notes_of_product())))
        Generic.objects.filter(pk__in=[row.pk for row in rows]).update(reason="counted")
        return len(rows)


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_collection, "AT_ONCE", 2)


def collect(counting: Counted, **changes: Any) -> Collect:
    posted = Generic.objects.filter(reason="")
    values: dict[str, Any] = {
        "tasks": [TASK],
        "owners": Project,
        "rows": Generic.objects.all(),
        "ripe": [posted.filter(item__wanted=0), posted.filter(item__pulled_at__isnull=False)],
        "items": lambda keys: Item.objects.filter(generic__in=keys).values_list("pk", flat=True),
        "count": counting,
    }
    return Collect(**{**values, **changes})


def ask(project: Project, *, wanted: int = 0, **changes: Any) -> Generic:
    item = Item.objects.create(study=project.study, task=TASK, wanted=wanted, **changes)
    return make_generic(project, word=f"word{item.pk}", item=item, state=Generic.State.POSTED)


def test_what_is_ripe_in_any_way_is_counted_once_and_the_rest_is_not(counted: Counted) -> None:
    project = make_project()
    both, one = ask(project, pulled_at=NOW), ask(project, wanted=1, pulled_at=NOW)
    ask(project, wanted=1)

    runs = [collect_answers([collect(counted)], now=NOW) for _ in range(2)]

    assert runs == [2, 0]
    assert counted.calls == [(project, [both.pk, one.pk])]
    assert counted.held == [{both.item_id, one.item_id}]


@pytest.mark.usefixtures("small_slices")
def test_many_are_counted_in_slices_of_one_run(counted: Counted) -> None:
    project = make_project()
    keys = [ask(project).pk for _ in range(5)]

    assert collect_answers([collect(counted)], now=NOW) == 5

    assert [rows for _, rows in counted.calls] == [keys[:2], keys[2:4], keys[4:]]


@pytest.mark.usefixtures("small_slices")
def test_all_that_lost_an_answer_is_counted_anew_in_one_run_and_rests(counted: Counted) -> None:
    project, other = make_project(), make_project()
    rows = [ask(project, wanted=1, recount=True) for _ in range(3)]
    apart = ask(other, wanted=1, recount=True)
    Item.objects.create(study=project.study, task="winogavil.solve", wanted=0, recount=True)

    assert collect_answers([collect(counted)], now=NOW) == 4

    assert counted.calls == [
        (project, [row.pk for row in rows[:2]]),
        (project, [rows[2].pk]),
        (other, [apart.pk]),
    ]
    assert list(Item.objects.filter(recount=True).values_list("task", flat=True)) == ["winogavil.solve"]
    assert collect_answers([collect(counted)], now=NOW) == 0


def test_recounted_item_that_nothing_is_asked_by_is_taken_all_the_same(counted: Counted) -> None:
    project = make_project()
    Item.objects.create(study=project.study, task=TASK, wanted=0, recount=True)

    assert collect_answers([collect(counted)], now=NOW) == 0

    assert not Item.objects.filter(recount=True).exists()


def test_owner_that_fails_holds_up_no_other_and_is_told(counted: Counted) -> None:
    failing, fine = make_project(), make_project()
    left, done = ask(failing), ask(fine)
    counted.fails_for = failing

    with pytest.raises(ValueError, match="cannot be counted"):
        collect_answers([collect(counted)], now=NOW)

    left.refresh_from_db()
    assert left.reason == ""
    assert counted.calls == [(fine, [done.pk])]


def test_rows_are_read_after_what_they_wait_for_was_locked(counted: Counted) -> None:
    project = make_project()
    row = ask(project)
    order: list[str] = []

    def lock(keys: Sequence[int]) -> None:
        assert transaction.get_connection().in_atomic_block
        order.append(f"rows {list(keys)}")
        Generic.objects.filter(pk__in=keys).update(word="changed while it was waited for")

    def count(*, owner: Project, rows: Sequence[Generic], now: datetime) -> int:
        order.extend(one.word for one in rows)
        return 0

    collect_answers([collect(counted, lock=lock, count=count)], now=NOW)

    assert order == [f"rows [{row.pk}]", "changed while it was waited for"]


def test_rows_of_a_study_are_given_their_study(counted: Counted) -> None:
    row = ask(make_project())

    collect_answers([collect(counted, owners=Study, owner="item__study")], now=NOW)

    assert counted.calls == [(row.project.study, [row.pk])]


def test_everything_of_one_owner_can_be_counted_once_more(counted: Counted) -> None:
    project = make_project()
    asked = [ask(project, wanted=3), ask(project)]
    make_generic(project=project)
    ask(make_project())

    count_all([collect(counted)], owner=project, now=NOW)

    assert counted.calls == [(project, [row.pk for row in asked])]
