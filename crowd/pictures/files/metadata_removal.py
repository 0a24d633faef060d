"""Removal of metadata from a file, its pixels as they are: no camera, no place, no date, no comment.

Color profiles stay, for without them the picture would look different.
"""

import re
import struct
from collections.abc import Iterator

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_METADATA = frozenset({b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME", b"dSIG"})
WEBP_METADATA = frozenset({b"EXIF", b"XMP "})
# The flags of a VP8X header that say there is EXIF or XMP.
WEBP_FLAGS = 0x08 | 0x04
SOI, EOI, SOS = 0xD8, 0xD9, 0xDA
JPEG_SIGNATURE = b"\xff\xd8"
# The end of coded pixels: a marker that is neither a stuffed byte nor a restart.
END_OF_SCAN = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
# Cameras write about ten scans. Thousands of them over a large picture would take minutes to draw.
MOST_SCANS = 100
# Cameras write two or three pictures into one file. Millions of empty ones would take seconds to read.
MOST_FRAMES = 100
# The most chunks or segments. A file of twenty megabytes has some thousands.
MOST_PARTS = 100_000
# Markers that no length follows.
ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
APPS = range(0xE0, 0xF0)
COMMENT = 0xFE


def strip_png(data: bytes) -> bytes:
    """The PNG without metadata or bytes after its end. Raises ValueError or struct.error if cut off."""
    kept = [data[start:end] for kind, start, end in _chunks(data) if kind not in PNG_METADATA]
    return PNG_SIGNATURE + b"".join(kept)


def strip_jpeg(data: bytes) -> bytes:
    """The JPEG without metadata. Raises ValueError, IndexError or struct.error if the file ends too early."""
    segments = ((marker, data[start:end]) for marker, start, end in _segments(data, 0))
    return JPEG_SIGNATURE + b"".join(segment for marker, segment in segments if _is_kept(marker, segment))


def strip_webp(data: bytes) -> bytes:
    """The WebP without metadata. Raises ValueError or struct.error if the file ends too early."""
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


def end_of_png(data: bytes) -> int:
    """The place where a PNG ends within its file. Raises what stripping raises, like the two below."""
    return max(end for _, _, end in _chunks(data))


def end_of_jpeg(data: bytes) -> int:
    """The place where the last picture of a JPEG file ends: cameras may write several one after the other."""
    end = _end_of_one(data, 0)
    for _ in range(MOST_FRAMES):
        if not data.startswith(JPEG_SIGNATURE, end):
            return end
        end = _end_of_one(data, end)
    raise ValueError("too many pictures")


def end_of_webp(data: bytes) -> int:
    (length,) = struct.unpack_from("<I", data, 4)
    end = 8 + int(length) + int(length) % 2
    if end > len(data):
        raise ValueError("a chunk is cut off")
    return end


def _end_of_one(data: bytes, at: int) -> int:
    return max(end for _, _, end in _segments(data, at))


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """The kind, start and end of each chunk."""
    if not data.startswith(PNG_SIGNATURE):
        raise ValueError("no PNG")
    at = len(PNG_SIGNATURE)
    for _ in range(MOST_PARTS):
        (length,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 12 + length
        if end > len(data):
            raise ValueError("a chunk is cut off")
        yield kind, at, end
        if kind == b"IEND":
            return
        at = end
    raise ValueError("too many chunks")


def _segments(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """The marker, start and end of each segment up to the end; a scan includes its coded pixels."""
    if not data.startswith(JPEG_SIGNATURE, at):
        raise ValueError("no JPEG")
    at += len(JPEG_SIGNATURE)
    scans = 0
    for _ in range(MOST_PARTS):
        if data[at] != 0xFF:
            raise ValueError("no marker where one belongs")
        while data[at + 1] == 0xFF:  # fill bytes
            at += 1
        marker = data[at + 1]
        if marker == EOI:
            yield marker, at, at + 2
            return
        end = at + 2 if marker in ALONE else at + 2 + int(struct.unpack_from(">H", data, at + 2)[0])
        if marker == SOS:
            scans += 1
            end = _end_of_scan(data, end)
        if end > len(data) or scans > MOST_SCANS:
            raise ValueError("a segment is cut off, or there are too many")
        yield marker, at, end
        at = end
    raise ValueError("too many segments")


def _end_of_scan(data: bytes, at: int) -> int:
    found = END_OF_SCAN.search(data, at)
    if found is None:
        raise ValueError("a scan is cut off")
    return found.start()


def _is_kept(marker: int, segment: bytes) -> bool:
    body = segment[4:]
    if marker == COMMENT:
        return False
    if marker in APPS:
        return body.startswith((b"JFIF\0", b"JFXX\0", b"ICC_PROFILE\0", b"Adobe"))
    return True
