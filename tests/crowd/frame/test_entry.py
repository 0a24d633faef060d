"""Who may begin work: eligibility, pauses, endpoints without tickets, and visits that nobody signed."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from crowd.frame import claim_limits
from crowd.winogavil.models import Association
from hits.common.client_address import address_of
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.services import event_inbox
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from hits.work.services import eligibility
from qualifications.models import RefusalCount
from tests.caches import AWAY
from tests.crowd.frame.test_question import CLAIMS, SITE, send, ticket, token_of
from tests.factories import make_account, make_association, make_batch, make_hit, make_study, make_worker
from tests.hits.notices import document, told
from tests.pages import text_of

pytestmark = pytest.mark.django_db
Status = Assignment.Status
MINUTE = timedelta(minutes=1)


def open_hit(**changes: Any) -> HIT:
    study = make_study()
    make_association(study=study, cue="cold", size=5, chosen=2)
    account = make_account(worker_site=SITE, **changes)
    return make_hit(batch=make_batch(study=study, account=account, status="open"), external_id="HIT1")


@pytest.fixture
def hit() -> HIT:
    """A HIT of an endpoint that signs tickets."""
    return open_hit()


@pytest.fixture
def claimed() -> HIT:
    """A HIT of an endpoint that signs no tickets and sends no events."""
    return open_hit(ticket_key="")


@pytest.fixture
def heard() -> HIT:
    """A HIT of an endpoint that signs no tickets but sends events."""
    hit = open_hit(ticket_key="", notify_by=Account.Notify.SNS)
    Batch.objects.update(notified_at=timezone.now())
    return hit


def visit(client: Client, hit: HIT, **changes: str) -> Any:
    query = {**CLAIMS, **({"ticket": ticket()} if hit.batch.account.ticket_key else {}), **changes}
    return client.get(f"/q/{hit.public_id}/?{urlencode(query)}")


def preview(client: Client, hit: HIT) -> Any:
    return visit(client, hit, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="", ticket="")


def hear(hit: HIT, kind: str, *, at: datetime, assignment: str = "A1") -> None:
    said = document(told(kind, hit=hit.external_id, assignment=assignment, at=at))
    event_inbox.receive(account=hit.batch.account, document=said, now=timezone.now())
    event_inbox.handle_notices(now=timezone.now())


def written() -> tuple[int, int, int]:
    return Worker.objects.count(), Assignment.objects.count(), Lease.objects.count()


def refuse_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        raise RuleBroken("took_part", "You took part in earlier work of this study.")

    monkeypatch.setattr(eligibility, "refuse_entry", refuse)


@pytest.mark.parametrize("kind", ["hit", "claimed"])
def test_worker_who_may_not_begin_is_told_why_and_leaves_no_row(
    client: Client, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    refuse_everybody(monkeypatch)

    page = visit(client, request.getfixturevalue(kind))

    text = text_of(page)
    assert page.status_code == 403
    assert "You cannot do this one" in text
    assert "You took part in earlier work of this study." in text
    assert "does not count against you" in text
    assert "cold" not in text
    assert written() == (0, 0, 0)
    assert list(RefusalCount.objects.values_list("code", "count")) == [("took_part", 1)]


@pytest.mark.parametrize(
    ("kind", "is_known", "leads_on"), [("hit", True, True), ("hit", False, False), ("claimed", True, False)]
)
def test_refusal_leads_to_the_worker_s_own_page_where_a_ticket_proves_who_it_is(
    client: Client,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    *,
    kind: str,
    is_known: bool,
    leads_on: bool,
) -> None:
    hit = request.getfixturevalue(kind)
    if is_known:
        make_worker(account=hit.batch.account, external_id="AWORKER")
    refuse_everybody(monkeypatch)

    page = visit(client, hit)

    assert page.status_code == 403
    assert ("Where you stand" in text_of(page)) == leads_on


def test_work_that_is_open_is_not_refused_any_more(
    client: Client, hit: HIT, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = token_of(visit(client, hit))
    refuse_everybody(monkeypatch)

    again = visit(client, hit)
    saved = send(client, hit, token, sorted(Association.objects.get().chosen_keys))
    finishing = visit(client, hit)

    assert [page.status_code for page in (again, saved, finishing)] == [200, 200, 200]
    assert "Finish submitting" in text_of(finishing)
    assert written() == (1, 1, 1)


def test_old_tab_of_returned_work_does_not_take_the_new_work_away(client: Client, hit: HIT) -> None:
    now = timezone.now()
    old = ticket()
    newer = ticket(accepted=(now + MINUTE).timestamp(), expires=(now + 9 * MINUTE).timestamp())
    visit(client, hit, ticket=old)
    visit(client, hit, ticket=newer)

    page = visit(client, hit, ticket=old)

    assert "gone back to the list" in text_of(page)
    statuses = Assignment.objects.order_by("attempt").values_list("status", flat=True)
    assert list(statuses) == [Status.GONE, Status.OPENED]


@pytest.mark.parametrize("status", [Batch.Status.LAUNCHING, Batch.Status.OPEN, Batch.Status.PAUSED_FUNDS])
def test_preview_of_work_that_is_offered_shows_practice(client: Client, hit: HIT, status: str) -> None:
    Batch.objects.update(status=status)

    page = preview(client, hit)

    assert (page.status_code, "practice example" in text_of(page)) == (200, True)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Batch.Status.PAUSED, "have paused it"),
        (Batch.Status.DRAINING, "This work is over"),
        (Batch.Status.COMPLETE, "This work is over"),
        (Batch.Status.CANCELLED, "This work is over"),
    ],
)
def test_preview_of_a_batch_that_takes_nobody_says_so(
    client: Client, hit: HIT, status: str, words: str
) -> None:
    Batch.objects.update(status=status)

    page = preview(client, hit)

    assert page.status_code == 409
    assert words in text_of(page)
    assert "practice example" not in text_of(page)


def test_preview_of_a_closed_hit_says_so(client: Client, hit: HIT) -> None:
    HIT.objects.update(status=HIT.Status.CLOSED)

    page = preview(client, hit)

    assert (page.status_code, "This work is over" in text_of(page)) == (409, True)


def test_claim_without_a_ticket_takes_no_more_places_and_rows_than_there_are(
    client: Client, claimed: HIT
) -> None:
    pages = [
        visit(client, claimed, assignmentId=f"A{number}", workerId=f"AWORKER{number}") for number in range(6)
    ]

    assert [page.status_code for page in pages] == [200, 200, 200, 409, 409, 409]
    assert "Every place of this HIT is taken" in text_of(pages[3])
    assert list(RefusalCount.objects.values_list("code", "count")) == [("no_place", 3)]
    assert (Worker.objects.count(), Assignment.objects.count()) == (3, 3)


def test_claim_without_a_ticket_too_often_is_told_to_wait(
    client: Client, claimed: HIT, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_limits, "MOST_VISITS", 2)
    monkeypatch.setattr("hits.common.rates.time", lambda: 1000.0)

    pages = [visit(client, claimed) for _ in range(3)]
    elsewhere = client.get(
        f"/q/{claimed.public_id}/?{urlencode(CLAIMS)}", headers={}, REMOTE_ADDR="203.0.113.9"
    )

    assert [page.status_code for page in pages] == [200, 200, 429]
    assert pages[2]["Retry-After"] == "60"
    assert "Nothing is lost" in text_of(pages[2])
    assert elsewhere.status_code == 200
    assert Worker.objects.count() == 1


def test_visit_with_a_ticket_is_never_counted(
    client: Client, hit: HIT, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_limits, "MOST_VISITS", 0)

    assert visit(client, hit).status_code == 200


def test_claim_is_let_through_while_the_cache_is_away(
    client: Client, claimed: HIT, settings: LazySettings
) -> None:
    settings.CACHES = AWAY

    assert visit(client, claimed).status_code == 200


@pytest.mark.parametrize(
    ("forwarded", "is_behind_proxy", "address"),
    [
        ("198.51.100.1, 203.0.113.9", True, "203.0.113.9"),
        ("", True, "127.0.0.1"),
        ("198.51.100.1", False, "127.0.0.1"),
    ],
)
def test_address_is_the_one_that_the_proxy_saw(
    *, rf: Any, settings: LazySettings, forwarded: str, is_behind_proxy: bool, address: str
) -> None:
    settings.BEHIND_PROXY = is_behind_proxy

    assert address_of(rf.get("/", headers={"X-Forwarded-For": forwarded})) == address


def test_claim_waits_for_the_platform_s_word_and_leaves_no_row(client: Client, heard: HIT) -> None:
    page = visit(client, heard)

    text = text_of(page)
    assert (page.status_code, page["Refresh"]) == (202, "5")
    assert "Waiting for the platform" in text
    assert "Check again now" in text
    assert "cold" not in text
    assert written() == (0, 0, 0)


def test_claim_goes_on_once_the_platform_has_told_of_it(client: Client, heard: HIT) -> None:
    accepted_at = timezone.now().replace(microsecond=0) - MINUTE
    visit(client, heard)
    hear(heard, "AssignmentAccepted", at=accepted_at)

    page = visit(client, heard)
    again = visit(client, heard)

    assignment = Assignment.objects.get()
    assert [page.status_code, again.status_code] == [200, 200]
    assert "cold" in text_of(page)
    assert assignment.accepted_at == accepted_at
    assert assignment.deadline_at == accepted_at + timedelta(seconds=heard.batch.duration_s)
    assert written() == (1, 1, 1)


@pytest.mark.parametrize(
    ("changes", "is_subscribed"),
    [
        ({"notify_by": "sns"}, False),
        ({"notify_by": "webhook"}, True),  # the ticket key that signs webhook posts is missing
        ({"notify_by": "sqs"}, True),  # the queue has no address
        ({"notify_by": "none"}, True),
    ],
)
def test_claim_does_not_wait_where_no_event_can_come(
    client: Client, changes: dict[str, str], is_subscribed: bool
) -> None:
    hit = open_hit(ticket_key="", **changes)
    Batch.objects.update(notified_at=timezone.now() if is_subscribed else None)

    assert visit(client, hit).status_code == 200


def test_one_acceptance_opens_one_assignment_whoever_else_claims_it(client: Client, heard: HIT) -> None:
    hear(heard, "AssignmentAccepted", at=timezone.now() - MINUTE)
    visit(client, heard)

    pages = [visit(client, heard, workerId=f"AFORGED{number}") for number in range(3)]

    assert [page.status_code for page in pages] == [202, 202, 202]
    assert written() == (1, 1, 1)


@pytest.mark.parametrize("kind", ["AssignmentReturned", "AssignmentAbandoned", "AssignmentSubmitted"])
def test_acceptance_that_is_over_opens_nothing(client: Client, heard: HIT, kind: str) -> None:
    hear(heard, kind, at=timezone.now() - MINUTE)
    hear(heard, "AssignmentAccepted", at=timezone.now() - 2 * MINUTE)

    page = visit(client, heard)

    assert page.status_code == 202
    assert written() == (0, 0, 0)


def test_acceptance_whose_time_is_over_opens_nothing(client: Client, heard: HIT) -> None:
    hear(heard, "AssignmentAccepted", at=timezone.now() - timedelta(hours=1))

    page = visit(client, heard)

    assert page.status_code == 410
    assert written() == (0, 0, 0)


def test_acceptance_of_another_hit_opens_nothing(client: Client, heard: HIT) -> None:
    other = make_hit(batch=heard.batch, external_id="HIT2")
    hear(other, "AssignmentAccepted", at=timezone.now() - MINUTE)

    assert visit(client, heard).status_code == 202
    assert written() == (0, 0, 0)


def test_assignment_id_given_to_the_next_worker_waits_for_the_next_acceptance(
    client: Client, heard: HIT
) -> None:
    now = timezone.now()
    hear(heard, "AssignmentAccepted", at=now - 5 * MINUTE)
    visit(client, heard)
    hear(heard, "AssignmentReturned", at=now - 3 * MINUTE)

    before = visit(client, heard, workerId="ANEXT")
    own = visit(client, heard)
    hear(heard, "AssignmentAccepted", at=now - 2 * MINUTE)
    after = visit(client, heard, workerId="ANEXT")

    assert [page.status_code for page in (before, own, after)] == [202, 202, 200]
    found = Assignment.objects.order_by("pk").values_list("status", "worker__external_id_index")
    assert [status for status, _ in found] == [Status.GONE, Status.OPENED]
    assert len({index for _, index in found}) == 2


def test_same_worker_who_accepts_anew_gets_a_new_attempt_even_if_the_return_was_lost(
    client: Client, heard: HIT
) -> None:
    now = timezone.now()
    hear(heard, "AssignmentAccepted", at=now - 5 * MINUTE)
    visit(client, heard)
    hear(heard, "AssignmentAccepted", at=now - 2 * MINUTE)

    page = visit(client, heard)

    assert page.status_code == 200
    statuses = Assignment.objects.order_by("attempt").values_list("status", flat=True)
    assert list(statuses) == [Status.GONE, Status.OPENED]


def test_work_in_flight_goes_on_without_any_event(client: Client, heard: HIT) -> None:
    hear(heard, "AssignmentAccepted", at=timezone.now() - MINUTE)
    token = token_of(visit(client, heard))
    send(client, heard, token, sorted(Association.objects.get().chosen_keys))
    hear(heard, "AssignmentSubmitted", at=timezone.now() - MINUTE / 2)

    page = visit(client, heard)

    assert "Finish submitting" in text_of(page)
