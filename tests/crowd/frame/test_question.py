"""The framed page: what it shows in each state, whose visits it believes, and what it refuses."""

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import signing
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.winogavil.models import Association
from crowd.winogavil.solver_task import SolveTask
from hits.families import NarrowsItems, registry
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.models.nothing_left import NothingLeft
from qualifications.models import RefusalCount
from tests.factories import make_account, make_association, make_batch, make_hit, make_study
from tests.pages import text_of

pytestmark = pytest.mark.django_db
SITE = "http://localhost:8000"
CLAIMS = {
    "assignmentId": "A1",
    "hitId": "HIT1",
    "workerId": "AWORKER",
    "turkSubmitTo": f"{SITE}/submit/signed",
}


@pytest.fixture
def hit() -> HIT:
    study = make_study()
    make_association(study=study, cue="cold", size=5, chosen=2)
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    return make_hit(batch=make_batch(study=study, account=account, status="open"), external_id="HIT1")


def ticket(*, key: str = "ticket-key", minutes: int = 10, **changes: Any) -> str:
    accepted: datetime = timezone.now() - timedelta(minutes=1)
    payload = {
        "assignment": "A1",
        "hit": "HIT1",
        "worker": "AWORKER",
        "attempt": 1,
        "accepted": accepted.timestamp(),
        "expires": (accepted + timedelta(minutes=minutes)).timestamp(),
    }
    return signing.dumps({**payload, **changes}, key=key, salt="marketplace.ticket")


def visit(client: Client, hit: HIT, **changes: str) -> Any:
    query = {**CLAIMS, "ticket": ticket(), **changes}
    return client.get(f"/q/{hit.public_id}/?{urlencode(query)}")


def token_of(page: Any) -> str:
    return str(page.context["token"])


def send(client: Client, hit: HIT, token: str, picks: list[str]) -> Any:
    field = str(Association.objects.get().item.public_id)
    return client.post(f"/q/{hit.public_id}/answer/", {"token": token, field: picks})


def right() -> list[str]:
    return sorted(Association.objects.get().chosen_keys)


def nothing_recorded() -> bool:
    return not Assignment.objects.filter(answer__isnull=False).exists()


def test_preview_shows_practice_and_records_nothing(client: Client, hit: HIT) -> None:
    page = visit(client, hit, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="", ticket="")

    assert page.status_code == 200
    assert "practice example" in text_of(page)
    assert "cold" not in text_of(page)
    assert (Worker.objects.count(), Assignment.objects.count(), Lease.objects.count()) == (0, 0, 0)


