"""The one contract suite, which every implementation of the Provider interface passes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import reviewing, work
from crowd.marketplace.tools.prolific import serving
from hits.core.errors import ProviderRefused
from hits.providers import capabilities
from hits.providers.capabilities import Capabilities
from hits.providers.gateway.boto import BotoProvider, make_client
from hits.providers.gateway.interface import HITSpec, Provider, ProviderBonus
from tests.factories import invite, make_requester
from tests.hits.providers.gateway.at_prolific import AtProlific
from tests.hits.providers.gateway.specs import spec
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db(transaction=True)


class Stubbed(StubbedTurk):
    can = capabilities.REQUESTER_API

    def cost(self, spec: HITSpec) -> Decimal:
        return spec.reward * spec.max_assignments


class World(Protocol):
    """A provider, with a way to do what happens on its other side."""

    @property
    def provider(self) -> Provider: ...
    @property
    def can(self) -> Capabilities: ...
    def cost(self, spec: HITSpec) -> Decimal: ...
    def submit(self, hit: str, **answers: str) -> tuple[str, str]: ...
    def reject(self, assignment: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Marketplace:
    """The product's own marketplace over real HTTP."""

    provider: Provider
    can: Capabilities = capabilities.REQUESTER_API

    def cost(self, spec: HITSpec) -> Decimal:
        return spec.reward * spec.max_assignments

    def submit(self, hit: str, **answers: str) -> tuple[str, str]:
        worker, _ = invite(now=timezone.now())
        accepted = work.accept_hit(
            hit_id=HIT.objects.get(external_id=hit).pk, worker=worker, now=timezone.now()
        )
        answer = write_answer(answers.items())
        assert work.submit_assignment(assignment=accepted, answer=answer, now=timezone.now())
        return accepted.external_id, worker.external_id

    def reject(self, assignment: str) -> None:
        row = Assignment.objects.get(external_id=assignment)
        reviewing.reject_assignment(assignment=row, feedback="", now=timezone.now())


