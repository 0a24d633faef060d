"""Freezing of a release: its rows are read chunk by chunk into the one file that all others are made from."""

from typing import Any

from crowd.releases.models import Release
from crowd.winogavil.domain import SELECTION_THRESHOLD
from crowd.winogavil.queries import final, of_study, selected
from crowd.winogavil.queries.associations import Rows
from crowd.winogavil.releases.columns import FULL
from crowd.winogavil.releases.rows import Naming, ambiguous_names, chunks, full_rows
from hits.datasets.text_formats import jsonl
from hits.datasets.whole_files import appending

PART = "full"


def belonging(release: Release) -> Rows:
    """Associations of a release by the current facts; none that became final after its moment."""
    rows = of_study(release.study, sources=release.sources).filter(final_at__lte=release.made_at)
    return final(rows) if release.with_rest else selected(rows, threshold=_threshold(release))


def _threshold(release: Release) -> int:
    """The release's own threshold, which is filled in when it is asked for."""
    return release.selection_threshold or SELECTION_THRESHOLD


def naming_of(release: Release) -> Naming:
    return Naming(salt=release.salt, ambiguous=frozenset(release.ambiguous))


def freeze_some(release: Release) -> bool:
    """Freeze one chunk; False once there is no more, and then the file has its name.

    The file is on the disk before the row says so: a process that dies in between leaves bytes that are cut
    off and written again.
    """
    whole = release.frozen / f"{PART}.jsonl"
    if whole.exists():  # whoever named it died before the row said so
        return False
    some = next(chunks(belonging(release), after=release.cursor), None)
    part = whole.with_suffix(".jsonl.part")
    if some is None:
        with appending(part, at=release.written):  # of a release of nothing, too
            pass
        part.replace(whole)
        return False
    rows = full_rows(some, naming=naming_of(release), threshold=_threshold(release))
    with appending(part, at=release.written) as file:
        file.writelines(jsonl(FULL, rows))
        written = file.tell()
    _note(release, cursor=some[-1].pk, written=written, rows_done=release.rows_done + len(rows))
    return True


def begin(release: Release) -> None:
    """Store what holds for all chunks, once, before the first of them."""
    rows = belonging(release)
    _note(release, ambiguous=ambiguous_names(rows), rows_wanted=rows.count())


def _note(release: Release, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(release, name, value)
    release.save(update_fields=list(changes))
