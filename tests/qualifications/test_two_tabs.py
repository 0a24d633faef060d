"""One test in two tabs, over HTTP: only the first answer counts, and entry depends on it."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from crowd.winogavil.domain import JACCARD, SOLVE, SOLVER_TEST
from hits import families
from hits.core.states import move
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import items_of
from qualifications.models import Attempt, Gate, Holding
from qualifications.services.grading import grade_waiting
from qualifications.services.test_attempts import follow_tests
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.winogavil.examining import make_solver_test, picks
from tests.factories import make_account, make_association, make_batch, make_hit, make_study
from tests.races import all_at_once

pytestmark = pytest.mark.django_db
KEY, SITE = "ticket-key", "http://localhost:8000"
WORKER = "AWORKER"
# Right pictures, of two, in each of ten questions: exactly 80 percent, just above it, and none.
EXACTLY_80, ABOVE_80, WRONG = [2] * 8 + [0] * 2, [2] * 8 + [1, 0], [0] * 10


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A test, and the work that it opens."""

    gate: Gate
    test: HIT
    work: HIT
    accepted_at: datetime

    def address(self, hit: HIT, verb: str = "") -> str:
        ids = {"assignmentId": f"A{hit.pk}", "hitId": hit.external_id, "workerId": WORKER}
        signed = {
            "assignment": f"A{hit.pk}",
            "hit": hit.external_id,
            "worker": WORKER,
            "attempt": 1,
            "accepted": self.accepted_at.timestamp(),
            "expires": (self.accepted_at + timedelta(hours=1)).timestamp(),
        }
        ticket = signing.dumps(signed, key=KEY, salt="marketplace.ticket")
        query = urlencode({**ids, "turkSubmitTo": f"{SITE}/submit/x", "ticket": ticket})
        return f"/q/{hit.public_id}/{verb}?{query}"

    def open(self, hit: HIT | None = None) -> "Tab":
        """Open the HIT in a browser of its own."""
        client = Client()
        page = client.get(self.address(hit or self.test))
        return Tab(client=client, page=page, hit=hit or self.test)


@dataclass(frozen=True, kw_only=True)
class Tab:
    client: Client
    page: Any
    hit: HIT

    def send(self, right: Sequence[int]) -> Any:
        token = re.findall(r'name="token" value="([^"]*)"', self.page.content.decode())[0]
        items = items_of(Assignment.objects.get(hit=self.hit))
        form = {str(item.public_id): picks(item, right=n) for item, n in zip(items, right, strict=True)}
        return self.client.post(f"/q/{self.hit.public_id}/answer/", {"token": unescape(token), **form})


def make_scene() -> Scene:
    study, account = make_study(), make_account(worker_site=SITE, ticket_key=KEY)
    gate = Gate.objects.create(
        study=study,
        name="Solver test",
        test_task=SOLVER_TEST,
        opens=[SOLVE],
        rules=[{"measure": JACCARD, "above": 80}],
        items=10,
    )
    test = make_hit(batch=make_solver_test(study=study, account=account), external_id="HTEST")
    make_association(study=study)
    work = make_hit(batch=make_batch(study=study, account=account, status="open"), external_id="HWORK")
    return Scene(gate=gate, test=test, work=work, accepted_at=timezone.now() - timedelta(minutes=1))


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def judge() -> None:
    """Submit the saved work at the provider, score it and grade it, as the sweeps do."""
    now = timezone.now()
    for work in Assignment.objects.filter(status="saved"):
        assert move(work, Assignment.Status.SUBMITTED, submitted_at=now)
    judge_submitted(now=now)
    follow_tests(now=now)
    grade_waiting(now=now)


def handed_over(page: Any) -> Any:
    """Return the answer that the page would send on to the platform."""
    [answer] = re.findall(r'name="answer"[^>]*value="([^"]*)"', page.content.decode())
    return json.loads(unescape(answer))


def mean() -> Fraction:
    scores = [score.value for score in Score.objects.filter(measure=JACCARD)]
    assert len(scores) == 10
    return sum(scores, Fraction(0)) / 10


