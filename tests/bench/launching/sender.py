"""The process under measurement in tests.bench.launching: it launches a batch and sends its HITs.

It is run as a file, in the checkout under measurement, and prints one line of JSON.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

WARM_UP = 100


def main() -> None:
    options = read_options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django  # noqa: PLC0415

    django.setup()
    with ExitStack() as stack:
        if options.stub:
            stack.enter_context(answering_at_once())
            account = None
        else:
            account = make_account(rate=options.rate)
        wire = stack.enter_context(watched())
        launch(WARM_UP, account=account)
        before, at_first, worked = memory("VmRSS"), wire.snapshot(), time.process_time()
        written, sent = launch(options.hits, account=account)
        figures = {
            "hits": options.hits,
            "written_s": round(written, 2),
            "hits_a_second": round(options.hits / sent, 1),
            "sender_cpu_ms": round(1000 * (time.process_time() - worked) / options.hits, 2),
            "grew_kb": max(0, memory("VmHWM") - before),
            "peak_kb": memory("VmHWM"),
        }
        if not options.stub:
            figures |= wire.since(at_first, seconds=sent)
    sys.stdout.write(json.dumps(figures) + "\n")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hits", type=int)
    parser.add_argument("--stub", action="store_true", help="a provider in the process, which keeps nothing")
    parser.add_argument(
        "--rate", type=int, help="calls a second of the account; without it the product's own"
    )
    return parser.parse_args()


class PromptClient:
    """A stand-in for boto3's client that keeps nothing but a number."""

    def __init__(self) -> None:
        self.made = 0

    def create_hit(self, **terms: Any) -> Any:
        self.made += 1
        return {
            "HIT": {
                "HITId": f"HIT{self.made:027}",
                "HITTypeId": "TYPE",
                "RequesterAnnotation": terms["RequesterAnnotation"],
                "HITStatus": "Assignable",
                "MaxAssignments": terms["MaxAssignments"],
                "NumberOfAssignmentsAvailable": terms["MaxAssignments"],
                "NumberOfAssignmentsPending": 0,
                "NumberOfAssignmentsCompleted": 0,
                "Expiration": datetime.now(UTC) + timedelta(days=1),
            }
        }


@contextmanager
def answering_at_once() -> Iterator[None]:
    from hits.providers.gateway import registry  # noqa: PLC0415
    from hits.providers.gateway.boto import BotoProvider  # noqa: PLC0415

    provider = BotoProvider(PromptClient())
    with patch.object(registry, "_boto_provider", lambda **_: provider):
        yield


def make_account(*, rate: int | None) -> Any:
    """Make a requester at the marketplace, and the account that an installation makes for it by itself."""
    from crowd.provisioning import account_values, provision  # noqa: PLC0415
    from hits.providers.services.accounts import seed_first_account  # noqa: PLC0415

    made = provision(requester="bench", deposit=Decimal(100_000))
    account = seed_first_account(values=account_values(made, name="bench"))
    assert account
    if rate:
        account.send_rate = rate
        account.save()
    return account


@dataclass
class Wire:
    """Requests on their way to the provider at this moment, and connections that were opened for them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    connections: int = 0
    requests: int = 0
    seconds: float = 0.0
    now: int = 0
    most: int = 0

    def snapshot(self) -> tuple[int, int, float]:
        return self.connections, self.requests, self.seconds

    def since(self, first: tuple[int, int, float], *, seconds: float) -> dict[str, float]:
        return {
            "requests": self.requests - first[1],
            "in_flight": round((self.seconds - first[2]) / seconds, 2),
            "most_in_flight": self.most,
            "connections_opened": self.connections,
        }

    def carry(self, send: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return send()
        finally:
            with self.lock:
                self.now -= 1
                self.requests += 1
                self.seconds += time.perf_counter() - began


@contextmanager
def watched() -> Iterator[Wire]:
    """Count what leaves through botocore's session."""
    from botocore.httpsession import URLLib3Session  # noqa: PLC0415
    from urllib3.connectionpool import HTTPConnectionPool  # noqa: PLC0415

    wire, send, connect = Wire(), URLLib3Session.send, HTTPConnectionPool._new_conn

    def carried(self: Any, request: Any) -> Any:
        return wire.carry(lambda: send(self, request))

    def connected(self: Any) -> Any:
        wire.connections += 1
        return connect(self)

    with (
        patch.object(URLLib3Session, "send", carried),
        patch.object(HTTPConnectionPool, "_new_conn", connected),
    ):
        yield wire


def memory(name: str) -> int:
    """Kilobytes of this process: the current or the highest, by the field of /proc."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def launch(size: int, *, account: Any) -> tuple[float, float]:
    """Seconds for writing the intents, and for sending them."""
    from django.utils import timezone  # noqa: PLC0415

    from crowd.winogavil.solver_task import SolveTask  # noqa: PLC0415
    from hits.batches.services.launching import launch_batch  # noqa: PLC0415
    from hits.batches.services.sending_hits import send_launching_batches  # noqa: PLC0415
    from hits.studies.models import Batch  # noqa: PLC0415
    from hits.work.models.items import Item  # noqa: PLC0415
    from tests.factories import make_batch, make_study, make_user  # noqa: PLC0415

    study = make_study(budget=Decimal(1_000_000))
    Item.objects.create(study=study, task=SolveTask.key, wanted=3, created_at=timezone.now())
    batch = make_batch(study=study, hits_wanted=size, **({"account": account} if account else {}))
    began = time.monotonic()
    launch_batch(batch=batch, by=make_user(), now=timezone.now())
    written = time.monotonic()
    while Batch.objects.filter(pk=batch.pk, status=Batch.Status.LAUNCHING).exists():
        send_launching_batches(now=timezone.now())
    sent = time.monotonic() - written
    assert batch.hits.filter(status="open").count() == batch.hits.count() >= size
    return written - began, sent


if __name__ == "__main__":
    main()
