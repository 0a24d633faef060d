"""The entry policy of a bonus to collect."""

from datetime import datetime

from django.utils.translation import gettext as _

from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.compensation import TASK
from hits.studies.models import Batch
from hits.work.models.hits import HIT


class PaidWorkerAlone(EntryPolicy):
    """An entry policy that admits only the worker whose bonus the compensation HIT pays."""

    def ask(self, batch: Batch) -> PlatformRequirements:
        return PlatformRequirements()

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        if hit.batch.task != TASK:
            return
        paid = Bonus.objects.filter(compensation=hit.batch_id, status=Bonus.Status.COMPENSATING)
        if not paid.filter(assignment__worker=worker).exists():
            raise RuleBroken(
                "for_another",
                _(
                    "This HIT pays a bonus to one worker: it is not for you, or it has been paid "
                    "already. Please return the HIT; nothing else changes."
                ),
            )
