"""The end of a run: sweeps work in the time that follows, people do their part, both sides are compared."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from hits import tasks
from hits.batches.services import batch_lifecycle
from hits.core.errors import RuleBroken
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Difference
from hits.payments.services import after_restore, kill_switch, payment_outcomes, refused_bonuses, resending
from hits.providers.models.accounts import Account, Stranger
from hits.providers.models.epochs import Epoch
from hits.studies.models import Batch
from tests.promise.adversary.people import People
from tests.promise.agreement import bookless_payments, disagreements, payment_disagreements
from tests.promise.world import SWEEPS

Status = Bonus.Status
# Longer than a request may be on its way, and longer than until a decision is sent again.
A_WHILE_S = 400
# Seconds after a payment was sent again.
LOOKED_FOR_S = 30
TURNS = 4
MOST_SHOWN = 20
MOST_STEPS = 40


@dataclass
class Ending:
    people: People
    turn: Callable[..., None]
    done: Counter[str] = field(default_factory=Counter)

    def settle(self) -> dict[str, int]:
        """Do what sweeps and people do after the harm. Returns how often a person had to do each act."""
        self.let_go_on()
        for _ in range(TURNS):
            self._resume()
            self._sweep_all()
            self.turn(seconds=A_WHILE_S)
            self._look_after_bonuses()
            self._pay_out()
        self._sweep_all()
        call_command("reconcile", "--all", verbosity=0)
        self._send_anew()
        self.turn(seconds=LOOKED_FOR_S)
        self._sweep_all()
        return dict(self.done)

    def compare(self, *, is_restored: bool = False) -> dict[str, Any]:
        """Compare both sides by the machine's clock, which is the marketplace's."""
        (account,) = Account.objects.all()
        if is_restored:
            found = self._compare_restored(account)
        else:
            found = [*disagreements(account, now=timezone.now()), *payment_disagreements(account)]
        return {"count": len(found), "shown": found[:MOST_SHOWN], "rows": self._count_rows()}

    def _compare_restored(self, account: Account) -> list[str]:
        """Disagreements after a restore. HITs after the copy must be strangers, and payments differences.

        People who decided on such a payment since then decide again: the books do not show two people for it.
        """
        unknown = list(Stranger.objects.values_list("external_id", flat=True))
        nobodys = bookless_payments(account)
        said = {f"paid for nothing owed: {paid.amount} {paid.reason}" for paid in nobodys}
        found = [
            words
            for words in disagreements(account, now=timezone.now(), unknown=unknown)
            if words not in said and not words.startswith(" was paid")
        ]
        known = [paid.amount for paid in nobodys if paid.assignment.hit.external_id not in unknown]
        shown = Difference.objects.filter(cause=Difference.Cause.NOT_OURS, theirs__isnull=False)
        told = sum((one.theirs or Decimal(0) for one in shown), Decimal(0))
        if told < sum(known, Decimal(0)):
            found.append(f"${sum(known)} were paid that nobody here owes, and ${told} are shown to people")
        return found

    def let_go_on(self) -> None:
        """Compare both sides after a restore, and confirm the epoch as a person who has seen the findings."""
        for _ in range(MOST_STEPS):
            epoch = Epoch.objects.filter(confirmed_at=None).first()
            if epoch is None:
                return
            if epoch.compared_at:
                after_restore.confirm_epoch(epoch=epoch, by=self.people.staff[1], now=timezone.now())
                self.done["accounts let go on after a restore"] += 1
                return
            self._sweep_all()
            tasks.match_accounts()
            tasks.compare_epochs()
            self.turn(seconds=10)
        raise AssertionError("The comparison after a restore never ended.")

    def _count_rows(self) -> dict[str, int]:
        from hits.work.models.assignments import Assignment  # noqa: PLC0415
        from hits.work.models.hits import HIT  # noqa: PLC0415

        return {
            "hits": HIT.objects.exclude(external_id="").count(),
            "work": Assignment.objects.filter(submitted_at__isnull=False).count(),
            "paid": Bonus.objects.filter(status=Status.CONFIRMED).count(),
            "unpaid": Bonus.objects.exclude(status=Status.CONFIRMED).count(),
            "strangers": Stranger.objects.count(),
            "paid and owed by nobody": len(bookless_payments(Account.objects.get())),
        }

    def _sweep_all(self) -> None:
        for sweep in SWEEPS.values():
            sweep()

    def _resume(self) -> None:
        """Lift halts and resume batches, as a person does who sees that the provider no longer refuses."""
        now = timezone.now()
        for halt in kill_switch.open_halts():
            kill_switch.lift_halt(halt=halt, by=self.people.staff[1], now=now)
            self.done["halts lifted"] += 1
        paused = Batch.objects.filter(status__in=(Batch.Status.PAUSED, Batch.Status.PAUSED_FUNDS))
        for batch in paused.exclude(problem=""):
            batch_lifecycle.resume_batch(batch=batch, by=self.people.staff[0], now=now)
            self.done["batches resumed"] += 1

    def _look_after_bonuses(self) -> None:
        unclear = Bonus.objects.filter(status=Status.UNKNOWN).exclude(problem="")
        self._each("looks again", unclear, payment_outcomes.look_now)
        refusals = Bonus.objects.filter(status=Status.REFUSED)
        self._each("refusals decided", refusals, _decide_on_refusal)

    def _send_anew(self) -> None:
        self._each("bonuses sent anew", Bonus.objects.filter(status=Status.SENT), resending.send_anew)

    def _each(self, what: str, bonuses: Any, act: Callable[..., object]) -> None:
        for bonus in bonuses.select_related("assignment__hit", "assignment__account"):
            try:
                act(bonus=bonus, by=self.people.staff[0], now=timezone.now())
            except RuleBroken as broken:
                self.done[f"{what}: {broken.code}"] += 1
            else:
                self.done[what] += 1

    def _pay_out(self) -> None:
        self.people.pay_out()


def _decide_on_refusal(*, bonus: Bonus, by: Any, now: Any) -> None:
    verb = refused_bonuses.refusal_of(bonus).remedy
    act = refused_bonuses.send_again if verb in ("send_again", "deposit") else refused_bonuses.decide_anew
    act(bonus=bonus, by=by, now=now)
