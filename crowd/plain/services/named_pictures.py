"""Lookup of the picture that a cell names: by its digest, its key, its source, or its concept alone."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.db.models import Q

from crowd.pictures.models import Picture

AT_ONCE = 500
# The surest name first.
FIELDS = ("sha256", "original_sha256", "key", "source", "concept")


class Unknown(ValueError):
    """A name of no picture, or of too many; the message says which picture is meant."""


class Pool:
    """Pictures by all that these cells may call them."""

    def __init__(self, names: Collection[str]) -> None:
        self._found: Mapping[str, defaultdict[str, list[Picture]]] = {
            field: defaultdict(list) for field in FIELDS
        }
        wanted = sorted(set(names))
        for start in range(0, len(wanted), AT_ONCE):
            self._read(wanted[start : start + AT_ONCE])

    def find(self, name: str) -> Picture:
        """The one fit picture of this name. Raises Unknown."""
        named = next((found[name] for found in self._found.values() if found.get(name)), [])
        fit = [picture for picture in named if picture.status == Picture.Status.FIT]
        if not named:
            raise Unknown(f"“{name:.80}” is no picture of the pool.")
        if not fit:
            raise Unknown(f"the picture “{name:.80}” is not fit to be shown: look at it in the pool.")
        if len(fit) > 1:
            raise Unknown(f"“{name:.80}” names {len(fit)} pictures. Give the SHA-256 of one.")
        return fit[0]

    def _read(self, names: Collection[str]) -> None:
        asked = Q()
        for field in FIELDS:
            asked |= Q(**{f"{field}__in": names})
        for picture in Picture.objects.filter(asked).only("pk", "status", *FIELDS):
            for field in FIELDS:
                self._found[field][getattr(picture, field)].append(picture)
