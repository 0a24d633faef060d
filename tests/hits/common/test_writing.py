"""Updates that give each row values of its own."""

from datetime import UTC, datetime, timedelta

import pytest

from hits.common import bulk_writes
from hits.common.bulk_writes import write_each
from hits.work.models.items import Item
from tests.factories import make_study
from tests.idle import watch

pytestmark = pytest.mark.django_db
INSTANT = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def make_items(count: int) -> list[int]:
    study = make_study()
    items = Item.objects.bulk_create(Item(study=study, task="t", wanted=0) for _ in range(count))
    return [item.pk for item in items]


def written() -> list[tuple[int, str]]:
    return list(Item.objects.order_by("pk").values_list("wanted", "task"))


def test_each_row_gets_its_own_values_in_as_few_statements_as_there_are_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_writes, "AT_ONCE", 2)
    keys = make_items(5)
    rows = {key: (number, f"it's {number} %s") for number, key in enumerate(keys[:4])}

    seen = watch(lambda: write_each(model=Item, columns=("wanted", "task"), rows=rows))

    assert len(seen.writes) == 2
    assert written() == [(0, "it's 0 %s"), (1, "it's 1 %s"), (2, "it's 2 %s"), (3, "it's 3 %s"), (0, "t")]


def test_rows_that_hold_something_else_meanwhile_stay_as_they_are() -> None:
    first, second = make_items(2)
    Item.objects.filter(pk=second).update(task="other")

    write_each(model=Item, columns=("wanted",), rows={first: (7,), second: (7,)}, since={"task": ["t", "u"]})

    assert written() == [(7, "t"), (0, "other")]


def test_values_are_written_as_their_fields_write_them() -> None:
    """SQLite stores an instant as text, which compares as the instants do only if both are written alike."""
    [key] = make_items(1)

    write_each(model=Item, columns=("created_at",), rows={key: (INSTANT,)})

    assert Item.objects.filter(
        created_at=INSTANT, created_at__lt=INSTANT + timedelta(microseconds=1)
    ).exists()


def test_of_no_rows_nothing_is_written() -> None:
    make_items(1)

    assert watch(lambda: write_each(model=Item, columns=("wanted",), rows={})).queries == 0