def test_work_page_leases_and_shows_the_item(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    assert page.status_code == 200
    assert "cold" in text_of(page)
    assert Lease.objects.get().item == Association.objects.get().item
    assert Worker.objects.get().external_id == "AWORKER"


def test_work_page_does_not_depend_on_what_is_right(client: Client, hit: HIT) -> None:
    def shown() -> str:
        page = visit(client, hit)
        signed_anew = rf"{re.escape(token_of(page))}|/statement/[^/]+/"
        return re.sub(signed_anew, "", page.content.decode())

    before = shown()
    for place in Association.objects.get().places.all():
        place.chosen = not place.chosen if place.position in (0, 4) else place.chosen
        place.save()

    assert shown() == before


def test_work_page_sets_no_cookie_and_opens_to_the_worker_site_alone(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    policy = page["Content-Security-Policy"]
    assert f"frame-ancestors {SITE}" in policy.split("; ")
    assert f"form-action 'self' {SITE}" in policy.split("; ")
    assert "X-Frame-Options" not in page
    assert page["Referrer-Policy"] == "no-referrer"
    assert not page.cookies


@pytest.mark.parametrize("rest", ["/", "/;sandbox", "/path?x=1", "/,script-src"])
def test_policy_names_the_host_of_the_worker_site_and_nothing_after_it(
    client: Client, hit: HIT, rest: str
) -> None:
    plain = client.get(f"/q/{hit.public_id}/")["Content-Security-Policy"]
    hit.batch.account.worker_site = f"{SITE}{rest}"
    hit.batch.account.full_clean()
    hit.batch.account.save()

    assert client.get(f"/q/{hit.public_id}/")["Content-Security-Policy"] == plain


def test_submit_saves_then_hands_over(client: Client, hit: HIT) -> None:
    page = send(client, hit, token_of(visit(client, hit)), right())

    assignment = Assignment.objects.get()
    assert page.status_code == 200
    assert page.context["finish"].address == f"{SITE}/submit/signed/mturk/externalSubmit"
    assert assignment.status == Assignment.Status.SAVED
    assert list((assignment.answer or {}).values()) == [right()]
    assert Lease.objects.get().status == Lease.Status.ANSWERED


def test_second_submit_is_told_and_changes_nothing(client: Client, hit: HIT) -> None:
    token = token_of(visit(client, hit))
    send(client, hit, token, right())
    before = Assignment.objects.values().get()

    wrong = [place.picture.key for place in Association.objects.get().places.all() if place.picture][3:]
    page = send(client, hit, token, wrong)

    assert page.status_code == 409
    assert "this second answer changed nothing" in text_of(page)
    assert Assignment.objects.values().get() == before


def test_reentry_after_saving_offers_to_finish(client: Client, hit: HIT) -> None:
    send(client, hit, token_of(visit(client, hit)), right())

    page = visit(client, hit)

    assert "Finish submitting" in text_of(page)


def test_reentry_after_the_platform_has_it_says_so(client: Client, hit: HIT) -> None:
    token = token_of(visit(client, hit))
    send(client, hit, token, right())
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())

    page = visit(client, hit)
    late = send(client, hit, token, right())

    assert "Submitted" in text_of(page)
    assert late.status_code == 409


@pytest.fixture
def item() -> Item:
    """The one item of the HIT's batch."""
    return Association.objects.get().item


def test_nothing_left_since_all_is_answered_is_said_so(client: Client, hit: HIT, item: Item) -> None:
    Item.objects.update(wanted=0)

    page = text_of(visit(client, hit))

    assert "Nothing left for you here" in page
    assert "Everything here has been answered, or other people are answering it right now." in page
    assert "you were given before" not in page


def test_nothing_left_but_ones_own_is_said_so(client: Client, hit: HIT, item: Item) -> None:
    author = Worker.objects.known(account=hit.batch.account, external_id="AWORKER")
    Item.objects.filter(pk=item.pk).update(author=author)

    page = text_of(visit(client, hit))

    assert "Everything that still needs an answer is either your own" in page


def test_nothing_left_is_counted_as_a_refusal_once_and_kept_with_the_work(
    client: Client, hit: HIT, item: Item
) -> None:
    author = Worker.objects.known(account=hit.batch.account, external_id="AWORKER")
    Item.objects.filter(pk=item.pk).update(author=author)

    visit(client, hit)
    visit(client, hit)

    assert list(RefusalCount.objects.values_list("code", "count")) == [("nothing_known", 1)]
    assert NothingLeft.objects.get().why == "known"


def test_a_visit_that_finds_work_is_no_refusal(client: Client, hit: HIT) -> None:
    visit(client, hit)

    assert (RefusalCount.objects.count(), NothingLeft.objects.count()) == (0, 0)


def test_nothing_left_by_a_rule_of_the_task_is_said_so(
    client: Client, hit: HIT, item: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Narrow(SolveTask, NarrowsItems):
        def narrow_items(self, items: Any, *, worker_id: int) -> Any:
            return items.none()

    monkeypatch.setitem(registry._task_types, hit.batch.task, Narrow())

    page = text_of(visit(client, hit))

    assert "kept for people who have not tried it, or closely related work, before" in page


def test_preview_of_what_holds_nothing_says_so_before_anybody_accepts(
    client: Client, hit: HIT, item: Item
) -> None:
    Item.objects.update(wanted=0)

    page = client.get(f"/q/{hit.public_id}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")

    assert page.status_code == 409
    assert "Everything here has been answered" in text_of(page)


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_another_number_than_k_is_refused(client: Client, hit: HIT, count: int) -> None:
    keys = [place.picture.key for place in Association.objects.get().places.all() if place.picture]

    page = send(client, hit, token_of(visit(client, hit)), keys[:count])

    assert page.status_code == 400
    assert f"needs exactly 2 pictures; {count} were picked" in text_of(page)
    assert nothing_recorded()


@pytest.mark.parametrize("intruder", ["nowhere", "<script>", "\x00", ""])
def test_picture_that_is_not_on_the_page_is_refused(client: Client, hit: HIT, intruder: str) -> None:
    page = send(client, hit, token_of(visit(client, hit)), [right()[0], intruder])

    assert page.status_code == 400
    assert "not a picture of this page" in text_of(page)
    assert nothing_recorded()


def test_one_picture_twice_is_refused(client: Client, hit: HIT) -> None:
    page = send(client, hit, token_of(visit(client, hit)), [right()[0]] * 2)

    assert page.status_code == 400
    assert nothing_recorded()


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "é", "x" * 100_000])
def test_malformed_token_is_refused(client: Client, hit: HIT, token: str) -> None:
    visit(client, hit)

    page = send(client, hit, token, right())

    assert page.status_code == 400
    assert "token is not readable" in text_of(page)
    assert nothing_recorded()


