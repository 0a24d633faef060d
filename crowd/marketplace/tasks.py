"""Sweeps over rows, each safe to run twice and in several processes."""

from crowd.marketplace.clock import now
from crowd.marketplace.delivery import sweep as delivery
from crowd.marketplace.services import posting, tidying, work
from hits.common.sweeps import sweep


@sweep("marketplace.settle", rest_s=5)
def settle() -> None:
    work.settle_all(now=now())


@sweep("marketplace.unlist_types", rest_s=60)
def unlist_types() -> None:
    posting.unlist_bare_types()


@sweep("marketplace.deliver_events", rest_s=2)
def deliver_events() -> None:
    delivery.deliver_events(now=now())


@sweep("marketplace.tidy", rest_s=3600)
def tidy() -> None:
    tidying.tidy(now=now())
