"""Splits of a release, as columns: the same seed makes the same splits, from the rows and pictures alone."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from hits.datasets.columns import INTEGER, TEXT, column

TRAIN, TEST = "train", "test"
# Of a hundred items, how many are in the training split.
TRAIN_SHARE = 80
FOLDS = 5
SPLIT = column("split", TEXT, f"train for {TRAIN_SHARE} items of a hundred, test for the others")
HALF = column("half", TEXT, "train or test: half of the pairs each, no pair divided")
FOLD = column(
    "fold",
    INTEGER,
    f"one of {FOLDS} parts, none of which shares a picture with another; in split n, part n is for "
    "testing, the next part (after the last the first) for validation, the other three for training",
)


def split_of(item: str, *, seed: int) -> str:
    return TRAIN if _share(seed, "split", item) < TRAIN_SHARE else TEST


def half_of(pair: str, *, seed: int) -> str:
    return TRAIN if _share(seed, "half", pair) < 50 else TEST


def fold_of(item: str, *, seed: int) -> int:
    return 1 + _share(seed, "fold", item) * FOLDS // 100


def _share(seed: int, kind: str, name: str) -> int:
    """Return a whole number below a hundred. Rows that come later change none."""
    digest = sha256(f"{seed}:{kind}:{name}".encode()).digest()
    return int.from_bytes(digest[:8]) * 100 >> 64


class PictureGroups:
    """Groups of pictures that items have in common, directly or through other items."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def join(self, pictures: Iterable[str]) -> None:
        """Note the pictures of one item."""
        groups = sorted(self.group_of(one) for one in pictures)
        # The smallest name wins, so that the order of the rows plays no part.
        self._parents.update(dict.fromkeys(groups, groups[0]))

    def group_of(self, picture: str) -> str:
        root = self._parents.setdefault(picture, picture)
        while root != self._parents[root]:
            root = self._parents[root]
        while picture != root:  # the next way is short
            self._parents[picture], picture = root, self._parents[picture]
        return root

    def groups(self) -> Mapping[str, str]:
        return {picture: self.group_of(picture) for picture in list(self._parents)}