def test_expired_token_is_refused(client: Client, hit: HIT) -> None:
    token = token_of(visit(client, hit, ticket=ticket(minutes=2)))

    with pytest.MonkeyPatch.context() as patch:
        later = timezone.now() + timedelta(minutes=5)
        patch.setattr("crowd.frame.question_pages.timezone.now", lambda: later)
        page = send(client, hit, token, right())

    assert page.status_code == 410
    assert "The time for this work is over" in text_of(page)
    assert nothing_recorded()


def test_token_of_another_hit_is_refused(client: Client, hit: HIT) -> None:
    token = token_of(visit(client, hit))
    other = make_hit(batch=hit.batch)

    page = send(client, other, token, right())

    assert page.status_code == 403
    assert nothing_recorded()


def test_unknown_hit_is_refused(client: Client) -> None:
    page = client.get("/q/00000000-0000-4000-8000-000000000000/")

    assert page.status_code == 404
    assert "There is no such work" in text_of(page)
    assert not RefusalCount.objects.exists()


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"ticket": ""}, 403),
        ({"ticket": "x:y:z"}, 403),
        ({"ticket": ticket(key="another-key")}, 403),
        ({"ticket": ticket(worker="ASOMEBODYELSE")}, 403),
        ({"ticket": ticket(assignment="A2")}, 403),
        ({"ticket": ticket(minutes=0)}, 410),
        ({"workerId": "ASOMEBODYELSE"}, 403),
        ({"hitId": "HIT2"}, 403),
        ({"turkSubmitTo": "https://evil.example"}, 403),
        ({"turkSubmitTo": f"{SITE}.evil.example/x"}, 403),
        ({"turkSubmitTo": "javascript:alert(1)"}, 403),
        ({"turkSubmitTo": ""}, 403),
        ({"turkSubmitTo": "http://["}, 403),
        ({"workerId": ""}, 403),
        ({"workerId": "A\x00"}, 403),
        ({"workerId": "A" * 65}, 403),
        ({"assignmentId": "<script>"}, 403),
    ],
)
def test_visit_that_nobody_signed_is_refused(
    client: Client, hit: HIT, changes: dict[str, str], status: int
) -> None:
    page = visit(client, hit, **changes)

    assert page.status_code == status
    assert "cold" not in text_of(page)
    assert (Worker.objects.count(), Assignment.objects.count(), Lease.objects.count()) == (0, 0, 0)


def test_worker_id_repeated_by_the_platform_is_read_once(client: Client, hit: HIT) -> None:
    page = visit(client, hit, workerId="AWORKER,AWORKER")

    assert page.status_code == 200
    assert Worker.objects.get().external_id == "AWORKER"


def test_work_page_queries_do_not_grow_with_items(client: Client, hit: HIT) -> None:
    counts = []
    for items in (1, 10):
        for _ in range(items - 1):
            make_association(study=hit.batch.study)
        Batch.objects.update(items_per_assignment=items)
        claims = {"assignmentId": f"A{items}", "workerId": f"A{items}"}
        claims["ticket"] = ticket(assignment=f"A{items}", worker=f"A{items}")
        visit(client, hit, **claims)
        with CaptureQueriesContext(connection) as queries:
            page = visit(client, hit, **claims)
        counts.append((len(page.context["questions"]), len(queries)))

    assert [items for items, _ in counts] == [1, 10]
    assert counts[0][1] == counts[1][1]


@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("he", "rtl")])
def test_pages_speak_the_language_of_the_study(
    client: Client, hit: HIT, language: str, direction: str
) -> None:
    Study.objects.update(language=language)

    page = visit(client, hit)

    assert f'<html lang="{language}" dir="{direction}">' in text_of(page)
