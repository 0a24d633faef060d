"""Sweeps over rows, each safe to run twice and in several processes. Beat calls them."""

from celery import shared_task

from crowd.marketplace.clock import now
from crowd.marketplace.delivery import sweep
from crowd.marketplace.services import posting, tidying, work


@shared_task(name="marketplace.settle")
def settle() -> None:
    work.settle_all(now=now())


@shared_task(name="marketplace.unlist_types")
def unlist_types() -> None:
    posting.unlist_bare_types()


@shared_task(name="marketplace.deliver_events")
def deliver_events() -> None:
    sweep.deliver_events(now=now())


@shared_task(name="marketplace.tidy")
def tidy() -> None:
    tidying.tidy(now=now())
