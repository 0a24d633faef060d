"""Hostile or unlucky requests, and rows that cannot be unsealed, which hold up nothing but themselves."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from cryptography.fernet import InvalidToken
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory
from django.urls import reverse

from hits.core.domain import requirements
from hits.core.errors import ProviderRefused, RuleBroken
from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.paying import pay_bonuses
from hits.people.models import Disclosure, Recipient
from hits.people.services.blocking import block_worker, send_blocks
from hits.people.services.disclosures import disclose
from hits.people.services.worker_letters import send_messages, write_message
from hits.providers.gateway.queues import queue_for
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.services import event_inbox
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.hits.calling import notebook
from tests.hits.spoiling import spoil
from tests.people import sign_in_with
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db


def block(worker: Worker) -> Block:
    return block_worker(worker=worker, kind="hard", reason="Random", by=make_user(), now=NOW)


def write(*workers: Worker) -> None:
    write_message(
        account=workers[0].account,
        study=None,
        workers=workers,
        subject="Hello",
        text="Thanks.",
        by=make_user(),
        now=NOW,
    )


def stepping(step: timedelta) -> Callable[[], datetime]:
    """A clock that is one step later at each reading."""
    looks = iter(range(1, 1000))
    return lambda: NOW + step * next(looks)


def fates() -> list[str]:
    return list(Recipient.objects.order_by("pk").values_list("status", flat=True))


def test_form_of_one_request_shows_no_studies_of_another() -> None:
    make_study()
    users: Any = admin.site.get_model_admin(User)
    everything, nothing = RequestFactory().get("/"), RequestFactory().get("/")
    everything.user, nothing.user = make_user(is_superuser=True), make_user()

    narrow = users.get_form(nothing, make_user(), change=True)
    wide = users.get_form(everything, make_user(), change=True)

    counts = [form.base_fields["studies"].queryset.count() for form in (narrow, wide)]
    assert counts == [0, 1]


@pytest.mark.parametrize(
    ("tab", "permission", "words"),
    [
        ("payments", "view_bonus", b"Very good"),
        ("messages", "view_message", b"Hello"),
        ("blocks", "view_block", b"Random"),
        ("blocks", "block_worker", b"Random"),
        ("work", "view_bonus", b"$0.07"),
    ],
)
def test_worker_page_shows_what_one_may_see_elsewhere(
    client: Client, tab: str, permission: str, words: bytes
) -> None:
    work = make_assignment(status="approved")
    make_bonus(assignment=work, rule="Very good", amount="0.07")
    block(work.worker)
    write(work.worker)
    pages = []

    for names in (["view_worker", "see_all_studies"], ["view_worker", "see_all_studies", permission]):
        sign_in_with(client, *names)
        address = reverse("admin:hits_worker_change", args=[work.worker_id])
        pages.append(client.get(address, {"show": tab}).content)

    assert [words in page for page in pages] == [False, True]


@pytest.mark.parametrize("model", ["worker", "hit", "message", "study", "apitoken", "user"])
def test_list_refuses_a_nul_in_its_address(client: Client, model: str) -> None:
    client.force_login(make_user(is_superuser=True))

    answer = client.get(reverse(f"admin:hits_{model}_changelist"), {"pk__in": "1,\0"})

    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    "row",
    [
        {"Comparator": []},
        {"Comparator": {}},
        {"Comparator": "Exists", "ActionsGuarded": []},
        {
            "QualificationTypeId": requirements.LOCALE,
            "Comparator": "In",
            "LocaleValues": [{"Country": "US", "Subdivision": {"a": 1}}],
        },
    ],
)
def test_requirement_of_strange_types_is_refused_with_its_number(row: dict[str, Any]) -> None:
    study = make_study()
    draft = make_batch(study=study)
    held = notebook("view_batch", "change_batch", sees=[study])
    body = {"requirements": [{"QualificationTypeId": "A", **row}]}

    answer = held.patch(f"batches/{draft.public_id}/", body)

    draft.refresh_from_db()
    assert (answer.status_code, draft.requirements) == (400, [])
    assert answer.json()["requirements"][0].startswith("Requirement 1")


def test_block_is_claimed_by_the_time_it_is_sent(turk: StubbedTurk) -> None:
    """A claim from the start of a long sweep would end at once, and a block could overtake its lifting."""
    first, second = block(make_worker()), block(make_worker())
    seen: list[datetime | None] = []
    turk.before = lambda: seen.append(  # type: ignore[attr-defined]
        Block.objects.exclude(claimed_at=None).filter(status="intended").latest("pk").claimed_at
    )
    turk._create_worker_block = _watched(turk)  # type: ignore[method-assign]

    send_blocks(now=NOW, clock=stepping(timedelta(minutes=10)))

    assert len(seen) == 2
    assert all(at is not None and at > NOW + timedelta(minutes=9) for at in seen)
    assert {Block.objects.get(pk=row.pk).status for row in (first, second)} == {"active"}


def _watched(turk: Any) -> Callable[..., Any]:
    send = turk._create_worker_block

    def watched(**asked: Any) -> Any:
        turk.before()
        return send(**asked)

    return watched


def test_letter_is_claimed_by_the_time_it_is_sent(turk: StubbedTurk) -> None:
    write(make_worker())
    write(make_worker())

    send_messages(now=NOW, clock=stepping(timedelta(minutes=10)))

    claims = [at - NOW for at in Recipient.objects.order_by("pk").values_list("sending_at", flat=True) if at]
    assert len(claims) == 2
    assert min(claims) >= timedelta(minutes=10)
    assert claims[1] > claims[0]


def test_block_of_a_worker_whose_id_is_sealed_holds_up_no_other(turk: StubbedTurk) -> None:
    account = make_account()
    sealed, same, other = make_worker(account=account), make_worker(account=account), make_worker()
    rows = [block(worker) for worker in (sealed, same, other)]
    spoil(sealed, "external_id")

    sent = send_blocks(now=NOW)

    fresh = [Block.objects.get(pk=row.pk) for row in rows]
    assert (sent, [row.status for row in fresh]) == (2, ["refused", "active", "active"])
    assert fresh[0].problem == f"The id of {sealed} cannot be decrypted. Nothing was sent."


def test_letter_to_a_worker_whose_id_is_sealed_holds_up_no_other(turk: StubbedTurk) -> None:
    account = make_account()
    sealed, same, other = make_worker(account=account), make_worker(account=account), make_worker()
    write(sealed, same)
    write(sealed)
    write(other)
    spoil(sealed, "external_id")

    sent = send_messages(now=NOW)

    assert (sent, fates()) == (2, ["failed", "sent", "failed", "sent"])
    assert [worker for worker, _, _ in turk.letters] == [same.external_id, other.external_id]


def test_bonus_of_a_worker_whose_id_is_sealed_waits_and_holds_up_no_other(turk: StubbedTurk) -> None:
    hit = make_hit()
    rows = [make_bonus(assignment=make_assignment(hit=hit, status="approved")) for _ in range(2)]
    for work in (row.assignment for row in rows):
        turk.assignments[work.external_id] = {
            "WorkerId": work.worker.external_id,
            "AssignmentStatus": "Approved",
        }
    spoil(rows[0].assignment.worker, "external_id")

    paid = pay_bonuses(now=NOW)

    assert (paid, [Bonus.objects.get(pk=row.pk).status for row in rows]) == (1, ["approved", "sent"])


def test_id_that_cannot_be_unsealed_is_not_put_on_record_as_shown() -> None:
    worker, user = make_worker(), make_user(is_superuser=True)
    spoil(worker, "external_id")

    with pytest.raises(RuleBroken, match="cannot be decrypted"):
        disclose(worker=Worker.objects.get(pk=worker.pk), user=user, reason="Asked for it", now=NOW)

    assert not Disclosure.objects.exists()


def test_account_whose_secret_is_sealed_holds_up_no_other(turk: StubbedTurk) -> None:
    lost, other = make_account(), make_account()
    rows = [block(make_worker(account=account)) for account in (lost, other)]
    for account in (lost, other):
        write(make_worker(account=account))
    spoil(lost, "secret_access_key")

    counts = (send_blocks(now=NOW), send_messages(now=NOW))

    assert (counts, fates()) == ((1, 1), ["waiting", "sent"])
    assert [Block.objects.get(pk=row.pk).status for row in rows] == ["intended", "active"]


def test_account_whose_secret_is_sealed_is_refused_with_advice() -> None:
    account = make_account(notify_by="sqs", notify_address="http://localhost:1/queue")
    spoil(account, "secret_access_key")
    lost = Account.objects.get(pk=account.pk)

    for opened in (provider_for, queue_for):
        with pytest.raises(ProviderRefused, match="Enter it again"):
            opened(lost)


def test_secret_that_cannot_be_unsealed_can_be_typed_in_anew(client: Client) -> None:
    account = make_account()
    spoil(account, "secret_access_key")
    spoil(account, "ticket_key")
    client.force_login(make_user(is_superuser=True))
    address = reverse("admin:hits_account_change", args=[account.pk])
    names = ("name", "kind", "environment", "endpoint", "worker_site", "access_key_id", "fee_schedule")
    more = {"currency": "USD", "send_rate": 20, "notify_by": "none", "secret_access_key": "new"}

    shown = client.get(address)
    answer = client.post(address, {**{name: getattr(account, name) for name in names}, **more})

    assert (shown.status_code, answer.status_code) == (200, 302)
    saved = Account.objects.get(pk=account.pk)
    assert saved.secret_access_key == "new"
    with pytest.raises(InvalidToken):
        _ = saved.ticket_key


def test_account_whose_ticket_key_is_sealed_stops_no_subscription(turk: StubbedTurk) -> None:
    lost, other = make_account(notify_by="webhook"), make_account(notify_by="webhook")
    for account in (lost, other):
        make_batch(account=account, status="open", hit_type_id=f"TYPE{account.pk}")
    spoil(lost, "ticket_key")

    assert event_inbox.subscribe_batches(now=NOW) == 1


def test_post_for_an_account_whose_key_is_sealed_may_come_again(client: Client) -> None:
    account = make_account(notify_by="webhook")
    spoil(account, "ticket_key")
    signature = f"t={int(NOW.timestamp())},v1={'0' * 64}"

    answer = client.post(
        reverse("inbox_webhook", args=[account.public_id]),
        b"{}",
        content_type="application/json",
        headers={"X-Marketplace-Signature": signature},
    )

    assert answer.status_code == 503


def test_sealed_text_is_opened_by_whoever_asks_for_it() -> None:
    worker = make_worker(external_id="AWORKER")
    plain = Worker.objects.get(pk=worker.pk).external_id
    deferred = Worker.objects.defer("external_id").get(pk=worker.pk).external_id
    again = Worker.objects.get(pk=worker.pk)
    again.save()
    spoil(make_worker(account=worker.account), "external_id")

    assert (plain, deferred, Worker.objects.get(pk=worker.pk).external_id) == ("AWORKER",) * 3
    assert Worker.objects.filter(account=worker.account).count() == len(Worker.objects.all())
    with pytest.raises(InvalidToken):
        _ = Worker.objects.latest("pk").external_id


def test_member_of_one_study_steers_and_writes_to_nothing_of_another(client: Client) -> None:
    mine, theirs = make_hit(), make_hit()
    stranger = make_worker(account=theirs.batch.account)
    make_assignment(hit=theirs, worker=stranger)
    user = make_user()
    user.user_permissions.set(
        Permission.objects.filter(content_type__app_label="hits").exclude(codename="see_all_studies")
    )
    mine.batch.study.members.add(user)
    client.force_login(user)

    answers = [
        client.get(reverse("admin:hits_batch_live", args=[theirs.batch_id])),
        client.post(reverse("admin:hits_batch_steer", args=[theirs.batch_id, "drain"]), {"confirmed": "yes"}),
        client.post(
            reverse("admin:hits_batch_export", args=[theirs.batch_id]), {"shape": "raw", "kind": "csv"}
        ),
        client.post(reverse("admin:hits_hit_steer", args=[theirs.pk, "expire"]), {"confirmed": "yes"}),
        client.post(
            reverse("admin:hits_worker_block"), {"workers": stranger.pk, "kind": "soft", "reason": "x"}
        ),
        client.post(reverse("admin:hits_worker_id", args=[stranger.pk]), {"reason": "x"}),
    ]

    assert [answer.status_code for answer in answers] == [404] * 6
    theirs.batch.refresh_from_db()
    assert (theirs.batch.status, Block.objects.count(), theirs.batch.events.count()) == ("open", 0, 0)


@pytest.mark.parametrize(
    "path", ["batches/{batch}/cancel/", "batches/{batch}/items/", "workers/{worker}/block/"]
)
def test_session_alone_writes_nothing_through_the_api(path: str) -> None:
    """A foreign page can make a browser post, but cannot make it send the CSRF token."""
    work = make_assignment()
    batch = work.hit.batch
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(is_superuser=True))
    address = path.format(batch=batch.public_id, worker=work.worker.public_id)

    answer = client.post(f"/api/{address}", {"kind": "soft", "reason": "x"})

    batch.refresh_from_db()
    assert (answer.status_code, batch.status, Block.objects.count()) == (403, "open", 0)


def test_member_of_one_study_reaches_nothing_of_another_by_public_ids() -> None:
    mine, theirs = make_hit(), make_assignment(status="submitted")
    hit, batch, study = theirs.hit, theirs.hit.batch, theirs.hit.batch.study
    bonus = make_bonus(assignment=theirs)
    names = Permission.objects.filter(content_type__app_label="hits").exclude(codename="see_all_studies")
    held = notebook(*names.values_list("codename", flat=True), sees=[mine.batch.study])
    reads = [
        f"studies/{study.public_id}/",
        *(f"batches/{batch.public_id}/{part}" for part in ("", "events/", "figures/", "export/", "items/")),
        f"hits/{hit.public_id}/",
        *(f"assignments/{theirs.public_id}/{part}" for part in ("", "decisions/", "notes/")),
        *(f"workers/{theirs.worker.public_id}/{part}" for part in ("", "blocks/")),
        f"bonuses/{bonus.public_id}/",
    ]
    verbs = ("launch", "pause", "resume", "release-pilot", "drain", "cancel")
    writes = [
        *((f"batches/{batch.public_id}/{verb}/", {}) for verb in verbs),
        (f"batches/{batch.public_id}/extend/", {"seconds": 60}),
        (f"batches/{batch.public_id}/top-up/", {"hits": 1}),
        (f"assignments/{theirs.public_id}/decide/", {"kind": "approve"}),
        (f"assignments/{theirs.public_id}/undo/", {}),
        (f"assignments/{theirs.public_id}/notes/", {"text": "x"}),
        (f"workers/{theirs.worker.public_id}/block/", {"kind": "soft", "reason": "x"}),
        (f"workers/{theirs.worker.public_id}/lift/", {"kind": "soft"}),
    ]
    named = [
        ("hits/expire/", {"hits": [str(mine.public_id), str(hit.public_id)]}),
        (
            "messages/",
            {
                "account": str(batch.account.public_id),
                "workers": [str(theirs.worker.public_id)],
                "subject": "x",
                "text": "x",
            },
        ),
    ]

    answers = [held.get(path).status_code for path in reads]
    answers += [held.post(path, body).status_code for path, body in writes]
    refused = [held.post(path, body).status_code for path, body in named]
    listed = [
        row
        for name in ("assignments", "workers", "bonuses", "ledger", "messages")
        for row in held.get(f"{name}/").json()["results"]
        if row.get("study") != str(mine.batch.study.public_id)
    ]

    assert answers == [404] * (len(reads) + len(writes))
    assert (refused, listed) == ([400, 400], [])
    assert [row["public_id"] for row in held.get("hits/").json()["results"]] == [str(mine.public_id)]


def test_key_of_a_draft_that_one_may_no_longer_see_changes_nothing() -> None:
    left, own = make_study(), make_study()
    shut_out = make_batch(study=own)
    held = notebook("view_batch", "add_batch", sees=[left, own])
    account = str(make_account().public_id)
    body: dict[str, Any] = {"study": str(left.public_id), "account": account, "task": shut_out.task}
    key = {"Idempotency-Key": "monday"}
    draft = Batch.objects.get(public_id=held.post("batches/", body, **key).json()["public_id"])
    left.members.remove(held.user)

    body |= {"study": str(own.public_id), "exclude_batches": [str(shut_out.public_id)]}
    answer = held.post("batches/", body, **key)

    assert (answer.status_code, list(draft.exclude_batches.all())) == (409, [])
