from celery import shared_task
from django.utils import timezone

from qualifications.services import (
    attempting,
    consenting,
    floors,
    grading,
    platform,
    reading,
    removing,
    retesting,
    telling,
)


@shared_task(name="qualifications.remove_lists")
def remove_lists() -> None:
    removing.remove_leaving()


@shared_task(name="qualifications.take_withdrawn_work_out")
def take_withdrawn_work_out() -> None:
    consenting.take_work_out(now=timezone.now())


@shared_task(name="qualifications.make_types")
def make_types() -> None:
    platform.make_types(now=timezone.now())


@shared_task(name="qualifications.tell_holdings")
def tell_holdings() -> None:
    telling.tell_holdings(now=timezone.now())


@shared_task(name="qualifications.read_provider_tests")
def read_provider_tests() -> None:
    reading.read_provider_tests(now=timezone.now())


@shared_task(name="qualifications.follow_tests")
def follow_tests() -> None:
    attempting.follow_tests(now=timezone.now())


@shared_task(name="qualifications.grade_waiting")
def grade_waiting() -> None:
    grading.grade_waiting(now=timezone.now())


@shared_task(name="qualifications.regrade_tests")
def regrade_tests() -> None:
    grading.regrade_tests(now=timezone.now())


@shared_task(name="qualifications.check_floors")
def check_floors() -> None:
    floors.check_floors(now=timezone.now())


@shared_task(name="qualifications.open_retests")
def open_retests() -> None:
    retesting.open_retests(now=timezone.now())
