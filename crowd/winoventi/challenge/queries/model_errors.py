"""Each model's worst and best prompts by the gap of its probabilities, in three queries for all models."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Abs, RowNumber

from crowd.winoventi.associations.queries.model_associations import generics_by_reader
from crowd.winoventi.challenge.domain.model_errors import MOST, AnsweredPrompt, End
from crowd.winoventi.domain import EXCEPTION
from crowd.winoventi.models import Evaluation, ModelAnswer, Premise, Project

# The generics of each noun, by the model that has read it.
Known = Mapping[tuple[int, int], set[str]]


@dataclass(frozen=True, kw_only=True)
class ModelErrors:
    """The prompts at both ends of one model, the largest gap between its probabilities first."""

    evaluation: Evaluation
    ends: Mapping[End, Sequence[AnsweredPrompt]]


def model_errors(project: Project, *, kind: str = EXCEPTION, most: int = MOST) -> list[ModelErrors]:
    """Both ends of every model that has given probabilities, over the pairs that are valid now.

    The worst prompts are wrong answers and the best ones right answers: a prompt is never at both ends.
    """
    rows = ModelAnswer.objects.filter(
        evaluation__project=project,
        premise__state=Premise.State.VALID,
        kind=kind,
        p_target__isnull=False,
        p_incorrect__isnull=False,
    )
    wrong, right = _farthest(rows.filter(is_right=False), most), _farthest(rows.filter(is_right=True), most)
    known = _known(project, [*wrong, *right])
    found: defaultdict[Evaluation, dict[End, list[AnsweredPrompt]]] = defaultdict(
        lambda: {end: [] for end in End}
    )
    for end, answers in ((End.WORST, wrong), (End.BEST, right)):
        for answer in answers:
            found[answer.evaluation][end].append(_answered(answer, known))
    in_order = sorted(found.items(), key=lambda row: (row[0].name, row[0].way))
    return [ModelErrors(evaluation=evaluation, ends=ends) for evaluation, ends in in_order]


def _farthest(rows: QuerySet[ModelAnswer], most: int) -> list[ModelAnswer]:
    """The answers of each model whose two probabilities lie farthest apart; of equal ones the oldest pair."""
    distance = Abs(F("p_incorrect") - F("p_target"))
    place = Window(RowNumber(), partition_by="evaluation", order_by=[distance.desc(), F("premise").asc()])
    chosen = rows.annotate(place=place).filter(place__lte=most).order_by("evaluation", "place")
    return list(chosen.select_related("evaluation__rival", "premise__alternative__generic__noun"))


def _known(project: Project, answers: Collection[ModelAnswer]) -> Known:
    nouns = {answer.premise.alternative.generic.noun_id for answer in answers}
    rivals = {answer.evaluation.rival_id for answer in answers if answer.evaluation.rival_id}
    return generics_by_reader(project, nouns=nouns, rivals=rivals)


def _answered(answer: ModelAnswer, known: Known) -> AnsweredPrompt:
    premise = answer.premise
    generic = premise.alternative.generic
    words = known.get((answer.evaluation.rival_id or 0, generic.noun_id))
    target, incorrect = premise.outcomes(answer.kind)
    return AnsweredPrompt(
        text=premise.prompt(answer.kind),
        noun=premise.noun,
        generic=generic.word,
        k=generic.k,
        target=target,
        incorrect=incorrect,
        p_target=answer.p_target or 0.0,
        p_incorrect=answer.p_incorrect or 0.0,
        is_associative=None if words is None else generic.word in words,
        has_associations=None if words is None else bool(words),
    )
