"""Where a model's captions of one scene go wrong: weird image, normal partner or natural partner."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Rights(NamedTuple):
    """Whether the caption of each variant of one scene is right."""

    weird: bool
    normal: bool
    natural: bool


# Patterns in the order of the paper's table.
PATTERNS: Mapping[Rights, str] = {
    Rights(True, True, True): "Right for all three",
    Rights(False, True, True): "Wrong for the weird image only: an error of common sense",
    Rights(False, False, False): "Wrong for all three",
    Rights(False, True, False): "Right for the normal image only",
    Rights(True, False, True): "Wrong for the normal image only",
    Rights(True, True, False): "Wrong for the natural image only",
    Rights(False, False, True): "Right for the natural image only",
    Rights(True, False, False): "Right for the weird image only",
}


def count_patterns(scenes: Iterable[Rights]) -> dict[Rights, int]:
    """Count the scenes of every pattern; a pattern with no scene counts 0."""
    counted = Counter(scenes)
    return {pattern: counted[pattern] for pattern in PATTERNS}
