"""How far the verification of samples is: what is judged by all, what they agree on, and who has judged."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from crowd.whoops.judge.domain.votes import Agreement, Votes, agree
from crowd.whoops.models import Project, Sample
from crowd.whoops.models.judged_items import Option, Question
from hits.work.models.items import Item
from scoring.queries.vote_tallies import counting_scores, tallies

NOBODY = Votes(yes=0, of=0)


@dataclass(frozen=True, kw_only=True)
class SampledOption:
    """An answer of a sample with its votes. `is_open`: judges are missing."""

    option: Option
    votes: Votes
    is_open: bool

    @property
    def question(self) -> Question:
        return self.option.question


@dataclass(frozen=True, kw_only=True)
class SampleProgress:
    """A sample and its questions that are not withdrawn."""

    sample: Sample
    options: Sequence[SampledOption]

    @property
    def judged(self) -> int:
        return sum(not one.is_open for one in self.options)

    @property
    def wrong(self) -> int:
        return sum(one.option.label is False for one in self.options)

    @property
    def agreement(self) -> Agreement:
        """The majority of judges against the label, over questions that have all their judges."""
        return agree((one.votes, bool(one.option.label)) for one in self.options if not one.is_open)


@dataclass(frozen=True, kw_only=True)
class SampleJudge:
    """One worker who has judged questions of a sample."""

    pseudonym: str
    questions: int
    yes: int
    last_at: datetime | None


def samples_with_progress(project: Project) -> list[SampleProgress]:
    """All samples of a project, the newest first, in a number of queries that does not grow."""
    samples = list(project.samples.select_related("drawn_by").order_by("-pk"))
    options = _options(project)
    return [SampleProgress(sample=sample, options=options[sample.pk]) for sample in samples]


def judges_of(sample: Sample) -> list[SampleJudge]:
    """Who has judged questions of the sample, those who judged most first."""
    scores = counting_scores(Item.objects.filter(whoops_question__sample=sample)).order_by()
    rows = scores.values_list("assignment__worker__pseudonym", "numerator").annotate(
        n=Count("pk"), at=Max("assignment__submitted_at")
    )
    found: defaultdict[str, dict[int, tuple[int, datetime | None]]] = defaultdict(dict)
    for pseudonym, numerator, count, at in rows:
        found[pseudonym][int(bool(numerator))] = (count, at)
    judges = [_judge(pseudonym, by_vote) for pseudonym, by_vote in found.items()]
    return sorted(judges, key=lambda one: (-one.questions, one.pseudonym))


def _judge(pseudonym: str, by_vote: Mapping[int, tuple[int, datetime | None]]) -> SampleJudge:
    return SampleJudge(
        pseudonym=pseudonym,
        questions=sum(count for count, _ in by_vote.values()),
        yes=by_vote.get(1, (0, None))[0],
        last_at=max((at for _, at in by_vote.values() if at is not None), default=None),
    )


def _options(project: Project) -> defaultdict[int, list[SampledOption]]:
    questions = Question.objects.filter(project=project, sample__isnull=False, withdrawn_at=None)
    counted = tallies(Item.objects.filter(whoops_question__in=questions))
    rows = Option.objects.filter(question__in=questions).select_related("question__image")
    found: defaultdict[int, list[SampledOption]] = defaultdict(list)
    for option in rows.order_by("question__sample_place", "question"):
        question = option.question
        tally = counted.get((question.item_id or 0, option.measure))
        votes = Votes(yes=tally.yes, of=tally.answers) if tally else NOBODY
        row = SampledOption(option=option, votes=votes, is_open=votes.of < project.judges_wanted)
        found[question.sample_id or 0].append(row)
    return found
