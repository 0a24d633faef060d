"""Benchmarks in the admin: opened from the release, a model asked, a file taken, two rows compared."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, Result
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from tests.crowd.benchmarks.making import asked, file_of, make_benchmark, rival_for, run
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import make_study
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:benchmarks_{name}", args=args)


def test_a_release_leads_to_its_benchmark_which_exists_from_the_first_look_on(client: Client) -> None:
    release = release_of(make_of("whoops"), "whoops")
    sign_in(client, RESEARCHER, release.study)
    page = text_of(client.get(reverse("admin:releases_release_change", args=[release.pk])))
    address = at("open", release.pk, "matching")

    led = client.get(address)
    again = client.get(address)

    benchmark = Benchmark.objects.get()
    assert f'<a href="{address}">Rank detailed above underspecified captions</a>' in page
    assert led.headers["Location"] == again.headers["Location"] == at("benchmark", benchmark.pk)
    assert list(benchmark.results.values_list("source", flat=True)) == ["chance"]
    shown = text_of(client.get(led.headers["Location"]))
    assert "Nothing is counted yet" in shown
    assert "Ask a registered model" in shown


def test_a_model_is_asked_from_the_page_and_stands_beside_people(client: Client) -> None:
    benchmark = make_benchmark("winoground")
    user = sign_in(client, RESEARCHER, benchmark.release.study)
    rival = rival_for("winoground")

    form = text_of(client.get(at("ask", benchmark.pk)))
    sent = client.post(at("ask", benchmark.pk), {"rival": rival.pk, "about": "the small one"}, follow=True)
    while_asked = text_of(sent)
    run()
    page = text_of(client.get(at("benchmark", benchmark.pk)))

    assert "model (Cross-encoder of a text and a picture)" in form
    assert "Asking model. This page follows it." in while_asked
    result = Result.objects.get(source="asked")
    assert (result.added_by, result.about) == (user, "the small one")
    assert "asked here; the small one" in page
    for column in ("Text", "Image", "Group"):
        assert f">{column}</th>" in page
    assert "People" in page
    assert "25.0 %" in page
    assert AuditEvent.objects.filter(kind="benchmark.asked").count() == 1
    told = text_of(client.get(at("result", result.pk)))
    assert result.provenance["weights_sha256"] in told


def test_a_model_that_has_a_result_is_refused_beside_its_field(client: Client) -> None:
    benchmark = make_benchmark("whoops")
    sign_in(client, RESEARCHER, benchmark.release.study)
    rival = rival_for("whoops")
    asked(benchmark, rival)

    page = text_of(client.post(at("ask", benchmark.pk), {"rival": rival.pk, "about": "again"}))

    assert "There are answers of model already. Remove those first." in page
    assert 'value="again"' in page


def test_without_a_model_the_page_says_how_to_get_one(client: Client) -> None:
    benchmark = make_benchmark("whoops")
    sign_in(client, RESEARCHER, benchmark.release.study)

    assert "No registered model can answer this." in text_of(client.get(at("ask", benchmark.pk)))


def test_answers_are_downloaded_and_uploaded_as_another_model(client: Client) -> None:
    benchmark = make_benchmark("winogavil")
    sign_in(client, RESEARCHER, benchmark.release.study)
    result = asked(benchmark, rival_for("winogavil"))

    taken = client.get(at("answers", result.pk))
    file = SimpleUploadedFile("answers.csv", b"".join(taken))
    sent = client.post(at("upload", benchmark.pk), {"name": "twin", "file": file}, follow=True)

    assert "Of twin, 6 answers are scored." in text_of(sent)
    assert Result.objects.get(name="twin").sums == result.sums


def test_a_bad_file_is_refused_line_by_line_and_what_was_typed_stays(client: Client) -> None:
    benchmark = make_benchmark("whoops")
    sign_in(client, RESEARCHER, benchmark.release.study)
    file = SimpleUploadedFile("a.csv", b"annotation,detailed,underspecified\nx,1,2\ny,1,much\n")

    page = text_of(client.post(at("upload", benchmark.pk), {"name": "mine", "file": file}))

    assert "Line 2" in page
    assert "Line 3" in page
    assert 'value="mine"' in page
    assert not Result.objects.filter(name="mine").exists()


def test_two_rows_are_compared_with_an_interval(client: Client) -> None:
    benchmark = make_benchmark("winoground", items=12)
    sign_in(client, RESEARCHER, benchmark.release.study)
    result = asked(benchmark, rival_for("winoground"))
    people = benchmark.results.get(source="people")

    page = text_of(client.get(at("benchmark", benchmark.pk), {"one": people.pk, "other": result.pk}))
    again = text_of(client.get(at("benchmark", benchmark.pk), {"one": people.pk, "other": result.pk}))

    assert "over 12 examples that both answered" in page
    assert page.split("95 % interval")[1][:60] == again.split("95 % interval")[1][:60]


def test_tables_are_files(client: Client) -> None:
    benchmark = make_benchmark("winoground")
    sign_in(client, RESEARCHER, benchmark.release.study)
    run()

    csv = b"".join(client.get(at("file", benchmark.pk, "results"))).decode("utf-8-sig")
    by_tag = client.get(at("json", benchmark.pk, "by-tag")).json()

    assert csv.splitlines()[0] == (
        'Who,Text,"Text, 95 %",Image,"Image, 95 %",Group,"Group, 95 %",Examples,About'
    )
    assert {row["kind"] for row in by_tag} == {"noun"}
    assert client.get(at("file", benchmark.pk, "nothing")).status_code == 404


def test_a_result_is_removed_after_a_question(client: Client) -> None:
    benchmark = make_benchmark("whoops")
    sign_in(client, RESEARCHER, benchmark.release.study)
    result = asked(benchmark, rival_for("whoops"))

    question = text_of(client.get(at("remove", result.pk)))
    client.post(at("remove", result.pk), {"confirmed": "yes", "asked": "1"})

    assert "You remove the answers of" in question
    assert not Result.objects.filter(pk=result.pk).exists()


@pytest.mark.parametrize("name", ["benchmark", "ask", "upload"])
def test_strangers_and_payments_staff_see_nothing(client: Client, name: str) -> None:
    benchmark = make_benchmark("whoops")

    sign_in(client, RESEARCHER, make_study())
    assert client.get(at(name, benchmark.pk)).status_code == 404
    sign_in(client, PAYMENTS_PREPARER, benchmark.release.study)
    assert client.get(at(name, benchmark.pk)).status_code == 403


def test_reviewers_look_and_change_nothing(client: Client) -> None:
    benchmark = make_benchmark("whoops")
    sign_in(client, REVIEWER, benchmark.release.study)
    result = asked(benchmark, rival_for("whoops"))

    page = text_of(client.get(at("benchmark", benchmark.pk)))

    assert "Ask a registered model" not in page
    assert client.get(at("ask", benchmark.pk)).status_code == 403
    assert client.post(at("remove", result.pk), {"confirmed": "yes"}).status_code == 403
    assert client.get(at("answers", result.pk)).status_code == 403
    assert file_of(result).getvalue()


def test_the_page_asks_as_many_queries_for_many_models_as_for_few(client: Client) -> None:
    benchmark = make_benchmark("whoops")
    sign_in(client, RESEARCHER, benchmark.release.study)
    counts = []
    for number in range(4):
        asked(benchmark, rival_for("whoops", name=f"model-{number}"))
        with CaptureQueriesContext(connection) as queries:
            client.get(at("benchmark", benchmark.pk))
        counts.append(len(queries))

    assert counts[1] == counts[3] <= 25
