"""Releases of a family that has one project in each of its studies: made of the files that it exports."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from crowd.releases.family_contents import NamedPicture, ReleaseContents
from crowd.releases.models import Release
from hits.core.errors import CrowdError
from hits.data.exports import Naming
from hits.data.project_exports import ProjectExport
from hits.datasets.columns import Column, Row, rows_of
from hits.datasets.text_formats import jsonl
from hits.datasets.whole_files import write_pieces

TELL_EVERY = 500


class ProjectContents(ReleaseContents):
    """Rows of the export's files, each file frozen as a whole: one that is there is not read again."""

    export: ClassVar[ProjectExport]
    # The export's files that are frozen, the main one first.
    parts: ClassVar[Sequence[str]]
    # Beginnings of the names of columns about pictures.
    prefixes: ClassVar[Sequence[str]] = ()

    def source_of(self, release: Release) -> Any:
        """Return what rows are made from. Raises CrowdError where the study has nothing of the family."""
        return self.export.source_in(release.study)

    def lack(self, release: Release) -> str:
        try:
            source = self.source_of(release)
        except CrowdError as lack:
            return str(lack)
        if self.export.count(source, everything=release.with_rest):
            return ""
        return f"There are no {self.items} yet that count: there is nothing to release."

    def begin(self, release: Release) -> None:
        source = self.source_of(release)
        release.rows_wanted = self.export.count(source, everything=release.with_rest)
        release.save(update_fields=["rows_wanted"])

    def freeze_some(self, release: Release) -> bool:
        for place, part in enumerate(self.parts):
            path = release.frozen / f"{part}.jsonl"
            if not path.exists():
                columns = self.columns(release, part)
                rows = self.rows(release, part)
                write_pieces(path, jsonl(columns, _telling(release, rows) if place == 0 else rows))
                return True
        return False

    def rows(self, release: Release, part: str) -> Iterator[Row]:
        """Yield the rows to be frozen."""
        source = self.source_of(release)
        naming = Naming(family=self.family, salt=release.salt)
        read = self.export.files_of(source)[part].read(source, everything=release.with_rest)
        return rows_of(self.columns(release, part), read, person=naming.person)

    def columns(self, release: Release, part: str) -> Sequence[Column]:
        """Return the columns of the rows to be frozen."""
        return self.export.files_of(self.source_of(release))[part].columns

    def pictures_of(self, row: Row) -> Iterator[NamedPicture]:
        for prefix in self.prefixes_of(row):
            if row[f"{prefix}_sha256"]:
                yield NamedPicture(
                    name=row[f"{prefix}_file"],
                    **{name: row[f"{prefix}_{name}"] for name in ("sha256", "licence", "credit", "source")},
                )

    def prefixes_of(self, row: Row) -> Sequence[str]:
        return self.prefixes

    @property
    def images(self) -> Mapping[str, str]:
        """The columns with the images themselves, and those with their digests."""
        return {f"{prefix}_image": f"{prefix}_sha256" for prefix in self.prefixes}


def _telling(release: Release, rows: Iterator[Row]) -> Iterator[Row]:
    """Note how many rows are read, for whoever watches."""
    release.rows_done = 0
    for row in rows:
        yield row
        release.rows_done += 1
        if release.rows_done % TELL_EVERY == 0:
            release.save(update_fields=["rows_done"])
    release.save(update_fields=["rows_done"])
