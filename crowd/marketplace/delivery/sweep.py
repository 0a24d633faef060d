"""Sends the outbox, each event at least once.

A sweep takes a destination by compare and swap: it moves `free_at` ahead if that is still what it was.
This is a lease: one sweep at a time sends to a destination, in the order of events, and a sweep that dies
releases it by itself. No transaction is open while anything is sent. Rows are read and written by the
sweep's own thread; a few others do nothing but send, so that a slow destination keeps no other waiting.
"""

import secrets
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.db.models import F, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Greatest

from crowd.marketplace.delivery.interface import Send, invalid_endpoint
from crowd.marketplace.delivery.registry import transport_of
from crowd.marketplace.models import Destination, Event, Fault
from crowd.marketplace.services import faults
from hits.common.outgoing import Undeliverable

PATIENCE = timedelta(days=3)
LEASE = timedelta(seconds=60)  # longer than a sweep, its last turn and its last answer together
SWEEP_S = 20.0
TURN_S = 10.0
SENDERS = 4
CHUNK = 100
READ_ALONG = ("destination__requester", "destination__subscription__topic")
LONGEST_DELAY_S = 3600.0
LONGEST_REST_S = 300.0
log = structlog.get_logger()


def deliver_events(*, now: datetime) -> None:
    """Run one sweep. It ends when nothing is due, or after its time; the next one continues."""
    turns = _take_turns(now=now)
    running: Running = {}
    with ThreadPoolExecutor(SENDERS) as pool:
        while True:
            while len(running) < SENDERS and (turn := next(turns, None)):
                _go_on(turn, pool, running)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                turn, event = running.pop(future)
                turn.note(event, problem=future.result())
                _go_on(turn, pool, running)


def next_delivery(*, now: datetime) -> datetime | None:
    """The next instant at which a destination is free and an event for it is due."""
    waiting = Destination.objects.annotate(first_due_at=_first_due()).filter(first_due_at__isnull=False)
    first: datetime | None = waiting.aggregate(first=Min(Greatest("first_due_at", "free_at")))["first"]
    return first


def deliver_test(*, event: Event, now: datetime) -> None:
    """Send one event while its requester waits. Raises InvalidTransportEndpoint if it does not arrive."""
    problem = _attempt(_prepare(event))
    if problem:
        event.delete()
        raise invalid_endpoint(problem)
    _mark_delivered(event, now=now)


class Turn:
    """One destination, held by this sweep until the turn ends."""

    def __init__(self, destination: Destination, *, lease: datetime, now: datetime) -> None:
        self._destination = destination
        self._lease = lease
        self._now = now
        self._ends = time.monotonic() + TURN_S
        self._waiting: deque[Event] = deque()
        self._last_id = 0
        self._has_failed = False

    def next_event(self) -> Event | None:
        """The next due event; None once nothing is due, something failed, or the time is over."""
        if self._has_failed or time.monotonic() > self._ends:
            return None
        while self._waiting or self._load():
            event = self._waiting.popleft()
            if not self._is_made_late(event):
                return event
        return None

    def note(self, event: Event, *, problem: str) -> None:
        """Record the outcome of an attempt. Events older than PATIENCE are given up after a failure."""
        if not problem:
            _mark_delivered(event, now=self._now)
            return
        self._has_failed = True
        delay = _jittered(10.0 * 2 ** min(event.attempts, 20), longest=LONGEST_DELAY_S)
        Event.objects.filter(pk=event.pk, delivered_at=None).update(
            attempts=F("attempts") + 1, due_at=self._now + delay, last_error=problem
        )
        overdue = unsent().filter(destination=self._destination, occurred_at__lte=self._now - PATIENCE)
        _give_up(overdue, problem=problem, now=self._now)
        log.info("marketplace.event.not_delivered", attempts=event.attempts + 1)

    def end(self) -> None:
        """Release the destination, unless the lease is over and another sweep holds it."""
        failures, free_at = 0, self._now
        if self._has_failed:
            failures = self._destination.failures + 1
            free_at += _jittered(2.0 * 2 ** min(failures - 1, 20), longest=LONGEST_REST_S)
        held = Destination.objects.filter(pk=self._destination.pk, free_at=self._lease)
        held.update(free_at=free_at, failures=failures)

    def _load(self) -> bool:
        due = unsent().filter(destination=self._destination, due_at__lte=self._now, pk__gt=self._last_id)
        events = list(due.select_related(*READ_ALONG).order_by("pk")[:CHUNK])
        if not events:
            return False
        self._last_id = events[-1].pk
        if len(events) > 1 and faults.take("", kinds=[Fault.Kind.REORDER]):
            events.reverse()
        for event in events:
            twice = faults.take(event.event_type, kinds=[Fault.Kind.DUPLICATE])
            self._waiting.extend([event, event] if twice else [event])
        return True

    def _is_made_late(self, event: Event) -> bool:
        """Apply a LATE fault; only once to an event, or the last one would wait forever."""
        if event.due_at != event.occurred_at:
            return False
        fault = faults.take(event.event_type, kinds=[Fault.Kind.LATE])
        if fault is None:
            return False
        Event.objects.filter(pk=event.pk).update(due_at=self._now + timedelta(seconds=fault.seconds))
        return True


