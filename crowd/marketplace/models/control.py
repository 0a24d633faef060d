"""The clock and the faults that tests and rehearsals set. Both tables are empty in real use."""

from django.db import models
from django.db.models import Q


class ClockShift(models.Model):
    """The time by which the marketplace's clock is ahead of the machine's. One row at most."""

    ahead = models.DurationField()

    def __str__(self) -> str:
        return str(self.ahead)


class Fault(models.Model):
    """A fault for the next calls of an operation, or for the next notifications."""

    class Kind(models.TextChoices):
        THROTTLE = "throttle"
        FAIL_BEFORE = "fail_before", "500 before commit"
        FAIL_AFTER = "fail_after", "500 after commit"
        TIMEOUT = "timeout", "commit, then no answer for `seconds`"
        DELAY = "delay", "answer after `seconds`"
        DUPLICATE = "duplicate", "a notification twice"
        REORDER = "reorder", "notifications newest first"
        LATE = "late", "a notification `seconds` late"

    operation = models.CharField(max_length=64, blank=True, help_text="Empty: every operation.")
    kind = models.CharField(max_length=16, choices=Kind)
    seconds = models.FloatField(default=0)
    remaining = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(remaining__gte=0), name="fault_not_overspent"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.operation}"
