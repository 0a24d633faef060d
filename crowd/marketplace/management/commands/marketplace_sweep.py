import time
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import OperationalError

from crowd.marketplace import clock
from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.services import posting, tidying, work

EVERY_S = 1.0
UNLIST_EVERY = 60  # turns
TIDY_EVERY = 600
log = structlog.get_logger()


class Command(BaseCommand):
    help = "Does every second what the clock makes due: deadlines, approvals, notifications, tidying."

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until it is ended. `manage.py marketplace` starts it; so may a service manager."""
        turn = 0
        while True:
            try:
                sweep()
                if turn % UNLIST_EVERY == 0:
                    posting.unlist_bare_types()
                if turn % TIDY_EVERY == 0:
                    tidying.tidy(now=clock.now())
            except OperationalError as error:  # the database is away or busy: the next second tries again
                log.warning("marketplace.sweep.failed", error=str(error))
            turn += 1
            time.sleep(EVERY_S)


def sweep() -> None:
    work.settle_all(now=clock.now())
    deliver_events(now=clock.now())
