from celery import Task, shared_task
from django.utils import timezone

from crowd.winogavil.play.services import counting, letters, practicing
from crowd.winogavil.play.services.accounts import forget_sessions


@shared_task(name="winogavil.count_turns")
def count_turns() -> None:
    counting.count_turns(now=timezone.now())


@shared_task(name="winogavil.recheck_standings")
def recheck_standings() -> None:
    counting.recheck_standings(now=timezone.now())
    counting.count_models(now=timezone.now())


# A plain task: a second call must not find the first at work and go, for it may be past the newest row.
@shared_task(name="winogavil.answer_practice", base=Task, expires=60)
def answer_practice() -> None:
    practicing.answer_practice(now=timezone.now())


@shared_task(name="winogavil.send_feedback")
def send_feedback() -> None:
    letters.send_feedback(now=timezone.now())


@shared_task(name="winogavil.tidy_play")
def tidy_play() -> None:
    practicing.forget_practice(now=timezone.now())
    forget_sessions(now=timezone.now())
