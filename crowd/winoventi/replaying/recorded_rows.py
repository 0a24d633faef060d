"""Recording of each file's slices, once, by the services of live work. The caller holds the project."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crowd.winoventi.challenge.services.choices import take_choices
from crowd.winoventi.domain.premises import find_fault
from crowd.winoventi.domain.words import are_same
from crowd.winoventi.exceptions.services.exceptions import take_exceptions
from crowd.winoventi.models import (
    Alternative,
    FilterScore,
    Generic,
    Judgement,
    PieceScoring,
    Premise,
    Project,
    Prompt,
    triplet_key,
)
from crowd.winoventi.premises.services.premises import take_premises
from crowd.winoventi.replaying import rows, rules
from crowd.winoventi.replaying.pairs import known_generics, place_of, post_recorded
from crowd.winoventi.services.locks import items_of_alternatives, items_of_premises
from crowd.winoventi.services.pair_states import settle_alternatives
from crowd.winoventi.validation.services.validations import take_judgements
from hits.common.uploads.row_reader import Row
from hits.identity.models.workers import Worker
from hits.work.services.counting_answers import CountingAnswer
from hits.work.services.locking import lock_items


@dataclass(frozen=True, kw_only=True)
class Recorder:
    """The project, workers and clock that a slice is recorded with, and the counts of broken rules."""

    project: Project
    workers: Mapping[str, Worker]
    counts: Counter[str]
    now: datetime

    def given(self, row: Row) -> CountingAnswer:
        return CountingAnswer(worker_id=self.workers[row.cells["worker"]].pk, raw=row.cells)


def record_exceptions(some: Sequence[Row], recorder: Recorder) -> None:
    for row in some:
        recorder.counts.update(rules.broken_by_exceptions(row))
    known = known_generics(some, project=recorder.project)
    new = [row for row in some if place_of(row) not in known]
    made = post_recorded(new, project=recorder.project)
    answers: dict[Generic, CountingAnswer | None] = {
        generic: recorder.given(row) for generic, row in zip(made, new, strict=True)
    }
    take_exceptions(project=recorder.project, answers=answers, now=recorder.now)


def record_probabilities(some: Sequence[Row], recorder: Recorder) -> None:
    """Record scores as one token each: the authors looked a word up as one, whatever its pieces."""
    found = _alternatives(some, project=recorder.project)
    scores = []
    for row in _with(some, found, file=rows.PROBABILITIES, counts=recorder.counts):
        generic, exception = float(row.cells["p_generic"]), float(row.cells["p_exception"])
        scores.append(
            FilterScore(
                alternative=found[_key(row)],
                way=PieceScoring.ONE_TOKEN,
                p_generic=generic,
                p_exception=exception,
                passes=generic > exception,
                scored_at=recorder.now,
            )
        )
    FilterScore.objects.bulk_create(scores, ignore_conflicts=True)
    scored = Alternative.objects.filter(pk__in=[one.pk for one in found.values()])
    lock_items(items_of_alternatives([one.pk for one in found.values()]))
    settle_alternatives(project=recorder.project, alternatives=scored, now=recorder.now)


def record_premises(some: Sequence[Row], recorder: Recorder) -> None:
    found = _alternatives(some, project=recorder.project)
    answers: dict[Alternative, CountingAnswer | None] = {}
    for row in _with(some, found, file=rows.PREMISES, counts=recorder.counts):
        alternative = found[_key(row)]
        recorder.counts.update(rules.broken_by_premise(row))
        recorder.counts["premise_of_filtered"] += alternative.state != Alternative.State.PASSED
        if not alternative.has_premise:
            answers[alternative] = recorder.given(row)
    lock_items(items_of_alternatives([one.pk for one in answers]))
    take_premises(project=recorder.project, answers=answers, now=recorder.now)


def record_judgements(some: Sequence[Row], recorder: Recorder) -> None:
    found = _premises(some, project=recorder.project)
    answers: defaultdict[Premise, list[CountingAnswer]] = defaultdict(list)
    for row in _with(some, found, file=rows.VALIDATIONS, counts=recorder.counts):
        premise, given = found[_key(row)], recorder.given(row)
        recorder.counts["self_validation"] += given.worker_id == premise.worker_id
        recorder.counts["judged_malformed"] += find_fault(premise.text) is not None
        answers[premise].append(given)
    judged = [one.pk for one in answers]
    lock_items(items_of_premises(judged))
    # Own judgements count too, also where they are refused: nobody could judge what was not posted.
    Premise.objects.filter(pk__in=judged).update(was_posted=True)
    refused = take_judgements(project=recorder.project, answers=answers, now=recorder.now)
    recorder.counts["refused"] += refused


def record_choices(some: Sequence[Row], recorder: Recorder) -> None:
    found = _premises(some, project=recorder.project)
    fit = list(_with(some, found, file=rows.CHOICES, counts=recorder.counts))
    prompts = _prompts([found[_key(row)] for row in fit])
    judges = _judges(found.values())
    answers: defaultdict[Prompt, list[CountingAnswer]] = defaultdict(list)
    for row in fit:
        premise, given = found[_key(row)], recorder.given(row)
        answers[prompts[premise.pk, row.cells["kind"]]].append(given)
        worked = {premise.worker_id, premise.alternative.worker_id, *judges[premise.pk]}
        recorder.counts["choice_by_one_who_worked"] += given.worker_id in worked
        recorder.counts["choice_of_no_pair"] += premise.state != Premise.State.VALID
        outcomes = (premise.generic, premise.exception)
        recorder.counts["choice_not_offered"] += not any(
            are_same(row.cells["choice"], outcome) for outcome in outcomes
        )
    take_choices(project=recorder.project, answers=answers)


RECORD: Mapping[str, Callable[[Sequence[Row], Recorder], None]] = {
    rows.EXCEPTIONS: record_exceptions,
    rows.PROBABILITIES: record_probabilities,
    rows.PREMISES: record_premises,
    rows.VALIDATIONS: record_judgements,
    rows.CHOICES: record_choices,
}


def _key(row: Row) -> str:
    noun, generic, exception = (row.cells[name] for name in rows.TRIPLET)
    return triplet_key(noun, generic, exception.lower())


def _with(
    some: Sequence[Row], found: Mapping[str, object], *, file: str, counts: Counter[str]
) -> Iterable[Row]:
    """Rows that are about something known; the others are counted."""
    for row in some:
        if _key(row) in found:
            yield row
        else:
            counts[rules.OF_NOTHING[file]] += 1


def _alternatives(some: Sequence[Row], *, project: Project) -> dict[str, Alternative]:
    """Alternatives by their words; of those given twice, the one that represents the words."""
    found = Alternative.objects.filter(project=project, key__in={_key(row) for row in some})
    standing = found.filter(state__in=Alternative.STANDING).select_related("generic__noun")
    return {one.key: one for one in standing}


def _premises(some: Sequence[Row], *, project: Project) -> dict[str, Premise]:
    found = Premise.objects.filter(
        project=project, is_kept=True, alternative__key__in={_key(row) for row in some}
    )
    return {one.alternative.key: one for one in found.select_related("alternative__generic__noun")}


def _prompts(premises: Iterable[Premise]) -> dict[tuple[int, str], Prompt]:
    """Both prompts of each premise, made where there is none."""
    by_key = {premise.pk: premise for premise in premises}
    Prompt.objects.bulk_create(
        (Prompt(premise=premise, kind=kind) for premise in by_key.values() for kind in Prompt.Kind.values),
        ignore_conflicts=True,
    )
    prompts = Prompt.objects.filter(premise__in=list(by_key))
    for prompt in (found := list(prompts)):
        prompt.premise = by_key[prompt.premise_id]
    return {(prompt.premise_id, prompt.kind): prompt for prompt in found}


def _judges(premises: Iterable[Premise]) -> defaultdict[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    judgements = Judgement.objects.filter(premise__in=[premise.pk for premise in premises])
    for premise, worker in judgements.values_list("premise_id", "worker_id"):
        found[premise].add(worker)
    return found
