"""The control API: who may use it, what each verb does, and that bad input changes nothing."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from crowd.marketplace import clock
from crowd.marketplace.checks import refuse_exposed_control
from crowd.marketplace.errors import ServiceFault, Throttled
from crowd.marketplace.models import Assignment, ClockShift, Fault
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services import faults
from hits.common.outgoing.outgoing_addresses import is_on_loopback
from tests.crowd.marketplace.site import open_hit, stranger
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db
KEY = "a-key-of-this-test"


@pytest.fixture(autouse=True)
def _switched_on(settings: LazySettings) -> None:
    settings.MARKETPLACE_CONTROL_KEY = KEY


def ask(verb: str, *, client: Client | None = None, key: str = KEY, **values: Any) -> Any:
    return (client or stranger()).post(
        f"/control/{verb}/", values, content_type="application/json", headers={"X-Control-Key": key}
    )


def told(verb: str, **values: Any) -> dict[str, Any]:
    answer = ask(verb, **values)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def test_control_is_nowhere_without_its_setting(settings: LazySettings) -> None:
    settings.MARKETPLACE_CONTROL_KEY = ""

    answers = [ask("requester", key=key).status_code for key in ("", KEY)]

    assert (answers, Requester.objects.count()) == ([404, 404], 0)


@pytest.mark.parametrize("key", ["", "wrong", f"{KEY}x", "ключ".encode().decode("latin-1")])
def test_control_is_nowhere_for_a_wrong_key(key: str) -> None:
    answer = ask("requester", key=key)

    assert (answer.status_code, Requester.objects.count()) == (404, 0)


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.1", "::ffff:192.0.2.7", ""])
def test_control_is_nowhere_for_another_machine(address: str) -> None:
    client = stranger()
    client.defaults["REMOTE_ADDR"] = address

    answer = ask("requester", client=client)

    assert (answer.status_code, Requester.objects.count()) == (404, 0)


@pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"])
def test_control_is_nowhere_behind_a_proxy(header: str) -> None:
    client = stranger()
    client.defaults[header] = "127.0.0.1"

    answer = ask("requester", client=client)

    assert (answer.status_code, Requester.objects.count()) == (404, 0)


def test_control_is_nowhere_on_the_researchers_host() -> None:
    answer = ask("requester", client=Client(HTTP_HOST="127.0.0.1:8000"))

    assert (answer.status_code, Requester.objects.count()) == (404, 0)


def test_control_knows_no_other_verb_and_only_post() -> None:
    looked = stranger().get("/control/clock/", headers={"X-Control-Key": KEY})

    assert (ask("explode").status_code, looked.status_code) == (404, 405)


@pytest.mark.parametrize("body", [b"{", b"[]", b"[" * 100_000, b"\xff"])
def test_control_wants_a_json_object(body: bytes) -> None:
    answer = stranger().post(
        "/control/requester/", body, content_type="application/json", headers={"X-Control-Key": KEY}
    )

    assert (answer.status_code, Requester.objects.count()) == (400, 0)


WRONG = [
    ("requester", {"deposit": "a lot"}),
    ("requester", {"deposit": 100}),
    ("requester", {"deposit": "-1.00"}),
    ("requester", {"deposit": "0.001"}),
    ("requester", {"deposit": "NaN"}),
    ("requester", {"deposit": "1e9"}),
    ("requester", {"fees": "much"}),
    ("requester", {"name": "x" * 129}),
    ("requester", {"name": "\x00"}),
    ("requester", {"depositt": "1.00"}),
    ("worker", {"country": "USA"}),
    ("worker", {"name": "A\u2028B"}),
    ("worker", {"is_adult": "yes"}),
    ("worker", {"submitted": -1}),
    ("worker", {"submitted": 1.5}),
    ("worker", {"submitted": True}),
    ("worker", {"submitted": 1, "approved": 1, "rejected": 1}),
    ("clock", {"ahead": -1}),
    ("clock", {"advance": -1}),
    ("clock", {"ahead": 1e12}),
    ("clock", {"ahead": 315_360_000, "advance": 1}),
    ("clock", {"ahead": "1"}),
    ("faults", {}),
    ("faults", {"action": "invent"}),
    ("faults", {"action": "add"}),
    ("faults", {"action": "add", "kind": "explode"}),
    ("faults", {"action": "add", "kind": "delay", "seconds": 1e6}),
    ("faults", {"action": "add", "kind": "delay", "operation": "MakeCoffee"}),
    ("faults", {"action": "add", "kind": "late", "operation": "CreateHIT"}),
    ("faults", {"action": "add", "kind": "delay", "remaining": 0}),
    ("state", {}),
    ("settle", {"now": 1}),
    ("simulate", {"action": "dance", "worker": "A", "hit": "B"}),
    ("simulate", {"action": "accept"}),
]


@pytest.mark.parametrize(("verb", "values"), WRONG)
def test_control_refuses_wrong_input_with_words(verb: str, values: dict[str, Any]) -> None:
    answer = ask(verb, **values)

    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert len(answer.json()["error"]) > 10
    rows = [model.objects.count() for model in (Requester, Worker, ClockShift, Fault)]
    assert rows == [0, 0, 0, 0]


def test_requester_is_by_default_what_the_sandbox_gave() -> None:
    made = told("requester")

    requester = Requester.objects.get(external_id=made["requester"])
    assert (requester.available, requester.fee_schedule) == (Decimal(10_000), "amazon")
    key = requester.access_keys.get()
    assert (key.access_key_id, key.secret) == (made["access_key_id"], made["secret_access_key"])
    assert requester.ticket_key == made["ticket_key"]


def test_requester_of_a_taken_name_is_refused() -> None:
    told("requester", name="group")

    assert (ask("requester", name="group").status_code, Requester.objects.count()) == (400, 1)


def test_worker_has_the_past_that_was_asked_for_and_gets_in() -> None:
    made = told(
        "worker",
        name="Past",
        country="US",
        subdivision="PA",
        is_adult=True,
        submitted=9,
        approved=5,
        rejected=4,
    )

    worker = Worker.objects.get(external_id=made["worker"])
    assert (worker.country, worker.subdivision, worker.is_adult, worker.is_master) == (
        "US",
        "PA",
        True,
        False,
    )
    assert (worker.submitted, worker.approved, worker.rejected) == (9, 5, 4)
    assert stranger().get(made["invitation"]).status_code == 200


def test_clock_is_set_and_advanced_and_settles_what_is_due() -> None:
    hit = open_hit(lifetime=timedelta(hours=1))

    told("clock", ahead=1800)
    hit.refresh_from_db()
    closed_before = hit.closed_at
    turned = told("clock", advance=1801)

    hit.refresh_from_db()
    assert (turned["ahead"], closed_before, hit.closed_at is None) == (3601, None, False)
    assert abs(clock.now() - timezone.now() - timedelta(seconds=3601)) < timedelta(seconds=5)


def test_clock_is_read_and_set_back() -> None:
    told("clock", ahead=100)

    assert (told("clock")["ahead"], told("clock", ahead=0)["ahead"]) == (100, 0)
    assert ClockShift.objects.count() == 1


def test_faults_are_added_listed_and_cleared() -> None:
    told("faults", action="add", kind="throttle", operation="GetHIT", remaining=2)
    listed = told("faults", action="list")
    cleared = told("faults", action="clear")

    assert listed["faults"] == [{"operation": "GetHIT", "kind": "throttle", "seconds": 0.0, "remaining": 2}]
    assert (cleared["faults"], Fault.objects.count()) == ([], 0)


def test_fault_is_used_up_by_its_own_operation() -> None:
    told("faults", action="add", kind="throttle", operation="GetHIT", remaining=2)

    faults.before("ListHITs")
    for _ in range(2):
        with pytest.raises(Throttled):
            faults.before("GetHIT")
    faults.before("GetHIT")

    assert Fault.objects.get().remaining == 0


@pytest.mark.parametrize("kind", ["fail_after", "timeout"])
def test_fault_after_the_work_fails_only_then(kind: str) -> None:
    told("faults", action="add", kind=kind)

    faults.before("GetHIT")
    with pytest.raises(ServiceFault):
        faults.after("GetHIT")
    faults.after("GetHIT")


def test_fault_before_the_work_fails_only_then() -> None:
    told("faults", action="add", kind="fail_before")

    faults.after("GetHIT")
    with pytest.raises(ServiceFault):
        faults.before("GetHIT")


def test_delay_answers_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    told("faults", action="add", kind="delay", seconds=3)

    faults.after("GetHIT")

    assert slept == [3]


def test_faults_ask_nothing_of_the_database_without_a_key(
    settings: LazySettings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Fault.objects.create(kind=Fault.Kind.THROTTLE)
    settings.MARKETPLACE_CONTROL_KEY = ""

    with django_assert_num_queries(0, using="marketplace"):
        faults.before("GetHIT")
        faults.after("GetHIT")


def test_settle_tells_what_still_waits() -> None:
    assert told("settle") == {"events_waiting": 0}


def test_state_tells_sums_and_counters() -> None:
    requester = make_requester(deposit=Decimal(10), fee_schedule="amazon", now=timezone.now()).requester
    hit = open_hit(requester=requester, reward="1.00", max_assignments=2)
    worker, _ = invite(now=timezone.now())
    for action in ("accept", "submit"):
        told("simulate", action=action, worker=worker.external_id, hit=hit.external_id)

    state = told("state", requester=requester.external_id)

    assert state["available"] == "7.60"
    assert state["accounts"] == {"available": "7.60", "deposits": "-10.00", "held": "2.40"}
    assert state["transfers_that_do_not_balance"] == 0
    [shown] = state["hits"]
    assert (shown["status"], shown["available"], shown["submitted"]) == ("Assignable", 1, 1)
    assert (shown["reward"], shown["fee"], shown["is_closed"]) == ("1.00", "0.20", False)


def test_state_of_nobody_is_not_found() -> None:
    assert ask("state", requester="ANOBODY").status_code == 404


def test_simulated_worker_accepts_returns_and_hands_in() -> None:
    hit = open_hit()
    worker, _ = invite(now=timezone.now())
    who = {"worker": worker.external_id, "hit": hit.external_id}

    steps = [told("simulate", action=action, **who) for action in ("accept", "return", "accept")]
    last = told("simulate", action="submit", answer={"field": "<value>"}, **who)

    assert [step["status"] for step in steps] == ["Accepted", "Returned", "Accepted"]
    assert (last["status"], last["attempt"]) == ("Submitted", 2)
    assert "&lt;value&gt;" in Assignment.objects.get(status="Submitted").answer


def test_simulated_worker_is_held_to_the_rules() -> None:
    hit = open_hit()
    first, second = (invite(now=timezone.now())[0].external_id for _ in range(2))
    told("simulate", action="accept", worker=first, hit=hit.external_id)

    full = ask("simulate", action="accept", worker=second, hit=hit.external_id)
    not_mine = ask("simulate", action="submit", worker=second, hit=hit.external_id)

    assert (full.status_code, not_mine.status_code) == (409, 409)
    assert full.json()["error"] == "Other workers have taken every place in this HIT."
    assert Assignment.objects.count() == 1


@pytest.mark.parametrize("missing", ["worker", "hit"])
def test_simulation_of_nobody_is_not_found(missing: str) -> None:
    names = {"worker": invite(now=timezone.now())[0].external_id, "hit": open_hit().external_id}
    values: dict[str, Any] = {**names, missing: "NOTHING"}

    assert ask("simulate", action="accept", **values).status_code == 404


@pytest.mark.parametrize(
    "url", ["https://market.example.org", "http://192.0.2.7:8600", "http://localhost.example.org"]
)
def test_start_is_refused_where_others_could_reach_the_control_api(settings: LazySettings, url: str) -> None:
    settings.MARKETPLACE_URL = url

    with pytest.raises(ImproperlyConfigured, match="CROWD_MARKETPLACE_CONTROL_KEY"):
        refuse_exposed_control()

    settings.MARKETPLACE_CONTROL_KEY = ""
    refuse_exposed_control()


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8600",
        "http://127.0.0.1",
        "http://127.8.8.8",
        "http://[::1]:8600",
        "http://a.localhost",
    ],
)
def test_start_is_allowed_on_this_machine_alone(settings: LazySettings, url: str) -> None:
    settings.MARKETPLACE_URL = url

    refuse_exposed_control()

    assert is_on_loopback(url)
