from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from crowd.pictures.models.pictures import Picture

LONGEST_TEXT = 500
LONGEST_WORKER = 64


class Report(models.Model):
    """A report that a picture should not be shown. It is not shown until staff have decided."""

    class Reason(models.TextChoices):
        INAPPROPRIATE = "inappropriate", _("The picture is inappropriate")
        MISSING = "missing", _("The picture is missing")
        OTHER = "other", _("Something else is wrong with it")

    class Status(models.TextChoices):
        OPEN = "open", "Open"
        UPHELD = "upheld", "Upheld: the picture stays removed"
        DISMISSED = "dismissed", "Dismissed: the picture is back"

    TRANSITIONS = {
        Status.OPEN: {Status.UPHELD, Status.DISMISSED},
        Status.UPHELD: set(),
        Status.DISMISSED: set(),
    }

    picture = models.ForeignKey(Picture, models.PROTECT, related_name="reports")
    reason = models.CharField(max_length=16, choices=Reason.choices)
    text = models.CharField(max_length=LONGEST_TEXT, blank=True)
    # The family's name for its worker, such as a pseudonym; null for a reporter whom it does not know.
    by_worker = models.CharField(max_length=LONGEST_WORKER, null=True)  # noqa: DJ001 - null is not empty here
    made_at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.OPEN)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["picture", "by_worker"],
                condition=Q(by_worker__isnull=False),
                name="report_once_for_a_worker",
            ),
            models.CheckConstraint(
                condition=Q(status="open", decided_at=None)
                | (~Q(status="open") & Q(decided_at__isnull=False)),
                name="report_decided_at_some_time",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="open"), name="report_open"),
            models.Index(fields=["by_worker", "made_at"], name="report_by_worker"),
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()} ({self.picture})"
