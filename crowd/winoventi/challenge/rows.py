"""Pairs as rows: read in chunks, under pseudonyms, so that memory stays flat."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from crowd.winoventi.domain import EXCEPTION, GENERIC, KINDS
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.domain.prompts import MASK
from crowd.winoventi.models import Choice, FilterScore, Judgement, Premise, Project
from crowd.winoventi.services.evaluating import prompt_id
from hits.datasets.columns import utc_text
from hits.exports import Naming
from hits.models import Assignment

AT_ONCE = 250
Pairs = QuerySet[Premise]


@dataclass(frozen=True, kw_only=True)
class Around:
    """What belongs to the pairs of one chunk, by their keys."""

    scores: Mapping[int, Sequence[FilterScore]]
    judgements: Mapping[int, Sequence[Judgement]]
    choices: Mapping[tuple[int, str], Sequence[Choice]]


def settled_pairs(project: Project, *, everything: bool) -> Pairs:
    """Those that are valid; or those that failed their validation, too."""
    states = [Premise.State.VALID, *([Premise.State.FAILED] if everything else [])]
    return project.premises.filter(state__in=states)


def published_rows(pairs: Pairs) -> Iterator[dict[str, Any]]:
    """Two of each pair: the generic's prompt, and the exception's."""
    for some in _chunks(pairs):
        for pair in some:
            for kind in KINDS:
                yield {"prompt": prompt_id(pair.pk, kind), **_published(pair, kind)}


def full_rows(pairs: Pairs, *, naming: Naming) -> Iterator[dict[str, Any]]:
    for some in _chunks(pairs):
        around = _around(some)
        for pair in some:
            for kind in KINDS:
                yield {**_published(pair, kind), **_provenance(pair, kind, around, naming=naming)}


def _chunks(pairs: Pairs) -> Iterator[list[Premise]]:
    """In the order of the rows themselves, and by no cursor that a slow reader would hold open."""
    related = pairs.select_related(
        "project__study",
        "worker",
        "assignment",
        "alternative__worker",
        "alternative__assignment",
        "alternative__generic__noun",
    ).defer("worker__external_id", "alternative__worker__external_id")
    after = 0
    while some := list(related.filter(pk__gt=after).order_by("pk")[:AT_ONCE]):
        yield some
        after = some[-1].pk


def _published(pair: Premise, kind: str) -> dict[str, Any]:
    target, incorrect = pair.generic, pair.exception
    if kind == EXCEPTION:
        target, incorrect = incorrect, target
    return {
        "Word": pair.noun,
        "Associative Bias": pair.generic,
        "Alternative": pair.exception,
        "biased_word_context": pair.context(GENERIC),
        "adversarial_word_context": pair.context(EXCEPTION),
        "masked_prompt": pair.prompt(kind, mask=MASK),
        "target": target,
        "incorrect": incorrect,
        "test_type": kind,
    }


def _around(pairs: Sequence[Premise]) -> Around:
    keys = [pair.pk for pair in pairs]
    scores: defaultdict[int, list[FilterScore]] = defaultdict(list)
    made = FilterScore.objects.filter(alternative__in=[pair.alternative_id for pair in pairs])
    for score in made.select_related("rival").order_by("pk"):
        scores[score.alternative_id].append(score)
    judgements: defaultdict[int, list[Judgement]] = defaultdict(list)
    given = Judgement.objects.filter(premise__in=keys).select_related("worker", "assignment")
    for judgement in given.defer("worker__external_id").order_by("pk"):
        judgements[judgement.premise_id].append(judgement)
    choices: defaultdict[tuple[int, str], list[Choice]] = defaultdict(list)
    chosen = Choice.objects.filter(prompt__premise__in=keys).select_related("prompt", "worker", "assignment")
    for choice in chosen.defer("worker__external_id").order_by("pk"):
        choices[choice.prompt.premise_id, choice.prompt.kind].append(choice)
    return Around(scores=scores, judgements=judgements, choices=choices)


def _provenance(pair: Premise, kind: str, around: Around, *, naming: Naming) -> dict[str, Any]:
    alternative, generic = pair.alternative, pair.alternative.generic
    return {
        "prompt": prompt_id(pair.pk, kind),
        "pair": str(pair.pk),
        "study": str(pair.project.study.public_id),
        "state": pair.state,
        "failed_by": [one for one in pair.reason.split(",") if one],
        "k": generic.k,
        "rank": generic.rank,
        "perplexity": generic.perplexity,
        "sentence": pair.sentence,
        "generic_word": pair.generic_word,
        "exception_word": pair.exception_word,
        "warnings": list(pair.warnings),
        "exception_by": naming.person(alternative.worker.public_id),
        "exception_at": _handed_in(alternative.assignment),
        "premise_by": naming.person(pair.worker.public_id),
        "premise_at": _handed_in(pair.assignment),
        "settled_at": utc_text(pair.settled_at),
        "filter": [_score(one) for one in around.scores.get(alternative.pk, ())],
        "judgements": [_judgement(one, naming) for one in around.judgements.get(pair.pk, ())],
        "choices": [_choice(one, naming) for one in around.choices.get((pair.pk, kind), ())],
    }


def _score(one: FilterScore) -> dict[str, Any]:
    return {
        "model": one.rival.name if one.rival else "",
        "way": one.way,
        "p_generic": one.p_generic,
        "p_exception": one.p_exception,
        "pieces_generic": one.pieces_generic,
        "pieces_exception": one.pieces_exception,
        "passes": one.passes,
        "weights_sha256": str(one.provenance.get("weights_sha256", "")),
        "scored_at": utc_text(one.scored_at),
    }


def _judgement(one: Judgement, naming: Naming) -> dict[str, Any]:
    said = {str(question): getattr(one, question) for question in QUESTIONS}
    return {"by": naming.person(one.worker.public_id), **said, "at": _handed_in(one.assignment)}


def _choice(one: Choice, naming: Naming) -> dict[str, Any]:
    return {
        "by": naming.person(one.worker.public_id),
        "word": one.word,
        "right": one.is_right,
        "at": _handed_in(one.assignment),
    }


def _handed_in(work: Assignment | None) -> str | None:
    """Of recorded work nobody knows when."""
    return utc_text(work.submitted_at) if work else None
