import os

from celery import Celery
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

app = Celery("crowd")
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
