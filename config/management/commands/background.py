from typing import Any

from celery.beat import EmbeddedService
from django.core.management.base import BaseCommand

from config.celery import app

WORKER = (
    "worker",
    "--pool=threads",
    "--concurrency=2",
    "--queues=default,rival,money",
    "--loglevel=WARNING",
    "--without-gossip",
    "--without-mingle",
    "--without-heartbeat",
)


class Command(BaseCommand):
    help = "The background process of the embedded form: Celery worker, beat and rival in one."

    def handle(self, *args: Any, **options: Any) -> None:
        """Beat is a thread here, not a child: killing this one process ends all of it."""
        beat = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")
        beat.start()  # type: ignore[union-attr]  # the stubs do not tell the thread from the process
        app.worker_main(list(WORKER))
