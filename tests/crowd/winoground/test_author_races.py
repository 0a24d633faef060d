"""Two authors at once: numbers are given once, a key makes one example, one of two changes is refused."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from crowd.winoground.models import Example
from crowd.winoground.services.example_writing import change_example, write_example
from tests.crowd.winoground.making_examples import make_example, make_project, written
from tests.factories import NOW, make_user
from tests.races import all_at_once

pytestmark = [pytest.mark.needs_postgres, pytest.mark.django_db(transaction=True)]


def test_examples_written_at_once_have_numbers_of_their_own() -> None:
    project, by = make_project(), make_user()
    some = [written(seed=seed) for seed in range(4)]

    def write(at: int) -> Callable[[], Any]:
        return lambda: write_example(project=project, by=by, key=uuid4(), written=some[at], now=NOW)

    all_at_once(*(write(at) for at in range(4)))

    assert sorted(Example.objects.values_list("number", flat=True)) == [1, 2, 3, 4]


def test_double_click_at_once_makes_one_example() -> None:
    project, by, key, words = make_project(), make_user(), uuid4(), written()

    kept = all_at_once(*[lambda: write_example(project=project, by=by, key=key, written=words, now=NOW)] * 3)

    assert Example.objects.count() == 1
    assert sorted(one.is_new for one in kept) == [False, False, True]


def test_one_of_two_changes_at_once_is_refused() -> None:
    words = written()
    example = make_example(make_project(), words=words)

    def change(note: str) -> Callable[[], Any]:
        new = written(shown=words.shown, note=note)
        by = make_user()
        return lambda: change_example(example=example, by=by, written=new, seen=NOW, now=NOW)

    done = all_at_once(change("one"), change("other"))

    assert done.count("stale") == 1
    assert Example.objects.get().note == ("other" if done[0] == "stale" else "one")
