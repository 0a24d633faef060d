from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study


class Item(models.Model):
    """A piece of work that needs answers. Its content is in a row of the family, which points here."""

    study_path = "study"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="items")
    task = models.CharField(max_length=32)
    # None: an item of the study's pool. Otherwise only this batch asks it.
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, related_name="items")
    repeats = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="repeated_as",
        help_text="The item that it asks again.",
    )
    author = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="authored")
    # Answers in all: those that are there or coming, and those still wanted.
    answers_needed = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Answers not yet leased to anybody. Moves only together with a lease, or with the number that is needed.
    wanted = models.PositiveSmallIntegerField()
    # A counted answer was taken out of the data: the family that counted it counts again, and clears this.
    recount = models.BooleanField(default=False, editable=False)
    # When asking ended: the item was reported, or its author's work is no part of the data.
    pulled_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["study", "task", "batch", "id"],
                condition=Q(wanted__gt=0, pulled_at=None),
                name="item_wanting",
            ),
            models.Index(fields=["task", "id"], condition=Q(recount=True), name="item_to_recount"),
        ]

    def __str__(self) -> str:
        return str(self.public_id)
