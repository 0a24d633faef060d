from celery import shared_task
from django.conf import settings
from django.utils import timezone

from crowd.winogavil import services
from crowd.winogavil.models import Association
from scoring import rivals


@shared_task(name="winogavil.ask_rival")
def ask_rival() -> None:
    """The model is loaded only if somebody waits for it."""
    if Association.objects.filter(asked_at=None).exists():
        services.ask_rival(rival=rivals.get(settings.RIVAL), now=timezone.now())


@shared_task(name="winogavil.finalize_associations")
def finalize_associations() -> None:
    services.finalize_associations(now=timezone.now())
