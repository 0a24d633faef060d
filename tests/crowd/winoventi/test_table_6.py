"""Table 6 on made-up answers, counted a second time by hand: All, Individual and Intersection."""

from collections.abc import Mapping, Sequence
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services import benchmark_results
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.benchmarks.services.shared_subsets import sum_shared_subsets
from hits.identity.roles import RESEARCHER
from tests.crowd.benchmarks.making import asked, file_of, run, uploaded
from tests.crowd.releases.studies import release_of
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_study, make_user
from tests.people import sign_in
from tests.scoring.fakes import make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db
NOUNS = ("lemon", "sky", "bat", "car")
# For each noun: whether the model favors the generic alone, and whether it is right about both prompts.
ONE = {"lemon": (1, 1, 0), "sky": (1, 1, 0), "bat": (1, 0, 1), "car": (0, 0, 1)}
TWO = {"lemon": (1, 1, 1), "sky": (0, 0, 1), "bat": (1, 1, 0), "car": (1, 1, 0)}
# What a hand counts over the pairs: of All 4; of One's own lemon, sky, bat; of Two's own lemon, bat, car; and
# of the pairs that both favor, lemon and bat.
BY_HAND = {
    "one": {
        "All: generic": 50.0, "All: exception": 50.0, "Individual: generic": 66.7,
        "Individual: exception": 33.3, "Individual: pairs": 3, "Intersection: generic": 50.0,
        "Intersection: exception": 50.0, "Intersection: pairs": 2,
    },
    "two": {
        "All: generic": 75.0, "All: exception": 50.0, "Individual: generic": 100.0,
        "Individual: exception": 33.3, "Individual: pairs": 3, "Intersection: generic": 100.0,
        "Intersection: exception": 50.0, "Intersection: pairs": 2,
    },
}  # fmt: skip


@pytest.fixture
def benchmark() -> Benchmark:
    study = make_study()
    project = make_project(study=study)
    for noun in NOUNS:
        make_pair(project, noun)
    task = benchmark_tasks.get("winoventi", "prompts")
    made = release_of(study, "winoventi", split_seed=2)
    return benchmark_results.open_benchmark(release=made, task=task, now=NOW)


def answers(
    benchmark: Benchmark, of: Mapping[str, Sequence[int]], *, alone: bool = True, nouns: Sequence[str] = NOUNS
) -> BytesIO:
    """A file in which the model is right, or favors the generic, where the table above has a 1."""
    lines = ["prompt,p_generic,p_exception,p_generic_alone,p_exception_alone"]
    for read in items_from(benchmark.release, task_of(benchmark)):
        row = read.item.row
        if row["Word"] not in nouns:
            continue
        favors, *right = of[row["Word"]]
        is_exception = row["test_type"] == "exception"
        takes_generic = bool(right[is_exception]) != is_exception
        cells = [0.6, 0.4] if takes_generic else [0.3, 0.5]
        cells += ([0.2, 0.1] if favors else [0.1, 0.1]) if alone else []
        lines.append(",".join([read.item.name, *map(str, cells), *([] if alone else ["", ""])]))
    return BytesIO("\n".join(lines).encode())


def table_6(benchmark: Benchmark) -> dict[str, dict[str, object]]:
    benchmark.refresh_from_db()
    table = next(table for table in tables_of(benchmark) if table.name == "by-subset")
    return {str(row["model"]): row for row in table.as_json()}


def figures(row: Mapping[str, object]) -> dict[str, object]:
    return {name: row[name] for name in BY_HAND["one"]}


def test_the_table_is_the_one_counted_by_hand(benchmark: Benchmark) -> None:
    for name, of in (("one", ONE), ("two", TWO)):
        uploaded(benchmark, answers(benchmark, of), name=name)
    sum_shared_subsets()

    found = table_6(benchmark)

    assert {name: figures(found[name]) for name in BY_HAND} == BY_HAND


def test_chance_stands_in_all_and_in_no_subset_of_models(benchmark: Benchmark) -> None:
    uploaded(benchmark, answers(benchmark, ONE), name="one")
    run()
    sum_shared_subsets()

    chance = table_6(benchmark)["Chance"]

    assert (chance["All: generic"], chance["All: exception"]) == (50.0, 50.0)
    assert (chance["Individual: generic"], chance["Intersection: pairs"]) == (None, None)


