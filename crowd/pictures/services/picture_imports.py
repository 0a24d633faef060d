"""Imports: a researcher's file becomes requests, all or none, which wait until the import begins."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO
from uuid import uuid4

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction

from crowd.pictures.bringing import import_lines
from crowd.pictures.bringing.import_lines import ConceptFrom, Line, Reading
from crowd.pictures.bringing.picture_fetching import fetch
from crowd.pictures.bringing.sources import Folder, Source, open_archive
from crowd.pictures.errors import BadPicture, NotFetched
from crowd.pictures.files.contents import read_content
from crowd.pictures.models import Import, Request
from crowd.pictures.queries.wanted_concepts import wanted_concepts
from crowd.pictures.services.picture_entry import Entered, bring_in
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.models.users import User
from qualifications.models import SwowList

MOST_BYTES = 1_000_000_000
MOST_LIST_BYTES = 10_000_000
MOST_PROBLEMS = 50
CHUNK = 1000
ZIP = b"PK\x03\x04"
Status = Request.Status


@dataclass(frozen=True, kw_only=True)
class Rights:
    """Rights that hold for every line that does not name others."""

    source: str = ""
    credit: str = ""
    licence: str = ""

    def fill(self, line: Line) -> Line:
        return replace(
            line,
            source=line.source or self.source,
            credit=line.credit or self.credit,
            licence=line.licence or self.licence,
        )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of one line; `entered` is None where `problem` says why."""

    line: Line
    entered: Entered | None = None
    problem: str = ""


def prepare_import(
    *,
    name: str,
    upload: IO[bytes],
    concept_from: ConceptFrom,
    rights: Rights,
    is_checked: bool,
    swow: SwowList | None = None,
    by: User | None,
    now: datetime,
) -> Import:
    """Read what is to come in, and bring nothing in yet. Raises InvalidItems that names the bad lines.

    With an association list, only pictures of its concepts that still need one come in.
    """
    is_archive = _is_archive(upload)
    reading = _read_upload(
        upload, is_archive=is_archive, concept_from=concept_from, is_partial=swow is not None
    )
    refuse_problems(reading)
    reading = reading if swow is None else about_wanted(reading, swow=swow)
    with ExitStack() as undoing:
        stored = ""
        if is_archive:
            stored = _store(upload)
            undoing.callback(default_storage.delete, stored)
        with transaction.atomic():
            importing = Import.objects.create(
                name=name[:200],
                file=stored,
                is_checked=is_checked,
                swow=swow,
                unwanted_lines=reading.unwanted,
                empty_lines=reading.empty,
                made_by=by,
                made_at=now,
            )
            rows = [_request_of(rights.fill(line), importing) for line in reading.lines]
            Request.objects.bulk_create(rows, batch_size=CHUNK)
        undoing.pop_all()
    return importing


def begin_import(*, importing: Import, now: datetime) -> None:
    """Begin the import: the background works at it from now on. Raises RuleBroken if it has begun already."""
    with transaction.atomic():
        if not Import.objects.filter(pk=importing.pk, begun_at=None).update(begun_at=now):
            raise RuleBroken("begun_already", "This import has begun already.")
        importing.requests.update(try_at=now)


def discard_import(*, importing: Import) -> None:
    """Delete an import as if it had never been uploaded. Raises RuleBroken once it has begun."""
    with transaction.atomic():
        found = Import.objects.select_for_update().filter(pk=importing.pk, begun_at=None).first()
        if found is None:
            raise RuleBroken("begun_already", "This import has begun; what it brought is in the pool.")
        name = found.file.name
        found.delete()
    if name:
        found.file.storage.delete(name)


def try_again(*, importing: Import, now: datetime) -> int:
    """Try all addresses again that failed, and return how many. Files of an archive stay failed."""
    with transaction.atomic():
        failed = importing.requests.filter(status=Status.FAILED).exclude(url="")
        again = failed.update(status=Status.WAITING, tries=0, try_at=now, problem="")
        if again:
            Import.objects.filter(pk=importing.pk).update(ended_at=None)
    return again


