import os
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand

from config.celery import app, dispatched

WORKER = (
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
        """The dispatcher is a thread here, not a child: killing this one process ends all of it."""
        Thread(target=_dispatch, name="dispatcher", daemon=True).start()
        app.worker_main(list(WORKER))


def _dispatch() -> None:
    """Without it nothing would ever be done again; whoever supervises this process starts another."""
    try:
        for _ in dispatched():
            pass
    finally:
        os._exit(1)
