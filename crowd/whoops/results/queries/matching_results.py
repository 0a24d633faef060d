"""Pairs of a detailed and an underspecified caption, and how models rank them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from crowd.whoops.models import Annotation, MatchingRow, MatchingScores, Project
from crowd.whoops.results.domain.specificity import Specificity, shares_by_image, specificity
from crowd.whoops.results.queries.composition import counted_annotations


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one model. `lacking`: counted pairs that this model has no scores of."""

    scores: MatchingScores
    found: Specificity
    lacking: int


def pairs(project: Project) -> QuerySet[Annotation]:
    """Pairs of captions: each counted annotation of an accepted image is one."""
    return counted_annotations(project)


def results(project: Project) -> Sequence[Result]:
    """The results of all models, in three queries. Scores of pairs that no longer count are left out."""
    wanted = pairs(project).count()
    rows = MatchingRow.objects.filter(scores__project=project, annotation__in=pairs(project)).order_by()
    by_scores: defaultdict[int, list[tuple[int, float, float]]] = defaultdict(list)
    named = rows.values_list("scores", "annotation__image", "detailed", "underspecified")
    for scores, image, detailed, underspecified in named.iterator():
        by_scores[scores].append((image, detailed, underspecified))
    models = MatchingScores.objects.filter(project=project).select_related("added_by").order_by("name")
    return [
        Result(
            scores=model,
            found=specificity(shares_by_image(by_scores[model.pk]).values()),
            lacking=wanted - len(by_scores[model.pk]),
        )
        for model in models
    ]
