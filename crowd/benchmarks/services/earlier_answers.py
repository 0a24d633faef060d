"""Answers of before there were benchmarks become results of each benchmark of their task and study."""

from collections.abc import Iterator
from itertools import islice

from django.db import transaction
from django.db.models import QuerySet

from crowd.benchmarks.models import Benchmark, EarlierAnswers, ItemResult, Result
from crowd.benchmarks.released_items import has_rows, items_from
from crowd.benchmarks.services.benchmark_results import AT_ONCE, item_rows, task_of
from crowd.benchmarks.services.score_sums import sum_up
from hits.studies.models import Study

LONGEST = Result._meta.get_field("name").max_length or 0


def earlier_answers_of(study: Study, *, family: str) -> QuerySet[EarlierAnswers]:
    """Return what was uploaded about this family's items, without the answers themselves."""
    return EarlierAnswers.objects.filter(study=study, family=family).defer("answers").order_by("pk")


def bring_earlier_answers() -> None:
    """Bring them to the benchmarks that lack them. Idempotent; what is removed there does not come again."""
    for earlier in EarlierAnswers.objects.defer("answers").order_by("pk"):
        known = Benchmark.objects.filter(release__study=earlier.study_id, release__family=earlier.family)
        lacking = known.filter(task=earlier.task).exclude(pk__in=earlier.benchmarks.values("pk"))
        for benchmark in lacking.select_related("release"):
            if has_rows(benchmark.release, task_of(benchmark)):
                _bring(earlier, benchmark)


@transaction.atomic
def _bring(earlier: EarlierAnswers, benchmark: Benchmark) -> None:
    Benchmark.objects.select_for_update().get(pk=benchmark.pk)
    if earlier.benchmarks.filter(pk=benchmark.pk).exists():
        return
    result = Result.objects.create(
        benchmark=benchmark,
        name=_free_name(earlier.name, benchmark),
        about=earlier.about,
        provenance={"uploaded_as": earlier.name},
        added_at=earlier.added_at,
        added_by=earlier.added_by,
    )
    rows = _rows_of(earlier, result)
    while some := list(islice(rows, AT_ONCE)):
        ItemResult.objects.bulk_create(some)
        result.answered += len(some)
    result.save(update_fields=["answered"])
    sum_up(result, task_of(benchmark))
    earlier.benchmarks.add(benchmark)


def _rows_of(earlier: EarlierAnswers, result: Result) -> Iterator[ItemResult]:
    """Yield rows for the items of the release that were answered."""
    task, answers = task_of(result.benchmark), earlier.answers
    for read in items_from(result.benchmark.release, task):
        if read.item.name in answers:
            yield from item_rows(task, result, [(read.item, answers[read.item.name])])


def _free_name(name: str, benchmark: Benchmark) -> str:
    """Return the name, with a number where another result has it in whatever case."""
    found, number = name[:LONGEST], 1
    while benchmark.results.filter(name__iexact=found).exists():
        number += 1
        end = f" ({number})"
        found = name[: LONGEST - len(end)] + end
    return found
