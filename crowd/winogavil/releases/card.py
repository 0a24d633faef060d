"""The dataset card in Markdown: what the data are, how they came about, what they are not good for."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.template.loader import render_to_string

from crowd.winogavil.models import Association
from crowd.winogavil.releases.columns import FULL, PICTURES, PUBLISHED
from crowd.winogavil.releases.domain import GROUPS
from crowd.winogavil.releases.models import Release
from hits.datasets.columns import ROWS, Column

SOURCES = {
    Association.Source.FILE: "made by the researchers, from a file",
    Association.Source.WORKER: "made by paid workers",
    Association.Source.PLAYER: "made by unpaid players of the web game, who agreed when they registered",
    Association.Source.RECORDED: "recorded elsewhere and replayed here",
    Association.Source.TEST: "made by people in the test that lets them make more",
}
MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def write(release: Release) -> str:
    """Everything in it is known from the release itself, so that it can be written anew."""
    counts = release.counts
    context = {
        "release": release,
        "counts": counts,
        "front": _front(release),
        "title": _plain(release.title),
        "licence": _plain(release.licence),
        "notes": release.notes.strip(),
        "rest": counts["rows"] - counts["selected"],
        "groups": _table(("candidates", "associations"), _groups(counts["shapes"])),
        "shapes": _table(("candidates", "chosen", "associations"), counts["shapes"]),
        "sources": _table(("source", "rows"), _sources(counts["sources"])),
        "rivals": counts["rivals"]
        and _table(("name", "model", "SHA-256 of its weights", "rows"), counts["rivals"]),
        "licences": _table(("licence", "source", "pictures"), _licences(counts["licences"])),
        "published": _columns(PUBLISHED),
        "provenance": _columns(FULL[len(PUBLISHED) :]),
        "pictures": _columns(PICTURES),
        "files": _table(("file", "bytes", "SHA-256"), _files(release.files)),
    }
    return render_to_string("winogavil_releases/card.md", context)


def _front(release: Release) -> str:
    """For the sites that show data sets. A JSON text is a YAML text, whatever somebody has called it."""
    fields = {
        "pretty_name": release.title,
        "version": release.version,
        "license": release.licence,
        "language": [release.study.language],
        "task_categories": ["visual-question-answering", "zero-shot-image-classification"],
        "tags": ["commonsense", "association", "adversarial", "crowdsourced"],
    }
    return "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items())


def _groups(shapes: Sequence[Sequence[int]]) -> Iterable[tuple[str, int]]:
    for name, sizes in GROUPS.items():
        yield name, sum(items for size, _, items in shapes if size in sizes)


def _sources(sources: dict[str, int]) -> Iterable[tuple[str, int]]:
    for name, rows in sources.items():
        yield SOURCES[Association.Source(name)], rows


def _licences(licences: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    for licence, source, number in licences:
        yield licence or "not stated", source or "not stated", number


def _files(files: Iterable[dict[str, Any]]) -> Iterable[Sequence[Any]]:
    for file in files:
        yield file["name"], file["bytes"], file["sha256"]


def _columns(columns: Sequence[Column], indent: str = "") -> str:
    lines = []
    for one in columns:
        lines.append(f"{indent}- `{one.name}`: {one.words}")
        if one.kind == ROWS:
            lines.append(_columns(one.columns, f"{indent}  "))
    return "\n".join(lines)


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [header, ["---"] * len(header), *([_plain(str(cell)) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    """What somebody wrote stands there as they wrote it, on one line, and marks nothing up."""
    return MARKS.sub(r"\\\1", " ".join(text.split()))
