"""Splits of a release, as columns: the same seed makes the same splits, from the rows and pictures alone."""

from array import array
from collections.abc import Iterable
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
    """Groups of pictures that items have in common, directly or through other items; pictures are numbers."""

    def __init__(self) -> None:
        self._parents = array("L")

    def join(self, pictures: Iterable[int]) -> None:
        """Note the pictures of one item."""
        groups = sorted(self.group_of(one) for one in pictures)
        for one in groups:
            self._parents[one] = groups[0]

    def group_of(self, picture: int) -> int:
        """Return the smallest number of the picture's group."""
        self._parents.extend(range(len(self._parents), picture + 1))
        root = picture
        while root != self._parents[root]:
            root = self._parents[root]
        while picture != root:  # the next way is short
            self._parents[picture], picture = root, self._parents[picture]
        return root
