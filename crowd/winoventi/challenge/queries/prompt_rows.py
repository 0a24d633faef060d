"""The prompts behind the rows, made of pairs that are read in chunks, so that memory stays flat."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import F, QuerySet

from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.prompts import prompt_id
from crowd.winoventi.models import Choice, FilterScore, Judgement, Premise, Project, WordTag
from hits.core.chunks import in_chunks

AT_ONCE = 250
Pairs = QuerySet[Premise]


@dataclass(frozen=True, kw_only=True)
class ChunkRows:
    """Rows that belong to the pairs of one chunk, by key."""

    scores: Mapping[int, Sequence[FilterScore]] = field(default_factory=dict)
    judgements: Mapping[int, Sequence[Judgement]] = field(default_factory=dict)
    choices: Mapping[tuple[int, str], Sequence[Choice]] = field(default_factory=dict)
    tags: Mapping[tuple[int, str], WordTag] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PromptRows:
    """One of the two prompts of a pair, with what belongs to it in the full form."""

    pair: Premise
    kind: str
    around: ChunkRows

    @property
    def prompt(self) -> str:
        return prompt_id(self.pair.pk, self.kind)

    @property
    def target(self) -> str:
        return self.pair.outcomes(self.kind)[0]

    @property
    def incorrect(self) -> str:
        return self.pair.outcomes(self.kind)[1]

    @property
    def filter(self) -> Sequence[FilterScore]:
        return self.around.scores.get(self.pair.alternative_id, ())

    @property
    def tag(self) -> WordTag | None:
        """The part of speech of the sentence's special word, if the project's tagger has told one."""
        return self.around.tags.get((self.pair.pk, self.kind))

    @property
    def judgements(self) -> Sequence[Judgement]:
        return self.around.judgements.get(self.pair.pk, ())

    @property
    def choices(self) -> Sequence[Choice]:
        return self.around.choices.get((self.pair.pk, self.kind), ())


def settled_pairs(project: Project, *, everything: bool) -> Pairs:
    """Valid pairs; with `everything` also pairs that failed their validation."""
    states = [Premise.State.VALID, *([Premise.State.FAILED] if everything else [])]
    return project.premises.filter(state__in=states)


def read_prompts(project: Project, *, everything: bool, in_full: bool = False) -> Iterator[PromptRows]:
    """Both prompts of each pair: the generic's, then the exception's."""
    for some in _chunks(settled_pairs(project, everything=everything)):
        around = _around(some) if in_full else ChunkRows()
        for pair in some:
            for kind in KINDS:
                yield PromptRows(pair=pair, kind=kind, around=around)


def _chunks(pairs: Pairs) -> Iterator[list[Premise]]:
    related = pairs.select_related(
        "project__study",
        "worker",
        "assignment",
        "alternative__worker",
        "alternative__assignment",
        "alternative__generic__noun",
    ).defer("worker__external_id", "alternative__worker__external_id")
    return in_chunks(related, size=AT_ONCE)


def _around(pairs: Sequence[Premise]) -> ChunkRows:
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
    of_project = WordTag.objects.filter(premise__in=keys, rival=F("premise__project__tagger"))
    tags = {(tag.premise_id, tag.kind): tag for tag in of_project.select_related("rival", "premise")}
    return ChunkRows(scores=scores, judgements=judgements, choices=choices, tags=tags)
