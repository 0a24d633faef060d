from typing import ClassVar

from django.db import models
from django.db.models import Q

from crowd.winogavil.play.models.players import Player
from hits.work.models.assignments import Assignment


class Turn(models.Model):
    """One role of a player for one piece of work. A player has at most one open turn."""

    class Role(models.TextChoices):
        CREATE = "create"
        SOLVE = "solve"

    class Status(models.TextChoices):
        OPEN = "open"
        DONE = "done", "Handed in"
        LEFT = "left", "Given up, or taken away"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OPEN: {Status.DONE, Status.LEFT},
        Status.DONE: set(),
        Status.LEFT: set(),
    }

    player = models.ForeignKey(Player, models.PROTECT, related_name="turns")
    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="turn")
    role = models.CharField(max_length=8, choices=Role)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # In whole per cent, as known at its end: how much a word fooled the model, how right a solve was.
    score = models.PositiveSmallIntegerField(null=True)
    # Days on which the player had played without a gap, and solves that were right in full, both with this.
    days_in_row = models.PositiveSmallIntegerField(default=0, db_default=0)
    right_in_row = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Its public address, once the player wants one. None: nobody else sees it.
    shared_as = models.UUIDField(null=True, unique=True, editable=False)
    # When it entered the player's figures; None: it is not final yet.
    counted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player"], condition=Q(status="open"), name="turn_one_open_per_player"
            ),
            models.CheckConstraint(
                condition=Q(status="open", ended_at=None) | (~Q(status="open") & Q(ended_at__isnull=False)),
                name="turn_ended_at_some_time",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="done", counted_at=None), name="turn_to_count"),
            models.Index(fields=["player", "-id"], name="turn_of_player"),
            models.Index(fields=["player", "counted_at"], name="turn_counted_of_player"),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.player_id}"
