"""What workers report to those who run the marketplace, and the answers."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from crowd.marketplace.models.parties import Operator, Worker
from crowd.marketplace.models.work import HIT, Assignment


class Complaint(models.Model):
    """A worker's report that something is wrong with a HIT. An operator answers it once."""

    LONGEST = 2000

    class Kind(models.TextChoices):
        PERSONAL = "personal", gettext_lazy("It asks for personal data")
        IMPOSSIBLE = "impossible", gettext_lazy("It cannot be done")
        UNSEEN = "unseen", gettext_lazy("It is not shown")
        UNFAIR = "unfair", gettext_lazy("The refusal or the pay is unfair")
        OTHER = "other", gettext_lazy("Something else")

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="complaints")
    hit = models.ForeignKey(HIT, models.PROTECT, related_name="complaints")
    # The worker's own latest work on the HIT, if there was any.
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="complaints")
    kind = models.CharField(max_length=16, choices=Kind)
    text = models.TextField(max_length=LONGEST)
    sent_at = models.DateTimeField()
    answer = models.TextField(max_length=LONGEST, blank=True)
    answered_at = models.DateTimeField(null=True)
    answered_by = models.ForeignKey(Operator, models.PROTECT, null=True, related_name="answers")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "hit"], condition=Q(answered_at=None), name="complaint_open_once"
            ),
            models.CheckConstraint(
                condition=Q(answered_at=None, answered_by=None, answer="")
                | Q(answered_at__isnull=False, answered_by__isnull=False) & ~Q(answer=""),
                name="complaint_answered_as_a_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(answered_at=None), name="complaint_open"),
            models.Index(
                fields=["answered_at"], condition=Q(answered_at__isnull=False), name="complaint_answered"
            ),
            models.Index(fields=["worker", "hit", "-id"], name="complaint_of_worker"),
        ]

    def __str__(self) -> str:
        return f"Complaint {self.pk}"
