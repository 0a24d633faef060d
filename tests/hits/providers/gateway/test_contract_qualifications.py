"""The contract of qualifications: their types, their holders, and requests for them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import pytest
from django.utils import timezone

from crowd.marketplace.models import Qualification, QualificationType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.qualifying import qualification_requests, qualifications
from crowd.marketplace.tools.prolific import serving
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers import capabilities
from hits.providers.capabilities import Capabilities, Gating
from hits.providers.gateway.boto import BotoProvider, make_client
from hits.providers.gateway.interface import Provider, ProviderTest, QualifiedWorker
from tests.crowd.marketplace.qualifying import answer_key, question_form
from tests.factories import invite, make_requester
from tests.hits.providers.gateway.at_prolific import AtProlific
from tests.hits.providers.gateway.test_contract import needs
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "Whoever passed the test holds it."


class World(Protocol):
    """A provider, with a way to do what its workers do."""

    @property
    def provider(self) -> Provider: ...
    @property
    def can(self) -> Capabilities: ...
    def hire(self, number: int) -> list[str]: ...
    def ask(self, qualification: str, workers: Iterable[str]) -> None: ...
    def pass_test(self, qualification: str, values: Mapping[str, int]) -> None: ...
    def words_to(self, worker: str) -> str: ...


class Stubbed(StubbedTurk):
    can = capabilities.REQUESTER_API

    def hire(self, number: int) -> list[str]:
        return [f"AWORKER{next(self._ids)}" for _ in range(number)]

    def ask(self, qualification: str, workers: Iterable[str]) -> None:
        for worker in workers:
            self.ask_for_qualification(qualification, worker=worker)

    def pass_test(self, qualification: str, values: Mapping[str, int]) -> None:
        for worker, value in values.items():
            self._give(qualification, worker, value)

    def words_to(self, worker: str) -> str:
        return dict(self.reasons)[worker]


@dataclass(frozen=True, kw_only=True)
class Marketplace:
    """The product's own marketplace over real HTTP."""

    provider: Provider
    can: Capabilities = capabilities.REQUESTER_API

    def words_to(self, worker: str) -> str:
        return Qualification.objects.get(worker__external_id=worker).reason

    def hire(self, number: int) -> list[str]:
        return [invite(now=timezone.now())[0].external_id for _ in range(number)]

    def ask(self, qualification: str, workers: Iterable[str]) -> None:
        type_ = QualificationType.objects.get(external_id=qualification)
        for worker in Worker.objects.filter(external_id__in=list(workers)).order_by("pk"):
            qualification_requests.ask(type_=type_, worker=worker, now=timezone.now())

    def pass_test(self, qualification: str, values: Mapping[str, int]) -> None:
        type_ = QualificationType.objects.get(external_id=qualification)
        workers = {worker.external_id: worker for worker in Worker.objects.all()}
        for external_id, value in values.items():
            qualifications.grant(type_=type_, worker=workers[external_id], value=value, now=timezone.now())


