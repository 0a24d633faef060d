from celery import shared_task
from django.utils import timezone

from scoring import services


@shared_task(name="scoring.judge_submitted")
def judge_submitted() -> None:
    services.judge_submitted(now=timezone.now())
