"""Models compared on a project: their associations side by side, and their results on its challenge set."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.winoventi.associations.queries.model_associations import Generics, ModelAssociations
from crowd.winoventi.domain.evaluation import (
    ALONE,
    Share,
    accuracy,
    favored,
    intersection,
    jaccard,
)
from crowd.winoventi.models import Evaluation, ModelAnswer, Project, valid_pairs
from scoring.models import RegisteredRival

COMPARED_KS = (1, 3, 5)
AT_ONCE = 2000


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """Mean Jaccard index of a model's associations with those of the project's own model, by k."""

    rival: RegisteredRival
    nouns: int
    with_empty: Mapping[int, Fraction | None]
    without_empty: Mapping[int, Fraction | None]


@dataclass(frozen=True, kw_only=True)
class Result:
    """One model on the three subsets; None: it was not asked without premises, so the subset is unknown."""

    evaluation: Evaluation
    everything: Mapping[str, Share]
    individual: Mapping[str, Share] | None
    pairs: int
    of_intersection: Mapping[str, Share] | None


def likenesses(project: Project, models: Sequence[ModelAssociations]) -> list[Likeness]:
    """Every other model that has read nouns of this project, compared with its own."""
    own = project.generics_model
    if own is None:
        return []
    by_k = next((one.by_k for one in models if one.rival == own), {k: {} for k in COMPARED_KS})
    return [_likeness(by_k, one) for one in models if one.rival != own]


def results(project: Project) -> list[Result]:
    """Results of all evaluations over the pairs that are valid now."""
    pairs = set(valid_pairs(project).values_list("pk", flat=True))
    evaluations = list(Evaluation.objects.filter(project=project).select_related("rival"))
    answers = {one.pk: _answers_of(one, pairs) for one in evaluations}
    alone = [given for given in answers.values() if _is_complete(given, pairs)]
    shared = intersection(alone) if alone else None
    return [_result(one, answers[one.pk], pairs, shared) for one in evaluations]


def _likeness(own: Mapping[int, Generics], other: ModelAssociations) -> Likeness:
    theirs, first = other.by_k, min(COMPARED_KS)
    return Likeness(
        rival=other.rival,
        nouns=len(own[first].keys() & theirs[first].keys()),
        with_empty={k: jaccard(own[k], theirs[k], with_empty=True) for k in COMPARED_KS},
        without_empty={k: jaccard(own[k], theirs[k], with_empty=False) for k in COMPARED_KS},
    )


def _answers_of(evaluation: Evaluation, pairs: Collection[int]) -> dict[int, dict[str, bool]]:
    found: defaultdict[int, dict[str, bool]] = defaultdict(dict)
    rows = ModelAnswer.objects.filter(evaluation=evaluation).values_list("premise", "kind", "is_right")
    for premise, kind, right in rows.iterator(chunk_size=AT_ONCE):
        if premise in pairs:
            found[premise][kind] = right
    return dict(found)


def _is_complete(answers: Mapping[int, Mapping[str, bool]], pairs: Collection[int]) -> bool:
    return bool(pairs) and all(ALONE in answers.get(pair, {}) for pair in pairs)


def _result(
    evaluation: Evaluation,
    answers: Mapping[int, Mapping[str, bool]],
    pairs: Collection[int],
    shared: Collection[int] | None,
) -> Result:
    individual = favored(answers) if any(ALONE in given for given in answers.values()) else None
    return Result(
        evaluation=evaluation,
        everything=accuracy(answers, pairs=pairs),
        individual=None if individual is None else accuracy(answers, pairs=individual),
        pairs=len(individual or ()),
        of_intersection=None if shared is None else accuracy(answers, pairs=shared),
    )
