"""A part of a sweep that fails stops no other part, and is not passed over in silence."""

import pytest

from hits.common.sweep_parts import in_parts

pytestmark = pytest.mark.pure


def test_what_was_done_is_summed() -> None:
    assert in_parts([1, 2, 3], lambda part: part) == 6
    assert in_parts([], lambda _: 1) == 0


@pytest.mark.parametrize("failing", [{0}, {1}, {0, 2}])
def test_each_has_its_turn_and_what_failed_is_raised(failing: set[int]) -> None:
    had: list[int] = []

    def act(part: int) -> int:
        had.append(part)
        if part in failing:
            raise ZeroDivisionError(part)
        return 1

    with pytest.raises((ZeroDivisionError, ExceptionGroup)):
        in_parts(range(3), act)

    assert had == [0, 1, 2]


def test_a_death_is_no_failure() -> None:
    def die(_: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_parts([1, 2], die)
