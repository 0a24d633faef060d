"""The files of a release, each made from what was frozen. A file that is there is whole."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crowd.winogavil.releases import card
from crowd.winogavil.releases.columns import FULL, PICTURES, PUBLISHED
from crowd.winogavil.releases.models import Release
from crowd.winogavil.releases.services.frozen_rows import SOURCE
from hits.datasets.columns import Row
from hits.datasets.text_formats import changes_in_csv, csv_lines, jsonl, read_jsonl
from hits.datasets.whole_files import describe, replacing, write_pieces

CARD, SUMS = "README.md", "SHA256SUMS"


def write_next(release: Release) -> bool:
    """One file more. False once all of them are there."""
    done = {file["name"] for file in release.files}
    name = next((name for name in FILES if name not in done), None)
    if name is None:
        return False
    path = release.folder / name
    FILES[name](release, path)
    release.files = [*release.files, describe(path)]
    release.save(update_fields=["files", "counts"])
    return True


def _frozen(release: Release) -> Iterator[Row]:
    with (release.folder / SOURCE).open("rb") as lines:
        yield from read_jsonl(lines)


def _published(release: Release) -> Iterator[Row]:
    return (row for row in _frozen(release) if row["selected"])


def _keep_source(release: Release, path: Path) -> None:
    """It is there already; its rows are counted for the card on this way."""
    release.counts = count_rows(_frozen(release))


def _write_jsonl(release: Release, path: Path) -> None:
    write_pieces(path, jsonl(PUBLISHED, _published(release)))


def _write_csv(release: Release, path: Path) -> None:
    write_pieces(path, csv_lines(PUBLISHED, _published(release)))


def _write_parquet(release: Release, path: Path) -> None:
    from hits.datasets.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

    with replacing(path) as file:
        write_parquet(PUBLISHED, _published(release), file)


def _write_full_csv(release: Release, path: Path) -> None:
    write_pieces(path, csv_lines(FULL, _frozen(release)))


def _write_full_parquet(release: Release, path: Path) -> None:
    from hits.datasets.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

    with replacing(path) as file:
        write_parquet(FULL, _frozen(release), file)


def _write_pictures(release: Release, path: Path) -> None:
    write_pieces(path, csv_lines(PICTURES, pictures_of(_frozen(release))))


def _write_card(release: Release, path: Path) -> None:
    write_pieces(path, [card.write(release).encode()])


def _write_sums(release: Release, path: Path) -> None:
    """As sha256sum -c reads it."""
    write_pieces(path, [f"{file['sha256']}  {file['name']}\n".encode() for file in release.files])


# In this order: the counts come first, and the sums see everything else.
FILES: Mapping[str, Callable[[Release, Path], None]] = {
    SOURCE: _keep_source,
    "associations.csv": _write_csv,
    "associations.jsonl": _write_jsonl,
    "associations.parquet": _write_parquet,
    "full.csv": _write_full_csv,
    "full.parquet": _write_full_parquet,
    "pictures.csv": _write_pictures,
    CARD: _write_card,
    SUMS: _write_sums,
}


def pictures_of(rows: Iterable[Row]) -> Iterator[Row]:
    """Each once, where it is first seen."""
    seen: set[tuple[str, str]] = set()
    for row in rows:
        for picture in row["pictures"]:
            key = (picture["name"], picture["sha256"])
            if key not in seen:
                seen.add(key)
                yield picture


def count_rows(rows: Iterable[Row]) -> dict[str, Any]:
    """What a card says in numbers, in one pass."""
    shapes: Counter[tuple[int, int]] = Counter()
    sources: Counter[str] = Counter()
    licences: Counter[tuple[str, str]] = Counter()
    rivals: Counter[tuple[str, str, str]] = Counter()
    people: tuple[set[str], set[str]] = (set(), set())
    pictures: set[tuple[str, str]] = set()
    counts = Counter[str]()
    for row in rows:
        counts["rows"] += 1
        counts["unscored"] += row["selected"] and row["score_fool_the_ai"] is None
        counts["guarded"] += changes_in_csv(FULL, row)
        counts["selected"] += row["selected"]
        shapes[row["num_candidates"], row["num_associations"]] += row["selected"]
        sources[row["source"]] += 1
        people[0].update({row["author"]} - {None})
        people[1].update(one["solver"] for one in row["solvers"])
        rivals.update(
            (one["rival"], one["model"], one["weights_sha256"]) for one in row["verdicts"] if one["paid_on"]
        )
        for picture in row["pictures"]:
            key = (picture["name"], picture["sha256"])
            if key not in pictures:
                pictures.add(key)
                licences[picture["licence"], picture["source"] and _origin(picture["source"])] += 1
    return {
        "rows": counts["rows"],
        "selected": counts["selected"],
        "unscored": counts["unscored"],
        "guarded": counts["guarded"],
        "shapes": [[*shape, items] for shape, items in sorted(shapes.items()) if items],
        "sources": dict(sorted(sources.items())),
        "creators": len(people[0]),
        "solvers": len(people[1]),
        "pictures": len(pictures),
        "licences": [[*key, number] for key, number in licences.most_common()],
        "rivals": [[*key, number] for key, number in rivals.most_common()],
    }


def _origin(source: str) -> str:
    """Of an address its host: a thousand pictures of one site are one line."""
    rest = source.partition("://")[2]
    return rest.partition("/")[0] if rest else source
