"""Captions of weird images by models: figures of all of them together."""

from fractions import Fraction
from io import BytesIO

import pytest

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import benchmark_results
from scoring.text_metrics import cider, corpus_bleu
from tests.crowd.benchmarks.making import asked, file_of, uploaded
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW
from tests.scoring.fakes import make_rival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    use_fakes(monkeypatch)
    release = release_of(make_of("whoops", items=5), "whoops", split_seed=2)
    task = benchmark_tasks.get("whoops", "description")
    return benchmark_results.open_benchmark(release=release, task=task, now=NOW)


def whole(result: Result, measure: str, *, group: str = "") -> float:
    (found,) = (one for one in result.sums if (one["measure"], one["group"]) == (measure, group))
    return float(Fraction(str(found["sum"])) / int(str(found["items"])))


def test_captions_are_compared_with_those_of_people(benchmark: Benchmark) -> None:
    result = asked(benchmark, make_rival("blip", kind="speaker"))

    items = {item.item: str(item.answer) for item in result.items.all()}
    references = [[f"caption {number} of it"] for number in range(5)]
    said = list(items.values())
    assert result.answered == 5
    assert whole(result, "bleu_4") == pytest.approx(corpus_bleu(candidates=said, references=references))
    assert whole(result, "cider") == pytest.approx(cider(candidates=said, references=references))


def test_a_file_of_the_annotators_own_captions_is_nearly_perfect(benchmark: Benchmark) -> None:
    result = asked(benchmark, make_rival("blip", kind="speaker"))
    lines = file_of(result).getvalue().decode("utf-8-sig").splitlines()
    own = [lines[0], *(f"{line.split(',')[0]},caption {n} of it" for n, line in enumerate(lines[1:]))]
    best = uploaded(benchmark, BytesIO("\n".join(own).encode()), name="people's own")

    assert whole(best, "bleu_4") == pytest.approx(1, abs=1e-6)
    assert whole(best, "cider") > whole(result, "cider")
    assert {one["value"] for one in best.sums if one["group"] == "split"} <= {"train", "test"}


def test_the_table_has_plain_numbers_and_no_bars(benchmark: Benchmark) -> None:
    asked(benchmark, make_rival("blip", kind="speaker"))

    table = tables_of(benchmark)[0]

    assert table.bars is None
    assert [column.title for column in table.header()] == ["Who", "BLEU-4", "CIDEr", "Images", "About"]
    (row,) = table.shown()
    assert row[0][1].words == "blip"
    assert "%" not in row[1][1].words
