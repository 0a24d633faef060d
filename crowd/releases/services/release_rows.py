"""Rows of a release as its files have them: with their splits, and without labels that stay here."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crowd.releases.family_contents import INSIDE, ReleaseContents, ReleaseFile, contents_of
from crowd.releases.models import Release
from crowd.releases.services.survey import pictures_of, wanted_rows
from crowd.releases.splits import FOLD, HALF, SPLIT, TEST, fold_of, half_of, split_of
from hits.datasets.columns import Column, Row, only


def columns_in(release: Release, file: ReleaseFile) -> Sequence[Column]:
    """Return the columns of a file, with those of the splits that its rows belong to."""
    if release.split_seed is None:
        return file.columns
    folds = [FOLD] if _has_folds(release, file) else []
    return (*file.columns, SPLIT, *([HALF] if file.pair else ()), *folds)


def rows_in(release: Release, file: ReleaseFile) -> Iterator[Row]:
    seed = release.split_seed
    if seed is None:
        yield from (only(file.columns, row) for row in wanted_rows(release, file))
        return
    contents = contents_of(release)
    has_folds = _has_folds(release, file)
    groups = {one.sha256 or one.name: one.group for one in pictures_of(release)} if has_folds else {}
    for row in wanted_rows(release, file):
        item = str(row[file.item])
        split, shown = split_of(item, seed=seed), row
        if release.hides_test and split == TEST:
            if file.tells:
                continue
            shown = without_labels(contents.blind(release, row), file.labels)
        told = {**only(file.columns, shown), SPLIT.name: split}
        if file.pair:
            told[HALF.name] = half_of(str(row[file.pair]), seed=seed)
        if has_folds:
            told[FOLD.name] = fold_of(_group(contents, row, groups) or item, seed=seed)
        yield told


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


def _group(contents: ReleaseContents, row: Row, groups: Mapping[str, str]) -> str:
    return next((groups[one.sha256 or one.name] for one in contents.pictures_of(row)), "")