Running = dict[Future[str], tuple[Turn, Event]]


def unsent() -> QuerySet[Event]:
    return Event.objects.filter(delivered_at=None, given_up_at=None)


def _first_due() -> Subquery:
    """A destination's first due instant among its unsent events; null without any."""
    events = unsent().filter(destination=OuterRef("pk")).order_by("due_at")
    return Subquery(events.values("due_at")[:1])


def _take_turns(*, now: datetime) -> Iterator[Turn]:
    """Take destinations with something due, the longest waiting first. Other sweeps may take some too."""
    ends = time.monotonic() + SWEEP_S
    waiting = Destination.objects.alias(first_due_at=_first_due())
    due = waiting.filter(first_due_at__lte=now, free_at__lte=now)
    for destination in list(due.order_by("free_at", "pk")):
        if time.monotonic() > ends:
            return
        lease = now + LEASE
        unchanged = Destination.objects.filter(pk=destination.pk, free_at=destination.free_at)
        if unchanged.update(free_at=lease):
            yield Turn(destination, lease=lease, now=now)


def _go_on(turn: Turn, pool: ThreadPoolExecutor, running: Running) -> None:
    if event := turn.next_event():
        running[pool.submit(_attempt, _prepare(event))] = (turn, event)
    else:
        turn.end()


def _prepare(event: Event) -> Send:
    destination = event.destination
    transport = transport_of(name=destination.transport, address=destination.address)
    try:
        return transport.prepare(event)
    except InvalidToken:
        return _fail_to_sign


def _fail_to_sign() -> None:
    raise Undeliverable("The marketplace cannot read the key that signs notifications.")


def _attempt(send: Send) -> str:
    """Send, and return the problem, or an empty text."""
    try:
        send()
    except Undeliverable as problem:
        # The problem may quote text from outside, which a database may be unable to keep.
        return "".join(c if c.isprintable() else " " for c in str(problem))[:500]
    return ""


def _mark_delivered(event: Event, *, now: datetime) -> None:
    """Mark an event as delivered once: a copy that is sent on purpose finds it marked."""
    marked = Event.objects.filter(pk=event.pk, delivered_at=None)
    marked.update(delivered_at=now, attempts=F("attempts") + 1, last_error="")


def _give_up(events: QuerySet[Event], *, problem: str, now: datetime) -> None:
    given_up = events.update(given_up_at=now, last_error=problem)
    if given_up:
        log.warning("marketplace.event.given_up", events=given_up)


def _jittered(seconds: float, *, longest: float) -> timedelta:
    """Vary a delay from half to one and a half: destinations that failed together do not return together."""
    return timedelta(seconds=min(seconds, longest) * (50 + secrets.randbelow(101)) / 100)