@pytest.mark.parametrize(
    ("first", "second", "value", "door"),
    [
        (EXACTLY_80, [2] * 10, Fraction(8, 10), 403),
        (ABOVE_80, [2] * 10, Fraction(25, 30), 200),
        (ABOVE_80, WRONG, Fraction(25, 30), 200),
        (WRONG, [2] * 10, Fraction(0), 403),
    ],
    ids=["80, then all", "just above, then all", "just above, then none", "none, then all"],
)
@pytest.mark.parametrize("sends_first", [0, 1])
def test_first_answer_is_the_tests_answer_whichever_tab_sends_it(
    scene: Scene, *, first: list[int], second: list[int], value: Fraction, door: int, sends_first: int
) -> None:
    tabs = [scene.open(), scene.open()]

    saved = tabs[sends_first].send(first)
    late = tabs[1 - sends_first].send(second)
    judge()

    work = Assignment.objects.get(hit=scene.test)
    assert (saved.status_code, late.status_code) == (200, 409)
    assert handed_over(saved) == handed_over(late) == work.answer
    assert (mean(), Attempt.objects.get().status) == (value, "passed" if door == 200 else "failed")
    assert Holding.objects.get().value == (door == 200)
    assert scene.open(scene.work).page.status_code == door


def test_tab_that_is_overtaken_while_it_is_read_leads_to_the_same_hand_over(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, quicker = scene.open(), scene.open()
    family, overtaking = families.get(SOLVER_TEST), [lambda: quicker.send(ABOVE_80)]
    read = family.read_answer

    def read_late(**given: Any) -> Any:
        while overtaking:
            overtaking.pop()()
        return read(**given)

    monkeypatch.setattr(family, "read_answer", read_late)
    late = tab.send(WRONG)

    assert (late.status_code, handed_over(late)) == (409, Assignment.objects.get().answer)


def test_page_that_stayed_open_shows_and_sends_what_was_sent(scene: Scene) -> None:
    """A page that is reloaded, gone back to, or sent again after the provider has the work."""
    tab, other = scene.open(), scene.open()
    tab.send(ABOVE_80)

    reloaded = other.client.get(scene.address(scene.test))
    judge()
    again = other.send([2] * 10)

    assert handed_over(reloaded) == Assignment.objects.get(hit=scene.test).answer
    assert (again.status_code, mean(), Attempt.objects.count()) == (409, Fraction(25, 30), 1)


def test_second_hit_of_the_test_on_another_device_is_no_second_try(scene: Scene) -> None:
    """A second HIT is refused while the first one runs, and after it was graded."""
    other = make_hit(batch=scene.test.batch, external_id="HOTHER")
    tab = scene.open()

    refused = [scene.open(other).page.status_code]
    tab.send(WRONG)
    refused.append(scene.open(other).page.status_code)
    judge()
    refused.append(scene.open(other).page.status_code)

    assert refused == [403, 403, 403]
    assert (Assignment.objects.count(), Attempt.objects.get().status) == (1, "failed")


@pytest.mark.django_db(transaction=True)
def test_two_tabs_at_one_instant_are_one_try() -> None:
    scene = make_scene()
    tabs = all_at_once(scene.open, scene.open)
    ways: list[Callable[[], Any]] = [lambda: tabs[0].send(ABOVE_80), lambda: tabs[1].send(WRONG)]

    answers = all_at_once(*ways)
    judge()

    work = Assignment.objects.get(hit=scene.test)
    [place] = [place for place, answer in enumerate(answers) if answer.status_code == 200]
    assert [tab.page.status_code for tab in tabs] == [200, 200]
    assert (Lease.objects.count(), Item.objects.filter(leases__assignment=work).count()) == (10, 10)
    assert answers[1 - place].status_code == 409
    assert [handed_over(answer) for answer in answers] == [work.answer] * 2
    assert (mean(), Attempt.objects.get().status) == [(Fraction(25, 30), "passed"), (Fraction(0), "failed")][
        place
    ]
