"""Judged options with their votes, in a few queries however many there are."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from crowd.whoops import domain
from crowd.whoops.judge.domain.caption_errors import Rights, count_patterns
from crowd.whoops.judge.domain.votes import Agreement, Share, Votes, accepted, agree, unanimity
from crowd.whoops.judge.queries.questions import AWAY
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Option, Question
from hits.studies.models import Study
from hits.work.models.items import Item
from scoring.queries.vote_tallies import tallies

Kind = Question.Kind
Variant = Question.Variant
WITHOUT_CATEGORY = "Without a category"
NOBODY = Votes(yes=0, of=0)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One option of a counted question, with its votes."""

    question: int
    image: int
    variant: str
    category: str
    source: str
    label: bool | None
    votes: Votes
    # Fewer judges than are wanted have answered: the option is open, and in no share.
    is_open: bool


@dataclass(frozen=True, kw_only=True)
class KindJudgements:
    """All judged options of one kind. `open`: the number of questions that wait for judges."""

    closed: Sequence[Judgement]
    open: int

    def agreement(self, of: Callable[[Judgement], bool] = lambda _: True) -> Agreement:
        return agree((one.votes, one.label) for one in self.closed if one.label is not None and of(one))

    def accepted(self, of: Callable[[Judgement], bool] = lambda _: True) -> Share:
        return accepted(one.votes for one in self.closed if of(one))

    def unanimous(self) -> Share:
        return unanimity(one.votes for one in self.closed)

    @property
    def sources(self) -> list[str]:
        """The sources of options, people and designers first."""
        found = {one.source for one in self.closed}
        return [*(one for one in domain.OURS if one in found), *sorted(found - set(domain.OURS))]

    @property
    def categories(self) -> list[str]:
        return sorted({one.category for one in self.closed})


def judged(project: Project, kind: str) -> KindJudgements:
    return judged_by_kind(project, [kind])[kind]


def rights_of(study: Study, kind: str) -> list[bool]:
    """Whether most judges agree with what is known of each judged option of a study; a tie does not."""
    project = Project.objects.filter(study=study).first()
    closed = judged(project, kind).closed if project else ()
    return [one.votes.majority is one.label for one in closed if one.label is not None]


def judged_by_kind(project: Project, kinds: Sequence[str]) -> Mapping[str, KindJudgements]:
    rows: dict[str, list[Judgement]] = {kind: [] for kind in kinds}
    for option, votes in _voted(counting(project, kinds)):
        rows[option.question.kind].append(_judgement(project, option, votes))
    return {kind: _judgements(own) for kind, own in rows.items()}


def counting(project: Project, kinds: Sequence[str]) -> QuerySet[Question]:
    """Questions that figures count: not withdrawn, and about an image that is accepted and shown."""
    asked = Question.objects.filter(project=project, kind__in=kinds, withdrawn_at=None, item__isnull=False)
    return asked.exclude(AWAY)


def caption_patterns(found: KindJudgements) -> Mapping[str, Mapping[Rights, int]]:
    """Count error patterns by model, over scenes whose three variants are all judged.

    If one variant has several captions, the first with a majority counts.
    """
    rights: defaultdict[tuple[str, int], dict[str, bool]] = defaultdict(dict)
    for one in sorted(found.closed, key=lambda one: one.question):
        if one.votes.majority is not None:
            rights[one.source, one.image].setdefault(one.variant, one.votes.majority)
    scenes: dict[str, list[Rights]] = {source: [] for source in found.sources}
    for (source, _), by_variant in rights.items():
        if len(by_variant) == len(Variant):
            scenes[source].append(Rights(*(by_variant[one] for one in Variant)))
    return {source: count_patterns(own) for source, own in scenes.items()}


def _voted(questions: QuerySet[Question]) -> Iterable[tuple[Option, Votes]]:
    counted = tallies(Item.objects.filter(whoops_question__in=questions))
    options = Option.objects.filter(question__in=questions).select_related("question__image__category")
    for option in options.order_by("question", "number").iterator():
        tally = counted.get((option.question.item_id or 0, option.measure))
        yield option, Votes(yes=tally.yes, of=tally.answers) if tally else NOBODY


def _judgements(rows: Sequence[Judgement]) -> KindJudgements:
    return KindJudgements(
        closed=[row for row in rows if not row.is_open],
        open=len({row.question for row in rows if row.is_open}),
    )


def _judgement(project: Project, option: Option, votes: Votes) -> Judgement:
    question = option.question
    category = question.image.category if question.image else None
    return Judgement(
        question=question.pk,
        image=question.image_id or 0,
        variant=question.variant,
        category=str(category or WITHOUT_CATEGORY),
        source=option.source,
        label=option.label,
        votes=votes,
        is_open=votes.of < project.judges_wanted,
    )
