from uuid import uuid4

from django.db import models

from crowd.pictures.models import Picture
from crowd.winogavil.play.models.games import WebGame
from crowd.winogavil.play.models.players import Player
from scoring.models import RegisteredRival


class PracticeSet(models.Model):
    """Pictures to practice with; not a picture set, since nothing made of them is an item."""

    game = models.ForeignKey(WebGame, models.CASCADE, related_name="practice_sets")
    number = models.PositiveSmallIntegerField()
    pictures = models.ManyToManyField(Picture, related_name="+")

    class Meta:
        ordering = ("number",)
        constraints = [models.UniqueConstraint(fields=["game", "number"], name="practice_set_number_once")]

    def __str__(self) -> str:
        return f"practice set {self.number}"


class PracticeAsk(models.Model):
    """A word that a player practiced with; neither query nor verdict, and deleted after a day."""

    # Key of the page it was asked from: that page has one chance, as in the game.
    key = models.UUIDField(default=uuid4, unique=True)
    player = models.ForeignKey(Player, models.CASCADE, related_name="+")
    rival = models.ForeignKey(RegisteredRival, models.CASCADE, related_name="+")
    text = models.CharField(max_length=30)
    # [{"sha256": ..., "caption": ...}] in the order shown, and places in it.
    pictures = models.JSONField()
    chosen = models.JSONField()
    places = models.JSONField(null=True)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=models.Q(answered_at=None), name="practice_ask_waiting"),
            models.Index(fields=["asked_at"], name="practice_ask_by_age"),
        ]

    def __str__(self) -> str:
        return self.text
