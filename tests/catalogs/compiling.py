"""Compiled catalogs (.mo): the form that gettext reads, made without its tools, and always the same."""

import struct
from collections.abc import Iterable

from tests.catalogs.entries import Catalog, Entry, header_of

MAGIC = 0x950412DE
HEAD = struct.Struct("<7I")
PAIR = struct.Struct("<2I")
CONTEXT_END, NEXT_FORM = "\x04", "\0"


def compile_catalog(catalog: Catalog) -> bytes:
    """Return the compiled catalog. What is not translated is left out: the page is in English there."""
    pairs = [("", header_of(catalog)), *(_pair(entry) for entry in catalog.entries if entry.is_said)]
    rows = sorted((key.encode(), said.encode()) for key, said in pairs)
    keys_at = HEAD.size
    said_at = keys_at + PAIR.size * len(rows)
    keys = _table((key for key, _ in rows), start=said_at + PAIR.size * len(rows))
    said = _table((text for _, text in rows), start=said_at + PAIR.size * len(rows) + len(keys[1]))
    head = HEAD.pack(MAGIC, 0, len(rows), keys_at, said_at, 0, 0)
    return b"".join((head, keys[0], said[0], keys[1], said[1]))


def _pair(entry: Entry) -> tuple[str, str]:
    text = entry.text
    key = f"{text.context}{CONTEXT_END}{text.one}" if text.context else text.one
    return f"{key}{NEXT_FORM}{text.many}" if text.many else key, NEXT_FORM.join(entry.said)


def _table(texts: Iterable[bytes], *, start: int) -> tuple[bytes, bytes]:
    """Return the lengths and places of the texts, and the texts themselves, each with a NUL at its end."""
    places, held = b"", b""
    for text in texts:
        places += PAIR.pack(len(text), start + len(held))
        held += text + b"\0"
    return places, held
