"""Models whose answers were uploaded, beside people: what players may see of a study's published data.

Providers register here, the web game reads it here, and neither knows the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hits.studies.models import Study


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """Mean Jaccard index of a model, or of people, in percent."""

    name: str
    mean: float
    is_people: bool = False


@dataclass(frozen=True, kw_only=True)
class UploadedModels:
    """Models and people over the same associations, the best first; `data` names these."""

    data: str
    rows: Sequence[ModelRow]


Provider = Callable[[Study], UploadedModels | None]
_providers: list[Provider] = []


def register_uploaded_models(provider: Provider) -> None:
    """Register a provider: called once, in an AppConfig.ready."""
    if provider not in _providers:
        _providers.append(provider)


def uploaded_models_of(study: Study) -> UploadedModels | None:
    """Uploaded models of a study's newest published data; None where there are none."""
    return next((found for provider in _providers if (found := provider(study))), None)
