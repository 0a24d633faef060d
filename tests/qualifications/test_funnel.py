"""The funnel: how many of the workers who came agreed, took tests, passed and worked; and why not more."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.studies.models import Study
from qualifications.admin.funnel_tables import funnel_tables
from qualifications.admin.refusal_words import WORDS
from qualifications.gate_policy import PASSED_ALREADY
from qualifications.models import Consent, ConsentText, RefusalCount
from qualifications.queries import gate_standing
from qualifications.queries.funnel import Funnel, funnel_of
from qualifications.services.gate_holdings import give
from tests.factories import NOW, make_account, make_assignment, make_study, make_user, make_worker
from tests.pages import text_of
from tests.qualifications.gates import (
    make_candidate,
    make_gate,
    make_work_hit,
    sit,
    toys,  # noqa: F401 - a fixture
)
from tests.qualifications.test_gate_admin import at, make_keeper, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
LATER = NOW + timedelta(hours=1)


def steps_of(funnel: Funnel) -> list[tuple[str, int, int | None]]:
    return [(step.name, step.count, step.share) for step in funnel.steps]


def write_to(study: Study, *workers: Worker, status: str = "sent") -> None:
    message = Message.objects.create(
        account=make_account(), study=study, subject="Come", text="Come.", by=make_user(), made_at=NOW
    )
    Recipient.objects.bulk_create(Recipient(message=message, worker=one, status=status) for one in workers)


def agree(study: Study, *workers: Worker, **changes: Any) -> None:
    text, _ = ConsentText.objects.get_or_create(
        study=study, version=1, defaults={"title": "T", "text": "T.", "published_at": NOW}
    )
    for worker in workers:
        Consent.objects.create(text=text, worker=worker, given_at=NOW, **changes)


def fill(study: Study) -> None:
    """Fill the study: ten came, eight agreed, six were tested, three passed, two worked."""
    gate = make_gate(study=study, name="Solver test")
    attempts = [sit(gate, *scores) for scores in [(1, 1)] * 3 + [(0, 1)] * 2]
    waiting = make_candidate(gate, submitted_at=NOW - timedelta(days=2))
    came = [make_candidate(gate, status="opened").worker for _ in range(4)]
    for attempt in attempts[:2]:
        hit = make_work_hit(gate, account=attempt.worker.account)
        for work in (hit, make_work_hit(gate, account=attempt.worker.account)):
            make_assignment(hit=work, worker=attempt.worker, status="approved")
    agree(study, *(one.worker for one in attempts), waiting.worker, *came[:2])
    agree(study, came[2], withdrawn_at=NOW)
    write_to(study, attempts[0].worker, make_worker())
    write_to(study, make_worker(), status="failed")
    for code, count in (("not_tested", 7), ("blocked", 2)):
        RefusalCount.objects.create(study=study, code=code, day=NOW.date(), count=count)


def test_funnel_counts_each_person_once_and_shares_of_the_step_before() -> None:
    study, other = make_study(), make_study()
    fill(study)
    fill(other)

    funnel = funnel_of(study, days=None, now=LATER)

    assert steps_of(funnel) == [
        ("Were written to", 2, None),
        ("Came: opened a HIT", 10, None),
        ("Agreed to take part", 8, 80),
        ("Submitted the test", 6, 75),
        ("Passed", 3, 50),
        ("Work: submitted other work", 2, 66),
    ]
    [row] = funnel.gates
    assert (row.tested, row.passed, row.failed, row.waiting) == (6, 3, 2, 1)
    assert row.waits_since is not None
    assert funnel.refusals == [("not_tested", 7), ("blocked", 2)]
    assert funnel.missed == [("Solver test", "right: above 80 %", 2)]
    assert funnel.withdrew == 1


def test_funnel_of_a_time_is_about_who_came_then() -> None:
    study = make_study()
    gate = make_gate(study=study)
    sit(gate, 1, 1, now=NOW - timedelta(days=40))
    sit(gate, 1, 1, now=NOW - timedelta(days=3))
    RefusalCount.objects.create(study=study, code="blocked", day=(NOW - timedelta(days=40)).date(), count=5)

    month, all_time = (funnel_of(study, days=days, now=NOW) for days in (30, None))

    assert [count for _, count, _ in steps_of(month)] == [0, 1, 1, 1, 0]
    assert [count for _, count, _ in steps_of(all_time)] == [0, 2, 2, 2, 0]
    assert (month.refusals, all_time.refusals) == ([], [("blocked", 5)])


def test_share_is_silent_where_a_gate_was_given_by_hand() -> None:
    gate = make_gate()
    worker = make_candidate(gate, status="opened").worker
    give(gate=gate, worker=worker, by=make_user(), reason="A colleague.", now=NOW)

    passed = next(step for step in funnel_of(gate.study, days=None, now=LATER).steps if step.name == "Passed")

    assert (passed.count, passed.of, passed.share) == (1, 0, None)


def test_funnel_without_gates_and_consent_has_two_steps_of_work() -> None:
    study = make_study()

    funnel = funnel_of(study, days=7, now=NOW)

    assert [step.name for step in funnel.steps] == [
        "Were written to",
        "Came: opened a HIT",
        "Work: submitted other work",
    ]
    assert funnel.is_empty
    steps, refused = funnel_tables(funnel, now=NOW)
    assert (steps.bars, refused.bars) == (None, None)
    assert "refuses before accepting" in refused.empty
    assert [table.shown() for table in funnel_tables(funnel, now=NOW)] == [[], []]


def test_funnel_asks_the_database_the_same_whatever_there_is() -> None:
    study = make_study()
    count: Callable[[], int] = lambda: _count(study)  # noqa: E731
    fill(study)
    make_gate(study=study, test_task="toy.other")
    few = count()
    gate = make_gate(study=study, test_task="toy.third")
    for _ in range(5):
        make_candidate(gate, hit=make_work_hit(gate), status="opened")

    assert count() == few <= 13


def _count(study: Study) -> int:
    with CaptureQueriesContext(connection) as queries:
        funnel_of(study, days=30, now=LATER)
    return len(queries)


def test_page_and_file_tell_the_same() -> None:
    study = make_study()
    fill(study)
    client = signed_in(study)

    page = text_of(client.get(f"{at('funnel', study.pk)}?period=all"))
    file = client.get(f"{at('funnel_file', study.pk)}?period=all")
    lines = b"".join(file.streaming_content).decode().splitlines()  # type: ignore[attr-defined]

    assert '<th scope="row">Agreed to take part</th><td>–</td><td class="number">8</td>' in page
    assert "step,,Agreed to take part,8,those who came,80" in lines
    assert "Had not taken the test yet" in page
    assert 'refused, times"' in "".join(lines)
    assert "<strong>1</strong> person withdrew their consent." in page


def test_page_of_an_empty_study_says_so_and_reads_any_period() -> None:
    study = make_study()
    client = signed_in(study)

    pages = [
        client.get(f"{at('funnel', study.pk)}?period={one}") for one in ("7", "all", "x", "-1", "9" * 30)
    ]

    assert {page.status_code for page in pages} == {200}
    assert "No workers yet." in text_of(pages[0])
    looker = Client()
    looker.force_login(make_keeper(study, "view_study"))
    assert looker.get(at("funnel", study.pk)).status_code == 403


def test_each_refusal_at_a_gate_has_words() -> None:
    codes = {
        gate_standing.NOT_TESTED,
        gate_standing.MAY_RETRY,
        gate_standing.STARTED,
        gate_standing.WAITING,
        PASSED_ALREADY,
    }

    assert codes | set(gate_standing.ENDED) <= WORDS.keys()
