"""How a participant's visit ends: each end leads back to the platform with the code that fits it."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winogavil.models import Association
from hits.providers.prolific.completion_codes import Ending, code_of
from hits.review.queries.review_queue import State, count_in_queue
from hits.studies.models import Batch
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from qualifications.models import Consent
from tests.factories import make_consent_text
from tests.hits.providers.prolific.house import House
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def come(house: House, hit: HIT) -> tuple[str, str]:
    """Let somebody new take a place. Returns the submission, and the address that it leads to here."""
    controls = house.stand_in.controls
    session = controls.take_part(hit.external_id, controls.add_participant())
    parts = urlsplit(controls.address_of(session))
    return session, f"{parts.path}?{parts.query}"


def send(client: Client, hit: HIT, page: Any) -> Any:
    picks = {str(one.item.public_id): sorted(one.chosen_keys) for one in Association.objects.all()}
    return client.post(f"/q/{hit.public_id}/answer/", {"token": page.context["token"], **picks})


def code(hit: HIT, ending: Ending) -> str:
    return code_of(hit.token, ending)


def way(house: House, hit: HIT, ending: Ending) -> str:
    return f'href="{house.account.worker_site}/submissions/complete?cc={code(hit, ending)}"'


def test_answer_leads_to_the_end_and_the_end_stays(house: House, hit: HIT, client: Client) -> None:
    _session, address = come(house, hit)
    page = client.get(address)
    assert code(hit, Ending.COMPLETED) not in page.content.decode()

    end = send(client, hit, page)

    assert "Your work and your pay" in text_of(end)
    finish = end.context["finish"]
    assert (end.status_code, finish.method, dict(finish.fields)) == (200, "get", {"cc": finish.code})
    assert finish.address == f"{house.account.worker_site}/submissions/complete"
    assert finish.code == code(hit, Ending.COMPLETED)
    assert client.get(address).context["finish"] == finish


def test_second_tab_sends_in_vain_and_reaches_the_same_end(house: House, hit: HIT, client: Client) -> None:
    _session, address = come(house, hit)
    tabs = [client.get(address), client.get(address)]
    send(client, hit, tabs[0])
    saved = Assignment.objects.values().get()

    again = send(client, hit, tabs[1])

    assert again.status_code == 409
    assert again.context["finish"].code == code(hit, Ending.COMPLETED)
    assert "data-hand-over" not in again.content.decode()
    assert Assignment.objects.values().get() == saved


def test_whoever_does_not_agree_goes_back_without_the_code(house: House, hit: HIT, client: Client) -> None:
    make_consent_text(study=house.study)
    _session, address = come(house, hit)

    text = client.get(address).content.decode()

    assert way(house, hit, Ending.NO_CONSENT) in text
    assert code(hit, Ending.COMPLETED) not in text
    assert (Lease.objects.count(), Consent.objects.count()) == (0, 0)


def test_whoever_speaks_no_english_goes_back(house: House, hit: HIT, client: Client) -> None:
    Batch.objects.filter(pk=hit.batch_id).update(english_speakers=True)
    _session, address = come(house, hit)
    page = client.get(address)
    assert way(house, hit, Ending.NOTHING_LEFT) in page.content.decode()

    said = client.post(
        page.context["action"], {"token": page.context["consent_token"], "english": "no"}, follow=True
    )

    assert (said.status_code, Lease.objects.count()) == (403, 0)
    assert way(house, hit, Ending.NOTHING_LEFT) in said.content.decode()


def test_a_minor_goes_back(house: House, hit: HIT, client: Client) -> None:
    text = make_consent_text(study=house.study, asks_demographics=True)
    _session, address = come(house, hit)
    page = client.get(address)
    agreed = {"token": page.context["consent_token"], "text": str(text.public_id), "agreed": "yes"}
    page = client.post(page.context["action"], agreed, follow=True)

    told = client.post(page.context["action"], {"token": page.context["consent_token"], "age": "17"})

    assert (told.status_code, Lease.objects.count()) == (403, 0)
    assert way(house, hit, Ending.NOTHING_LEFT) in told.content.decode()


def test_whoever_is_refused_goes_back(house: House, hit: HIT, client: Client) -> None:
    _session, address = come(house, hit)
    HIT.objects.filter(pk=hit.pk).update(status=HIT.Status.CLOSED)

    page = client.get(address)

    assert (page.status_code, Assignment.objects.count()) == (403, 0)
    assert way(house, hit, Ending.NOTHING_LEFT) in page.content.decode()
    assert "HIT" not in text_of(page)


def test_an_answer_that_comes_too_late_leads_to_the_platform(house: House, hit: HIT, client: Client) -> None:
    _session, address = come(house, hit)
    page = client.get(address)
    Assignment.objects.update(deadline_at=house.now)

    late = send(client, hit, page)

    text = late.content.decode()
    assert (late.status_code, Assignment.objects.get().status) == (409, "opened")
    assert f'href="{house.account.worker_site}"' in text
    assert code(hit, Ending.COMPLETED) not in text


def test_work_handed_in_without_an_answer_waits_for_a_person(house: House, hit: HIT, client: Client) -> None:
    session, _address = come(house, hit)
    house.stand_in.controls.finish(session)
    Batch.objects.filter(pk=hit.batch_id).update(review_by=Batch.Review.AUTO)

    house.look(hit)
    push_decisions.approve_judged(now=house.now)

    work = Assignment.objects.get()
    assert (work.external_id, work.status, work.answer) == (session, "submitted", None)
    assert count_in_queue(user=house.user, state=State.LOST) == 1
    client.force_login(house.user)
    page = text_of(client.get(reverse("admin:hits_assignment_review"), {"at": work.pk}))
    assert "No answer reached us." in page
    assert "what it sent could not be read" not in page
