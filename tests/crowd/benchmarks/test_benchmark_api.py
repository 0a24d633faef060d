"""Benchmarks in the API: for members with the scope and the permissions, hidden splits apart."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.services import answer_files
from crowd.releases.services import release_states
from scoring.rivals import registry
from tests.crowd.benchmarks.making import TASKS, asked, file_of, make_benchmark, make_hiding, rival_for, run
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_study, make_user
from tests.hits.calling import Notebook, notebook
from tests.scoring.fakes import FakeRival, use_fakes
from tests.scoring.text_fakes import FakeText

pytestmark = pytest.mark.django_db
LOOK = ("releases.view_release", "benchmarks.view_result")
RUN = (*LOOK, "benchmarks.add_result", "benchmarks.delete_result")
ALL = (*RUN, "hits.export_batch")


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def member(benchmark: Benchmark, *permissions: str, **changes: Any) -> Notebook:
    return notebook(*(permissions or ALL), sees=[benchmark.release.study], **changes)


def at(benchmark: Benchmark, path: str = "") -> str:
    return f"benchmarks/{benchmark.pk}/{path}"


def upload(held: Notebook, benchmark: Benchmark, content: bytes, **fields: Any) -> Any:
    body = {"name": "twin", "file": SimpleUploadedFile("answers.csv", content), **fields}
    return held.client.post(f"/api/{at(benchmark, 'upload/')}", body, headers=held.headers())


def taken(answer: Any) -> list[dict[str, str]]:
    content = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(StringIO(content)))


def test_a_benchmark_is_opened_once_and_told_with_its_results() -> None:
    release = release_of(make_of("whoops"), "whoops")
    held = notebook(*RUN, sees=[release.study])
    body = {"release": str(release.public_id), "task": "matching"}

    made = held.post("benchmarks/", body)
    again = held.post("benchmarks/", body)
    benchmark = Benchmark.objects.get()
    listed = held.get("benchmarks/", release=str(release.public_id), task="matching").json()["results"]

    assert (made.status_code, again.json()) == (201, made.json())
    assert listed == [made.json()] == [held.get(at(benchmark)).json()]
    assert held.get("benchmarks/", task="other").json()["results"] == []
    assert made.json()["number"] == benchmark.pk
    assert (made.json()["study"], made.json()["task"]) == (str(release.study.public_id), "matching")
    (chance,) = made.json()["results"]
    assert (chance["name"], chance["source"], chance["status"]) == ("Chance", "chance", "open")


def test_an_unknown_task_and_a_release_in_the_making_are_refused() -> None:
    study = make_of("whoops")
    release = release_states.make_release(
        family="whoops", study=study, title="W", version="1", licence="", by=make_user(), now=NOW
    )
    held = notebook(*RUN, sees=[study])

    unknown = held.post("benchmarks/", {"release": str(release.public_id), "task": "captions"})
    early = held.post("benchmarks/", {"release": str(release.public_id), "task": "matching"})

    assert (unknown.status_code, [*unknown.json()]) == (400, ["task"])
    assert "matching" in unknown.json()["task"][0]
    assert (early.status_code, early.json()["code"]) == (409, "not_ready")
    assert Benchmark.objects.count() == 0


def test_a_registered_model_is_asked_by_its_name_and_told_with_its_sums() -> None:
    benchmark = make_benchmark("winogavil")
    held, rival = member(benchmark), rival_for("winogavil")

    made = held.post(at(benchmark, "ask/"), {"model": rival.name, "about": "the small one"})
    refused = [
        held.post(at(benchmark, "ask/"), {"model": name}) for name in (rival.name, "nobody")
    ]  # fmt: skip
    run()
    one = held.get(f"benchmark-results/{made.json()['public_id']}/").json()
    listed = held.get("benchmark-results/", benchmark=str(benchmark.pk), source="asked").json()["results"]

    result = Result.objects.get(source="asked")
    assert (made.status_code, made.json()["status"], made.json()["about"]) == (201, "open", "the small one")
    assert (result.added_by, result.rival) == (held.user, rival)
    assert [(answer.status_code, answer.json().get("code")) for answer in refused] == [
        (409, "known_name"), (400, None),
    ]  # fmt: skip
    assert listed == [one]
    assert (one["status"], one["answered"], one["waiting"], one["failed"]) == ("done", 6, 0, 0)
    assert one["provenance"] == result.provenance
    assert one["sums"] == result.sums != []
    assert one["release"] == str(benchmark.release.public_id)


@pytest.mark.parametrize("family", ["winogavil", "winoground", "whoops"])
def test_answers_are_downloaded_and_uploaded_as_another_model(family: str) -> None:
    benchmark = make_benchmark(family)
    held = member(benchmark)
    result = asked(benchmark, rival_for(family))

    answer = held.get(f"benchmark-results/{result.public_id}/answers/")
    content = b"".join(answer.streaming_content)
    made = upload(held, benchmark, content, about="a copy")
    again = upload(held, benchmark, content, name="Twin")

    assert answer["Cache-Control"] == "no-store"
    assert content == file_of(result).getvalue()
    assert (made.status_code, made.json()["source"], made.json()["about"]) == (201, "uploaded", "a copy")
    assert made.json()["answered"] == result.answered
    assert made.json()["sums"] == result.sums
    assert set(made.json()["provenance"]) == {"file_sha256"}
    assert (again.status_code, again.json()["code"]) == (409, "known_name")


def test_a_bad_file_is_refused_line_by_line_and_a_part_is_taken_where_it_is_called_one() -> None:
    benchmark = make_benchmark("winogavil")
    held = member(benchmark)
    lines = file_of(asked(benchmark, rival_for("winogavil"))).getvalue().splitlines(keepends=True)

    bad = upload(held, benchmark, b"".join([*lines, b"nobody,moon,\n"]))
    lacking = upload(held, benchmark, b"".join(lines[:3]))
    part = upload(held, benchmark, b"".join(lines[:3]), is_part="true")

    assert (bad.status_code, bad.json()["code"]) == (400, "invalid_items")
    assert "the release has no 'nobody'" in bad.json()["problems"][0]
    assert "have no answer" in lacking.json()["problems"][0]
    assert (part.status_code, part.json()["answered"]) == (201, 2)
    assert Result.objects.filter(source="uploaded").count() == 1


def test_a_large_file_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_files, "MOST_BYTES", 10)
    benchmark = make_benchmark("winogavil")

    answer = upload(member(benchmark), benchmark, b"ID,prediction\n")

    assert (answer.status_code, [*answer.json()]) == (400, ["file"])


def test_tables_are_those_of_the_page() -> None:
    benchmark = make_benchmark("winogavil")
    asked(benchmark, rival_for("winogavil"))

    whole, by_data = member(benchmark, *LOOK).get(at(benchmark, "tables/")).json()

    assert [row["who"] for row in whole["rows"]] == ["model", "Solvers", "Chance"]
    assert by_data["name"] == "by-data"
    assert by_data["rows"][1] == {
        "model": "Solvers", "associations": 6, "10 & 12": None, "5 & 6": 100.0, "all": 100.0,
    }  # fmt: skip


def test_verbs_run_the_actions_of_the_page(fake: type[FakeRival]) -> None:
    benchmark = make_benchmark("whoops", items=3)
    held, rival = member(benchmark), rival_for("whoops")
    result = asked(benchmark, rival)
    chance = benchmark.results.get(source="chance")

    refused = [
        held.post(f"benchmark-results/{one.public_id}/{verb}/")
        for one, verb in ((result, "again"), (chance, "remove"))
    ]
    removed = held.post(f"benchmark-results/{result.public_id}/remove/")

    assert [answer.status_code for answer in refused] == [409, 409]
    assert removed.json() == {"message": "The answers of model are removed.", "problems": []}
    assert list(Result.objects.all()) == [chance]


@pytest.mark.parametrize("family", list(TASKS))
def test_no_item_of_a_hidden_split_is_told(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{FakeText.__module__}:{FakeText.__name__}"
    monkeypatch.setattr(registry, "PATHS", {**registry.PATHS, "masked": text})
    benchmark = make_hiding(family)
    held = member(benchmark)
    result = asked(benchmark, rival_for(family))
    rows = {one.item: one for one in result.items.all()}

    lines = taken(held.get(f"benchmark-results/{result.public_id}/answers/"))
    told = [
        held.get(path).content.decode()
        for path in (f"benchmark-results/{result.public_id}/", "benchmark-results/", at(benchmark))
    ]

    names = {next(iter(line.values())) for line in lines}
    assert names == {name for name, one in rows.items() if not one.is_hidden}
    assert 0 < len(names) < len(rows)
    assert not [name for name in rows for text in told if name in text]
    chance = benchmark.results.get(source="chance")
    assert held.get(f"benchmark-results/{chance.public_id}/answers/").status_code == 404


Call = Callable[[Notebook, Benchmark, Result], Any]
CALLS: dict[str, tuple[Call, tuple[str, ...]]] = {
    "list": (lambda held, *_: held.get("benchmarks/"), LOOK),
    "look": (lambda held, one, _: held.get(at(one)), LOOK),
    "tables": (lambda held, one, _: held.get(at(one, "tables/")), LOOK),
    "ask": (lambda held, one, _: held.post(at(one, "ask/"), {"model": "other"}), RUN[:3]),
    "upload": (lambda held, one, _: upload(held, one, b"annotation\n"), RUN[:3]),
    "result": (lambda held, _, result: held.get(f"benchmark-results/{result.public_id}/"), LOOK),
    "answers": (
        lambda held, _, result: held.get(f"benchmark-results/{result.public_id}/answers/"),
        (*LOOK, "hits.export_batch"),
    ),
    "again": (lambda held, _, result: held.post(f"benchmark-results/{result.public_id}/again/"), RUN[:3]),
    "remove": (
        lambda held, _, result: held.post(f"benchmark-results/{result.public_id}/remove/"),
        (*LOOK, "benchmarks.delete_result"),
    ),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_members_with_the_permissions_and_the_scope_alone_come_in(name: str) -> None:
    call, needed = CALLS[name]
    benchmark = make_benchmark("whoops", items=2)
    result = asked(benchmark, rival_for("whoops"))

    stranger = call(notebook(*ALL, sees=[make_study()]), benchmark, result)
    lacking = [
        call(member(benchmark, *(set(ALL) - {one})), benchmark, result) for one in needed
    ]  # fmt: skip
    unscoped = call(member(benchmark, scopes=["read", "draft"]), benchmark, result)

    assert name == "list" or stranger.status_code == 404
    assert name != "list" or stranger.json()["results"] == []
    assert [answer.status_code for answer in lacking] == [403] * len(needed)
    assert unscoped.status_code == 403
    assert all(answer.json() for answer in (stranger, *lacking, unscoped))
    assert ItemResult.objects.filter(result=result).count() == 2
    let_in = call(member(benchmark, *needed), benchmark, result)
    assert let_in.status_code not in (401, 403, 404)
