"""Pages about one batch that rooms above keep: they announce them, and every page of a batch links there."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hits.identity.models.users import User
from hits.studies.models import Batch

_pages: list["BatchPage"] = []


@dataclass(frozen=True, kw_only=True)
class BatchPage:
    name: str
    permissions: Sequence[str]
    address: Callable[[Batch], str]
    # The batches that it is about; None: all of them.
    is_for: Callable[[Batch], bool] | None = None


class BatchLink(NamedTuple):
    name: str
    address: str


def announce(page: BatchPage) -> None:
    """Announce a page of a batch. Called from an AppConfig.ready."""
    _pages.append(page)


def links_of(batch: Batch, *, user: User) -> Iterator[BatchLink]:
    """Yield each page that this user may see."""
    for page in _pages:
        if user.has_perms(page.permissions) and (page.is_for is None or page.is_for(batch)):
            yield BatchLink(page.name, page.address(batch))
