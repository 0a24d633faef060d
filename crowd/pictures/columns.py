"""Columns about a picture in files: which one it is, whose it is, and where it is from."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any

from crowd.pictures.models import Picture
from hits.datasets.columns import TEXT, Column, column


def picture_columns(prefix: str, words: str, *, of: Callable[[Any], Picture | None]) -> Sequence[Column]:
    """Columns about one picture of a row; their texts are empty where the row has none."""

    def told(read: Callable[[Picture], str]) -> Callable[[Any], str]:
        return lambda source: read(picture) if (picture := of(source)) else ""

    return (
        column(f"{prefix}_file", TEXT, f"{words}: the name of its file", of=told(_name_of)),
        column(f"{prefix}_sha256", TEXT, "SHA-256 of that file", of=told(attrgetter("sha256"))),
        column(f"{prefix}_credit", TEXT, "whose picture it is", of=told(attrgetter("credit"))),
        column(f"{prefix}_licence", TEXT, "its licence", of=told(attrgetter("licence"))),
        column(f"{prefix}_source", TEXT, "where it is from", of=told(attrgetter("source"))),
    )


def _name_of(picture: Picture) -> str:
    return PurePosixPath(picture.file.name or "").name
