from uuid import uuid4

from django.db import models
from django.db.models import Q

from crowd.winogavil.play import domain
from crowd.winogavil.play.models.games import ConsentText, WebGame
from hits.identity.models.workers import Worker


class Player(models.Model):
    """A worker of the game's account who plays, with a name and a password and nothing else."""

    purge_path = "game__study"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    game = models.ForeignKey(WebGame, models.PROTECT, related_name="players")
    worker = models.OneToOneField(Worker, models.PROTECT, related_name="player")
    # Both are gone once the account is deleted; what was played stays, under the worker's pseudonym.
    name = models.CharField(max_length=domain.LONGEST_NAME, blank=True)
    # Case folding may lengthen it threefold. None: deleted.
    name_key = models.CharField(max_length=3 * domain.LONGEST_NAME, unique=True, null=True)  # noqa: DJ001 - null is not empty here
    password = models.CharField(max_length=128, blank=True)
    # Solves still to be done before the next cue.
    solves_owed = models.PositiveSmallIntegerField(default=0)
    registered_at = models.DateTimeField()
    erased_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(erased_at=None, name_key__isnull=False)
                | Q(erased_at__isnull=False, name="", name_key=None, password=""),
                name="player_erased_has_no_name",
            )
        ]

    def __str__(self) -> str:
        return self.name or f"{self.worker.pseudonym} (deleted)"


class PlayerSession(models.Model):
    """A browser in which a player is signed in. The token itself is in that browser alone."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="sessions")
    token_digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="player_session_by_end")]


class Consent(models.Model):
    """A player's agreement to a consent text. Append-only."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="consents")
    text = models.ForeignKey(ConsentText, models.PROTECT, related_name="consents")
    given_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "text"], name="consent_once_per_text")]


class Standing(models.Model):
    """A player's figures, stored so that lists need not count. They can be rebuilt from the turns."""

    player = models.OneToOneField(Player, models.CASCADE, primary_key=True, related_name="standing")
    game = models.ForeignKey(WebGame, models.CASCADE, related_name="standings")
    # Submitted, final or not.
    cues = models.PositiveIntegerField(default=0)
    solves = models.PositiveIntegerField(default=0)
    # Over what is final: sums of fool scores in percent, and of the two others in domain.PARTS.
    final_cues = models.PositiveIntegerField(default=0)
    fool_sum = models.PositiveIntegerField(default=0)
    solvable_parts = models.PositiveBigIntegerField(default=0)
    final_solves = models.PositiveIntegerField(default=0)
    jaccard_parts = models.PositiveBigIntegerField(default=0)
    # Points that decide the places. None: nothing is final yet.
    creator_points = models.PositiveIntegerField(null=True)
    solver_points = models.PositiveIntegerField(null=True)
    # When it was last rebuilt.
    checked_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(
                fields=["game", "-creator_points", "-final_cues", "player"],
                condition=Q(creator_points__isnull=False),
                name="standing_of_creators",
            ),
            models.Index(
                fields=["game", "-solver_points", "-final_solves", "player"],
                condition=Q(solver_points__isnull=False),
                name="standing_of_solvers",
            ),
            models.Index(fields=["checked_at"], name="standing_to_check"),
        ]

    def __str__(self) -> str:
        return f"standing of {self.player_id}"

    @property
    def worth(self) -> domain.TurnWorth:
        return domain.TurnWorth(
            final_cues=self.final_cues,
            fool_sum=self.fool_sum,
            solvable_parts=self.solvable_parts,
            final_solves=self.final_solves,
            jaccard_parts=self.jaccard_parts,
        )

    @worth.setter
    def worth(self, worth: domain.TurnWorth) -> None:
        for name, value in vars(worth).items():
            setattr(self, name, value)
        self.creator_points = domain.creator_points(worth)
        self.solver_points = domain.solver_points(worth)
