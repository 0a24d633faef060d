"""Messages in the admin: written, previewed, sent once, and followed up."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.people.services.worker_letters import write_message
from hits.studies.models import Study
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
COMPOSE = "admin:hits_message_compose"
LIST = "admin:hits_message_changelist"


def sign_in_reader(client: Client, *also: str, studies: Sequence[Study] = ()) -> User:
    """Sign in a reader of workers and messages, who sees every study unless some are given."""
    names = (
        ("view_worker", "view_message", *also)
        if studies
        else ("view_worker", "view_message", "see_all_studies", *also)
    )
    return sign_in_with(client, *names, studies=studies)


def letter(*workers: Worker, **changes: object) -> dict[str, Any]:
    carried = ",".join(str(worker.pk) for worker in workers)
    return {
        "workers": carried,
        "subject": "More work",
        "text": "There is more.",
        "step": "preview",
        **changes,
    }


def make_message(*, workers: int = 1, **changes: Any) -> Message:
    account = make_account()
    values: dict[str, Any] = {
        "study": None,
        "workers": [make_worker(account=account) for _ in range(workers)],
        "by": make_user(),
        **changes,
    }
    return write_message(account=account, subject="More work", text="There is more.", now=NOW, **values)


def test_message_is_looked_at_and_then_sent_once(client: Client) -> None:
    user = sign_in_reader(client, "send_message")
    account, study = make_account(), make_study()
    reviewed = make_assignment(hit=make_hit(batch=make_batch(account=account)), status="approved").worker
    new = make_worker(account=account)
    values = letter(reviewed, new, study=study.pk, text="One.\r\nTwo.")

    preview: Any = client.post(reverse(COMPOSE), values)
    before = Message.objects.count()
    send = {**values, "step": "send", "draft": preview.context["draft"]}
    first, second = (client.post(reverse(COMPOSE), send) for _ in range(2))

    message = Message.objects.get()
    assert (preview.status_code, before, preview.context["unreviewed"]) == (200, 0, 1)
    assert first["Location"] == second["Location"] == reverse("admin:hits_message_change", args=[message.pk])
    assert (message.study, message.by, message.account, message.text) == (study, user, account, "One.\nTwo.")
    assert set(message.recipients.values_list("worker", flat=True)) == {reviewed.pk, new.pk}


def test_draft_can_be_changed_after_the_look(client: Client) -> None:
    sign_in_reader(client, "send_message")
    values = letter(make_worker())

    back = client.post(reverse(COMPOSE), {**values, "step": "edit", "subject": "Kept words"})

    assert 'value="Kept words"' in text_of(back)
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"subject": ""}, "This field is required"),
        ({"subject": "x" * 201}, "The subject is one line"),
        ({"text": "x" * 4097}, "this one has 4097"),
        ({"text": "bell\a"}, "control character"),
        ({"study": "99999"}, "Select a valid choice"),
    ],
)
@pytest.mark.parametrize("step", ["preview", "send"])
def test_message_that_cannot_be_sent_says_why_and_keeps_the_words(
    client: Client, changes: dict[str, str], words: str, step: str
) -> None:
    sign_in_reader(client, "send_message")

    page = text_of(client.post(reverse(COMPOSE), letter(make_worker(), **changes, step=step)))

    assert words in page
    assert ("There is more." in page) == ("text" not in changes)
    assert not Message.objects.exists()


@pytest.mark.parametrize("workers", ["", "x", "99999"])
def test_message_to_nobody_leads_back_to_the_list(client: Client, workers: str) -> None:
    sign_in_reader(client, "send_message")

    page = client.post(reverse(COMPOSE), {**letter(), "workers": workers, "step": "send"}, follow=True)

    assert "Choose at least one worker" in text_of(page)
    assert not Message.objects.exists()


def test_message_to_workers_of_two_accounts_is_refused(client: Client) -> None:
    sign_in_reader(client, "send_message")

    page = client.post(reverse(COMPOSE), letter(make_worker(), make_worker(), step="send"), follow=True)

    assert "workers of one account" in text_of(page)
    assert not Message.objects.exists()


def test_selection_of_the_workers_list_is_written_to(client: Client) -> None:
    sign_in_reader(client, "send_message")
    account = make_account()
    workers = [make_worker(account=account) for _ in range(2)]

    page: Any = client.post(
        reverse("admin:hits_worker_changelist"),
        {"action": "write", "_selected_action": [worker.pk for worker in workers]},
    )

    assert page.context["carried"].split(",") == [str(worker.pk) for worker in reversed(workers)]
    assert "2 of 2" in text_of(page)


def test_writing_needs_its_permission(client: Client) -> None:
    sign_in_reader(client)
    worker, message = make_worker(), make_message()
    Recipient.objects.update(status="failed")

    statuses = [
        client.get(reverse(COMPOSE), {"workers": worker.pk}).status_code,
        client.post(reverse(COMPOSE), letter(worker, step="send")).status_code,
        client.post(reverse("admin:hits_message_retry", args=[message.pk]), {"status": "failed"}).status_code,
    ]

    assert statuses == [403] * 3
    assert (Message.objects.count(), Recipient.objects.get().status) == (1, "failed")


def test_workers_of_other_studies_cannot_be_written_to(client: Client) -> None:
    study = make_study()
    sign_in_reader(client, "send_message", studies=[study])
    account = make_account()
    own = make_assignment(hit=make_hit(batch=make_batch(account=account, study=study))).worker
    hidden = make_worker(account=account)

    client.post(reverse(COMPOSE), letter(own, hidden, step="send"))

    assert list(Recipient.objects.values_list("worker", flat=True)) == [own.pk]


def test_messages_are_seen_by_their_writer_and_the_studys_members(client: Client) -> None:
    study = make_study()
    user = sign_in_reader(client, studies=[study])
    shown = {make_message(study=study).pk, make_message(by=user).pk}
    hidden = make_message(study=make_study())

    page: Any = client.get(reverse(LIST))
    answer = client.get(reverse("admin:hits_message_change", args=[hidden.pk]))

    assert {message.pk for message in page.context["cl"].result_list} == shown
    assert answer.status_code == 404


def test_message_page_tells_whom_it_reached(client: Client) -> None:
    sign_in_reader(client, "send_message")
    message = make_message(workers=60)
    first, second, *_ = message.recipients.order_by("pk")
    Recipient.objects.filter(pk=first.pk).update(status="failed", problem="HardFailure: no such worker")
    Recipient.objects.filter(pk=second.pk).update(status="unknown")
    address = reverse("admin:hits_message_change", args=[message.pk])

    page: Any = client.get(address)
    failed: Any = client.get(address, {"status": "failed"})

    assert page.context["tally"].words == "58 waiting, 1 not delivered, 1 unknown outcome"
    assert len(page.context["page"].object_list) == 50
    assert [row.pk for row in failed.context["page"]] == [first.pk]
    assert "HardFailure: no such worker" in text_of(failed)


def test_unclear_letters_are_repeated_only_by_who_read_the_warning(client: Client) -> None:
    sign_in_reader(client, "send_message")
    message = make_message(workers=3)
    rows = list(message.recipients.order_by("pk"))
    for row, status in zip(rows, ("failed", "unknown", "sent"), strict=True):
        Recipient.objects.filter(pk=row.pk).update(status=status)
    address = reverse("admin:hits_message_retry", args=[message.pk])

    seen = []
    for values in ({"status": "unknown"}, {"status": "failed"}, {"status": "unknown", "sure": "on"}, {}):
        client.post(address, values)
        seen.append(list(message.recipients.order_by("pk").values_list("status", flat=True)))

    assert seen == [
        ["failed", "unknown", "sent"],
        ["waiting", "unknown", "sent"],
        ["waiting", "waiting", "sent"],
        ["waiting", "waiting", "sent"],
    ]


@pytest.mark.parametrize("page", ["list", "message", "compose"])
def test_message_pages_ask_as_often_for_many_rows_as_for_few(client: Client, page: str) -> None:
    sign_in_reader(client, "send_message")
    counts = []
    for count in (3, 30):
        message = make_message(workers=count, study=make_study())
        for _ in range(count):
            make_message()
        address = {
            "list": reverse(LIST),
            "message": reverse("admin:hits_message_change", args=[message.pk]),
            "compose": f"{reverse(COMPOSE)}?workers="
            + ",".join(str(pk) for pk in message.recipients.values_list("worker", flat=True)),
        }[page]
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] < 10


@pytest.mark.parametrize("key", ["0", "x", "99999999999999999999999999", "²"])
def test_message_that_is_not_there_is_not_found(client: Client, key: str) -> None:
    sign_in_reader(client)

    assert client.get(f"/admin/hits/message/{key}/change/").status_code == 404
