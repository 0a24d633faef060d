"""What may be said of how many people: groups, errors, and what is never shown."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualifications.domain import about_people

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("age", "group"),
    [(18, "18-24"), (24, "18-24"), (25, "25-34"), (64, "55-64"), (65, "65+"), (120, "65+")],
)
def test_age_belongs_to_a_band(age: int, group: str) -> None:
    assert about_people.group_of(about_people.AGE, age) == group


@pytest.mark.parametrize(
    ("question", "answer"), [("age", 17), ("age", 121), ("age", "34"), ("gender", "x"), ("gender", None)]
)
def test_answer_that_is_not_offered_belongs_nowhere(question: str, answer: object) -> None:
    assert about_people.group_of(question, answer) == ""


@given(count=st.integers(0, 4), place=st.floats(0, 1))
def test_fewer_than_five_are_never_shown_whatever_the_error(count: int, place: float) -> None:
    assert about_people.shown_count(count, error=about_people.error_at(place)) is None


@given(count=st.integers(5, 10_000), place=st.floats(0, 1))
def test_what_is_shown_is_a_multiple_of_five_near_the_truth(count: int, place: float) -> None:
    error = about_people.error_at(place)

    shown = about_people.shown_count(count, error=error)

    assert shown is None or (shown >= 5 and shown % 5 == 0 and abs(shown - count) <= abs(error) + 2.5)


def test_errors_fade_alike_on_both_sides() -> None:
    drawn = Counter(about_people.error_at((place + 0.5) / 10_000) for place in range(10_000))

    assert [drawn[error] for error in (0, 1, 2, -1, -2)] == pytest.approx([2500, 1500, 900, 1500, 900], abs=2)
    assert all(abs(drawn[error] - drawn[-error]) <= 1 for error in range(1, 8))


@pytest.mark.parametrize("more", [1, 2, 3, 4])
def test_no_two_figures_tell_how_many_of_the_few_they_differ_by(more: int) -> None:
    """Whatever is shown of a group and of the same group with a few more, each number of them fits."""
    errors = range(-12, 13)
    fitting: dict[tuple[int | None, int | None], set[int]] = {}
    for few in range(more + 1):
        for one in errors:
            for other in errors:
                pair = (
                    about_people.shown_count(20, error=one),
                    about_people.shown_count(20 + few, error=other),
                )
                fitting.setdefault(pair, set()).add(few)

    assert {len(found) for pair, found in fitting.items() if _is_likely(pair)} == {more + 1}


def _is_likely(pair: tuple[int | None, int | None]) -> bool:
    """The errors above are cut off where real ones are not: at their edge nothing can be said."""
    return all(shown is not None and 10 <= shown <= 30 for shown in pair)
