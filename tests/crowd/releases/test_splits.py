"""Splits by a seed: shares, what stays together, and what later rows do not change."""

from collections import Counter, defaultdict
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
    chains = [["c", "d"], ["x"], ["a", "b"], ["b", "c"], ["y", "z"]]

    def groups(items: list[list[str]]) -> dict[str, str]:
        found = PictureGroups()
        for pictures in items:
            found.join(pictures)
        return dict(found.groups())

    expected = {"a": "a", "b": "a", "c": "a", "d": "a", "x": "x", "y": "y", "z": "y"}
    assert groups(chains) == groups(chains[::-1]) == expected


def test_a_long_chain_is_one_group() -> None:
    names = [f"{number:06}" for number in range(20_000)]
    found = PictureGroups()
    for pair in pairwise(names):
        found.join(pair)

    members = defaultdict(list)
    for name, group in found.groups().items():
        members[group].append(name)
    assert list(members) == [names[0]]
