"""Human performance: which of the two outcomes people complete a prompt with."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from crowd.winoventi.domain.answers import read_choice
from crowd.winoventi.domain.words import are_same
from crowd.winoventi.models import Choice, Project, Prompt
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import CountingAnswer, answers_that_count, on_their_way
from hits.work.services.locking import lock_items

LONGEST = Choice._meta.get_field("word").max_length
Answers = Mapping[Prompt, Sequence[CountingAnswer]]


def count_choices(*, owner: Project, rows: Sequence[Prompt], now: datetime) -> int:
    """Take choices from the raw answers that count now, whatever was taken from them before.

    Choices that were recorded elsewhere stay beside them.
    """
    items = [prompt.item_id for prompt in rows if prompt.item_id]
    found = answers_that_count(items)
    Choice.objects.filter(prompt__in=[one.pk for one in rows], assignment__isnull=False).delete()
    answers = {one: found[one.item_id] for one in rows if one.item_id}
    take_choices(project=owner, answers=answers, there=_recorded(rows))
    _want(owner, rows)
    return len(rows)


def choose_anew(*, project: Project, rows: Sequence[Prompt], now: datetime) -> None:
    """Count choices again by the number needed now; where an answer is on its way, once that has arrived."""
    lock_items(items := [one.item_id for one in rows if one.item_id])
    awaited = set(on_their_way().filter(item__in=items).values_list("item_id", flat=True))
    count_choices(owner=project, rows=[one for one in rows if one.item_id not in awaited], now=now)
    Prompt.objects.filter(item__in=awaited).update(is_answered=False)
    _want(project, [one for one in rows if one.item_id in awaited])


def take_choices(*, project: Project, answers: Answers, there: Mapping[int, int] | None = None) -> None:
    """Add choices that are not there yet. `there`: recorded ones, by prompt. The caller holds the project."""
    known = there or {}
    Choice.objects.bulk_create(
        (_choice(prompt, one) for prompt, given in answers.items() for one in given), ignore_conflicts=True
    )
    answered = [
        prompt
        for prompt, given in answers.items()
        if len(given) + known.get(prompt.pk, 0) >= project.choices_wanted
    ]
    rows = Prompt.objects.filter(pk__in=[prompt.pk for prompt in answers])
    rows.update(is_answered=False)
    rows.filter(pk__in=[prompt.pk for prompt in answered]).update(is_answered=True)


def _recorded(rows: Sequence[Prompt]) -> Counter[int]:
    """Number of each prompt's choices that were recorded elsewhere."""
    found = Choice.objects.filter(prompt__in=[one.pk for one in rows], assignment=None)
    return Counter(found.values_list("prompt_id", flat=True))


def _want(project: Project, rows: Sequence[Prompt]) -> None:
    there = _recorded(rows)
    want_answers({one.item_id: project.choices_wanted - there[one.pk] for one in rows if one.item_id})


def _choice(prompt: Prompt, given: CountingAnswer) -> Choice:
    word = read_choice(given.raw)
    return Choice(
        prompt=prompt,
        worker_id=given.worker_id,
        assignment_id=given.assignment_id,
        word=word[:LONGEST],
        is_right=are_same(word, prompt.target),
    )
