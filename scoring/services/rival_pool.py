"""The pool's pictures as rivals know them. The room above says when a picture enters or changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from scoring.models import PoolPicture, Vector


@dataclass(frozen=True, kw_only=True)
class Entering:
    sha256: str
    # Below the media folder.
    path: str
    caption: str


def enter_pool(pictures: Sequence[Entering]) -> None:
    """Add new pictures, and update corrected captions. Embedding follows by itself."""
    PoolPicture.objects.bulk_create(
        [
            PoolPicture(
                sha256=one.sha256,
                path=one.path,
                caption=one.caption,
                caption_sha256=sha256(one.caption.encode()).hexdigest(),
            )
            for one in pictures
        ],
        update_conflicts=True,
        unique_fields=["sha256"],
        update_fields=["path", "caption", "caption_sha256"],
    )
    # A file that was missing or broken may be whole now.
    Vector.objects.filter(values=None, content_sha256__in=[one.sha256 for one in pictures]).delete()
