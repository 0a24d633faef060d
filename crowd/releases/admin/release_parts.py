"""What a family adds to the page of its releases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from crowd.releases.models import Release
from hits.admin.projects.project_cards import CardLink

_parts: dict[str, "ReleasePart"] = {}


@dataclass(frozen=True, kw_only=True)
class ReleasePart:
    """Sections of a family at the end of a release's page, and links beside its actions.

    Both are shown for complete releases only.
    """

    template: str
    context: Callable[[HttpRequest, Release], Mapping[str, Any]]
    links: Callable[[HttpRequest, Release], Sequence[CardLink]]


def register(family: str, part: ReleasePart) -> None:
    _parts[family] = part


def part_of(release: Release) -> ReleasePart | None:
    return _parts.get(release.family)
