"""Researchers, payments staff and workers of one run."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from html import unescape
from typing import Any, TypeVar
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from django.conf import settings
from django.utils import timezone

from crowd.marketplace import frames
from crowd.marketplace import models as market
from crowd.marketplace.services import work as market_work
from crowd.provisioning import account_values, provision
from hits.batches.services import batch_lifecycle, launching
from hits.common.sweeps import SWEEPS
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import accrual, bonus_runs
from hits.providers.models.accounts import Account
from hits.review.services import reviewing
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import make_association, make_batch, make_study, make_user
from tests.promise.agreement import bookless_payments

Row = TypeVar("Row")
PEOPLE = 4
DEPOSIT = Decimal(1000)
PATIENCE_S = 8
ASSOCIATIONS = 12
PRELUDE = ("hits.launch_batches", "hits.reconcile", "scoring.judge_submitted", "hits.approve_judged")


@dataclass
class Visit:
    """A worker's two windows: the marketplace's page, and ours in its frame."""

    assignment: market.Assignment
    page: str = ""
    answer: str = ""
    is_over: bool = False


@dataclass
class People:
    # The machine's own clock, by which the marketplace dates a payment: two people must have decided before.
    home: Callable[[], datetime] = timezone.now
    visits: list[Visit] = field(default_factory=list)
    account: Account = field(init=False)
    study: Study = field(init=False)
    staff: list[User] = field(init=False)
    workers: list[market.Worker] = field(init=False)

    # The beginning, before any harm is done.

    def begin(self, *, endpoint: str, seed: int) -> None:
        """Create a study, workers, and an account whose calls go through the proxy."""
        made = provision(requester=f"adversary-{seed}", deposit=DEPOSIT, workers=PEOPLE)
        values = account_values(made, name="adversary") | {"endpoint": endpoint}
        self.account = Account.objects.create(**values, send_rate=40)
        self.workers = list(market.Worker.objects.order_by("-pk")[:PEOPLE])
        self.staff = [make_user(is_superuser=True) for _ in range(2)]
        self.study = make_study()
        for _ in range(ASSOCIATIONS):
            make_association(study=self.study)

    def take_up(self) -> None:
        """Go on with the rows that are there, as after a restore."""
        self.account, self.study = Account.objects.get(), Study.objects.get()
        self.workers = list(market.Worker.objects.order_by("-pk")[:PEOPLE])
        self.staff = list(User.objects.filter(is_superuser=True).order_by("pk")[:2])

    def decide_again(self) -> int:
        """Decide again, from notes of their own, on what was paid and the restored books do not owe."""
        lost = sorted(bookless_payments(self.account), key=lambda paid: paid.granted_at)
        for paid in lost:
            work = Assignment.objects.get(external_id=paid.assignment.external_id)
            self._owe(work, cents=int(paid.amount * 100), number=int(_search(r"number (\d+)\.", paid.reason)))
        return len(lost)

    def open_with_work(self) -> int:
        """Finish and approve a small batch. Returns the number of its bonuses, which wait for two people."""
        self.launch(hits=2, workers=2, pilot=0)
        self._sweep("hits.launch_batches")
        for person, number in ((0, 0), (1, 0), (2, 1), (3, 1)):
            self.work(person=person, number=number)
        for name in PRELUDE:
            HIT.objects.filter(status=HIT.Status.OPEN).update(look_at=None)
            self._sweep(name)
        for number, work in enumerate(Assignment.objects.filter(status=Assignment.Status.APPROVED)):
            for cents in range(1, 4):
                self._owe(work, cents=cents, number=number * 10 + cents)
        return Bonus.objects.filter(status=Bonus.Status.OWED).count()

    # Researchers.

    def launch(self, *, hits: int, workers: int, pilot: int) -> str:
        batch = make_batch(
            study=self.study,
            account=self.account,
            hits_wanted=hits,
            assignments_per_hit=workers,
            pilot_hits=pilot,
            duration_s=600,
            lifetime_s=86_400,
            auto_approval_s=7_200,
        )
        launching.launch_batch(batch=batch, by=self.staff[0], now=timezone.now())
        return str(batch.public_id)

    def steer(self, *, verb: str, number: int) -> None:
        batch = pick(Batch.objects.order_by("pk"), number)
        if batch is None:
            return
        hits = HIT.objects.filter(batch=batch)
        given: dict[str, Any] = {"by": self.staff[0], "now": timezone.now()}
        acts: dict[str, Callable[[], object]] = {
            "pause": lambda: batch_lifecycle.pause_batch(batch=batch, **given),
            "resume": lambda: batch_lifecycle.resume_batch(batch=batch, **given),
            "release": lambda: batch_lifecycle.release_pilot(batch=batch, **given),
            "drain": lambda: batch_lifecycle.drain_batch(batch=batch, **given),
            "add_hits": lambda: batch_lifecycle.add_hits(batch=batch, count=1, **given),
            "expire": lambda: batch_lifecycle.expire_hits(hits=hits, **given),
            "extend": lambda: batch_lifecycle.extend_hits(hits=hits, seconds=7200, **given),
            "add_places": lambda: batch_lifecycle.add_places(hits=hits, places=1, **given),
        }
        acts[verb]()

    def review(self, *, kind: str, number: int) -> None:
        work = pick(Assignment.objects.filter(submitted_at__isnull=False).order_by("pk"), number)
        if work is not None:
            given: dict[str, Any] = {"reason": "Seen.", "by": self.staff[0], "now": timezone.now()}
            reviewing.decide(assignment=work, kind=kind, **given)

    # Payments staff.

    def owe(self, *, number: int, cents: int) -> None:
        work = pick(Assignment.objects.filter(status=Assignment.Status.APPROVED).order_by("pk"), number)
        if work is not None:
            self._owe(work, cents=cents, number=Bonus.objects.count())

    def pay_out(self) -> int:
        """Freeze all owed bonuses as one person and approve them as another. Returns how many they were."""
        for run in Run.objects.filter(status__in=(Run.Status.DRAFT, Run.Status.FROZEN)):
            self._decide(run)
        owed = list(Bonus.objects.filter(status=Bonus.Status.OWED, held_at=None))
        if not owed:
            return 0
        self._decide(bonus_runs.prepare_run(bonuses=owed, by=self.staff[0], title="A run", now=self.home()))
        return len(owed)

    def _decide(self, run: Run) -> None:
        if run.status == Run.Status.DRAFT:
            bonus_runs.freeze_run(run=run, by=run.prepared_by, now=self.home())
        bonus_runs.approve_run(run=run, digest=run.digest, by=self.staff[1], now=self.home())

    def _owe(self, work: Assignment, *, cents: int, number: int) -> None:
        accrual.owe_extra(
            assignment=work,
            rule=f"extra {number}",
            amount=Decimal(cents) / 100,
            reason=f"Good work, number {number}.",
            why="It was asked for.",
            by=self.staff[0],
            now=timezone.now(),
        )

    # Workers.

    def work(self, *, person: int, number: int) -> None:
        """Accept a HIT and do the work to its end, unless something fails in between."""
        worker = self.workers[person]
        offered = market.HIT.objects.filter(requester=self._requester(), closed_at=None)
        hit = pick(offered.exclude(assignments__worker=worker).order_by("pk"), number)
        if hit is None:
            return
        taken = market_work.accept_hit(hit_id=hit.pk, worker=worker, now=timezone.now())
        self.visits.append(Visit(assignment=taken))
        self._go_on(self.visits[-1])

    def go_on(self, *, number: int) -> None:
        """Open the page, save the answers and submit: the steps of one visit that are still to do."""
        visit = pick([visit for visit in self.visits if not visit.is_over], number)
        if visit is None:
            return
        self._go_on(visit)

    def hand_in_rubbish(self, *, number: int) -> None:
        if visit := pick(self.visits, number):
            self._hand_in(visit, "rubbish")

    def give_back(self, *, number: int) -> None:
        if visit := pick(self.visits, number):
            market_work.return_assignment(assignment=visit.assignment, now=timezone.now())

    def _go_on(self, visit: Visit) -> None:
        visit.assignment.refresh_from_db()
        visit.page = visit.page or fetch(frames.work_url(visit.assignment))
        if "data-choose" in visit.page and not visit.answer:
            self._save(visit)
        if visit.answer:
            self._hand_in(visit, visit.answer)

    def _save(self, visit: Visit) -> None:
        """Save two pictures for each word."""
        action = _search(r'<form method="post"\s+action="([^"]*/answer/)"', visit.page)
        picks: dict[str, list[str]] = {"token": [_search(r'name="token" value="([^"]*)"', visit.page)]}
        for name, value in re.findall(r'type="checkbox"\s+name="([^"]*)"\s+value="([^"]*)"', visit.page):
            if len(picks.setdefault(name, [])) < 2:
                picks[name].append(value)
        page = fetch(settings.PUBLIC_URL + action, picks)
        visit.answer = (
            unescape(found[1]) if (found := re.search(r'name="answer"\s+value="([^"]*)"', page)) else ""
        )

    def _hand_in(self, visit: Visit, answer: str) -> None:
        fields = {"assignmentId": [visit.assignment.external_id], "answer": [answer]}
        fetch(f"{frames.submit_to(visit.assignment)}{frames.SUBMIT_PATH}", fields)
        visit.is_over = True

    def _requester(self) -> market.Requester:
        return market.Requester.objects.get(access_keys__access_key_id=self.account.access_key_id)

    def _sweep(self, name: str) -> None:
        SWEEPS[name].run()


def pick(rows: Iterable[Row], number: int) -> Row | None:
    found = list(rows)
    return found[number % len(found)] if found else None


def fetch(url: str, fields: dict[str, list[str]] | None = None) -> str:
    """Fetch a page. Raises OSError if it does not come, or answers with an error."""
    body = urlencode(fields, doseq=True).encode() if fields else None
    opener = build_opener(ProxyHandler({}))
    with opener.open(Request(url, body), timeout=PATIENCE_S) as answer:  # noqa: S310
        page: str = answer.read().decode()
    return page


def _search(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if not found:
        raise OSError("This is another page than was asked for.")
    return unescape(found[1])
