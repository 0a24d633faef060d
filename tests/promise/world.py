"""Researchers, workers, a marketplace and its faults, in one process and on one clock."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from html import unescape
from typing import Any, TypeVar
from urllib.parse import urlsplit

from botocore.awsrequest import AWSResponse
from django.conf import settings
from django.test import Client
from django.utils import timezone

from crowd.marketplace import frames
from crowd.marketplace import models as market
from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.services import work as market_work
from crowd.whoops import tasks as whoops
from crowd.winogavil import tasks as winogavil
from crowd.winogavil.annotation import tasks as annotation
from crowd.winogavil.domain import SOLVE
from crowd.winoventi import tasks as winoventi
from hits import models, tasks
from hits.batches.services import batch_lifecycle, launching
from hits.common.sweeps import SWEEPS as ALL
from hits.core.errors import CrowdError
from hits.identity.models.users import User
from hits.providers.gateway.boto import BotoProvider
from hits.providers.models.accounts import Account
from hits.review.services import reviewing
from hits.studies.models import Batch, Study
from scoring.tasks import judge_submitted
from tests.factories import (
    approve,
    invite,
    make_account,
    make_batch,
    make_requester,
    make_study,
    make_user,
)
from tests.promise.crashes import Killed, Life
from tests.promise.families import ASKS, filled, images
from tests.promise.liar import Liar, Lie
from tests.promise.wire import provider_over_wire

Row = TypeVar("Row")
PEOPLE = 4
DEPOSIT = Decimal(5)
ANSWERS = re.compile(r'<form method="post"\s+action="([^"]*/answer/)".*?</form>', re.DOTALL)
# Sweeps of the house, and then those of families.
RUNS = (
    tasks.launch_batches,
    tasks.send_changes,
    tasks.handle_notices,
    tasks.reconcile,
    tasks.survey,
    tasks.subscribe_batches,
    tasks.send_decisions,
    tasks.refresh_figures,
    tasks.approve_judged,
    tasks.book_rewards,
    tasks.owe_bonuses,
    tasks.pay_bonuses,
    tasks.confirm_bonuses,
    judge_submitted,
    winogavil.make_associations,
    winogavil.finalize_associations,
    annotation.finalize_annotations,
    winoventi.take_answers,
    winoventi.advance_steps,
    whoops.follow_control,
    whoops.follow_annotations,
)
SWEEPS: dict[str, Callable[[], object]] = {
    sweep.name: sweep.run for run in RUNS for sweep in ALL.values() if sweep.run is run
}


@dataclass
class Visit:
    """A worker's two windows: the marketplace's page, and ours in its frame."""

    worker: market.Worker
    assignment: market.Assignment
    page: str = ""  # ours, as it was last shown
    answer: str = ""  # what was saved with us


class Clock:
    """Our clock and the marketplace's: the machine's, and so much ahead. Only signatures are not ahead."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self._machine = timezone.now
        self._at_home = False

    def now(self) -> datetime:
        return self._machine() + (timedelta(0) if self._at_home else self.ahead)

    def shown(self) -> datetime:
        """The time as all code that asks for it reads it."""
        return self._machine() + self.ahead

    def turn(self, by: timedelta) -> None:
        self.ahead += by
        market.ClockShift.objects.update_or_create(pk=1, defaults={"ahead": self.ahead})

    @contextmanager
    def at_home(self) -> Iterator[None]:
        """Show the marketplace the machine's time: it adds by itself what its own clock is ahead."""
        outer, self._at_home = self._at_home, True
        try:
            yield
        finally:
            self._at_home = outer


