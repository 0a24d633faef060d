"""Models compared on a project: their associations side by side, and their results on its challenge set."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.winoventi.associations.domain.generics import generics_of
from crowd.winoventi.domain.evaluation import (
    ALONE,
    Share,
    accuracy,
    favored,
    intersection,
    jaccard,
)
from crowd.winoventi.domain.prompts import Template
from crowd.winoventi.models import Evaluation, Generic, ModelAnswer, Project, Reading, valid_pairs
from crowd.winoventi.models.model_runs import ModelRun
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


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The perplexities of one k, the lowest first, and where they are cut."""

    k: int
    perplexities: Sequence[float]
    cut: float | None


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How many nouns a model has read, and what keeps the others."""

    inquiry: ModelRun | None
    read: int
    all: int


def reading_progress(project: Project, rival: RegisteredRival) -> Progress:
    inquiry = ModelRun.objects.filter(project=project, rival=rival, purpose=ModelRun.Purpose.READING).first()
    read = Reading.objects.filter(noun__project=project, rival=rival, template=Template.IS_NOT_COMMA)
    return Progress(inquiry=inquiry, read=read.count(), all=project.nouns.count())


def curves_of(project: Project) -> list[Curve]:
    """For the plot of step 1. What is on the stop list has no place in it."""
    rows = project.generics.exclude(state=Generic.State.STOPPED).exclude(perplexity=None)
    values: defaultdict[int, list[float]] = defaultdict(list)
    for k, perplexity in rows.order_by("k", "perplexity").values_list("k", "perplexity"):
        values[k].append(perplexity or 0.0)
    cuts = {} if project.cut_by == Project.CutBy.NOTHING else project.cuts
    return [Curve(k=k, perplexities=values[k], cut=cuts.get(str(k))) for k in sorted(values)]


def likenesses(project: Project, *, ks: Collection[int] = COMPARED_KS) -> list[Likeness]:
    """Every other model that has read nouns of this project, beside its own."""
    own_model = project.generics_model
    if own_model is None:
        return []
    by_k = Reading.objects.filter(noun__project=project).values("rival")
    others = RegisteredRival.objects.filter(pk__in=by_k).exclude(pk=own_model.pk)
    own = associations_of(project, own_model, ks=ks)
    return [_likeness(project, own, other, ks=ks) for other in others]


def associations_of(
    project: Project, rival: RegisteredRival, *, ks: Collection[int]
) -> dict[int, dict[int, set[str]]]:
    """By k and noun: the generics that are found by this k."""
    words: defaultdict[int, dict[Template, list[str]]] = defaultdict(dict)
    rows = Reading.objects.filter(noun__project=project, rival=rival).values_list("noun", "template", "words")
    for noun, template, found in rows.iterator(chunk_size=AT_ONCE):
        words[noun][Template(template)] = [word for word, _ in found]
    return {k: {noun: set(generics_of(read, ks=[k])) for noun, read in words.items()} for k in ks}


def results(project: Project) -> list[Result]:
    """Results of all evaluations over the pairs that are valid now."""
    pairs = set(valid_pairs(project).values_list("pk", flat=True))
    evaluations = list(Evaluation.objects.filter(project=project).select_related("rival"))
    answers = {one.pk: _answers_of(one, pairs) for one in evaluations}
    alone = [given for given in answers.values() if _is_complete(given, pairs)]
    shared = intersection(alone) if alone else None
    return [_result(one, answers[one.pk], pairs, shared) for one in evaluations]


def _likeness(
    project: Project,
    own: Mapping[int, Mapping[int, set[str]]],
    other: RegisteredRival,
    *,
    ks: Collection[int],
) -> Likeness:
    theirs = associations_of(project, other, ks=ks)
    first = min(ks)
    return Likeness(
        rival=other,
        nouns=len(own[first].keys() & theirs[first].keys()),
        with_empty={k: jaccard(own[k], theirs[k], with_empty=True) for k in ks},
        without_empty={k: jaccard(own[k], theirs[k], with_empty=False) for k in ks},
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
