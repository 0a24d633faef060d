"""Labels that people have given to associations, for whoever releases them. Neither side knows the other."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class GivenLabels:
    """Labels of one association that most of its annotators have named.

    `types` are by the position of a candidate. `skills` is None where nobody was asked, and empty where no
    skill was named by most.
    """

    types: dict[int, str] = field(default_factory=dict)
    skills: Sequence[str] | None = None


# Finds labels by the keys of associations.
Provider = Callable[[Collection[int]], Mapping[int, GivenLabels]]
_providers: list[Provider] = []


def register_labels(provider: Provider) -> None:
    """Register a provider of labels: called once, in an AppConfig.ready."""
    if provider not in _providers:
        _providers.append(provider)


def labels_of(associations: Collection[int]) -> dict[int, GivenLabels]:
    """Return the labels of those associations that have any."""
    return {key: found for provider in _providers for key, found in provider(associations).items()}
