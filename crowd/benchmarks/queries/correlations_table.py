"""How the answers of each correlate with something about the items: their length, or what a model reads."""

from collections.abc import Iterator

from crowd.benchmarks.benchmark_tasks import BenchmarkTask
from crowd.benchmarks.models import Benchmark, Correlation
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatTable, head


def correlations_table(benchmark: Benchmark, task: BenchmarkTask) -> Iterator[StatTable]:
    """Yield the table, or none for a task that says nothing of the kind."""
    if not task.relations:
        return
    names = {relation.key: relation.name for relation in task.relations}
    of_listed = Correlation.objects.filter(result__benchmark=benchmark, result__is_listed=True)
    found = of_listed.filter(relation__in=names)
    order = [*names]
    rows = sorted(
        found.select_related("result", "reading"),
        key=lambda one: (order.index(one.relation), one.reading_id or 0, one.result_id),
    )
    yield StatTable(
        name="correlations",
        title="Correlations",
        columns=[
            head("Who", TEXT, of=lambda one: one.result.name),
            head("Of", TEXT, name="relation", of=lambda one: names[one.relation]),
            head("Read by", TEXT, of=lambda one: one.reading.name if one.reading else ""),
            head("r", NUMBER, digits=2, of=lambda one: one.r),
            head("p", NUMBER, digits=4, of=lambda one: one.p),
            head("Pairs", of=lambda one: one.pairs or None),
        ],
        rows=rows,
        about="Pearson's r, and its probability where nothing goes together: Student's t, both sides. Ask a "
        "registered model that reads texts to have its perplexities here.",
        empty="Nothing is counted yet.",
    )
