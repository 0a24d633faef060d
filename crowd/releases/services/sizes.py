"""The size of a release, told before it is made."""

from dataclasses import dataclass

from django.db.models import QuerySet

from crowd.pictures.models import Picture

# So many files are looked at; the rest is taken to be as large on average.
LOOKED_AT = 1_000


@dataclass(frozen=True, kw_only=True)
class ExpectedSize:
    """How many pictures could be part of it, and about how many bytes they have."""

    pictures: int
    bytes: int


def expected_size(pictures: QuerySet[Picture]) -> ExpectedSize:
    count = pictures.count()
    found = [size for one in pictures.order_by("pk")[:LOOKED_AT] if (size := _size_of(one)) is not None]
    average = sum(found) / len(found) if found else 0
    return ExpectedSize(pictures=count, bytes=round(average * count))


def _size_of(picture: Picture) -> int | None:
    try:
        return picture.file.size
    except OSError:
        return None
