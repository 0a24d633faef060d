from celery import shared_task
from django.utils import timezone

from crowd.winoventi.services import evaluating, filtering, growing, posting, reading, ruling, taking


@shared_task(name="winoventi.take_answers")
def take_answers() -> None:
    taking.take_answers(now=timezone.now())
    ruling.pass_alternatives(now=timezone.now())
    ruling.settle_anew(now=timezone.now())


@shared_task(name="winoventi.advance_steps")
def advance_steps() -> None:
    posting.advance_steps(now=timezone.now())
    growing.grow_steps(now=timezone.now())


@shared_task(name="winoventi.ask_models")
def ask_models() -> None:
    reading.read_nouns(now=timezone.now())
    filtering.filter_alternatives(now=timezone.now())
    evaluating.evaluate_models(now=timezone.now())
