"""Takes metadata out of a file and leaves its pixels as they are: no camera, no place, no date, no comment.

Color profiles stay, for without them the picture would look different.
"""

import struct
from collections.abc import Iterator

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_METADATA = frozenset({b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME", b"dSIG"})
WEBP_METADATA = frozenset({b"EXIF", b"XMP "})
# The flags of a VP8X heading that say there is EXIF or XMP.
WEBP_FLAGS = 0x08 | 0x04
SOI, EOI, SOS = 0xD8, 0xD9, 0xDA
# Markers that stand alone: no length follows them.
ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
APPS = range(0xE0, 0xF0)
COMMENT = 0xFE


def strip_png(data: bytes) -> bytes:
    """Raises ValueError or struct.error for a file that ends too early. What follows its end goes too."""
    if not data.startswith(PNG_SIGNATURE):
        raise ValueError("no PNG")
    kept, at = [PNG_SIGNATURE], len(PNG_SIGNATURE)
    while True:
        (length,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 12 + length
        if end > len(data):
            raise ValueError("a chunk is cut off")
        if kind not in PNG_METADATA:
            kept.append(data[at:end])
        if kind == b"IEND":
            return b"".join(kept)
        at = end


def strip_jpeg(data: bytes) -> bytes:
    """Raises ValueError, IndexError or struct.error for a file that ends too early."""
    kept = [b"\xff\xd8"]
    for marker, segment in _segments(data):
        if _is_kept(marker, segment):
            kept.append(segment)
    return b"".join(kept)


def strip_webp(data: bytes) -> bytes:
    """Raises ValueError or struct.error for a file that ends too early."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError("no WebP")
    end = 8 + int(struct.unpack_from("<I", data, 4)[0])
    kept, at = [], 12
    while at + 8 <= min(end, len(data)):
        kind = data[at : at + 4]
        (length,) = struct.unpack_from("<I", data, at + 4)
        chunk = data[at : at + 8 + length]
        if len(chunk) < 8 + length:
            raise ValueError("a chunk is cut off")
        at += 8 + length + length % 2
        if kind == b"VP8X":
            chunk = chunk[:8] + bytes([chunk[8] & ~WEBP_FLAGS]) + chunk[9:]
        if kind not in WEBP_METADATA:
            kept.append(chunk + b"\0" * (length % 2))
    body = b"WEBP" + b"".join(kept)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each marker with what belongs to it, up to the end of the image; of a scan, its coded pixels too."""
    if data[:2] != b"\xff\xd8":
        raise ValueError("no JPEG")
    at = 2
    while True:
        if data[at] != 0xFF:
            raise ValueError("no marker where one belongs")
        while data[at + 1] == 0xFF:  # fill bytes
            at += 1
        marker = data[at + 1]
        if marker == EOI:
            yield marker, data[at : at + 2]
            return
        end = at + 2 if marker in ALONE else at + 2 + int(struct.unpack_from(">H", data, at + 2)[0])
        if marker == SOS:
            end = _end_of_scan(data, end)
        if end > len(data):
            raise ValueError("a segment is cut off")
        yield marker, data[at:end]
        at = end


def _end_of_scan(data: bytes, at: int) -> int:
    """Where the next marker stands that is neither a stuffed byte nor a restart."""
    while True:
        at = data.index(b"\xff", at)
        following = data[at + 1]
        if following not in (0x00, 0xFF) and following not in ALONE:
            return at
        at += 1 if following == 0xFF else 2


def _is_kept(marker: int, segment: bytes) -> bool:
    body = segment[4:]
    if marker == COMMENT:
        return False
    if marker in APPS:
        return body.startswith((b"JFIF\0", b"JFXX\0", b"ICC_PROFILE\0", b"Adobe"))
    return True
