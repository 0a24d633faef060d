"""A worker's scores over time, as a chart with the table behind it."""

from datetime import timedelta
from fractions import Fraction

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.identity.models.workers import Worker
from hits.studies.models import Study
from scoring.queries import scores_over_time
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_user, make_worker
from tests.pages import text_of
from tests.people import sign_in_with
from tests.scoring.test_score_readers import make_score

pytestmark = pytest.mark.django_db
READER = ("view_worker", "view_assignment")


def work(worker: Worker, study: Study, *values: Fraction, day: int = 0) -> None:
    batch = make_batch(study=study, account=worker.account, status="open", title=f"Riddles {day}")
    made = make_assignment(
        hit=make_hit(batch=batch),
        worker=worker,
        status="submitted",
        submitted_at=NOW + timedelta(days=day),
    )
    for value in values:
        make_score(made, measure="jaccard", value=value)


def read(client: Client, worker: Worker) -> str:
    page = client.get(reverse("admin:hits_worker_change", args=[worker.pk]), {"show": "scores"})
    assert page.status_code == 200
    return text_of(page)


def test_chart_goes_from_the_oldest_and_the_table_from_the_newest_work(client: Client) -> None:
    worker, study = make_worker(), make_study()
    work(worker, study, Fraction(1, 2), Fraction(1), day=0)
    work(worker, study, Fraction(1, 4), day=1)
    work(worker, study, day=2)
    sign_in_with(client, *READER, studies=[study])

    page = client.get(reverse("admin:hits_worker_change", args=[worker.pk]), {"show": "scores"})

    (section,) = page.context["sections"]
    table = section.about["table"]
    assert [[cell.words for _, cell in row][1:] for row in table.shown()] == [
        ["Riddles 1", "25 %"],
        ["Riddles 0", "75 %"],
    ]
    (chart,) = table.charts
    values = chart.spec["data"]["values"]
    assert [(one["number"], one["mean"]) for one in values] == [(1, 0.75), (2, 0.25)]
    assert "hits/charts.js" in page.text
    assert 'role="img" aria-label="Mean score of each of 2 works' in page.text


def test_work_of_other_studies_is_not_in_it(client: Client) -> None:
    worker, mine = make_worker(), make_study()
    work(worker, make_study(), Fraction(1), day=7)
    work(worker, mine, day=1)
    sign_in_with(client, *READER, studies=[mine])

    words = read(client, worker)

    assert "Riddles 7" not in words
    assert "No work of this worker in your studies has a score yet." in words
    assert "hits/charts.js" not in words


def test_only_the_newest_works_are_read_in_two_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores_over_time, "MOST", 3)
    worker, study, user = make_worker(), make_study(), make_user(is_superuser=True)
    for day in range(5):
        work(worker, study, Fraction(day, 10), day=day)

    with CaptureQueriesContext(connection) as queries:
        found = scores_over_time.scores_over_time(worker, user)

    assert [one.means["jaccard"] for one in found] == [0.2, 0.3, 0.4]
    assert len([query for query in queries if "auth_" not in query["sql"]]) == 2


def test_tab_needs_the_right_to_see_work(client: Client) -> None:
    worker, study = make_worker(), make_study()
    work(worker, study, Fraction(1))
    sign_in_with(client, "view_worker", studies=[study])

    assert "Scores over time" not in read(client, worker)
