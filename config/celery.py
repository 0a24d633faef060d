import os
from collections import defaultdict
from threading import Lock
from typing import Any, ClassVar

from celery import Celery, Task
from celery.schedules import schedule

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Every task is a sweep over rows: a lost or doubled message changes nothing but the moment.
SWEEPS = {
    "hits.launch_batches": 2,
    "hits.reconcile": 3,
    "scoring.judge_submitted": 2,
    "winogavil.ask_rival": 2,
    "winogavil.finalize_associations": 2,
    "hits.approve_judged": 2,
    "hits.owe_bonuses": 2,
    "hits.pay_bonuses": 2,
    "hits.confirm_bonuses": 3,
}


class Sweep(Task):  # type: ignore[type-arg]  # not subscriptable at run time
    """Run once at a time in a process: a second call finds the first at work on the same rows, and goes."""

    _running: ClassVar[defaultdict[str, Lock]] = defaultdict(Lock)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        lock = self._running[self.name]
        if not lock.acquire(blocking=False):
            return None
        try:
            return super().__call__(*args, **kwargs)
        finally:
            lock.release()


app = Celery("crowd", task_cls=Sweep)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    name: {
        "task": name,
        "schedule": schedule(run_every=seconds),
        # A sweep nobody took before the next one is due is not worth keeping.
        "options": {"expires": seconds},
    }
    for name, seconds in SWEEPS.items()
}
