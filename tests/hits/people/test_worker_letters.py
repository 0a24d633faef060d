"""Letters: each worker gets one, whatever breaks in between."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from structlog.testing import capture_logs

from hits.core.errors import ProviderRefused, RuleBroken
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.people.services.worker_letters import (
    SENDING_IS_STALE,
    retry_recipients,
    send_messages,
    write_message,
)
from hits.providers.gateway import registry
from hits.providers.models.accounts import Account
from tests.factories import NOW, make_account, make_study, make_user, make_worker
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
LATER = NOW + SENDING_IS_STALE + timedelta(seconds=1)


def write(*workers: Worker, **changes: object) -> Message:
    values: dict[str, object] = {
        "account": workers[0].account if workers else make_account(),
        "study": None,
        "workers": workers,
        "subject": "More work",
        "text": "There is more.\r\nThank you.",
        "by": changes.get("by") or make_user(),
        "now": NOW,
    }
    return write_message(**{**values, **changes})  # type: ignore[arg-type]


def make_workers(count: int, *, account: Account | None = None) -> list[Worker]:
    account = account or make_account()
    return [make_worker(account=account) for _ in range(count)]


def tally() -> dict[str, int]:
    statuses = list(Recipient.objects.values_list("status", flat=True))
    return {status: statuses.count(status) for status in sorted(set(statuses))}


def test_message_names_each_worker_once() -> None:
    first, second = make_workers(2)
    study, by = make_study(), make_user()

    message = write(first, second, first, study=study, by=by)

    assert list(message.recipients.order_by("pk").values_list("worker", flat=True)) == [first.pk, second.pk]
    assert (message.study, message.by, message.made_at) == (study, by, NOW)
    assert message.text == "There is more.\nThank you."


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"subject": " "}, "subject"),
        ({"subject": "x" * 201}, "subject"),
        ({"subject": "two\nlines"}, "subject"),
        ({"text": ""}, "text"),
        ({"text": "x" * 4097}, "text"),
        ({"text": "nul\0"}, "text"),
        ({"workers": []}, "nobody"),
    ],
)
def test_message_that_the_provider_would_not_take_is_refused(changes: dict[str, object], code: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        write(make_worker(), **changes)

    assert refused.value.code == code
    assert not Message.objects.exists()


@pytest.mark.parametrize("subject", ["Mehr Arbeit – für Sie", "a\u00a0b", "👩\u200d🔬"])
def test_subject_may_hold_what_people_write(subject: str) -> None:
    assert write(make_worker(), subject=subject).subject == subject


def test_message_to_workers_of_two_accounts_is_refused() -> None:
    with pytest.raises(RuleBroken) as refused:
        write(make_worker(), make_worker())

    assert refused.value.code == "other_account"
    assert not Message.objects.exists()


def test_message_confirmed_twice_is_written_once() -> None:
    worker, by, public_id = make_worker(), make_user(), uuid4()

    first, second = (write(worker, by=by, public_id=public_id) for _ in range(2))

    assert first == second
    assert Recipient.objects.count() == 1
    with pytest.raises(RuleBroken) as refused:
        write(worker, public_id=public_id)
    assert refused.value.code == "not_yours"


def test_letters_are_sent_a_hundred_at_a_time_and_once(turk: StubbedTurk) -> None:
    workers = make_workers(101)
    write(*workers)

    sent = [send_messages(now=NOW), send_messages(now=LATER)]

    assert (sent, tally(), turk.calls) == ([101, 0], {"sent": 101}, ["notify_workers"] * 2)
    assert [letter[0] for letter in turk.letters] == [worker.external_id for worker in workers]
    assert turk.letters[0][1:] == ("More work", "There is more.\nThank you.")


def test_letters_that_do_not_arrive_say_why(turk: StubbedTurk) -> None:
    reached, stranger = make_workers(2)
    turk.strangers.add(stranger.external_id)
    write(reached, stranger)

    send_messages(now=NOW)

    rows = Recipient.objects.order_by("pk").values_list("status", "problem")
    assert list(rows) == [("sent", ""), ("failed", "HardFailure: We have no such worker.")]


@pytest.mark.parametrize(("fault", "letters"), [("before", 0), ("after", 2)])
def test_letters_of_unclear_outcome_are_not_repeated(turk: StubbedTurk, fault: str, letters: int) -> None:
    write(*make_workers(2))
    turk.faults["notify_workers"] = [fault]

    send_messages(now=NOW)
    send_messages(now=LATER)

    assert (tally(), len(turk.letters)) == ({"unknown": 2}, letters)


def test_letters_refused_carry_the_providers_words_and_no_id(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make_worker(external_id="APLANTEDWORKER01")
    write(worker)

    def refuse(*, worker_external_ids: list[str], **_: object) -> None:
        raise ProviderRefused(f"No letters to {worker_external_ids[0]}.", code="AccessDenied")

    monkeypatch.setattr(turk.provider, "notify_workers", refuse)
    with capture_logs() as logs:
        send_messages(now=NOW)

    row = Recipient.objects.get()
    assert (row.status, row.problem) == ("failed", f"No letters to {worker.pseudonym}.")
    assert worker.external_id not in str(logs)


def test_killed_sender_leaves_what_is_unclear_and_nobody_gets_it_twice(turk: StubbedTurk) -> None:
    write(*make_workers(3))
    stopped, *_ = Recipient.objects.order_by("pk")
    move(stopped, Recipient.Status.SENDING, sending_at=NOW)

    send_messages(now=NOW)
    before = tally()
    send_messages(now=LATER)

    assert (before, tally()) == ({"sending": 1, "sent": 2}, {"sent": 2, "unknown": 1})
    assert len(turk.letters) == 2


def test_unclear_and_failed_letters_are_repeated_by_a_person_alone(turk: StubbedTurk) -> None:
    reached, stranger = make_workers(2)
    turk.strangers.add(stranger.external_id)
    write(reached, stranger)
    send_messages(now=NOW)
    turk.strangers.clear()

    moved = retry_recipients(recipients=list(Recipient.objects.all()), by=make_user())
    send_messages(now=LATER)

    assert (moved, tally()) == (1, {"sent": 2})
    assert [letter[0] for letter in turk.letters] == [reached.external_id, stranger.external_id]
    assert list(Recipient.objects.values_list("problem", flat=True)) == ["", ""]


def test_account_that_cannot_be_used_keeps_only_its_own_letters_waiting(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = make_account(endpoint="http://broken.invalid")
    write(*make_workers(1, account=broken))
    write(*make_workers(1))

    def open_provider(*, endpoint: str, **_: object) -> object:
        if endpoint == broken.endpoint:
            raise ProviderRefused("The endpoint cannot be used.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", open_provider)
    send_messages(now=NOW)

    assert list(Recipient.objects.order_by("pk").values_list("status", flat=True)) == ["waiting", "sent"]


def test_silence_of_one_account_is_not_asked_into_again_in_the_same_sweep(turk: StubbedTurk) -> None:
    write(*make_workers(101))
    turk.faults["notify_workers"] = ["before"]

    send_messages(now=NOW)

    assert (tally(), turk.calls) == ({"unknown": 100, "waiting": 1}, ["notify_workers"])


@pytest.mark.needs_postgres
@pytest.mark.django_db(transaction=True)
def test_two_senders_at_once_send_each_letter_once(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = make_workers(250)
    write(*workers)
    reached: list[str] = []

    def notify(*, worker_external_ids: list[str], **_: object) -> list[object]:
        reached.extend(worker_external_ids)
        return []

    def send(_: int) -> int:
        try:
            return send_messages(now=NOW)
        finally:
            connection.close()

    monkeypatch.setattr(turk.provider, "notify_workers", notify)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(send, range(3)))
    send_messages(now=NOW)

    assert sorted(reached) == sorted(worker.external_id for worker in workers)
    assert tally() == {"sent": 250}
