"""The contract of changes to HITs, work and workers after the launch, which every implementation passes."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from hits.core.errors import ProviderRefused
from tests.hits.providers.gateway.at_prolific import LONG
from tests.hits.providers.gateway.specs import spec
from tests.hits.providers.gateway.test_contract import World, needs, world

__all__ = ["world"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_extend_hit_lengthens_and_reopens(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    world.provider.expire_hit(hit.external_id)
    end = (timezone.now() + timedelta(days=2)).replace(microsecond=0)

    world.provider.extend_hit(hit.external_id, expires_at=end)
    world.provider.extend_hit(hit.external_id, expires_at=end)

    found = world.provider.get_hit(hit.external_id)
    assert (found.status, found.available) == ("Assignable", 2)
    assert found.expires_at == (end if world.can.ends_in_time else None)


def test_expire_hit_twice_ends_it_once(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())

    for _ in range(2):
        world.provider.expire_hit(hit.external_id)

    assert world.provider.get_hit(hit.external_id).is_over


def test_a_hit_that_nobody_took_down_has_no_reason_for_its_end(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    world.provider.expire_hit(hit.external_id)

    assert world.provider.get_end_reason(hit.external_id) == ""


def test_add_places_with_one_token_adds_once(world: World) -> None:
    needs(world.can.many_hits, "knows no tokens: whoever asks looks at the number of places first")
    hit = world.provider.create_hit(spec(max_assignments=2), token=uuid4())
    token = uuid4()

    world.provider.add_places(hit.external_id, places=3, token=token)
    with pytest.raises(ProviderRefused):
        world.provider.add_places(hit.external_id, places=3, token=token)

    assert world.provider.get_hit(hit.external_id).max_assignments == 5


def test_reviewable_hit_is_listed_until_it_was_seen(world: World) -> None:
    over = world.provider.create_hit(spec(max_assignments=1), token=uuid4())
    world.provider.create_hit(spec(), token=uuid4())
    world.submit(over.external_id, answer="x")
    listed = list(world.provider.list_reviewable())

    for _ in range(2):
        world.provider.mark_seen(over.external_id)

    assert (listed, list(world.provider.list_reviewable())) == ([over.external_id], [])
    assert world.provider.get_hit(over.external_id).is_over


def test_mark_seen_of_a_hit_that_goes_on_is_refused(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())

    with pytest.raises(ProviderRefused):
        world.provider.mark_seen(hit.external_id)


def test_reject_assignment_twice_rejects_once(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, _ = world.submit(hit.external_id, answer="x")

    for _ in range(2):
        world.provider.reject_assignment(assignment, feedback=LONG)

    assert world.provider.get_assignment(assignment).status == "Rejected"


def test_reject_of_approved_work_is_refused(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, _ = world.submit(hit.external_id, answer="x")
    world.provider.approve_assignment(assignment, feedback="Thank you.")

    with pytest.raises(ProviderRefused):
        world.provider.reject_assignment(assignment, feedback=LONG)

    assert world.provider.get_assignment(assignment).status == "Approved"


def test_approve_overrides_a_rejection_where_it_is_meant_to(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, _ = world.submit(hit.external_id, answer="x")
    needs(world.can.overrides, "takes no rejection back for a program")
    world.provider.reject_assignment(assignment, feedback=LONG)

    world.provider.approve_assignment(assignment, feedback="We were wrong.", override=True)

    assert world.provider.get_assignment(assignment).status == "Approved"


def test_get_assignment_of_nothing_handed_in_is_refused(world: World) -> None:
    with pytest.raises(ProviderRefused):
        world.provider.get_assignment("NOSUCHASSIGNMENT")


def test_notify_workers_names_whom_it_did_not_reach(world: World) -> None:
    needs(world.can.many_hits, "reaches all or none")
    hit = world.provider.create_hit(spec(), token=uuid4())
    assignment, worker = world.submit(hit.external_id, answer="x")
    world.provider.approve_assignment(assignment)

    failed = world.provider.notify_workers(
        subject="Thank you", text="There is more work.", worker_external_ids=[worker, "ANOBODY"]
    )

    assert [failure.worker_external_id for failure in failed] == ["ANOBODY"]


def test_block_and_unblock_a_worker(world: World) -> None:
    hit = world.provider.create_hit(spec(), token=uuid4())
    _, worker = world.submit(hit.external_id, answer="x")

    for _ in range(2):
        world.provider.block_worker(worker, reason="Copied answers.")
    blocked = list(world.provider.list_blocked())
    for _ in range(2):
        world.provider.unblock_worker(worker)

    assert (blocked, list(world.provider.list_blocked())) == ([worker], [])


def test_block_of_an_unknown_worker_is_refused(world: World) -> None:
    needs(world.can.many_hits, "does not know who is unknown")
    with pytest.raises(ProviderRefused):
        world.provider.block_worker("ANOBODY", reason="Copied answers.")


def test_events_go_where_they_were_sent_to(world: World) -> None:
    needs(world.can.many_hits, "tells of events by workspace")
    hit = world.provider.create_hit(spec(), token=uuid4())

    for _ in range(2):
        world.provider.notify_events(
            hit.hit_type_id, transport="SNS", destination="webhook+http://127.0.0.1:9/events/"
        )
