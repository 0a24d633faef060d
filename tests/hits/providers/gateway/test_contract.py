"""The one contract suite, which every implementation of the Provider interface passes."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol
from uuid import uuid4

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import reviewing, work
from hits.core.errors import ProviderRefused
from hits.providers.gateway.boto import BotoProvider, make_client
from hits.providers.gateway.interface import HITSpec, Provider, ProviderBonus
from tests.factories import invite, make_requester
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db(transaction=True)


class World(Protocol):
    """A provider, with a way to do what happens on its other side."""

    @property
    def provider(self) -> Provider: ...
    def submit(self, hit: str, **answers: str) -> tuple[str, str]: ...
    def reject(self, assignment: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Marketplace:
    """The product's own marketplace over real HTTP."""

    provider: Provider

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


@pytest.fixture(params=["stubber", "marketplace"])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "stubber":
        return StubbedTurk(balance=Decimal(10))
    sites = request.getfixturevalue("sites")
    credentials = make_requester(deposit=Decimal(10), now=timezone.now())
    client = make_client(
        endpoint=sites.marketplace,
        access_key_id=credentials.access_key_id,
        secret_access_key=credentials.secret_access_key,
        allow_amazon=False,
    )
    return Marketplace(provider=BotoProvider(client))


def spec(*, reward: str = "0.02", max_assignments: int = 2, annotation: str = "ours") -> HITSpec:
    return HITSpec(
        title="Title",
        description="Description",
        keywords="a, b",
        reward=Decimal(reward),
        question_url="https://example.org/q/1/?a=1&b=2",
        max_assignments=max_assignments,
        duration_s=600,
        lifetime_s=3600,
        auto_approval_s=3600,
        annotation=annotation,
    )


def test_balance_falls_by_what_a_hit_may_cost(world: World) -> None:
    world.provider.create_hit(spec(reward="0.05", max_assignments=3), token=uuid4())

    assert world.provider.get_balance() == Decimal("9.85")


def test_create_hit_is_found_again(world: World) -> None:
    made = world.provider.create_hit(spec(annotation="crowd:1"), token=uuid4())

    found = world.provider.get_hit(made.external_id)

    assert found == made
    assert (found.annotation, found.status, found.available) == ("crowd:1", "Assignable", 2)


def test_create_hit_twice_with_one_token_makes_one(world: World) -> None:
    token = uuid4()

    first = world.provider.create_hit(spec(), token=token)
    second = world.provider.create_hit(spec(), token=token)

    assert second == first
    assert [hit.external_id for hit in world.provider.list_hits()] == [first.external_id]


def test_create_hit_with_the_token_of_other_work_is_refused(world: World) -> None:
    token = uuid4()
    world.provider.create_hit(spec(annotation="ours"), token=token)

    with pytest.raises(ProviderRefused) as refusal:
        world.provider.create_hit(spec(annotation="another"), token=token)

    assert refusal.value.code == "HitAlreadyExists"


def test_create_hit_beyond_the_balance_is_out_of_funds(world: World) -> None:
    with pytest.raises(ProviderRefused) as refusal:
        world.provider.create_hit(spec(reward="6.00", max_assignments=2), token=uuid4())

    assert refusal.value.out_of_funds
    assert world.provider.get_balance() == Decimal("10.00")
    assert list(world.provider.list_hits()) == []


def test_unknown_hit_is_refused_by_its_code(world: World) -> None:
    with pytest.raises(ProviderRefused) as refusal:
        world.provider.get_hit("NOSUCHHIT")

    assert refusal.value.code == "HITDoesNotExist"


def test_list_hits_reads_every_page(world: World) -> None:
    made = [world.provider.create_hit(spec(max_assignments=1), token=uuid4()) for _ in range(101)]

    listed = [hit.external_id for hit in world.provider.list_hits()]

    assert listed == [hit.external_id for hit in reversed(made)]


def test_list_assignments_reads_every_page(world: World) -> None:
    hit = world.provider.create_hit(spec(reward="0.00", max_assignments=101), token=uuid4())
    made = [world.submit(hit.external_id, answer="x") for _ in range(101)]

    listed = [
        (row.external_id, row.worker_external_id) for row in world.provider.list_assignments(hit.external_id)
    ]

    assert listed == made


def test_assignment_brings_its_answer_and_times(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    world.submit(hit.external_id, answer='{"a": ["b"]}', comment="ü")

    (row,) = world.provider.list_assignments(hit.external_id)

    assert row.answers == {"answer": '{"a": ["b"]}', "comment": "ü"}
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

    with pytest.raises(ProviderRefused) as refusal:
        world.provider.approve_assignment(assignment)

    assert refusal.value.code == "InvalidAssignmentState"


def test_send_bonus_is_listed_with_its_reason(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, worker = world.submit(hit.external_id, answer="x")

    world.provider.send_bonus(
        assignment_external_id=assignment,
        worker_external_id=worker,
        amount=Decimal("0.27"),
        reason="Well done [ref 1]",
        token=uuid4(),
    )

    paid = ProviderBonus(
        assignment_external_id=assignment,
        worker_external_id=worker,
        amount=Decimal("0.27"),
        reason="Well done [ref 1]",
    )
    (listed,) = world.provider.list_bonuses(hit_external_id=hit.external_id)
    assert replace(listed, granted_at=None) == paid


@pytest.mark.parametrize(("amount", "out_of_funds"), [("0.01", False), ("50.00", True)])
def test_send_bonus_refused_pays_nothing(world: World, amount: str, out_of_funds: bool) -> None:
    """The small amount is refused for its repeated token, the large one for the balance."""
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, worker = world.submit(hit.external_id, answer="x")
    token = uuid4()
    world.provider.send_bonus(
        assignment_external_id=assignment,
        worker_external_id=worker,
        amount=Decimal("0.01"),
        reason="first",
        token=token,
    )

    with pytest.raises(ProviderRefused) as refusal:
        world.provider.send_bonus(
            assignment_external_id=assignment,
            worker_external_id=worker,
            amount=Decimal(amount),
            reason="second",
            token=uuid4() if out_of_funds else token,
        )

    assert refusal.value.out_of_funds == out_of_funds
    paid = world.provider.list_bonuses(hit_external_id=hit.external_id)
    assert [bonus.reason for bonus in paid] == ["first"]
