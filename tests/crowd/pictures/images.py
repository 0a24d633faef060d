"""Little pictures, drawn when a test asks for them."""

from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

from django.core.files.storage import default_storage
from PIL import Image

from crowd.pictures.bringing.import_lines import Line
from crowd.pictures.files.contents import read_content
from crowd.pictures.models import Picture
from crowd.pictures.services.picture_entry import bring_in

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


def draw(*, seed: int = 0, size: tuple[int, int] = (120, 80), mode: str = "RGB") -> Image.Image:
    """A picture of large squares in random colors; no two seeds look alike."""
    rng = Random(seed)
    small = Image.new("RGB", (6, 5))
    small.putdata([(rng.randrange(256), rng.randrange(256), rng.randrange(256)) for _ in range(30)])
    return small.resize(size, Image.Resampling.NEAREST).convert(mode)


def encode(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    content = BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


def png(*, seed: int = 0, size: tuple[int, int] = (120, 80)) -> bytes:
    return encode(draw(seed=seed, size=size))


def svg(inside: str = "<rect width='9' height='9'/>") -> bytes:
    return SVG.format(inside).encode()


def pixels(content: bytes) -> bytes:
    with Image.open(BytesIO(content)) as image:
        return image.convert("RGBA").tobytes()


def archive(files: dict[str, bytes]) -> bytes:
    content = BytesIO()
    with ZipFile(content, "w") as zip_file:
        for name, data in files.items():
            zip_file.writestr(name, data)
    return content.getvalue()


def make_raster(*, seed: int = 0, concept: str = "owl", is_checked: bool = True, **words: str) -> Picture:
    """A raster picture in the pool, as an import adds it."""
    line = Line(place="Line 2", concept=concept, file="a.png", **words)
    return bring_in(line, content=read_content(png(seed=seed)), is_checked=is_checked).picture


def make_waiting(count: int) -> list[Picture]:
    return [
        make_raster(seed=seed, concept=f"thing {'abcdefghij'[seed]}", is_checked=False)
        for seed in range(count)
    ]


def kept_files() -> set[str]:
    """Paths of all files in the media folder."""
    root = Path(default_storage.path(""))
    return {one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file()}
