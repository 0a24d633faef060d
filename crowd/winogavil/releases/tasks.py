from celery import shared_task
from django.utils import timezone

from crowd.winogavil.releases.services import making


@shared_task(name="winogavil.write_releases")
def write_releases() -> None:
    making.write_releases(clock=timezone.now)