def test_the_intersection_follows_the_models(benchmark: Benchmark) -> None:
    one = uploaded(benchmark, answers(benchmark, ONE), name="one")
    sum_shared_subsets()
    alone = table_6(benchmark)["one"]["Intersection: pairs"]
    two = uploaded(benchmark, answers(benchmark, TWO), name="two")
    sum_shared_subsets()
    both = table_6(benchmark)["one"]["Intersection: pairs"]

    benchmark_results.remove_result(result=two, by=make_user(), now=NOW)
    sum_shared_subsets()

    assert (alone, both, table_6(benchmark)["one"]["Intersection: pairs"]) == (3, 2, 3)
    assert Result.objects.get(name="one").sums == one.sums


def test_a_model_that_tells_no_subset_or_only_of_a_part_narrows_nothing(benchmark: Benchmark) -> None:
    uploaded(benchmark, answers(benchmark, ONE), name="one")
    uploaded(benchmark, answers(benchmark, TWO, alone=False), name="silent")
    uploaded(benchmark, answers(benchmark, TWO, nouns=["lemon"]), name="part", is_part=True)
    sum_shared_subsets()

    found = table_6(benchmark)

    assert found["one"]["Intersection: pairs"] == 3
    assert (found["silent"]["Individual: pairs"], found["silent"]["All: generic"]) == (None, 75.0)
    # Over lemon, sky and bat, of which the silent model was right about two generics.
    assert (found["silent"]["Intersection: pairs"], found["silent"]["Intersection: generic"]) == (3, 66.7)
    assert found["part"]["Intersection: pairs"] == 1


def test_it_is_counted_once_for_the_same_models(benchmark: Benchmark) -> None:
    uploaded(benchmark, answers(benchmark, ONE), name="one")
    sum_shared_subsets()
    benchmark.refresh_from_db()
    counted = benchmark.shared

    Benchmark.objects.update(shared={**counted, "sums": {}})
    sum_shared_subsets()

    benchmark.refresh_from_db()
    assert counted["sums"]
    assert benchmark.shared["sums"] == {}


def test_a_registered_model_is_asked_without_the_sentence_too(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_text_fakes(monkeypatch)
    # Alone the sky is sour and the lemon a tie; the fake finds short words likelier elsewhere.
    monkeypatch.setattr(
        FakeText, "chances", {"The sky is [MASK]. sour": 0.9, "The lemon is [MASK]. sour": 0.1,
                              "The lemon is [MASK]. sweet": 0.1, "The bat is [MASK]. sweet": 0.8,
                              "The car is [MASK]. sweet": 0.8},
    )  # fmt: skip

    result = asked(benchmark, make_rival("bert", kind="masked"))
    sum_shared_subsets()

    assert result.answered == 8
    assert table_6(benchmark)["bert"]["Individual: pairs"] == 1
    again = uploaded(benchmark, file_of(result), name="the same")
    assert again.sums == result.sums


def test_the_table_is_on_the_page_and_a_file_and_by_split(client: Client, benchmark: Benchmark) -> None:
    uploaded(benchmark, answers(benchmark, ONE), name="one")
    sum_shared_subsets()
    sign_in(client, RESEARCHER, benchmark.release.study)

    page = client.get(reverse("admin:benchmarks_benchmark", args=[benchmark.pk])).content.decode()
    file = client.get(reverse("admin:benchmarks_file", args=[benchmark.pk, "by-subset"]))
    lines = b"".join(file).decode("utf-8-sig").splitlines()
    split = client.get(reverse("admin:benchmarks_json", args=[benchmark.pk, "by-kind-and-split"])).json()

    assert ">Intersection: exception</th>" in page
    assert lines[0].startswith("model,prompts,All: generic,All: exception,Individual: generic")
    assert lines[1].startswith("one,8,50.0,50.0,66.7,33.3,66.7,33.3,3,3")
    assert sum(row["items"] for row in split if row["kind"].startswith("generic")) == 4
    assert {row["kind"].partition(", ")[2] for row in split} <= {"train", "test"}
