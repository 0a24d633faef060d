from celery import Task, shared_task
from django.utils import timezone

from scoring.services import judging


@shared_task(name="scoring.judge_submitted")
def judge_submitted() -> None:
    judging.judge_submitted(now=timezone.now())


# A plain task: a second call must not find the first at work and go, for it may be past the newest row.
@shared_task(name="scoring.answer_riddles", base=Task, expires=60)
def answer_riddles() -> None:
    from scoring.services import answering  # noqa: PLC0415 - numpy, and whatever model answers, in this process alone

    answering.answer_waiting()


@shared_task(name="scoring.fill_pools")
def fill_pools() -> None:
    from scoring.services import filling  # noqa: PLC0415 - as above

    filling.fill_pools()


@shared_task(name="scoring.answer_texts")
def answer_texts() -> None:
    from scoring.services import answering_texts  # noqa: PLC0415 - as above

    answering_texts.answer_texts()
