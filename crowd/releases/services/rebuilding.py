"""A release's files written again from its frozen rows, and held against the digests that it has."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowd.releases.family_contents import contents_of
from crowd.releases.models import Release
from crowd.releases.services.release_files import Write, files_of
from crowd.releases.services.survey import survey
from crowd.releases.services.survey_file import path_of
from hits.core.errors import CrowdError
from hits.datasets.whole_files import describe


@dataclass(frozen=True, kw_only=True)
class RebuiltFile:
    """A file that was written again; `problem` is empty where it came out the same."""

    name: str
    problem: str = ""


def rebuild_release(*, release: Release, folder: Path) -> Iterator[RebuiltFile]:
    """Write each file into another folder. Raises CrowdError if the frozen rows are not here."""
    if not release.is_complete:
        raise CrowdError("This release is not complete: there is nothing to hold its files against.")
    if not release.frozen.exists():
        raise CrowdError(f"The frozen rows of this release are not here: {release.frozen} is missing.")
    if not path_of(release).exists():
        survey(release, contents_of(release))
    yield from _rebuild(_as_written(release), {file["name"]: file for file in release.files}, folder)


def _as_written(release: Release) -> Release:
    """Return the release as it was while its first file was written."""
    earlier = copy(release)
    earlier.status, earlier.files, earlier.released_at = Release.Status.WRITING, [], None
    return earlier


def _rebuild(release: Release, known: dict[str, dict[str, Any]], folder: Path) -> Iterator[RebuiltFile]:
    writes = files_of(release)
    for name in known.keys() - writes.keys():
        yield RebuiltFile(name=name, problem="it is not made from these rows")
    for name, write in writes.items():
        yield RebuiltFile(name=name, problem=_problem_of(folder / name, write, known.get(name)))
        # Files that tell of others tell of those of the release, so that one difference is named once.
        release.files = [*release.files, known.get(name) or describe(folder / name)]


def _problem_of(path: Path, write: Write, known: dict[str, Any] | None) -> str:
    try:
        write(path)
    except OSError as error:
        return f"it cannot be written: {error.strerror or error}, {error.filename}"
    if known is None:
        return "the release has no such file"
    found = describe(path)["sha256"]
    return "" if found == known["sha256"] else f"its SHA-256 is {found}, and was {known['sha256']}"
