"""Splits by a seed: shares, what stays together, and what later rows do not change."""

from collections import Counter
from itertools import pairwise

from crowd.releases.splits import FOLDS, PictureGroups, fold_of, half_of, split_of


def test_four_fifths_are_for_training() -> None:
    found = Counter(split_of(f"item {number}", seed=7) for number in range(10_000))

    assert 0.78 < found["train"] / 10_000 < 0.82
    assert set(found) == {"train", "test"}


def test_halves_and_folds_are_of_about_the_same_size() -> None:
    halves = Counter(half_of(f"pair {number}", seed=7) for number in range(10_000))
    folds = Counter(fold_of(f"item {number}", seed=7) for number in range(10_000))

    assert 0.48 < halves["train"] / 10_000 < 0.52
    assert sorted(folds) == list(range(1, FOLDS + 1))
    assert all(0.18 < count / 10_000 < 0.22 for count in folds.values())


def test_another_seed_makes_another_split() -> None:
    def splits(seed: int) -> list[str]:
        return [split_of(f"item {number}", seed=seed) for number in range(200)]

    assert splits(1) == splits(1)
    assert splits(1) != splits(2)


def test_items_that_share_a_picture_are_of_one_group_in_any_order() -> None:
    chains = [[3, 4], [9], [1, 2], [2, 3], [7, 8]]

    def groups(items: list[list[int]]) -> dict[int, int]:
        found = PictureGroups()
        for pictures in items:
            found.join(pictures)
        return {picture: found.group_of(picture) for picture in (1, 2, 3, 4, 7, 8, 9)}

    expected = {1: 1, 2: 1, 3: 1, 4: 1, 7: 7, 8: 7, 9: 9}
    assert groups(chains) == groups(chains[::-1]) == expected


def test_a_long_chain_is_one_group() -> None:
    found = PictureGroups()
    for pair in pairwise(range(20_000)):
        found.join(pair)

    assert {found.group_of(picture) for picture in range(20_000)} == {0}
