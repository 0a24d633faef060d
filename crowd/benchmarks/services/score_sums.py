"""Sums of a result's scores, from which every table of its benchmark is made without reading its items."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from crowd.benchmarks.benchmark_tasks import Answer, BenchmarkTask, Part, ReleasedItem, sum_of
from crowd.benchmarks.models import Result
from crowd.benchmarks.released_items import items_from
from scoring.score_statistics import GROUPS

Source = Result.Source
AT_ONCE = 500
ALL, SPLIT = "", "split"
# One of four groups into which the items are dealt in turn, for intervals.
QUARTER = "quarter"
# All items, those in the subset of the model itself, and those in the subsets of all models.
EVERY, OWN, SHARED = "all", "individual", "intersection"
# What divides the items, the kind of an item, and the measure.
Key = tuple[str, str, str]


def sum_up(result: Result, task: BenchmarkTask) -> None:
    """Store the sums over all items of the result, and over each kind of them.

    What a matcher decides is left out until it has decided on all answers.
    """
    left_out = task.learned.key if task.learned and result.to_match else ""
    scored = (
        (item, answer, {measure: score for measure, score in scores.items() if measure != left_out})
        for item, answer, scores in _scored(result, task)
    )
    result.sums = [
        *count_sums(scored, task, source=Source(result.source)),
        *_of_whole(result, task),
    ]
    result.save(update_fields=["sums"])


def count_sums(
    scored: Iterable[tuple[ReleasedItem, Answer, Mapping[str, str]]], task: BenchmarkTask, *, source: Source
) -> list[dict[str, object]]:
    """Return the sums of the measures that each answer has."""
    counted: defaultdict[Key, Counter[str]] = defaultdict(Counter)
    has_intervals = task.has_intervals and source != Source.CHANCE
    for place, (item, answer, scores) in enumerate(scored):
        dealt = [(QUARTER, str(place % GROUPS))] if has_intervals else []
        for group, value in (*kinds_of(item, task, answer), *dealt):
            for measure, score in scores.items():
                counted[group, value, measure][score] += 1
        if table := task.part_table:
            for part in task.parts(item):
                if (found := _score_of_part(part, source, answer)) is not None:
                    counted[table.group, part.kind, table.measure.key][str(found)] += 1
    return [
        sum_of(
            group=group,
            kind=kind,
            measure=measure,
            items=scores.total(),
            total=sum((Fraction(score) * times for score, times in scores.items()), Fraction()),
        )
        for (group, kind, measure), scores in sorted(counted.items())
    ]


def kinds_of(item: ReleasedItem, task: BenchmarkTask, answer: Answer) -> Iterator[tuple[str, str]]:
    yield ALL, ""
    if item.split:
        yield SPLIT, item.split
    for group, values in task.groups(item).items():
        for value in dict.fromkeys(values):
            yield group, value
    if task.subsets:
        yield from ((task.subsets, kind) for kind in task.subset_kinds(item, EVERY))
        if answer is not None and task.is_in_own_subset(answer):
            yield from ((task.subsets, kind) for kind in task.subset_kinds(item, OWN))


def _score_of_part(part: Part, source: Source, answer: Answer) -> Fraction | None:
    if source in Result.OF_MODELS:
        return part.of_answer(answer)
    return part.of_people if source == Source.PEOPLE else part.of_chance


def _of_whole(result: Result, task: BenchmarkTask) -> Iterator[dict[str, object]]:
    """Yield the measures of all answers together, and of those of each split."""
    if not result.is_of_model or not any(measure.of_whole for measure in task.measures):
        return
    answers = dict(result.items.values_list("item", "answer"))
    items = (read.item for read in items_from(result.benchmark.release, task))
    answered = [(item, answers[item.name]) for item in items if item.name in answers]
    parts: dict[tuple[str, str], list[tuple[ReleasedItem, Answer]]] = {(ALL, ""): answered}
    for item, answer in answered:
        if item.split:
            parts.setdefault((SPLIT, item.split), []).append((item, answer))
    for (group, value), part in parts.items():
        for measure, mean in task.whole(part).items() if part else ():
            total = Fraction(mean) * len(part)
            yield sum_of(group=group, kind=value, measure=measure, items=len(part), total=total)


def _scored(result: Result, task: BenchmarkTask) -> Iterator[tuple[ReleasedItem, Answer, dict[str, str]]]:
    items = (read.item for read in items_from(result.benchmark.release, task))
    while some := list(islice(items, AT_ONCE)):
        yield from _scored_of(result, some)


def _scored_of(
    result: Result, items: Sequence[ReleasedItem]
) -> Iterator[tuple[ReleasedItem, Answer, dict[str, str]]]:
    rows = result.items.filter(item__in=[item.name for item in items])
    found = {name: (answer, scores) for name, answer, scores in rows.values_list("item", "answer", "scores")}
    return ((item, *found[item.name]) for item in items if item.name in found)
