"""Detection of what a file really is, whatever its name says, and the content that is kept of it."""

from dataclasses import dataclass
from hashlib import sha256

from crowd.pictures.errors import BadPicture
from crowd.pictures.files import raster, svg

MOST_BYTES = 20_000_000
MOST_SVG_BYTES = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Content:
    """A harmless, upright picture without metadata: the very bytes that are served."""

    data: bytes
    media_type: str
    original_sha256: str


def read_content(data: bytes) -> Content:
    """The content to keep of a file. Raises BadPicture for anything but a picture that we would serve."""
    if not data:
        raise BadPicture("The file is empty.")
    if len(data) > MOST_BYTES:
        raise BadPicture(f"The file has more than {MOST_BYTES // 1_000_000} MB. Make the picture smaller.")
    original = sha256(data).hexdigest()
    if svg.is_like_svg(data):
        if len(data) > MOST_SVG_BYTES:
            raise BadPicture(f"The drawing has more than {MOST_SVG_BYTES // 1_000_000} MB. Save it as PNG.")
        svg.check_svg(data)
        return Content(data=data, media_type=svg.MEDIA_TYPE, original_sha256=original)
    clean, media_type = raster.clean(data)
    return Content(data=clean, media_type=media_type, original_sha256=original)
