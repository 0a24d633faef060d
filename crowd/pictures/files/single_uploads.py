"""Single pictures that are uploaded by hand: whatever is served of one was drawn again, pixel by pixel."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from threading import Lock
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from PIL import Image, ImageCms

from crowd.pictures.errors import BadPicture
from crowd.pictures.files import metadata_removal, svg
from crowd.pictures.files.raster import (
    MOST_ELONGATED,
    MOST_PIXELS,
    ORIENTATION,
    SHORTEST_SIDE,
    drawable,
    opened,
    refuse_what_is_no_still,
)

MOST_BYTES = 20_000_000
KINDS = gettext_lazy("PNG, JPEG and WebP")
LIMITS = format_lazy(
    gettext_lazy(
        "{kinds}; at most {megabytes} MB and {megapixels} million pixels, {shortest} pixels at least on the "
        "shorter side, at most {elongated} times as long as wide. Camera, place and comments are taken out."
    ),
    kinds=KINDS,
    megabytes=MOST_BYTES // 1_000_000,
    megapixels=MOST_PIXELS // 1_000_000,
    shortest=SHORTEST_SIDE,
    elongated=MOST_ELONGATED,
)
# The first bytes of each kind of file, and the function that finds where its picture ends.
ENDS: dict[str, tuple[bytes, Callable[[bytes], int]]] = {
    "image/png": (metadata_removal.PNG_SIGNATURE, metadata_removal.end_of_png),
    "image/jpeg": (metadata_removal.JPEG_SIGNATURE, metadata_removal.end_of_jpeg),
    "image/webp": (b"RIFF", metadata_removal.end_of_webp),
}
ENCODED: dict[str, dict[str, Any]] = {
    "image/png": {"format": "PNG"},
    "image/jpeg": {"format": "JPEG", "quality": 92},
    "image/webp": {"format": "WEBP", "quality": 92, "method": 2},
}
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Forty million pixels take half a gigabyte while they are drawn: one picture at a time in a process.
drawing = Lock()


@dataclass(frozen=True, kw_only=True)
class Upload:
    """An uploaded picture. `data` is served, of pixels alone; `original` is the very bytes as they came."""

    data: bytes
    media_type: str
    width: int
    height: int
    original: bytes
    original_sha256: str
    name: str = ""


def read_upload(data: bytes, *, name: str = "") -> Upload:
    """Read a single still picture of pixels. Raises BadPicture, which says what to do, for anything else."""
    media_type = _media_type_of(data)
    _refuse_what_is_more_than_a_picture(data, media_type)
    with drawing:
        image = _drawn(data)
        encoded = _encode(image, media_type)
    return Upload(
        data=encoded,
        media_type=media_type,
        width=image.width,
        height=image.height,
        original=data,
        original_sha256=sha256(data).hexdigest(),
        name=name,
    )


def _media_type_of(data: bytes) -> str:
    """The media type by the first bytes, whatever the file's name. Raises BadPicture."""
    if not data:
        raise BadPicture(gettext("The file is empty. Choose the picture again."))
    if len(data) > MOST_BYTES:
        words = gettext("The file has more than %(most)d MB. Make the picture smaller.")
        raise BadPicture(words % {"most": MOST_BYTES // 1_000_000})
    for media_type, (signature, _) in ENDS.items():
        if data.startswith(signature):
            return media_type
    if svg.is_like_svg(data):
        raise BadPicture(
            gettext("This is a drawing (SVG), whatever it is called. Save it as PNG, and add that.")
        )
    words = gettext("This is none of %(kinds)s, whatever it is called. Save the picture as PNG or JPEG.")
    raise BadPicture(words % {"kinds": KINDS})


def _refuse_what_is_more_than_a_picture(data: bytes, media_type: str) -> None:
    """Raise BadPicture if an archive, a page or a program follows the picture; zeros may follow."""
    try:
        end = ENDS[media_type][1](data)
    except (ValueError, IndexError, struct.error) as problem:
        raise BadPicture(
            gettext(
                "The picture is cut off or damaged. Choose the whole file, or save it again as PNG or JPEG."
            )
        ) from problem
    if more := len(data[end:].strip(b"\0")):
        words = gettext(
            "The file holds more than its picture: %(more)d bytes follow the picture's end. "
            "Open it in a picture editor, save it again as PNG or JPEG, and add that."
        )
        raise BadPicture(words % {"more": more})


def _drawn(data: bytes) -> Image.Image:
    """The image upright, in the colors of the web, in a mode that every format takes."""
    with opened(data, wanted=str(KINDS)) as image:
        refuse_what_is_no_still(image)
        image.load()
        turn = TURNS.get(image.getexif().get(ORIENTATION, 1))
        drawn = _in_srgb(image)
        return drawn.transpose(turn) if turn is not None else drawn


def _in_srgb(image: Image.Image) -> Image.Image:
    """The image in sRGB, without its color profile. A profile that is broken or does not fit is ignored."""
    profile = image.info.get("icc_profile")
    if profile:
        source = image if image.mode in ("L", "RGB", "RGBA", "CMYK") else drawable(image)
        mode = "RGBA" if source.mode == "RGBA" else "RGB"
        try:
            found = ImageCms.ImageCmsProfile(BytesIO(profile))
            converted = ImageCms.profileToProfile(
                source, found, ImageCms.createProfile("sRGB"), outputMode=mode
            )
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            return drawable(image)
        if converted is not None:
            return converted
    return drawable(image)


def _encode(image: Image.Image, media_type: str) -> bytes:
    image.info.clear()
    content = BytesIO()
    image.save(content, **ENCODED[media_type])
    return content.getvalue()
