"""What other rooms add to the page of a release."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from crowd.releases.models import Release

_parts: dict[str, list["ReleasePart"]] = defaultdict(list)


def _nothing(request: HttpRequest, release: Release) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, kw_only=True)
class ReleasePart:
    """Sections at the end of the page of a complete release."""

    template: str
    context: Callable[[HttpRequest, Release], Mapping[str, Any]] = _nothing


def register(family: str, part: ReleasePart) -> None:
    """Register a part of the releases of one family, or of every family without a name."""
    _parts[family].append(part)


def parts_of(release: Release) -> Sequence[ReleasePart]:
    return [*_parts[""], *_parts[release.family]] if release.is_complete else []
