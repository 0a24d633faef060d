"""Import of a researcher's association file in slices: constant memory, and safe to kill anywhere.

Each slice is one transaction that also records how far the file has been read; importing the same file again
goes on from there. No query sees the list before its last line is in.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, Sum

from hits.core.errors import RuleBroken
from hits.core.states import move
from qualifications.domain.association_files import FileRefused
from qualifications.models import SwowEdge, SwowList
from qualifications.services.file_slices import MOST_PROBLEMS, Slice, look_at, slices
from qualifications.services.graph_storage import Store
from scoring.services.vocabulary import learn_words

# The licence of the published strength files: they may be used here, and never be passed on.
PUBLISHED_UNDER = "CC BY-NC-ND 3.0"
Status = SwowList.Status
Tell = Callable[[SwowList, int], None]
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Source:
    """An association file, as described by the person who imports it."""

    path: Path
    name: str
    language: str = "en"
    licence: str | None = None


def import_swow(
    *, source: Source, again: bool = False, clock: Callable[[], datetime], tell: Tell = lambda *_: None
) -> SwowList:
    """Import the file; return its list, an existing or a new one. Raises RuleBroken if it cannot be read.

    `again` makes another list of a file that is here already. `tell` is called after every slice with the
    list and the number of bytes of the file that have been read.
    """
    try:
        digest, layout = look_at(source.path)
    except FileRefused as refusal:
        raise RuleBroken("swow.file_refused", f"{source.path}: {refusal}") from None
    swow = _find_or_make(source, digest=digest, kind=layout.kind, again=again, now=clock())
    if swow.status == Status.READY:
        return swow
    store = Store(swow)
    try:
        for piece in slices(source.path, layout=layout, after=swow.lines_done):
            _write(piece, swow=swow, store=store)
            tell(swow, piece.bytes_read)
    except FileRefused as refusal:
        return _fail(swow, str(refusal))
    return _finish(swow, now=clock())


def _find_or_make(source: Source, *, digest: str, kind: str, again: bool, now: datetime) -> SwowList:
    same = SwowList.objects.filter(sha256=digest).exclude(status=Status.LEAVING).order_by("-pk")
    unfinished = same.exclude(status=Status.READY).first()
    if unfinished is not None:
        if unfinished.status == Status.FAILED:
            move(unfinished, Status.IMPORTING, problem="")
        return unfinished
    ready = same.first()
    if ready is not None and not again:
        return ready
    licence = source.licence
    if licence is None:
        licence = "" if kind == SwowList.Kind.COUNTS else PUBLISHED_UNDER
    return _make(
        SwowList(
            name=source.name,
            language=source.language,
            licence=licence,
            kind=kind,
            sha256=digest,
            lines_done=1,  # the names of the columns
            started_at=now,
        )
    )


def _make(swow: SwowList) -> SwowList:
    try:
        swow.clean_fields()
        with transaction.atomic():
            swow.save(force_insert=True)
    except ValidationError as error:
        raise RuleBroken("swow.bad_words", f"{', '.join(error.message_dict)}: {error.messages[0]}") from None
    except IntegrityError:
        raise RuleBroken(
            "swow.name_taken",
            f"There is a list named {swow.name} already. Give this one another name.",
        ) from None
    return swow


def _write(piece: Slice, *, swow: SwowList, store: Store) -> None:
    """Write a slice in one transaction.

    Compare and swap on the lines done: another process stops with RuleBroken.
    """
    problems = [*swow.problems, *piece.problems][:MOST_PROBLEMS]
    with transaction.atomic():
        here = SwowList.objects.filter(pk=swow.pk, status=Status.IMPORTING, lines_done=swow.lines_done)
        moved = here.update(
            lines_done=F("lines_done") + piece.lines,
            rows=F("rows") + len(piece.answers),
            bad_lines=F("bad_lines") + piece.bad_lines,
            problems=problems,
        )
        if not moved:
            raise _elsewhere(swow)
        store.add(piece.answers)
    swow.lines_done += piece.lines
    swow.rows += len(piece.answers)
    swow.bad_lines += piece.bad_lines
    swow.problems = problems


def _finish(swow: SwowList, *, now: datetime) -> SwowList:
    if not swow.rows:
        first = swow.problems[0] if swow.problems else "There is no line below the names of the columns."
        return _fail(swow, f"No line of it could be counted. {first}")
    finished = move(
        swow,
        Status.READY,
        imported_at=now,
        words_count=swow.words.count(),
        cues_count=swow.words.filter(counted_total__gt=0).count(),
        edges_count=SwowEdge.objects.filter(cue__list=swow).count(),
    )
    if not finished:
        raise _elsewhere(swow)
    log.info("swow.imported", list=str(swow.public_id), rows=swow.rows, bad_lines=swow.bad_lines)
    learn_words(words_by_frequency(swow))
    return swow


def words_by_frequency(swow: SwowList) -> Iterator[str]:
    """Yield the list's words, those that most people said first."""
    words = swow.words.annotate(said=Sum("cues__count")).order_by(F("said").desc(nulls_last=True), "pk")
    return words.values_list("text", flat=True).iterator(chunk_size=1000)


def _fail(swow: SwowList, words: str) -> SwowList:
    move(swow, Status.FAILED, problem=words[:500])
    log.warning("swow.failed", list=str(swow.public_id))
    return swow


def _elsewhere(swow: SwowList) -> RuleBroken:
    return RuleBroken(
        "swow.imported_elsewhere",
        f"{swow.name} is being imported by another process, or was removed meanwhile. This import stops.",
    )
