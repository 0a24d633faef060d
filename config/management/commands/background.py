from typing import Any

from celery.beat import EmbeddedService
from django.core.management.base import BaseCommand

from config.celery import app

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
        """Beat is a thread here, not a child: killing this one process ends all of it."""
        beat: Any = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")  # type: ignore[arg-type]
        beat.start()
        app.worker_main(list(WORKER))
