"""Sweeps over rows, each safe to run twice and in several processes."""

from crowd.marketplace.clock import by_the_machine, now
from crowd.marketplace.delivery import email_sweep
from crowd.marketplace.delivery import sweep as delivery
from crowd.marketplace.services import hit_creation, retention, work
from hits.common.sweeps import sweep


@sweep("marketplace.settle", rest_s=1, due_at=by_the_machine(work.next_settlement))
def settle() -> None:
    work.settle_all(now=now())


@sweep("marketplace.unlist_types", rest_s=60)
def unlist_types() -> None:
    hit_creation.unlist_bare_types()


@sweep("marketplace.deliver_events", rest_s=1, due_at=by_the_machine(delivery.next_delivery))
def deliver_events() -> None:
    delivery.deliver_events(now=now())


@sweep("marketplace.send_emails", rest_s=2, due_at=by_the_machine(email_sweep.next_email))
def send_emails() -> None:
    email_sweep.send_emails(now=now())


@sweep("marketplace.tidy", rest_s=3600, due_at=by_the_machine(retention.next_tidying))
def tidy() -> None:
    retention.tidy(now=now())
