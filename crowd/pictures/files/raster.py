"""Pictures of pixels: opened with care, turned upright, freed of metadata, made small."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

from django.utils.translation import gettext as _
from PIL import Image, ImageOps

from crowd.pictures.domain import signed
from crowd.pictures.errors import BadPicture
from crowd.pictures.files import metadata_removal

# The formats that every browser shows. Pillow knows others, some of which start other programs.
MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "WEBP": "image/webp"}
STRIPPERS = {
    "image/png": metadata_removal.strip_png,
    "image/jpeg": metadata_removal.strip_jpeg,
    "image/webp": metadata_removal.strip_webp,
}
FORMATS = ("PNG", "JPEG", "WEBP")
KINDS = "PNG, JPEG, WebP and SVG"
MOST_PIXELS = 40_000_000
SHORTEST_SIDE = 32
MOST_ELONGATED = 20
ORIENTATION = 0x0112
TURNED = range(2, 9)
LYING = range(5, 9)
# All errors that Pillow was seen or is documented to raise over a file's content.
BROKEN = (OSError, SyntaxError, ValueError, TypeError, IndexError, KeyError, EOFError, struct.error)
TOO_LARGE = (Image.DecompressionBombError, Image.DecompressionBombWarning)
HASH_SIDE = 8
LONGEST_READ = 2000


@dataclass(frozen=True, kw_only=True)
class PreparedPicture:
    """Values that are worked out of a picture once."""

    width: int
    height: int
    perceptual_hash: int
    # WebP files, by the length of the longer side.
    thumbnails: dict[int, bytes]


def clean(data: bytes) -> tuple[bytes, str]:
    """The same pixels without metadata, and their media type. Only turned pictures are encoded again."""
    with opened(data) as image:
        media_type = MEDIA_TYPES[image.format or ""]
        refuse_what_is_no_still(image)
        image.load()
        if image.getexif().get(ORIENTATION) in TURNED:
            return _upright(image), media_type
    try:
        return STRIPPERS[media_type](data), media_type
    except (ValueError, IndexError, struct.error) as problem:
        raise BadPicture("The picture is damaged. Save it again as PNG or JPEG, and add that.") from problem


def prepare(data: bytes, *, sizes: tuple[int, ...]) -> PreparedPicture:
    """Size, hash and thumbnails of a picture. Raises BadPicture."""
    with opened(data) as image:
        width, height = _shown_size(image)
        image.draft("RGB", (2 * max(sizes), 2 * max(sizes)))
        drawn = drawable(ImageOps.exif_transpose(image))
    return PreparedPicture(
        width=width,
        height=height,
        perceptual_hash=difference_hash(drawn),
        thumbnails={size: _thumbnail(drawn, size=size) for size in sizes},
    )


def for_reading(data: bytes) -> bytes:
    """A PNG on white, not larger than letters need. Raises BadPicture."""
    with opened(data) as image:
        image.draft("RGB", (LONGEST_READ, LONGEST_READ))
        drawn = _on_white(drawable(ImageOps.exif_transpose(image)))
    drawn.thumbnail((LONGEST_READ, LONGEST_READ), Image.Resampling.LANCZOS)
    content = BytesIO()
    drawn.save(content, "PNG", compress_level=1)
    return content.getvalue()


def difference_hash(image: Image.Image) -> int:
    """A 64-bit hash: whether brightness grows from a square to its neighbor. Scaling hardly changes it."""
    gray = _on_white(image).convert("L")
    pixels = gray.resize((HASH_SIDE + 1, HASH_SIDE), Image.Resampling.BOX).tobytes()
    bits = 0
    for row in range(HASH_SIDE):
        for column in range(HASH_SIDE):
            place = row * (HASH_SIDE + 1) + column
            bits = bits << 1 | (pixels[place] < pixels[place + 1])
    return signed(bits)


@contextmanager
def opened(data: bytes, *, wanted: str = KINDS) -> Iterator[Image.Image]:
    """Open a picture, whose header is judged before anything large is drawn. Any error raises BadPicture."""
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                words = _(
                    "The picture has %(width)d x %(height)d pixels, more than %(most)d million. "
                    "Make it smaller."
                )
                most = MOST_PIXELS // 1_000_000
                raise BadPicture(words % {"width": width, "height": height, "most": most})
            yield image
    except TOO_LARGE as problem:
        raise BadPicture(_("The picture has far too many pixels. Make it smaller.")) from problem
    except BROKEN as problem:
        words = _(
            "This is no picture that can be read: it is damaged, or none of %(wanted)s. "
            "Save it again as PNG or JPEG, and add that."
        )
        raise BadPicture(words % {"wanted": wanted}) from problem


def _shown_size(image: Image.Image) -> tuple[int, int]:
    """Width and height as shown: exchanged for a picture that lies on its side."""
    width, height = image.size
    return (height, width) if image.getexif().get(ORIENTATION) in LYING else (width, height)


def refuse_what_is_no_still(image: Image.Image) -> None:
    if getattr(image, "is_animated", False) and image.format != "MPO":
        raise BadPicture(_("The picture moves. Save one frame of it as PNG, and add that."))
    short, long = sorted(image.size)
    if short < SHORTEST_SIDE:
        words = _(
            "The picture has %(width)d x %(height)d pixels; its shorter side must have %(least)d at least."
        )
        size = {"width": image.width, "height": image.height, "least": SHORTEST_SIDE}
        raise BadPicture(words % size)
    if long > MOST_ELONGATED * short:
        words = _("The picture is over %(most)d times as long as it is wide. Crop it.")
        raise BadPicture(words % {"most": MOST_ELONGATED})


def _upright(image: Image.Image) -> bytes:
    turned = ImageOps.exif_transpose(image)
    kept = {"icc_profile": turned.info["icc_profile"]} if turned.info.get("icc_profile") else {}
    turned.info.clear()
    content = BytesIO()
    if image.format in ("JPEG", "MPO"):
        turned.save(content, "JPEG", quality=95, **kept)
    elif image.format == "WEBP":
        turned.save(content, "WEBP", lossless=True, **kept)
    else:
        turned.save(content, "PNG", **kept)
    return content.getvalue()


def drawable(image: Image.Image) -> Image.Image:
    """The image in a mode that WebP takes; 16 bits of gray become 8."""
    if image.mode.startswith("I"):
        return image.convert("I").point(lambda value: value / 256).convert("L").convert("RGB")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        return image.convert("RGBA")
    return image.convert("RGB")


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode != "RGBA":
        return image
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image)
    return ground.convert("RGB")


def _thumbnail(image: Image.Image, *, size: int) -> bytes:
    """A WebP thumbnail, never larger than the picture itself."""
    small = image.copy()
    small.thumbnail((size, size), Image.Resampling.LANCZOS)
    small.info.clear()
    content = BytesIO()
    small.save(content, "WEBP", quality=82, method=4)
    return content.getvalue()
