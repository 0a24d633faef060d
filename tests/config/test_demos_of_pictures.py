"""The demos of caption matching and of weird images, as a newcomer runs them."""

from pathlib import Path
from typing import Any

import pytest

from tests.config.processes import manage, report_of, scratch_environ

# The demos have databases of their own; each takes a minute and a half on a quiet machine.
pytestmark = [pytest.mark.pure, pytest.mark.long]
PATIENCE_S = 600
SEEDED = ("--no-serve", "--json", "--seed", "3")


def play(family: str, folder: Path) -> dict[str, Any]:
    return report_of(
        manage("demo", "--family", family, *SEEDED, environ=scratch_environ(folder), timeout=PATIENCE_S)
    )


def test_caption_matching_is_right_where_people_are(tmp_path: Path) -> None:
    report = play("winoground", tmp_path)

    assert (report["tests_passed"], report["tests_failed"]) == (12, 1)
    assert (report["examples"], report["answers"]) == (8, 96)
    # A model that ignores the order of words gives ties, and a tie is wrong.
    assert [report[f"bag_of_words_{kind}"] for kind in ("text", "image", "group")] == [0, 0, 0]
    assert 4 <= report["people_group"] <= min(report["people_text"], report["people_image"]) <= 8
    assert report["assignments_approved"] == report["assignments_submitted"] == 25
    assert report["bonus_total"] == report["marketplace_bonus_total"] == "0.12"


def test_weird_images_go_the_whole_way(tmp_path: Path) -> None:
    report = play("whoops", tmp_path)

    assert (report["images"], report["revisions"], report["images_accepted"]) == (6, 7, 6)
    assert (report["control_answers"], report["saw_nothing"]) == (21, 3)
    assert (report["tests_passed"], report["tests_failed"]) == (5, 1)
    assert report["annotations"] == 30
    asked = [
        report[kind] for kind in ("weird_or_normal", "explanations", "questions_and_answers", "captions")
    ]
    assert asked == [12, 6, 16, 12]
    assert report["assignments_approved"] == report["assignments_submitted"]
    assert report["paid_for_images"] == "36.00"
    assert report["bonus_total"] == report["marketplace_bonus_total"]


@pytest.mark.parametrize("family", ["winoground", "whoops"])
def test_one_seed_gives_the_same_figures(family: str, tmp_path: Path) -> None:
    first, second = (play(family, tmp_path) for _ in range(2))

    assert {**first, "seconds": 0} == {**second, "seconds": 0}
