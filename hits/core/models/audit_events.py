"""Audit events of money: who did what, and when. Append-only: the database refuses updates and deletions."""

from django.db import models


class AuditEvent(models.Model):
    """One act concerning money, of a person or, with `by` empty, of the system itself."""

    append_only = True

    kind = models.CharField(max_length=48, help_text="Name of the event, such as run.approved.")
    words = models.CharField(max_length=1000)
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    study = models.ForeignKey("hits.Study", models.PROTECT, null=True, related_name="+")
    account = models.ForeignKey("hits.Account", models.PROTECT, null=True, related_name="+")
    run = models.ForeignKey("hits.Run", models.PROTECT, null=True, related_name="events")
    bonus = models.ForeignKey("hits.Bonus", models.PROTECT, null=True, related_name="events")

    class Meta:
        indexes = [
            models.Index(fields=["kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["by", "-id"], name="audit_by_person"),
        ]

    def __str__(self) -> str:
        return self.words[:80]
