"""Results example by example: the four scores of people, and whether they are right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from crowd.winoground.admin.results import Pages, find
from crowd.winoground.domain import PLACES
from crowd.winoground.domain.caption_scores import Kind, PairScores, Right
from crowd.winoground.models import Project
from crowd.winoground.queries.parts import parts_of
from crowd.winoground.queries.scoring import (
    Line,
    Votes,
    fewest_answers,
    four_of,
    lines_of,
    votes_of,
)

ON_A_PAGE = 50
NONE: Votes = (None,) * len(PLACES)
SHOW: Mapping[str, str] = {
    "all": "all examples",
    "wrong": "wrong by the group score",
    "text": "wrong by the text score",
    "image": "wrong by the image score",
    "right": "right by all three",
    "few": "fewer answers than wanted",
    "open": "open: not all four scores yet",
}
SORTS: Mapping[str, str] = {
    "number": "by number",
    "-number": "by number, last first",
    "margin": "least clear first",
}


@dataclass(frozen=True, kw_only=True)
class ExampleRow:
    """A row of the page. `fewest`: answers to the combination with fewest."""

    line: Line
    cells: Sequence[str]
    four: PairScores | None
    fewest: int

    @property
    def right(self) -> Right | None:
        return self.four.right if self.four else None

    @property
    def verdicts(self) -> Sequence[str]:
        if self.right is None:
            return ("open",) * len(Kind)
        return ["right" if self.right.by(kind) else "wrong" for kind in Kind]


def urls(pages: Pages) -> list[URLPattern]:
    return [pages.at("<int:pk>/results/examples/", examples_view, "result_examples")]


def examples_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = find(pages, request, pk)
    lines = lines_of(project)
    parts = parts_of(lines)
    asked = {name: request.GET.get(name, "") for name in ("show", "part", "q", "sort")}
    part = next((one for one in parts if one.key == asked["part"]), None)
    votes = votes_of(project)
    rows = [_row(line, votes.get(line.pk, NONE)) for line in (part.lines if part else lines)]
    rows = [row for row in rows if _is_wanted(row, asked["show"], project) and _has(row.line, asked["q"])]
    rows.sort(key=_order(asked["sort"]), reverse=asked["sort"] == "-number")
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "title": "Example by example",
        "page": Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page")),
        "all": len(lines),
        "parts": [one for one in parts if one.lines],
        "part": part,
        "asked": asked,
        "shows": SHOW,
        "sorts": SORTS,
        "query": query.urlencode(),
    }
    return pages.render(request, "admin/winoground/result_examples.html", context, project=project)


def _row(line: Line, votes: Votes) -> ExampleRow:
    cells = ["no answer" if vote is None else f"{vote.yes} of {vote.answers}" for vote in votes]
    return ExampleRow(line=line, cells=cells, four=four_of(votes), fewest=fewest_answers(votes))


def _is_wanted(row: ExampleRow, show: str, project: Project) -> bool:
    right = row.right
    match show:
        case "wrong" | "text" | "image":
            return right is not None and not right.by(Kind.GROUP if show == "wrong" else Kind(show))
        case "right":
            return right is not None and right.group
        case "few":
            return row.fewest < project.answers_wanted
        case "open":
            return right is None
    return True


def _has(line: Line, words: str) -> bool:
    """Whether each word is somewhere in the captions or tags, or the words are the example's number."""
    text = " ".join((line.caption_0, line.caption_1, *line.tags)).casefold()
    return words.strip() == str(line.number) or all(word in text for word in words.casefold().split())


def _order(sort: str) -> Callable[[ExampleRow], tuple[float, int]]:
    if sort == "margin":
        return lambda row: (inf if row.four is None else row.four.margin, row.line.number)
    return lambda row: (0.0, row.line.number)
