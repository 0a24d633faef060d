"""Visits that only the provider can confirm: nothing is opened or leased before it has."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from hits.core.errors import ProviderUnavailable
from hits.providers.prolific.completion_codes import Ending, code_of
from hits.providers.prolific.prolific_provider import ProlificProvider
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from tests.hits.providers.prolific.house import House

pytestmark = pytest.mark.django_db


def come(house: House, hit: HIT) -> dict[str, str]:
    """Let somebody new take a place. Returns what the address says of them."""
    person = house.stand_in.controls.add_participant()
    session = house.stand_in.controls.take_part(hit.external_id, person)
    return {"PROLIFIC_PID": person, "STUDY_ID": hit.external_id, "SESSION_ID": session}


def visit(hit: HIT, client: Client, **claims: str) -> Any:
    return client.get(f"/q/{hit.public_id}/?{urlencode(claims)}")


def written() -> tuple[int, int]:
    return Assignment.objects.count(), Lease.objects.count()


def test_a_visit_that_the_provider_knows_opens_work(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)

    page = visit(hit, client, **claims)

    assert page.status_code == 200
    work = Assignment.objects.get()
    assert (work.external_id, work.worker.external_id) == (claims["SESSION_ID"], claims["PROLIFIC_PID"])
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]


@pytest.mark.parametrize("forged", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
def test_an_address_that_names_another_writes_nothing(
    house: House, hit: HIT, client: Client, forged: str
) -> None:
    claims, other = come(house, hit), come(house, hit)
    if forged == "STUDY_ID":
        other["STUDY_ID"] = house.launch().hits.get().external_id

    page = visit(hit, client, **{**claims, forged: other[forged]})

    assert (page.status_code, written()) == (403, (0, 0))


@pytest.mark.parametrize("left_out", ["PROLIFIC_PID", "STUDY_ID"])
def test_an_address_that_lacks_something_says_what(
    house: House, hit: HIT, client: Client, left_out: str
) -> None:
    claims = come(house, hit)
    del claims[left_out]

    page = visit(hit, client, **claims)

    assert (page.status_code, written()) == (403, (0, 0))
    assert left_out in page.content.decode()


def test_a_session_that_nobody_knows_is_refused(house: House, hit: HIT, client: Client) -> None:
    claims = {**come(house, hit), "SESSION_ID": "0123456789abcdef01234567"}

    assert (visit(hit, client, **claims).status_code, written()) == (403, (0, 0))


@pytest.mark.parametrize("ended", ["finished", "returned", "late"])
def test_a_visit_that_is_over_opens_nothing(house: House, hit: HIT, client: Client, ended: str) -> None:
    claims, controls = come(house, hit), house.stand_in.controls
    acts: dict[str, Any] = {
        "finished": lambda: controls.finish(claims["SESSION_ID"], code_of(hit.token, Ending.COMPLETED)),
        "returned": lambda: controls.return_place(claims["SESSION_ID"]),
        "late": lambda: controls.advance(days=1),
    }
    acts[ended]()

    assert (visit(hit, client, **claims).status_code, written()) == (410, (0, 0))


def test_a_provider_that_does_not_answer_is_asked_again_by_the_page(
    house: House, hit: HIT, client: Client
) -> None:
    claims = come(house, hit)
    house.stand_in.controls.fail(kind="drop_before", route="/submissions/")

    page = visit(hit, client, **claims)

    assert (page.status_code, page["Refresh"], written()) == (202, "5", (0, 0))
    assert visit(hit, client, **claims).status_code == 200


def test_an_account_that_is_not_let_in_says_nothing_against_the_visit(
    house: House, hit: HIT, client: Client
) -> None:
    claims = come(house, hit)
    house.account.secret_access_key = "revoked"
    house.account.save()

    page = visit(hit, client, **claims)

    assert (page.status_code, page["Refresh"], written()) == (202, "5", (0, 0))


def test_work_under_way_needs_no_provider(
    house: House, hit: HIT, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = come(house, hit)
    assert visit(hit, client, **claims).status_code == 200

    def silent(*_: object) -> None:
        raise ProviderUnavailable("It does not answer.")

    monkeypatch.setattr(ProlificProvider, "find_visit", silent)

    assert visit(hit, client, **claims).status_code == 200
    another = {**claims, "PROLIFIC_PID": come(house, hit)["PROLIFIC_PID"]}
    assert visit(hit, client, **another).status_code == 403
    assert Assignment.objects.count() == 1


def test_two_tabs_have_one_work(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)

    pages = [visit(hit, Client(), **claims) for _ in range(2)]

    assert [page.status_code for page in pages] == [200, 200]
    assert Assignment.objects.count() == 1


def test_the_code_is_shown_once_the_answer_is_saved(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)
    code = code_of(hit.token, Ending.COMPLETED)
    page = visit(hit, client, **claims)
    assert code not in page.content.decode()

    work = Assignment.objects.get()
    Assignment.objects.filter(pk=work.pk).update(
        status="saved", answer={"picked": []}, saved_at=timezone.now()
    )
    page = visit(hit, client, **claims)

    text = page.content.decode()
    assert f'action="{house.account.worker_site}/submissions/complete"' in text
    assert f'name="cc" value="{code}"' in text
    assert "externalSubmit" not in text
    assert "<strong>" + code in text
    assert visit(hit, client, **claims).content.decode() == text


def test_whoever_finds_nothing_left_is_led_back(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)
    visit(hit, client, **claims)
    Lease.objects.all().delete()
    house.study.items.update(wanted=0)

    text = visit(hit, client, **claims).content.decode()

    assert f"/submissions/complete?cc={code_of(hit.token, Ending.NOTHING_LEFT)}" in text
    assert "HIT" not in text.replace("HITs", "")


def test_the_practice_page_needs_no_visit(house: House, hit: HIT, client: Client) -> None:
    page = client.get(f"/q/{hit.public_id}/")

    assert (page.status_code, written()) == (200, (0, 0))


def test_time_counts_from_the_moment_that_the_provider_tells(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)
    visit(hit, client, **claims)

    work = Assignment.objects.get()
    assert work.accepted_at is not None
    assert work.deadline_at - work.accepted_at == timedelta(seconds=hit.batch.duration_s)


def test_a_visit_longer_than_the_work_may_take_opens_nothing(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)
    Batch.objects.filter(pk=hit.batch_id).update(duration_s=0)

    page = visit(hit, client, **claims)

    assert (page.status_code, written()) == (410, (0, 0))
    assert f'href="{house.account.worker_site}"' in page.content.decode()


def test_a_session_opened_on_one_study_is_refused_on_another(house: House, hit: HIT, client: Client) -> None:
    claims = come(house, hit)
    visit(hit, client, **claims)
    other = house.launch().hits.get()

    page = visit(other, client, **{**claims, "STUDY_ID": other.external_id})

    assert (page.status_code, Assignment.objects.count()) == (403, 1)


def test_whoever_comes_back_after_the_answer_sees_the_same_end(
    house: House, hit: HIT, client: Client
) -> None:
    """The code went to the platform already, and the time of the work is over."""
    claims, code = come(house, hit), code_of(hit.token, Ending.COMPLETED)
    visit(hit, client, **claims)
    Assignment.objects.update(
        status="saved", answer={"picked": []}, saved_at=timezone.now(), deadline_at=timezone.now()
    )
    first = visit(hit, client, **claims).content.decode()
    house.stand_in.controls.finish(claims["SESSION_ID"], code)

    again = visit(hit, client, **claims)

    assert (again.status_code, again.content.decode()) == (200, first)
    assert code in first


def test_work_that_was_handed_in_is_shown_as_such(house: House, hit: HIT, client: Client) -> None:
    claims, code = come(house, hit), code_of(hit.token, Ending.COMPLETED)
    visit(hit, client, **claims)
    work = Assignment.objects.get()
    work.status, work.answer, work.saved_at = "saved", {"picked": []}, timezone.now()
    work.save()
    house.stand_in.controls.finish(claims["SESSION_ID"], code)
    house.look(hit)

    page = visit(hit, client, **claims)

    assert page.status_code == 200
    assert "We have received this work" in page.content.decode()
