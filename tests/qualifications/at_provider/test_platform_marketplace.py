"""Gates at the real marketplace, over HTTP: who is let in, who no longer is, and the provider's own test."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from crowd.marketplace.models import QualificationRequest
from crowd.marketplace.tools.conformance.browser import Browser
from crowd.marketplace.tools.conformance.worker import Worker as Site
from hits.batches.services import launching, sending_hits
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.providers.gateway.interface import HITSpec, Provider, ProviderHIT
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from qualifications.models import Gate, Holding
from qualifications.services.gate_holdings import set_value
from qualifications.services.platform import make_types
from qualifications.services.provider_grants import read_provider_tests
from qualifications.services.sync_grants import tell_holdings
from tests.conftest import Sites
from tests.factories import (
    invite,
    make_account,
    make_association,
    make_batch,
    make_requester,
    make_user,
)
from tests.qualifications.gates import requirements_of
from tests.qualifications.platforms import OWN_TEST, TEST, make_gate

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True, kw_only=True)
class Person:
    """A worker at the worker site, with the row of the worker here."""

    site: Site
    worker: Worker

    def sees(self, hit: dict[str, Any]) -> bool:
        """Whether the page shows the work before it is accepted."""
        return bool(self.site.preview(hit).document.frames)

    def may_start(self, hit: dict[str, Any]) -> bool:
        return self.site.try_accept(hit) is not None


class Place:
    """An account of the marketplace, and the workers there."""

    def __init__(self, sites: Sites) -> None:
        made = make_requester(now=timezone.now())
        self.address = sites.marketplace
        self.account: Account = make_account(
            endpoint=sites.marketplace,
            worker_site=sites.marketplace,
            access_key_id=made.access_key_id,
            secret_access_key=made.secret_access_key,
            ticket_key=made.ticket_key,
            send_rate=200,
        )
        self.provider: Provider = provider_for(self.account)

    def person(self) -> Person:
        worker, token = invite(now=timezone.now())
        site = Site(external_id=worker.external_id, site=self.address, browser=Browser())
        site.sign_in(f"{self.address}/invitation/{token}/")
        known = Worker.objects.known(account=self.account, external_id=worker.external_id)
        return Person(site=site, worker=known)

    def post(self, batch: Batch) -> dict[str, Any]:
        """Make a HIT on the batch's terms, with the ids that the worker site uses."""
        made: ProviderHIT = self.provider.create_hit(
            HITSpec(
                title=f"{batch.title} {uuid4()}",
                description="d",
                keywords="",
                reward=batch.reward,
                question_url="https://example.org/q",
                max_assignments=9,
                duration_s=600,
                lifetime_s=3600,
                auto_approval_s=3600,
                annotation="",
                requirements=requirements_of(batch),
            ),
            token=uuid4(),
        )
        return {"HITId": made.external_id, "HITTypeId": made.hit_type_id}


@pytest.fixture
def place(sites: Sites) -> Place:
    return Place(sites)


def hold(gate: Gate, person: Person, value: int | None) -> None:
    set_value(gate=gate, worker=person.worker, value=value, reason="", now=timezone.now())
    tell_holdings(now=timezone.now())


def test_launched_work_opens_to_who_passed_and_closes_when_it_is_taken_back(place: Place) -> None:
    """The real launch waits for the type, and then freezes the requirements."""
    gate = make_gate()
    make_association(study=gate.study)
    batch = make_batch(study=gate.study, account=place.account, hits_wanted=2)
    by = make_user(is_superuser=True)
    with pytest.raises(RuleBroken) as early:
        launching.launch_batch(batch=batch, by=by, now=timezone.now())
    make_types(now=timezone.now())
    launching.launch_batch(batch=batch, by=by, now=timezone.now())
    sending_hits.send_launching_batches(now=timezone.now())
    batch.refresh_from_db()
    first, second = (
        {"HITId": hit.external_id, "HITTypeId": batch.hit_type_id} for hit in batch.hits.order_by("pk")
    )
    person = place.person()

    stages = [(person.sees(first), person.may_start(first))]
    hold(gate, person, Holding.Value.PASSED)
    stages.append((person.sees(first), person.may_start(first)))
    hold(gate, person, Holding.Value.TRIED)
    stages.append((person.sees(second), person.may_start(second)))

    assert (early.value.code, batch.status) == ("door_shut", "open")
    assert stages == [(True, False), (True, True), (True, False)]


def test_test_is_open_to_who_has_not_tried_and_again_after_a_while(place: Place) -> None:
    gate = make_gate()
    batch = make_batch(study=gate.study, account=place.account, task=TEST)
    make_types(now=timezone.now())
    hits = [place.post(batch) for _ in range(4)]
    person, let_in = place.person(), []

    for hit, value in zip(hits, (None, 0, 1, None), strict=True):
        hold(gate, person, value)
        let_in.append(person.may_start(hit))

    assert let_in == [True, False, False, True]


def test_marketplaces_own_test_opens_work_and_its_result_arrives(place: Place) -> None:
    gate = make_gate(**OWN_TEST, passing_value=80, retest_after_days=0)
    batch = make_batch(study=gate.study, account=place.account)
    make_types(now=timezone.now())
    hit, type_id = place.post(batch), gate.platform_types.get().external_id
    good, poor, late = place.person(), place.person(), place.person()

    good.site.take_test(type_id, {0: [0]})
    poor.site.take_test(type_id, {0: [1]})
    found = read_provider_tests(now=timezone.now())

    held = dict(Holding.objects.filter(gate=gate).values_list("worker", "value"))
    assert (found, held) == (2, {good.worker.pk: 1, poor.worker.pk: 0})
    assert [one.may_start(hit) for one in (good, poor, late)] == [True, False, False]
    assert tell_holdings(now=timezone.now()) == 0


def test_test_taken_again_after_a_revocation_is_marked_and_waits_for_nobody(place: Place) -> None:
    gate = make_gate(**OWN_TEST, passing_value=80, retest_after_days=0)
    batch = make_batch(study=gate.study, account=place.account)
    make_types(now=timezone.now())
    hit, type_id = place.post(batch), gate.platform_types.get().external_id
    person = place.person()
    hold(gate, person, Holding.Value.PASSED)
    hold(gate, person, None)

    before = person.may_start(hit)
    person.site.take_test(type_id, {0: [0]})

    assert (before, person.may_start(hit)) == (False, True)
    assert not QualificationRequest.objects.filter(status="Pending").exists()
