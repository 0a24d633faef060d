"""How well people who are new to a study solve what it selected: the humans' row beside the models.

Found out by whoever registers here, read wherever models are compared, and neither knows the other.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from hits.studies.models import Study


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """Exact. By number of candidates: how many associations, and the sum of their mean Jaccard indices."""

    sums: Mapping[int, tuple[int, Fraction]]

    def count(self, *sizes: int) -> int:
        """Of these numbers of candidates, or of all."""
        return sum(count for count, _ in self._of(sizes))

    def mean(self, *sizes: int) -> Fraction | None:
        """None where nobody has solved any."""
        count = self.count(*sizes)
        return sum((total for _, total in self._of(sizes)), Fraction(0)) / count if count else None

    def _of(self, sizes: Collection[int]) -> list[tuple[int, Fraction]]:
        return [found for size, found in self.sums.items() if not sizes or size in sizes]


Provider = Callable[[Study], Baseline | None]
_providers: list[Provider] = []


def register_baseline(provider: Provider) -> None:
    """Called once, in an AppConfig.ready."""
    if provider not in _providers:
        _providers.append(provider)


def baseline_of(study: Study) -> Baseline | None:
    """None where no newcomer has solved anything yet."""
    return next((found for provider in _providers if (found := provider(study))), None)
