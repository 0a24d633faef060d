"""The rival's verdicts over HTTP: a cue is stored first, asked once, and its verdict shown to nobody else."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections
from django.test import Client
from django.utils import timezone

from crowd.frame import frame_verdicts, json_views
from crowd.frame.visit_authentication import write_token
from crowd.pictures.models import Picture
from crowd.winogavil import spymaster_task
from crowd.winogavil.domain import CREATE
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.common import rates
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from scoring.models import PendingQuery, RivalQuery, Verdict
from scoring.services.rival_answers import answer_waiting
from tests.factories import make_assignment, make_batch, make_hit, make_picture
from tests.pages import text_of
from tests.scoring.fakes import FakeRival, make_rival, use_fakes
from tests.sweeping import is_woken, written

pytestmark = pytest.mark.django_db
SITE = "http://localhost:8000/submit"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def make_work(pictures: Sequence[Picture] = ()) -> Assignment:
    """A spymaster at work on a picture set of pictures."""
    now = timezone.now()
    hit = make_hit(batch=make_batch(task=CREATE, status="open"))
    work = make_assignment(hit=hit, opened_at=now, accepted_at=now, deadline_at=now + timedelta(minutes=15))
    item = seed_picture_set(study=hit.batch.study, pictures=pictures or [make_picture() for _ in range(5)])
    Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=now)
    return work


@pytest.fixture
def work() -> Assignment:
    return make_work()


def send(client: Client, work: Assignment, verb: str = "ask", **fields: Any) -> Any:
    values = {
        "token": write_token(assignment=work, submit_to=SITE),
        "slot": "1",
        "cue": "snow",
        "chosen": ["0", "2"],
        **fields,
    }
    return client.post(f"/q/{work.hit.public_id}/{verb}/", values)


def nothing_is_stored() -> bool:
    return not (RivalQuery.objects.exists() or PendingQuery.objects.exists() or Verdict.objects.exists())


def test_word_whose_vectors_are_kept_has_its_verdict_in_the_same_answer(
    client: Client, fake: type[FakeRival], settings: LazySettings
) -> None:
    settings.RIVAL = make_rival().name
    pictures = [make_picture() for _ in range(5)]
    first, second = make_work(pictures), make_work(pictures)
    send(client, first)
    answer_waiting()

    known, new = send(client, second).json(), send(client, second, slot="2", cue="frost").json()

    assert (known["state"], known["predicted"]) == ("answered", Verdict.objects.earliest("pk").places)
    assert new["state"] == "waiting"


def test_ask_stores_and_wakes_the_rival(client: Client, work: Assignment, fake: type[FakeRival]) -> None:
    with written() as tables:
        answer = send(client, work)

    rival_query = RivalQuery.objects.get()
    assert answer.json() == {"state": "waiting", "chosen": [0, 2], "text": "snow"}
    assert (rival_query.assignment, rival_query.slot, rival_query.text) == (work, 1, "snow")
    assert (rival_query.chosen, rival_query.size) == ([0, 2], 5)
    assert is_woken("scoring.answer_rival_queries", tables)


def test_verdict_comes_with_what_the_model_picked(
    client: Client, work: Assignment, fake: type[FakeRival]
) -> None:
    send(client, work)
    waiting = send(client, work, "verdict").json()["state"]
    answer_waiting()

    answer = send(client, work, "verdict").json()

    verdict = Verdict.objects.get()
    assert waiting == "waiting"
    assert answer == {
        "state": "answered",
        "predicted": verdict.places,
        "chosen": [0, 2],
        "text": "snow",
        "fool": 100 - verdict.model_score,
        "bonus": "0.00",
        "earns": "$0.00",
    }


def test_a_second_try_is_answered_with_the_first(
    client: Client, work: Assignment, fake: type[FakeRival]
) -> None:
    send(client, work)
    answer_waiting()
    first = send(client, work, "verdict").json()

    second = send(client, work, cue="winter", chosen=["1", "3"]).json()

    assert second == first
    assert (RivalQuery.objects.count(), Verdict.objects.count()) == (1, 1)


def test_work_given_up_while_a_word_was_on_its_way_asks_no_rival(
    client: Client, work: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up_first(*_: object, **__: object) -> bool:
        return leasing.give_up(work, now=timezone.now())

    monkeypatch.setattr(rates, "spend", give_up_first)

    answer = send(client, work)

    assert answer.status_code == 409
    assert nothing_is_stored()


def test_each_of_two_words_has_its_chance(client: Client, work: Assignment) -> None:
    send(client, work)
    send(client, work, slot="2", cue="ice")

    assert list(RivalQuery.objects.order_by("slot").values_list("slot", "text")) == [(1, "snow"), (2, "ice")]


def test_another_attempt_has_a_chance_of_its_own(client: Client, work: Assignment) -> None:
    other = make_work()
    send(client, work)

    send(client, other, cue="ice")

    assert RivalQuery.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cue": "two words"}, "one word"),
        ({"cue": ""}, "one word"),
        ({"cue": "x" * 31}, "one word"),
        ({"cue": "sn0w"}, "one word"),
        ({"chosen": ["0"]}, "may be chosen"),
        ({"chosen": ["0", "1", "2", "3"]}, "may be chosen"),
        ({"chosen": ["0", "0"]}, "may be chosen"),
        ({"chosen": ["0", "5"]}, "not on this page"),
        ({"chosen": ["0", "-1"]}, "not on this page"),
        ({"chosen": ["0", "x"]}, "not on this page"),
        ({"chosen": ["0", "9" * 5000]}, "not on this page"),
        ({"chosen": []}, "may be chosen"),
        ({"slot": "3"}, "which word"),
        ({"slot": "0"}, "which word"),
        ({"slot": ""}, "which word"),
        ({"slot": "²"}, "which word"),
        ({"slot": "99999999999999999999"}, "which word"),
    ],
)
def test_what_the_page_could_not_have_sent_is_refused_and_stores_nothing(
    client: Client, work: Assignment, fields: dict[str, Any], words: str
) -> None:
    answer = send(client, work, **fields)

    assert answer.status_code == 400
    assert words in answer.json()["problem"]
    assert nothing_is_stored()


def test_the_second_word_must_differ_from_the_first(client: Client, work: Assignment) -> None:
    send(client, work)

    answer = send(client, work, slot="2", cue="SNOW")

    assert (answer.status_code, RivalQuery.objects.count()) == (400, 1)
    assert "differ" in answer.json()["problem"]


def test_pictures_of_the_page_are_the_hits_own_whatever_is_sent(client: Client, work: Assignment) -> None:
    send(client, work, pictures="others", sha256="0" * 64)

    shown = [one["sha256"] for one in RivalQuery.objects.get().pictures]
    picture_set = Item.objects.get().picture_set
    assert shown == [place.picture.sha256 for place in picture_set.places.select_related("picture")]


@pytest.mark.parametrize("token", ["", "x", "a:b:c"])
@pytest.mark.parametrize("verb", ["ask", "verdict"])
def test_without_a_genuine_token_nothing_is_asked(
    client: Client, work: Assignment, verb: str, token: str
) -> None:
    answer = send(client, work, verb, token=token)

    assert answer.status_code == 400
    assert nothing_is_stored()


def test_a_token_of_other_work_shows_nothing_of_this_one(
    client: Client, work: Assignment, fake: type[FakeRival]
) -> None:
    other = make_assignment(hit=work.hit, deadline_at=timezone.now() + timedelta(minutes=15))
    send(client, work)
    answer_waiting()

    answer = send(client, other, "verdict")

    assert (answer.status_code, list(answer.json())) == (404, ["problem"])


def test_after_the_deadline_nothing_is_asked(client: Client, work: Assignment) -> None:
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(seconds=1))
    work.refresh_from_db()

    answer = send(client, work)

    assert (answer.status_code, nothing_is_stored()) == (410, True)


def test_after_handing_in_a_new_word_is_refused_and_an_old_one_is_still_told(
    client: Client, work: Assignment, fake: type[FakeRival]
) -> None:
    send(client, work)
    answer_waiting()
    Assignment.objects.update(status="saved", answer={"done": "1"}, saved_at=timezone.now())

    late = send(client, work, slot="2", cue="ice")
    old = send(client, work)

    assert (late.status_code, RivalQuery.objects.count()) == (409, 1)
    assert old.json()["state"] == "answered"


def test_a_rival_that_is_late_is_told_and_scores_nothing(
    client: Client, work: Assignment, fake: type[FakeRival]
) -> None:
    fake.down = True
    send(client, work)
    answer_waiting()
    RivalQuery.objects.update(asked_at=timezone.now() - timedelta(seconds=11))

    answer = send(client, work, "verdict").json()

    assert answer == {"state": "late", "chosen": [0, 2], "text": "snow"}
    assert not Verdict.objects.exists()


def test_a_family_without_a_rival_refuses(client: Client) -> None:
    now = timezone.now()
    solving = make_assignment(opened_at=now, accepted_at=now, deadline_at=now + timedelta(minutes=15))

    answer = send(client, solving)

    assert (answer.status_code, nothing_is_stored()) == (400, True)


def test_haste_is_refused(client: Client, work: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_verdicts, "MOST_QUESTIONS", 2)
    monkeypatch.setattr("hits.common.rates.time", lambda: 1000.0)

    codes = [send(client, work, cue="not allowed").status_code for _ in range(3)]

    assert codes == [400, 400, 429]


def test_much_is_not_read(client: Client, work: Assignment) -> None:
    answer = send(client, work, cue="x" * json_views.MOST_BYTES)

    assert (answer.status_code, nothing_is_stored()) == (413, True)


@pytest.mark.parametrize("verb", ["ask", "verdict"])
def test_only_a_post_asks(client: Client, work: Assignment, verb: str) -> None:
    assert client.get(f"/q/{work.hit.public_id}/{verb}/").status_code == 405


def test_no_answer_is_kept_by_anybody_on_the_way(client: Client, work: Assignment) -> None:
    answer = send(client, work)

    assert "no-store" in answer["Cache-Control"]
    assert dict(answer.cookies) == {}


def test_preview_never_asks(client: Client, work: Assignment) -> None:
    page = client.get(f"/q/{work.hit.public_id}/", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})

    text = text_of(page)
    assert page.status_code == 200
    assert "disabled" in text
    assert 'name="token"' not in text
    assert "data-ask=" not in text


def test_looking_at_a_verdict_asks_the_database_little(
    client: Client, work: Assignment, fake: type[FakeRival], django_assert_max_num_queries: Any
) -> None:
    send(client, work)
    answer_waiting()

    with django_assert_max_num_queries(4):
        send(client, work, "verdict")


@pytest.mark.parametrize("slot", ["0001" + "9" * 5000, "00019", "٣"], ids=["huge", "five-digits", "arabic"])
def test_slot_that_no_page_sends_is_refused(client: Client, work: Assignment, slot: str) -> None:
    answer = send(client, work, slot=slot)

    assert answer.status_code == 400
    assert nothing_is_stored()


@pytest.mark.parametrize(
    "fields",
    [{"about": "picture:\0"}, {"about": "cue", "text": "a\0b"}, {"a\0": "b"}],
    ids=["about", "text", "name"],
)
def test_nul_is_refused_in_words(client: Client, work: Assignment, fields: dict[str, str]) -> None:
    """PostgreSQL can neither store a NUL nor search for it."""
    answer = send(client, work, "report", **fields)

    assert (answer.status_code, "NUL" in answer.json()["problem"]) == (400, True)


@pytest.mark.django_db(transaction=True)
def test_one_word_in_both_places_at_one_instant_counts_once(
    work: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, compare = Barrier(2), spymaster_task._check_other_cue

    def compared(cue: str, *, slot: int, assignment: Assignment) -> None:
        compare(cue, slot=slot, assignment=assignment)
        with suppress(BrokenBarrierError):
            both.wait(timeout=1)

    def put(slot: str) -> int:
        try:
            return int(send(Client(), work, slot=slot).status_code)
        finally:
            connections.close_all()

    monkeypatch.setattr(spymaster_task, "_check_other_cue", compared)
    with ThreadPoolExecutor(2) as pool:
        codes = sorted(pool.map(put, ["1", "2"]))

    assert codes == [200, 400]
    assert RivalQuery.objects.count() == 1
