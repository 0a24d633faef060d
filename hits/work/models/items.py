from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study


class Item(models.Model):
    """A piece of work that wants answers. What it is, its family knows: a row of its own points here."""

    study_path = "study"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="items")
    task = models.CharField(max_length=32)
    # None: of the study's pool. Otherwise only this batch asks it.
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, related_name="items")
    repeats = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="repeated_as", help_text="Which item it asks anew."
    )
    author = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="authored")
    # In all: those that are there or coming, and those still wanted.
    answers_needed = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Answers not yet leased to anybody. Moves only together with a lease, or with the number that is needed.
    wanted = models.PositiveSmallIntegerField()
    # An answer that counted was taken out of the data: whoever has counted it counts anew, and clears this.
    recount = models.BooleanField(default=False, editable=False)
    # Nobody is asked any more: it was reported, or its author's work is no part of the data.
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
