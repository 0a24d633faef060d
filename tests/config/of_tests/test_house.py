"""What the house refuses: names with two meanings, and folders that nobody can look through."""

from pathlib import PurePosixPath

import pytest

from tests import house

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    "places",
    [
        ["scoring/services/score_recording.py", "crowd/whoops/admin/judging.py"],
        ["hits/work/services/answers.py", "hits/sync/domain/answers.py"],
        ["hits/admin/people/letters.py", "hits/admin/payments/letters.py"],
        ["config/waking.py", "hits/common/wake.py"],
    ],
)
def test_names_that_see_each_other_are_told(places: list[str]) -> None:
    (told,) = house.two_meanings(map(PurePosixPath, places))

    assert told == f"{PurePosixPath(places[0]).stem} means several things: {', '.join(places)}"


@pytest.mark.parametrize(
    "places",
    [
        ["scoring/models/verdicts.py", "scoring/admin/verdicts.py"],
        ["crowd/whoops/design/services/workspace_links.py", "crowd/winoventi/services/links.py"],
        ["crowd/marketplace/models/parties.py", "qualifications/domain/people.py"],
        ["hits/data/services.py", "hits/work/services.py"],
        ["hits/management/commands/replay.py", "crowd/winoventi/replaying/replay.py"],
        ["tests/words.py", "qualifications/words.py"],
    ],
)
def test_layers_families_and_the_marketplace_may_share_a_name(places: list[str]) -> None:
    assert list(house.two_meanings(map(PurePosixPath, places))) == []


def test_large_folders_are_told() -> None:
    large = [PurePosixPath(f"a/m{number}.py") for number in range(house.MOST_MODULES + 1)]
    small = [PurePosixPath("b/__init__.py"), *large[:-1]]

    assert list(house.large_folders(large, known=[])) == ["a holds 26 modules, more than 25"]
    assert list(house.large_folders(large, known=["a"])) == []
    assert list(house.large_folders(small, known=["a"])) == [
        "a is no longer too large: strike it from the list"
    ]


def test_this_house_is_in_order() -> None:
    assert house.main() == 0
