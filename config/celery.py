import os
from collections import defaultdict
from threading import Lock, Thread
from typing import Any, ClassVar

from celery import Celery, Task
from celery.schedules import schedule
from celery.signals import celeryd_after_setup
from django.db import connections

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Every task is a sweep over rows: a lost or doubled message changes nothing but the moment.
SWEEPS = {
    "hits.launch_batches": 2,
    "hits.send_changes": 2,
    "hits.handle_notices": 2,
    "hits.poll_queues": 5,
    "hits.subscribe_batches": 5,
    "hits.reconcile": 3,
    "hits.survey": 30,
    "hits.send_decisions": 2,
    "hits.send_blocks": 5,
    "hits.send_messages": 5,
    "hits.refresh_figures": 2,
    "hits.purge_notices": 3600,
    "scoring.judge_submitted": 2,
    "scoring.answer_riddles": 2,
    "scoring.fill_pools": 10,
    "scoring.answer_texts": 3,
    "winogavil.ask_rivals": 2,
    "winogavil.finalize_associations": 2,
    "winogavil.make_associations": 2,
    "winogavil.grow_solving": 10,
    "winogavil.count_turns": 10,
    "winogavil.recheck_standings": 60,
    "winogavil.answer_practice": 5,
    "winogavil.send_feedback": 300,
    "winogavil.tidy_play": 3600,
    "winogavil.finalize_annotations": 5,
    "winogavil.write_releases": 2,
    "winoventi.take_answers": 3,
    "winoventi.advance_steps": 5,
    "winoventi.ask_models": 3,
    "whoops.follow_control": 3,
    "whoops.follow_annotations": 3,
    "whoops.owe_images": 10,
    "whoops.grow_batches": 5,
    "qualifications.remove_lists": 60,
    "qualifications.follow_tests": 2,
    "qualifications.grade_waiting": 2,
    "qualifications.regrade_tests": 30,
    "qualifications.check_floors": 5,
    "qualifications.open_retests": 30,
    "qualifications.make_types": 5,
    "qualifications.tell_holdings": 3,
    "qualifications.read_provider_tests": 10,
    "qualifications.take_withdrawn_work_out": 10,
    "pictures.tend_pool": 3,
    "hits.approve_judged": 2,
    "hits.owe_bonuses": 2,
    "hits.book_rewards": 5,
    "hits.pay_bonuses": 2,
    "hits.confirm_bonuses": 3,
    "hits.send_compensations": 5,
    "hits.match_accounts": 10,
    "marketplace.settle": 5,
    "marketplace.deliver_events": 2,
    "marketplace.unlist_types": 60,
    "marketplace.tidy": 3600,
}
RIVAL_QUEUE = "rival"


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


broker.register()
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


@celeryd_after_setup.connect
def warm_rivals(instance: Any, **_: Any) -> None:
    """Whoever takes the rival's questions has loaded the models before the first one comes.

    Where the same process has other work too, that work does not wait for it.
    """
    queues = set(instance.app.amqp.queues.consume_from)
    if RIVAL_QUEUE not in queues:
        return
    if queues == {RIVAL_QUEUE}:
        _warm()
    else:
        Thread(target=_warm, name="warming", daemon=True).start()


def _warm() -> None:
    from scoring.services import answering  # noqa: PLC0415 - loads models: in this process, and no other

    try:
        answering.warm_up()
    finally:
        connections.close_all()
