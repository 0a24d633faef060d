"""The whole release as one ZIP file: every file, and each contained picture under its digest."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from crowd.pictures.models import Picture
from crowd.releases.models import Release
from crowd.releases.services.survey_file import reading
from hits.datasets.whole_files import replacing

FOLDER = "pictures"
# Texts that get smaller. Parquet and pictures are compressed already.
TEXTS = (".csv", ".jsonl", ".json", ".md")
PIECE = 1024 * 1024
PICTURES = Picture._meta.get_field("file").storage


def write_zip(release: Release, path: Path) -> None:
    """Write the ZIP file of the files beside it. The same release gives the same bytes at any time."""
    moment = release.made_at.utctimetuple()[:6]
    with (
        replacing(path) as out,
        TemporaryFile() as entries,
        FlatZipFile(out, entries=entries) as whole,
        reading(release) as found,
    ):

        def add(name: str, source: Path | str) -> None:
            info = ZipInfo(name, date_time=moment)
            info.compress_type = ZIP_DEFLATED if name.endswith(TEXTS) else ZIP_STORED
            opened = source.open("rb") if isinstance(source, Path) else PICTURES.open(source)
            with opened as file, whole.open(info, "w", force_zip64=True) as member:
                copyfileobj(file, member, PIECE)

        for file in release.files:
            add(file["name"], path.with_name(file["name"]))
        for picture in found.each_once():
            add(f"{FOLDER}/{picture.file}", picture.stored)


class FlatZipFile(ZipFile):
    """A ZIP file to be written, however many members it has: the library would hold an entry for each."""

    def __init__(self, file: IO[bytes], *, entries: IO[bytes]) -> None:
        super().__init__(file, "w", allowZip64=True)
        self.filelist = _Entries(entries)  # type: ignore[assignment]
        self.NameToInfo = _NoNames()


class _Entries:
    """Entries of the list at the end of a ZIP file, in another file until they are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._count = file, 0

    def append(self, info: ZipInfo) -> None:
        pickle.dump(info, self._file)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[ZipInfo]:
        self._file.seek(0)
        for _ in range(self._count):
            yield pickle.load(self._file)  # noqa: S301 - written above


class _NoNames(dict[str, ZipInfo]):
    def __setitem__(self, *_: Any) -> None:
        """Hold nothing: the names are known to differ."""
