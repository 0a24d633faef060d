"""The product and the marketplace, served on loopback by this process, on a clock that is turned."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from socketserver import ThreadingMixIn
from threading import Thread
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

# Sweeps that a batch of the association game needs until it is approved and its bonuses are owed.
SWEEPS = (
    "hits.launch_batches",
    "hits.send_changes",
    "hits.subscribe_batches",
    "marketplace.settle",
    "marketplace.deliver_events",
    "hits.handle_notices",
    "hits.reconcile",
    "hits.survey",
    "scoring.judge_submitted",
    "winogavil.finalize_associations",
    "hits.approve_judged",
    "hits.send_decisions",
    "hits.book_rewards",
    "hits.owe_bonuses",
    "hits.refresh_figures",
)


class TurnedClock:
    """What all code of this process takes for the time of day."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the class above
        pass


@contextmanager
def served(port: int, *, begins_at: datetime) -> Iterator[TurnedClock]:
    """Serve both sites on the port, with their one clock. Requests are signed by the machine's time."""
    from django.utils import timezone  # noqa: PLC0415 - after the environment

    machine = SimpleNamespace(now=timezone.now)
    from config.celery import app  # noqa: PLC0415 - as above
    from config.wsgi import application  # noqa: PLC0415

    app.loader.import_default_modules()
    logging.disable(logging.WARNING)
    clock = TurnedClock(begins_at)
    server = make_server("127.0.0.1", port, application, server_class=_Server, handler_class=_Quiet)
    Thread(target=server.serve_forever, daemon=True).start()
    with patch("crowd.marketplace.wire.timezone", machine), patch.object(timezone, "now", clock.now):
        try:
            yield clock
        finally:
            server.shutdown()
            server.server_close()


def sweep() -> None:
    """Run every sweep once, in an order in which each finds what the ones before it have left."""
    from hits.common.sweeps import SWEEPS as REGISTERED  # noqa: PLC0415 - as above

    for name in SWEEPS:
        REGISTERED[name].run()
