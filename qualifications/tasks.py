from celery import shared_task

from qualifications.services import removing


@shared_task(name="qualifications.remove_lists")
def remove_lists() -> None:
    removing.remove_leaving()
