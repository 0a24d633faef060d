"""Hooks of Prolific: asked for once, believed by their signature alone, and only a reason to look."""

import base64
import hashlib
import hmac
import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.providers.models.accounts import Account
from hits.sync.models import Notice
from hits.sync.services import event_inbox
from hits.work.models.hits import HIT
from tests.hits.providers.prolific.house import House

SECRET = "a secret of theirs"


@pytest.fixture
def hearing(house: House) -> House:
    Account.objects.filter(pk=house.account.pk).update(notify_by="webhook")
    house.account.refresh_from_db()
    return house


def post(
    account: Account, body: dict[str, Any], *, secret: str = SECRET, at: float = 0, **headers: str
) -> Any:
    """Post a hook as Prolific signs it."""
    content, stamp = json.dumps(body).encode(), str(int(time.time() + at))
    signature = base64.b64encode(hmac.digest(secret.encode(), stamp.encode() + content, hashlib.sha256))
    given = {
        "X-Prolific-Request-Timestamp": stamp,
        "X-Prolific-Request-Signature": signature.decode(),
        "X-Event-ID": "event-1",
        **headers,
    }
    address = reverse("inbox_hook", args=[account.public_id])
    return Client().post(address, content, content_type="application/json", headers=given)


def test_it_is_subscribed_once_and_the_secret_is_kept(hearing: House) -> None:
    for _ in range(2):
        event_inbox.subscribe_batches(now=hearing.now)

    hearing.account.refresh_from_db()
    world = hearing.stand_in.world
    (workspace,) = [one for one in world.workspaces.values() if one.id == hearing.account.workspace_id]
    (subscription,) = world.hooks.subscriptions.values()
    assert hearing.account.hook_secret == workspace.hook_secret
    assert subscription.is_confirmed
    assert subscription.target_url.endswith(reverse("inbox_hook", args=[hearing.account.public_id]))
    assert hearing.provider.subscribe_hooks(target=subscription.target_url) == workspace.hook_secret
    assert len(world.hooks.subscriptions) == 1


def test_a_hook_brings_a_look_forward_and_is_kept_once(hearing: House) -> None:
    hearing.account.hook_secret = SECRET
    hearing.account.save(update_fields=["hook_secret"])
    hit = hearing.launch().hits.get()
    later = hearing.now + timedelta(days=1)
    HIT.objects.update(look_at=later)

    answers = [post(hearing.account, {"resource_id": "0123456789abcdef01234567"}) for _ in range(2)]
    event_inbox.handle_notices(now=hearing.now)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert Notice.objects.count() == 1
    hit.refresh_from_db()
    assert hit.look_at is not None
    assert hit.look_at < later


@pytest.mark.parametrize(
    "forged", [{"secret": "another"}, {"at": -3600}, {"X-Prolific-Request-Timestamp": "soon"}]
)
def test_what_is_not_signed_by_them_now_is_refused(hearing: House, forged: dict[str, Any]) -> None:
    hearing.account.hook_secret = SECRET
    hearing.account.save(update_fields=["hook_secret"])
    hearing.launch()

    answer = post(hearing.account, {"resource_id": "0123456789abcdef01234567"}, **forged)

    assert (answer.status_code, Notice.objects.count()) == (403, 0)


def test_an_account_without_a_secret_believes_nobody(hearing: House) -> None:
    assert post(hearing.account, {"resource_id": "a"}, secret="").status_code == 403
