"""Blocks of workers who may take no more work. They are made, sent and lifted by hits.people."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker


class BlockManager(models.Manager["Block"]):
    def in_force(self) -> models.QuerySet["Block"]:
        """Blocks that a person made and nobody lifted; the provider may not have been told yet."""
        return self.filter(status__in=(Block.Status.INTENDED, Block.Status.ACTIVE))


class Block(models.Model):
    """A block. Soft: our pages refuse the worker's work. Hard: the provider offers the worker none of it."""

    class Kind(models.TextChoices):
        SOFT = "soft", "Soft: ours alone"
        HARD = "hard", "Hard: the provider's too"

    class Status(models.TextChoices):
        INTENDED = "intended", "On its way to the provider"
        ACTIVE = "active"
        LIFTING = "lifting", "Being lifted at the provider"
        LIFTED = "lifted"
        REFUSED = "refused", "Refused by the provider"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.INTENDED: {Status.ACTIVE, Status.REFUSED, Status.LIFTING},
        Status.ACTIVE: {Status.LIFTING, Status.LIFTED},
        Status.LIFTING: {Status.LIFTED, Status.REFUSED},
        Status.LIFTED: set(),
        Status.REFUSED: {Status.LIFTED, Status.INTENDED, Status.LIFTING},
    }

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="blocks")
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=16, choices=Status)
    reason = models.CharField(max_length=500, help_text="For the record. The provider gets it too.")
    by = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    # Claim of the sender that tells the provider: a block must not overtake its lifting.
    claimed_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    lifted_because = models.CharField(max_length=500, blank=True)
    lifted_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    objects = BlockManager()

    class Meta:
        permissions = [("block_worker", "Can block workers and lift blocks")]
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "kind"],
                condition=~Q(status__in=("lifted", "refused")),
                name="block_once_at_a_time",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="block_has_a_reason"),
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(status__in=("intended", "lifting")), name="block_to_send"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} block of {self.worker}"
