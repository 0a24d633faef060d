"""The entry policy of what workers have said about themselves, which nobody but they learns of."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.hits import HIT
from qualifications.queries.consents import is_under_age
from qualifications.queries.gates import is_gated
from qualifications.queries.spoken_english import speaks_english

ONLY_ADULTS = gettext_noop(
    "You have told us that you are under 18, and this work is only for adults. Please return this work; it "
    "does not count against you. If this is a mistake, or you are 18 now, please write to us."
)
ONLY_ENGLISH = gettext_noop(
    "You have told us that you do not speak English, and this work needs people who do. Please return this "
    "HIT; it does not count against you. You can change your answer by erasing what you told us about "
    "yourself, on your page “Your work and your pay”."
)


class PersonalPolicy(EntryPolicy):
    """A policy that admits adults alone, and where a batch asks for it, people who speak English."""

    is_personal = True

    def ask(self, batch: Batch) -> PlatformRequirements:
        return PlatformRequirements()

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        """Refuse with the code of a blocked worker: it is counted, and the counts do not reveal why."""
        if not is_gated(hit.batch):
            return
        if is_under_age(worker):
            raise RuleBroken("blocked", _(ONLY_ADULTS))
        if hit.batch.english_speakers and speaks_english(worker) is False:
            raise RuleBroken("blocked", _(ONLY_ENGLISH))
