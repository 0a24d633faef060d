"""Step 2: what workers say of a generic. Nonsense goes no further; each new alternative makes a triplet."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from crowd.winoventi.domain.answers import read_exceptions
from crowd.winoventi.models import Alternative, Generic, Project, triplet_key
from crowd.winoventi.services.pair_states import settle_alternatives, withdraw_alternatives
from hits.work.services.counting_answers import CountingAnswer, answers_that_count

NONSENSE = "A worker says that the statement makes no sense."
Answers = Mapping[Generic, CountingAnswer | None]


def count_exceptions(*, owner: Project, rows: Sequence[Generic], now: datetime) -> int:
    """Take exceptions from the raw answers that count now, whatever was taken from them before."""
    items = [generic.item_id for generic in rows if generic.item_id]
    found = answers_that_count(items)
    answers = {generic: next(iter(found[generic.item_id]), None) for generic in rows if generic.item_id}
    take_exceptions(project=owner, answers=answers, now=now)
    return len(rows)


def take_exceptions(*, project: Project, answers: Answers, now: datetime) -> None:
    """Write answers. None: no answer counts, and the generic needs another. The caller holds the project."""
    words: dict[tuple[int, str, int], tuple[Generic, CountingAnswer, int]] = {}
    for generic, given in answers.items():
        for position, word in enumerate(_credit(generic, given), start=1):
            assert given is not None  # noqa: S101 - without an answer there is no word
            words[generic.pk, word, given.worker_id] = (generic, given, position)
    Generic.objects.bulk_update(answers, ("state", "reason", "worker", "assignment"))
    there = Alternative.objects.filter(generic__in=[generic.pk for generic in answers])
    known = {(row.generic_id, row.word, row.worker_id): row for row in there}
    outdated = [row.pk for name, row in known.items() if name not in words]
    withdraw_alternatives(project=project, alternatives=there.filter(pk__in=outdated), now=now)
    _revive([(row, words[name][1]) for name, row in known.items() if name in words])
    Alternative.objects.bulk_create(
        _new(generic, word, given, position, project=project)
        for (_, word, _), (generic, given, position) in (
            (name, found) for name, found in words.items() if name not in known
        )
    )
    settle_alternatives(project=project, alternatives=there.all(), now=now)


def _credit(generic: Generic, given: CountingAnswer | None) -> Sequence[str]:
    """Note the answer on the generic, and return the exceptions in it."""
    if given is None:
        generic.state, generic.reason = Generic.State.POSTED, ""
        generic.worker_id = generic.assignment_id = None
        return ()
    answer = read_exceptions(given.raw)
    generic.state = Generic.State.ANSWERED if answer.makes_sense else Generic.State.NONSENSE
    generic.reason = "" if answer.makes_sense else NONSENSE
    generic.worker_id, generic.assignment_id = given.worker_id, given.assignment_id
    return answer.words


def _revive(rows: Sequence[tuple[Alternative, CountingAnswer]]) -> None:
    """Make withdrawn rows that count again REPEATED until they are settled."""
    changed = []
    for row, given in rows:
        if row.state == Alternative.State.WITHDRAWN:
            row.state, row.assignment_id = Alternative.State.REPEATED, given.assignment_id
            changed.append(row)
    Alternative.objects.bulk_update(changed, ("state", "assignment"))


def _new(
    generic: Generic, word: str, given: CountingAnswer, position: int, *, project: Project
) -> Alternative:
    return Alternative(
        project=project,
        generic=generic,
        word=word,
        position=position,
        key=triplet_key(generic.noun.word, generic.word, word),
        state=Alternative.State.REPEATED,
        worker_id=given.worker_id,
        assignment_id=given.assignment_id,
    )
