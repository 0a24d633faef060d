"""The page of quality: who may see it, what it says, what it hands to review, and what it reads."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.core import slow_counts
from hits.identity.models.workers import Worker
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import items_of
from scoring.queries import judged_answers
from tests.crowd.plain.making import asked_project, begin, hand_in, open_batch
from tests.factories import make_assignment, make_batch, make_hit, make_study, make_worker
from tests.pages import text_of
from tests.people import sign_in, sign_in_with
from tests.scoring.admin.judged_studies import play_crowd
from tests.scoring.quality.odd_people import Way, make_crowd

pytestmark = pytest.mark.django_db
ROWS = 20
YES, NO = {"q1": "1"}, {"q1": "2"}


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def batch() -> Batch:
    sentences = [f"Sentence number {number} has some words." for number in range(ROWS)]
    return open_batch(asked_project(*sentences, answers_wanted=5), items=ROWS)


def answered(batch: Batch, says: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, Worker]:
    """Let each of these people answer all rows, and tell who is who."""
    people = {name: make_worker(account=batch.account) for name in says}
    for name, texts in says.items():
        work = begin(batch, people[name])
        items = sorted(items_of(work), key=lambda item: item.pk)
        said = {item.pk: text for item, text in zip(items, texts, strict=False)}
        hand_in(work, *(said.get(item.pk, {}) for item in items_of(work)))
    Assignment.objects.update(worked_s=20 * ROWS)
    return people


def honest_and_one_who_guesses(batch: Batch) -> dict[str, Worker]:
    """Three agree on each row; the fourth answers as a coin falls."""
    truth = [YES if number % 2 else NO for number in range(ROWS)]
    random = Random(3)
    says: dict[str, Sequence[Mapping[str, str]]] = dict.fromkeys(("ann", "bob", "eve"), truth)
    return answered(batch, {**says, "guess": [random.choice((YES, NO)) for _ in range(ROWS)]})


def address(study: Study, name: str = "") -> str:
    return reverse("admin:scoring_quality", args=[study.pk]) + name


def test_agreement_and_the_order_of_workers_are_shown(client: Client, batch: Batch) -> None:
    people = honest_and_one_who_guesses(batch)
    sign_in(client, REVIEWER, batch.study)

    page = client.get(address(batch.study))

    first, *others = page.context["ranking"]
    assert first["evidence"].worker == people["guess"].pseudonym
    assert {one["evidence"].worker for one in others} == {
        people[name].pseudonym for name in ("ann", "bob", "eve")
    }
    assert first["evidence"].agreement < 0.7
    assert all(sentence in text_of(page) for sentence in first["sentences"])
    assert "It decides nothing" in text_of(page)
    assert page.context["tables"]["agreement"].shown()[0][1][1].words == str(4 * ROWS)


def test_those_chosen_are_handed_to_review_by_one_form(client: Client, batch: Batch) -> None:
    people = honest_and_one_who_guesses(batch)
    sign_in(client, REVIEWER, batch.study)
    names = [people["guess"].pseudonym, people["ann"].pseudonym]

    page = client.get(address(batch.study))
    asked: dict[str, Any] = {"study": batch.study_id, "worker": names}
    review = client.get(reverse("admin:hits_assignment_review"), asked)

    for worker in people.values():
        assert f'name="worker" value="{worker.pseudonym}"' in text_of(page)
    assert f'<form method="get" action="{reverse("admin:hits_assignment_review")}">' in text_of(page)
    assert review.context["assignment"].listed == 2


def test_who_may_only_look_is_offered_no_review(client: Client, batch: Batch) -> None:
    honest_and_one_who_guesses(batch)
    sign_in_with(client, "view_assignment", studies=[batch.study])

    page = text_of(client.get(address(batch.study)))

    assert "Workers, by the evidence" in page
    assert "Review the work of those chosen" not in page
    assert 'type="checkbox"' not in page


@pytest.mark.parametrize("name", ["", "workers.csv", "items.json"])
def test_the_page_is_for_those_who_may_see_work_of_the_study(client: Client, batch: Batch, name: str) -> None:
    sign_in_with(client, "view_batch", studies=[batch.study])
    forbidden = client.get(address(batch.study, name))
    sign_in(client, RESEARCHER, make_study())
    strange = client.get(address(batch.study, name))

    assert (forbidden.status_code, strange.status_code) == (403, 404)


def test_a_study_without_such_work_says_so(client: Client) -> None:
    study = make_study()
    make_batch(study=study, task="whoops.design", status="open")
    sign_in(client, RESEARCHER, study)

    assert "Nothing to compare yet." in text_of(client.get(address(study)))
    assert client.get(address(study, "workers.csv")).status_code == 404


def test_a_batch_without_answers_says_so(client: Client, batch: Batch) -> None:
    sign_in(client, RESEARCHER, batch.study)

    assert "Nobody has answered anything yet." in text_of(client.get(address(batch.study)))


def test_work_kept_out_counts_no_more(client: Client, batch: Batch) -> None:
    people = honest_and_one_who_guesses(batch)
    Assignment.objects.filter(worker=people["guess"]).update(kept_out=True)
    sign_in(client, REVIEWER, batch.study)

    page = client.get(address(batch.study))

    assert people["guess"].pseudonym not in text_of(page)
    assert page.context["count"] == 3


def test_one_batch_is_shown_by_itself(client: Client, batch: Batch) -> None:
    honest_and_one_who_guesses(batch)
    other = open_batch_of(batch.study)
    sign_in(client, REVIEWER, batch.study)

    choices: list[dict[str, Any]] = [
        {},
        {"task": batch.task, "batch": other.pk},
        {"task": "x'", "batch": "9" * 40},
    ]
    both, alone, odd = (client.get(address(batch.study), asked) for asked in choices)

    assert (both.context["count"], alone.context["count"], odd.context["count"]) == (4, 0, 4)
    assert f"batch={other.pk}" in alone.context["query"]


def test_files_have_every_row_with_exact_numbers(client: Client, batch: Batch) -> None:
    people = honest_and_one_who_guesses(batch)
    sign_in(client, REVIEWER, batch.study)

    workers = rows_of(client, batch.study, "workers.csv")
    items = json.loads(client.get(address(batch.study, "items.json")).content)
    agreement = rows_of(client, batch.study, "agreement.csv")

    assert workers[0]["worker"] == people["guess"].pseudonym
    assert {row["answers"] for row in workers} == {str(ROWS)}
    assert len(items) == ROWS
    assert {row["majority"] for row in items} == {"yes", "no"}
    assert {*agreement[0]} >= {"alpha", "alpha_low_by_items", "alpha_high_by_workers", "equal_share"}
    assert client.get(address(batch.study, "nothing.csv")).status_code == 404


def test_as_many_queries_for_many_answers_as_for_few(client: Client, batch: Batch) -> None:
    sign_in(client, REVIEWER, batch.study)
    few = answered(batch, {"ann": [YES] * 3})
    # The first visit of a process asks for more.
    client.get(address(batch.study))
    with CaptureQueriesContext(connection) as before:
        client.get(address(batch.study))

    honest_and_one_who_guesses(batch)
    with CaptureQueriesContext(connection) as after:
        page = client.get(address(batch.study))

    assert page.context["count"] == len(few) + 4
    assert len(after) == len(before)


def test_figures_that_took_long_are_remembered(
    client: Client, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_counts, "SLOW_S", 0)
    monkeypatch.setattr(slow_counts, "TIMES", 10_000)
    honest_and_one_who_guesses(batch)
    sign_in(client, REVIEWER, batch.study)

    first = client.get(address(batch.study)).context["counted"]
    Assignment.objects.update(kept_out=True)
    again = client.get(address(batch.study)).context["counted"]

    assert again.at == first.at
    assert len(again.figures.figures.evidence.workers) == 4


def test_a_page_of_some_answers_says_so(
    client: Client, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest_and_one_who_guesses(batch)
    sign_in(client, REVIEWER, batch.study)

    whole = text_of(client.get(address(batch.study)))
    monkeypatch.setattr(judged_answers, "MOST_ANSWERS", 2 * ROWS)
    cut = client.get(address(batch.study))

    assert "answers alone" not in whole
    assert "answers alone: choose one batch" in text_of(cut)
    assert cut.context["count"] == 2


def test_an_item_leads_to_a_work_that_answers_it(client: Client, batch: Batch) -> None:
    honest_and_one_who_guesses(batch)
    sign_in(client, REVIEWER, batch.study)

    page = client.get(address(batch.study))

    [(_, cell), *_] = page.context["tables"]["items"].shown()[0]
    assert client.get(cell.url).status_code == 200
    assert cell.words[:8] in {str(item.public_id)[:8] for item in batch.study.items.all()}


def test_a_crowd_that_was_played_is_read_as_it_answered(client: Client) -> None:
    crowd = make_crowd(odd={Way.FAVORS_ONE: 1, Way.HURRIES: 1}, honest=12, items=200, seed=6)
    batch = play_crowd(crowd)
    sign_in(client, REVIEWER, batch.study)

    page = client.get(address(batch.study))

    odd = {*crowd.who(Way.FAVORS_ONE), *crowd.who(Way.HURRIES)}
    expected = {Worker.objects.known(account=batch.account, external_id=f"A{name}").pseudonym for name in odd}
    assert {
        row["evidence"].worker for row in page.context["ranking"] if row["evidence"].stands_out
    } == expected
    assert page.context["standing"] == 2


def test_the_tab_of_review_leads_there(client: Client, batch: Batch) -> None:
    sign_in(client, REVIEWER, batch.study)

    page = client.get(reverse("admin:hits_study_review", args=[batch.study_id]))

    assert address(batch.study) in text_of(page)
    assert "Quality of the answers" in text_of(page)


def open_batch_of(study: Study) -> Batch:
    return make_batch(study=study, task="plain.ask", status="open")


def rows_of(client: Client, study: Study, name: str) -> list[dict[str, Any]]:
    answer: Any = client.get(address(study, name))
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_task_with_most_work_is_shown_first(client: Client, batch: Batch) -> None:
    other = make_batch(study=batch.study, task="winoventi.validate", status="open")
    make_batch(study=batch.study, task="a.task.that.is.gone", status="open")
    sign_in(client, REVIEWER, batch.study)

    before = client.get(address(batch.study)).context["chosen"].tasks
    make_assignment(hit=make_hit(batch=other), status="submitted")
    after = client.get(address(batch.study)).context["chosen"]

    assert [task.key for task in before] == ["plain.ask", "winoventi.validate"]
    assert [task.key for task in after.tasks] == ["winoventi.validate", "plain.ask"]
    assert after.task is after.tasks[0]