@pytest.fixture(params=["stubber", "marketplace", "prolific"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "stubber":
        yield Stubbed()
        return
    if request.param == "prolific":
        with serving() as stand_in:
            yield AtProlific(stand_in=stand_in)
            assert stand_in.world.answered_amiss == []
        return
    sites = request.getfixturevalue("sites")
    credentials = make_requester(now=timezone.now())
    client = make_client(
        endpoint=sites.marketplace,
        access_key_id=credentials.access_key_id,
        secret_access_key=credentials.secret_access_key,
        allow_amazon=False,
    )
    yield Marketplace(provider=BotoProvider(client))


def make(world: World, name: str = "Solver test [1f2e3d4c]") -> str:
    return world.provider.create_qualification(name=name, description=WORDS)


def held(world: World, qualification: str) -> list[tuple[str, int]]:
    return [(row.worker_external_id, row.value) for row in world.provider.list_qualified(qualification)]


def test_create_qualification_twice_by_one_name_makes_one(world: World) -> None:
    first, other = make(world, "A bonus [1f-2]"), make(world, "A bonus [1f-3]")

    second = make(world, "A bonus [1f-2]")

    assert (second == first, other == first) == (True, False)


def test_qualification_with_the_providers_own_test_is_made_and_changed(world: World) -> None:
    needs(world.can.gating == Gating.SCORED, "has groups, with no tests")
    test = ProviderTest(question_form=question_form(), answer_key=answer_key(), duration_s=600)
    shorter = ProviderTest(question_form=question_form(), answer_key=answer_key(), duration_s=60)

    made = world.provider.create_qualification(
        name="Own test", description=WORDS, keywords="test, solver", retry_delay_s=86_400, test=test
    )
    for _ in range(2):
        world.provider.update_qualification(made, description="Anew.", retry_delay_s=60, test=shorter)

    assert world.provider.find_qualification(mark="Own test") is None


def test_update_of_an_unknown_qualification_is_refused(world: World) -> None:
    needs(world.can.gating == Gating.SCORED, "has groups, with no words of their own")
    with pytest.raises(ProviderRefused) as refusal:
        world.provider.update_qualification("3NOSUCHTYPE", description=WORDS)

    assert refusal.value.code == "QualificationTypeDoesNotExist"


def test_find_qualification_goes_by_the_mark_at_the_end_of_its_name(world: World) -> None:
    made = make(world, "Study: Solver test [1f2e3d4c]")
    make(world, "[1f2e3d4c] first")

    found = [world.provider.find_qualification(mark=mark) for mark in ("1f2e3d4c", "99999999")]

    assert found == [made, None]


def test_grant_qualification_twice_is_held_once_with_the_last_value(world: World) -> None:
    qualification, [worker] = make(world), world.hire(1)

    for value in (0, 1, 1):
        world.provider.grant_qualification(
            qualification, worker_external_id=worker, value=value, notify=False
        )

    assert list(world.provider.list_qualified(qualification)) == [
        QualifiedWorker(worker_external_id=worker, value=1)
    ]


def test_grant_qualification_says_why_in_any_words(world: World) -> None:
    needs(world.can.gating == Gating.SCORED, "has groups, with no reasons")
    qualification, [worker] = make(world), world.hire(1)
    words = "Not passed: 58 % – “above 80”."

    world.provider.grant_qualification(qualification, worker_external_id=worker, value=0, reason=words)

    assert held(world, qualification) == [(worker, 0)]
    assert world.words_to(worker) == words


def test_grant_qualification_to_nobody_is_refused(world: World) -> None:
    needs(world.can.gating == Gating.SCORED, "has groups, with no look at who is in them")
    qualification = make(world)

    with pytest.raises(ProviderRefused):
        world.provider.grant_qualification(qualification, worker_external_id="ANOBODY")

    assert held(world, qualification) == []


def test_revoke_qualification_twice_and_of_who_never_held_it(world: World) -> None:
    qualification, workers = make(world), world.hire(2)
    world.provider.grant_qualification(qualification, worker_external_id=workers[0])

    for worker in (workers[0], *workers):
        world.provider.revoke_qualification(qualification, worker_external_id=worker, reason="Below 60 %.")
    taken = held(world, qualification)
    world.provider.grant_qualification(qualification, worker_external_id=workers[0], value=7)

    last = 7 if world.can.gating == Gating.SCORED else 1
    assert (taken, held(world, qualification)) == ([], [(workers[0], last)])


def test_list_qualified_reads_every_page(world: World) -> None:
    qualification, workers = make(world), world.hire(101)
    for value, worker in enumerate(workers, start=1):
        world.provider.grant_qualification(
            qualification, worker_external_id=worker, value=value, notify=False
        )

    is_scored = world.can.gating == Gating.SCORED
    expected = [(worker, value if is_scored else 1) for value, worker in enumerate(workers, start=1)]
    assert held(world, qualification) == expected


def test_list_qualification_requests_reads_every_page(world: World) -> None:
    needs(world.can.gating == Gating.SCORED, "has groups, with no requests")
    qualification, workers = make(world), world.hire(101)
    world.ask(qualification, workers)
    world.ask(make(world, "Another"), workers[:1])

    listed = world.provider.list_qualification_requests(qualification)

    assert [request.worker_external_id for request in listed] == workers


def test_requests_are_accepted_and_rejected_once(world: World) -> None:
    needs(world.can.gating == Gating.SCORED, "has groups, with no requests")
    qualification, workers = make(world), world.hire(2)
    world.ask(qualification, workers)
    first, second = world.provider.list_qualification_requests(qualification)

    for _ in range(2):
        world.provider.accept_qualification_request(first.external_id, value=1)
        world.provider.reject_qualification_request(second.external_id, reason="Take the test.")

    assert held(world, qualification) == [(workers[0], 1)]
    assert list(world.provider.list_qualification_requests(qualification)) == []


@pytest.mark.parametrize("lag", [False, True], ids=["listed", "not listed yet"])
def test_create_qualification_whose_answer_was_lost(monkeypatch: pytest.MonkeyPatch, *, lag: bool) -> None:
    """A list that lacks an existing type is behind: then the outcome stays unknown."""
    turk = StubbedTurk()
    turk.faults["create_qualification_type"] = ["after"]
    with pytest.raises(ProviderUnavailable):
        turk.provider.create_qualification(name="Solver test", description=WORDS)
    [made] = turk.qualification_types

    if lag:
        monkeypatch.setattr(turk, "_list_qualification_types", lambda **_: {"QualificationTypes": []})
        with pytest.raises(ProviderUnavailable):
            turk.provider.create_qualification(name="Solver test", description=WORDS)
    else:
        assert turk.provider.create_qualification(name="Solver test", description=WORDS) == made

    assert list(turk.qualification_types) == [made]
