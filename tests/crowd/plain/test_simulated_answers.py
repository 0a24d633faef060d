"""Simulated people enter what the page takes, whatever it asks."""

from random import Random

import pytest

from crowd.plain.domain.answers import fault_of
from crowd.plain.domain.description_parser import read_page
from crowd.plain.domain.pages import Part
from crowd.plain.domain.simulated_answers import draw_said, draw_true
from tests.crowd.plain.describing import WHOLE

pytestmark = pytest.mark.pure
NUMBERS = [
    "least: 0\nmost: 50\nwhole",
    "least: -0.5\nmost: 0.25",
    "most: -3",
    "most: 7",
    "least: 2.5\nwhole",
    "least: 4\nmost: 4",
    "",
]
PAGES = [WHOLE, *(f"title: T\nnumber: many\nask: How many?\n{limits}\n" for limits in NUMBERS)]
TEXTS = "title: T\ntext: why\nask: Why?\nlongest: {}\n"


def parts_of(text: str) -> list[Part]:
    read = read_page(text)
    assert read.faults == []
    return read.page.questions


@pytest.mark.parametrize("text", [*PAGES, TEXTS.format(1), TEXTS.format(2000)])
@pytest.mark.parametrize("right", [True, False])
def test_whatever_is_drawn_passes_the_checks_of_its_question(text: str, right: bool) -> None:
    chance = Random(1)
    for part in parts_of(text):
        for _ in range(40):
            true = draw_true(part, chance)
            said = draw_said(part, true, is_right=lambda: right, chance=chance)
            assert (fault_of(part, true), fault_of(part, said)) == (None, None)


def test_whoever_is_right_says_what_is_true_and_whoever_is_wrong_says_something_else() -> None:
    chance = Random(2)
    natural, faults, sure, people, why = parts_of(WHOLE)

    for part in (natural, faults, sure, people, why):
        true = draw_true(part, chance)
        assert draw_said(part, true, is_right=lambda: True, chance=chance) == true
    assert {draw_said(natural, "2", is_right=lambda: False, chance=chance) for _ in range(40)} == {"1", "3"}
    assert {draw_said(sure, "5", is_right=lambda: False, chance=chance) for _ in range(40)} == {"4"}
    assert {draw_said(sure, "2", is_right=lambda: False, chance=chance) for _ in range(40)} == {"1", "3"}
    assert draw_said(faults, "1", is_right=lambda: False, chance=chance) == "2"
    assert "7" not in {draw_said(people, "7", is_right=lambda: False, chance=chance) for _ in range(40)}


def test_every_answer_may_be_true() -> None:
    chance = Random(3)
    natural, faults, sure, *_ = parts_of(WHOLE)

    assert {draw_true(natural, chance) for _ in range(99)} == {"1", "2", "3"}
    assert {draw_true(faults, chance) for _ in range(99)} == {"1", "2", "1 2"}
    assert {draw_true(sure, chance) for _ in range(99)} == {"1", "2", "3", "4", "5"}
