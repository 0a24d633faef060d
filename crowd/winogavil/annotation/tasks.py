from celery import shared_task
from django.utils import timezone

from crowd.winogavil.annotation.services import finalizing


@shared_task(name="winogavil.finalize_annotations")
def finalize_annotations() -> None:
    finalizing.finalize_annotations(now=timezone.now())
