"""What other rooms add to the page of a release."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from crowd.releases.models import Release
from hits.admin.projects.project_cards import CardLink

_parts: dict[str, list["ReleasePart"]] = defaultdict(list)


@dataclass(frozen=True, kw_only=True)
class ReleasePart:
    """Sections at the end of a release's page, and links beside its actions.

    Both are shown for complete releases only.
    """

    template: str
    context: Callable[[HttpRequest, Release], Mapping[str, Any]]
    links: Callable[[HttpRequest, Release], Sequence[CardLink]]


def register(family: str, part: ReleasePart) -> None:
    """Register a part of the releases of one family, or of every family without a name."""
    _parts[family].append(part)


def parts_of(release: Release) -> Sequence[ReleasePart]:
    return [*_parts[""], *_parts[release.family]] if release.is_complete else []
