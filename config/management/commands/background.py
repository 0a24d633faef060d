import os
import warnings
from threading import Thread
from typing import Any

from celery.exceptions import SecurityWarning
from django.core.management.base import BaseCommand

from config.celery import app, dispatched

WORKER = (
    "--quiet",  # its banner would push what `serve` says off the screen
    "worker",
    "--pool=threads",
    "--concurrency=3",
    "--queues=default,rival,money",
    "--loglevel=WARNING",
    "--without-gossip",
    "--without-mingle",
    "--without-heartbeat",
)


class Command(BaseCommand):
    help = "The background process of the embedded form: Celery worker, beat and rival in one."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run all in one process: the dispatcher is a thread, so that killing the process ends everything."""
        warnings.simplefilter("ignore", SecurityWarning)  # about root and pickles: only JSON is accepted
        Thread(target=_dispatch, name="dispatcher", daemon=True).start()
        app.worker_main(list(WORKER))


def _dispatch() -> None:
    """Dispatch sweeps. If this ends, nothing would ever run, so the process exits to be started again."""
    try:
        for _ in dispatched():
            pass
    finally:
        os._exit(1)
