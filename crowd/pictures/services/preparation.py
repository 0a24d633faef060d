"""Thumbnails, perceptual hashes, and the letters on pictures: worked out once, in the background."""

from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic
from typing import Any

import structlog
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import QuerySet

from crowd.pictures import domain
from crowd.pictures.errors import BadPicture
from crowd.pictures.files import raster, svg
from crowd.pictures.letter_reading import Reader, installed_reader
from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import SIZES, Pictures

AT_ONCE = 50
# A sweep leaves the process to others after a while; the next one goes on.
SWEEP_S = 3.0
BY_ITSELF = "svg"
log = structlog.get_logger()
Work = Callable[[Picture], Mapping[str, Any]]


def prepare_pictures(*, now: datetime) -> int:
    """Prepare new pictures. A failure is noted, and not tried again until a person asks for it."""
    return _work_through(
        Picture.objects.filter(prepared_at=None), lambda one: {"prepared_at": now, **_prepared(one)}
    )


def read_pictures(*, reader: Reader | None = None) -> int:
    """Read letters with this machine's reader. Without one, pictures wait for the day when there is one."""
    found = reader or installed_reader()
    if found is None:
        return 0
    return _work_through(
        Picture.objects.unread(), lambda one: {"read_by": found.name[:64], **_read(one, found)}
    )


def count_unread(pictures: Pictures) -> int:
    """Return on how many of them letters are still being read; 0 where nothing reads them."""
    return pictures.unread().count() if installed_reader() else 0


def prepare_anew(pictures: QuerySet[Picture]) -> int:
    """Prepare pictures again whose files were missing or damaged and are whole now; return how many."""
    return pictures.update(prepared_at=None, problem="", read_by="", ocr_text="")


def flags_of(*, concept: str, written: str) -> dict[str, Any]:
    return {
        "ocr_text": written,
        "shows_words": domain.shows_words(written),
        "shows_concept": domain.shows_concept(written, concept=concept),
    }


def _work_through(rows: QuerySet[Picture], work: Work) -> int:
    """Work row by row; each result is written at once, and only if no other process has written one."""
    done, until = 0, monotonic() + SWEEP_S
    while some := list(rows.order_by("pk")[:AT_ONCE]):
        for picture in some:
            found = work(picture)
            rows.filter(pk=picture.pk).update(**found)
            done += 1
            if found.get("problem"):
                log.warning("picture.unprepared", picture=picture.key, problem=found["problem"])
            if monotonic() > until:
                return done
    return done


def _prepared(picture: Picture) -> dict[str, Any]:
    try:
        content = _content_of(picture)
        if picture.is_drawing:
            written = svg.words_in_svg(content)
            return {"read_by": BY_ITSELF, **flags_of(concept=picture.concept, written=written)}
        found = raster.prepare(content, sizes=SIZES)
    except BadPicture as problem:
        return {"problem": str(problem)[:300]}
    for size, thumbnail in found.thumbnails.items():
        _keep(picture.thumbnail_name(size), thumbnail)
    return {
        "width": found.width,
        "height": found.height,
        "perceptual_hash": found.perceptual_hash,
        "has_thumbnails": True,
    }


def _read(picture: Picture, reader: Reader) -> dict[str, Any]:
    try:
        written = reader.read(raster.for_reading(_content_of(picture)))
    except BadPicture as problem:
        return {"problem": str(problem)[:300]}
    return flags_of(concept=picture.concept, written=written)


def _content_of(picture: Picture) -> bytes:
    try:
        with picture.file.open("rb") as file:
            content: bytes = file.read()
    except OSError as problem:
        raise BadPicture(f"The file cannot be opened ({problem.strerror}). Put it back.") from problem
    return content


def _keep(name: str, content: bytes) -> None:
    default_storage.delete(name)
    kept = default_storage.save(name, ContentFile(content))
    if kept != name:  # another process was as quick, and wrote the same
        default_storage.delete(kept)
