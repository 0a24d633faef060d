from typing import Any
from uuid import uuid4

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from crowd.winogavil.play import domain
from hits.identity.models.users import User
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study


class WebGame(models.Model):
    """A study's game for players: who may join, and where their work belongs."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.OneToOneField(Study, models.PROTECT, related_name="web_game")
    account = models.OneToOneField(Account, models.PROTECT, related_name="+", editable=False)
    create_batch = models.OneToOneField(Batch, models.PROTECT, related_name="+", editable=False)
    solve_batch = models.OneToOneField(Batch, models.PROTECT, related_name="+", editable=False)
    title = models.CharField(max_length=60, help_text="The name that players see.")
    is_open = models.BooleanField(default=False, editable=False)
    solves_per_cue = models.PositiveSmallIntegerField(
        "solves for each cue",
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(6)],
        help_text="Every cue needs three solvers. With fewer players than that, cues wait without end.",
    )
    fewest_final = models.PositiveSmallIntegerField(
        "final cues, or solves, for a place",
        default=20,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="Players with fewer are not on the leaderboards yet.",
    )
    shows_uploads = models.BooleanField(
        "players see uploaded predictions",
        default=False,
        help_text="On: the leaderboard of models also has those whose predictions of a whole published "
        "release were uploaded, of the newest such release, by the names given with them. Within an hour.",
    )
    # Leaderboard of models beside people, and when it was counted.
    models_leaderboard: "models.JSONField[list[Any], list[Any]]" = models.JSONField(
        default=list, editable=False
    )
    # Leaderboard of uploaded predictions, an UploadedModels; empty where there are none to show.
    uploads_leaderboard: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(
        default=dict, editable=False
    )
    models_counted_at = models.DateTimeField(null=True, editable=False)
    opened_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    made_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = "web game"
        permissions = [("run_webgame", "Can open and close web games, and write their consent texts")]

    def __str__(self) -> str:
        return self.title

    @property
    def code(self) -> str:
        """Letters that lead to this game when they are typed on the players' first page."""
        return domain.join_code(self.public_id)

    @property
    def consent_text(self) -> "ConsentText | None":
        """The consent text in force, which is the latest version; None before one is written."""
        return self.consent_texts.order_by("-version").first()


class ConsentText(models.Model):
    """A text that players agree to. Never changed: another text is a new version, and all are asked again."""

    game = models.ForeignKey(WebGame, models.PROTECT, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(max_length=20_000)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "version"], name="consent_text_version_once")]

    def __str__(self) -> str:
        return f"{self.game}, version {self.version}"
