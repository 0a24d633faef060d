"""The page of two models by category, as in Figure 3 of the paper: a table, charts, and files."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from django.utils import timezone

from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.judge.queries.judgements import Kind, KindJudgements, judged
from crowd.whoops.models import Category, Project
from crowd.whoops.results.admin.judged_tables import source_name
from crowd.whoops.results.admin.share_cells import WITH_INTERVAL, share_cells
from crowd.whoops.results.domain.category_duels import CategoryDuel, Winner, count_wins
from crowd.whoops.results.queries.categories_compared import best_two, duels_by_category
from hits.admin.projects.project_page import ProjectPages
from hits.admin.stat_tables import send_table
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import SHARE, UNKNOWN, WORDS, ShownCell, StatColumn, StatTable, head, percent
from hits.datasets.vega_charts import BELOW, LOOK, Chart, category, quantity, rule

Pages = ProjectPages[Any]
WON = (head("Who is better", TEXT), head("Categories"), head("Compared"), *WITH_INTERVAL)
NEITHER = "Neither"
ABOUT = (
    "The share of each one's explanations that most judges find acceptable, over the images of each "
    "category, the most frequent category first."
)
NOTE = (
    "The paper counts 26 categories and names twelve of them. The others of the shared list are ours, and a "
    "figure that has them is no copy of the paper's."
)
MARGINS = (0, 1, 2, 5, 10, 15, 20)
WON_BY = {
    0: "A category is won by the larger share, however small the difference and the number of images.",
    1: "A category is won by a share that is larger by more than 1 point of a hundred.",
}
PAPERS_WINS = (
    "The paper (section 6.2) says that one of its models does better in 46 % of the categories, worse in "
    "23 %, and similarly in 31 %. It does not say how large a difference still counts as similar: with "
    "another margin than the authors', these shares are no copy of the paper's."
)
SAME = "Choose two different ones. These are the two models whose explanations are accepted most often."
LONGEST_NAME_PX = 220
SHAPES = ("circle", "square")


def category_urls(pages: Pages) -> list[URLPattern]:
    at = "<int:pk>/statistics/by-category/"
    return [
        pages.at(at, page_view, "by_category"),
        pages.at(f"{at}<slug:name>.csv", file_view, "by_category_file"),
        pages.at(f"{at}<slug:name>.json", partial(file_view, form="json"), "by_category_json"),
    ]


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk)
    found = judged(project, Kind.EXPLAIN)
    chosen, margin = _chosen(request, found), _margin(request)
    context = {
        "title": "Two models by category",
        "sources": [(source, source_name(source)) for source in found.sources],
        "chosen": chosen,
        "margin": margin,
        "margins": MARGINS,
        "tables": _tables(project, found, chosen, margin=margin),
        "same": SAME if _is_twice_the_same(request) else "",
        "query": request.GET.urlencode(),
        "counted_at": timezone.now(),
    }
    return pages.render(request, "admin/whoops/by_category.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = pages.find(request, pk)
    found = judged(project, Kind.EXPLAIN)
    tables = _tables(project, found, _chosen(request, found), margin=_margin(request))
    return send_table(tables, name, form=form, study=project.study)


def by_category_tables(project: Project) -> list[StatTable]:
    """The tables of the two best models."""
    found = judged(project, Kind.EXPLAIN)
    return _tables(project, found, best_two(found))


def _chosen(request: HttpRequest, found: KindJudgements) -> Sequence[str]:
    """Two sources: those of the address if they are judged and differ, otherwise the best two."""
    asked = [request.GET.get(name) for name in ("first", "second")]
    known = [one for one in asked if one is not None and one in found.sources]
    return known if len(set(known)) == 2 else best_two(found)


def _margin(request: HttpRequest) -> int:
    """Return by how many points of a hundred a share must be larger to win; 0 unless the page offers it."""
    asked = request.GET.get("margin")
    return next((margin for margin in MARGINS if str(margin) == asked), 0)


def _is_twice_the_same(request: HttpRequest) -> bool:
    first = request.GET.get("first")
    return first is not None and first == request.GET.get("second")


def _tables(
    project: Project, found: KindJudgements, chosen: Sequence[str], *, margin: int = 0
) -> list[StatTable]:
    if len(chosen) < 2:
        return []
    duels = duels_by_category(project, found, first=chosen[0], second=chosen[1])
    names = [source_name(source) for source in chosen]
    return [_won(duels, names, margin=margin), _compared(duels, chosen, names, margin=margin)]


def _won(duels: Sequence[CategoryDuel], names: Sequence[str], *, margin: int) -> StatTable:
    wins, said = count_wins(duels, margin=margin), _winners(names)
    return StatTable(
        name="categories-won",
        title="Share of categories won",
        columns=WON,
        rows=[(said[winner], share.right, share.of, *share_cells(share)) for winner, share in wins.items()]
        if any(share.of for share in wins.values())
        else [],
        about=_won_by(duels, margin=margin),
        empty="There is no category yet in which explanations of both are judged.",
        note=PAPERS_WINS,
    )


def _won_by(duels: Sequence[CategoryDuel], *, margin: int) -> str:
    wider = f"A category is won by a share that is larger by more than {margin} points of a hundred."
    left = sum(duel.is_category and not duel.is_compared for duel in duels)
    said = [
        WON_BY.get(margin, wider),
        f"Not compared, because one of the two has no judged explanation: {left}." if left else "",
        "" if all(duel.is_category for duel in duels) else "Images without a category are in none of these.",
    ]
    return " ".join(filter(None, said))


def _compared(
    duels: Sequence[CategoryDuel], chosen: Sequence[str], names: Sequence[str], *, margin: int
) -> StatTable:
    said = _winners(names)
    return StatTable(
        name="categories-compared",
        title="Categories, with both models",
        columns=(
            head("Category", TEXT),
            head("Whose it is", TEXT),
            head("Images"),
            *(one for source, name in zip(chosen, names, strict=True) for one in _heads(source, name)),
            head("Better", TEXT),
        ),
        rows=[
            (
                duel.category,
                Category.Origin(duel.origin).label if duel.origin else UNKNOWN,
                duel.images,
                *(cell for share in (duel.first, duel.second) for cell in _cells(share)),
                said[winner] if (winner := duel.winner(margin=margin)) else UNKNOWN,
            )
            for duel in duels
        ],
        about=ABOUT,
        empty="No image is accepted yet.",
        exact=True,
        note=NOTE,
        charts=_charts(duels, names),
    )


def _heads(source: str, name: str) -> Sequence[StatColumn]:
    return (
        head(name, WORDS, name=""),
        head("", name=f"{source}: acceptable"),
        head("", name=f"{source}: judged"),
        head("", SHARE, name=f"{source}: share"),
    )


def _cells(share: Share) -> Sequence[Any]:
    shown = ShownCell(words=percent(share.value), below=f"{share.right} of {share.of}" if share.of else "")
    return shown, share.right, share.of, None if share.value is None else float(share.value)


def _winners(names: Sequence[str]) -> Mapping[Winner, str]:
    return {Winner.FIRST: names[0], Winner.SECOND: names[1], Winner.NEITHER: NEITHER}


def _charts(duels: Sequence[CategoryDuel], names: Sequence[str]) -> Sequence[Chart]:
    """Two charts with the same rows: how frequent each category is, and how both do in it."""
    if not duels:
        return ()
    order = [duel.category for duel in duels]
    most = max(duel.images for duel in duels)
    return (
        Chart(
            name="frequency",
            caption="Images",
            words=f"Images by category: {_listed(duels)}. {BELOW}",
            spec={
                "config": LOOK,
                "data": {"values": [{"category": one.category, "images": one.images} for one in duels]},
                "mark": {"type": "bar", "style": "main"},
                "encoding": {
                    "y": category("category", order),
                    "x": quantity("images", low=0, high=most, title="images", ticks=min(most, 5)),
                    "tooltip": [{"field": "category"}, {"field": "images"}],
                },
            },
        ),
        Chart(
            name="shares",
            caption="Acceptable explanations",
            words=f"The share of acceptable explanations of {' and '.join(names)} in each category. {BELOW}",
            spec={
                "config": LOOK,
                "data": {"values": list(_points(duels, names))},
                "encoding": {"y": category("category", order)},
                "layer": [_span(), _marks(names)],
            },
        ),
    )


def _listed(duels: Sequence[CategoryDuel]) -> str:
    return ", ".join(f"{duel.category} {duel.images}" for duel in duels)


def _points(duels: Sequence[CategoryDuel], names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for duel in duels:
        for name, share in zip(names, (duel.first, duel.second), strict=True):
            if share.value is not None:
                words = f"{percent(share.value)}, {share.right} of {share.of}"
                yield {"category": duel.category, "who": name, "share": float(share.value), "words": words}


def _span() -> Mapping[str, Any]:
    """Layer of a line between the two shares of a category."""
    low = {"aggregate": "min", "field": "share", "type": "quantitative"}
    return {"mark": rule("quiet"), "encoding": {"x": low, "x2": {"aggregate": "max", "field": "share"}}}


def _marks(names: Sequence[str]) -> Mapping[str, Any]:
    """Layer of points, told apart by their shapes and not by colors."""
    return {
        "mark": {"type": "point", "style": "main", "size": 90, "opacity": 1},
        "encoding": {
            "x": quantity("share", low=0, high=1, form=".0%", title="acceptable"),
            "shape": {
                "field": "who",
                "scale": {"domain": list(names), "range": SHAPES},
                "legend": {"direction": "vertical", "labelLimit": LONGEST_NAME_PX},
            },
            "tooltip": [{"field": "category"}, {"field": "who"}, {"field": "words", "title": "acceptable"}],
        },
    }
