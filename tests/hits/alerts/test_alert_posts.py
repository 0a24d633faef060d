"""News of a study are posted to its own address: signed, to public addresses alone, and once each."""

import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection

from hits.alerts.models import Alert, AlertHook, Kind
from hits.alerts.services.alert_choices import remove_hook, set_hook
from hits.alerts.services.alert_posts import DELIVERY, SIGNATURE
from hits.alerts.services.finding_occurrences import find_occurrences
from hits.alerts.services.queueing_alerts import queue_test
from hits.alerts.services.sending_alerts import next_alert, tell_staff
from hits.common.outgoing import outgoing_posts
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.studies.models import Study
from tests.crowd.marketplace.receivers import Answer, receiving
from tests.factories import NOW, make_study, make_user
from tests.hits.alerts.happenings import end_batch, freeze_run, make_appeal, pause_batch

pytestmark = pytest.mark.django_db
Status = Alert.Status


def put_hook(study: Study, url: str, *, kinds: Any = tuple(Kind), by: User | None = None) -> AlertHook:
    return set_hook(
        study=study,
        address=url,
        kinds=list(kinds),
        is_on=True,
        wants_new_secret=False,
        by=by or make_user(),
        now=NOW,
    ).hook


def tell(now: Any = NOW) -> None:
    find_occurrences(now=now)
    tell_staff(now=now)


def test_news_are_posted_as_json_with_a_signature_that_the_lab_can_check() -> None:
    study = make_study(name="Owls")
    with receiving() as receiver:
        hook = put_hook(study, f"{receiver.url}/in?x=1")
        batch = end_batch(study=study)

        tell()

    [post] = receiver.posts
    said = json.loads(post.body)
    assert said["text"].startswith("“Which pictures?” (Owls) has ended. 9 of 9 handed in. http")
    assert said["url"].endswith(f"/admin/hits/batch/{batch.pk}/live/")
    assert (said["kind"], said["study"]) == ("ended", str(study.public_id))
    at, given = (part.partition("=")[2] for part in post.headers[SIGNATURE].split(","))
    signed = hmac.new(hook.secret.encode(), f"{at}.".encode() + post.body, hashlib.sha256).hexdigest()
    assert given == signed
    assert post.headers[DELIVERY] == str(Alert.objects.get().pk)


def test_only_chosen_kinds_of_the_study_itself_are_posted() -> None:
    study = make_study()
    with receiving() as receiver:
        put_hook(study, receiver.url, kinds=[Kind.APPEAL, Kind.RUN])
        end_batch(study=study)
        end_batch(study=make_study())
        make_appeal(study=make_study())
        make_appeal(study=study)
        freeze_run(study=study)

        tell()

    assert sorted(json.loads(post.body)["kind"] for post in receiver.posts) == ["appeal", "run"]


def test_an_address_is_told_also_what_a_member_did() -> None:
    study, ada = make_study(), make_user()
    with receiving() as receiver:
        put_hook(study, receiver.url)
        pause_batch(study=study, by=ada)

        tell()

    assert len(receiver.posts) == 1


def test_a_refusing_receiver_is_asked_again_later_and_then_no_more() -> None:
    study = make_study()
    answers: Iterator[Answer] = iter([(500, {}, b""), (200, {}, b"ok")])
    with receiving(answer=lambda _: next(answers)) as receiver:
        put_hook(study, receiver.url)
        end_batch(study=study)
        tell()
        due = next_alert(now=NOW)
        tell()
        assert due is not None
        tell(due)
        tell(due + timedelta(hours=1))

    assert len(receiver.posts) == 2
    assert due == NOW + timedelta(minutes=1)
    assert Alert.objects.get().status == Status.SENT


def test_who_takes_it_and_never_answers_is_not_posted_to_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing_posts, "TIMEOUT_S", 0.2)
    study = make_study()
    with socket.create_server(("127.0.0.1", 0)) as server:
        put_hook(study, f"http://127.0.0.1:{server.getsockname()[1]}/")
        end_batch(study=study)
        tell()

    assert Alert.objects.get().status == Status.UNKNOWN
    assert next_alert(now=NOW) is None


def test_who_is_not_there_is_tried_again() -> None:
    study = make_study()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    put_hook(study, f"http://127.0.0.1:{port}/")
    end_batch(study=study)

    tell()

    assert (Alert.objects.get().status, Alert.objects.get().tries) == (Status.WAITING, 1)


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/in",
        "https://127.0.0.1/in",
        "https://10.0.0.1/in",
        "https://[::1]/in",
        "https://169.254.169.254/latest",
        "https://user:word@example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "",
    ],
)
def test_an_address_inside_the_house_is_not_taken(settings: LazySettings, address: str) -> None:
    settings.PUBLIC_URL = "https://crowd.example.org"
    study = make_study()

    with pytest.raises(RuleBroken):
        put_hook(study, address)

    assert not AlertHook.objects.exists()
    assert not AuditEvent.objects.filter(kind="alert.address_set").exists()


def test_a_name_that_leads_inside_is_refused_when_it_is_posted_to(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PUBLIC_URL = "https://crowd.example.org"
    study = make_study()
    put_hook(study, "https://chat.example.org/in")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("10.0.0.7", 443))])
    end_batch(study=study)

    tell()

    alert = Alert.objects.get()
    assert (alert.status, alert.problem) == (
        Status.WAITING,
        "chat.example.org is not a public address. Use a public address.",
    )


def test_a_removed_address_is_posted_to_no_more() -> None:
    study, ada = make_study(), make_user()
    with receiving() as receiver:
        put_hook(study, receiver.url)
        end_batch(study=study)
        find_occurrences(now=NOW)
        remove_hook(study=study, by=ada, now=NOW)
        tell()

    assert receiver.posts == []
    audited = AuditEvent.objects.filter(kind__startswith="alert.").order_by("pk")
    assert list(audited.values_list("kind", flat=True)) == [
        "alert.address_set",
        "alert.address_removed",
    ]


def test_a_test_message_reaches_an_address_that_is_switched_off() -> None:
    study, ada = make_study(), make_user()
    with receiving() as receiver:
        hook = put_hook(study, receiver.url)
        AlertHook.objects.update(is_on=False)
        hook.refresh_from_db()
        end_batch(study=study)
        queue_test(user=ada, hook=hook, now=NOW)
        tell()

    assert [json.loads(post.body)["kind"] for post in receiver.posts] == ["test"]


def test_an_address_and_its_key_are_kept_encrypted() -> None:
    hook = put_hook(make_study(), "http://127.0.0.1:9/secret-part")

    with connection.cursor() as cursor:
        cursor.execute("SELECT address, secret FROM hits_alerthook")
        address, secret = cursor.fetchone()
    assert "secret-part" not in address
    assert hook.secret not in secret
    assert AlertHook.objects.get().secret == hook.secret
