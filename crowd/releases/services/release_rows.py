"""Rows of a release as its files have them: with their splits, and without labels that stay here."""

from collections.abc import Iterator, Sequence
from typing import Any

from crowd.releases.family_contents import INSIDE, ReleaseFile, contents_of
from crowd.releases.models import Release
from crowd.releases.services.survey import wanted_rows
from crowd.releases.services.survey_file import SurveyFile, reading
from crowd.releases.splits import FOLD, HALF, SPLIT, TEST, fold_of, half_of, split_of
from hits.datasets.columns import Column, Row, only


def columns_in(release: Release, file: ReleaseFile) -> Sequence[Column]:
    """Return the columns of a file, with those of the splits that its rows belong to."""
    if release.split_seed is None:
        return file.columns
    folds = [FOLD] if _has_folds(release, file) else []
    return (*file.columns, SPLIT, *([HALF] if file.pair else ()), *folds)


def rows_in(release: Release, file: ReleaseFile, *, byte: int = 0) -> Iterator[Row]:
    """Yield the rows of a file, from a byte of the frozen ones."""
    with reading(release) as found:
        for row in wanted_rows(release, file, byte=byte):
            if not (file.tells and _is_hidden(release, file, row)):
                yield _row_in(release, file, row, found)


def visible_rows(release: Release, file: ReleaseFile) -> Iterator[Row]:
    """Yield the frozen rows of a file that are in no hidden split."""
    return (row for row in wanted_rows(release, file) if not _is_hidden(release, file, row))


def _row_in(release: Release, file: ReleaseFile, row: Row, found: SurveyFile) -> Row:
    if release.split_seed is None:
        return only(file.columns, row)
    shown = row
    if _is_hidden(release, file, row):
        shown = without_labels(contents_of(release).blind(release, row), file.labels)
    return {**only(file.columns, shown), **_splits(release, file, row, found)}


def _is_hidden(release: Release, file: ReleaseFile, row: Row) -> bool:
    """Whether the row is of a test split whose labels stay here."""
    seed = release.split_seed
    return release.hides_test and seed is not None and split_of(str(row[file.item]), seed=seed) == TEST


def _splits(release: Release, file: ReleaseFile, row: Row, found: SurveyFile) -> Row:
    """Return the parts that the row belongs to, by the columns that name them."""
    seed, item = release.split_seed or 0, str(row[file.item])
    parts: dict[str, Any] = {SPLIT.name: split_of(item, seed=seed)}
    if file.pair:
        parts[HALF.name] = half_of(str(row[file.pair]), seed=seed)
    if _has_folds(release, file):
        picture = next(iter(contents_of(release).pictures_of(row)), None)
        parts[FOLD.name] = fold_of(found.group_of(picture) if picture else item, seed=seed)
    return parts


def without_labels(row: Row, labels: Sequence[str]) -> Row:
    """Return the row with nothing in the columns that tell its answer."""
    found: dict[str, Any] = {**row, **{name: None for name in labels if INSIDE not in name}}
    for name in labels:
        outer, _, inner = name.partition(INSIDE)
        if inner:
            found[outer] = [{**one, inner: None} for one in found[outer] or ()]
    return found


def _has_folds(release: Release, file: ReleaseFile) -> bool:
    """Whether the rows name pictures, which tell the part that they belong to."""
    return bool(release.counts["has_folds"]) and file.part == contents_of(release).files(release)[0].part
