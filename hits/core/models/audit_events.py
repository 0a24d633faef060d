"""Who did what to money, and when. Append-only: the database refuses updates and deletions."""

from django.db import models

from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.providers.models.accounts import Account
from hits.studies.models import Study


class AuditEvent(models.Model):
    """One act of a person, or of the house itself (by nobody), that has to do with money."""

    append_only = True

    kind = models.CharField(max_length=48, help_text="Such as run.approved.")
    words = models.CharField(max_length=1000)
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    study = models.ForeignKey(Study, models.PROTECT, null=True, related_name="+")
    account = models.ForeignKey(Account, models.PROTECT, null=True, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="events")
    bonus = models.ForeignKey(Bonus, models.PROTECT, null=True, related_name="events")

    class Meta:
        indexes = [
            models.Index(fields=["kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["by", "-id"], name="audit_by_person"),
        ]

    def __str__(self) -> str:
        return self.words[:80]
