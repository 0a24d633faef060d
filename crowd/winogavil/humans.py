"""How well people new to a study solve its selected associations: the humans' row beside the models.

Providers register here, comparisons of models read it here, and neither knows the other.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from hits.studies.models import Study


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """Exact sums: how many associations, and the sum of their mean Jaccard index.

    They are by origin (True: an instance of the SWOW baseline) and number of candidates.
    """

    sums: Mapping[tuple[bool, int], tuple[int, Fraction]]

    def count(self, *sizes: int) -> int:
        """Number of the game's associations with these numbers of candidates, or with any number."""
        return sum(count for count, _ in self._of(sizes))

    def mean(self, *sizes: int) -> Fraction | None:
        """Mean for these numbers of candidates, or for all; None where nobody has solved any."""
        count = self.count(*sizes)
        return sum((total for _, total in self._of(sizes)), Fraction(0)) / count if count else None

    def _of(self, sizes: Collection[int]) -> list[tuple[int, Fraction]]:
        return [
            found
            for (from_list, size), found in self.sums.items()
            if not from_list and (not sizes or size in sizes)
        ]


Provider = Callable[[Study], Baseline | None]
_providers: list[Provider] = []


def register_baseline(provider: Provider) -> None:
    """Register a provider of the baseline: called once, in an AppConfig.ready."""
    if provider not in _providers:
        _providers.append(provider)


def baseline_of(study: Study) -> Baseline | None:
    """Human baseline of a study; None where no newcomer has solved anything yet."""
    return next((found for provider in _providers if (found := provider(study))), None)
