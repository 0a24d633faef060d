"""All items of a transaction are locked by one statement; tests refuse a second one."""

from contextlib import suppress

import pytest
from django.db import transaction

from hits.work.models.items import Item
from hits.work.services import locking
from hits.work.services.locking import hold_new, lock_items
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def make_items(count: int = 2) -> list[int]:
    study = make_study()
    return [Item.objects.create(study=study, task="winogavil.solve", wanted=1).pk for _ in range(count)]


def test_items_come_in_ascending_order_and_no_more_than_are_asked_for() -> None:
    keys = make_items(3)

    with transaction.atomic():
        locked = lock_items(Item.objects.order_by("-pk"), most=2)

    assert [item.pk for item in locked] == keys[:2]


def test_a_second_statement_that_asks_for_others_is_refused() -> None:
    first, second = make_items()

    with transaction.atomic():
        lock_items([first])
        with pytest.raises(AssertionError, match=rf"\[{second}\] are locked by a second"):
            lock_items([first, second])


def test_what_is_held_or_new_may_be_named_again() -> None:
    first, second = make_items()

    with transaction.atomic():
        lock_items([first, second])
        (new,) = make_items(1)
        hold_new(Item.objects.filter(pk=new))

        assert [item.pk for item in lock_items([second, new])] == [second, new]


def test_the_next_transaction_begins_anew() -> None:
    first, second = make_items()

    for key in (first, second):
        with transaction.atomic():
            lock_items([key])

    assert locking.notes() == []


def test_what_was_locked_within_a_savepoint_is_forgotten_with_it() -> None:
    first, second = make_items()

    with transaction.atomic():
        with suppress(LookupError), transaction.atomic():
            lock_items([second])
            raise LookupError
        assert locking.notes() == []
        lock_items([first])


def test_nothing_is_no_statement() -> None:
    with transaction.atomic():
        assert lock_items([]) == []
        assert locking.notes() == []
