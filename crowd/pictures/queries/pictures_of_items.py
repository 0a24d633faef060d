"""Pictures of single items, which are in no pool, for models that are asked about them."""

from collections.abc import Collection, Mapping

from crowd.pictures.models import Picture
from scoring.services.picture_places import PlacedPicture


def find_kept(digests: Collection[str]) -> Mapping[str, PlacedPicture]:
    """Return the pictures among these that were not removed, by their digests."""
    kept = Picture.objects.filter(sha256__in=digests).exclude(status=Picture.Status.REMOVED)
    rows = kept.values_list("sha256", "file", "caption", "concept")
    return {
        sha256: PlacedPicture(path=file, caption=caption or concept)
        for sha256, file, caption, concept in rows
    }
