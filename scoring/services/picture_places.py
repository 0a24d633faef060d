"""Where the files of pictures are that models are asked about. The room above that keeps them says so."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from scoring.models import PoolPicture


@dataclass(frozen=True, kw_only=True)
class PlacedPicture:
    # Below the media folder.
    path: str
    caption: str


# Finds pictures by the SHA-256 of their files.
Finder = Callable[[Collection[str]], Mapping[str, PlacedPicture]]
_finders: list[Finder] = []


def register_finder(finder: Finder) -> None:
    """Register a room that keeps pictures outside the pool. Called from an AppConfig.ready."""
    if finder not in _finders:
        _finders.append(finder)


def find_pictures(digests: Collection[str]) -> dict[str, PlacedPicture]:
    """Return the pictures among these that somebody keeps: those of the pool, and others."""
    wanted = set(digests)
    rows = PoolPicture.objects.filter(sha256__in=wanted).values_list("sha256", "path", "caption")
    found = {sha256: PlacedPicture(path=path, caption=caption) for sha256, path, caption in rows}
    for finder in _finders:
        if missing := wanted - found.keys():
            found |= finder(missing)
    return found


def captions_of(digests: Collection[str]) -> dict[str, str]:
    """Return the captions of the pictures among these that somebody keeps."""
    return {sha256: one.caption for sha256, one in find_pictures(digests).items()}