@dataclass
class World:
    clock: Clock
    account: Account = field(init=False)
    study: Study = field(init=False)
    researcher: User = field(init=False)
    people: list[market.Worker] = field(init=False)
    visits: list[Visit] = field(default_factory=list)
    letters: list[tuple[bytes, dict[str, str]]] = field(default_factory=list)  # sent, not yet arrived
    life: Life = field(default_factory=Life)
    liar: Liar = field(default_factory=Liar)
    killed: int = 0

    def __post_init__(self) -> None:
        self.clock.turn(timedelta(0))
        made = make_requester(deposit=DEPOSIT, now=self.now())
        self.account = make_account(
            endpoint=settings.MARKETPLACE_URL,
            worker_site=settings.MARKETPLACE_URL,
            access_key_id=made.access_key_id,
            secret_access_key=made.secret_access_key,
            ticket_key=made.ticket_key,
            notify_by=Account.Notify.WEBHOOK,
        )
        self.study = make_study()
        self.researcher = make_user(is_superuser=True)
        self.people = [invite(now=self.now())[0] for _ in range(PEOPLE)]
        self.provider: BotoProvider = provider_over_wire(
            self.account, carry=self._carry, between=self.liar.carry
        )

    def now(self) -> datetime:
        return self.clock.now()

    # What the product does, and how it dies.

    def alive(self, act: Callable[[], object], life: Life | None = None) -> None:
        """Act in a life that may end. A refusal is an answer, and a death ends this process only."""
        self.life = life or Life()
        try:
            with self.life.lived():
                act()
        except Killed:
            self.killed += 1
        except CrowdError:
            pass
        finally:
            self.life = Life()

    def launch(
        self, *, hits: int, workers: int, pilot: int, life: Life | None = None, task: str = SOLVE
    ) -> None:
        for _ in range(hits):
            ASKS[task](self.study, self._known(self.people[0]))
        batch = make_batch(
            study=self.study,
            task=task,
            account=self.account,
            hits_wanted=hits,
            assignments_per_hit=workers,
            pilot_hits=pilot,
            duration_s=600,
            lifetime_s=86_400,
            auto_approval_s=7_200,
        )
        self.alive(lambda: launching.launch_batch(batch=batch, by=self.researcher, now=self.now()), life)

    def sweep(self, name: str, life: Life | None = None) -> None:
        self.alive(SWEEPS[name], life)

    def background(self, number: int, life: Life | None = None) -> None:
        """Run every sweep once; one of them may be its process's last."""
        for place, name in enumerate(SWEEPS):
            self.sweep(name, life if place == number % len(SWEEPS) else None)

    def settle(self) -> None:
        """Run every sweep twice: one may find late what another one has left to it."""
        for _ in range(2):
            self.turn(30)
            for name in SWEEPS:
                self.sweep(name)

    def steer(self, verb: str, number: int, life: Life | None = None) -> None:
        batch = pick(list(Batch.objects.order_by("pk")), number)
        if batch is None:
            return
        hits = models.HIT.objects.filter(batch=batch)
        given: dict[str, Any] = {"by": self.researcher, "now": self.now()}
        acts: dict[str, Callable[[], object]] = {
            "pause": lambda: batch_lifecycle.pause_batch(batch=batch, **given),
            "resume": lambda: batch_lifecycle.resume_batch(batch=batch, **given),
            "release": lambda: batch_lifecycle.release_pilot(batch=batch, **given),
            "drain": lambda: batch_lifecycle.drain_batch(batch=batch, **given),
            "cancel": lambda: batch_lifecycle.cancel_batch(batch=batch, **given),
            "add_hits": lambda: batch_lifecycle.add_hits(batch=batch, count=1, **given),
            "expire": lambda: batch_lifecycle.expire_hits(hits=hits, **given),
            "extend": lambda: batch_lifecycle.extend_hits(hits=hits, seconds=7200, **given),
            "add_places": lambda: batch_lifecycle.add_places(hits=hits, places=1, **given),
        }
        self.alive(acts[verb], life)

    def review(self, kind: str, number: int, life: Life | None = None) -> None:
        work = pick(list(models.Assignment.objects.filter(submitted_at__isnull=False).order_by("pk")), number)
        if work is not None:
            self.alive(
                lambda: reviewing.decide(
                    assignment=work, kind=kind, reason="Seen.", by=self.researcher, now=self.now()
                ),
                life,
            )

    def compare(self, number: int, *, seen: bool, life: Life | None = None) -> None:
        self.alive(lambda: images.compare(number, seen=seen, by=self.researcher, now=self.now()), life)

    def approve_bonuses(self) -> None:
        owed = models.Bonus.objects.filter(status=models.Bonus.Status.OWED)
        approve(owed, now=self.now())

    # What workers do at the marketplace and in our frame.

    def accept(self, person: int, number: int) -> None:
        hit = pick(list(market.HIT.objects.order_by("pk")), number)
        if hit is None:
            return
        try:
            taken = market_work.accept_hit(hit_id=hit.pk, worker=self.people[person], now=self.now())
        except market_work.NotAvailable:
            return
        self.visits.append(Visit(worker=self.people[person], assignment=taken))

    def open_page(self, number: int, life: Life | None = None) -> None:
        if visit := pick(self.visits, number):
            visit.assignment.refresh_from_db()
            url = frames.work_url(visit.assignment)
            self.alive(lambda: setattr(visit, "page", self._get(url)), life)

    def save(self, number: int, life: Life | None = None) -> None:
        """Fill in every question, if the page has any, and save."""
        visit = pick(self.visits, number)
        form = visit and ANSWERS.search(visit.page)
        if visit is None or not form:
            return

        def post() -> None:
            visit.page = self._post(
                settings.PUBLIC_URL + unescape(form[1]),
                filled(form[0], person=self.people.index(visit.worker)),
            )
            visit.answer = visit.answer or self._answer_in(visit.page)

        self.alive(post, life)

    def submit(self, number: int, *, rubbish: bool = False) -> None:
        """Submit through the page that posts to the marketplace; some workers send something else instead."""
        visit = pick(self.visits, number)
        if visit is None or not (rubbish or visit.answer):
            return
        address = f"{frames.submit_to(visit.assignment)}{frames.SUBMIT_PATH}"
        fields = {"assignmentId": [visit.assignment.external_id], "answer": [visit.answer or "rubbish"]}
        with self.clock.at_home():
            self._post(address, fields)

    def give_back(self, number: int) -> None:
        if visit := pick(self.visits, number):
            market_work.return_assignment(assignment=visit.assignment, now=self.now())

    # What goes wrong in between.

    def fault(self, kind: str, operation: str, times: int) -> None:
        market.Fault.objects.create(kind=kind, operation=operation, remaining=times, seconds=0)

    def lie(self, kind: str, operation: str, times: int) -> None:
        self.liar.lies.append(Lie(kind=kind, operation=operation, times=times))

    def deliver(self, fate: str, life: Life | None = None) -> None:
        """Send the outbox. Its messages may be lost, doubled, or arrive in another order."""
        self.sweep("hits.subscribe_batches")
        with self.clock.at_home():
            deliver_events(now=self.clock.shown())
        letters, self.letters = self.letters, []
        if fate == "lost":
            return
        if fate == "reversed":
            letters.reverse()
        for body, headers in letters * (2 if fate == "twice" else 1):
            self.alive(lambda body=body, headers=headers: self._arrive(body, headers), life)  # type: ignore[misc]

    def turn(self, seconds: int) -> None:
        self.clock.turn(timedelta(seconds=seconds))

    def heal(self) -> None:
        """End all faults, and wait until others may take the rows of a dead process."""
        market.Fault.objects.all().delete()
        self.liar.lies.clear()
        self.letters.clear()
        self.turn(300)

    def _carry(self, operation: str, send: Callable[[], AWSResponse]) -> AWSResponse:
        def call() -> AWSResponse:
            with self.clock.at_home():
                return send()

        answered: AWSResponse = self.life.call(call)
        return answered

    def _get(self, url: str) -> str:
        address = urlsplit(url)
        response = Client().get(f"{address.path}?{address.query}", headers={"Host": address.netloc})
        return response.content.decode()

    def _post(self, url: str, fields: dict[str, list[str]]) -> str:
        address = urlsplit(url)
        response = Client().post(address.path, fields, headers={"Host": address.netloc})
        return response.content.decode()

    def _known(self, person: market.Worker) -> models.Worker:
        """Our row of a marketplace's worker, created if the worker has not come by yet."""
        return models.Worker.objects.known(account=self.account, external_id=person.external_id)

    def _arrive(self, body: bytes, headers: dict[str, str]) -> None:
        Client().generic(
            "POST",
            f"/api/events/{self.account.public_id}/webhook/",
            body,
            content_type="application/json",
            headers={**headers, "Host": urlsplit(settings.PUBLIC_URL).netloc},
        )

    @staticmethod
    def _answer_in(page: str) -> str:
        return unescape(found[1]) if (found := re.search(r'name="answer"\s+value="([^"]*)"', page)) else ""


def pick(rows: Sequence[Row], number: int) -> Row | None:
    return rows[number % len(rows)] if rows else None


def _search(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found
    return unescape(found[1])
