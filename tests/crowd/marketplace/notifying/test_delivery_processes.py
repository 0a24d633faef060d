"""Several sweeps at once, and a sweep that is killed with SIGKILL."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections

from crowd.marketplace.delivery.sweep import LEASE, deliver_events
from crowd.marketplace.models import Event
from tests.crowd.marketplace.receivers import Answer, Post, receiving, tell
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.crowd.marketplace.work.test_races import all_at_once
from tests.factories import NOW

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[4]
SWEEP = """
import django
django.setup()
from crowd.marketplace.delivery.sweep import deliver_events
from tests.factories import NOW
deliver_events(now=NOW)
"""


def environ() -> Mapping[str, str]:
    """Environment that gives another process the test's database."""
    database = connections["marketplace"].settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connections["marketplace"].vendor == "postgresql":
        login = f"{database['USER']}:{database['PASSWORD']}".rstrip(":")
        port = f":{database['PORT']}" if database["PORT"] else ""
        url = f"postgres://{login}@{database['HOST']}{port}/{database['NAME']}"
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "MARKETPLACE_DATABASE_URL": url}


def test_delivery_of_a_killed_process_is_sent_again() -> None:
    """The sender is killed while the receiver has the document and has not answered: nobody marked it."""
    hit = post_hit()
    running: list[subprocess.Popen[bytes]] = []

    def kill_the_sender(_: Post) -> Answer:
        if len(receiver.posts) == 1:
            os.kill(running[0].pid, signal.SIGKILL)
            running[0].wait(timeout=20)
        return 200, {}, b""

    with receiving(answer=kill_the_sender) as receiver:
        tell(hit, receiver.webhook)
        accept(hit)
        running.append(subprocess.Popen([sys.executable, "-c", SWEEP], cwd=ROOT, env=environ()))
        code = running[0].wait(timeout=60)
        after_the_kill = Event.objects.get()

        deliver_events(now=NOW + LEASE - timedelta(seconds=1))  # the dead process still holds it
        held = len(receiver.posts)
        deliver_events(now=NOW + LEASE)

    event = Event.objects.get()
    assert (code, after_the_kill.delivered_at, after_the_kill.attempts) == (-signal.SIGKILL, None, 0)
    assert (held, receiver.document_ids) == (1, [event.document_id] * 2)
    assert event.delivered_at == NOW + LEASE


def test_sweeps_at_once_send_each_event_once() -> None:
    hits = [post_hit(title=f"Type {number}", max_assignments=5) for number in range(4)]
    with receiving() as receiver:
        for number, hit in enumerate(hits):
            tell(hit, f"{receiver.webhook}/{number}")
            for _ in range(5):
                hand_in(hit)

        all_at_once(*[lambda: deliver_events(now=NOW)] * 4)
        deliver_events(now=NOW)

    expected = Event.objects.order_by("pk").values_list("document_id", flat=True)
    assert sorted(receiver.document_ids) == sorted(expected)
    for number, hit in enumerate(hits):
        came = [post.document["EventDocId"] for post in receiver.posts if post.path.endswith(f"/{number}")]
        assert came == list(expected.filter(hit_id=hit.external_id))
