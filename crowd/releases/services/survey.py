"""One look over all frozen rows, after which every file can be made without knowing the others."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from crowd.pictures.models import Picture
from crowd.releases.family_contents import NamedPicture, ReleaseContents, ReleaseFile
from crowd.releases.models import Release
from crowd.releases.splits import PictureGroups
from hits.datasets.columns import Row
from hits.datasets.text_formats import json_line, read_jsonl
from hits.datasets.whole_files import write_pieces

PICTURES = "pictures.jsonl"
AT_ONCE = 500
# A group of pictures in common that has more than this share of the items is no part of five.
LARGEST_GROUP = 0.4
REMOVED = "it was removed from the pool"
UNKNOWN = "its file is not here"
UNLICENSED = "its license was not chosen for the release"


@dataclass(frozen=True, kw_only=True)
class ReleasedPicture(NamedPicture):
    """A picture of a release. `stored` names its file here, and is empty where the picture is left out."""

    stored: str = ""
    left_out: str = ""
    # The smallest SHA-256 of the pictures that items connect it with.
    group: str = ""

    @property
    def file(self) -> str:
        """Name of the file in the release; empty where it is left out."""
        return f"{self.sha256}{PurePosixPath(self.stored).suffix}" if self.stored else ""


def frozen_rows(release: Release, part: str) -> Iterator[Row]:
    with (release.frozen / f"{part}.jsonl").open("rb") as lines:
        yield from read_jsonl(lines)


def wanted_rows(release: Release, file: ReleaseFile) -> Iterator[Row]:
    return (row for row in frozen_rows(release, file.part) if file.wanted(row))


def survey(release: Release, contents: ReleaseContents) -> dict[str, Any]:
    """List the pictures in a file, and return the numbers of the release."""
    files = contents.files(release)
    found: dict[tuple[str, str], NamedPicture] = {}
    groups, items = PictureGroups(), Counter[str]()

    def noting(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            some = {(one.name, one.sha256): one for one in contents.pictures_of(row)}
            found.update({key: one for key, one in some.items() if key not in found})
            if keys := sorted({one.sha256 or one.name for one in some.values()}):
                groups.join(keys)
                items[keys[0]] += 1
            yield row

    numbers = contents.count(release, noting(frozen_rows(release, files[0].part)))
    pictures = list(_released(found.values(), groups, licences=frozenset(release.picture_licences)))
    write_pieces(release.frozen / PICTURES, (json_line(asdict(one)) for one in pictures))
    return {
        **numbers,
        "files": {file.name: sum(1 for _ in wanted_rows(release, file)) for file in files},
        "pictures": len(pictures),
        "pictures_contained": sum(1 for one in pictures if one.stored),
        "has_folds": _has_folds(groups, items),
    }


def pictures_of(release: Release) -> Iterator[ReleasedPicture]:
    with (release.frozen / PICTURES).open("rb") as lines:
        for line in read_jsonl(lines):
            yield ReleasedPicture(**line)


def _released(
    named: Iterable[NamedPicture], groups: PictureGroups, *, licences: frozenset[str]
) -> Iterator[ReleasedPicture]:
    """Yield the pictures in the order in which rows name them, with why some are left out."""
    remaining = iter(named)
    while some := list(islice(remaining, AT_ONCE)):
        here = {one.sha256: one for one in Picture.objects.filter(sha256__in=[one.sha256 for one in some])}
        for one in some:
            picture = here.get(one.sha256)
            left_out = _why_left_out(one, picture, licences)
            stored = "" if left_out or picture is None else str(picture.file.name)
            group = groups.group_of(one.sha256 or one.name)
            yield ReleasedPicture(**asdict(one), stored=stored, left_out=left_out, group=group)


def _why_left_out(one: NamedPicture, picture: Picture | None, licences: frozenset[str]) -> str:
    if picture is None or not picture.file.storage.exists(str(picture.file.name)):
        return UNKNOWN
    if picture.status == Picture.Status.REMOVED:
        return REMOVED
    return "" if one.licence in licences else UNLICENSED


def _has_folds(groups: PictureGroups, items: Mapping[str, int]) -> bool:
    """Whether the groups are small enough for five parts of about the same size."""
    sizes = Counter[str]()
    for picture, count in items.items():
        sizes[groups.group_of(picture)] += count
    return not sizes or max(sizes.values()) <= LARGEST_GROUP * sizes.total()
