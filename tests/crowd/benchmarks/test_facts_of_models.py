"""What is known of models: counted by the server, stated by people, and shown beside what models answer."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.models import Result
from hits.identity.roles import RESEARCHER
from scoring.models import RegisteredRival
from tests.crowd.benchmarks.making import asked, file_of, make_benchmark, rival_for
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db
SEEN = ("releases.view_release", "benchmarks.view_result", "benchmarks.add_result")
STATED = {"pretraining_images": 4_100_000, "pretraining_captions": 9_850_000, "trained_for": "matching"}


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def page_of(client: Client, name: str, pk: int) -> str:
    return text_of(client.get(reverse(f"admin:benchmarks_{name}", args=[pk])))


def test_a_registered_models_facts_stand_on_its_result_and_in_the_table(client: Client) -> None:
    benchmark = make_benchmark("winoground")
    result = asked(benchmark, rival_for("winoground"))
    sign_in(client, RESEARCHER, benchmark.release.study)
    before = page_of(client, "benchmark", benchmark.pk)

    RegisteredRival.objects.update(parameters=111_595_009, **STATED)

    page = page_of(client, "benchmark", benchmark.pk)
    assert ("The models" in before, "The models" in page) == (False, True)
    assert "111.60</td>" in page.replace(" ", "")
    assert "<dt>Pretraining images</dt><dd>4,100,000</dd>" in page_of(client, "result", result.pk)
    file = client.get(reverse("admin:benchmarks_json", args=[benchmark.pk, "models"]))
    assert file.json() == [
        {
            "model": "model",
            "kind": "Cross-encoder of a text and a picture",
            "parameters_millions": 111.595009,
            "pretraining_images_millions": 4.1,
            "pretraining_captions_millions": 9.85,
            "trained_for": "matching",
        }
    ]


def test_facts_are_stated_with_an_upload_or_not(client: Client) -> None:
    benchmark = make_benchmark("winoground")
    file = file_of(asked(benchmark, rival_for("winoground"))).getvalue()
    sign_in(client, RESEARCHER, benchmark.release.study)

    for name, facts in (("told", STATED), ("untold", {})):
        sent: dict[str, Any] = {"name": name, "file": SimpleUploadedFile("a.csv", file), **facts}
        client.post(reverse("admin:benchmarks_upload", args=[benchmark.pk]), sent)

    facts_of = Result.objects.filter(source="uploaded").order_by("pk").values_list(*STATED, "parameters")
    assert list(facts_of) == [(*STATED.values(), None), (None, None, "", None)]
    wrong = {"name": "wrong", "file": SimpleUploadedFile("a.csv", file), "parameters": -1}
    refused = text_of(client.post(reverse("admin:benchmarks_upload", args=[benchmark.pk]), wrong))
    assert "Ensure this value is greater than or equal to 0" in refused
    assert not Result.objects.filter(name="wrong").exists()


def test_programs_state_and_read_facts() -> None:
    benchmark = make_benchmark("winoground")
    result = asked(benchmark, rival_for("winoground"))
    file = SimpleUploadedFile("a.csv", file_of(result).getvalue())
    held = notebook(*SEEN, sees=[benchmark.release.study])
    body = {"name": "twin", "file": file, "parameters": 7, **STATED}

    made = held.client.post(f"/api/benchmarks/{benchmark.pk}/upload/", body, headers=held.headers())

    assert made.status_code == 201, made.content
    told = held.get(f"benchmark-results/{made.json()['public_id']}/").json()
    assert {name: told[name] for name in STATED} == STATED
    assert told["parameters"] == 7
    assert held.get(f"benchmark-results/{result.public_id}/").json()["trained_for"] == ""
