from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import OperationalError

from crowd.marketplace import tasks
from hits.common import wake
from hits.common.sweeps import SWEEPS, Sweep

log = structlog.get_logger()


class Command(BaseCommand):
    help = "Does what is written or what the clock makes due: deadlines, approvals, notifications, tidying."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until the process is ended. `manage.py marketplace` starts it; a service manager may too."""
        ours = {name: sweep for name, sweep in SWEEPS.items() if sweep.run.__module__ == tasks.__name__}
        for _ in wake.dispatch(_run, among=ours):
            pass


def _run(sweep: Sweep) -> None:
    try:
        wake.run(sweep.name)
    except OperationalError as error:  # the database is away or busy: the sweep is tried again after its rest
        log.warning("marketplace.sweep.failed", sweep=sweep.name, error=str(error))
