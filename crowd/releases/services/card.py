"""The card of a release in Markdown: what the data are, how they came about, what they are not good for."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.template.loader import render_to_string

from crowd.releases.family_contents import ReleaseContents
from crowd.releases.licences import hub_license
from crowd.releases.models import Release
from crowd.releases.services.release_rows import columns_in
from crowd.releases.services.survey import pictures_of
from crowd.releases.services.survey_file import ReleasedPicture
from crowd.releases.splits import SPLIT
from hits.datasets.columns import ROWS, Column

# Beginning of the names of the files that have each picture once.
PICTURES = "pictures"
MARKS = re.compile(r"([\\`*_\[\]<>#|])")
# The hub's steps of sizes, by the first number of items that is too many for each.
SIZES: Sequence[tuple[int, str]] = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
LARGEST_SIZE = "1M<n<10M"


def write_card(release: Release, contents: ReleaseContents) -> str:
    """Return the card, made from the release alone, so that it can be written again."""
    files = contents.files(release)
    context = {
        "release": release,
        "counts": release.counts,
        "front": _front(release, contents),
        "title": plain(release.title),
        "licence": plain(release.licence),
        "notes": release.notes.strip(),
        "middle": contents.card(release).strip(),
        "items": contents.items,
        "data": [
            (file.name, file.words, release.counts["files"][file.name], fields(columns_in(release, file)))
            for file in files
        ],
        "has_pairs": any(file.pair for file in files),
        "split": SPLIT.name,
        "hidden": sorted({name for file in files for name in file.labels}),
        "left_out": table(("why", "pictures"), _why(pictures_of(release))),
        "licences": table(("licence", "source", "pictures"), _licences(pictures_of(release))),
        "files": table(
            ("file", "bytes", "SHA-256"),
            ((file["name"], file["bytes"], file["sha256"]) for file in release.files),
        ),
    }
    return render_to_string("releases/card.md", context)


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *([plain(str(cell)) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fields(columns: Sequence[Column], indent: str = "") -> str:
    lines = []
    for one in columns:
        lines.append(f"{indent}- `{one.name}`: {one.words}")
        if one.kind == ROWS:
            lines.append(fields(one.columns, f"{indent}  "))
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return the text as it was written, on one line, escaped so that it marks nothing up."""
    return MARKS.sub(r"\\\1", " ".join(text.split()))


def size_of(items: int) -> str:
    return next((name for most, name in SIZES if items < most), LARGEST_SIZE)


def _front(release: Release, contents: ReleaseContents) -> str:
    """Front matter for sites that show data sets. JSON values are valid YAML, whatever text they hold."""
    first = contents.files(release)[0]
    values = {
        "pretty_name": release.title,
        "version": release.version,
        **hub_license(release.licence),
        "language": [release.study.language],
        "size_categories": [size_of(release.counts["files"][first.name])],
        "annotations_creators": ["crowdsourced"],
        "language_creators": ["crowdsourced"],
        "task_categories": list(contents.tasks),
        "tags": ["commonsense", "adversarial", "crowdsourced"],
        "configs": list(_configs(release, contents)),
    }
    return "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())


def _configs(release: Release, contents: ReleaseContents) -> Iterable[Mapping[str, Any]]:
    """Yield what the `datasets` library can load by name, without a script."""
    written = [file["name"] for file in release.files if file["name"].endswith(".parquet")]
    for place, name in enumerate([*(file.name for file in contents.files(release)), PICTURES]):
        files = [one for one in written if one.startswith((f"{name}.", f"{name}-"))]
        if files:
            found = {"config_name": name, "data_files": files}
            yield {**found, "default": True} if place == 0 else found


def _why(pictures: Iterable[ReleasedPicture]) -> Iterable[tuple[str, int]]:
    return _counted(one.left_out for one in pictures if one.left_out)


def _licences(pictures: Iterable[ReleasedPicture]) -> Iterable[Sequence[Any]]:
    told = ((one.licence or "not stated", origin_of(one.source) or "not stated") for one in pictures)
    return ((*key, number) for key, number in _counted(told))


def _counted(values: Iterable[Any]) -> Iterable[tuple[Any, int]]:
    return Counter(values).most_common()


def origin_of(source: str) -> str:
    """Return the host of an address, so that a thousand pictures of one site are one line."""
    rest = source.partition("://")[2]
    return rest.partition("/")[0] if rest else source
