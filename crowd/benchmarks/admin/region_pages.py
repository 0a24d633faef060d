"""The page of one item's heat maps: a grid over a picture for each word, and the same in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from crowd.benchmarks.models import Result
from crowd.benchmarks.services.item_regions import PairRegions, regions_of
from crowd.pictures.models import Picture
from scoring.models.model_questions import ModelQuestion

Map = Sequence[Sequence[float]]
ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "center", "right")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One region of the grid. `opacity`: how much of the word is there, the most 1."""

    x: int
    y: int
    opacity: float


@dataclass(frozen=True, kw_only=True)
class WordMap:
    word: str
    width: int
    height: int
    cells: Sequence[Cell]
    # The ninth of the picture that has most of the word, and its share in per cent.
    where: str
    share: int


def regions_context(request: HttpRequest, result: Result, name: str) -> Mapping[str, Any]:
    """Return what the page shows. Raises RuleBroken if the model cannot be asked about this item."""
    pairs = regions_of(result, name)
    asked = request.GET.get("pair", "")
    place = int(asked) if asked in {str(one) for one in range(len(pairs))} else 0
    pair, status = pairs[place], ModelQuestion.Status
    row = pair.row
    return {
        "item": name,
        "place": place,
        "titles": [_title(pairs, at) for at in range(len(pairs))],
        "picture": _address(pair.sha256),
        "maps": list(word_maps(row.output)) if row and row.status == status.ANSWERED else [],
        "is_waiting": row is not None and row.status == status.WAITING,
        "problem": row.problem if row else "",
        "is_new": any(one.row is None for one in pairs),
    }


def word_maps(output: Mapping[str, Any]) -> Iterator[WordMap]:
    """Yield a map for each word, and where most of it is in words."""
    for word, rows in zip(output["words"], output["maps"], strict=True):
        where, share = _where(rows)
        yield WordMap(
            word=word,
            width=len(rows[0]),
            height=len(rows),
            cells=[
                Cell(x=x, y=y, opacity=round(0.8 * value, 3))
                for y, row in enumerate(rows)
                for x, value in enumerate(row)
            ],
            where=where,
            share=share,
        )


def _where(rows: Map) -> tuple[str, int]:
    ninths: dict[tuple[int, int], float] = {}
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            ninth = (3 * y // len(rows), 3 * x // len(row))
            ninths[ninth] = ninths.get(ninth, 0) + value
    (down, along), most = max(ninths.items(), key=lambda one: one[1])
    return f"{ROWS[down]} {COLUMNS[along]}", round(100 * most / sum(ninths.values()))


def _title(pairs: Sequence[PairRegions], place: int) -> str:
    pictures = list(dict.fromkeys(one.sha256 for one in pairs))
    return f"“{pairs[place].text}” on picture {pictures.index(pairs[place].sha256) + 1}"


def _address(sha256: str) -> str:
    picture = Picture.objects.filter(sha256=sha256).values_list("pk", flat=True).first()
    return reverse("admin:pictures_picture_file", args=[picture]) if picture else ""
