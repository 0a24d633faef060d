from celery import shared_task
from django.utils import timezone

from crowd.winogavil import services


@shared_task(name="winogavil.ask_rivals")
def ask_rivals() -> None:
    services.ask_rivals(now=timezone.now())
    services.read_verdicts()


@shared_task(name="winogavil.finalize_associations")
def finalize_associations() -> None:
    services.finalize_associations(now=timezone.now())
