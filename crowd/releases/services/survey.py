"""One look over all frozen rows, after which every file can be made without knowing the others."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from crowd.pictures.models import Picture
from crowd.releases.family_contents import NamedPicture, ReleaseContents, ReleaseFile
from crowd.releases.models import Release
from crowd.releases.services.survey_file import ReleasedPicture, SurveyDraft, drafting, reading
from hits.datasets.columns import Row
from hits.datasets.text_formats import read_jsonl

# Rows of a part of a file that is in parts, so that each can be read, and made again, by itself.
PART = 1_000
# A group of pictures in common that has more than this share of the items is no part of five.
LARGEST_GROUP = 0.4
REMOVED = "it was removed from the pool"
UNKNOWN = "its file is not here"
UNLICENSED = "its license was not chosen for the release"


def frozen_rows(release: Release, part: str, *, byte: int = 0) -> Iterator[Row]:
    with (release.frozen / f"{part}.jsonl").open("rb") as lines:
        lines.seek(byte)
        yield from read_jsonl(lines)


def wanted_rows(release: Release, file: ReleaseFile, *, byte: int = 0) -> Iterator[Row]:
    frozen = frozen_rows(release, file.part, byte=byte)
    return chain.from_iterable(map(file.rows_of, frozen))


def survey(release: Release, contents: ReleaseContents) -> dict[str, Any]:
    """List the pictures and the parts of files in a file, and return the numbers of the release."""
    files = contents.files(release)
    licences = frozenset(release.picture_licences)
    with drafting(release) as draft:
        rows = frozen_rows(release, files[0].part)
        numbers = contents.count(release, _noting(draft, contents, rows))
        counts = {file.name: _count(release, file, draft) for file in files}
        draft.settle(lambda some: _decide(some, licences))
        pictures, contained = draft.count_pictures()
        has_folds = draft.largest_group() <= LARGEST_GROUP
    return {
        **numbers,
        "files": counts,
        "pictures": pictures,
        "pictures_contained": contained,
        "has_folds": has_folds,
    }


def pictures_of(release: Release) -> Iterator[ReleasedPicture]:
    with reading(release) as found:
        yield from found.pictures()


def _noting(draft: SurveyDraft, contents: ReleaseContents, rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        draft.add_item(contents.pictures_of(row))
        yield row


def _count(release: Release, file: ReleaseFile, draft: SurveyDraft) -> int:
    """Count the rows of a file, and note where its parts begin."""
    count = byte = 0
    with (release.frozen / f"{file.part}.jsonl").open("rb") as lines:
        for line in lines:
            for _ in file.rows_of(json.loads(line)):
                if count % PART == 0:
                    draft.add_part(file.name, count // PART, byte)
                count += 1
            byte += len(line)
    return count


def _decide(some: Sequence[NamedPicture], licences: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield for each picture the name of its file here, and why it is left out: one of them is empty."""
    here = {one.sha256: one for one in Picture.objects.filter(sha256__in=[one.sha256 for one in some])}
    for one in some:
        picture = here.get(one.sha256)
        left_out = _why_left_out(one, picture, licences)
        yield "" if left_out or picture is None else str(picture.file.name), left_out


def _why_left_out(one: NamedPicture, picture: Picture | None, licences: frozenset[str]) -> str:
    if picture is None or not picture.file.storage.exists(str(picture.file.name)):
        return UNKNOWN
    if picture.status == Picture.Status.REMOVED:
        return REMOVED
    return "" if one.licence in licences else UNLICENSED
