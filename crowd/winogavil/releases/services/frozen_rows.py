"""Freezing of a release: its rows are read chunk by chunk into the one file that all others are made from."""

from typing import Any

from django.db import transaction

from crowd.winogavil.models import Association
from crowd.winogavil.queries import final, of_study, selected
from crowd.winogavil.queries.associations import Rows
from crowd.winogavil.releases.columns import FULL
from crowd.winogavil.releases.models import Release, ReleaseItem
from crowd.winogavil.releases.rows import Naming, ambiguous_names, chunks, full_rows
from hits.datasets.text_formats import jsonl
from hits.datasets.whole_files import appending

SOURCE = "full.jsonl"


def belonging(release: Release) -> Rows:
    """Associations of a release by the current facts; none that became final after its moment."""
    rows = of_study(release.study, sources=release.sources).filter(final_at__lte=release.made_at)
    return final(rows) if release.with_rest else selected(rows)


def naming_of(release: Release) -> Naming:
    return Naming(salt=release.salt, ambiguous=frozenset(release.ambiguous))


def freeze_some(release: Release, *, naming: Naming) -> bool:
    """Freeze one chunk; False once there is no more, and then the file has its name.

    The file is on the disk before the row says so: a process that dies in between leaves bytes that are cut
    off and written again.
    """
    some = next(chunks(belonging(release), after=release.cursor), None)
    if some is None:
        return False
    rows = full_rows(some, naming=naming_of(release), threshold=_threshold(release))
    with appending(part, at=release.written) as file:
        file.writelines(jsonl(FULL, (row for _, row in rows)))
        written = file.tell()
    with transaction.atomic():
        ReleaseItem.objects.bulk_create(_item(release, one, row) for one, row in rows)
        _note(release, cursor=some[-1].pk, written=written, rows_done=release.rows_done + len(rows))
    return True


def begin(release: Release) -> None:
    """Store what holds for all chunks, once, before the first of them."""
    rows = belonging(release)
    _note(release, ambiguous=ambiguous_names(rows), rows_wanted=rows.count())


def end(release: Release) -> None:
    """The file has its name only when it is whole. A release of nothing has an empty one."""
    part = release.folder / f"{SOURCE}.part"
    with appending(part, at=release.written):
        pass
    part.replace(release.folder / SOURCE)


def _note(release: Release, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(release, name, value)
    release.save(update_fields=list(changes))


def _item(release: Release, one: Association, row: dict[str, Any]) -> ReleaseItem:
    chosen = [place for place, picture in enumerate(row["pictures"]) if picture["chosen"]]
    return ReleaseItem(
        release=release,
        association=one,
        public_id=row["ID"],
        from_list=row["source"] == Association.Source.SWOW,
        selected=row["selected"],
        candidates=row["candidates"],
        chosen=chosen,
        size=row["num_candidates"],
        k=row["num_associations"],
        numerator=one.solvers_numerator or 0,
        denominator=one.solvers_denominator or 1,
    )
