"""Two sources of explanations by category, over the votes that count (Figure 3 of the paper)."""

from collections.abc import Mapping, Sequence

from crowd.whoops import domain
from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.judge.queries.judgements import WITHOUT_CATEGORY, KindJudgements
from crowd.whoops.models import Category, Project
from crowd.whoops.results.domain.category_duels import CategoryDuel
from crowd.whoops.results.queries.composition import accepted_images, counts_by


def best_two(found: KindJudgements) -> Sequence[str]:
    """The two models whose explanations are accepted most often; people and designers only if models lack."""

    def rank(source: str) -> tuple[bool, float, str]:
        share = found.accepted(lambda one: one.source == source).value
        return source in domain.OURS, -float(share or 0), source

    return sorted(found.sources, key=rank)[:2]


def duels_by_category(
    project: Project, found: KindJudgements, *, first: str, second: str
) -> list[CategoryDuel]:
    """Every category that an accepted image has, the most frequent first."""
    origins = _origins(project)

    def share(source: str, category: str) -> Share:
        return found.accepted(lambda one: (one.source, one.category) == (source, category))

    return [
        CategoryDuel(
            category=name or WITHOUT_CATEGORY,
            origin=origins.get(name, ""),
            images=count,
            first=share(first, name or WITHOUT_CATEGORY),
            second=share(second, name or WITHOUT_CATEGORY),
            is_category=bool(name),
        )
        for name, count in counts_by(accepted_images(project), "category__name")
    ]


def _origins(project: Project) -> Mapping[str, str]:
    rows = Category.objects.filter(images__in=accepted_images(project)).order_by().distinct()
    return dict(rows.values_list("name", "origin"))
