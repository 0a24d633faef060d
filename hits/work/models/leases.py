from django.db import models
from django.db.models import F, Q

from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class Lease(models.Model):
    """An item leased to an assignment. Released leases stay as history."""

    purge_path = "item__study"

    class Status(models.TextChoices):
        LEASED = "leased"
        ANSWERED = "answered"
        RELEASED = "released"
        # An attention item, shown to compare the answer with the known one: it counts nowhere else.
        ATTENTION = "attention"

    # Leases in these bring no answer to the data.
    NO_ANSWER = (Status.RELEASED, Status.ATTENTION)

    item = models.ForeignKey(Item, models.PROTECT, related_name="leases")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="leases")
    # Copied, so that the database itself can refuse a second look and one's own item.
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    author = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="+")
    status = models.CharField(max_length=16, choices=Status, default=Status.LEASED)
    leased_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "item"], condition=~Q(status="released"), name="lease_never_twice"
            ),
            models.CheckConstraint(
                condition=Q(author=None) | ~Q(worker=F("author")), name="lease_never_ones_own"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.worker}"
