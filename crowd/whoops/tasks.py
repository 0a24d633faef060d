from celery import shared_task
from django.utils import timezone

from crowd.whoops.services import (
    growing,
    paying,
    posting_annotations,
    posting_control,
    taking_annotations,
    taking_sightings,
)


@shared_task(name="whoops.follow_control")
def follow_control() -> None:
    posting_control.post_control(now=timezone.now())
    taking_sightings.take_sightings(now=timezone.now())


@shared_task(name="whoops.follow_annotations")
def follow_annotations() -> None:
    posting_annotations.post_annotations(now=timezone.now())
    taking_annotations.take_annotations(now=timezone.now())


@shared_task(name="whoops.owe_images")
def owe_images() -> None:
    paying.owe_what_became_due(now=timezone.now())


@shared_task(name="whoops.grow_batches")
def grow_batches() -> None:
    growing.grow_batches(now=timezone.now())
