"""Blocks, ours and the provider's, through refusals, unclear outcomes and killed senders."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from structlog.testing import capture_logs

from hits.core.errors import ProviderRefused, RuleBroken
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.services.blocking import (
    CLAIM,
    ask_again,
    block_worker,
    lift_block,
    read_blocks,
    send_blocks,
)
from hits.providers.gateway import registry
from tests.factories import NOW, make_account, make_user, make_worker
from tests.pages import text_of
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
REASON = "Answers at random"
LATER = NOW + CLAIM + timedelta(seconds=1)
HOUR_ON = NOW + timedelta(hours=1)


def block(worker: Worker, kind: str = "hard") -> Block:
    return block_worker(worker=worker, kind=kind, reason=REASON, by=make_user(), now=NOW)


def status(row: Block) -> str:
    return Block.objects.get(pk=row.pk).status


def test_soft_block_holds_at_once_and_is_told_nobody(turk: StubbedTurk) -> None:
    row = block(make_worker(), "soft")

    send_blocks(now=NOW)

    assert (status(row), row.reason, turk.calls) == ("active", REASON, [])


def test_hard_block_is_told_the_provider_once(turk: StubbedTurk) -> None:
    worker = make_worker()
    row = block(worker)

    sent = [send_blocks(now=NOW), send_blocks(now=LATER)]

    assert (sent, status(row), turk.blocked) == ([1, 0], "active", {worker.external_id: REASON})


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_second_block_of_one_kind_is_refused(kind: str) -> None:
    worker = make_worker()
    block(worker, kind)

    with pytest.raises(RuleBroken) as refused:
        block(worker, kind)

    assert refused.value.code == "blocked_already"
    assert Block.objects.count() == 1


@pytest.mark.parametrize(
    ("kind", "reason", "code"),
    [("soft", " ", "reason_wanted"), ("soft", "x" * 501, "reason_wanted"), ("firm", REASON, "no_such_kind")],
)
def test_block_without_a_reason_or_of_no_kind_is_refused(kind: str, reason: str, code: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        block_worker(worker=make_worker(), kind=kind, reason=reason, by=make_user(), now=NOW)

    assert refused.value.code == code
    assert not Block.objects.exists()


def test_lifted_soft_block_can_be_made_anew() -> None:
    worker, by = make_worker(), make_user()
    row = block(worker, "soft")

    lift_block(block=row, by=by, now=NOW)
    lift_block(block=row, by=make_user(), now=LATER)
    block(worker, "soft")

    found = Block.objects.get(pk=row.pk)
    assert (found.status, found.lifted_by, found.lifted_at) == ("lifted", by, NOW)
    assert Block.objects.count() == 2


def test_lifted_hard_block_is_lifted_at_the_provider(turk: StubbedTurk) -> None:
    row = block(make_worker())
    send_blocks(now=NOW)

    lift_block(block=row, by=make_user(), now=NOW)
    before = status(row)
    send_blocks(now=NOW)

    assert (before, status(row), turk.blocked) == ("lifting", "lifted", {})


@pytest.mark.parametrize("fault", ["before", "after"])
def test_block_of_unclear_outcome_is_told_again_after_a_rest(turk: StubbedTurk, fault: str) -> None:
    worker = make_worker()
    row = block(worker)
    turk.faults["create_worker_block"] = [fault]

    seen = []
    for now in (NOW, NOW + timedelta(seconds=5), LATER):
        send_blocks(now=now)
        seen.append((status(row), len(turk.calls)))

    assert seen == [("intended", 1), ("intended", 1), ("active", 2)]
    assert turk.blocked == {worker.external_id: REASON}


def test_block_that_the_provider_lists_no_longer_is_told_on_the_workers_page(
    turk: StubbedTurk, client: Client
) -> None:
    account = make_account()
    kept, gone = (block(make_worker(account=account)) for _ in range(2))
    send_blocks(now=NOW)
    del turk.blocked[gone.worker.external_id]
    client.force_login(make_user(is_superuser=True))

    found = [read_blocks(now=NOW), read_blocks(now=HOUR_ON)]
    again = read_blocks(now=HOUR_ON)

    page = text_of(
        client.get(reverse("admin:hits_worker_change", args=[gone.worker_id]), {"show": "standing"})
    )
    assert (found, again) == ([0, 1], 0)
    assert turk.calls.count("list_worker_blocks") == 1
    assert [status(row) for row in (kept, gone)] == ["active", "active"]
    assert Block.objects.get(pk=kept.pk).problem == ""
    assert "The provider lists this block no longer" in page


def test_list_that_cannot_be_read_marks_no_block(turk: StubbedTurk) -> None:
    row = block(make_worker())
    send_blocks(now=NOW)
    turk.blocked.clear()
    turk.faults["list_worker_blocks"] = ["before"] * 9

    assert read_blocks(now=HOUR_ON) == 0
    assert Block.objects.get(pk=row.pk).problem == ""


def test_block_that_is_refused_is_a_persons_business(turk: StubbedTurk) -> None:
    worker = make_worker(external_id="APLANTEDWORKER01")
    turk.strangers.add(worker.external_id)
    row = block(worker)

    with capture_logs() as logs:
        send_blocks(now=NOW)
    refused = Block.objects.values_list("status", "problem").get()
    turk.strangers.clear()
    ask_again(block=Block.objects.get(), by=make_user(), now=LATER)
    send_blocks(now=LATER)

    assert refused == ("refused", "There is no such worker.")
    assert worker.external_id not in str(logs)
    assert status(row) == "active"


def test_providers_words_show_the_pseudonym_instead_of_the_id(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make_worker(external_id="APLANTEDWORKER01")
    row = block(worker)

    def refuse(external_id: str, *, reason: str) -> None:
        raise ProviderRefused(f"There is no worker {external_id}.", code="InvalidParameterValue")

    monkeypatch.setattr(turk.provider, "block_worker", refuse)
    send_blocks(now=NOW)

    assert Block.objects.get(pk=row.pk).problem == f"There is no worker {worker.pseudonym}."


def test_lifting_that_was_refused_is_asked_again_as_a_lifting(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = block(make_worker())
    send_blocks(now=NOW)
    lift_block(block=row, by=make_user(), now=NOW)
    with monkeypatch.context() as patch:

        def refuse(external_id: str) -> None:
            raise ProviderRefused("Not today.", code="AccessDenied")

        patch.setattr(turk.provider, "unblock_worker", refuse)
        send_blocks(now=NOW)
    before = status(row)

    ask_again(block=Block.objects.get(pk=row.pk), by=make_user(), now=NOW)
    send_blocks(now=NOW)

    assert (before, status(row), turk.blocked) == ("refused", "lifted", {})


def test_asking_again_beside_a_newer_block_is_refused(turk: StubbedTurk) -> None:
    worker = make_worker()
    turk.strangers.add(worker.external_id)
    row = block(worker)
    send_blocks(now=NOW)
    block(worker)

    with pytest.raises(RuleBroken) as refused:
        ask_again(block=Block.objects.get(pk=row.pk), by=make_user(), now=NOW)

    assert (refused.value.code, status(row)) == ("blocked_already", "refused")


def test_block_lifted_while_it_is_being_told_ends_lifted_at_the_provider(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = block(make_worker())
    told = turk.provider.block_worker

    def tell_slowly(external_id: str, *, reason: str) -> None:
        lift_block(block=Block.objects.get(pk=row.pk), by=make_user(), now=NOW)
        send_blocks(now=NOW)  # another machine, where the lifting waits for the block's own sender
        told(external_id, reason=reason)

    monkeypatch.setattr(turk.provider, "block_worker", tell_slowly)
    send_blocks(now=NOW)
    send_blocks(now=NOW)

    assert turk.calls == ["create_worker_block", "delete_worker_block"]
    assert (status(row), turk.blocked) == ("lifted", {})


def test_killed_sender_is_followed_by_another_after_a_rest(turk: StubbedTurk) -> None:
    row = block(make_worker())
    Block.objects.update(claimed_at=NOW)

    sent = [send_blocks(now=NOW), send_blocks(now=LATER)]

    assert (sent, status(row)) == ([0, 1], "active")


def test_account_that_cannot_be_used_keeps_only_its_own_blocks_waiting(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = make_account(endpoint="http://broken.invalid")
    rows = [block(make_worker(account=broken)), block(make_worker())]

    def open_provider(*, endpoint: str, **_: object) -> object:
        if endpoint == broken.endpoint:
            raise ProviderRefused("The endpoint cannot be used.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", open_provider)
    send_blocks(now=NOW)

    assert [status(row) for row in rows] == ["intended", "active"]
