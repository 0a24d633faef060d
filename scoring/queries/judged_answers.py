"""The answers of a study that can be compared, as labels: read at once, whatever the task."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from hits.families import Judgment, ServedWork, StatesJudgments, TaskType
from hits.studies.models import Batch
from hits.work.domain import effective_seconds
from hits.work.services.counting_answers import works_that_count, works_with_attention
from scoring.quality.attention_shares import Attention
from scoring.quality.judged_labels import Label, Labels, make_labels
from scoring.queries.attention_answers import attention_by_worker, compare_with_known

# Works whose items a family is asked about at one time.
AT_ONCE = 500
# More answers than these newest ones would take a web process too much memory and time.
MOST_ANSWERS = 30_000


class JudgedThing(NamedTuple):
    """An item by its public id, and which of its things is judged, if they are judged one by one."""

    item: str
    about: str


@dataclass(frozen=True, kw_only=True)
class JudgedCrowd:
    """Labels by question, all with the same workers at the same places.

    `worker_ids` are keys by pseudonym, `work_ids` those of the first work that answers an item, by public id.
    `newest`: how many answers were read, if there are older ones. `attention`: by pseudonym.
    """

    questions: Mapping[str, Labels]
    worker_ids: Mapping[str, int]
    work_ids: Mapping[str, int]
    newest: int | None
    attention: Mapping[str, Attention]


def judged_crowd(task: TaskType, batches: QuerySet[Batch]) -> JudgedCrowd:
    """Return what counting answers of these batches choose; the batches are all of this task."""
    works = works_that_count(batches, most=MOST_ANSWERS)
    beside = works_with_attention(batches, most=MOST_ANSWERS)
    seconds = _seconds_each([*works, *beside])
    workers = {work.assignment.worker.pseudonym: work.assignment.worker_id for work in works}
    rows: defaultdict[str, list[Label]] = defaultdict(list)
    for at in range(0, len(works), AT_ONCE):
        for judgment, label in _labels(task, works[at : at + AT_ONCE], seconds):
            rows[judgment.question].append(label)
    names = list(workers)
    questions = {name: make_labels(labels, workers=names) for name, labels in rows.items()}
    firsts = {str(item.public_id): work.assignment.pk for work in reversed(works) for item in work.items}
    read = sum(len(work.items) for work in works)
    newest = MOST_ANSWERS if read >= MOST_ANSWERS else None
    return JudgedCrowd(
        questions=questions,
        worker_ids=workers,
        work_ids=firsts,
        newest=newest,
        attention=attention_by_worker(compare_with_known(task, beside)),
    )


def _labels(
    task: TaskType, works: list[ServedWork], seconds: Mapping[int, float | None]
) -> Iterator[tuple[Judgment, Label]]:
    if not isinstance(task, StatesJudgments):
        return
    for one in task.judgments(works):
        yield (
            one,
            Label(
                item=JudgedThing(str(one.item.public_id), one.about),
                worker=one.assignment.worker.pseudonym,
                answer=one.label,
                seconds=seconds[one.assignment.pk],
                place=one.place,
                words=one.words,
            ),
        )


def _seconds_each(works: Sequence[ServedWork]) -> dict[int, float | None]:
    """Return the time of each page by all of its items, by the work: only pages are timed."""
    items: Counter[int] = Counter()
    timed = {work.assignment.pk: work.assignment for work in works}
    for work in works:
        items[work.assignment.pk] += len(work.items)
    found = {
        key: effective_seconds(active_s=one.active_s, worked_s=one.worked_s) for key, one in timed.items()
    }
    return {key: None if seconds is None else seconds / items[key] for key, seconds in found.items()}