def about_wanted(reading: Reading, *, swow: SwowList) -> Reading:
    """The lines about concepts that still need a picture. Raises InvalidItems if there is none."""
    wanted = reading.about({one.word: one.word for one in wanted_concepts(swow).concepts})
    if not wanted.lines:
        problem = (
            f"No line brings a picture of a concept of {swow.name} that still needs one: "
            f"{wanted.unwanted} are about other words or concepts that have a fit picture, "
            f"{wanted.empty} name no picture."
        )
        raise InvalidItems([problem])
    return wanted


def refuse_problems(reading: Reading) -> None:
    """Raise InvalidItems with the first problems, if there is any."""
    shown = reading.problems[:MOST_PROBLEMS]
    if more := len(reading.problems) - len(shown):
        shown.append(f"And {more} more.")
    if shown:
        raise InvalidItems(shown)


@contextmanager
def open_path(
    path: Path, *, concept_from: ConceptFrom, is_partial: bool = False
) -> Iterator[tuple[Source, Reading]]:
    """Open a folder, an archive, or a list with its files beside it. Raises InvalidItems."""
    if path.is_dir():
        folder = Folder(path)
        yield folder, import_lines.read_source(folder, concept_from=concept_from, is_partial=is_partial)
        return
    with ExitStack() as opened:
        try:
            file = opened.enter_context(path.open("rb"))
        except OSError as problem:
            raise InvalidItems([f"{path} cannot be opened ({problem.strerror})."]) from problem
        source: Source = Folder(path.parent)
        if _is_archive(file):
            source = opened.enter_context(open_archive(file))
            reading = import_lines.read_source(source, concept_from=concept_from, is_partial=is_partial)
        else:
            reading = import_lines.read_list(file.read(), files=source, is_partial=is_partial)
        yield source, reading


def bring_lines(
    wanted: Iterable[Line], *, source: Source, rights: Rights, is_checked: bool
) -> Iterator[Outcome]:
    """Bring lines into the pool, one by one; a fault of one holds up no other. Fetches from the network."""
    for line in map(rights.fill, wanted):
        try:
            content = read_content(fetch(line.url) if line.url else source.read(line.file))
        except (BadPicture, NotFetched) as problem:
            yield Outcome(line=line, problem=f"{line.place}: {problem}")
        else:
            yield Outcome(line=line, entered=bring_in(line, content=content, is_checked=is_checked))


def _read_upload(
    upload: IO[bytes], *, is_archive: bool, concept_from: ConceptFrom, is_partial: bool
) -> Reading:
    if is_archive:
        with open_archive(upload) as archive:
            return import_lines.read_source(archive, concept_from=concept_from, is_partial=is_partial)
    content = upload.read(MOST_LIST_BYTES + 1)
    if len(content) > MOST_LIST_BYTES:
        raise InvalidItems([f"A list has at most {MOST_LIST_BYTES // 1_000_000} MB. Cut it into several."])
    return import_lines.read_list(content, files=frozenset(), is_partial=is_partial)


def _store(upload: IO[bytes]) -> str:
    """Store an archive under a name of its own: the sender's name of the file is no path of ours."""
    upload.seek(0)
    return default_storage.save(f"imports/{uuid4()}.zip", File(upload))


def _request_of(line: Line, importing: Import) -> Request:
    return Request(
        importing=importing,
        place=line.place[:300],
        concept=line.concept,
        caption=line.caption,
        source=line.source,
        credit=line.credit,
        licence=line.licence,
        url=line.url,
        member=line.file,
    )


def line_of(request: Request) -> Line:
    return Line(
        place=request.place,
        concept=request.concept,
        file=request.member,
        url=request.url,
        caption=request.caption,
        source=request.source,
        credit=request.credit,
        licence=request.licence,
    )


def _is_archive(file: IO[bytes]) -> bool:
    """Whether the first bytes are those of a ZIP, whatever its name; the file is rewound afterwards."""
    found = file.read(len(ZIP)) == ZIP
    file.seek(0)
    return found