@pytest.fixture(params=["stubber", "marketplace", "prolific"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "stubber":
        yield Stubbed(balance=Decimal(100))
        return
    if request.param == "prolific":
        with serving() as stand_in:
            yield AtProlific(stand_in=stand_in)
            assert stand_in.world.answered_amiss == []
        return
    sites = request.getfixturevalue("sites")
    credentials = make_requester(deposit=Decimal(100), now=timezone.now())
    client = make_client(
        endpoint=sites.marketplace,
        access_key_id=credentials.access_key_id,
        secret_access_key=credentials.secret_access_key,
        allow_amazon=False,
    )
    yield Marketplace(provider=BotoProvider(client))


def needs(able: bool, words: str) -> None:
    """Leave a scenario out where the provider declares that it cannot do this."""
    if not able:
        pytest.skip(f"this provider {words}")


def test_balance_falls_by_what_a_hit_may_cost(world: World) -> None:
    wanted = spec(reward="0.50", max_assignments=3)
    before = world.provider.get_balance()

    world.provider.create_hit(wanted, token=uuid4())

    assert before - world.provider.get_balance() == world.cost(wanted) >= Decimal("1.50")


def test_create_hit_is_found_again(world: World) -> None:
    made = world.provider.create_hit(spec(annotation="crowd:1"), token=uuid4())

    found = world.provider.get_hit(made.external_id)

    assert found == made
    assert (found.annotation, found.status, found.available) == ("crowd:1", "Assignable", 2)


def test_create_hit_twice_with_one_token_makes_one(world: World) -> None:
    token, wanted = uuid4(), spec()

    first = world.provider.create_hit(wanted, token=token)
    second = world.provider.create_hit(wanted, token=token)

    assert second == first
    assert [hit.external_id for hit in world.provider.list_hits()] == [first.external_id]


def test_create_hit_with_the_token_of_other_work_is_refused(world: World) -> None:
    needs(world.can.many_hits, "knows no tokens")
    token = uuid4()
    world.provider.create_hit(spec(annotation="ours"), token=token)

    with pytest.raises(ProviderRefused) as refusal:
        world.provider.create_hit(spec(annotation="another"), token=token)

    assert refusal.value.code == "HitAlreadyExists"


def test_create_hit_beyond_the_balance_is_out_of_funds(world: World) -> None:
    with pytest.raises(ProviderRefused) as refusal:
        world.provider.create_hit(spec(reward="60.00", max_assignments=2), token=uuid4())

    assert refusal.value.out_of_funds
    assert world.provider.get_balance() == Decimal("100.00")
    assert not any(hit.available for hit in world.provider.list_hits())


def test_unknown_hit_is_refused_by_its_code(world: World) -> None:
    with pytest.raises(ProviderRefused) as refusal:
        world.provider.get_hit("NOSUCHHIT")

    assert refusal.value.code == "HITDoesNotExist"


def test_list_hits_reads_every_page(world: World) -> None:
    made = [world.provider.create_hit(spec(max_assignments=1), token=uuid4()) for _ in range(101)]

    listed = [hit.external_id for hit in world.provider.list_hits()]

    assert sorted(listed) == sorted(hit.external_id for hit in made)


def test_list_assignments_reads_every_page(world: World) -> None:
    hit = world.provider.create_hit(spec(max_assignments=101), token=uuid4())
    made = [world.submit(hit.external_id, answer="x") for _ in range(101)]

    listed = [
        (row.external_id, row.worker_external_id) for row in world.provider.list_assignments(hit.external_id)
    ]

    assert sorted(listed) == sorted(made)


def test_assignment_brings_its_answer_and_times(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    world.submit(hit.external_id, answer='{"a": ["b"]}', comment="ü")

    (row,) = world.provider.list_assignments(hit.external_id)

    kept = {"answer": '{"a": ["b"]}', "comment": "ü"} if world.can.keeps_answers else {}
    assert row.answers == kept
    assert row.status == "Submitted"
    assert row.accepted_at.tzinfo is not None
    assert row.accepted_at <= row.submitted_at


def test_hit_is_over_when_every_place_is_submitted(world: World) -> None:
    hit = world.provider.create_hit(spec(max_assignments=1), token=uuid4())
    assert not world.provider.get_hit(hit.external_id).is_over

    world.submit(hit.external_id, answer="x")

    assert world.provider.get_hit(hit.external_id).is_over


def test_expire_hit_ends_it(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())

    world.provider.expire_hit(hit.external_id)

    found = world.provider.get_hit(hit.external_id)
    assert (found.is_over, found.available) == (True, 0)


def test_approve_assignment_twice_approves_once(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, _ = world.submit(hit.external_id, answer="x")

    world.provider.approve_assignment(assignment)
    world.provider.approve_assignment(assignment)

    (row,) = world.provider.list_assignments(hit.external_id)
    assert row.status == "Approved"


def test_approve_assignment_rejected_before_is_refused(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, _ = world.submit(hit.external_id, answer="x")
    world.reject(assignment)

    with pytest.raises(ProviderRefused):
        world.provider.approve_assignment(assignment)

    assert world.provider.get_assignment(assignment).status == "Rejected"


def test_send_bonus_is_listed_with_its_reason(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, worker = world.submit(hit.external_id, answer="x")

    send(world, assignment, worker, "0.27", reason="Well done [ref 1]", token=uuid4())

    paid = ProviderBonus(
        assignment_external_id=assignment,
        worker_external_id=worker,
        amount=Decimal("0.27"),
        reason="Well done [ref 1]" if world.can.lists_reasons else "",
    )
    assert [replace(one, granted_at=None) for one in world.provider.list_bonuses_of(assignment)] == [paid]
    (listed,) = world.provider.list_bonuses(hit_external_id=hit.external_id)
    assert replace(listed, granted_at=None) == paid


def send(world: World, assignment: str, worker: str, amount: str, *, reason: str, token: UUID) -> None:
    """Pay as the product does: what is to be set up first, first."""
    prepared = world.provider.prepare_bonus(assignment_external_id=assignment, amount=Decimal(amount))
    world.provider.send_bonus(
        assignment_external_id=assignment,
        worker_external_id=worker,
        amount=Decimal(amount),
        reason=reason,
        token=token,
        prepared=prepared,
    )


def test_send_bonus_twice_with_one_token_pays_once(world: World) -> None:
    needs(world.can.pays_once, "pays again when it is asked again")
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, worker = world.submit(hit.external_id, answer="x")
    token = uuid4()
    send(world, assignment, worker, "0.01", reason="first", token=token)

    with pytest.raises(ProviderRefused) as refusal:
        send(world, assignment, worker, "0.01", reason="second", token=token)

    assert not refusal.value.out_of_funds
    paid = world.provider.list_bonuses(hit_external_id=hit.external_id)
    assert [bonus.reason for bonus in paid] == ["first"]


def test_send_bonus_beyond_the_balance_pays_nothing(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, worker = world.submit(hit.external_id, answer="x")

    with pytest.raises(ProviderRefused) as refusal:
        send(world, assignment, worker, "500.00", reason="too much", token=uuid4())

    assert refusal.value.out_of_funds
    assert list(world.provider.list_bonuses(hit_external_id=hit.external_id)) == []


def test_visit_is_found_where_no_ticket_proves_it(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    if not isinstance(world, AtProlific):
        with pytest.raises(ProviderRefused):
            world.provider.find_visit("ANY")
        return
    submission, person = world.start(hit.external_id)

    found = world.provider.find_visit(submission)

    assert (found.hit_external_id, found.worker_external_id) == (hit.external_id, person)
    assert found.is_going_on
    world.stand_in.controls.return_place(submission)
    assert not world.provider.find_visit(submission).is_going_on
