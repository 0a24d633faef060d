"""Files of pictures, opened for models that see pixels."""

import struct
import warnings
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from PIL import Image

from scoring.rivals.interface import Picture, UnreadablePicture

Read = TypeVar("Read")
# The usual formats on the web. Pillow knows others, some of which start other programs.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
# The shorter side is scaled to the model's, so a line of pixels would become a giant picture.
MOST_ELONGATED = 100
# All exceptions that Pillow and torchvision raise, as seen or documented, over a file's content.
BROKEN = (OSError, SyntaxError, ValueError, TypeError, IndexError, EOFError, struct.error)
TOO_LARGE = (Image.DecompressionBombError, Image.DecompressionBombWarning)


def read_picture(picture: Picture, read: Callable[[Image.Image], Read]) -> Read:
    """What `read` makes of the open picture.

    Raises UnreadablePicture if it cannot be read or is too large.
    """
    content = _content_of(picture)
    name = _name_of(picture)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(content), formats=FORMATS) as image:
                _refuse_a_line(image, name=name)
                return read(image)
    except TOO_LARGE as problem:
        raise UnreadablePicture(
            f"The picture {name} has too many pixels. Make it smaller and add it again."
        ) from problem
    except BROKEN as problem:
        raise UnreadablePicture(_why_unreadable(content, name=name)) from problem


def _name_of(picture: Picture) -> str:
    return Path(picture.path).name or picture.sha256


def _content_of(picture: Picture) -> bytes:
    """The file's bytes. Raises UnreadablePicture if they are not the ones that were added."""
    name = _name_of(picture)
    try:
        content = Path(picture.path).read_bytes()
    except OSError as problem:
        raise UnreadablePicture(
            f"The file of the picture {name} cannot be opened ({problem.strerror}). "
            "Put it back where it was, or add the picture again."
        ) from problem
    found = sha256(content).hexdigest()
    if picture.sha256 and found != picture.sha256:
        raise UnreadablePicture(
            f"The file of the picture {name} is not the one that was added: its SHA-256 is {found}, "
            f"not {picture.sha256}. Put the old one back, or add this one as another picture."
        )
    return content


def _refuse_a_line(image: Image.Image, *, name: str) -> None:
    if max(image.size) > MOST_ELONGATED * min(image.size):
        raise UnreadablePicture(
            f"The picture {name} is over {MOST_ELONGATED} times as long as it is wide, or the reverse. "
            "Crop it and add it again."
        )


def _why_unreadable(content: bytes, *, name: str) -> str:
    if b"<svg" in content[:4096].lower():
        return (
            f"The picture {name} is an SVG drawing, and CLIP sees only pixels. "
            "Add it as PNG, or ask a rival that reads captions."
        )
    return (
        f"The picture {name} cannot be read: it is damaged, or none of {', '.join(FORMATS)}. "
        "Save it again as PNG or JPEG and add that."
    )
