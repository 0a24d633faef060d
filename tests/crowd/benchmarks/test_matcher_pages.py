"""The model that matches answers is chosen on a page, and by a program."""

from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.services import benchmark_results
from crowd.whoops.models.judged_items import Question
from hits.identity.roles import RESEARCHER
from tests.crowd.benchmarks.making import uploaded
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import make_rival, use_fakes

pytestmark = pytest.mark.django_db


def test_the_matcher_is_chosen_on_a_page_and_by_the_api(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fakes(monkeypatch)
    release = release_of(make_of("whoops", items=1), "whoops")
    task = benchmark_tasks.get("whoops", "questions")
    benchmark = benchmark_results.open_benchmark(release=release, task=task, now=NOW)
    name = Question.objects.get().key
    uploaded(benchmark, BytesIO(f"question,answer\n{name},a jungle".encode()))
    sign_in(client, RESEARCHER, benchmark.release.study)
    here = reverse("admin:benchmarks_benchmark", args=[benchmark.pk])
    assert "No registered model compares texts" in text_of(client.get(f"{here}match/"))
    reader = make_rival("reader", kind="caption")

    refused = client.post(f"{here}match/", {"matcher": reader.pk, "matches_from": "7"})
    assert "less than or equal to 1" in text_of(refused)
    chosen = client.post(f"{here}match/", {"matcher": reader.pk, "matches_from": "0.5"}, follow=True)

    assert "The answers of uploaded are being matched" in text_of(chosen)
    benchmark.refresh_from_db()
    assert (benchmark.matcher, benchmark.matches_from) == (reader, 0.5)
    api = f"/api/benchmarks/{benchmark.pk}/"
    answer = client.post(f"{api}match/", {"model": "reader"}, content_type="application/json")
    assert (answer.status_code, answer.json()["matcher"], answer.json()["matches_from"]) == (
        200,
        "reader",
        0.7,
    )
    wrong = client.post(f"{api}match/", {"model": "nobody"}, content_type="application/json")
    assert wrong.status_code == 400
