from celery import shared_task
from django.utils import timezone

from crowd.winogavil.services import finalizing, growing, making, pulling, verdicts


@shared_task(name="winogavil.make_associations")
def make_associations() -> None:
    making.make_associations(now=timezone.now())
    pulling.pull_disowned(now=timezone.now())


@shared_task(name="winogavil.ask_rivals")
def ask_rivals() -> None:
    verdicts.ask_rivals(now=timezone.now())
    verdicts.read_verdicts()


@shared_task(name="winogavil.finalize_associations")
def finalize_associations() -> None:
    finalizing.finalize_associations(now=timezone.now())
    making.credit_authors(now=timezone.now())


@shared_task(name="winogavil.grow_solving")
def grow_solving() -> None:
    growing.grow_solving(now=timezone.now())
