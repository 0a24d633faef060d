"""Step 4: the sentence in which one word decides which of the two outcomes holds."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from crowd.winoventi.domain.answers import read_premise_of
from crowd.winoventi.domain.premises import find_fault, find_warnings
from crowd.winoventi.models import Alternative, Premise, Project
from crowd.winoventi.services.pair_states import settle_premises, withdraw_premises
from hits.work.services.counting_answers import CountingAnswer, answers_that_count

FIELDS = ("sentence", "generic_word", "exception_word", "is_na", "warnings", "assignment", "is_kept", "state")
# The longest texts that are kept: nobody can type more on the page, but a recording may hold anything.
LONGEST = {"sentence": 1000, "generic_word": 200, "exception_word": 200}
Answers = Mapping[Alternative, CountingAnswer | None]


def count_premises(*, owner: Project, rows: Sequence[Alternative], now: datetime) -> int:
    """Take premises from the raw answers that count now, whatever was taken from them before."""
    items = [alternative.item_id for alternative in rows if alternative.item_id]
    found = answers_that_count(items)
    answers = {one: next(iter(found[one.item_id]), None) for one in rows if one.item_id}
    take_premises(project=owner, answers=answers, now=now)
    return len(rows)


def take_premises(*, project: Project, answers: Answers, now: datetime) -> None:
    """Write answers. None: no answer counts, and the triplet needs another. The caller holds the project."""
    there = Premise.objects.filter(alternative__in=[alternative.pk for alternative in answers])
    known = {(row.alternative_id, row.worker_id): row for row in there}
    given = {(one.pk, answer.worker_id): (one, answer) for one, answer in answers.items() if answer}
    outdated = [row.pk for name, row in known.items() if name not in given]
    withdraw_premises(there.filter(pk__in=outdated), now=now)
    rows = [
        _written(known.get(name) or _new(one, answer, project=project), one, answer)
        for name, (one, answer) in given.items()
    ]
    Premise.objects.bulk_create(row for row in rows if row.pk is None)
    Premise.objects.bulk_update([row for row in rows if row.pk is not None], FIELDS)
    Alternative.objects.filter(pk__in=[one.pk for one, _ in given.values()]).update(has_premise=True)
    settle_premises(project=project, premises=there.all(), now=now)


def _new(alternative: Alternative, given: CountingAnswer, *, project: Project) -> Premise:
    return Premise(project=project, alternative=alternative, worker_id=given.worker_id)


def _written(row: Premise, alternative: Alternative, given: CountingAnswer) -> Premise:
    text = read_premise_of(given.raw)
    row.sentence, row.generic_word, row.exception_word = (
        getattr(text, name)[:most] for name, most in LONGEST.items()
    )
    row.is_na = text.is_na
    row.warnings = [] if find_fault(text) else _warnings(row, alternative)
    row.assignment_id = given.assignment_id
    if not row.is_kept:
        row.is_kept, row.state = True, Premise.State.WITHDRAWN
    return row


def _warnings(row: Premise, alternative: Alternative) -> list[str]:
    found = find_warnings(row.text, generic=alternative.generic.word, exception=alternative.word)
    return [str(warning) for warning in found]
